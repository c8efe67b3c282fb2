# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Takes the ends of spans from JSON lines of structured logs as columns.

Lines that are unusual (without a step, damaged, with escapes in the name) are left to the reader of lines one by one.
"""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memchr, memcmp

from cpython.bytes cimport PyBytes_AsString, PyBytes_Size

import numpy as np

from insight_profiler.reading._json_spans cimport blank, is_digit, is_named, number_end, text_end, value_end

cdef extern from "string.h":
    void* memmem(const void* text, size_t length, const void* part, size_t size) nogil

cdef enum:
    MOST_STEP = 15  # digits: below 2**53
    MOST_TIME = 16
    MOST_VALUE = 18  # digits of a time in milliseconds that count
    MOST_DECIMALS = 22  # powers of ten that a double has exactly

cdef int64_t LARGEST = 1 << 53

cdef struct End:
    int64_t step, time
    double value
    const char* name
    Py_ssize_t size
    bint is_instant

cdef double[23] TENS
cdef int _place
for _place in range(23):
    TENS[_place] = 10.0 ** _place


cdef inline const char* digits(const char* at, const char* end, int most, int64_t* value) noexcept nogil:
    """A whole number without a sign; NULL for one of more digits, or that goes on as another number."""
    cdef const char* begin = at
    value[0] = 0
    while at < end and is_digit(at[0]) and at - begin < most:
        value[0] = value[0] * 10 + (at[0] - c'0')
        at += 1
    if at == begin or at >= end or not (at[0] == c',' or at[0] == c'}' or at[0] == c' '):
        return NULL
    return NULL if begin[0] == c'0' and at - begin > 1 else at


cdef inline const char* decimal(const char* at, const char* end, double* value) noexcept nogil:
    """A number that is not negative and has no exponent."""
    cdef const char* until = number_end(at, end)
    cdef int64_t found = 0
    cdef int count = 0, decimals = 0
    cdef bint is_whole = True
    if until == NULL:
        return NULL
    while at < until:
        if at[0] == c'.':
            is_whole = False
        elif not is_digit(at[0]) or (is_whole and count == MOST_VALUE):
            return NULL
        elif count < MOST_VALUE and decimals < MOST_DECIMALS:
            found = found * 10 + (at[0] - c'0')
            count += found > 0
            decimals += not is_whole
        at += 1
    value[0] = found / TENS[decimals]
    return until


cdef bint read_end(const char* at, const char* end, End* found) noexcept nogil:
    """Whether a line is the end of a span of a step, with all that is asked of it."""
    cdef const char* key
    cdef Py_ssize_t size
    found.step = found.time = -1
    found.value = -1
    found.name = NULL
    found.is_instant = False
    at = blank(at, end)
    if at >= end or at[0] != c'{':
        return False
    while True:
        at = blank(at + 1, end)
        if at >= end or at[0] != c'"':
            return False
        key = at + 1
        at = text_end(at, end)
        if at == NULL:
            return False
        size = at - key - 1
        at = blank(at, end)
        if at >= end or at[0] != c':':
            return False
        at = blank(at + 1, end)
        if is_named(key, size, b"step", 4):
            at = digits(at, end, MOST_STEP, &found.step)
        elif is_named(key, size, b"time_us", 7):
            at = digits(at, end, MOST_TIME, &found.time)
        elif is_named(key, size, b"value", 5):
            at = decimal(at, end, &found.value)
        else:
            if is_named(key, size, b"log_type_name", 13):
                found.name = at + 1
                if at >= end or at[0] != c'"':
                    return False
            elif is_named(key, size, b"log_type", 8):
                found.is_instant = end - at > 9 and memcmp(at, b'"instant"', 9) == 0
            elif memchr(key, c'\\', size) != NULL:
                return False
            at = value_end(at, end, 0)
            if found.name != NULL and is_named(key, size, b"log_type_name", 13) and at != NULL:
                found.size = at - found.name - 1
        if at == NULL:
            return False
        at = blank(at, end)
        if at >= end:
            return False
        if at[0] == c'}':
            break
        if at[0] != c',':
            return False
    return (
        blank(at + 1, end) == end
        and found.step >= 0
        and 0 <= found.time < LARGEST
        and 0 <= found.value < 1e12
        and found.name != NULL
    )


cdef bint is_word(const char* at, Py_ssize_t size) noexcept nogil:
    cdef Py_ssize_t place
    for place in range(size):
        if at[place] <= c' ' or at[place] == c'\\' or at[place] & 0x80:
            return False
    return size > 4 and memcmp(at + size - 4, b"_end", 4) == 0


cdef class StepLines:
    """The names of spans that lines had so far; ``names`` are in the order of their numbers."""

    cdef readonly list names
    cdef dict numbers

    def __init__(self):
        self.names = []
        self.numbers = {}

    cpdef int32_t number(self, bytes name):
        """The number of a name of a span."""
        found = self.numbers.setdefault(name, len(self.names))
        if found == len(self.names):
            self.names.append(name)
        return found

    cdef int32_t number_at(self, const char* at, Py_ssize_t size, int32_t guess):
        """The same of a name in memory; mostly those of a step follow each other as in the one before."""
        cdef bytes name
        if guess < len(self.names):
            name = self.names[guess]
            if PyBytes_Size(name) == size and memcmp(PyBytes_AsString(name), at, size) == 0:
                return guess
        return self.number(at[:size])

    def read(self, bytes piece not None):
        """int64 steps, int64 times in us, int32 numbers of names, float64 milliseconds of the ends in whole
        lines, and the lines that are to be read one by one."""
        cdef Py_ssize_t most = piece.count(b'_end"'), count = 0, length
        cdef const char* at = PyBytes_AsString(piece)
        cdef const char* end = at + PyBytes_Size(piece)
        cdef const char* until
        cdef End found
        cdef int32_t last = -1
        steps, times = np.empty(most, np.int64), np.empty(most, np.int64)
        names, values = np.empty(most, np.int32), np.empty(most, np.float64)
        cdef int64_t[::1] step = steps, time = times
        cdef int32_t[::1] name = names
        cdef double[::1] value = values
        others = []
        while at < end:
            until = <const char*>memchr(at, c'\n', end - at)
            if until == NULL:
                until = end
            length = until - at
            if memmem(at, length, b'_end"', 5) != NULL:
                if not read_end(at, until, &found) or not is_word(found.name, found.size):
                    others.append(at[:length])
                elif not found.is_instant:
                    last = self.number_at(found.name, found.size - 4, last + 1)
                    step[count], time[count], name[count] = found.step, found.time, last
                    value[count] = found.value
                    count += 1
                    if last + 1 == len(self.names):
                        last = -1
            at = until + 1
        return steps[:count], times[:count], names[:count], values[:count], others
