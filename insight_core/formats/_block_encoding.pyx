# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""What ``insight_core.formats.block_encoding`` says."""

from cpython.buffer cimport PyBUF_ANY_CONTIGUOUS, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.string cimport memcpy, memset

import numpy as np

from insight_core.formats.stored_block import CHUNKS, SERIES

cdef extern from "insight_record/formats/crc32c.h":
    uint32_t crc32c_extend(uint32_t state, const uint8_t *data, size_t size) noexcept nogil
    const char *crc32c_select(int portable) nogil

crc32c_select(False)

cdef enum:
    CHUNK = 65536  # bytes of points of short series that are read and verified together
    MOST_KINDS = 8  # blocks of a file that is alike to others
    MOST_HELD = 262144  # bytes of which the checksum is taken without letting other threads run

chunk_bytes = CHUNK

cdef struct Series:  # a row of ``SERIES``
    int64_t end
    int64_t total
    int64_t stretch
    int64_t ascending
    int64_t first_step
    int64_t last_step
    double last_wall_time
    double last_value

cdef struct Chunk:  # a row of ``CHUNKS``
    int64_t end
    int64_t stop
    int64_t checksum

if SERIES.itemsize != sizeof(Series) or CHUNKS.itemsize != sizeof(Chunk):
    raise ImportError("insight_core.formats._block_encoding was compiled from other sources: build it again")


cdef const void *_address(object array, Py_ssize_t size, Py_ssize_t count) except? NULL:
    """Where ``count`` elements of ``size`` bytes begin; they stay there as long as the array lives."""
    cdef Py_buffer view
    PyObject_GetBuffer(array, &view, PyBUF_ANY_CONTIGUOUS)
    cdef const void *begin = view.buf
    cdef bint fits = view.itemsize == size and view.len == size * count
    PyBuffer_Release(&view)
    if not fits:
        raise ValueError("the columns of a block are not equally long")
    return begin


cdef object _side_by_side(object array):
    """The array, or a copy whose elements lie side by side."""
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


cdef inline int64_t _clipped(int64_t index, int64_t count) noexcept:
    return max(<int64_t>0, min(index, count - 1))


cdef uint32_t _checksum(uint32_t state, const uint8_t *data, size_t size):
    if size <= MOST_HELD:
        return crc32c_extend(state, data, size)
    with nogil:
        state = crc32c_extend(state, data, size)
    return state


cdef class _Writer:
    """Collects what is written of some blocks of one form."""

    cdef list parts  # of the chunk that is being filled: columns in the order of the file
    cdef list chunks  # (end, parts)
    cdef int64_t points  # of the chunk
    cdef int64_t all_points
    cdef int64_t series
    cdef int64_t most  # points of a chunk of short series
    cdef bint single
    cdef bint rests

    def __cinit__(self, Py_ssize_t size, bint single):
        self.parts, self.chunks = [], []
        self.most, self.single, self.rests = CHUNK // size, single, True

    cdef int64_t add(self, block, Series *rows) except -1:
        """Fills the rows of the series of a block; returns how many."""
        cdef tuple tags = block.tags
        cdef int64_t count = len(tags), place, end = 0, start, first, last, total
        if not count:
            return 0
        columns = block.columns
        ends_array, ascending_array = _side_by_side(block.ends), _side_by_side(block.ascending)
        cdef const int64_t *ends = <const int64_t *>_address(ends_array, 8, count)
        cdef const uint8_t *ascending = <const uint8_t *>_address(ascending_array, 1, count)
        cdef int64_t points = ends[count - 1]
        arrays = [_side_by_side(columns.steps), _side_by_side(columns.wall_times)]
        cdef const int64_t *steps = <const int64_t *>_address(arrays[0], 8, points)
        cdef const double *wall_times = <const double *>_address(arrays[1], 8, points)
        cdef const void *values = NULL
        cdef const int64_t *totals = NULL
        cdef const int64_t *stretches = NULL
        if columns.places is not None:
            for each in columns.places:
                arrays.append(_side_by_side(each))
                _address(arrays[len(arrays) - 1], 8, points)
        if columns.values is not None:
            arrays.append(_side_by_side(columns.values))
            values = _address(arrays[len(arrays) - 1], 4 if self.single else 8, points)
        if block.totals is not None:
            totals_array = _side_by_side(block.totals)
            totals = <const int64_t *>_address(totals_array, 8, count)
        if block.stretches is not None:
            stretches_array = _side_by_side(block.stretches)
            stretches = <const int64_t *>_address(stretches_array, 8, count)
        for place in range(count):
            start, end = end, ends[place]
            if not start <= end <= points:
                raise ValueError("the ends of the series of a block do not ascend")
            total = totals[place] if totals != NULL else end - start
            rows[place].end = self.all_points + end
            rows[place].total = total
            rows[place].ascending = ascending[place]
            if stretches != NULL:
                rows[place].stretch = stretches[place]
            self.rests &= ascending[place] and not rows[place].stretch and total == end - start
            if points:  # a series without points gets facts of a neighbour, which are not used
                first, last = _clipped(start, points), _clipped(end - 1, points)
                rows[place].first_step, rows[place].last_step = steps[first], steps[last]
                rows[place].last_wall_time = wall_times[last]
                if values != NULL and self.single:
                    rows[place].last_value = (<const float *>values)[last]
                elif values != NULL:
                    rows[place].last_value = (<const double *>values)[last]
        self.all_points += points
        self._fill(arrays, ends, count, points)
        return count

    cdef _fill(self, list arrays, const int64_t *ends, int64_t count, int64_t points):
        """Adds the points of a block to chunks: long series have one of their own."""
        cdef int64_t first = 0, start = 0, after, stop
        while first < count:
            after = first + 1
            while after < count and ends[after] <= start + self.most:
                after += 1
            stop = ends[after - 1]
            if self.parts and self.points + stop - start > self.most:
                self.end_chunk()
            whole = start == 0 and stop == points
            self.parts.append(arrays if whole else [each[start:stop] for each in arrays])
            self.points += stop - start
            self.series += after - first
            first, start = after, stop

    cdef end_chunk(self):
        self.chunks.append((self.series, self.parts))
        self.parts, self.points = [], 0


def encode_block(list blocks, Py_ssize_t size, bint single):
    """Tables and columns as pieces, how many chunks they have, their checksum, and whether they rest."""
    cdef _Writer writer = _Writer(size, single)
    cdef Py_ssize_t count = sum([len(block.tags) for block in blocks]), place = 0
    cdef bytes rows = PyBytes_FromStringAndSize(NULL, count * sizeof(Series))
    cdef Series *row = <Series *>PyBytes_AsString(rows)
    memset(row, 0, <size_t>count * sizeof(Series))
    for block in blocks:
        place += writer.add(block, row + place)
    writer.end_chunk()
    cdef bytes chunks = PyBytes_FromStringAndSize(NULL, len(writer.chunks) * sizeof(Chunk))
    cdef Chunk *chunk = <Chunk *>PyBytes_AsString(chunks)
    cdef list pieces = [rows, chunks]
    cdef list parts
    cdef Py_buffer view
    cdef uint32_t state
    cdef int64_t stop = 0
    for end, parts in writer.chunks:
        state = 0xFFFFFFFF
        for column in range(len(parts[0])):
            for part in parts:
                piece = part[column]
                PyObject_GetBuffer(piece, &view, PyBUF_ANY_CONTIGUOUS)
                try:
                    state = _checksum(state, <const uint8_t *>view.buf, <size_t>view.len)
                    stop += view.len
                finally:
                    PyBuffer_Release(&view)
                pieces.append(memoryview(piece))
        chunk.end, chunk.stop, chunk.checksum = end, stop, <uint32_t>~state
        chunk += 1
    state = crc32c_extend(0xFFFFFFFF, <const uint8_t *>row, count * sizeof(Series))
    state = crc32c_extend(state, <const uint8_t *>PyBytes_AsString(chunks), <size_t>len(chunks))
    rests = writer.rests and len({tag for block in blocks for tag in block.tags}) == count
    return pieces, stop + len(rows) + len(chunks), len(writer.chunks), <uint32_t>~state, rests


cdef struct Whole:  # columns that several files share
    const int64_t *steps
    const double *wall_times
    const float *singles
    const double *doubles
    const int64_t *places
    int64_t located  # points with places
    const int64_t *ends

cdef struct Alike:  # a block, as each of the files has it
    int64_t tags
    int64_t size  # bytes of a point
    bint has_places
    bint single
    bint double_

cdef struct Row:  # of ``BLOCK`` in insight_core.ingest.index.format
    int64_t at
    int64_t chunks
    int64_t checksum
    int64_t rests


cdef inline uint8_t *_copied(uint8_t *to, const void *begin, int64_t size) noexcept nogil:
    memcpy(to, begin, <size_t>size)
    return to + size


cdef uint8_t *_encode_alike(const Whole *whole, const Alike *kind, const int64_t *place, uint8_t *to, Row *row) noexcept nogil:
    """Writes the tables and points of one block; returns where they end."""
    cdef Series *series = <Series *>to
    cdef Chunk *chunk = <Chunk *>(to + kind.tags * sizeof(Series))
    cdef uint8_t *begin = to
    cdef uint8_t *columns = <uint8_t *>(chunk + 1)
    cdef int64_t first = place[0], points = place[1] - place[0], start = 0, end, tag, last, column
    cdef const int64_t *ends = whole.ends + place[4]
    cdef uint32_t state
    memset(to, 0, <size_t>(columns - to))
    for tag in range(kind.tags):
        end = ends[tag]
        last = first + end - 1
        series[tag].end = end
        series[tag].total = end - start
        series[tag].ascending = 1
        series[tag].first_step, series[tag].last_step = whole.steps[first + start], whole.steps[last]
        series[tag].last_wall_time = whole.wall_times[last]
        if kind.single:
            series[tag].last_value = whole.singles[place[2] + end - 1]
        elif kind.double_:
            series[tag].last_value = whole.doubles[place[2] + end - 1]
        start = end
    to = _copied(columns, whole.steps + first, 8 * points)
    to = _copied(to, whole.wall_times + first, 8 * points)
    if kind.has_places:
        for column in range(3):
            to = _copied(to, whole.places + column * whole.located + place[3], 8 * points)
    if kind.single:
        to = _copied(to, whole.singles + place[2], 4 * points)
    elif kind.double_:
        to = _copied(to, whole.doubles + place[2], 8 * points)
    state = crc32c_extend(0xFFFFFFFF, columns, <size_t>(to - columns))
    chunk.end, chunk.stop, chunk.checksum = kind.tags, to - columns, <uint32_t>~state
    state = crc32c_extend(0xFFFFFFFF, begin, <size_t>(columns - begin))
    row.chunks, row.checksum, row.rests = 1, <uint32_t>~state, 1
    return to


def encode_alike(columns, list kinds, places, list numbers):
    """See ``insight_core.formats.block_encoding.encode_alike``."""
    cdef Whole whole
    cdef Alike known[MOST_KINDS]
    cdef int64_t count = len(numbers), width = len(kinds), index, kind, size = 0, each
    if width > MOST_KINDS:
        raise ValueError("a file has too many blocks")
    for kind in range(width):
        tags, point, has_places, values = kinds[kind]
        known[kind].tags, known[kind].size, known[kind].has_places = tags, point, has_places
        known[kind].single, known[kind].double_ = values == "f", values == "d"
    whole.located = columns.places.shape[1]
    whole.steps = <const int64_t *>_address(columns.steps, 8, len(columns.steps))
    whole.wall_times = <const double *>_address(columns.wall_times, 8, len(columns.steps))
    whole.singles = <const float *>_address(columns.singles, 4, len(columns.singles))
    whole.doubles = <const double *>_address(columns.doubles, 8, len(columns.doubles))
    whole.places = <const int64_t *>_address(columns.places, 8, 3 * whole.located)
    whole.ends = <const int64_t *>_address(columns.ends, 8, len(columns.ends))
    cdef const int64_t *place = <const int64_t *>_address(places, 8, len(places) * width * 5)
    cdef bytes chosen = np.array(numbers, np.int64).tobytes()
    cdef const int64_t *number = <const int64_t *>PyBytes_AsString(chosen)
    cdef bytes sizes = PyBytes_FromStringAndSize(NULL, 8 * count)
    cdef int64_t *own = <int64_t *>PyBytes_AsString(sizes)
    for index in range(count):
        own[index] = 0
        for kind in range(width):
            each = place[5 * (number[index] * width + kind) + 1] - place[5 * (number[index] * width + kind)]
            own[index] += known[kind].tags * sizeof(Series) + sizeof(Chunk) + each * known[kind].size
        size += own[index]
    cdef bytes rows = PyBytes_FromStringAndSize(NULL, width * count * sizeof(Row))
    cdef Row *row = <Row *>PyBytes_AsString(rows)
    cdef bytes data = PyBytes_FromStringAndSize(NULL, size)
    cdef uint8_t *to = <uint8_t *>PyBytes_AsString(data)
    cdef uint8_t *begin
    with nogil:
        for index in range(count):
            begin = to
            for kind in range(width):
                row.at = to - begin
                to = _encode_alike(&whole, &known[kind], place + 5 * (number[index] * width + kind), to, row)
                row += 1
    return data, sizes, rows
