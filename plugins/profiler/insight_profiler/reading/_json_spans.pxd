# cython: language_level=3
"""Finds where values of JSON end, and reads whole numbers and times, in memory.

Each function returns where a value ends, NULL for what is cut or unusual.
"""

from libc.stdint cimport int64_t
from libc.string cimport memchr, memcmp

cdef enum:
    DEEP = 32  # lists and objects in each other
    MOST_DIGITS = 15  # of a time in microseconds, and of an identifier


cdef inline const char* blank(const char* at, const char* end) noexcept nogil:
    while at < end and (at[0] == c' ' or at[0] == c'\n' or at[0] == c'\t' or at[0] == c'\r'):
        at += 1
    return at


cdef inline bint is_digit(char byte) noexcept nogil:
    return c'0' <= byte <= c'9'


cdef inline bint is_hexadecimal(char byte) noexcept nogil:
    return is_digit(byte) or c'a' <= byte <= c'f' or c'A' <= byte <= c'F'


cdef inline const char* text_end(const char* at, const char* end) noexcept nogil:
    """From the quote that opens a text."""
    at += 1
    cdef const char* quote
    cdef int digit
    while at < end:
        quote = <const char*>memchr(at, c'"', end - at)
        if quote == NULL:
            return NULL
        at = <const char*>memchr(at, c'\\', quote - at)
        if at == NULL:
            return quote + 1
        if at + 1 >= end:
            return NULL
        if at[1] == c'u':
            if at + 6 > end:
                return NULL
            for digit in range(2, 6):
                if not is_hexadecimal(at[digit]):
                    return NULL
            at += 6
        elif memchr(b'"\\/bfnrt', at[1], 8) != NULL:
            at += 2
        else:
            return NULL
    return NULL


cdef inline const char* number_end(const char* at, const char* end) noexcept nogil:
    cdef const char* begin = at
    if at < end and at[0] == c'-':
        at += 1
    if at >= end or not is_digit(at[0]):
        return NULL
    if at[0] == c'0' and at + 1 < end and is_digit(at[1]):
        return NULL
    while at < end and is_digit(at[0]):
        at += 1
    if at < end and at[0] == c'.':
        at += 1
        if at >= end or not is_digit(at[0]):
            return NULL
        while at < end and is_digit(at[0]):
            at += 1
    if at < end and (at[0] == c'e' or at[0] == c'E'):
        at += 1
        if at < end and (at[0] == c'+' or at[0] == c'-'):
            at += 1
        if at >= end or not is_digit(at[0]):
            return NULL
        while at < end and is_digit(at[0]):
            at += 1
    return at if at < end and at - begin < 300 else NULL


cdef inline const char* value_end(const char* at, const char* end, int depth) noexcept nogil:
    cdef char close
    if at >= end or depth > DEEP:
        return NULL
    if at[0] == c'"':
        return text_end(at, end)
    if at[0] == c'-' or is_digit(at[0]):
        return number_end(at, end)
    if end - at >= 4 and (memcmp(at, b"true", 4) == 0 or memcmp(at, b"null", 4) == 0):
        return at + 4
    if end - at >= 5 and memcmp(at, b"false", 5) == 0:
        return at + 5
    if at[0] != c'{' and at[0] != c'[':
        return NULL
    close = c'}' if at[0] == c'{' else c']'
    at = blank(at + 1, end)
    if at < end and at[0] == close:
        return at + 1
    while at < end:
        if close == c'}':
            if at[0] != c'"':
                return NULL
            at = text_end(at, end)
            if at == NULL:
                return NULL
            at = blank(at, end)
            if at >= end or at[0] != c':':
                return NULL
            at = blank(at + 1, end)
        at = value_end(at, end, depth + 1)
        if at == NULL:
            return NULL
        at = blank(at, end)
        if at >= end:
            return NULL
        if at[0] == close:
            return at + 1
        if at[0] != c',':
            return NULL
        at = blank(at + 1, end)
    return NULL


cdef inline const char* whole(const char* at, const char* end, int64_t* value) noexcept nogil:
    """A number that is whole and not negative."""
    cdef const char* begin = at
    cdef int64_t found = 0
    while at < end and is_digit(at[0]):
        if at - begin >= MOST_DIGITS:
            return NULL
        found = found * 10 + (at[0] - c'0')
        at += 1
    if at == begin or at >= end or at[0] == c'.' or at[0] == c'e' or at[0] == c'E':
        return NULL
    if begin[0] == c'0' and at - begin > 1:
        return NULL
    value[0] = found
    return at


cdef inline const char* microseconds(const char* at, const char* end, int64_t* value) noexcept nogil:
    """A time with at most three decimals, in nanoseconds."""
    cdef const char* begin = at
    cdef int64_t found = 0
    cdef int decimals = 0
    while at < end and is_digit(at[0]):
        if at - begin >= MOST_DIGITS:
            return NULL
        found = found * 10 + (at[0] - c'0')
        at += 1
    if at == begin or (begin[0] == c'0' and at - begin > 1):
        return NULL
    if at < end and at[0] == c'.':
        at += 1
        while at < end and is_digit(at[0]):
            if decimals == 3:
                return NULL
            found = found * 10 + (at[0] - c'0')
            decimals += 1
            at += 1
        if decimals == 0:
            return NULL
    if at >= end or at[0] == c'e' or at[0] == c'E':
        return NULL
    while decimals < 3:
        found *= 10
        decimals += 1
    value[0] = found
    return at


cdef inline bint is_named(const char* key, Py_ssize_t size, const char* name, Py_ssize_t length) noexcept nogil:
    return size == length and memcmp(key, name, length) == 0
