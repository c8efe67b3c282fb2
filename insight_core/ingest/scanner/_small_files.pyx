# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""What ``insight_core.ingest.scanner.small_files`` says, for files that a scan would find nothing wrong with."""

from cpython.buffer cimport PyBuffer_FillInfo
from libc.math cimport INFINITY, NAN
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc

import os

import numpy as np

from insight_core.formats.dialects import Dialect
from insight_core.ingest.scanner._kernel import _FIELDS
from insight_core.formats.alike_files import FILES, PLACE, AlikeBlock, AlikeFiles, SharedColumns
from insight_core.formats.batch import Batch, SmallFile
from insight_core.formats.wall_times import LATEST
from insight_record.formats.framing import LONGEST_EVENT, LONGEST_READ
from insight_core.formats.event import Malformed, dialect_of, read_metadata

from insight_core.ingest.scanner._bunch cimport (
    Bunch, Columns as Layout, File, FileVersion, Group, begin_bunch, make_columns, release_bunch,
)
from insight_core.ingest.scanner._fields cimport PAGE
from insight_core.ingest.scanner._kernel cimport LONGEST_METADATA, layout_of
from insight_core.ingest.scanner._rows cimport PAYLOAD, SINGLE, add_metadata, has_room
from insight_core.ingest.scanner._walk cimport HEADER, is_whole
from insight_core.ingest.scanner._walk_files cimport (
    BUNCH_ENDS, NEEDS_DIALECT, NEEDS_METADATA, ROOM, TIME, Step, advance_bunch, close_file, leave_file,
    set_dialect,
)

cdef extern from "insight_record/formats/crc32c.h":
    const char *crc32c_select(int portable) nogil

crc32c_select(False)

cdef enum:
    MOST_IDLE = 2
    LONGEST_BEGINNING = 256  # bytes of a first event that is remembered
    MOST_GROUPS = 8  # of a file that is alike to others

cdef struct Entry:  # of ``FILES``
    FileVersion version
    double start_time
    uint32_t head_checksum
    uint32_t tail_checksum

if FILES.itemsize != sizeof(Entry) or PLACE != 5:
    raise ImportError("insight_core.ingest.scanner._small_files was compiled from other sources: build it again")

cdef uint64_t _seed = int.from_bytes(os.urandom(8), "little") | 1
cdef tuple _DIALECTS = (Dialect.TENSORBOARD, Dialect.MINDSPORE)


cdef class _Piece:
    """Memory of columns, for as long as one of them is used."""

    cdef uint8_t *data
    cdef Py_ssize_t size

    def __dealloc__(self):
        free(self.data)

    def __getbuffer__(self, Py_buffer *buffer, int flags):
        PyBuffer_FillInfo(buffer, self, self.data, self.size, False, flags)


cdef class _Alike:
    """Files of a bunch that are alike, as far as they were added."""

    cdef object files
    cdef bytearray entries
    cdef bytearray places
    cdef int64_t count

    def __cinit__(self, files):
        self.files, self.entries, self.places = files, bytearray(), bytearray()

    cdef finish(self):
        self.files.files = np.frombuffer(bytes(self.entries), FILES)
        kinds = len(self.files.kinds)
        self.files.places = np.frombuffer(bytes(self.places), np.int64).reshape(self.count, kinds, PLACE)


cdef class _Bunch:
    """One bunch of files after the other."""

    cdef Bunch data
    cdef list metadata  # by number in data.names.metadata
    cdef dict tags  # of groups of this bunch, by their keys
    cdef bytes beginning
    cdef object number_plugins
    cdef double latest

    def __cinit__(self):
        self.data.descriptor = -1
        self.data.seed = _seed
        self.latest = LATEST
        self.data.layouts[0] = layout_of(False)
        self.data.layouts[1] = layout_of(True)
        self.data.buffer = <uint8_t *>malloc(ROOM)
        self.data.memory.page = <uint8_t *>malloc(PAGE)
        if self.data.buffer == NULL or self.data.memory.page == NULL:
            raise MemoryError
        self._know(b"", False)

    def __dealloc__(self):
        close_file(&self.data)
        release_bunch(&self.data)

    cdef _know(self, bytes beginning, bint mindspore):
        self.beginning = beginning
        self.data.beginning = <const uint8_t *>beginning
        self.data.beginning_size = len(beginning)
        self.data.beginning_mindspore = mindspore

    cdef list read(self, list paths, list guesses):
        cdef Bunch *bunch = &self.data
        cdef Py_ssize_t count = len(paths)
        cdef Py_ssize_t index
        cdef list found = []
        free(bunch.files)
        bunch.file_count = bunch.next_file = 0
        bunch.files = <File *>calloc(count + 1, sizeof(File))
        if bunch.files == NULL:
            raise MemoryError
        for index in range(count):
            bunch.files[index].path = <const char *><bytes>paths[index]
            bunch.files[index].mindspore = guesses[index] is Dialect.MINDSPORE
        bunch.file_count = count
        bunch.largest = bunch.walk.longest_read = LONGEST_READ
        bunch.walk.longest_event = LONGEST_EVENT
        while bunch.next_file < count:
            self._read_bunch(found)
        return found

    cdef _read_bunch(self, list found):
        cdef Bunch *bunch = &self.data
        cdef Layout columns
        cdef Step step
        cdef bint is_sorted = False
        begin_bunch(bunch)
        self.metadata = []
        self.tags = {}
        while not is_sorted:
            with nogil:
                step = advance_bunch(bunch)
                if step == BUNCH_ENDS:
                    is_sorted = make_columns(bunch, &columns)
            if step == NEEDS_DIALECT:
                self._read_dialect()
            elif step == NEEDS_METADATA:
                if not self._learn(bunch.walk.reader.metadata[: bunch.walk.reader.metadata_size]):
                    leave_file(bunch, False)
            elif not is_sorted:
                raise MemoryError
        piece = _Piece()
        piece.data, piece.size = columns.data, columns.size
        self._add_files(found, self._whole_columns(piece, &columns), &columns)

    cdef _read_dialect(self):
        cdef const uint8_t *event = self.data.memory.buffer + HEADER
        cdef int64_t length = self.data.walk.length
        cdef bint mindspore = self.data.files[self.data.next_file].mindspore
        if is_whole(event, length):
            dialect = dialect_of(event[:length])
            if dialect is not None:
                mindspore = dialect is Dialect.MINDSPORE
                if TIME < length <= LONGEST_BEGINNING and event[0] == 9:
                    self._know(event[TIME:length], mindspore)
        set_dialect(&self.data, mindspore)

    cdef bint _learn(self, bytes data) except -1:
        """Remembers metadata, unless it is malformed or too long."""
        if len(data) > LONGEST_METADATA:
            return False
        try:
            metadata = read_metadata(data)
        except Malformed:
            return False
        cdef Bunch *bunch = &self.data
        number = len(self.metadata)
        if (
            not has_room(<void **>&bunch.takes_numbers, &bunch.metadata_room, number, 1)
            or not add_metadata(&bunch.names, <const uint8_t *>data, len(data), bool(metadata.plugin))
        ):
            raise MemoryError
        bunch.takes_numbers[number] = metadata.plugin in self.number_plugins
        self.metadata.append(metadata)
        return True

    # --- columns ------------------------------------------------------------------------------------

    cdef object _whole_columns(self, _Piece piece, const Layout *columns):
        cdef int64_t total = self.data.lengths.total
        cdef int64_t located = self.data.lengths.located
        cdef int64_t members = self.data.member_count
        return SharedColumns(
            np.frombuffer(piece, np.int64, total, columns.steps),
            np.frombuffer(piece, np.float64, total, columns.wall_times),
            np.frombuffer(piece, np.float32, self.data.lengths.singles, columns.singles),
            np.frombuffer(piece, np.float64, self.data.lengths.doubles, columns.doubles),
            np.frombuffer(piece, np.int64, 3 * located, columns.records).reshape(3, located),  # starts and sizes follow
            np.frombuffer(piece, np.int64, members, columns.ends),
            np.frombuffer(piece, np.bool_, members, columns.ascending),
        )

    cdef str _tag(self, int32_t tag):
        entry = self.data.names.tags.entries[tag]
        text = self.data.names.tags.arena[entry.place : entry.place + entry.length]
        return text.decode("utf-8", "backslashreplace")

    cdef tuple _tags(self, const Group *group):
        """The tags of a group; groups with equal ones share them."""
        cdef int64_t place
        cdef const int32_t *members = &self.data.members[group.first_member]
        cdef bytes key = (<const char *>members)[: group.member_count * sizeof(int32_t)]
        known = self.tags.get(key)
        if known is None:
            known = tuple([self._tag(self.data.names.keys[members[place]].tag) for place in range(group.member_count)])
            self.tags[key] = known
        return known

    cdef _add_files(self, list found, whole, const Layout *columns):
        cdef int64_t index, place
        cdef const File *file
        cdef dict known = {}
        cdef _Alike alike
        for index in range(self.data.first_file, self.data.next_file):
            file = &self.data.files[index]
            if not file.is_taken:
                found.append(None)
            elif self._is_usual(file, columns):
                key = self._series_of(file)
                alike = known.get(key)
                if alike is None:
                    alike = known[key] = _Alike(self._alike_files(file, whole))
                found.append(self._small_file(file, None, alike.files, alike.count))
                self._add_alike(file, alike)
            else:
                found.append(self._small_file(file, self._batch(file, whole), None, 0))
        for alike in known.values():
            alike.finish()

    cdef object _small_file(self, const File *file, batch, alike, int64_t number):
        cdef const FileVersion *version = &file.version
        return SmallFile(
            (version.device, version.inode, version.size, version.mtime_ns, version.ctime_ns),
            file.head_checksum,
            file.tail_checksum,
            _DIALECTS[file.mindspore],
            batch,
            alike,
            number,
        )

    cdef object _batch(self, const File *file, whole):
        cdef const Group *group
        cdef int64_t place
        batch = Batch(file.version.size, _DIALECTS[file.mindspore])
        if file.first_wall_time < INFINITY:
            batch.first_wall_time = file.first_wall_time
        if file.has_session:
            batch.session_step = file.session_step
        if file.note_count:
            self._name_metadata(file, batch.metadata)
        for place in range(file.first_group, file.first_group + file.group_count):
            group = &self.data.groups[place]
            at = (group.first, group.end, group.numbers, group.locators, group.first_member)
            batch.blocks.append(whole.block(self._kind(group), at))
        return batch

    cdef bint _is_usual(self, const File *file, const Layout *columns) noexcept:
        """Whether a file has points alone, whose steps never go back and whose wall times are in seconds."""
        cdef const double *wall_times = <const double *>(columns.data + columns.wall_times)
        cdef const Group *group
        cdef int64_t place, member
        if file.note_count or file.has_session or file.group_count > MOST_GROUPS:
            return False
        if self.latest <= file.first_wall_time < INFINITY:
            return False
        for place in range(file.first_group, file.first_group + file.group_count):
            group = &self.data.groups[place]
            for member in range(group.first_member, group.first_member + group.member_count):
                if not columns.data[columns.ascending + member]:
                    return False
            if not (wall_times[group.first] < self.latest and wall_times[group.end - 1] < self.latest):
                return False
        return True

    cdef bytes _series_of(self, const File *file):
        """What is equal for files of this bunch that are alike."""
        cdef int32_t facts[1 + 3 * MOST_GROUPS]
        cdef const Group *group
        cdef int64_t place, count = 0
        cdef bytes members = b""
        facts[0] = file.mindspore
        for place in range(file.group_count):
            group = &self.data.groups[file.first_group + place]
            facts[3 * place + 1] = group.form
            facts[3 * place + 2] = group.located
            facts[3 * place + 3] = <int32_t>group.member_count
            count += group.member_count
        if count:
            group = &self.data.groups[file.first_group]
            members = (<const char *>&self.data.members[group.first_member])[: count * sizeof(int32_t)]
        return (<const char *>facts)[: (1 + 3 * file.group_count) * sizeof(int32_t)] + members

    cdef object _kind(self, const Group *group):
        values = "" if group.form == PAYLOAD else "f" if group.form == SINGLE else "d"
        return AlikeBlock(_FIELDS[group.field], self._tags(group), values, bool(group.located))

    cdef object _alike_files(self, const File *file, whole):
        cdef int64_t place
        cdef list kinds = []
        for place in range(file.first_group, file.first_group + file.group_count):
            kinds.append(self._kind(&self.data.groups[place]))
        return AlikeFiles(_DIALECTS[file.mindspore], tuple(kinds), whole, None, None)

    cdef _add_alike(self, const File *file, _Alike alike):
        cdef Entry entry
        cdef int64_t numbers[5]
        cdef int64_t place
        cdef const Group *group
        entry.version = file.version
        entry.start_time = file.first_wall_time if file.first_wall_time < INFINITY else NAN
        entry.head_checksum, entry.tail_checksum = file.head_checksum, file.tail_checksum
        alike.entries += (<const char *>&entry)[: sizeof(Entry)]
        for place in range(file.first_group, file.first_group + file.group_count):
            group = &self.data.groups[place]
            numbers[0], numbers[1] = group.first, group.end
            numbers[2], numbers[3], numbers[4] = group.numbers, group.locators, group.first_member
            alike.places += (<const char *>numbers)[: sizeof(numbers)]
        alike.count += 1

    cdef _name_metadata(self, const File *file, dict found):
        cdef int64_t index
        for index in range(file.first_note, file.first_note + file.note_count):
            note = self.data.rows.notes[index]
            tag, metadata = self._tag(note.tag), self.metadata[note.metadata]
            found[tag] = found[tag].continued(metadata) if tag in found else metadata


_idle = []  # _Bunch that no call uses


def read_small_files(list paths, list guesses, number_plugins, int64_t head, int64_t tail):
    cdef _Bunch bunch = _idle.pop() if _idle else _Bunch()
    bunch.number_plugins, bunch.data.head, bunch.data.tail = number_plugins, head, tail
    found = bunch.read(paths, guesses)
    if len(_idle) < MOST_IDLE:  # not after an error
        _idle.append(bunch)
    return found
