"""Events to rows: what ``insight_core.formats.event`` reads, without an object per event."""

from libc.math cimport INFINITY, isfinite
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy

from insight_core.ingest.scanner._alike cimport Bodies, Body, body_start, expected, remember
from insight_core.ingest.scanner._fields cimport (
    FAILED, NO_MEMORY, ODD, OK, PAGE, UNKNOWN_METADATA, Field, Status, Window, at, next_field,
)
from insight_record.formats._interning cimport lookup
from insight_core.ingest.scanner._numbers cimport LONGEST_NUMBER, read_number
from insight_core.ingest.scanner._rows cimport (
    FIELDS, METADATA, PAYLOAD, SCALAR_VALUE, SIMPLE_VALUE, SINGLE, SUMMARY, TAGGED_RUN_METADATA, TENSOR,
    VERSION, Locator, Names, Note, Row, Rows, Tag, add_note, add_row, tag_number,
)


cdef enum:
    SESSION_START = 1  # status of a SessionLog


cdef struct Layout:  # of a dialect: the kind of value under each field number, 0 for none
    int8_t event_fields[FIELDS]
    int8_t value_fields[FIELDS]
    int metadata_field  # -1: there is none
    int session_field  # 0: there is none
    bint has_nameless  # fields of values that have no name are values too
    bint numbers_are_tensors  # a number may come as a tensor of one element


cdef struct Reader:
    Layout layout
    Names *names
    Rows *rows
    Bodies *bodies
    int64_t batch  # its number
    int64_t first_row  # of the event read last
    int64_t first_locator
    int64_t first_note
    double wall_time
    int64_t step
    bint has_numbers
    int32_t noted  # metadata of the value read last, if it names a plugin, else -1
    int64_t number  # place of the number read last in the event, if its bytes are just that, else -1
    const uint8_t *metadata  # UNKNOWN_METADATA: these bytes are
    int64_t metadata_size
    double first_wall_time  # of the batch, smallest finite one
    int64_t batch_row  # the first row of the batch
    bint starts_session  # the event read last
    bint has_session  # the batch: one begins before its values
    int64_t session_step  # the smallest step of these


cdef inline Status _read_tag(
    Reader *reader, Window *window, int64_t start, int64_t size, int32_t *tag
) noexcept nogil:
    cdef const uint8_t *data
    if size > PAGE and start + size > window.high:
        return ODD
    data = at(window, start, size)
    if data == NULL:
        return FAILED
    tag[0] = tag_number(reader.names, data, size)
    return NO_MEMORY if tag[0] < 0 else OK


cdef inline Status _read_metadata(
    Reader *reader, Window *window, int64_t start, int64_t size, int32_t *metadata
) noexcept nogil:
    cdef const uint8_t *data
    if size > PAGE and start + size > window.high:
        return ODD
    data = at(window, start, size)
    if data == NULL:
        return FAILED
    metadata[0] = lookup(&reader.names.metadata, data, <int32_t>size)
    if metadata[0] >= 0:
        return OK
    reader.metadata = data
    reader.metadata_size = size
    return UNKNOWN_METADATA


cdef inline Status _add(
    Reader *reader,
    Window *window,
    int32_t tag,
    int32_t field,
    int form,
    uint64_t bits,
    int64_t start,
    int64_t size,
) noexcept nogil:
    cdef int64_t origin = window.origin
    if tag < 0:
        tag = tag_number(reader.names, <const uint8_t *>"", 0)
        if tag < 0:
            return NO_MEMORY
    if form != PAYLOAD:
        reader.has_numbers = True
    # the header of a record has 12 bytes
    if not add_row(reader.rows, reader.names, tag, field, form, bits, origin - 12, origin + start, size):
        return NO_MEMORY
    return OK


cdef inline bint is_noted(const Reader *reader, int32_t tag, int32_t metadata) noexcept nogil:
    """Whether this metadata is what was noted last of a tag in this batch."""
    cdef const Tag *known = &reader.names.tag_table[tag]
    return known.noted == reader.batch and known.metadata == metadata


cdef inline Status _read_value(Reader *reader, Window *window, int64_t start, int64_t size) noexcept nogil:
    cdef int64_t position = start
    cdef int64_t end = start + size
    cdef int32_t tag = -1
    cdef int32_t metadata = -1
    cdef int32_t kind = 0
    cdef int32_t found
    cdef int form = PAYLOAD
    cdef uint64_t bits = 0
    cdef int64_t content = 0
    cdef int64_t content_size = 0
    cdef const uint8_t *data
    cdef Field field
    cdef Status status
    while position < end:
        status = next_field(window, &position, end, &field)
        if status == OK:
            if field.number == 1 and field.kind == 2:
                status = _read_tag(reader, window, field.start, field.size, &tag)
            elif field.number >= FIELDS:
                if reader.layout.has_nameless:
                    return ODD
                continue
            elif <int>field.number == reader.layout.metadata_field:
                if field.kind == 2:
                    status = _read_metadata(reader, window, field.start, field.size, &metadata)
            else:
                found = reader.layout.value_fields[field.number]
                if not found:
                    if reader.layout.has_nameless and field.number != 1:
                        return ODD
                    continue
                if field.kind != (5 if found == SIMPLE_VALUE or found == SCALAR_VALUE else 2):
                    return ODD
                kind = found
                content = field.start
                content_size = field.size
        if status != OK:
            return status
    if kind == SIMPLE_VALUE or kind == SCALAR_VALUE:
        data = at(window, content, 4)
        if data == NULL:
            return FAILED
        memcpy(&bits, data, 4)
        form = SINGLE
        reader.number = content
    elif kind == TENSOR:
        if reader.layout.numbers_are_tensors and content_size <= LONGEST_NUMBER:
            status = read_number(window, content, content_size, &form, &bits, &reader.number)
            if status != OK:
                return status
    elif not kind:
        if metadata < 0 or not reader.names.has_plugin[metadata]:
            return OK
        kind = METADATA
        content = start
    status = _add(reader, window, tag, kind, form, bits, content, content_size)
    if status == OK and metadata >= 0 and reader.names.has_plugin[metadata]:
        if tag < 0:
            tag = tag_number(reader.names, <const uint8_t *>"", 0)
        reader.noted = metadata
        # what this event noted already counts only when it is settled: after that, all of its values are noted
        if reader.rows.note_count > reader.first_note or not is_noted(reader, tag, metadata):
            if not add_note(reader.rows, tag, metadata):
                return NO_MEMORY
    return status


cdef inline Status _read_summary(Reader *reader, Window *window, Field *summary) noexcept nogil:
    cdef int64_t position = summary.start
    cdef int64_t end = summary.start + summary.size
    cdef Field field
    cdef Status status
    while position < end:
        status = next_field(window, &position, end, &field)
        if status == OK and field.number == 1 and field.kind == 2:
            status = _read_value(reader, window, field.start, field.size)
        if status != OK:
            return status
    return OK


cdef inline Status _read_tagged(Reader *reader, Window *window, Field *tagged) noexcept nogil:
    """A TaggedRunMetadata, 1 tag, 2 run_metadata; the latter is the payload."""
    cdef int64_t position = tagged.start
    cdef int64_t end = tagged.start + tagged.size
    cdef int64_t start = tagged.start
    cdef int64_t size = 0
    cdef int32_t tag = -1
    cdef Field field
    cdef Status status
    while position < end:
        status = next_field(window, &position, end, &field)
        if status == OK and field.kind == 2:
            if field.number == 1:
                status = _read_tag(reader, window, field.start, field.size, &tag)
            elif field.number == 2:
                start = field.start
                size = field.size
        if status != OK:
            return status
    return _add(reader, window, tag, TAGGED_RUN_METADATA, PAYLOAD, 0, start, size)


cdef inline Status _read_session(Reader *reader, Window *window, Field *session) noexcept nogil:
    """A SessionLog, 1 status."""
    cdef int64_t position = session.start
    cdef int64_t end = session.start + session.size
    cdef uint64_t value = 0
    cdef Field field
    cdef Status status
    while position < end:
        status = next_field(window, &position, end, &field)
        if status != OK:
            return status
        if field.number == 1 and field.kind == 0:
            value = field.varint
    reader.starts_session = value == SESSION_START
    return OK


cdef inline Status _read_fields(Reader *reader, Window *window) noexcept nogil:
    cdef int64_t position = 0
    cdef int32_t kind
    cdef const uint8_t *data
    cdef Field field
    cdef Status status
    while position < window.size:
        status = next_field(window, &position, window.size, &field)
        if status != OK:
            return status
        if field.number == 1 and field.kind == 1:
            data = at(window, field.start, 8)
            if data == NULL:
                return FAILED
            memcpy(&reader.wall_time, data, 8)
        elif field.number == 2 and field.kind == 0:
            reader.step = <int64_t>field.varint
        elif reader.layout.session_field and field.number == <uint64_t>reader.layout.session_field:
            if field.kind == 2:
                status = _read_session(reader, window, &field)
                if status != OK:
                    return status
        elif field.number < FIELDS and reader.layout.event_fields[field.number]:
            kind = reader.layout.event_fields[field.number]
            if field.kind != 2:
                return ODD
            if kind == SUMMARY:
                status = _read_summary(reader, window, &field)
            elif kind == TAGGED_RUN_METADATA:
                status = _read_tagged(reader, window, &field)
            elif kind != VERSION:
                status = _add(reader, window, -1, kind, PAYLOAD, 0, field.start, field.size)
            if status != OK:
                return status
    return OK


cdef inline void begin_batch(Reader *reader) noexcept nogil:
    reader.batch += 1
    reader.batch_row = reader.rows.count
    reader.first_wall_time = INFINITY
    reader.has_session = False


cdef inline bint ends_batch(const Reader *reader) noexcept nogil:
    """Whether the event read last is the first of another batch: a session that begins after values."""
    return reader.starts_session and reader.first_row > reader.batch_row


cdef inline void begin_event(Reader *reader) noexcept nogil:
    reader.has_numbers = False
    reader.noted = reader.number = -1
    reader.starts_session = False
    reader.first_row = reader.rows.count
    reader.first_locator = reader.rows.locator_count
    reader.first_note = reader.rows.note_count
    reader.wall_time = 0.0
    reader.step = 0


cdef inline void settle_event(Reader *reader) noexcept nogil:
    """The event is sound: its rows count."""
    cdef int64_t index
    cdef const Note *note
    for index in range(reader.first_row, reader.rows.count):
        reader.rows.rows[index].wall_time = reader.wall_time
        reader.rows.rows[index].step = reader.step
    for index in range(reader.first_note, reader.rows.note_count):
        note = &reader.rows.notes[index]
        reader.names.tag_table[note.tag].noted = reader.batch
        reader.names.tag_table[note.tag].metadata = note.metadata
    if reader.starts_session and not (reader.has_session and reader.session_step <= reader.step):
        reader.has_session = True
        reader.session_step = reader.step
    if reader.wall_time > 0 and isfinite(reader.wall_time) and reader.wall_time < reader.first_wall_time:
        reader.first_wall_time = reader.wall_time


cdef inline void forget_event(Reader *reader) noexcept nogil:
    reader.rows.count = reader.first_row
    reader.rows.locator_count = reader.first_locator
    reader.rows.note_count = reader.first_note


cdef inline Status read_event(Reader *reader, Window *window) noexcept nogil:
    """Adds the rows of the event in ``window``: to be settled, or forgotten when it is not sound."""
    begin_event(reader)
    return _read_fields(reader, window)


cdef inline bint read_alike(Reader *reader, const uint8_t *event, int64_t size, int64_t origin) noexcept nogil:
    """Takes a sound event that looks like the one expected; False, and nothing happens, if it does not."""
    cdef uint64_t step, bits = 0
    cdef int64_t start = body_start(event, size, &step)
    cdef const Body *body = expected(reader.bodies, event + start, size - start) if start else NULL
    if body == NULL or (body.metadata >= 0 and not is_noted(reader, body.tag, body.metadata)):
        return False
    memcpy(&bits, event + start + body.number, <size_t>body.number_size)
    begin_event(reader)
    memcpy(&reader.wall_time, event + 1, 8)
    reader.step = <int64_t>step
    # the header of a record has 12 bytes
    if not add_row(
        reader.rows, reader.names, body.tag, body.field, body.form, bits,
        origin - 12, origin + start + body.start, body.size,
    ):
        return False
    settle_event(reader)
    return True


cdef inline void expect_alike(Reader *reader, const uint8_t *event, int64_t size, int64_t origin) noexcept nogil:
    """Remembers a sound event, just read field by field and settled, if it is one of one number."""
    cdef Body body
    cdef const Row *row
    cdef const Locator *locator
    cdef uint64_t step
    cdef int64_t start
    if reader.number < 0 or reader.rows.count != reader.first_row + 1:
        return
    start = body_start(event, size, &step)
    if not start:
        return
    row = &reader.rows.rows[reader.first_row]
    body.key = row.key_and_form >> 2
    body.form = row.key_and_form & 3
    body.tag = reader.names.keys[body.key].tag
    body.field = reader.names.keys[body.key].field
    body.metadata = reader.noted
    body.length = size - start
    body.number = reader.number - start
    body.number_size = 4 if body.form == SINGLE else 8
    body.start = body.size = 0
    if row.locator >= 0:
        locator = &reader.rows.locators[row.locator]
        body.start = locator.start - origin - start
        body.size = locator.size
    remember(reader.bodies, &reader.names.keys[body.key].body, &body, event + start)
