"""Events that look like one before them in the same scan: equal but for their time, step and one number.

What follows the step in an event of one number is its body. Most bodies of a file are those of a few tags,
over and over, in the same order: one that is expected is compared, and its fields are not read again.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcmp, memcpy

from insight_record.formats._varint cimport read_varint
from insight_core.ingest.scanner._rows cimport SINGLE, has_room


cdef enum:
    TIME = 0x09  # the key of an event's wall time, which fills 8 bytes
    STEP = 0x10
    CONTENT = 0x2A  # of its summary
    LONGEST_BODY = 512  # bytes
    MOST_BYTES = 1 << 20  # of all bodies


cdef struct Body:
    int64_t place  # in ``bytes``
    int64_t room  # bytes
    int64_t length
    int64_t number  # place of the number in the body
    int64_t number_size
    int64_t start  # of the payload in the body
    int64_t size
    int32_t key
    int32_t tag
    int32_t metadata  # if it names a plugin, else -1
    int32_t field
    int form
    int32_t following  # body that came after this one, or -1


cdef struct Bodies:
    Body *bodies
    int32_t count
    int64_t room
    uint8_t *bytes
    int64_t used
    int64_t byte_room
    int32_t last


cdef inline void forget_bodies(Bodies *known) noexcept nogil:
    known.count = 0
    known.used = 0
    known.last = -1


cdef inline void release_bodies(Bodies *known) noexcept nogil:
    free(known.bodies)
    free(known.bytes)


cdef inline int64_t body_start(const uint8_t *event, int64_t size, uint64_t *step) noexcept nogil:
    """Where the body of an event begins; 0 when it does not begin with its time and step."""
    cdef int used
    if size <= 10 or event[0] != TIME or event[9] != STEP:
        return 0
    used = read_varint(event + 10, size - 10, step)
    return 10 + used if used else 0


cdef inline bint _is_like(const Bodies *known, const Body *body, const uint8_t *data, int64_t length) noexcept nogil:
    cdef const uint8_t *mine = known.bytes + body.place
    cdef int64_t after = body.number + body.number_size
    return (
        length == body.length
        and memcmp(mine, data, <size_t>body.number) == 0
        and memcmp(mine + after, data + after, <size_t>(length - after)) == 0
    )


cdef inline const Body *expected(Bodies *known, const uint8_t *data, int64_t length) noexcept nogil:
    """The body that ``data`` looks like if it is the expected one, else NULL."""
    cdef int32_t next
    if known.last < 0:
        return NULL
    next = known.bodies[known.last].following
    if next < 0 or not _is_like(known, &known.bodies[next], data, length):
        return NULL
    known.last = next
    return &known.bodies[next]


cdef inline bint _is_one_summary(const uint8_t *data, int64_t length) noexcept nogil:
    cdef uint64_t size
    cdef int used
    if length < 2 or data[0] != CONTENT:
        return False
    used = read_varint(data + 1, length - 1, &size)
    return used and size == <uint64_t>(length - 1 - used)


cdef inline Body *_room_for(Bodies *known, int32_t body, int64_t length) noexcept nogil:
    """A body to be filled in: a known one, or a new one for -1; NULL when there is no room."""
    cdef void *moved
    cdef Body *found
    if body < 0:
        if not has_room(<void **>&known.bodies, &known.room, known.count, sizeof(Body)):
            return NULL
        known.bodies[known.count].room = 0
        known.bodies[known.count].following = -1
    found = &known.bodies[known.count if body < 0 else body]
    if found.room < length:
        if known.used + length > MOST_BYTES:
            return NULL
        if known.used + length > known.byte_room:
            moved = realloc(known.bytes, <size_t>(known.used + length) * 2)
            if moved == NULL:
                return NULL
            known.bytes = <uint8_t *>moved
            known.byte_room = (known.used + length) * 2
        found.place = known.used
        found.room = length
        known.used += length
    known.count += body < 0
    return found


cdef inline void remember(
    Bodies *known, int32_t *place, const Body *read, const uint8_t *data
) noexcept nogil:
    """Expects a body, read field by field, after the last one; ``place``: of its key's body.

    There may be something else, from an earlier scan, in ``place``.
    """
    cdef int32_t index = place[0] if 0 <= place[0] < known.count else -1
    cdef Body *body
    cdef int32_t following
    cdef int64_t first, room
    if index >= 0 and known.bodies[index].key != read.key:
        index = -1
    if read.length > LONGEST_BODY or not _is_one_summary(data, read.length):
        return
    if index < 0 or not _is_like(known, &known.bodies[index], data, read.length):
        body = _room_for(known, index, read.length)
        if body == NULL:
            return
        following, first, room = body.following, body.place, body.room
        body[0] = read[0]
        body.following, body.place, body.room = following, first, room
        memcpy(known.bytes + first, data, <size_t>read.length)
        index = <int32_t>(body - known.bodies)
        place[0] = index
    if known.last >= 0:
        known.bodies[known.last].following = index
    known.last = index
