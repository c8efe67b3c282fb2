"""What other compiled modules have of the scanner."""

from insight_core.ingest.scanner._events cimport Layout


cdef enum:
    LONGEST_METADATA = 1 << 16  # bytes that are remembered

cdef Layout layout_of(bint mindspore)
