"""What stands out of a stretch of values: smallest, largest, and what is not finite."""

from libc.math cimport INFINITY
from libc.stdint cimport int64_t, uint8_t, uint16_t


ctypedef fused Value:
    float
    double


cdef enum:
    SIZE = 256  # points of a block
    LANES = 8
    MARKS = 7  # at most so many points of a column are kept


cdef struct Block:  # as BLOCK_TYPE of blocks.py
    double low
    double high
    uint16_t counts[3]
    uint8_t places[5]


cdef struct Found:  # so far
    double low
    double high
    Py_ssize_t places[5]  # of the smallest and largest finite value, first NaN, +Inf, -Inf; -1: none
    Py_ssize_t counts[3]


cdef inline void begin_with_none(Found* found) noexcept nogil:
    cdef int kind
    found.low = INFINITY
    found.high = -INFINITY
    for kind in range(5):
        found.places[kind] = -1
    for kind in range(3):
        found.counts[kind] = 0


cdef inline void add_odd(double value, Py_ssize_t place, Found* found) noexcept nogil:
    cdef int kind = 0 if value != value else (1 if value > 0 else 2)
    found.counts[kind] += 1
    if found.places[2 + kind] < 0:
        found.places[2 + kind] = place


cdef inline void look_near(
    const Value* values, Py_ssize_t start, Py_ssize_t stop, Found* found
) noexcept nogil:
    """Adds at most a block of points. Lanes, so that a compiler without leave to reorder uses vectors."""
    cdef Value low[LANES]
    cdef Value high[LANES]
    cdef Value odd[LANES]  # value - value is 0, or NaN when it is not finite
    cdef Value value
    cdef Py_ssize_t lane, index = start, last = stop - 1
    for lane in range(LANES):
        low[lane] = <Value>INFINITY
        high[lane] = <Value>-INFINITY
        odd[lane] = 0
    while index + LANES <= stop:
        for lane in range(LANES):
            value = values[index + lane]
            low[lane] = value if value < low[lane] else low[lane]
            high[lane] = value if value > high[lane] else high[lane]
            odd[lane] += value - value
        index += LANES
    while index < stop:
        value = values[index]
        low[0] = value if value < low[0] else low[0]
        high[0] = value if value > high[0] else high[0]
        odd[0] += value - value
        index += 1
    for lane in range(1, LANES):
        low[0] = low[lane] if low[lane] < low[0] else low[0]
        high[0] = high[lane] if high[lane] > high[0] else high[0]
        odd[0] += odd[lane]
    if odd[0] != 0:
        look_closely(values, start, stop, found)
        return
    if low[0] < found.low:
        index = start
        while index < last and values[index] != low[0]:
            index += 1
        found.low = low[0]
        found.places[0] = index
    if high[0] > found.high:
        index = start
        while index < last and values[index] != high[0]:
            index += 1
        found.high = high[0]
        found.places[1] = index


cdef inline void look_closely(
    const Value* values, Py_ssize_t start, Py_ssize_t stop, Found* found
) noexcept nogil:
    """As ``look_near``, for points that are not all finite."""
    cdef Value value
    cdef Py_ssize_t index
    for index in range(start, stop):
        value = values[index]
        if value - value == 0:
            if value < found.low:
                found.low = value
                found.places[0] = index
            if value > found.high:
                found.high = value
                found.places[1] = index
        else:
            add_odd(value, index, found)


cdef inline void look(const Value* values, Py_ssize_t start, Py_ssize_t stop, Found* found) noexcept nogil:
    """Adds the points start..stop to what was found before them."""
    while start + SIZE < stop:
        look_near(values, start, start + SIZE, found)
        start += SIZE
    look_near(values, start, stop, found)


cdef inline void look_far(
    const Value* values, const Block* blocks, Py_ssize_t known, Py_ssize_t start, Py_ssize_t stop,
    Found* found,
) noexcept nogil:
    """As ``look``, by the block where one lies inside; ``known`` blocks are summarised."""
    cdef Py_ssize_t number = (start + SIZE - 1) // SIZE, end = min(stop // SIZE, known), kind, base
    cdef const Block* block
    if number >= end:
        look(values, start, stop, found)
        return
    look(values, start, number * SIZE, found)
    while number < end:
        block = &blocks[number]
        base = number * SIZE
        if block.low < found.low:
            found.low = block.low
            found.places[0] = base + block.places[0]
        if block.high > found.high:
            found.high = block.high
            found.places[1] = base + block.places[1]
        for kind in range(3):
            if block.counts[kind]:
                found.counts[kind] += block.counts[kind]
                if found.places[2 + kind] < 0:
                    found.places[2 + kind] = base + block.places[2 + kind]
        number += 1
    look(values, end * SIZE, stop, found)


cdef inline void summarise_blocks(const Value* values, Block* blocks, Py_ssize_t count) noexcept nogil:
    cdef Py_ssize_t number, kind
    cdef Found found
    for number in range(count):
        begin_with_none(&found)
        look(values + number * SIZE, 0, SIZE, &found)
        blocks[number].low = found.low
        blocks[number].high = found.high
        for kind in range(5):
            blocks[number].places[kind] = 0 if found.places[kind] < 0 else found.places[kind]
        for kind in range(3):
            blocks[number].counts[kind] = found.counts[kind]


cdef inline Py_ssize_t keep(
    Py_ssize_t start, Py_ssize_t stop, const Found* found, int64_t* kept
) noexcept nogil:
    """Writes the indices that stay of one column, ascending and each once; returns how many."""
    cdef Py_ssize_t count = 1, kind, place, at, later
    kept[0] = start
    for kind in range(6):
        place = found.places[kind] if kind < 5 else stop - 1
        if place < 0:
            continue
        at = count
        while kept[at - 1] > place:  # never passes the first: nothing is before start
            at -= 1
        if kept[at - 1] == place:
            continue
        for later in range(count, at, -1):
            kept[later] = kept[later - 1]
        kept[at] = place
        count += 1
    return count
