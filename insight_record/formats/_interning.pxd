"""A number for each distinct string of bytes, found again by hash or, first, by what followed the last one."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcmp, memcpy, memset


cdef extern from *:
    void __builtin_prefetch(const void *place) nogil


cdef struct Entry:
    int64_t place  # of the bytes in ``arena``
    int32_t length
    int32_t following  # entry that was asked for after this one, or -1
    uint64_t hash


cdef struct Interned:
    uint8_t *arena
    int64_t used
    int64_t arena_room
    Entry *entries
    int32_t count
    int32_t room
    int32_t *slots  # open addressing: entry + 1, 0 for none
    int64_t slot_count  # a power of two
    int32_t last  # entry asked for last
    uint64_t seed  # so that nobody can write names that all have one hash


cdef inline void release(Interned *names) noexcept nogil:
    free(names.arena)
    free(names.entries)
    free(names.slots)


cdef inline uint64_t hash_of(uint64_t seed, const uint8_t *data, int32_t length) noexcept nogil:
    cdef uint64_t state = seed ^ <uint64_t>length
    cdef uint64_t word
    while length > 0:
        word = 0
        memcpy(&word, data, 8 if length >= 8 else length)
        state = (state ^ word) * <uint64_t>0x9E3779B97F4A7C15
        state ^= state >> 32
        state += seed
        data += 8
        length -= 8
    return state ^ (state >> 29)


cdef inline bint _is(const Interned *names, int32_t entry, const uint8_t *data, int32_t length) noexcept nogil:
    return (
        names.entries[entry].length == length
        and memcmp(names.arena + names.entries[entry].place, data, length) == 0
    )


cdef inline int32_t _find(Interned *names, const uint8_t *data, int32_t length, uint64_t hash) noexcept nogil:
    cdef int64_t slot
    cdef int32_t entry
    if not names.slot_count:
        return -1
    slot = <int64_t>(hash & <uint64_t>(names.slot_count - 1))
    while names.slots[slot]:
        entry = names.slots[slot] - 1
        if names.entries[entry].hash == hash and _is(names, entry, data, length):
            return entry
        slot = (slot + 1) & (names.slot_count - 1)
    return -1


cdef enum:
    AHEAD = 16  # entries whose slots are fetched before they are used


cdef inline void fetch(const Interned *names, uint64_t hash) noexcept nogil:
    """Begins to load where the entry with that hash is."""
    if names.slot_count:
        __builtin_prefetch(&names.slots[<int64_t>(hash & <uint64_t>(names.slot_count - 1))])


cdef inline void _place(Interned *names, int32_t entry) noexcept nogil:
    cdef int64_t slot = <int64_t>(names.entries[entry].hash & <uint64_t>(names.slot_count - 1))
    while names.slots[slot]:
        slot = (slot + 1) & (names.slot_count - 1)
    names.slots[slot] = entry + 1


cdef inline int32_t _add(Interned *names, const uint8_t *data, int32_t length, uint64_t hash) noexcept nogil:
    """The new entry; -1 when memory is short."""
    cdef void *moved
    cdef int64_t room
    cdef int32_t entry
    if names.count == names.room:
        room = names.room * 2 if names.room else 16
        if room > 1 << 29:
            return -1
        moved = realloc(names.entries, room * sizeof(Entry))
        if moved == NULL:
            return -1
        names.entries = <Entry *>moved
        moved = realloc(names.slots, room * 2 * sizeof(int32_t))
        if moved == NULL:
            return -1
        names.slots = <int32_t *>moved
        names.room = <int32_t>room
        names.slot_count = room * 2
        memset(names.slots, 0, names.slot_count * sizeof(int32_t))
        for entry in range(names.count):
            if entry + AHEAD < names.count:
                fetch(names, names.entries[entry + AHEAD].hash)
            _place(names, entry)
    if names.used + length >= names.arena_room:
        room = (names.used + length) * 2 + 256
        moved = realloc(names.arena, room)
        if moved == NULL:
            return -1
        names.arena = <uint8_t *>moved
        names.arena_room = room
    entry = names.count
    memcpy(names.arena + names.used, data, length)
    names.entries[entry].place = names.used
    names.entries[entry].length = length
    names.entries[entry].following = -1
    names.entries[entry].hash = hash
    names.used += length
    names.count += 1
    _place(names, entry)
    return entry


cdef inline int32_t intern(Interned *names, const uint8_t *data, int32_t length) noexcept nogil:
    """The number of ``data``, new ones counted from 0; -1 when memory is short."""
    cdef int32_t entry
    cdef uint64_t hash
    if names.count:
        entry = names.entries[names.last].following
        if entry >= 0 and _is(names, entry, data, length):
            names.last = entry
            return entry
    hash = hash_of(names.seed, data, length)
    entry = _find(names, data, length, hash)
    if entry < 0:
        entry = _add(names, data, length, hash)
        if entry < 0:
            return -1
    names.entries[names.last].following = entry
    names.last = entry
    return entry


cdef inline int32_t lookup(Interned *names, const uint8_t *data, int32_t length) noexcept nogil:
    """The number of ``data`` if it is there, else -1."""
    if names.count and _is(names, names.last, data, length):
        return names.last
    cdef int32_t entry = _find(names, data, length, hash_of(names.seed, data, length))
    if entry >= 0:
        names.last = entry
    return entry


cdef inline int32_t numbered(
    Interned *names, const uint8_t *data, int32_t length, uint64_t hash, bint adds
) noexcept nogil:
    """The number of ``data`` with that hash; -1 for new ones, and when memory is short if it ``adds`` them."""
    cdef int32_t entry = _find(names, data, length, hash)
    return _add(names, data, length, hash) if entry < 0 and adds else entry
