# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Takes those events of a Chrome trace as rows that differ from earlier ones by times and identifiers only.

Whatever is unusual (another event, an escape that does not exist, a number that is none) is left to the reader of
events one by one, which also says what the rows of events mean that look like one it has read.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, realloc
from libc.string cimport memchr, memcpy

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.dict cimport PyDict_GetItem
from cpython.ref cimport PyObject

import numpy as np

from insight_profiler.reading._json_spans cimport blank, is_named, microseconds, text_end, value_end, whole

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL

cdef enum:
    MOST_SIGNATURE = 1 << 16  # bytes that tell events apart
    MOST_KNOWN = 1 << 15  # names, and as many signatures: a trace repeats few, or all of its events differ
    ENOUGH = 1 << 15  # events after which it shows whether most are known
    SEQUENCE = 4  # the mark of a number that differs from event to event

# what of an event tells it from others of its name; as trace_kind_table numbers them, and more
cdef enum:
    NOTHING = 0
    OPERATOR = 1
    RUNTIME = 2
    WORK = 3
    MEASURED = 4  # operators whose operations and bytes are counted
    ARROW = 5
    IGNORED = 6
    ONE_BY_ONE = 7

cdef struct Row:
    int64_t start, duration, external, correlation, begin, end, number
    int32_t entry, order
    uint8_t is_arrow, begins

cdef struct Span:
    const char* at
    Py_ssize_t size

cdef struct Event:
    char phase
    int64_t start, duration, number
    Span name, category, process, thread, arguments

ROW = np.dtype(
    [(name, np.int64) for name in ("start", "duration", "external", "correlation", "begin", "end", "number")]
    + [("entry", np.int32), ("order", np.int32), ("is_arrow", np.uint8), ("begins", np.uint8)],
    align=True,
)
assert ROW.itemsize == sizeof(Row)


cdef const char* read_event(const char* at, const char* end, Event* event) noexcept nogil:
    """From the brace that opens an event."""
    cdef const char* key
    cdef const char* value
    cdef Py_ssize_t size
    cdef Span* span
    event.phase = 0
    event.start = event.number = -1
    event.duration = 0
    event.name.size = event.category.size = event.process.size = event.thread.size = event.arguments.size = 0
    at = blank(at + 1, end)
    while at < end:
        if at[0] != c'"':
            return NULL
        key = at + 1
        at = text_end(at, end)
        if at == NULL:
            return NULL
        size = at - key - 1
        if memchr(key, c'\\', size) != NULL:
            return NULL
        at = blank(at, end)
        if at >= end or at[0] != c':':
            return NULL
        value = blank(at + 1, end)
        if value >= end:
            return NULL
        span = NULL
        if is_named(key, size, b"ph", 2):
            if value + 3 > end or value[0] != c'"' or value[2] != c'"' or value[1] == c'\\':
                return NULL
            event.phase = value[1]
            at = value + 3
        elif is_named(key, size, b"ts", 2):
            at = microseconds(value, end, &event.start)
        elif is_named(key, size, b"dur", 3):
            at = microseconds(value, end, &event.duration)
        elif is_named(key, size, b"id", 2):
            at = value_end(value, end, 0)
            if whole(value, end, &event.number) == NULL:
                event.number = -1
        elif is_named(key, size, b"name", 4) or is_named(key, size, b"cat", 3):
            if value[0] != c'"':
                return NULL
            span = &event.name if size == 4 else &event.category
        elif is_named(key, size, b"pid", 3) or is_named(key, size, b"tid", 3):
            if value[0] == c'{' or value[0] == c'[':
                return NULL
            span = &event.process if key[0] == c'p' else &event.thread
        elif is_named(key, size, b"args", 4):
            if value[0] != c'{':
                return NULL
            span = &event.arguments
        else:
            at = value_end(value, end, 0)
        if span != NULL:
            at = value_end(value, end, 0)
            if at != NULL:
                span.at, span.size = value, at - value
        if at == NULL:
            return NULL
        at = blank(at, end)
        if at >= end:
            return NULL
        if at[0] == c'}':
            return at + 1
        if at[0] != c',':
            return NULL
        at = blank(at + 1, end)
    return NULL


# --- events -------------------------------------------------------------------------------------------

cdef class KnownEvents:
    """Events that look like one that was read before, as rows.

    ``wanted``: by what the event is known where ``take`` stopped, once ``learn`` says what it is; None if it
    cannot be.
    """

    cdef dict names  # name, category, process and thread -> entry or group, and what tells it from others
    cdef dict signatures  # group and arguments -> entry
    cdef Row* rows
    cdef Py_ssize_t count, size
    cdef int64_t taken  # events of the window, also those without a row
    cdef int64_t looked_at, known  # events of all windows
    cdef char* signature
    cdef Py_ssize_t length
    cdef readonly bytes wanted
    cdef readonly int wanted_group

    def __cinit__(self):
        self.names, self.signatures = {}, {}
        self.signature = <char*>realloc(NULL, MOST_SIGNATURE)
        if self.signature == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.rows)
        free(self.signature)

    @property
    def is_empty(self):
        """Whether none was taken since the last window."""
        return self.taken == 0

    def window(self):
        """The rows since the last window."""
        found = np.frombuffer(PyBytes_FromStringAndSize(<char*>self.rows, self.count * sizeof(Row)), ROW)
        self.count = self.taken = 0
        return found

    def order(self, int64_t others):
        """The place in the window of the next event, after so many that were not taken."""
        return self.taken + others

    def learn(self, bytes wanted, int group, int look, int entry):
        """What events are that were ``wanted`` by these bytes: a row of the table of entries, or a group of
        events that their arguments tell apart (``OPERATOR``, ``WORK``, ``MEASURED``)."""
        if group >= 0:
            self.signatures[(group, wanted)] = entry
        else:
            self.names[wanted] = entry << 3 | look

    def take(self, str text, Py_ssize_t at, int64_t base, int64_t others):
        """Takes events from a place of a text of ASCII; returns where the first begins that
        is not taken, or the space before it. ``base``: where in the trace the text begins; ``others``: events of the
        window that were not taken."""
        cdef const char* begin
        cdef const char* end
        cdef const char* here
        cdef const char* next
        cdef Event event
        cdef Py_ssize_t size
        self.wanted = None
        # of a trace whose events all differ, looking twice at each takes time
        if not text.isascii() or (self.looked_at > ENOUGH and self.known < self.looked_at // 4):
            return at
        begin = PyUnicode_AsUTF8AndSize(text, &size)  # of ASCII: the text itself, without a copy
        end = begin + size
        here = begin + at
        while True:
            next = blank(here, end)
            while next < end and next[0] == c',':
                next = blank(next + 1, end)
            if next >= end or next[0] != c'{':
                break
            at = next - begin
            self.looked_at += 1
            next = read_event(next, end, &event)
            if next == NULL or not self._take(&event, base + at, base + (next - begin), others):
                break
            self.known += 1
            here = next
        return here - begin

    cdef bint _take(self, Event* event, int64_t begin, int64_t end, int64_t others) except -1:
        cdef PyObject* found
        cdef int64_t external = -1, correlation = -1
        cdef int code, look, entry
        cdef Row* row
        if event.start < 0:
            return False
        if event.phase == c'X':
            self.length = 1
            self.signature[0] = c'X'
        elif event.phase == c's' or event.phase == c't' or event.phase == c'f':
            if event.number < 0:
                return False
            self.length = 1
            self.signature[0] = c's'
        else:
            return False
        if not (self._sign(event.name) and self._sign(event.category) and self._sign(event.process)
                and self._sign(event.thread)):
            return False
        key = PyBytes_FromStringAndSize(self.signature, self.length)
        found = PyDict_GetItem(self.names, key)
        if found == NULL:
            if len(self.names) < MOST_KNOWN:
                self.wanted, self.wanted_group = key, -1
            return False
        code = <object>found
        look, entry = code & 7, code >> 3
        if look == ONE_BY_ONE:
            return False
        if look == IGNORED:
            self.taken += 1
            return True
        if look == RUNTIME or look == OPERATOR or look == WORK or look == MEASURED:
            self.length = 0
            if event.arguments.size and not self._read_arguments(event.arguments, look, &external, &correlation):
                return False
            if look != RUNTIME:
                group, key = entry, PyBytes_FromStringAndSize(self.signature, self.length)
                found = PyDict_GetItem(self.signatures, (group, key))
                if found == NULL:
                    if len(self.signatures) < MOST_KNOWN:
                        self.wanted, self.wanted_group = key, group
                    return False
                entry = <object>found
                if entry < 0:
                    return False
        if self.count == self.size:
            self._grow()
        row = self.rows + self.count
        row.start, row.duration, row.external, row.correlation = event.start, event.duration, external, correlation
        row.begin, row.end, row.number, row.entry = begin, end, event.number, entry
        row.order = self.taken + others
        row.is_arrow, row.begins = look == ARROW, event.phase == c's'
        self.count += 1
        self.taken += 1
        return True

    cdef int _grow(self) except -1:
        cdef Py_ssize_t size = 2 * self.size if self.size else 1024
        cdef Row* rows = <Row*>realloc(self.rows, size * sizeof(Row))
        if rows == NULL:
            raise MemoryError
        self.rows, self.size = rows, size
        return 0

    cdef bint _sign(self, Span span) noexcept:
        """Adds a value to the signature, and a byte that no value has."""
        if self.length + span.size + 1 > MOST_SIGNATURE:
            return False
        if span.size:
            if memchr(span.at, 0, span.size) != NULL:
                return False
            memcpy(self.signature + self.length, span.at, span.size)
        self.length += span.size + 1
        self.signature[self.length - 1] = 0
        return True

    cdef bint _read_arguments(self, Span arguments, int look, int64_t* external, int64_t* correlation) noexcept:
        """Identifiers, and the signature of what else is looked at."""
        cdef const char* at = arguments.at
        cdef const char* end = at + arguments.size
        cdef const char* key
        cdef Py_ssize_t size
        cdef Span value
        cdef int64_t lower = -1
        cdef uint8_t mark
        at = blank(at + 1, end)
        while at < end and at[0] != c'}':
            key = at + 1
            at = text_end(at, end)
            if at == NULL:
                return False
            size = at - key - 1
            if memchr(key, c'\\', size) != NULL:
                return False
            at = blank(blank(at, end) + 1, end)
            value.at = at
            at = value_end(at, end, 0)
            if at == NULL:
                return False
            value.size = at - value.at
            mark = 0
            if is_named(key, size, b"External id", 11):
                if whole(value.at, end, external) != at:
                    return False
            elif is_named(key, size, b"external id", 11):
                if whole(value.at, end, &lower) != at:
                    return False
            elif look == RUNTIME or look == WORK:
                if is_named(key, size, b"correlation", 11):
                    if whole(value.at, end, correlation) != at:
                        return False
                elif look == WORK:
                    if is_named(key, size, b"Collective name", 15):
                        return False
                    mark = work_mark(key, size)
            else:
                mark = operator_mark(key, size, look == MEASURED)
                if mark == SEQUENCE:  # of which only counts that it is there
                    if value.at[0] == c'n':
                        return False
                    value.size = 0
            if mark:
                if self.length + 1 >= MOST_SIGNATURE:
                    return False
                self.signature[self.length] = mark
                self.length += 1
                if not self._sign(value):
                    return False
            at = blank(at, end)
            if at < end and at[0] == c',':
                at = blank(at + 1, end)
        if external[0] < 0:
            external[0] = lower
        return True


cdef inline uint8_t work_mark(const char* key, Py_ssize_t size) noexcept nogil:
    """Of arguments of kernels that say how they were launched."""
    if is_named(key, size, b"device", 6):
        return 1
    if is_named(key, size, b"stream", 6):
        return 2
    if is_named(key, size, b"grid", 4):
        return 3
    if is_named(key, size, b"block", 5):
        return 4
    if is_named(key, size, b"registers per thread", 20):
        return 5
    if is_named(key, size, b"shared memory", 13):
        return 6
    if is_named(key, size, b"est. achieved occupancy %", 25):
        return 7
    return 0


cdef inline uint8_t operator_mark(const char* key, Py_ssize_t size, bint is_measured) noexcept nogil:
    """Of arguments of operators that say what they compute."""
    if is_named(key, size, b"Input Dims", 10):
        return 1
    if is_named(key, size, b"Input dims", 10):
        return 2
    if is_named(key, size, b"Fwd thread id", 13):
        return 3
    if is_named(key, size, b"Sequence number", 15):
        return SEQUENCE
    if is_measured and is_named(key, size, b"Input type", 10):
        return 5
    if is_measured and is_named(key, size, b"Concrete Inputs", 15):
        return 6
    if is_measured and is_named(key, size, b"Input Strides", 13):
        return 7
    return 0
