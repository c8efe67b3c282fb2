# cython: language_level=3
"""Decimal text to the nearest double, without the interpreter.

Eisel and Lemire's algorithm: Daniel Lemire, "Number Parsing at a Gigabyte per Second", Software: Practice and
Experience 51 (2021); the steps are those of Go's strconv/eisel_lemire.go. It decides all but a few numbers,
which are left to Python's ``float``.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

cdef enum:
    LEAST_POWER = -348
    MOST_POWER = 347
    _MOST_DIGITS = 19  # that a uint64 holds, whatever they are


cdef struct Decimal:
    uint64_t digits  # the first 19 that count
    int64_t power  # of ten
    bint is_cut  # there are more digits
    bint is_negative


cdef inline bint is_digit(uint8_t byte) noexcept nogil:
    return <uint8_t>(byte - 48) < 10


cdef inline int64_t read_decimal(const uint8_t *data, int64_t at, int64_t end, Decimal *found) noexcept nogil:
    """Reads ``[+-]digits[.digits][e[+-]digits]``; returns its end, or -1 where there is no number."""
    cdef int count = 0
    cdef int64_t power = 0, first, exponent = 0
    cdef bint is_small
    found.digits = 0
    found.power = 0
    found.is_cut = False
    found.is_negative = data[at] == 45
    if data[at] == 45 or data[at] == 43:
        at += 1
    first = at
    while at < end and is_digit(data[at]):
        if count < _MOST_DIGITS:
            found.digits = 10 * found.digits + (data[at] - 48)
            count += found.digits != 0
        else:
            power += 1
            found.is_cut = found.is_cut or data[at] != 48
        at += 1
    if at < end and data[at] == 46:
        at += 1
        first += 1
        while at < end and is_digit(data[at]):
            if count < _MOST_DIGITS:
                found.digits = 10 * found.digits + (data[at] - 48)
                count += found.digits != 0
                power -= 1
            else:
                found.is_cut = found.is_cut or data[at] != 48
            at += 1
    if at == first:
        return -1
    if at < end and (data[at] == 101 or data[at] == 69):
        at += 1
        is_small = at < end and data[at] == 45
        if at < end and (data[at] == 45 or data[at] == 43):
            at += 1
        if at == end or not is_digit(data[at]):
            return -1
        while at < end and is_digit(data[at]):
            if exponent < 100000:
                exponent = 10 * exponent + (data[at] - 48)
            at += 1
        power += -exponent if is_small else exponent
    found.power = power
    return at


cdef inline uint64_t _multiply(uint64_t a, uint64_t b, uint64_t *low) noexcept nogil:
    """The upper half of the product, and its lower half."""
    cdef uint64_t a0 = <uint32_t>a, a1 = a >> 32, b0 = <uint32_t>b, b1 = b >> 32
    cdef uint64_t p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0
    cdef uint64_t middle = (p00 >> 32) + <uint32_t>p01 + <uint32_t>p10
    low[0] = (middle << 32) | <uint32_t>p00
    return a1 * b1 + (p01 >> 32) + (p10 >> 32) + (middle >> 32)


cdef inline bint _nearest(uint64_t digits, int64_t power, const uint64_t *powers, uint64_t *bits) noexcept nogil:
    """``digits`` times 10**``power`` as the bits of a double; False if it cannot tell.

    ``powers``: the lower and the upper half of the first 128 bits of each power of ten.
    """
    cdef int zeros = 0
    cdef uint64_t upper, lower, more, rest, merged, leads, mantissa, exponent
    cdef const uint64_t *ten
    if digits == 0:
        bits[0] = 0
        return True
    if power < LEAST_POWER or power > MOST_POWER:
        return False
    ten = powers + 2 * (power - LEAST_POWER)
    while not digits >> 63:
        digits <<= 1
        zeros += 1
    exponent = <uint64_t>((217706 * power >> 16) + 64 + 1023 - zeros)
    upper = _multiply(digits, ten[1], &lower)
    if upper & 0x1FF == 0x1FF and lower + digits < digits:
        more = _multiply(digits, ten[0], &rest)
        merged = lower + more
        upper += merged < lower
        if upper & 0x1FF == 0x1FF and merged + 1 == 0 and rest + digits < digits:
            return False
        lower = merged
    leads = upper >> 63
    mantissa = upper >> (leads + 9)
    exponent -= 1 ^ leads
    if lower == 0 and upper & 0x1FF == 0 and mantissa & 3 == 1:
        return False  # half way between two
    mantissa = (mantissa + (mantissa & 1)) >> 1
    if mantissa >> 53:
        mantissa >>= 1
        exponent += 1
    if exponent - 1 >= 0x7FF - 1:  # too small, or too large
        return False
    bits[0] = exponent << 52 | (mantissa & ((<uint64_t>1 << 52) - 1))
    return True


cdef inline bint nearest_double(const Decimal *number, const uint64_t *powers, double *value) noexcept nogil:
    """The double nearest to a decimal number; False if ``float`` has to tell."""
    cdef uint64_t bits, other
    if not _nearest(number.digits, number.power, powers, &bits):
        return False
    if number.is_cut and not (
        _nearest(number.digits + 1, number.power, powers, &other) and other == bits
    ):
        return False
    bits |= <uint64_t>number.is_negative << 63
    memcpy(value, &bits, 8)
    return True
