"""Rows to columns: a counting sort by key."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy

from insight_core.records._rows cimport DOUBLE, PAYLOAD, SINGLE, Locator, Row, Rows


cdef enum:
    MIXED = 3  # the form of a key whose values have several


cdef struct Part:  # of the sorted rows: those of one key
    int64_t count
    int64_t first
    int64_t next  # place of its next row while they are sorted
    int64_t numbers  # first place among the numbers of its form, less ``first``
    int64_t locators  # the same among the locators
    int form


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
        columns.steps[place] = row.step
        columns.wall_times[place] = row.wall_time
        if part.form == SINGLE:
            memcpy(&columns.singles[part.numbers + place], &row.bits, 4)
        elif part.form == DOUBLE:
            memcpy(&columns.doubles[part.numbers + place], &row.bits, 8)
        elif part.form == MIXED:
            columns.forms[part.numbers + place] = <uint8_t>form
            if form == SINGLE:
                memcpy(&single, &row.bits, 4)
                columns.doubles[part.numbers + place] = single
            else:
                memcpy(&columns.doubles[part.numbers + place], &row.bits, 8)
        if row.locator >= 0:
            locator = &rows.locators[row.locator]
            columns.records[part.locators + place] = locator.record
            columns.starts[part.locators + place] = locator.start
            columns.sizes[part.locators + place] = locator.size
