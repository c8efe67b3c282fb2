# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The compiled scanner: the records of a file as columns, without an object per record, without the GIL.

Records become rows in memory that is reused, and a counting sort makes columns of them. Malformed and rare
records are read one by one by ``insight_core.formats.event``, which has the texts of all errors.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc

import os

import numpy as np

from insight_core.formats.dialects import Dialect
from insight_core.formats.batch import (
    BAD_DATA, BAD_HEADER, CUT_MEANWHILE, Batch, Flaw, header_cut_off, malformed_event, record_cut_off,
)
from insight_core.formats.columns import Block, Columns
from insight_core.ingest.scanner.columns import NumberTags, form_of, split_by_form
from insight_core.ingest.scanner.holes import MOST_RETRIED, has_header
from insight_record.formats.framing import LONGEST_EVENT, LONGEST_READ
from insight_core.ingest.scanner.pages import Pages, is_whole as is_whole_in_file
from insight_core.formats.event import (
    EVENT_FIELDS, METADATA_FIELD, SESSION_FIELD, VALUE_FIELDS, Malformed, dialect_of, read_metadata,
    read_event as read_event_slowly,
)

from insight_core.ingest.scanner._alike cimport forget_bodies, release_bodies
from insight_core.ingest.scanner._columns cimport (
    MIXED, Lengths, Part, Sorted, add_part, count_rows, is_located, join_rows, sort_rows,
)
from insight_core.ingest.scanner._events cimport Layout, begin_batch, begin_event, ends_batch, settle_event
from insight_core.ingest.scanner._fields cimport PAGE
from insight_core.ingest.scanner._rows cimport (
    DOUBLE, FIELDS, PAYLOAD, SINGLE, TENSOR, Names, Rows, add_metadata, add_note, add_row, bits_of, release_names,
    release_rows, tag_number,
)
from insight_core.ingest.scanner._walk cimport (
    AT_VERSION, ENDS_AFTER_BAD_HEADER, ENDS_CUT, ENDS_IN_HEADER, ENDS_IN_RECORD, FRAME,
    HAS_UNKNOWN_METADATA, HEADER, IS_BROKEN, IS_ODD, LACKS_MEMORY, PIECE, SKIPS, Memory, Outcome, Walk,
    advance, is_whole,
)

cdef extern from "insight_record/formats/crc32c.h":
    const char *crc32c_select(int portable) nogil

crc32c_select(False)

cdef enum:
    MOST_IDLE = 4
    MOST_METADATA = 1 << 16  # of one file

# Numbers of the kinds of values: those of _rows.pxd, which have code, then the others.
_SPECIAL = ("", "version", "summary", "tagged_run_metadata", "simple_value", "scalar_value", "tensor", "metadata")
_TABLES = (*VALUE_FIELDS.values(), *EVENT_FIELDS.values())
_FIELDS = (
    *_SPECIAL, *sorted({name for table in _TABLES for name in table.values()}.difference(_SPECIAL)), "nameless",
)
cdef int32_t _NAMELESS = len(_FIELDS) - 1  # its tags have the number of the field before them, and a zero byte
if len(_FIELDS) > FIELDS or max(map(max, _TABLES)) >= FIELDS:
    raise ImportError("insight_core.ingest.scanner._kernel was compiled from other sources: build it again")

cdef Layout _layouts[2]  # of Dialect.TENSORBOARD and the other one
for _dialect in Dialect:
    _index = int(_dialect is not Dialect.TENSORBOARD)
    for _number in range(FIELDS):
        _layouts[_index].event_fields[_number] = _FIELDS.index(EVENT_FIELDS[_dialect].get(_number, ""))
        _layouts[_index].value_fields[_number] = _FIELDS.index(VALUE_FIELDS[_dialect].get(_number, ""))
    _layouts[_index].metadata_field = -1 if _index else METADATA_FIELD
    _layouts[_index].session_field = 0 if _index else SESSION_FIELD
    _layouts[_index].has_nameless = _index
    _layouts[_index].numbers_are_tensors = not _index


cdef Layout layout_of(bint mindspore):
    return _layouts[mindspore]


cdef uint64_t _seed = int.from_bytes(os.urandom(8), "little") | 1


cdef void *address(array) except NULL:
    """Of the first byte of an array, which must outlive its use. No numpy header is needed to build this."""
    cdef Py_buffer view
    PyObject_GetBuffer(array, &view, PyBUF_SIMPLE | PyBUF_WRITABLE)
    cdef void *first = view.buf
    PyBuffer_Release(&view)
    return first


cdef class _Memory:
    cdef Memory data

    def __cinit__(self):
        self.data.page = <uint8_t *>malloc(PAGE)
        if self.data.page == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.data.buffer)
        free(self.data.page)
        release_rows(&self.data.rows)
        release_bodies(&self.data.bodies)


_idle = []  # _Memory that no scan uses


cdef class CompiledScanner:
    """The ``Scanner`` of every host. tests/oracles/pure_scanner.py defines what it returns."""

    cdef readonly object dialect
    cdef Walk walk
    cdef Names names
    cdef list tags  # texts of the first ones, made when they are needed
    cdef list metadata  # by number in names.metadata
    cdef object numbers

    def __cinit__(self, dialect, int64_t chunk, number_plugins=frozenset()):
        self.dialect = dialect
        self.tags = []
        self.metadata = []
        self.numbers = NumberTags(number_plugins)
        self.names.tags.seed = self.names.metadata.seed = _seed
        self.walk.longest_event = LONGEST_EVENT
        self.walk.longest_read = LONGEST_READ
        self.walk.most_retried = MOST_RETRIED
        self.walk.chunk = chunk
        self.walk.reach = min(chunk, <int64_t>PIECE)
        self.walk.unfit = -1

    def __dealloc__(self):
        release_names(&self.names)

    def scan(self, int descriptor, int64_t position, int64_t size, until=None):
        cdef _Memory memory = _idle.pop() if _idle else _Memory()
        cdef Outcome outcome
        cdef list extra = []  # metadata that is not remembered
        batch = Batch(position, self.dialect)
        try:
            self._begin(&memory.data, descriptor, position, size, size if until is None else until)
            while True:
                with nogil:
                    outcome = advance(&self.walk)
                if outcome <= ENDS_CUT:
                    break
                self._attend(outcome, batch, extra)
            batch.end = self.walk.position
            batch.tail = self._tail(outcome)
            batch.dialect = self.dialect
            if self.walk.reader.first_wall_time < INFINITY:
                batch.first_wall_time = self.walk.reader.first_wall_time
            if self.walk.reader.has_session:
                batch.session_step = self.walk.reader.session_step
            self._name_metadata(&memory.data.rows, batch.metadata, extra)
            self.numbers.learn(batch.metadata)
            batch.blocks = self._blocks(&memory.data.rows)
        finally:
            if len(_idle) < MOST_IDLE:
                _idle.append(memory)
        return batch

    cdef _begin(self, Memory *memory, int descriptor, int64_t position, int64_t size, int64_t until):
        cdef Walk *walk = &self.walk
        memory.rows.count = memory.rows.locator_count = memory.rows.note_count = 0
        forget_bodies(&memory.bodies)
        walk.memory = memory
        walk.reader.layout = _layouts[self.dialect is not Dialect.TENSORBOARD]
        walk.reader.names = &self.names
        walk.reader.rows = &memory.rows
        walk.reader.bodies = &memory.bodies
        begin_batch(&walk.reader)
        walk.descriptor = descriptor
        walk.error = 0
        walk.size = size
        walk.until = until
        if position != walk.position:
            self.numbers.is_complete = False
        if position != walk.position or (walk.searched > position and has_header(descriptor, position)):
            walk.searched = 0
            walk.unfit = -1
        walk.position = walk.start = position
        walk.held = walk.spent = 0
        walk.knows_dialect = False
        walk.good_length = <uint64_t>-1

    cdef _tail(self, Outcome outcome):
        cdef int64_t end = self.walk.position
        if outcome == ENDS_IN_HEADER:
            return header_cut_off(end, self.walk.size)
        if outcome == ENDS_IN_RECORD:
            return record_cut_off(end, self.walk.size, self.walk.length + FRAME)
        if outcome == ENDS_AFTER_BAD_HEADER:
            return Flaw(end, BAD_HEADER, self.walk.size - end)
        return Flaw(end, CUT_MEANWHILE) if outcome == ENDS_CUT else None

    # --- records that need Python -------------------------------------------------------------------

    cdef _attend(self, Outcome outcome, batch, list extra):
        cdef Walk *walk = &self.walk
        if outcome == AT_VERSION:
            self._read_version()
        elif outcome == SKIPS:
            batch.flaws.append(Flaw(walk.position, BAD_HEADER, walk.found - walk.position))
            walk.position = walk.found
            walk.searched = 0
            walk.unfit = -1
        elif outcome == IS_BROKEN:
            self._skip(batch, BAD_DATA)
        elif outcome == IS_ODD:
            self._read_odd(batch, extra)
        elif outcome == HAS_UNKNOWN_METADATA:
            if not self._learn(walk.reader.metadata[: walk.reader.metadata_size]):
                self._read_odd(batch, extra)
        elif outcome == LACKS_MEMORY:
            raise MemoryError
        else:
            raise OSError(walk.error, os.strerror(walk.error)) if walk.error else OSError(CUT_MEANWHILE)

    cdef _skip(self, batch, reason):
        batch.flaws.append(Flaw(self.walk.position, reason, self.walk.length + FRAME))
        self.walk.position += self.walk.length + FRAME

    cdef const uint8_t *_event(self):
        return self.walk.memory.buffer + (self.walk.position + HEADER - self.walk.start)

    cdef _read_version(self):
        cdef const uint8_t *event = self._event()
        self.walk.knows_dialect = True
        dialect = dialect_of(event[: self.walk.length]) if is_whole(event, self.walk.length) else None
        if dialect is not None:
            self.dialect = dialect
            self.walk.reader.layout = _layouts[dialect is not Dialect.TENSORBOARD]

    cdef bint _learn(self, bytes data) except -1:
        """Remembers metadata, unless it is malformed, too long or one of too many."""
        if len(data) > LONGEST_METADATA or len(self.metadata) == MOST_METADATA:
            return False
        try:
            metadata = read_metadata(data)
        except Malformed:
            return False
        if not add_metadata(&self.names, <const uint8_t *>data, len(data), bool(metadata.plugin)):
            raise MemoryError
        self.metadata.append(metadata)
        return True

    cdef _read_odd(self, batch, list extra):
        """Reads the record by ``wire``, and goes on."""
        cdef Walk *walk = &self.walk
        cdef bint is_long = walk.length > walk.longest_read
        cdef int64_t start = walk.position + HEADER
        view = Pages(walk.descriptor, start, walk.length) if is_long else self._event()[: walk.length]
        try:
            event = read_event_slowly(view, self.dialect)
        except Malformed as error:
            sound = not is_long or is_whole_in_file(walk.descriptor, start, walk.length)
            self._skip(batch, malformed_event(error) if sound else BAD_DATA)
            return
        if is_long and (event.starts_session or any(map(form_of, event.values))):
            if not is_whole_in_file(walk.descriptor, start, walk.length):
                self._skip(batch, BAD_DATA)
                return
        begin_event(&walk.reader)
        walk.reader.starts_session = event.starts_session
        if ends_batch(&walk.reader):
            walk.until = walk.position
            return
        walk.reader.wall_time = event.wall_time
        walk.reader.step = event.step
        for value in event.values:
            self._add(value, start, extra)
        settle_event(&walk.reader)
        walk.position += walk.length + FRAME

    cdef _add(self, value, int64_t start, list extra):
        cdef bint is_nameless = value.field.isdigit()
        cdef bytes text = value.field.encode() + b"\0" + value.tag if is_nameless else value.tag
        cdef int32_t field = _NAMELESS if is_nameless else _FIELDS.index(value.field)
        cdef int32_t tag = tag_number(&self.names, <const uint8_t *>text, len(text))
        cdef int64_t payload = start + <int64_t>value.start
        cdef int64_t size = value.size
        cdef int form = form_of(value)
        cdef uint64_t bits = bits_of(value.number_value, form) if form == SINGLE or form == DOUBLE else 0
        cdef Rows *rows = self.walk.reader.rows
        if tag < 0:
            raise MemoryError
        if field and not add_row(rows, &self.names, tag, field, form, bits, start - HEADER, payload, size):
            raise MemoryError
        if value.metadata is not None and value.metadata.plugin:
            extra.append(value.metadata)
            if not add_note(rows, tag, -len(extra)):
                raise MemoryError

    # --- rows to blocks -----------------------------------------------------------------------------

    cdef str _tag(self, int32_t tag):
        for index in range(len(self.tags), tag + 1):
            entry = self.names.tags.entries[<int32_t>index]
            text = self.names.tags.arena[entry.place : entry.place + entry.length]
            self.tags.append(text.decode("utf-8", "backslashreplace"))
        return self.tags[tag]

    cdef _name_metadata(self, const Rows *rows, dict found, list extra):
        cdef int64_t index
        cdef int32_t number
        for index in range(rows.note_count):
            number = rows.notes[index].metadata
            metadata = self.metadata[number] if number >= 0 else extra[-number - 1]
            tag = self._tag(rows.notes[index].tag)
            found[tag] = found[tag].continued(metadata) if tag in found else metadata

    cdef list _blocks(self, Rows *rows):
        cdef Part *parts
        if not rows.count:
            return []
        parts = <Part *>calloc(self.names.key_count, sizeof(Part))
        if parts == NULL:
            raise MemoryError
        try:
            return self._sorted(rows, parts)
        finally:
            free(parts)

    cdef list _sorted(self, Rows *rows, Part *parts):
        cdef Lengths lengths = Lengths(0, 0, 0, 0)
        cdef int32_t key
        cdef Sorted sorted_rows
        cdef dict groups = {}  # keys of the same field and form
        with nogil:
            count_rows(rows, parts)
            join_rows(rows, parts, &self.names)
        for key in range(self.names.key_count):
            if parts[key].count:
                groups.setdefault(self._kind(key, &parts[key]), []).append(key)
        for kind, keys in groups.items():
            for key in keys:
                add_part(&parts[key], kind < 0 or kind & 1, &lengths)
        whole = (
            np.empty(lengths.total, np.int64),
            np.empty(lengths.total, np.float64),
            np.empty(lengths.singles, np.float32),
            np.empty(lengths.doubles, np.float64),
            np.empty(lengths.doubles, np.uint8),
            np.empty((3, lengths.located), np.int64),
        )
        sorted_rows.steps = <int64_t *>address(whole[0])
        sorted_rows.wall_times = <double *>address(whole[1])
        sorted_rows.singles = <float *>address(whole[2])
        sorted_rows.doubles = <double *>address(whole[3])
        sorted_rows.forms = <uint8_t *>address(whole[4])
        sorted_rows.records = <int64_t *>address(whole[5])
        sorted_rows.starts = sorted_rows.records + lengths.located
        sorted_rows.sizes = sorted_rows.starts + lengths.located
        with nogil:
            sort_rows(rows, parts, &sorted_rows)
        return [block for keys in groups.values() for block in self._cut(parts, whole, keys)]

    cdef int _kind(self, int32_t key, const Part *part) except? -1:
        """The same for keys whose columns lie end to end; odd when they have locators."""
        cdef int field = self.names.keys[key].field
        if part.form == MIXED or field == _NAMELESS:
            return -2 - key  # for itself: it is split
        return (field * 4 + part.form) * 2 + (
            is_located(field)
            and (part.form == PAYLOAD or field != TENSOR or self._tag(self.names.keys[key].tag) not in self.numbers)
        )

    cdef list _cut(self, const Part *parts, tuple whole, list keys):
        """The values of some keys of the same field and form, which lie end to end."""
        cdef const Part *part = &parts[<int32_t>keys[0]]
        cdef const Part *end = &parts[<int32_t>keys[len(keys) - 1]]
        cdef int64_t first = part.first
        cdef int64_t last = end.first + end.count
        cdef int64_t start = part.numbers + first
        cdef int32_t key
        cdef int32_t field = self.names.keys[<int32_t>keys[0]].field
        steps, wall_times, singles, doubles, forms, places = whole
        columns = Columns(steps[first:last], wall_times[first:last])
        if part.form != PAYLOAD:
            columns.values = (singles if part.form == SINGLE else doubles)[start : start + last - first]
        if part.located:
            columns.places = places[:, part.locators + first : part.locators + last]
        name = _FIELDS[field]
        tags = tuple([self._tag(self.names.keys[key].tag) for key in keys])
        if field == _NAMELESS:
            name, _, tag = tags[0].partition("\0")
            tags = (tag,)
        found = Block(
            name, tags,
            np.array([parts[key].first + parts[key].count - first for key in keys]),
            np.array([not parts[key].goes_back for key in keys]),
            columns,
        )
        if part.form == MIXED:
            return split_by_form(found, forms[start : start + last - first], found.tags[0] not in self.numbers)
        return [found]
