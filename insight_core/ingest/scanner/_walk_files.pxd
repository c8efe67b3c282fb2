"""Small event files one after the other, without the GIL, until something needs Python."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp
from posix.unistd cimport close

from insight_core.ingest.scanner._alike cimport forget_bodies
from insight_core.ingest.scanner._bunch cimport Bunch, File, FileVersion, take_rows
from insight_core.ingest.scanner._events cimport begin_batch
from insight_core.ingest.scanner._fields cimport read_at
from insight_core.ingest.scanner._walk cimport (
    AT_VERSION, HAS_UNKNOWN_METADATA, HEADER, IS_ODD, LACKS_MEMORY, STOPS, Outcome, Walk, advance,
    crc32c_extend, is_whole,
)

cdef extern from "file_version.h":
    int open_for_reading(const char *path) nogil
    bint read_version(int descriptor, FileVersion *version) nogil


cdef enum:
    ROOM = 5 << 18  # bytes of the files of one bunch
    MOST_KEYS = 1024  # after a file with which there are more, a bunch ends
    TIME = 9  # bytes of the wall time that an event begins with

cdef enum Step:
    IN_FILE
    BUNCH_ENDS
    NEEDS_DIALECT  # the first event may tell it
    NEEDS_METADATA
    NEEDS_MEMORY


cdef inline void close_file(Bunch *bunch) noexcept nogil:
    if bunch.descriptor >= 0:
        close(bunch.descriptor)
    bunch.descriptor = -1


cdef inline void set_dialect(Bunch *bunch, bint mindspore) noexcept nogil:
    """Of the file that is read."""
    bunch.files[bunch.next_file].mindspore = mindspore
    bunch.walk.reader.layout = bunch.layouts[mindspore]
    bunch.walk.knows_dialect = True


cdef inline bint _begins_alike(Bunch *bunch) noexcept nogil:
    cdef const uint8_t *event = bunch.memory.buffer + HEADER
    return (
        bunch.walk.length - TIME == bunch.beginning_size
        and event[0] == 9
        and memcmp(event + TIME, bunch.beginning, <size_t>bunch.beginning_size) == 0
        and is_whole(event, bunch.walk.length)
    )


cdef inline bint _read(Bunch *bunch, File *file) noexcept nogil:
    """Has the whole file in memory; False when that cannot be."""
    cdef Walk *walk = &bunch.walk
    cdef int64_t size = file.version.size
    cdef int error = 0
    file.start = bunch.used
    bunch.memory.buffer = bunch.buffer + bunch.used
    bunch.memory.room = size
    walk.memory = &bunch.memory
    walk.reader.layout = bunch.layouts[file.mindspore]
    walk.reader.names = &bunch.names
    walk.reader.rows = &bunch.rows
    walk.reader.bodies = &bunch.memory.bodies
    forget_bodies(walk.reader.bodies)
    begin_batch(&walk.reader)
    walk.descriptor = bunch.descriptor
    walk.size = walk.until = walk.held = size
    walk.searched = walk.position = walk.start = walk.spent = 0
    walk.unfit = -1
    walk.error = 0
    walk.knows_dialect = False
    walk.good_length = <uint64_t>-1
    return read_at(bunch.descriptor, bunch.memory.buffer, size, 0, &error) == size


cdef inline bint _is_unchanged(Bunch *bunch, File *file) noexcept nogil:
    cdef FileVersion now
    return read_version(bunch.descriptor, &now) and memcmp(&now, &file.version, sizeof(FileVersion)) == 0


cdef inline Step _open(Bunch *bunch, File *file) noexcept nogil:
    """Begins the next file: a missing, an empty or a long one is not taken."""
    if bunch.names.key_count > MOST_KEYS:
        return BUNCH_ENDS
    file.is_taken = False
    file.first_row = bunch.rows.count
    file.first_locator = bunch.rows.locator_count
    file.first_note = bunch.rows.note_count
    bunch.descriptor = open_for_reading(file.path)
    if bunch.descriptor < 0 or not read_version(bunch.descriptor, &file.version):
        return IN_FILE
    if not 0 < file.version.size <= bunch.largest:
        return IN_FILE
    if bunch.used + file.version.size > ROOM:
        return BUNCH_ENDS
    file.is_taken = _read(bunch, file)
    return IN_FILE


cdef inline void _take_checksums(const Bunch *bunch, File *file) noexcept nogil:
    cdef const uint8_t *data = bunch.buffer + file.start
    cdef int64_t size = file.version.size
    cdef size_t tail = <size_t>min(size, bunch.tail)
    file.head_checksum = ~crc32c_extend(0xFFFFFFFF, data, <size_t>min(size, bunch.head))
    file.tail_checksum = ~crc32c_extend(0xFFFFFFFF, data + size - tail, tail)


cdef inline void leave_file(Bunch *bunch, bint is_taken) noexcept nogil:
    cdef File *file = &bunch.files[bunch.next_file]
    file.is_taken = is_taken
    if is_taken:
        _take_checksums(bunch, file)
        bunch.used += file.version.size
    else:
        bunch.rows.count = file.first_row
        bunch.rows.locator_count = file.first_locator
        bunch.rows.note_count = file.first_note
    close_file(bunch)
    bunch.next_file += 1


cdef inline Step advance_bunch(Bunch *bunch) noexcept nogil:
    """Reads files until something needs Python, or what they hold is as much as columns are made of at once."""
    cdef File *file
    cdef Outcome outcome
    while bunch.next_file < bunch.file_count:
        file = &bunch.files[bunch.next_file]
        if bunch.descriptor < 0 and _open(bunch, file) == BUNCH_ENDS:
            close_file(bunch)
            return BUNCH_ENDS
        outcome = advance(&bunch.walk) if file.is_taken else IS_ODD
        if outcome == AT_VERSION:
            if not _begins_alike(bunch):
                return NEEDS_DIALECT
            set_dialect(bunch, bunch.beginning_mindspore)
            continue
        if outcome == HAS_UNKNOWN_METADATA:
            return NEEDS_METADATA
        if outcome == STOPS:
            if bunch.walk.position == file.version.size and _is_unchanged(bunch, file):
                outcome = take_rows(bunch, file)
            else:
                outcome = IS_ODD
        if outcome == LACKS_MEMORY:
            return NEEDS_MEMORY
        leave_file(bunch, outcome == STOPS)
    return BUNCH_ENDS
