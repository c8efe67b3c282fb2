"""Places of pieces of bytes."""

from libc.stdint cimport int64_t, uint8_t


cdef inline check_places(const uint8_t[::1] data, const int64_t[::1] starts, const int64_t[::1] ends):
    """Raises IndexError for pieces that are not within the data."""
    cdef Py_ssize_t row
    cdef int64_t last = data.shape[0]
    cdef bint sound = starts.shape[0] == ends.shape[0]
    if sound:
        with nogil:
            for row in range(starts.shape[0]):
                if starts[row] < 0 or starts[row] > ends[row] or ends[row] > last:
                    sound = False
                    break
    if not sound:
        raise IndexError("starts and ends must be those of pieces of the data")
