"""The state of the machine: values that wait, those remembered, and objects with their shapes and sums."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free

from insight_record.formats._interning cimport Interned, hash_of, release
from insight_profiler.reading._pickle_values cimport *

cdef enum:
    LONGEST = 1 << 20  # bytes of a text, or of a number
    MOST_WAITING = 1 << 20  # values that wait to be put somewhere
    NESTED = 64  # marks
    MOST_KEPT = 1 << 22  # values that are in no row
    MOST_OBJECTS = 1 << 30
    PLACES = 1 << 26  # of rows a place is the rest by that


cdef struct Machine:
    Interned texts
    Interned frames  # of name, file and line
    Interned stacks  # of frames
    Cells stack
    Words memo  # numbers of texts and, with the lowest bit, of objects
    Words objects  # of each its shape, in the lowest five bits, and its row, frame, stack or place, all 1: none
    Cells sums  # of lists and tuples that are no rows
    Cells kept  # of objects that are no rows: which, the key or -1, the value; of numbers the number
    int64_t marks[NESTED]
    int marked
    Rows rows[5]
    bint has_ended
    Trouble trouble
    int operation


cdef inline void end(Machine *m) noexcept nogil:
    """Gives back all memory."""
    cdef int place
    release(&m.texts)
    release(&m.frames)
    release(&m.stacks)
    for place in range(5):
        free(m.rows[place].cells.at)
    free(m.stack.at)
    free(m.memo.at)
    free(m.objects.at)
    free(m.sums.at)
    free(m.kept.at)


cdef inline Trouble add(Machine *m, int64_t value) noexcept nogil:
    if m.stack.used == MOST_WAITING:
        return TOO_MANY
    return FINE if push(&m.stack, value) else NO_MEMORY


cdef inline Trouble remembered(Machine *m, int64_t number) noexcept nogil:
    if number >= m.memo.used:
        return BROKEN
    return add(m, value_of(OBJECT if m.memo.at[number] & 1 else TEXT, m.memo.at[number] >> 1))


cdef inline Trouble remember(Machine *m, int64_t number) noexcept nogil:
    """Puts what lies on top into the memo: a text, a list, a tuple or a dict."""
    cdef int64_t value
    if not m.stack.used or number > m.memo.used:
        return BROKEN
    value = m.stack.at[m.stack.used - 1]
    if value & 7 != TEXT and value & 7 != OBJECT:
        return BROKEN
    value = (value >> 3) << 1 | (value & 7 == OBJECT)
    if number == m.memo.used:
        return FINE if push_word(&m.memo, <uint32_t>value) else NO_MEMORY
    m.memo.at[number] = <uint32_t>value
    return FINE


cdef inline Trouble new_object(Machine *m, int shape) noexcept nogil:
    cdef int64_t number = m.objects.used
    if number == MOST_OBJECTS:
        return TOO_MANY
    return add(m, value_of(OBJECT, number)) if push_word(&m.objects, object_of(shape, ANY)) else NO_MEMORY


cdef inline Trouble number_of(Machine *m, int shape, int64_t bits) noexcept nogil:
    """A number that fits into no value."""
    if m.kept.used >= 3 * MOST_KEPT:
        return TOO_MANY
    cdef int64_t place = m.kept.used // 3
    if not (push(&m.kept, m.objects.used) and push(&m.kept, ANY) and push(&m.kept, bits)):
        return NO_MEMORY
    if m.objects.used == MOST_OBJECTS:
        return TOO_MANY
    if not push_word(&m.objects, object_of(shape, place)):
        return NO_MEMORY
    return add(m, value_of(OBJECT, m.objects.used - 1))


cdef inline uint32_t object_of(int shape, int64_t place) noexcept nogil:
    return <uint32_t>((place << 5) | shape)


cdef inline int64_t place_of(Machine *m, int64_t number) noexcept nogil:
    return <int32_t>m.objects.at[number] >> 5


cdef inline int64_t sum_of(Machine *m, int64_t number) noexcept nogil:
    """Of a list or tuple that is no row; -1 of an empty list, and of anything else."""
    cdef int64_t place = place_of(m, number)
    return m.sums.at[place] if place >= 0 and shape_of(m, value_of(OBJECT, number)) in (LIST, TUPLE) else -1


cdef inline Trouble set_sum(Machine *m, int64_t owner, int shape, int64_t sum) noexcept nogil:
    """Makes an object a list or tuple with a sum."""
    cdef int64_t place = place_of(m, owner)
    if place < 0:
        place = m.sums.used
        if place >= PLACES:
            return TOO_MANY
        if not push(&m.sums, sum):
            return NO_MEMORY
    m.sums.at[place] = sum
    m.objects.at[owner] = object_of(shape, place)
    return FINE


cdef inline int shape_of(Machine *m, int64_t value) noexcept nogil:
    return <int>(m.objects.at[value >> 3] & 31) if value & 7 == OBJECT else ANY


cdef inline Trouble keep(Machine *m, int64_t owner, int64_t first, int step) noexcept nogil:
    """Notes what a dict (``step`` 2), a list or a tuple holds, as it is."""
    cdef int64_t at
    if m.kept.used + 3 * (m.stack.used - first) > 3 * MOST_KEPT:
        return TOO_MANY
    at = first
    while at < m.stack.used:
        if not (
            push(&m.kept, owner)
            and push(&m.kept, m.stack.at[at] if step == 2 else -1)
            and push(&m.kept, m.stack.at[at + step - 1])
        ):
            return NO_MEMORY
        at += step
    return FINE


cdef inline int64_t sum_with(Machine *m, int64_t sum, int64_t first) noexcept nogil:
    """A number for what a list holds, the same in every file: of numbers, texts and lists of these."""
    cdef uint64_t state = <uint64_t>max(sum, <int64_t>0)
    cdef int64_t at, value
    for at in range(first, m.stack.used):
        value = m.stack.at[at]
        if value & 7 == TEXT:
            value = hash_of(
                1, m.texts.arena + m.texts.entries[value >> 3].place, m.texts.entries[value >> 3].length
            )
        elif value & 7 == OBJECT:
            value = sum_of(m, value >> 3)
        state = (state ^ <uint64_t>value) * <uint64_t>0x9E3779B97F4A7C15
        state ^= state >> 29
    return <int64_t>(state >> 6)
