# cython: language_level=3, boundscheck=False, wraparound=False
"""CRC-32C of whole buffers: the compiled half of ``insight_core.records.crc32c``."""

from libc.stdint cimport uint8_t, uint32_t

cdef extern from "crc32c.h":
    uint32_t crc32c_extend(uint32_t state, const uint8_t *data, size_t size) noexcept nogil
    uint32_t crc32c_portable(uint32_t state, const uint8_t *data, size_t size) noexcept nogil
    const char *crc32c_select(int portable) nogil

name = crc32c_select(False).decode()


def crc32c(const uint8_t[::1] data, uint32_t before=0, *, bint portable=False):
    """The plain CRC-32C of ``data``; ``before`` is that of what precedes it. ``portable``: by tables."""
    cdef uint32_t state = ~before
    cdef size_t size = <size_t>data.shape[0]
    if size:
        with nogil:
            if portable:
                state = crc32c_portable(state, &data[0], size)
            else:
                state = crc32c_extend(state, &data[0], size)
    return ~state & <uint32_t>0xFFFFFFFF
