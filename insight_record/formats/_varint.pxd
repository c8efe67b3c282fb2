"""Varints of protobuf messages."""

from libc.stdint cimport int64_t, uint8_t, uint64_t


cdef inline int read_varint(const uint8_t *data, int64_t size, uint64_t *value) noexcept nogil:
    """Bytes of the varint that begins in the ``size`` bytes of data; 0 when it does not end there."""
    cdef int count = 0
    cdef uint64_t result
    if size <= 0:
        return 0
    if data[0] < 0x80:
        value[0] = data[0]
        return 1
    result = data[0] & 0x7F
    for count in range(1, <int>min(size, 10)):
        result |= <uint64_t>(data[count] & 0x7F) << (7 * count)
        if data[count] < 0x80:
            value[0] = result
            return count + 1
    return 0
