"""The number that a TensorProto of one element is (tensorflow/core/framework/tensor.proto)."""

from libc.math cimport INFINITY, NAN, ldexp
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from insight_record.formats._varint cimport read_varint
from insight_core.ingest.scanner._fields cimport (
    FAILED, ODD, OK, Field, Status, Window, at, next_field,
)
from insight_core.ingest.scanner._rows cimport DOUBLE, PAYLOAD, SINGLE


cdef enum:
    LONGEST_NUMBER = 256  # bytes of a tensor that may be one number
    TYPED = 18  # numbers of the fields that may hold it are below this


cdef inline double _of_half(uint16_t bits) noexcept nogil:
    cdef int exponent = bits >> 10 & 31
    cdef int fraction = bits & 1023
    cdef double size
    if exponent == 31:
        size = NAN if fraction else INFINITY
    elif exponent:
        size = ldexp(1024 + fraction, exponent - 25)
    else:
        size = ldexp(fraction, -24)
    return -size if bits >> 15 else size


cdef inline double _of_single(uint32_t bits) noexcept nogil:
    cdef float number
    memcpy(&number, &bits, 4)
    return number


cdef inline bint _number_of_content(
    uint64_t dtype, const uint8_t *data, int64_t size, double *number
) noexcept nogil:
    """The number that ``size`` bytes of tensor_content are; False when they are not one."""
    cdef uint64_t raw = 0
    cdef double other
    if size > 8 or (size != 1 and size != 2 and size != 4 and size != 8):
        return False
    memcpy(&raw, data, size)
    if dtype == 19 and size == 2:
        number[0] = _of_half(<uint16_t>raw)
    elif dtype == 14 and size == 2:
        number[0] = _of_single(<uint32_t>raw << 16)
    elif dtype == 3 and size == 4:
        number[0] = <int32_t>raw
    elif dtype == 4 and size == 1:
        number[0] = <uint8_t>raw
    elif dtype == 5 and size == 2:
        number[0] = <int16_t>raw
    elif dtype == 6 and size == 1:
        number[0] = <int8_t>raw
    elif dtype == 9 and size == 8:
        number[0] = <int64_t>raw
    elif dtype == 17 and size == 2:
        number[0] = <uint16_t>raw
    elif dtype == 22 and size == 4:
        number[0] = <uint32_t>raw
    elif dtype == 23 and size == 8:
        number[0] = raw
    elif dtype == 10 and size == 1:
        number[0] = raw != 0
    else:
        return False
    return True


cdef inline bint _is_raw(const Field *field, uint64_t dtype) noexcept nogil:
    """Whether a field holds the bytes of one number of dtype 1 or 2."""
    return field.kind != 0 and field.size == 4 * <int64_t>dtype


cdef inline Status _find_size(Window *window, const Field *dimension, uint64_t *found) noexcept nogil:
    cdef int64_t position = dimension.start
    cdef int64_t end = dimension.start + dimension.size
    cdef Field size
    cdef Status status
    found[0] = 0
    while dimension.kind == 2 and position < end:
        status = next_field(window, &position, end, &size)
        if status != OK:
            return status
        if size.number == 1 and size.kind == 0:
            found[0] = size.varint
    return OK


cdef inline Status _find_one(Window *window, const Field *shape, bint *is_one) noexcept nogil:
    """Whether all dimensions are 1; there may be none."""
    cdef int64_t position = shape.start
    cdef int64_t end = shape.start + shape.size
    cdef Field dimension
    cdef Status status
    cdef uint64_t size
    is_one[0] = True
    while position < end:
        status = next_field(window, &position, end, &dimension)
        if status == OK and dimension.number == 2:
            status = _find_size(window, &dimension, &size)
            is_one[0] = is_one[0] and size == 1
        if status != OK:
            return status
    return OK


cdef inline Status read_number(
    Window *window, int64_t start, int64_t size, int *form, uint64_t *bits, int64_t *place
) noexcept nogil:
    """The number of a TensorProto of one element: 1 dtype, 2 shape, 4 content, 5 to 17 typed.

    ``place``: of its bytes, -1 when they are not just the number.
    """
    cdef int64_t position = start
    cdef int64_t end = start + size
    cdef uint64_t dtype = 0
    cdef uint64_t raw
    cdef bint is_one = True
    cdef uint32_t present = 0
    cdef bint others = False
    cdef Field typed[TYPED]
    cdef Field field
    cdef Status status
    cdef const uint8_t *data
    cdef double number
    cdef int candidate
    while position < end:
        status = next_field(window, &position, end, &field)
        if status != OK:
            return status
        if field.number == 1 and field.kind == 0:
            dtype = field.varint
        elif field.number == 2 and field.kind == 2:
            status = _find_one(window, &field, &is_one)
            if status != OK:
                return status
        elif field.number < TYPED:
            typed[field.number] = field
            present |= 1u << field.number
        else:
            others = True
    form[0] = PAYLOAD
    place[0] = -1
    if not is_one or dtype == 0:
        return OK
    data = at(window, start, size)
    if data == NULL:
        return FAILED
    if dtype <= 2:
        candidate = 5 if dtype == 1 else 6
        if not (present >> candidate & 1 and _is_raw(&typed[candidate], dtype)):
            candidate = 4
        if present >> candidate & 1 and _is_raw(&typed[candidate], dtype):
            bits[0] = 0
            memcpy(bits, data + (typed[candidate].start - start), 4 * dtype)
            place[0] = typed[candidate].start
            form[0] = SINGLE if dtype == 1 else DOUBLE
        elif not present and not others:  # a default value may be left out
            bits[0] = 0
            form[0] = DOUBLE
        return OK
    if present >> 4 & 1:
        if _number_of_content(dtype, data + (typed[4].start - start), typed[4].size, &number):
            memcpy(bits, &number, 8)
            form[0] = DOUBLE
        return OK
    for candidate in range(7, TYPED):
        if present >> candidate & 1 and (
            candidate == 7
            or candidate == 10
            or candidate == 11
            or candidate == 13
            or candidate == 16
            or candidate == 17
        ):
            if not read_varint(data + (typed[candidate].start - start), typed[candidate].size, &raw):
                return ODD
            if candidate == 13:
                number = _of_half(<uint16_t>raw) if dtype == 19 else _of_single(<uint32_t>(raw & 0xFFFF) << 16)
            elif candidate >= 16:
                number = raw
            else:
                number = <int64_t>raw
            memcpy(bits, &number, 8)
            form[0] = DOUBLE
            return OK
    return OK
