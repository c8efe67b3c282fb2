# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Reads pickled dumps of PyTorch as data, without the GIL: nothing is imported, made or called.

Only operations that make texts, numbers, lists and dicts are carried out; any other ends the reading. Frames and stacks,
events, blocks, segments and annotations of memory snapshots, and entries of flight recorders are told by their keys and
become rows at once; what is none of them is kept as it is, and small.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memmove, memset

import os
import struct

import numpy as np

from insight_profiler.reading._pickle_machine cimport run
from insight_profiler.reading._pickle_objects cimport MOST_KEPT, Machine, end, sum_of
from insight_profiler.reading._pickle_values cimport *
from insight_record.formats._interning cimport Interned, intern

_KEYS = (
    "name", "filename", "line", "action", "addr", "size", "stream", "time_us", "frames", "compile_context",
    "user_metadata", "device_free", "address", "requested_size", "state", "history", "real_size", "total_size",
    "allocated_size", "active_size", "segment_type", "is_expandable", "blocks", "device", "stage", "process_group",
    "collective_seq_id", "p2p_seq_id", "profiling_name", "time_created_ns", "input_sizes", "input_dtypes",
    "output_sizes", "output_dtypes", "is_p2p",
)  # fmt: skip

# what each kind of row keeps: for each column a key, whose value is a number, a text, a stack or a list of rows
_COLUMNS = {
    "events": ("action", "addr", "size", "time_us", "frames"),  # addr: what is free where there is no memory
    "blocks": ("address", "size", "requested_size", "state", "frames", "history"),
    "segments": ("device", "address", "total_size", "stream", "segment_type", "frames", "blocks", "is_expandable"),
    "annotations": ("stage", "name", "device", "time_us"),
    "entries": (
        "process_group", "collective_seq_id", "p2p_seq_id", "profiling_name", "time_created_ns", "input_sizes",
        "input_dtypes", "output_sizes", "output_dtypes", "is_p2p", "state", "frames",
    ),
}  # fmt: skip

_TROUBLES = {
    <int>FORBIDDEN: "forbidden",
    <int>BROKEN: "broken",
    <int>TOO_LONG: "long",
    <int>TOO_MANY: "many",
    <int>OTHER_SHAPE: "shape",
}

cdef enum:
    DEEP = 16  # lists and dicts in each other


cdef class Reader:
    """Reads a pickle piece by piece (``feed``); then ``columns``, ``names``, frames and ``root`` say what it held."""

    cdef Machine machine
    cdef int64_t position  # bytes read of all pieces
    cdef bytes left
    cdef bint has_gathered
    cdef int64_t[:, ::1] kept  # owner, key and value of what is in no row, by owner
    cdef int64_t budget

    def __cinit__(self):
        cdef uint64_t seed = int.from_bytes(os.urandom(8), "little") | 1
        self.machine.texts.seed = self.machine.frames.seed = self.machine.stacks.seed = seed
        self.left = b""
        for key in _KEYS:
            self._add_key(key.encode())
        for number, keys in enumerate(_COLUMNS.values()):
            self.machine.rows[number].count = len(keys)
            for place, key in enumerate(keys):
                self.machine.rows[number].keys[place] = _KEYS.index(key)

    def __dealloc__(self):
        self.close()

    def close(self):
        """Gives back the memory of what was read: there is nothing more to ask for."""
        end(&self.machine)
        memset(&self.machine, 0, sizeof(Machine))

    def _add_key(self, const uint8_t[::1] key):
        intern(&self.machine.texts, &key[0], <int32_t>key.shape[0])

    @property
    def is_whole(self):
        """Whether the pickle has ended as it should."""
        return self.machine.has_ended

    def feed(self, bytes piece):
        """Reads the next piece. Returns False once the pickle has ended. Raises ValueError with what is wrong
        (``forbidden``, ``broken``, ``long``, ``many``, ``shape``), the operation, its place, and what it names."""
        cdef const uint8_t *begin
        cdef int64_t length, used
        if self.machine.has_ended:
            return False
        if self.left:
            piece = self.left + piece
        begin, length = <const uint8_t *><char *>piece, len(piece)
        with nogil:
            used = run(&self.machine, begin, length)
        self.position += used
        self.left = piece[used:]
        if self.machine.trouble == NO_MEMORY:
            raise MemoryError
        if self.machine.trouble != FINE:
            operation, named = self.machine.operation, ""
            if operation == c"c":  # GLOBAL: the module and the name follow
                named = b".".join(self.left[1:257].split(b"\n")[:2]).decode("utf-8", "replace")
            elif operation == 0x93 and self.machine.stack.used > 1:  # STACK_GLOBAL: they lie on the stack
                named = ".".join(
                    self._text(self.machine.stack.at[self.machine.stack.used - back])[:128] for back in (2, 1)
                )
            raise ValueError((_TROUBLES[<int>self.machine.trouble], operation, self.position, named))
        return not self.machine.has_ended

    def names(self):
        """All texts by their numbers."""
        cdef int64_t number
        return [self._text(value_of(TEXT, number)) for number in range(self.machine.texts.count)]

    cdef str _text(self, int64_t value):
        cdef int64_t number = value >> 3
        if value & 7 != TEXT:
            return ""
        return (
            self.machine.texts.arena[self.machine.texts.entries[number].place :]
            [: self.machine.texts.entries[number].length].decode("utf-8", "replace")
        )

    def columns(self):
        """The columns of each kind of rows, int64, with ``list``: the number of the list that a row stands in;
        -1 where there is nothing."""
        cdef int number
        found = {}
        for number, (name, keys) in enumerate(_COLUMNS.items()):
            cells = _array(&self.machine.rows[number].cells).reshape(-1, self.machine.rows[number].count + 1)
            found[name] = {key: cells[:, at].copy() for at, key in enumerate(("list", *keys))}
        return found

    def take_events(self, int64_t least):
        """The columns of the events that stand in a list so far, which are forgotten then; None if there are
        fewer than ``least``."""
        cdef Rows *rows = &self.machine.rows[0]
        cdef int64_t wide = rows.count + 1, count = rows.cells.used // wide
        while count and rows.cells.at[(count - 1) * wide] == ANY:
            count -= 1
        if count < least:
            return None
        cells = _array(&rows.cells)[: count * wide].reshape(-1, wide)
        found = {key: cells[:, at].copy() for at, key in enumerate(("list", *_COLUMNS["events"]))}
        rows.cells.used -= count * wide
        rows.taken += count
        memmove(rows.cells.at, rows.cells.at + count * wide, rows.cells.used * sizeof(int64_t))
        return found

    def frame_table(self):
        """Name, file and line of each frame, int32 of shape (frames, 3)."""
        return np.frombuffer(_arena(&self.machine.frames), np.int32).reshape(-1, 3).copy()

    def stack_frames(self):
        """The frames of all stacks, int32, and where each stack ends in them, int64. The innermost comes first."""
        cdef int32_t number
        ends = np.empty(self.machine.stacks.count, np.int64)
        cdef int64_t[::1] places = ends
        for number in range(self.machine.stacks.count):
            places[number] = (
                self.machine.stacks.entries[number].place + self.machine.stacks.entries[number].length
            ) // 4
        return np.frombuffer(_arena(&self.machine.stacks), np.int32).copy(), ends

    @property
    def root(self):
        """What the pickle holds: numbers, texts, lists, tuples, dicts; rows are the number of their list. Raises
        ValueError where that would be very much, or lies in itself."""
        self.budget = MOST_KEPT
        self._gather()
        return self._plain(self.machine.stack.at[0], 0)

    def sums(self, const int64_t[::1] objects):
        """int64: a number for what each of some lists holds, the same for equal ones of any file; -1 for -1."""
        cdef Py_ssize_t at
        found = np.full(objects.shape[0], -1, np.int64)
        cdef int64_t[::1] sums = found
        for at in range(objects.shape[0]):
            if 0 <= objects[at] < self.machine.objects.used:
                sums[at] = sum_of(&self.machine, objects[at])
        return found

    def value(self, int64_t number):
        """A list by its number in ``columns``, as Python's."""
        self.budget = MOST_KEPT
        self._gather()
        return self._plain(value_of(OBJECT, number), 0)

    def _gather(self):
        if self.has_gathered:
            return
        self.has_gathered = True
        kept = _array(&self.machine.kept).reshape(-1, 3)
        self.kept = kept[np.argsort(kept[:, 0], kind="stable")]

    cdef int64_t _first_of(self, int64_t owner):
        """The first row of ``kept`` with this owner or a later one."""
        cdef int64_t low = 0, high = self.kept.shape[0], middle
        while low < high:
            middle = (low + high) >> 1
            if self.kept[middle, 0] < owner:
                low = middle + 1
            else:
                high = middle
        return low

    cdef object _plain(self, int64_t value, int depth):
        cdef int64_t what = value >> 3, first, end, at
        cdef int kind = value & 7, shape
        self.budget -= 1
        if self.budget < 0 or depth > DEEP:
            raise ValueError(("many", c".", self.position, ""))
        if kind == NUMBER:
            return what
        if kind == TEXT:
            return self._text(value)
        if kind == NOTHING:
            return (None, False, True)[what]
        shape = <int>(self.machine.objects.at[what] & 31)
        first, end = self._first_of(what), self._first_of(what + 1)
        if shape == REAL:
            return struct.unpack("=d", struct.pack("=q", self.kept[first, 2]))[0]
        if shape == LARGE:
            return self.kept[first, 2]
        if shape in (NEW_DICT, DICT):
            return {self._text(self.kept[at, 1]): self._plain(self.kept[at, 2], depth + 1) for at in range(first, end)}
        if shape in (NEW_LIST, LIST, TUPLE):
            return [self._plain(self.kept[at, 2], depth + 1) for at in range(first, end)]
        return what


cdef _array(Cells *cells):
    if not cells.used:
        return np.empty(0, np.int64)
    return np.asarray(<int64_t[:cells.used]>cells.at)


cdef bytes _arena(Interned *names):
    return (<const char *>names.arena)[: names.used] if names.used else b""
