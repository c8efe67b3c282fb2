# cython: language_level=3
"""CRC-32C of whole buffers: the compiled half of ``insight_record.formats.crc32c``."""

from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_STRIDES, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport uint8_t, uint32_t

cdef extern from "crc32c.h":
    uint32_t crc32c_extend(uint32_t state, const uint8_t *data, size_t size) noexcept nogil
    uint32_t crc32c_portable(uint32_t state, const uint8_t *data, size_t size) noexcept nogil
    uint32_t crc32c_masked(uint32_t state) noexcept nogil
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


def masked_crc32c_rows(rows):
    """uint32[n]: the masked checksum of each row of uint8[n, length], whose bytes lie side by side."""
    import numpy as np  # late: --version loads this module too and must be fast

    cdef Py_buffer view, out
    cdef Py_ssize_t row
    found = np.empty(len(rows), np.uint32)
    PyObject_GetBuffer(rows, &view, PyBUF_STRIDES)
    try:
        if view.ndim != 2 or view.itemsize != 1 or view.strides[1] != 1:
            raise ValueError("the bytes of a row must lie side by side")
        PyObject_GetBuffer(found, &out, PyBUF_WRITABLE)
        with nogil:
            for row in range(view.shape[0]):
                (<uint32_t *>out.buf)[row] = crc32c_masked(
                    crc32c_extend(0xFFFFFFFF, <const uint8_t *>view.buf + row * view.strides[0], view.shape[1])
                )
        PyBuffer_Release(&out)
    finally:
        PyBuffer_Release(&view)
    return found
