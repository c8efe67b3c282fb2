"""Wire formats that writers and readers share: framing, checksums, protobuf fields, data types. No I/O."""
