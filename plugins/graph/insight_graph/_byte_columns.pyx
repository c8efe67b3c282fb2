# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The compiled halves of ``field_columns`` and of ``interned.last_places``. Without the GIL."""

from libc.stdint cimport int64_t, uint8_t, uint64_t

import numpy as np

from insight_graph._places cimport check_places
from insight_record.formats._varint cimport read_varint


def last_places(
    const uint8_t[::1] data, const int64_t[::1] starts, const int64_t[::1] ends, uint8_t byte
):
    cdef Py_ssize_t row
    cdef int64_t at
    check_places(data, starts, ends)
    found = np.empty(starts.shape[0], np.int64)
    cdef int64_t[::1] places = found
    with nogil:
        for row in range(starts.shape[0]):
            at = ends[row] - 1
            while at >= starts[row] and data[at] != byte:
                at -= 1
            places[row] = at if at >= starts[row] else -1
    return found


cdef enum:
    VARINT
    EIGHT_BYTES
    LENGTH_DELIMITED
    FOUR_BYTES = 5


cdef struct Field:
    uint64_t key
    int64_t start
    int64_t end


cdef inline bint _next(const uint8_t *data, int64_t at, int64_t stop, Field *field) noexcept nogil:
    """Reads the field at ``at``; False if it is malformed or runs over ``stop``."""
    cdef uint64_t value
    cdef int used = read_varint(data + at, stop - at, &field.key)
    cdef uint64_t kind = field.key & 7
    if used == 0 or field.key >> 3 == 0:
        return False
    at += used
    field.start = field.end = at
    if kind == LENGTH_DELIMITED:
        used = read_varint(data + at, stop - at, &value)
        if used == 0 or value > <uint64_t>(stop - at - used):
            return False
        field.start = at + used
        field.end = field.start + <int64_t>value
    elif kind == VARINT:
        used = read_varint(data + at, stop - at, &value)
        field.end += used
        return used > 0
    elif kind == EIGHT_BYTES:
        field.end += 8
    elif kind == FOUR_BYTES:
        field.end += 4
    else:
        return False
    return field.end <= stop


def fields_of(
    const uint8_t[::1] data, const int64_t[::1] starts, const int64_t[::1] ends, int64_t most
):
    """int64[5, fields], of which the first ``most``, and bool[messages]: the columns of FieldColumns."""
    cdef Py_ssize_t row = 0, messages = starts.shape[0]
    cdef int64_t at, count = 0, room = min(most, 8 * messages + 8)
    cdef Field field
    cdef bint is_full
    check_places(data, starts, ends)
    broken = np.zeros(messages, np.uint8)
    cdef uint8_t[::1] is_broken = broken
    found = np.empty((5, room), np.int64)
    cdef int64_t[:, ::1] columns = found
    at = starts[0] if messages else 0
    while True:
        is_full = False
        with nogil:
            while row < messages:
                while at < ends[row]:
                    if count == room:
                        is_full = True
                        break
                    if not _next(&data[0], at, ends[row], &field):
                        is_broken[row] = 1
                        break
                    columns[0, count] = row
                    columns[1, count] = <int64_t>field.key
                    columns[2, count] = at
                    columns[3, count] = field.start
                    columns[4, count] = field.end
                    count += 1
                    at = field.end
                if is_full:
                    break
                row += 1
                at = starts[row] if row < messages else 0
        if not is_full or count == most:
            return found[:, :count], broken.view(bool)
        room = min(most, 2 * room)
        larger = np.empty((5, room), np.int64)
        larger[:, :count] = found
        found = larger
        columns = found
