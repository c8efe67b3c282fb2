# cython: language_level=3
"""CRC-32C of whole buffers: the compiled half of ``insight_core.records.crc32c``."""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport uint8_t, uint32_t

cdef extern from "crc32c.h":
    uint32_t crc32c_extend(uint32_t state, const uint8_t *data, size_t size) noexcept nogil
    uint32_t crc32c_portable(uint32_t state, const uint8_t *data, size_t size) noexcept nogil
    const char *crc32c_select(int portable) nogil

name = crc32c_select(False).decode()


def crc32c(data, uint32_t before=0, *, bint portable=False):
    """The plain CRC-32C of ``data``; ``before`` is that of what precedes it. ``portable``: by tables."""
    cdef Py_buffer view
    cdef uint32_t state = ~before
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    with nogil:
        if portable:
            state = crc32c_portable(state, <const uint8_t *>view.buf, <size_t>view.len)
        else:
            state = crc32c_extend(state, <const uint8_t *>view.buf, <size_t>view.len)
    PyBuffer_Release(&view)
    return <uint32_t>~state
