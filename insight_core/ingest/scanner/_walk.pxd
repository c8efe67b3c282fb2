"""From record to record of a file, without the GIL, until something needs Python."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport realloc
from libc.string cimport memcpy, memmove

from insight_core.ingest.scanner._alike cimport Bodies
from insight_core.ingest.scanner._events cimport (
    Reader, ends_batch, expect_alike, forget_event, read_alike, read_event, settle_event,
)
from insight_core.ingest.scanner._fields cimport (
    FAILED, NO_MEMORY, OK, UNKNOWN_METADATA, Status, Window, read_at,
)
from insight_core.ingest.scanner._rows cimport Rows

cdef extern from "insight_record/formats/crc32c.h":
    uint32_t crc32c_extend(uint32_t state, const uint8_t *data, size_t size) noexcept nogil
    uint32_t crc32c_masked(uint32_t state) noexcept nogil

cdef extern from "holes.h":
    int64_t next_data(int descriptor, int64_t offset, int64_t size) noexcept nogil


cdef enum:
    HEADER = 12  # bytes
    FRAME = 16  # header and footer
    AFTER_LONG = 512  # bytes read after a long record: mostly enough for the fields of another one
    LEAST_COST = 1 << 14  # bytes that a call to read counts for at least
    PIECE = 1 << 18  # bytes read at a time: they stay in the processor's cache until they are scanned

cdef enum Outcome:
    GOES_ON
    STOPS  # the end of the file, or enough for one batch
    ENDS_IN_HEADER
    ENDS_IN_RECORD
    ENDS_AFTER_BAD_HEADER
    ENDS_CUT  # nothing is left where there was something
    AT_VERSION  # at the first record of the file, which may tell the dialect
    SKIPS  # from a bad header to the good one at ``found``
    IS_BROKEN  # the checksum of the record's data is wrong
    IS_ODD  # Python reads the record
    HAS_UNKNOWN_METADATA
    CANNOT_READ
    LACKS_MEMORY


cdef struct Memory:  # of one scan, kept for the next
    uint8_t *buffer
    int64_t room
    uint8_t *page
    Rows rows
    Bodies bodies


cdef struct Walk:
    Reader reader
    Memory *memory
    int64_t longest_event  # bytes; a longer one is damage
    int64_t longest_read  # bytes; of a longer event the payloads stay on disk
    int64_t chunk  # bytes to read in one batch
    int64_t reach  # bytes to read next
    int64_t searched  # no offset before this one holds a header after a bad one that fits in the file
    int64_t most_retried  # bytes; so many of an end without a header are searched again when the file changes
    int64_t unfit  # offset of a good one whose record does not fit, or -1
    # of this batch
    int descriptor
    int error  # CANNOT_READ: errno, 0 that the file was cut meanwhile
    int64_t size  # of the file
    int64_t until  # a record that begins here or later is not read
    int64_t position  # of the record that is next
    int64_t start  # offset of the buffer in the file
    int64_t held  # bytes in the buffer
    int64_t spent  # bytes read
    int64_t length  # of the event that is next
    int64_t found
    bint knows_dialect
    uint64_t good_length  # of the header seen last
    uint32_t good_checksum


cdef inline bint _is_good(const Walk *walk, const uint8_t *header, uint64_t length, uint32_t stored) noexcept nogil:
    return (
        length <= <uint64_t>walk.longest_event
        and crc32c_masked(crc32c_extend(<uint32_t>0xFFFFFFFF, header, 8)) == stored
    )


cdef inline bint is_whole(const uint8_t *event, int64_t length) noexcept nogil:
    """Whether an event in memory has the checksum that follows it."""
    cdef uint32_t stored
    memcpy(&stored, event + length, 4)
    return crc32c_masked(crc32c_extend(<uint32_t>0xFFFFFFFF, event, <size_t>length)) == stored


cdef inline bint is_whole_on_disk(Walk *walk) noexcept nogil:
    """The same of the next event; the buffer is used up."""
    cdef int64_t offset = walk.position + HEADER
    cdef int64_t left = walk.length
    cdef int64_t wanted
    cdef uint32_t state = <uint32_t>0xFFFFFFFF
    cdef uint32_t stored = 0
    walk.held = 0
    walk.spent += left
    while left:
        wanted = min(left, walk.memory.room)
        if read_at(walk.descriptor, walk.memory.buffer, wanted, offset, &walk.error) != wanted:
            return False
        state = crc32c_extend(state, walk.memory.buffer, <size_t>wanted)
        offset += wanted
        left -= wanted
    if read_at(walk.descriptor, <uint8_t *>&stored, 4, offset, &walk.error) != 4:
        return False
    return crc32c_masked(state) == stored


cdef inline Outcome _fill(Walk *walk, int64_t offset, int64_t needed) noexcept nogil:
    """Reads what lies at ``offset`` of the file into the buffer."""
    cdef int64_t kept = max(walk.start + walk.held - offset, <int64_t>0) if offset >= walk.start else 0
    cdef int64_t wanted
    cdef void *moved
    cdef int64_t got
    walk.reach = max(walk.reach, needed)
    if walk.spent >= walk.chunk:
        return STOPS
    wanted = min(walk.reach, walk.size - offset)
    if wanted > walk.memory.room:
        moved = realloc(walk.memory.buffer, <size_t>wanted)
        if moved == NULL:
            return LACKS_MEMORY
        walk.memory.buffer = <uint8_t *>moved
        walk.memory.room = wanted
    if kept:
        memmove(walk.memory.buffer, walk.memory.buffer + (offset - walk.start), <size_t>kept)
    walk.start = offset
    walk.held = kept
    got = read_at(walk.descriptor, walk.memory.buffer + kept, wanted - kept, offset + kept, &walk.error)
    if got < 0:
        return CANNOT_READ
    walk.held += got
    walk.spent += max(got, <int64_t>LEAST_COST)
    walk.reach = min(walk.chunk, min(walk.reach * 8, <int64_t>PIECE))
    if walk.held < wanted:
        walk.size = offset + walk.held
    return GOES_ON if walk.held else ENDS_CUT


cdef inline int64_t _zeros(const uint8_t *data, int64_t size) noexcept nogil:
    """The number of zeros that ``data`` begins with."""
    cdef int64_t count = 0
    cdef uint64_t word
    while size - count >= 8:
        memcpy(&word, data + count, 8)
        if word:
            break
        count += 8
    while count < size and not data[count]:
        count += 1
    return count


cdef inline Outcome _search(Walk *walk) noexcept nogil:
    """Looks for the first good header after a bad one, as far as the buffer goes."""
    cdef int64_t offset = walk.searched
    cdef int64_t last, data, step
    cdef uint64_t length
    cdef uint32_t stored
    cdef const uint8_t *here
    if walk.size - offset >= HEADER:
        if offset < walk.start or offset + HEADER > walk.start + walk.held:
            data = next_data(walk.descriptor, offset, walk.size) - HEADER + 1
            if data > offset:  # twelve zeros are no good header: a hole holds none
                walk.searched = data
                return GOES_ON
            return _fill(walk, offset, HEADER)
        last = walk.start + walk.held - HEADER
        here = walk.memory.buffer + (offset - walk.start)
        while offset <= last:
            memcpy(&length, here, 8)
            memcpy(&stored, here + 8, 4)
            if not length and not stored:  # twelve zeros are no good header
                step = _zeros(here, walk.start + walk.held - offset) - HEADER + 1
                offset += step
                here += step
                continue
            if _is_good(walk, here, length, stored):
                if offset + <int64_t>length + FRAME <= walk.size:
                    walk.found = offset
                    return SKIPS
                if walk.unfit < 0:
                    walk.unfit = offset
            offset += 1
            here += 1
        walk.searched = offset
        if walk.start + walk.held < walk.size:
            return GOES_ON
    if walk.searched - walk.position <= walk.most_retried:
        walk.searched = 0
    elif walk.unfit >= 0:
        walk.searched = walk.unfit
    walk.unfit = -1
    return ENDS_AFTER_BAD_HEADER


cdef inline Outcome _settle(Walk *walk, Status status) noexcept nogil:
    """Keeps what was read of a sound event and goes on to the next record."""
    if status == OK and ends_batch(&walk.reader):
        forget_event(&walk.reader)
        walk.until = walk.position
        return GOES_ON
    if status == OK:
        settle_event(&walk.reader)
        walk.position += walk.length + FRAME
        return GOES_ON
    forget_event(&walk.reader)
    if status == UNKNOWN_METADATA:
        return HAS_UNKNOWN_METADATA
    if status == FAILED:
        return CANNOT_READ
    return LACKS_MEMORY if status == NO_MEMORY else IS_ODD


cdef inline Outcome _read_short(Walk *walk, const uint8_t *event) noexcept nogil:
    cdef Window window
    cdef Outcome outcome
    if not is_whole(event, walk.length):
        return IS_BROKEN
    window.origin = walk.position + HEADER
    if read_alike(&walk.reader, event, walk.length, window.origin):
        walk.position += walk.length + FRAME
        return GOES_ON
    window.bytes = event
    window.low = 0
    window.high = window.size = walk.length
    outcome = _settle(walk, read_event(&walk.reader, &window))
    if outcome == GOES_ON and walk.position > window.origin:
        expect_alike(&walk.reader, event, walk.length, window.origin)
    return outcome


cdef inline Outcome _read_long(Walk *walk, const uint8_t *event, int64_t held) noexcept nogil:
    """Reads an event of which ``held`` bytes are in memory; numbers are taken once it is verified."""
    cdef Window window
    cdef Status status
    window.bytes = event
    window.low = 0
    window.high = min(held, walk.length)
    window.size = walk.length
    window.origin = walk.position + HEADER
    window.descriptor = walk.descriptor
    window.page = walk.memory.page
    window.reads = 0
    window.error = 0
    status = read_event(&walk.reader, &window)
    walk.error = window.error
    walk.spent += window.reads * LEAST_COST
    walk.reach = AFTER_LONG
    if status == OK and (walk.reader.has_numbers or walk.reader.starts_session) and not is_whole_on_disk(walk):
        forget_event(&walk.reader)
        return IS_BROKEN
    return _settle(walk, status)


cdef inline Outcome advance(Walk *walk) noexcept nogil:
    cdef Outcome outcome = GOES_ON
    cdef const uint8_t *here
    cdef int64_t left
    cdef uint64_t length
    cdef uint32_t stored
    while outcome == GOES_ON:
        if walk.position >= walk.size or walk.position >= walk.until:
            return STOPS
        if walk.searched > walk.position:
            outcome = _search(walk)
            continue
        left = walk.start + walk.held - walk.position if walk.position >= walk.start else 0
        if left < HEADER:
            if walk.size - walk.position < HEADER:
                return ENDS_IN_HEADER
            outcome = _fill(walk, walk.position, HEADER)
            continue
        here = walk.memory.buffer + (walk.position - walk.start)
        memcpy(&length, here, 8)
        memcpy(&stored, here + 8, 4)
        if length != walk.good_length or stored != walk.good_checksum:
            if not _is_good(walk, here, length, stored):
                walk.searched = walk.position + 1
                continue
            walk.good_length = length
            walk.good_checksum = stored
        walk.length = <int64_t>length
        if walk.length + FRAME > walk.size - walk.position:
            return ENDS_IN_RECORD
        if walk.length > walk.longest_read:
            outcome = _read_long(walk, here + HEADER, left - HEADER)
        elif walk.length + FRAME > left:
            outcome = _fill(walk, walk.position, walk.length + FRAME)
        elif walk.knows_dialect or walk.position:
            outcome = _read_short(walk, here + HEADER)
        else:
            return AT_VERSION
    return outcome
