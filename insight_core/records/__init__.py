"""Bytes to records: framing, checksums and the few protobuf fields that matter. No I/O, no store."""
