"""Protobuf fields of an event of which maybe only a window is in memory."""

from libc.errno cimport EINTR, errno
from libc.stdint cimport int64_t, uint8_t, uint64_t
from posix.types cimport off_t
from posix.unistd cimport pread

from insight_record.formats._varint cimport read_varint


cdef enum:
    PAGE = 4096  # bytes read at a time of what is not in memory

cdef enum Status:
    OK
    ODD  # Python reads this record: it is malformed, or too unusual to have code here
    UNKNOWN_METADATA  # metadata that Python has to read first
    FAILED  # reading the file failed; ``error`` says why, 0 that it was cut
    NO_MEMORY


cdef struct Window:
    const uint8_t *bytes  # those at ``low``
    int64_t low  # the part of the event that is in memory
    int64_t high
    int64_t size  # of the event
    int64_t origin  # of the event in the file
    int descriptor
    uint8_t *page  # room for another part
    int64_t reads  # how often something was fetched
    int error


cdef struct Field:
    uint64_t number
    int kind
    int64_t start  # of the content
    int64_t size
    uint64_t varint  # value of a field of wire type 0


cdef inline int64_t read_at(
    int descriptor, uint8_t *room, int64_t wanted, int64_t offset, int *error
) noexcept nogil:
    """Bytes read, fewer than wanted only at the end of the file; -1 when reading failed."""
    cdef int64_t done = 0
    cdef ssize_t got
    while done < wanted:
        got = pread(descriptor, room + done, <size_t>(wanted - done), <off_t>(offset + done))
        if got < 0:
            if errno == EINTR:
                continue
            error[0] = errno
            return -1
        if got == 0:
            break
        done += got
    return done


cdef inline const uint8_t *_fetch(Window *window, int64_t position, int64_t wanted) noexcept nogil:
    cdef int64_t size = min(<int64_t>PAGE, window.size - position)
    cdef int64_t got = read_at(window.descriptor, window.page, size, window.origin + position, &window.error)
    window.reads += 1
    window.bytes = window.page
    window.low = window.high = position
    if got < wanted:
        return NULL
    window.high = position + got
    return window.bytes


cdef inline const uint8_t *at(Window *window, int64_t position, int64_t wanted) noexcept nogil:
    """The ``wanted`` bytes at ``position`` of the event, at most PAGE, or as many as it has; NULL: FAILED."""
    wanted = min(wanted, window.size - position)
    if position >= window.low and position + wanted <= window.high:
        return window.bytes + (position - window.low)
    return _fetch(window, position, wanted)


cdef inline Status next_field(Window *window, int64_t *position, int64_t end, Field *field) noexcept nogil:
    """Reads the field at ``position`` of a message that ends at ``end``, and goes on after it."""
    cdef const uint8_t *data = at(window, position[0], 20)  # two varints
    cdef int64_t left = end - position[0]
    cdef uint64_t value
    cdef int used, more
    if data == NULL:
        return FAILED
    used = read_varint(data, left, &value)
    field.number = value >> 3
    if used == 0 or field.number == 0:
        return ODD
    field.kind = value & 7
    field.start = position[0] + used
    left -= used
    if field.kind == 2:
        more = read_varint(data + used, left, &value)
        if more == 0 or value > <uint64_t>(left - more):
            return ODD
        field.start += more
        field.size = <int64_t>value
    elif field.kind == 0:
        more = read_varint(data + used, left, &field.varint)
        if more == 0:
            return ODD
        field.size = more
    elif field.kind == 5:
        field.size = 4
    elif field.kind == 1:
        field.size = 8
    else:
        return ODD
    if field.size > end - field.start:
        return ODD
    position[0] = field.start + field.size
    return OK
