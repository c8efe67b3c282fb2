# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The compiled halves of ``interned`` and ``name_tree``, which say what each does. Columns without the GIL."""

from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memchr, memcpy

import os

import numpy as np

from insight_record.formats._interning cimport Interned, fetch, hash_of, intern, lookup, numbered, release
from insight_graph._places cimport check_places

cdef enum:
    AT_ONCE = 32

cdef uint64_t _seed = int.from_bytes(os.urandom(8), "little") | 1


cdef class CompiledInterned:
    """As PureInterned."""

    cdef Interned names

    def __cinit__(self):
        self.names.seed = _seed

    def __dealloc__(self):
        release(&self.names)

    def __len__(self):
        return self.names.count

    def add(self, const uint8_t[::1] data, const int64_t[::1] starts, const int64_t[::1] ends):
        return self._numbers(data, starts, ends, True)

    def find(self, const uint8_t[::1] data, const int64_t[::1] starts, const int64_t[::1] ends):
        return self._numbers(data, starts, ends, False)

    cdef _numbers(self, const uint8_t[::1] data, const int64_t[::1] starts, const int64_t[::1] ends, bint adds):
        """The slots of some pieces are fetched together: most of the time is spent waiting for memory."""
        cdef int32_t number = 0
        cdef uint64_t hashes[AT_ONCE]
        cdef int64_t sizes[AT_ONCE]
        cdef Py_ssize_t row, some, first = 0, count = starts.shape[0]
        cdef bint lacks_memory = False
        check_places(data, starts, ends)
        found = np.empty(count, np.int32)
        cdef int32_t[::1] numbers = found
        with nogil:
            while first < count:
                some = min(<Py_ssize_t>AT_ONCE, count - first)
                for row in range(some):
                    sizes[row] = ends[first + row] - starts[first + row]
                    if sizes[row] <= INT32_MAX:
                        hashes[row] = hash_of(self.names.seed, &data[0] + starts[first + row], <int32_t>sizes[row])
                        fetch(&self.names, hashes[row])
                for row in range(some):
                    number = -1
                    if sizes[row] <= INT32_MAX:
                        number = numbered(
                            &self.names, &data[0] + starts[first + row], <int32_t>sizes[row], hashes[row], adds
                        )
                    numbers[first + row] = number
                    lacks_memory |= number < 0
                first += some
        if adds and lacks_memory:
            raise MemoryError
        return found

    def number(self, const uint8_t[::1] piece, bint adds):
        cdef int32_t number = -1
        cdef const uint8_t *begin = &piece[0] if piece.shape[0] else NULL
        if piece.shape[0] <= INT32_MAX:
            number = (intern if adds else lookup)(&self.names, begin, <int32_t>piece.shape[0])
        if adds and number < 0:
            raise MemoryError
        return number

    def pieces(self, int32_t first=0, stop=None):
        cdef list found = []
        cdef int32_t number, end = self.names.count if stop is None else min(<int32_t>stop, self.names.count)
        cdef const uint8_t *begin
        for number in range(first, end):
            begin = self.names.arena + self.names.entries[number].place
            found.append(begin[: self.names.entries[number].length])
        return found

    def joined(self, int32_t first=0):
        cdef int32_t row, count = max(self.names.count - first, 0)
        cdef int64_t start = self.names.entries[first].place if count else self.names.used
        found = np.empty(count, np.int64)
        cdef int64_t[::1] ends = found
        for row in range(count):
            ends[row] = self.names.entries[first + row].place + self.names.entries[first + row].length - start
        return (<const char *>self.names.arena)[start : self.names.used] if count else b"", found


cdef enum:
    AFTER_SLASH = -1
    UNKNOWN = -2
    NO_MEMORY = -3
    DEEPEST = 100
    KEPT = 4


cdef struct Key:
    int32_t parent
    int32_t name


cdef struct Path:
    const uint8_t *begin
    int64_t ends[DEEPEST]  # of the branches that it is in
    int32_t branches[DEEPEST]
    int depth


cdef inline int64_t _common(const uint8_t *one, const uint8_t *other, int64_t length) noexcept nogil:
    """How many bytes are the same, of the first ``length``."""
    cdef int64_t at = 0
    cdef uint64_t left = 0, right = 0
    while at + 8 <= length:
        memcpy(&left, one + at, 8)
        memcpy(&right, other + at, 8)
        if left != right:
            break
        at += 8
    while at < length and one[at] == other[at]:
        at += 1
    return at


cdef class CompiledNameTree:
    """As PureNameTree."""

    cdef readonly CompiledInterned names
    cdef Interned *table  # of ``names``
    cdef Interned branches  # by key; the first is branch 1
    cdef Path kept[KEPT]  # that were placed last in other branches: a forward pass takes turns with gradients
    cdef int newest

    def __cinit__(self):
        self.names = CompiledInterned()
        self.table = &self.names.names
        self.branches.seed = _seed

    def __dealloc__(self):
        release(&self.branches)

    def __len__(self):
        return self.branches.count + 1

    def branch(self, const uint8_t[::1] path, bint adds):
        cdef int64_t at = 0, stop
        cdef int32_t branch = 0
        cdef const uint8_t *begin
        if not path.shape[0]:
            return 0
        begin = &path[0]
        if begin[0] == b"/":
            branch, at = AFTER_SLASH, 1
        while at <= path.shape[0] and branch > UNKNOWN:
            stop = _end(begin, at, path.shape[0])
            branch = self._inner(branch, begin + at, stop - at, adds)
            at = stop + 1
        if branch == NO_MEMORY:
            raise MemoryError
        return branch

    def parents(self):
        return self._column(0)

    def labels(self):
        return self._column(1)

    cdef _column(self, int which):
        found = np.full(self.branches.count + 1, -1, np.int32)
        if self.branches.count:  # the bytes of all keys lie end to end
            keys = <const int32_t[: 2 * self.branches.count]> <const int32_t *>self.branches.arena
            found[1:] = np.asarray(keys)[which::2]
        return found

    cdef int32_t _inner(self, int32_t branch, const uint8_t *name, int64_t length, bint adds) noexcept nogil:
        """The branch of that name in another."""
        cdef Key key
        cdef int32_t found
        if length > INT32_MAX:
            return NO_MEMORY if adds else UNKNOWN
        key.parent = branch
        if adds:
            key.name = intern(self.table, name, <int32_t>length)
            found = intern(&self.branches, <const uint8_t *>&key, sizeof(Key)) if key.name >= 0 else -1
            return found + 1 if found >= 0 else NO_MEMORY
        key.name = lookup(self.table, name, <int32_t>length)
        found = lookup(&self.branches, <const uint8_t *>&key, sizeof(Key)) if key.name >= 0 else -1
        return found + 1 if found >= 0 else UNKNOWN

    def add(self, const uint8_t[::1] data, const int64_t[::1] starts, const int64_t[::1] ends, int32_t base=0):
        cdef Py_ssize_t row, some, first = 0, count = starts.shape[0]
        cdef int64_t last = data.shape[0], at
        cdef int32_t branch, name
        cdef const uint8_t *begins[AT_ONCE]
        cdef int64_t sizes[AT_ONCE]
        cdef uint64_t hashes[AT_ONCE]
        cdef int room = DEEPEST
        cdef bint sound = ends.shape[0] == count
        if not 0 <= base <= self.branches.count:
            raise IndexError("base must be the number of a branch")
        branch = base
        while branch > 0:
            room -= 1
            branch = (<const Key *>self.branches.arena)[branch - 1].parent
        room = max(room, 0)
        for row in range(KEPT):
            self.kept[row].depth = 0
        branch_column, name_column = np.empty(count, np.int32), np.empty(count, np.int32)
        cdef int32_t[::1] branches = branch_column, names = name_column
        name = 0
        with nogil:
            while first < count and sound and name >= 0:
                some = min(<Py_ssize_t>AT_ONCE, count - first)
                for row in range(some):
                    sound &= 0 <= starts[first + row] <= ends[first + row] <= last
                    if not sound:
                        break
                    begins[row] = &data[0] + starts[first + row]
                    sizes[row] = ends[first + row] - starts[first + row]
                    branches[first + row] = self._above(begins[row], sizes[row], base, room, &at)
                    begins[row] += at
                    sizes[row] -= at
                    if branches[first + row] == NO_MEMORY or sizes[row] > INT32_MAX:
                        name = NO_MEMORY
                        break
                    hashes[row] = hash_of(self.table.seed, begins[row], <int32_t>sizes[row])
                    fetch(self.table, hashes[row])
                if not sound or name < 0:
                    break
                for row in range(some):
                    name = numbered(self.table, begins[row], <int32_t>sizes[row], hashes[row], True)
                    if name < 0:
                        break
                    names[first + row] = name
                first += some
        if not sound:
            raise IndexError("starts and ends must be those of pieces of the data")
        if name < 0:
            raise MemoryError
        return branch_column, name_column

    cdef int32_t _above(
        self, const uint8_t *path, int64_t length, int32_t base, int room, int64_t *name_at
    ) noexcept nogil:
        """The branch that a path lies in, and where its name begins. Branches that it shares with a kept path
        are not looked up again."""
        cdef int64_t stop = length - 1, at = 0, end, common
        cdef int32_t branch = base
        cdef int depth, shared = 0, nearest = self.newest, one
        cdef Path *known
        cdef Path *path_kept
        while stop >= 0 and path[stop] != b"/":
            stop -= 1
        if base == 0 and stop >= 0 and path[0] == b"/":
            branch, at = AFTER_SLASH, 1
        if stop < at:  # in no branch of its own
            name_at[0] = at
            return branch
        for one in range(KEPT):
            known = &self.kept[(self.newest + one) % KEPT]
            depth = known.depth
            if not depth:
                continue
            end = min(known.ends[depth - 1], stop)
            common = _common(path, known.begin, end)
            while depth and (known.ends[depth - 1] > common or path[known.ends[depth - 1]] != b"/"):
                depth -= 1
            if depth > shared:
                shared, nearest = depth, (self.newest + one) % KEPT
                if known.ends[depth - 1] == stop:
                    break
        known = &self.kept[nearest]
        if shared:
            branch, at = known.branches[shared - 1], known.ends[shared - 1] + 1
        if at > stop or shared == room:
            name_at[0] = at
            return branch
        self.newest = (self.newest + KEPT - 1) % KEPT
        path_kept = &self.kept[self.newest]
        if path_kept != known:
            memcpy(path_kept.ends, known.ends, shared * sizeof(int64_t))
            memcpy(path_kept.branches, known.branches, shared * sizeof(int32_t))
        path_kept.begin = path
        depth = shared
        while at <= stop and depth < room:
            end = _end(path, at, stop)
            branch = self._inner(branch, path + at, end - at, True)
            if branch == NO_MEMORY:
                break
            path_kept.ends[depth] = end
            path_kept.branches[depth] = branch
            depth += 1
            at = end + 1
        path_kept.depth = depth
        name_at[0] = at
        return branch


cdef inline int64_t _end(const uint8_t *path, int64_t at, int64_t stop) noexcept nogil:
    """Where the name that begins at ``at`` ends."""
    cdef const uint8_t *found = <const uint8_t *>memchr(path + at, b"/", stop - at)
    return found - path if found != NULL else stop
