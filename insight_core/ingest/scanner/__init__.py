"""Event files to columns: framing, checksums and the few protobuf fields that matter. No store."""
