"""What the operations of a pickle do to values, without Python. Only those that make data are known."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

from insight_record.formats._interning cimport intern
from insight_profiler.reading._pickle_objects cimport *
from insight_profiler.reading._pickle_values cimport *


cdef inline int64_t run(Machine *m, const uint8_t *data, int64_t length) noexcept nogil:
    """Carries out what is whole. Returns how many bytes that was."""
    cdef int64_t at = 0, size, head
    cdef int operation
    while at < length and not m.has_ended:
        operation = data[at]
        if operation == c"h" and at + 2 <= length:  # most are: what follows is for all
            m.trouble, head, size = remembered(m, data[at + 1]), 2, 0
        elif operation == c"j" and at + 5 <= length:
            m.trouble, head, size = remembered(m, unsigned(data + at + 1, 4)), 5, 0
        else:
            head, size = sizes_of(data + at, length - at, operation)
            if head < 0:
                break  # its head is cut
            if size < 0 or size > LONGEST:
                m.trouble, m.operation = TOO_LONG, operation
                break
            if at + head + size > length:
                break
            m.trouble = _do(m, operation, data + at, head, size)
        if m.trouble != FINE:
            m.operation = operation
            break
        at += head + size
    return at


cdef inline Trouble _do(
    Machine *m, int operation, const uint8_t *data, int64_t head, int64_t size
) noexcept nogil:
    cdef int64_t number = 0
    cdef int32_t text
    if operation == 0x94:  # MEMOIZE
        return remember(m, m.memo.used)
    elif operation == c"q" or operation == c"r":  # BINPUT, LONG_BINPUT
        return remember(m, unsigned(data + 1, head - 1))
    elif operation == c"K" or operation == c"M":  # BININT1, BININT2
        return add(m, value_of(NUMBER, unsigned(data + 1, head - 1)))
    elif operation == c"J":  # BININT
        return add(m, value_of(NUMBER, <int32_t>unsigned(data + 1, 4)))
    elif operation == 0x8A:  # LONG1
        if size > 8:
            return TOO_LONG
        number = unsigned(data + head, size)
        if 0 < size < 8 and data[head + size - 1] & 0x80:
            number -= <int64_t>1 << (8 * size)
        if -(<int64_t>1 << 60) <= number < <int64_t>1 << 60:
            return add(m, value_of(NUMBER, number))
        return number_of(m, LARGE, number)
    elif operation == c"G":  # BINFLOAT
        return number_of(m, REAL, backwards(data + 1))
    elif operation == 0x8C or operation == c"X" or operation == 0x8D:  # texts
        text = intern(&m.texts, data + head, <int32_t>size)
        return NO_MEMORY if text < 0 else add(m, value_of(TEXT, text))
    elif operation == c"}" or operation == c"]":  # EMPTY_DICT, EMPTY_LIST
        return new_object(m, NEW_DICT if operation == c"}" else NEW_LIST)
    elif operation == c"(":  # MARK
        if m.marked == NESTED:
            return TOO_MANY
        m.marks[m.marked] = m.stack.used
        m.marked += 1
        return FINE
    elif operation == c"u" or operation == c"s":  # SETITEMS, SETITEM
        return _set(m, operation == c"s")
    elif operation == c"e" or operation == c"a":  # APPENDS, APPEND
        return _append(m, operation == c"a")
    elif operation == c"N" or operation == 0x88 or operation == 0x89:  # NONE, NEWTRUE, NEWFALSE
        return add(m, value_of(NOTHING, 0 if operation == c"N" else 2 if operation == 0x88 else 1))
    elif operation == c")" or operation == c"t" or operation == 0x85 or operation == 0x86 or operation == 0x87:
        return _tuple(m, operation)
    elif operation == 0x80 or operation == 0x95:  # PROTO, FRAME
        return FINE
    elif operation == c".":  # STOP
        m.has_ended = m.stack.used == 1 and not m.marked
        return FINE if m.has_ended else BROKEN
    return FORBIDDEN


cdef inline Trouble _tuple(Machine *m, int operation) noexcept nogil:
    cdef int64_t count = 0, first, owner = m.objects.used, sum
    cdef Trouble trouble
    if operation == c"t":
        if not m.marked:
            return BROKEN
        m.marked -= 1
        count = m.stack.used - m.marks[m.marked]
    elif operation != c")":
        count = operation - 0x84
    first = m.stack.used - count
    if first < (m.marks[m.marked - 1] if m.marked else 0):
        return BROKEN
    trouble = keep(m, owner, first, 1)
    if trouble != FINE:
        return trouble
    sum = sum_with(m, 0, first)
    m.stack.used = first
    trouble = new_object(m, TUPLE)
    return set_sum(m, owner, TUPLE, sum) if trouble == FINE else trouble


cdef inline int64_t _below(Machine *m, int64_t singles) noexcept nogil:
    """Where the values begin that an operation puts into what lies below: the last ``singles``, or for 0 those
    from the last mark; -1 if they are not there."""
    cdef int64_t first
    if singles:
        first = m.stack.used - singles
    elif not m.marked:
        return -1
    else:
        m.marked -= 1
        first = m.marks[m.marked]
    if first < 1 or (m.marked and first <= m.marks[m.marked - 1]):
        return -1
    return first


cdef inline Trouble _append(Machine *m, bint is_single) noexcept nogil:
    cdef int64_t first = _below(m, 1 if is_single else 0), at, owner
    cdef int shape, wanted
    cdef Trouble trouble = FINE
    if first < 0:
        return BROKEN
    owner = m.stack.at[first - 1]
    shape = shape_of(m, owner)
    owner >>= 3
    if first == m.stack.used:
        return FINE
    wanted = shape_of(m, m.stack.at[first])
    if shape == NEW_LIST:
        shape = wanted + 1 if wanted in (FRAME, HISTORY, EVENT, BLOCK, SEGMENT, ANNOTATION, ENTRY) else LIST
        m.objects.at[owner] = object_of(shape, ANY)
    if shape == LIST:
        trouble = keep(m, owner, first, 1)
        if trouble == FINE:
            trouble = set_sum(m, owner, LIST, sum_with(m, sum_of(m, owner), first))
    elif shape not in (STACK, HISTORIES, EVENTS, BLOCKS, SEGMENTS, ANNOTATIONS, ENTRIES):
        return BROKEN
    else:
        for at in range(first, m.stack.used):
            if shape_of(m, m.stack.at[at]) != shape - 1:
                return OTHER_SHAPE
        if shape == STACK:
            trouble = _stacked(m, owner, first)
        elif shape == HISTORIES:
            if place_of(m, owner) < 0:  # the first is the newest
                m.objects.at[owner] = object_of(HISTORIES, place_of(m, m.stack.at[first] >> 3))
        else:
            _own(m, owner, first, &m.rows[(shape - EVENTS) // 2])
    m.stack.used = first
    return trouble


cdef inline void _own(Machine *m, int64_t owner, int64_t first, Rows *rows) noexcept nogil:
    cdef int64_t at, row
    for at in range(first, m.stack.used):
        row = (place_of(m, m.stack.at[at] >> 3) - rows.taken) & (PLACES - 1)
        if row < rows.cells.used // (rows.count + 1):  # else it stands in another list too, and was taken there
            rows.cells.at[row * (rows.count + 1)] = owner


cdef inline Trouble _stacked(Machine *m, int64_t owner, int64_t first) noexcept nogil:
    """Makes a list one stack: what it was before, with more frames."""
    cdef int64_t count = m.stack.used - first, at, before = place_of(m, owner), had = 0
    cdef int32_t number
    cdef int32_t *frames
    if before >= 0:
        had = m.stacks.entries[before].length // 4
    if (had + count) * 4 > LONGEST:
        return TOO_LONG
    frames = <int32_t *>realloc(NULL, (had + count) * 4)
    if frames == NULL:
        return NO_MEMORY
    if had:
        memcpy(frames, m.stacks.arena + m.stacks.entries[before].place, had * 4)
    for at in range(count):
        frames[had + at] = <int32_t>place_of(m, m.stack.at[first + at] >> 3)
    number = intern(&m.stacks, <uint8_t *>frames, <int32_t>((had + count) * 4))
    free(frames)
    m.objects.at[owner] = object_of(STACK, number)
    return NO_MEMORY if number < 0 else FINE


cdef inline Trouble _set(Machine *m, bint is_single) noexcept nogil:
    cdef int64_t first = _below(m, 2 if is_single else 0), at, owner, values[KEYS]
    cdef uint64_t keys = 0
    cdef int64_t key
    cdef Trouble trouble = FINE
    if first < 0 or (m.stack.used - first) & 1:
        return BROKEN
    owner = m.stack.at[first - 1]
    if shape_of(m, owner) not in (NEW_DICT, DICT):
        return BROKEN
    if shape_of(m, owner) == NEW_DICT:
        for at in range(first, m.stack.used, 2):
            key = m.stack.at[at] >> 3
            if m.stack.at[at] & 7 == TEXT and key < KEYS:
                keys |= <uint64_t>1 << key
                values[key] = m.stack.at[at + 1]
        trouble = _told(m, owner >> 3, keys, values)
        if trouble == FINE and shape_of(m, owner) == NEW_DICT:
            m.objects.at[owner >> 3] = object_of(DICT, ANY)
    if trouble == FINE and shape_of(m, owner) == DICT:
        trouble = keep(m, owner >> 3, first, 2)
    m.stack.used = first
    return trouble


cdef inline Trouble _told(Machine *m, int64_t owner, uint64_t keys, int64_t *values) noexcept nogil:
    """Tells by its keys what a dict is, and makes it that."""
    if has(keys, NAME) and has(keys, FILENAME) and has(keys, LINE):
        return _framed(m, owner, values)
    if has(keys, STAGE) and has(keys, TIME_US):
        return _row(m, owner, ANNOTATION, keys, values)
    if has(keys, ACTION) and has(keys, SIZE):
        return _row(m, owner, EVENT, keys, values)
    if has(keys, BLOCKS_KEY) and has(keys, TOTAL_SIZE):
        return _row(m, owner, SEGMENT, keys, values)
    if has(keys, COLLECTIVE_SEQ_ID) and has(keys, PROFILING_NAME):
        return _row(m, owner, ENTRY, keys, values)
    if has(keys, STATE) and has(keys, SIZE):
        return _row(m, owner, BLOCK, keys, values)
    if has(keys, REAL_SIZE) and has(keys, ADDR):
        m.objects.at[owner] = object_of(HISTORY, _cell(m, FRAMES, values[FRAMES]) if has(keys, FRAMES) else ANY)
    return FINE


cdef inline Trouble _framed(Machine *m, int64_t owner, int64_t *values) noexcept nogil:
    cdef int32_t frame[3]
    cdef int32_t number
    if values[NAME] & 7 != TEXT or values[FILENAME] & 7 != TEXT or values[LINE] & 7 != NUMBER:
        return OTHER_SHAPE
    frame[0], frame[1] = <int32_t>(values[NAME] >> 3), <int32_t>(values[FILENAME] >> 3)
    frame[2] = <int32_t>max(<int64_t>0, min(<int64_t>0x7FFFFFFF, values[LINE] >> 3))
    number = intern(&m.frames, <uint8_t *>frame, 12)
    m.objects.at[owner] = object_of(FRAME, number)
    return NO_MEMORY if number < 0 else FINE


cdef inline Trouble _row(Machine *m, int64_t owner, int shape, uint64_t keys, int64_t *values) noexcept nogil:
    cdef Rows *rows = &m.rows[(shape - EVENT) // 2]
    cdef int64_t number = rows.taken + rows.cells.used // (rows.count + 1)
    cdef int place, key
    if number - rows.taken == PLACES:
        return TOO_MANY
    if not push(&rows.cells, ANY):
        return NO_MEMORY
    for place in range(rows.count):
        key = rows.keys[place]
        if key == ADDR and not has(keys, ADDR):
            key = DEVICE_FREE  # of events that say that there is no memory
        if not push(&rows.cells, _cell(m, key, values[key]) if has(keys, key) else ANY):
            return NO_MEMORY
    m.objects.at[owner] = object_of(shape, number & (PLACES - 1))
    return FINE


cdef inline int64_t _cell(Machine *m, int key, int64_t value) noexcept nogil:
    """What a column holds of a value: the number itself, that of a text or stack, or of the list of rows."""
    cdef int shape = shape_of(m, value)
    if key == BLOCKS_KEY:
        return value >> 3 if shape == BLOCKS else ANY
    if key == FRAMES or key == HISTORY_KEY:
        return place_of(m, value >> 3) if shape in (STACK, HISTORIES) else ANY
    if key == IS_EXPANDABLE or key == IS_P2P:
        return value >> 3 == 2
    if shape in (NEW_LIST, LIST, TUPLE):
        return value >> 3
    if shape == LARGE:
        return m.kept.at[3 * place_of(m, value >> 3) + 2]
    return value >> 3 if value & 7 in (NUMBER, TEXT) else ANY
