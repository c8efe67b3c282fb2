"""Rows to columns: a counting sort by key."""

from libc.stdint cimport INT64_MIN, int32_t, int64_t, uint8_t
from libc.string cimport memcpy

from insight_core.ingest.scanner._rows cimport (
    DOUBLE, PAYLOAD, SCALAR_VALUE, SIMPLE_VALUE, SINGLE, TENSOR, Key, Locator, Names, Row, Rows,
)


cdef enum:
    MIXED = 3  # the form of a key whose values have several
    ALONE = 3  # of a row among these: a simple_value, which is SINGLE without locator


cdef struct Part:  # of the sorted rows: those of one key
    int64_t count
    int64_t first
    int64_t next  # place of its next row while they are sorted
    int64_t numbers  # first place among the numbers of its form, less ``first``
    int64_t locators  # the same among the locators
    int64_t step  # of its last row so far
    int form
    bint goes_back  # whether a step is smaller than the one before it
    bint located


cdef struct Lengths:  # of the columns of all parts so far
    int64_t total
    int64_t singles
    int64_t doubles
    int64_t located


cdef struct Sorted:  # whole columns of all keys
    int64_t *steps
    double *wall_times
    float *singles
    double *doubles  # also of mixed keys, with their forms
    uint8_t *forms
    int64_t *records
    int64_t *starts
    int64_t *sizes


cdef inline void count_rows(const Rows *rows, Part *parts) noexcept nogil:
    cdef int64_t index
    cdef int form
    cdef Part *part
    for index in range(rows.count):
        part = &parts[rows.rows[index].key_and_form >> 2]
        form = rows.rows[index].key_and_form & 3
        if not part.count:
            part.form = form
        elif part.form != form:
            part.form = MIXED
        part.count += 1


cdef inline void join_rows(Rows *rows, Part *parts, const Names *names) noexcept nogil:
    """Gives a tag's simple_values to the key of its tensors, if some of these are numbers too."""
    cdef int32_t key, simple
    cdef int64_t index
    cdef bint found = False
    for key in range(names.key_count):
        simple = names.tag_table[names.keys[key].tag].keys[SIMPLE_VALUE]
        if names.keys[key].field == TENSOR and parts[key].form != PAYLOAD and simple >= 0 and parts[simple].count:
            parts[key].count += parts[simple].count
            parts[key].form = MIXED
            parts[simple].count = 0
            found = True
    if not found:
        return
    for index in range(rows.count):
        key = rows.rows[index].key_and_form >> 2
        if names.keys[key].field == SIMPLE_VALUE and not parts[key].count:
            key = names.tag_table[names.keys[key].tag].keys[TENSOR]
            rows.rows[index].key_and_form = key * 4 + ALONE


cdef inline bint is_located(int field) noexcept nogil:
    return field != SIMPLE_VALUE and field != SCALAR_VALUE


cdef inline void add_part(Part *part, bint located, Lengths *lengths) noexcept nogil:
    """Gives a part its place behind the others."""
    part.located = located
    part.first = part.next = lengths.total
    part.step = INT64_MIN
    part.numbers = (lengths.singles if part.form == SINGLE else lengths.doubles) - lengths.total
    part.locators = lengths.located - lengths.total
    lengths.total += part.count
    if part.form == SINGLE:
        lengths.singles += part.count
    elif part.form != PAYLOAD:
        lengths.doubles += part.count
    if located:
        lengths.located += part.count


cdef inline void sort_rows(const Rows *rows, Part *parts, Sorted *columns) noexcept nogil:
    cdef int64_t index, place
    cdef int form
    cdef float single
    cdef Part *part
    cdef const Row *row
    cdef const Locator *locator
    for index in range(rows.count):
        row = &rows.rows[index]
        part = &parts[row.key_and_form >> 2]
        form = row.key_and_form & 3
        place = part.next
        part.next += 1
        part.goes_back |= row.step < part.step
        part.step = row.step
        columns.steps[place] = row.step
        columns.wall_times[place] = row.wall_time
        if part.form == SINGLE:
            memcpy(&columns.singles[part.numbers + place], &row.bits, 4)
        elif part.form == DOUBLE:
            memcpy(&columns.doubles[part.numbers + place], &row.bits, 8)
        elif part.form == MIXED:
            columns.forms[part.numbers + place] = <uint8_t>form
            if form == SINGLE or form == ALONE:
                memcpy(&single, &row.bits, 4)
                columns.doubles[part.numbers + place] = single
            else:
                memcpy(&columns.doubles[part.numbers + place], &row.bits, 8)
        if part.located and row.locator >= 0:
            locator = &rows.locators[row.locator]
            columns.records[part.locators + place] = locator.record
            columns.starts[part.locators + place] = locator.start
            columns.sizes[part.locators + place] = locator.size
