"""Values of a pickle as 64 bits: the kind in the lowest three, the rest a number, or that of a text or object."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport realloc
from libc.string cimport memcpy

cdef enum:  # kinds
    NUMBER
    TEXT
    NOTHING  # None, False, True: 0, 1, 2
    OBJECT

cdef enum:  # shapes of objects
    NEW_DICT
    NEW_LIST
    DICT  # of values that are no rows
    LIST
    TUPLE
    REAL  # the bits of a double
    LARGE  # a number of 64 bits
    FRAME
    STACK  # a list of frames
    HISTORY  # what a block was used for, in older snapshots
    HISTORIES
    EVENT
    EVENTS
    BLOCK
    BLOCKS
    SEGMENT
    SEGMENTS
    ANNOTATION
    ANNOTATIONS
    ENTRY  # of a flight recorder
    ENTRIES
    ANY = -1

cdef enum Trouble:
    FINE
    NO_MEMORY
    FORBIDDEN  # an operation that makes something else than data
    BROKEN  # an operation that has not what it needs
    TOO_LONG
    TOO_MANY
    OTHER_SHAPE  # what no snapshot has

cdef enum:  # keys by which dicts are told, in the order of ``_KEYS``
    NAME
    FILENAME
    LINE
    ACTION
    ADDR
    SIZE
    STREAM
    TIME_US
    FRAMES
    COMPILE_CONTEXT
    USER_METADATA
    DEVICE_FREE
    ADDRESS
    REQUESTED_SIZE
    STATE
    HISTORY_KEY
    REAL_SIZE
    TOTAL_SIZE
    ALLOCATED_SIZE
    ACTIVE_SIZE
    SEGMENT_TYPE
    IS_EXPANDABLE
    BLOCKS_KEY
    DEVICE
    STAGE
    PROCESS_GROUP
    COLLECTIVE_SEQ_ID
    P2P_SEQ_ID
    PROFILING_NAME
    TIME_CREATED_NS
    INPUT_SIZES
    INPUT_DTYPES
    OUTPUT_SIZES
    OUTPUT_DTYPES
    IS_P2P
    KEYS


cdef struct Cells:
    int64_t *at
    int64_t used
    int64_t room


cdef struct Words:  # as Cells, of 32 bits: what a snapshot has most of
    uint32_t *at
    int64_t used
    int64_t room


cdef struct Rows:
    Cells cells  # row by row: the object of the list that it stands in, then its columns
    int64_t taken  # rows that are no longer there
    int keys[16]
    int count  # of columns


cdef inline bint push(Cells *cells, int64_t value) noexcept nogil:
    cdef int64_t room
    cdef int64_t *grown
    if cells.used == cells.room:
        room = max(<int64_t>1024, cells.room + (cells.room >> 1))
        grown = <int64_t *>realloc(cells.at, room * sizeof(int64_t))
        if grown == NULL:
            return False
        cells.at, cells.room = grown, room
    cells.at[cells.used] = value
    cells.used += 1
    return True


cdef inline bint push_word(Words *words, uint32_t value) noexcept nogil:
    cdef int64_t room
    cdef uint32_t *grown
    if words.used == words.room:
        room = max(<int64_t>1024, words.room + (words.room >> 1))
        grown = <uint32_t *>realloc(words.at, room * sizeof(uint32_t))
        if grown == NULL:
            return False
        words.at, words.room = grown, room
    words.at[words.used] = value
    words.used += 1
    return True


cdef inline int64_t value_of(int kind, int64_t what) noexcept nogil:
    return (what << 3) | kind


cdef inline bint has(uint64_t keys, int key) noexcept nogil:
    return (keys >> key) & 1


cdef inline int64_t unsigned(const uint8_t *data, int64_t size) noexcept nogil:
    cdef uint64_t number = 0
    memcpy(&number, data, size)
    return <int64_t>number


cdef inline int64_t backwards(const uint8_t *data) noexcept nogil:
    """Eight bytes, the largest first."""
    cdef uint64_t number = 0
    cdef int place
    for place in range(8):
        number = number << 8 | data[place]
    return <int64_t>number


cdef inline (int64_t, int64_t) sizes_of(const uint8_t *data, int64_t left, int operation) noexcept nogil:
    """Bytes of an operation with its numbers, and of the text or number behind; -1 where these are cut."""
    cdef int64_t head = 1, counted = 0
    if operation == c"h" or operation == c"q" or operation == c"K" or operation == 0x80:
        head = 2
    elif operation == c"j" or operation == c"r" or operation == c"J":
        head = 5
    elif operation == c"M":
        head = 3
    elif operation == c"G" or operation == 0x95:
        head = 9
    elif operation == 0x8C or operation == 0x8A:  # SHORT_BINUNICODE, LONG1
        head = counted = 1
    elif operation == c"X":
        counted = 4
    elif operation == 0x8D:
        counted = 8
    if counted:
        head = 1 + counted
    if left < head:
        return -1, 0
    return head, (unsigned(data + 1, counted) if counted else 0)
