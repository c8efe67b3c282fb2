"""Bisection on an ascending axis."""

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int64_t


ctypedef fused Place:
    int64_t
    double


cdef inline double x_at(const Place* x, double offset, Py_ssize_t index) noexcept nogil:
    return <double>x[index] - offset


cdef inline Py_ssize_t first_at(
    const Place* x, double offset, Py_ssize_t start, Py_ssize_t stop, double bound, bint above
) noexcept nogil:
    """The first index in [start, stop) with x >= ``bound``, or x > ``bound`` if ``above``; else ``stop``."""
    cdef Py_ssize_t middle
    cdef double place
    while start < stop:
        middle = start + (stop - start) // 2
        place = x_at(x, offset, middle)
        if place < bound or (above and place == bound):
            start = middle + 1
        else:
            stop = middle
    return start


cdef inline Py_ssize_t first_about(
    const Place* x, double offset, Py_ssize_t start, Py_ssize_t stop, double bound, Py_ssize_t guess
) noexcept nogil:
    """The first index in [start, stop) with x >= ``bound``; the search begins at ``guess``.

    Steps are mostly evenly spaced, so a few comparisons near the guess replace some twenty all over memory.
    """
    cdef Py_ssize_t stride = 8
    if start < guess < stop:
        if x_at(x, offset, guess) < bound:
            start = guess + 1
            while start + stride < stop and x_at(x, offset, start + stride) < bound:
                start += stride + 1
                stride *= 2
            stop = min(stop, start + stride)
        else:
            stop = guess
            while stop - stride > start and not x_at(x, offset, stop - stride) < bound:
                stop -= stride
                stride *= 2
            start = max(start, stop - stride)
    return first_at(x, offset, start, stop, bound, False)


cdef inline Py_ssize_t within_segments(
    const Place* x, double offset, const int64_t* edges, Py_ssize_t segments, double low, double high,
    int64_t* ranges,
) noexcept nogil:
    cdef Py_ssize_t number, first, last, count = 0
    for number in range(segments):
        first = first_at(x, offset, edges[number], edges[number + 1], low, False)
        last = first_at(x, offset, first, edges[number + 1], high, True)
        if first < last:
            ranges[2 * count] = first
            ranges[2 * count + 1] = last
            count += 1
    return count


cdef inline Py_ssize_t cut_ranges(
    const Place* x, double offset, const int64_t* ranges, Py_ssize_t count, const double* borders,
    Py_ssize_t columns, int64_t* starts, int64_t* stops, Py_ssize_t room,
) noexcept nogil:
    cdef Py_ssize_t number, index, stop, end, column, length = 0, found = 0
    for number in range(count):
        index = ranges[2 * number]
        stop = ranges[2 * number + 1]
        column = 0
        while index < stop:
            if found == room:  # only NaN, which does not ascend, can need more
                return -1
            # borders ascend like x does: the next column is at or after the last one
            column = first_at(borders, 0.0, column, columns, x_at(x, offset, index), True)
            end = stop
            if column < columns:
                end = first_about(x, offset, index + 1, stop, borders[column], index + length)
            length = end - index
            starts[found] = index
            stops[found] = end
            found += 1
            index = end
    return found


cdef inline Py_ssize_t nearest_in(
    const Place* x, double offset, const int64_t* ranges, Py_ssize_t count, double place
) noexcept nogil:
    cdef Py_ssize_t number, first, right, left, middle, best = -1
    cdef double distance, least = INFINITY
    for number in range(count):
        first = ranges[2 * number]
        right = first_at(x, offset, first, ranges[2 * number + 1], place, False)
        if right > first:
            distance = fabs(x_at(x, offset, right - 1) - place)
            if distance < least:
                left = right - 1  # the first of all that are as near: duplicates, or distances rounded alike
                while first < left:
                    middle = first + (left - first) // 2
                    if fabs(x_at(x, offset, middle) - place) > distance:
                        first = middle + 1
                    else:
                        left = middle
                least = distance
                best = left
        if right < ranges[2 * number + 1]:
            distance = fabs(x_at(x, offset, right) - place)
            if distance < least:
                least = distance
                best = right
    return best
