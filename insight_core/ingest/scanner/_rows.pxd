"""The values of a batch as rows, in the order of the file, and the names of one file that they refer to."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

from insight_record.formats._interning cimport Interned, intern, release


cdef enum:
    FIELDS = 17  # kinds of values, numbered by _kernel.pyx; those that have code:
    VERSION = 1
    SUMMARY = 2
    TAGGED_RUN_METADATA = 3
    SIMPLE_VALUE = 4
    SCALAR_VALUE = 5
    TENSOR = 6
    METADATA = 7

cdef enum:  # forms of a value
    PAYLOAD = 0
    SINGLE = 1
    DOUBLE = 2


cdef struct Row:  # one value
    int64_t step
    double wall_time
    uint64_t bits  # of the number
    int32_t key_and_form  # key * 4 + form
    int32_t locator  # its place among the locators, or -1


cdef struct Locator:
    int64_t record
    int64_t start
    int64_t size


cdef struct Note:  # that a tag has metadata
    int32_t tag
    int32_t metadata


cdef struct Rows:  # of one batch
    Row *rows
    int64_t count
    int64_t room
    Locator *locators
    int64_t locator_count
    int64_t locator_room
    Note *notes
    int64_t note_count
    int64_t note_room


cdef struct Tag:
    int64_t noted  # number of the batch in which its metadata was noted
    int32_t metadata  # noted last
    int32_t keys[FIELDS]  # -1: no value of that field yet


cdef struct Key:
    int32_t tag
    int32_t field
    int32_t body  # place of the last event of one number with it, if that is still there (_alike.pxd)


cdef struct Names:  # of one file
    Interned tags
    Tag *tag_table
    int64_t tag_room
    Key *keys
    int32_t key_count
    int64_t key_room
    Interned metadata  # as bytes
    uint8_t *has_plugin  # whether metadata names a plugin
    int64_t metadata_room


cdef inline uint64_t bits_of(double number, int form) noexcept nogil:
    """A number as ``Row.bits`` holds it: four bytes of a SINGLE, eight of a DOUBLE."""
    cdef uint64_t bits = 0
    cdef float single = <float>number
    if form == SINGLE:
        memcpy(&bits, &single, 4)
    else:
        memcpy(&bits, &number, 8)
    return bits


cdef inline bint has_room(void **table, int64_t *room, int64_t count, size_t item) noexcept nogil:
    """Makes room for one item more; False when memory is short."""
    cdef int64_t wanted
    cdef void *moved
    if count < room[0]:
        return True
    wanted = room[0] * 2 if room[0] else 16
    moved = realloc(table[0], <size_t>wanted * item)
    if moved == NULL:
        return False
    table[0] = moved
    room[0] = wanted
    return True


cdef inline void release_rows(Rows *rows) noexcept nogil:
    free(rows.rows)
    free(rows.locators)
    free(rows.notes)


cdef inline void release_names(Names *names) noexcept nogil:
    release(&names.tags)
    release(&names.metadata)
    free(names.tag_table)
    free(names.keys)
    free(names.has_plugin)


cdef inline int32_t tag_number(Names *names, const uint8_t *data, int64_t length) noexcept nogil:
    """-1 when memory is short."""
    cdef int32_t known = names.tags.count
    cdef int32_t tag
    cdef int field
    if not has_room(<void **>&names.tag_table, &names.tag_room, known, sizeof(Tag)):
        return -1
    tag = intern(&names.tags, data, <int32_t>length)
    if tag == known:
        names.tag_table[tag].noted = -1
        for field in range(FIELDS):
            names.tag_table[tag].keys[field] = -1
    return tag


cdef inline bint add_metadata(Names *names, const uint8_t *data, int64_t length, bint has_plugin) noexcept nogil:
    """False when memory is short."""
    cdef int32_t known = names.metadata.count
    if not has_room(<void **>&names.has_plugin, &names.metadata_room, known, 1):
        return False
    names.has_plugin[known] = has_plugin
    return intern(&names.metadata, data, <int32_t>length) >= 0


cdef inline int32_t key_number(Names *names, int32_t tag, int32_t field) noexcept nogil:
    """-1 when memory is short."""
    cdef int32_t key = names.tag_table[tag].keys[field]
    if key >= 0:
        return key
    key = names.key_count
    if key >= 1 << 28 or not has_room(<void **>&names.keys, &names.key_room, key, sizeof(Key)):
        return -1
    names.keys[key].tag = tag
    names.keys[key].field = field
    names.keys[key].body = -1
    names.tag_table[tag].keys[field] = key
    names.key_count += 1
    return key


cdef inline bint add_row(
    Rows *rows,
    Names *names,
    int32_t tag,
    int32_t field,
    int form,
    uint64_t bits,
    int64_t record,
    int64_t start,
    int64_t size,
) noexcept nogil:
    """Adds a value, whose time and step come later; False when memory is short."""
    cdef int32_t key = key_number(names, tag, field)
    cdef Row *row
    cdef Locator *locator
    if key < 0 or not has_room(<void **>&rows.rows, &rows.room, rows.count, sizeof(Row)):
        return False
    row = &rows.rows[rows.count]
    row.bits = bits
    row.key_and_form = key * 4 + form
    row.locator = -1
    if field != SIMPLE_VALUE and field != SCALAR_VALUE:
        if rows.locator_count >= 1 << 30 or not has_room(
            <void **>&rows.locators, &rows.locator_room, rows.locator_count, sizeof(Locator)
        ):
            return False
        locator = &rows.locators[rows.locator_count]
        locator.record = record
        locator.start = start
        locator.size = size
        row.locator = <int32_t>rows.locator_count
        rows.locator_count += 1
    rows.count += 1
    return True


cdef inline bint add_note(Rows *rows, int32_t tag, int32_t metadata) noexcept nogil:
    """False when memory is short."""
    if not has_room(<void **>&rows.notes, &rows.note_room, rows.note_count, sizeof(Note)):
        return False
    rows.notes[rows.note_count].tag = tag
    rows.notes[rows.note_count].metadata = metadata
    rows.note_count += 1
    return True
