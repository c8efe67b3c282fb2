# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The compiled half of ``insight_core.store.reduction``, which says what each function does.

Nothing here holds the GIL while it walks a column. Arrays come as plain buffers: their addresses are taken
by the buffer protocol, so that no numpy header is needed to build this and a call costs about a microsecond.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.float cimport DBL_MAX
from libc.math cimport INFINITY, isfinite
from libc.stdint cimport int64_t

from insight_core.store._bisection cimport cut_ranges, nearest_in, within_segments
from insight_core.store._extremes cimport (
    MARKS, SIZE, Block, Found, Value, begin_with_none, keep, look_far, summarise_blocks,
)

import numpy as np

from insight_core.store.blocks import BLOCK_TYPE, POINTS

if POINTS != SIZE or BLOCK_TYPE.itemsize != sizeof(Block):
    raise ImportError("insight_core.store._reduction was compiled from other sources: build it again")


cdef void* _address(object array, bint writable=False) except? NULL:
    """Where the elements of a contiguous array begin; they stay there as long as the array lives."""
    cdef Py_buffer view
    PyObject_GetBuffer(array, &view, PyBUF_WRITABLE if writable else PyBUF_SIMPLE)
    cdef void* begin = view.buf
    PyBuffer_Release(&view)
    return begin


cdef bint _is_single(object values) except -1:
    cdef object dtype = values.dtype
    cdef str kind = dtype.char
    if kind == "f" and dtype.isnative:
        return True
    if kind == "d" and dtype.isnative:
        return False
    raise TypeError(f"values are {dtype}, not float32 or float64")


cdef bint _is_whole(object x) except -1:
    cdef object dtype = x.dtype
    cdef str kind = dtype.kind
    if dtype.itemsize == 8 and dtype.isnative:
        if kind == "i":
            return True
        if kind == "f":
            return False
    raise TypeError(f"x is {dtype}, not int64 or float64")


cdef int64_t* _whole_numbers(object array) except? NULL:
    if not _is_whole(array):
        raise TypeError("int64 is needed")
    return <int64_t*>_address(array)


cdef double* _numbers(object array) except? NULL:
    if _is_whole(array):
        raise TypeError("float64 is needed")
    return <double*>_address(array)


# --- extremes -----------------------------------------------------------------------------------


def summarise(values, blocks):
    cdef Py_ssize_t count = len(blocks)
    if len(values) < count * SIZE or blocks.dtype != BLOCK_TYPE:
        raise ValueError("the blocks are not those of these values")
    cdef Block* summary = <Block*>_address(blocks, True)
    cdef void* data = _address(values)
    cdef bint single = _is_single(values)
    with nogil:
        if single:
            summarise_blocks(<const float*>data, summary, count)
        else:
            summarise_blocks(<const double*>data, summary, count)


def envelope(values, blocks, starts, stops):
    cdef Py_ssize_t groups = len(starts), known = len(blocks), length = len(values), number, count = 0
    if len(stops) != groups or length < known * SIZE or blocks.dtype != BLOCK_TYPE:
        raise ValueError("starts, stops and blocks are not those of these values")
    kept = np.empty(MARKS * groups, np.int64)
    cdef int64_t* out = <int64_t*>_address(kept, True)
    cdef const int64_t* begin = _whole_numbers(starts)
    cdef const int64_t* end = _whole_numbers(stops)
    cdef const Block* summary = <const Block*>_address(blocks)
    cdef void* data = _address(values)
    cdef bint single = _is_single(values), wrong = False
    cdef Found found
    with nogil:
        for number in range(groups):
            if not 0 <= begin[number] < end[number] <= length:
                wrong = True
                break
            begin_with_none(&found)
            if single:
                look_far(<const float*>data, summary, known, begin[number], end[number], &found)
            else:
                look_far(<const double*>data, summary, known, begin[number], end[number], &found)
            count += keep(begin[number], end[number], &found, out + count)
    if wrong:
        raise ValueError("a column of the picture lies outside the series")
    return kept[:count]


def count_nonfinite(values, blocks, ranges):
    cdef Py_ssize_t known = len(blocks), length = len(values), number, count = len(ranges)
    if length < known * SIZE or blocks.dtype != BLOCK_TYPE:
        raise ValueError("the blocks are not those of these values")
    cdef const int64_t* bounds = _whole_numbers(ranges)
    cdef const Block* summary = <const Block*>_address(blocks)
    cdef void* data = _address(values)
    cdef bint single = _is_single(values), wrong = False
    cdef Found found
    with nogil:
        begin_with_none(&found)
        for number in range(count):
            if not 0 <= bounds[2 * number] <= bounds[2 * number + 1] <= length:
                wrong = True
                break
            if single:
                look_far(
                    <const float*>data, summary, known, bounds[2 * number], bounds[2 * number + 1], &found
                )
            else:
                look_far(
                    <const double*>data, summary, known, bounds[2 * number], bounds[2 * number + 1], &found
                )
    if wrong:
        raise ValueError("a range lies outside the series")
    return found.counts[0], found.counts[1], found.counts[2]


# --- places on a sorted axis ------------------------------------------------------------------------


cdef object _check_ranges(const int64_t* bounds, Py_ssize_t count, Py_ssize_t length):
    cdef Py_ssize_t number
    for number in range(count):
        if not 0 <= bounds[2 * number] <= bounds[2 * number + 1] <= length:
            raise ValueError("a range lies outside the series")


cdef object _check_edges(const int64_t* edges, Py_ssize_t count, Py_ssize_t length):
    cdef Py_ssize_t number
    if count < 1 or edges[0] < 0 or edges[count - 1] > length:
        raise ValueError("a segment lies outside the series")
    for number in range(1, count):
        if edges[number] < edges[number - 1]:
            raise ValueError("segments overlap")


def within(x, double offset, edges, double low, double high):
    cdef Py_ssize_t segments = len(edges) - 1, count
    cdef const int64_t* borders = _whole_numbers(edges)
    _check_edges(borders, segments + 1, len(x))
    ranges = np.empty((segments, 2), np.int64)
    cdef int64_t* out = <int64_t*>_address(ranges, True)
    cdef void* data = _address(x)
    cdef bint whole = _is_whole(x)
    with nogil:
        if whole:
            count = within_segments(<const int64_t*>data, offset, borders, segments, low, high, out)
        else:
            count = within_segments(<const double*>data, offset, borders, segments, low, high, out)
    return ranges[:count]


def cut(x, double offset, ranges, borders):
    cdef Py_ssize_t count = len(ranges), columns = len(borders), room = 0, found, number
    cdef const int64_t* bounds = _whole_numbers(ranges)
    cdef const double* lines = _numbers(borders)
    _check_ranges(bounds, count, len(x))
    for number in range(count):
        room += min(bounds[2 * number + 1] - bounds[2 * number], columns + 1)
    starts, stops = np.empty(room, np.int64), np.empty(room, np.int64)
    cdef int64_t* begin = <int64_t*>_address(starts, True)
    cdef int64_t* end = <int64_t*>_address(stops, True)
    cdef void* data = _address(x)
    cdef bint whole = _is_whole(x)
    with nogil:
        if whole:
            found = cut_ranges(<const int64_t*>data, offset, bounds, count, lines, columns, begin, end, room)
        else:
            found = cut_ranges(<const double*>data, offset, bounds, count, lines, columns, begin, end, room)
    if found < 0:
        raise ValueError("x does not ascend")
    return starts[:found], stops[:found]


def nearest(x, double offset, ranges, double place):
    cdef Py_ssize_t count = len(ranges), found
    cdef const int64_t* bounds = _whole_numbers(ranges)
    _check_ranges(bounds, count, len(x))
    cdef void* data = _address(x)
    cdef bint whole = _is_whole(x)
    with nogil:
        if whole:
            found = nearest_in(<const int64_t*>data, offset, bounds, count, place)
        else:
            found = nearest_in(<const double*>data, offset, bounds, count, place)
    return found


def reach(x, edges):
    cdef Py_ssize_t segments = len(edges) - 1, number, index, first, last
    cdef const int64_t* borders = _whole_numbers(edges)
    cdef const double* data = _numbers(x)
    cdef int disorder = 0
    cdef double low = INFINITY, high = -INFINITY
    _check_edges(borders, segments + 1, len(x))
    with nogil:
        for number in range(segments):
            first, last = borders[number], borders[number + 1]
            if first < last:
                disorder |= data[first] != data[first]
            for index in range(first + 1, last):
                disorder |= not data[index] >= data[index - 1]
        for number in range(segments):
            first, last = borders[number], borders[number + 1]
            if not disorder:  # the first and the last finite ones are the extremes
                while first < last and not isfinite(data[first]):
                    first += 1
                while first < last and not isfinite(data[last - 1]):
                    last -= 1
                if first < last:
                    low = min(low, data[first])
                    high = max(high, data[last - 1])
                continue
            for index in range(first, last):
                if isfinite(data[index]):
                    low = min(low, data[index])
                    high = max(high, data[index])
    return not disorder, low, high


# --- smoothing ----------------------------------------------------------------------------------------


cdef void _average(
    const Value* values, double* out, Py_ssize_t count, double weight, double* state
) noexcept nogil:
    cdef double last = state[0], mass = state[1], first = state[2], value, shown, share = 1.0 - weight
    cdef bint varied = state[3] != 0
    cdef Py_ssize_t index = 0
    while index < count and not varied:
        value = values[index]
        out[index] = value
        if isfinite(value):
            if mass > 0 and value != first:
                varied = True
                break
            first = value
            last = weight * last + share * value
            mass = weight * mass + share
        index += 1
    while index < count:
        value = values[index]
        if value - value == 0:
            last = weight * last + share * value
            mass = weight * mass + share
            shown = last / mass
            shown = shown if shown < DBL_MAX else DBL_MAX
            value = shown if shown > -DBL_MAX else -DBL_MAX
        out[index] = value
        index += 1
    state[0] = last
    state[1] = mass
    state[2] = first
    state[3] = varied


def average(values, out, double weight, state):
    cdef Py_ssize_t count = len(values)
    if len(out) != count or len(state) != 4:
        raise ValueError("as many averages as values, and a state of four")
    _numbers(out), _numbers(state)
    cdef double* averages = <double*>_address(out, True)
    cdef double* carried = <double*>_address(state, True)
    cdef void* data = _address(values)
    cdef bint single = _is_single(values)
    with nogil:
        if single:
            _average(<const float*>data, averages, count, weight, carried)
        else:
            _average(<const double*>data, averages, count, weight, carried)
