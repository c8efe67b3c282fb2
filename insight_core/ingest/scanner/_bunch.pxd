"""Rows of several files to columns that they share."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from insight_core.ingest.scanner._alike cimport release_bodies
from insight_core.ingest.scanner._columns cimport (
    MIXED, Lengths, Part, Sorted, add_part, count_rows, is_located, join_rows, sort_rows,
)
from insight_core.ingest.scanner._events cimport Layout
from insight_core.ingest.scanner._rows cimport (
    PAYLOAD, SINGLE, TENSOR, Names, Note, Rows, has_room, release_names, release_rows,
)
from insight_core.ingest.scanner._walk cimport IS_ODD, LACKS_MEMORY, STOPS, Memory, Outcome, Walk

cdef extern from "file_version.h":
    ctypedef struct FileVersion:
        int64_t device
        uint64_t inode
        int64_t size
        int64_t mtime_ns
        int64_t ctime_ns


cdef struct File:
    const char *path
    bint is_taken
    bint mindspore  # its dialect, as guessed or told
    FileVersion version
    int64_t start  # of its bytes in the buffer
    int64_t first_row
    int64_t row_count
    int64_t first_locator
    int64_t first_note
    int64_t note_count
    int64_t first_part
    int64_t first_group
    int64_t group_count
    double first_wall_time
    bint has_session
    int64_t session_step
    uint32_t head_checksum  # CRC-32C of the first and the last bytes, if it is taken
    uint32_t tail_checksum


cdef struct Group:  # values of a file of the same field and form
    int32_t field
    int32_t form
    bint located
    int64_t first_member
    int64_t member_count
    int64_t first  # of its rows
    int64_t end
    int64_t numbers  # first place among the numbers of its form
    int64_t locators


cdef struct Bunch:  # files that share columns
    Layout layouts[2]
    int64_t largest  # bytes of a file
    int64_t head  # bytes of checksums
    int64_t tail
    File *files
    int64_t file_count
    int64_t first_file
    int64_t next_file
    int descriptor  # of the next file, or -1
    uint8_t *buffer  # of ROOM bytes
    int64_t used
    Memory memory  # as the walk through one file sees it
    Walk walk
    Rows rows
    Names names
    uint64_t seed
    Part *parts
    int64_t part_count
    int64_t part_room
    Group *groups
    int64_t group_count
    int64_t group_room
    int32_t *order  # keys of the file that is read
    int64_t order_count
    int64_t order_room
    uint8_t *takes_numbers  # whether the plugin that metadata names does
    int64_t metadata_room
    uint8_t *numbers  # whether the plugin of a tag does, in the file that is read
    int64_t number_count
    int64_t number_room
    int32_t *members  # keys of the groups
    int64_t member_count
    int64_t member_room
    Lengths lengths
    const uint8_t *beginning  # the first event, less its time, of files of a known dialect
    int64_t beginning_size
    bint beginning_mindspore


cdef inline void begin_bunch(Bunch *bunch) noexcept nogil:
    release_names(&bunch.names)
    memset(&bunch.names, 0, sizeof(Names))
    memset(&bunch.lengths, 0, sizeof(Lengths))
    bunch.names.tags.seed = bunch.names.metadata.seed = bunch.seed
    bunch.first_file = bunch.next_file
    bunch.used = bunch.part_count = bunch.group_count = bunch.member_count = 0
    bunch.rows.count = bunch.rows.locator_count = bunch.rows.note_count = 0


cdef inline void release_bunch(Bunch *bunch) noexcept nogil:
    free(bunch.files)
    free(bunch.buffer)
    free(bunch.memory.page)
    free(bunch.parts)
    free(bunch.groups)
    free(bunch.order)
    free(bunch.members)
    free(bunch.takes_numbers)
    free(bunch.numbers)
    release_bodies(&bunch.memory.bodies)
    release_rows(&bunch.rows)
    release_names(&bunch.names)


cdef inline Rows rows_of(const Bunch *bunch, const File *file) noexcept nogil:
    cdef Rows rows = bunch.rows
    rows.rows += file.first_row
    rows.count = file.row_count
    return rows


cdef inline bint _order_keys(Bunch *bunch, const Rows *rows, Part *parts) noexcept nogil:
    """Has the keys of a file in ``order``, by their first rows; False when memory is short."""
    cdef int64_t index
    cdef int64_t missing = 0
    cdef int32_t key
    bunch.order_count = 0
    for key in range(bunch.names.key_count):
        missing += parts[key].count > 0
    for index in range(rows.count):
        if not missing:
            break
        key = rows.rows[index].key_and_form >> 2
        if parts[key].next:
            continue
        if not has_room(<void **>&bunch.order, &bunch.order_room, bunch.order_count, sizeof(int32_t)):
            return False
        parts[key].next = 1
        bunch.order[bunch.order_count] = key
        bunch.order_count += 1
        missing -= 1
    return True


cdef inline bint _note_numbers(Bunch *bunch, const File *file) noexcept nogil:
    """Has in ``numbers`` which tags of a file are of plugins that take numbers; False when memory is short.

    The first metadata of a tag decides.
    """
    cdef const Note *notes = bunch.rows.notes + file.first_note
    cdef int64_t index
    bunch.number_count = 0
    while bunch.number_count < bunch.names.tags.count:
        if not has_room(<void **>&bunch.numbers, &bunch.number_room, bunch.number_count, 1):
            return False
        bunch.numbers[bunch.number_count] = False
        bunch.number_count += 1
    for index in range(file.note_count - 1, -1, -1):
        bunch.numbers[notes[index].tag] = bunch.takes_numbers[notes[index].metadata]
    return True


cdef inline bint _is_located(const Bunch *bunch, int32_t key, int form) noexcept nogil:
    cdef int32_t field = bunch.names.keys[key].field
    return is_located(field) and (
        form == PAYLOAD or field != TENSOR or not bunch.numbers[bunch.names.keys[key].tag]
    )


cdef inline bint _group(Bunch *bunch, File *file, Part *parts, int64_t place) noexcept nogil:
    """Adds the key at ``place`` of ``order`` and all that have its field and form; False when memory is short."""
    cdef int32_t key = bunch.order[place]
    cdef Group *group
    if not has_room(<void **>&bunch.groups, &bunch.group_room, bunch.group_count, sizeof(Group)):
        return False
    group = &bunch.groups[bunch.group_count]
    bunch.group_count += 1
    file.group_count += 1
    group.field = bunch.names.keys[key].field
    group.form = parts[key].form
    group.located = _is_located(bunch, key, group.form)
    group.first_member = bunch.member_count
    group.first = bunch.lengths.total
    group.numbers = bunch.lengths.singles if group.form == SINGLE else bunch.lengths.doubles
    group.locators = bunch.lengths.located
    for place in range(place, bunch.order_count):
        key = bunch.order[place]
        if key < 0 or bunch.names.keys[key].field != group.field or parts[key].form != group.form:
            continue
        if _is_located(bunch, key, group.form) != group.located:
            continue
        if not has_room(<void **>&bunch.members, &bunch.member_room, bunch.member_count, sizeof(int32_t)):
            return False
        add_part(&parts[key], group.located, &bunch.lengths)
        bunch.members[bunch.member_count] = key
        bunch.member_count += 1
        bunch.order[place] = -1
    group.member_count = bunch.member_count - group.first_member
    group.end = bunch.lengths.total
    return True


cdef inline Outcome take_rows(Bunch *bunch, File *file) noexcept nogil:
    """Gives the rows of a file their places. STOPS, or IS_ODD when the values of a tag change their form."""
    cdef Rows rows
    cdef Part *parts
    cdef int32_t key
    cdef int64_t place
    file.row_count = bunch.rows.count - file.first_row
    file.note_count = bunch.rows.note_count - file.first_note
    file.first_wall_time = bunch.walk.reader.first_wall_time
    file.has_session = bunch.walk.reader.has_session
    file.session_step = bunch.walk.reader.session_step
    file.first_part = bunch.part_count
    file.first_group = bunch.group_count
    file.group_count = 0
    for key in range(bunch.names.key_count):
        if not has_room(<void **>&bunch.parts, &bunch.part_room, bunch.part_count, sizeof(Part)):
            return LACKS_MEMORY
        memset(&bunch.parts[bunch.part_count], 0, sizeof(Part))
        bunch.part_count += 1
    if not file.row_count:
        return STOPS
    parts = &bunch.parts[file.first_part]
    rows = rows_of(bunch, file)
    count_rows(&rows, parts)
    join_rows(&rows, parts, &bunch.names)
    if not _order_keys(bunch, &rows, parts) or not _note_numbers(bunch, file):
        return LACKS_MEMORY
    for place in range(bunch.order_count):
        if parts[bunch.order[place]].form == MIXED:
            return IS_ODD
    for place in range(bunch.order_count):
        if bunch.order[place] >= 0 and not _group(bunch, file, parts, place):
            return LACKS_MEMORY
    return STOPS


cdef struct Columns:  # of a bunch, one behind the other in one piece of memory; offsets in bytes
    uint8_t *data
    int64_t size
    int64_t steps
    int64_t wall_times
    int64_t doubles
    int64_t records
    int64_t starts
    int64_t sizes
    int64_t ends  # index after the last value of each member of each group, from the first of the group on
    int64_t singles
    int64_t ascending  # whether the steps of each member never go back


cdef inline bint make_columns(Bunch *bunch, Columns *columns) noexcept nogil:
    """Sorts the rows of all files that were taken; False when memory is short."""
    cdef Sorted whole
    cdef Rows rows
    cdef File *file
    cdef Group *group
    cdef Part *part
    cdef int64_t *ends
    cdef int64_t index, place, member
    columns.steps = 0
    columns.wall_times = columns.steps + 8 * bunch.lengths.total
    columns.doubles = columns.wall_times + 8 * bunch.lengths.total
    columns.records = columns.doubles + 8 * bunch.lengths.doubles
    columns.starts = columns.records + 8 * bunch.lengths.located
    columns.sizes = columns.starts + 8 * bunch.lengths.located
    columns.ends = columns.sizes + 8 * bunch.lengths.located
    columns.singles = columns.ends + 8 * bunch.member_count
    columns.ascending = columns.singles + 4 * bunch.lengths.singles
    columns.size = columns.ascending + bunch.member_count
    columns.data = <uint8_t *>malloc(columns.size + 1)
    if columns.data == NULL:
        return False
    whole.steps = <int64_t *>(columns.data + columns.steps)
    whole.wall_times = <double *>(columns.data + columns.wall_times)
    whole.singles = <float *>(columns.data + columns.singles)
    whole.doubles = <double *>(columns.data + columns.doubles)
    whole.forms = NULL  # no form is MIXED
    whole.records = <int64_t *>(columns.data + columns.records)
    whole.starts = <int64_t *>(columns.data + columns.starts)
    whole.sizes = <int64_t *>(columns.data + columns.sizes)
    ends = <int64_t *>(columns.data + columns.ends)
    for index in range(bunch.first_file, bunch.next_file):
        file = &bunch.files[index]
        if not file.is_taken or not file.row_count:
            continue
        rows = rows_of(bunch, file)
        sort_rows(&rows, &bunch.parts[file.first_part], &whole)
        for place in range(file.first_group, file.first_group + file.group_count):
            group = &bunch.groups[place]
            for member in range(group.first_member, group.first_member + group.member_count):
                part = &bunch.parts[file.first_part + bunch.members[member]]
                ends[member] = part.first + part.count - group.first
                columns.data[columns.ascending + member] = not part.goes_back
    return True
