# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Rows of delimited text that hold nothing but numbers, as columns. Without the GIL."""

from libc.math cimport INFINITY, NAN
from libc.stdint cimport int64_t, uint8_t, uint64_t

import numpy as np

from insight_log_tables._decimal cimport (
    LEAST_POWER, MOST_POWER, Decimal, is_digit, nearest_double, read_decimal
)

cdef enum:
    _LONGEST_CELL = 131072  # of the module ``csv``
    _MOST_STEP_DIGITS = 18  # that an int64 holds, whatever they are


def _upper_bits(power):
    """The first 128 bits of a power of ten, the lower half first."""
    if power < 0:
        whole = (1 << 2048) // 10**-power
    else:
        whole = 10**power << 128
    whole >>= whole.bit_length() - 128
    return [whole & (1 << 64) - 1, whole >> 64]


_TABLE = np.array([_upper_bits(power) for power in range(LEAST_POWER, MOST_POWER + 1)], np.uint64)


cdef inline bint _is_word(const uint8_t *data, int64_t size, const char *word) noexcept nogil:
    """Whether the bytes are a word in letters of any case."""
    cdef int64_t place = 0
    while place < size and word[place]:
        if data[place] | 32 != <uint8_t>word[place]:
            return False
        place += 1
    return place == size and not word[place]


cdef bint _word(const uint8_t *data, int64_t size, double *value) noexcept nogil:
    """Infinities, NaN and booleans."""
    cdef bint is_negative = data[0] == 45, is_signed = is_negative or data[0] == 43
    cdef const uint8_t *rest = data + is_signed
    cdef int64_t left = size - is_signed
    if _is_word(rest, left, b"nan"):
        value[0] = NAN
    elif _is_word(rest, left, b"inf") or _is_word(rest, left, b"infinity"):
        value[0] = -INFINITY if is_negative else INFINITY
    elif not is_signed and _is_word(rest, left, b"true"):
        value[0] = 1.0
    elif not is_signed and _is_word(rest, left, b"false"):
        value[0] = 0.0
    else:
        return False
    return True


cdef bint _step(const uint8_t *data, int64_t at, int64_t end, int64_t *step) noexcept nogil:
    """A whole number, perhaps with zeros behind a point."""
    cdef bint is_negative = data[at] == 45
    cdef int64_t first
    if data[at] == 45 or data[at] == 43:
        at += 1
    first = at
    step[0] = 0
    while at < end and is_digit(data[at]):
        step[0] = 10 * step[0] + (data[at] - 48)
        at += 1
        if at - first > _MOST_STEP_DIGITS:
            return False
    if at == first:
        return False
    if at < end and data[at] == 46:
        at += 1
        while at < end and data[at] == 48:
            at += 1
    if is_negative:
        step[0] = -step[0]
    return at == end


cdef bint _number(
    const uint8_t *data, int64_t at, int64_t end, const uint64_t *powers, double *value
) noexcept nogil:
    cdef Decimal decimal
    if read_decimal(data, at, end, &decimal) != end:
        return _word(data + at, end - at, value)
    if nearest_double(&decimal, powers, value):
        return True
    with gil:
        value[0] = float((<const char *>data)[at:end])
    return True


def number_rows(
    const uint8_t[::1] data,
    uint8_t delimiter,
    int64_t step_column,
    const int64_t[::1] places,
    int64_t columns,
    int64_t rows,
):
    """int64[rows] steps, float64[columns, rows] numbers, bool[columns, rows] where there is one: of ``data``,
    which ends with a line end, if each row has a number or nothing in each column that is wanted; else None.

    ``places`` says for each column of the text the row of the result, -1 for none. ``step_column`` may be -1.
    ``rows``: as many lines as there are, or more.
    """
    cdef int64_t at = 0, size = data.shape[0], width = places.shape[0], row = 0, column, start, end, place
    cdef bint is_plain = True, is_quoted, has_quotes
    cdef uint8_t byte = 0
    cdef const uint8_t *text = &data[0]
    cdef const uint64_t[:, ::1] table = _TABLE
    cdef const uint64_t *powers = &table[0, 0]
    steps = np.zeros(rows, np.int64)
    numbers = np.full((columns, rows), np.nan)
    filled = np.zeros((columns, rows), np.uint8)
    cdef int64_t[::1] step = steps
    cdef double[:, ::1] number = numbers
    cdef uint8_t[:, ::1] is_filled = filled
    with nogil:
        while at < size and is_plain:
            if text[at] == 10 or (text[at] == 13 and text[at + 1] == 10):  # the last byte is a line end
                at += 1 + (text[at] == 13)
                continue
            column = 0
            while True:
                start = at
                is_quoted = text[at] == 34
                has_quotes = False
                if is_quoted:
                    at += 1
                    start = at
                    while at < size and (text[at] != 34 or text[at + 1] == 34):  # the last byte is no quote
                        has_quotes |= text[at] == 34
                        at += 1 + (text[at] == 34)
                    end = at
                    if at == size:
                        is_plain = False
                        break
                    at += 1
                    byte = text[at]
                    if byte != delimiter and byte != 10 and byte != 13:
                        is_plain = False
                        break
                else:
                    while text[at] != delimiter and text[at] != 10 and text[at] != 13 and text[at] != 34:
                        at += 1
                    end = at
                    byte = text[at]
                if byte == 34 or (byte == 13 and text[at + 1] != 10) or end - start >= _LONGEST_CELL:
                    is_plain = False
                    break
                if column == width:
                    is_plain = False
                    break
                place = places[column]
                if start < end and (place >= 0 or column == step_column):
                    if has_quotes:
                        is_plain = False
                        break
                    while start < end and (text[start] == 32 or text[start] == 9):
                        start += 1
                    while start < end and (text[end - 1] == 32 or text[end - 1] == 9):
                        end -= 1
                    if start == end:
                        is_plain = False
                        break
                    if column == step_column and not _step(text, start, end, &step[row]):
                        is_plain = False
                        break
                    if place >= 0:
                        if not _number(text, start, end, powers, &number[place, row]):
                            is_plain = False
                            break
                        is_filled[place, row] = 1
                elif column == step_column:
                    is_plain = False
                    break
                column += 1
                at += 1 + (byte == 13)
                if byte != delimiter:
                    break
            if column != width:
                is_plain = False
            row += 1
    if not is_plain:
        return None
    return steps[:row], numbers[:, :row], filled[:, :row].view(bool)
