"""Reads rows of Parquet objects by range: only the row groups and columns that are needed."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from attrs import frozen
from cachetools import LRUCache
from numpy.typing import NDArray

from insight_core.plugin import Unavailable
from insight_lake.store import LakeStore
from insight_lake.tables import DICTIONARIES, LakeObject

_GAP = 262_144  # bytes that are read needlessly rather than asked for apart
_AT_ONCE = 32  # requests
_DECODING = 4  # at the same time: row groups take several times the memory of what is kept of them
_SMALL = 262_144  # bytes of an object that is read whole
_ENDS = 48 << 20  # bytes of the ends of objects: their footers, which take ten times the memory once parsed

T = TypeVar("T")
U = TypeVar("U")


@frozen
class RowRange:
    """Rows of an object from ``first`` to before ``stop``."""

    table: LakeObject
    first: int
    stop: int

    def groups(self, size: int) -> range:
        """The row groups that hold the rows; each has ``size`` rows, the last may have fewer."""
        return range(self.first // size, -(-self.stop // size))


class RowReader:
    """Reads rows and whole tables of the objects of a store; any thread may use it."""

    def __init__(self, store: LakeStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._ends: LRUCache[str, bytes] = LRUCache(_ENDS, len)
        self._pool = ThreadPoolExecutor(_AT_ONCE, "insight-lake")
        # each thread of a process keeps memory of its own: few that need much of it
        self._decoders = ThreadPoolExecutor(_DECODING, "insight-lake-decoder")

    def close(self) -> None:
        """Ends the threads."""
        for pool in (self._pool, self._decoders):
            pool.shutdown(wait=False, cancel_futures=True)

    def each(self, call: Callable[[T], U], items: Iterable[T]) -> list[U]:
        """The results of a function that waits for the store, for several items at the same time."""
        listed = list(items)
        return [call(listed[0])] if len(listed) == 1 else list(self._pool.map(call, listed))

    def whole(self, table: LakeObject, columns: Sequence[str] | None = None) -> Any:  # noqa: ANN401
        """An object as a pyarrow Table."""
        data = self._store.get(table.key)
        if len(data) != table.size:
            raise self._changed(table)
        try:
            return self._decoders.submit(_whole, data, columns).result()
        except (pa.ArrowException, OSError) as error:
            raise self._changed(table) from error

    def rows(self, wanted: Sequence[RowRange], columns: Sequence[str]) -> list[Mapping[str, Any]]:
        """Columns by name, of each item: numpy arrays, or a pyarrow array for texts.

        Objects are read at the same time, and row groups that several items need are read once. Of what is
        read only the wanted rows stay in memory.
        """
        places: dict[str, list[int]] = {}
        for place, one in enumerate(wanted):
            places.setdefault(one.table.key, []).append(place)
        found: list[Mapping[str, Any]] = [{}] * len(wanted)

        def read(of_object: Sequence[int]) -> None:
            items = [wanted[place] for place in of_object]
            together = len(places) == 1
            for place, rows in zip(of_object, self._of_object(items, columns, together), strict=True):
                found[place] = rows

        if len(places) == 1:
            read(next(iter(places.values())))
        else:
            self.each(read, places.values())
            pa.default_memory_pool().release_unused()  # of row groups of which a small part is kept
        return found

    def _of_object(
        self, wanted: Sequence[RowRange], columns: Sequence[str], together: bool
    ) -> list[Mapping[str, Any]]:
        """Rows of one object; ``together`` asks for its parts at the same time."""
        table = wanted[0].table
        end = self._end(table)
        footer = self._footer(table, end)
        size = footer.row_group(0).num_rows if footer.num_row_groups else 1
        parts = _parts(footer, {group for one in wanted for group in one.groups(size)}, columns)

        def fetch(groups: list[int]) -> _Part:
            spans = [_span(footer.row_group(group), columns) for group in groups]
            return self._fetch(table, spans[0][0], spans[-1][1], end)

        fetched = self.each(fetch, parts) if together else [fetch(groups) for groups in parts]

        def decode() -> list[Mapping[str, Any]]:
            groups: dict[int, Any] = {}
            for numbers, part in zip(parts, fetched, strict=True):
                groups |= _decoded(part, footer, numbers, columns)
            return [_cut(one, groups, size, columns) for one in wanted]

        try:
            return self._decoders.submit(decode).result()
        except (pa.ArrowException, OSError) as error:
            raise self._changed(table) from error

    def _end(self, table: LakeObject) -> bytes:
        """The last bytes of an object, from its footer on; all of a small one."""
        with self._lock:
            end = self._ends.get(table.key)
        if end is None:
            start = 0 if table.size <= _SMALL else table.size - table.footer
            end = self._store.get_range(table.key, start, table.size)
            if len(end) != table.size - start:
                raise self._changed(table)
            with self._lock:
                if len(end) <= self._ends.maxsize:
                    self._ends[table.key] = end
        return end

    def _footer(self, table: LakeObject, end: bytes) -> Any:  # noqa: ANN401
        """The metadata of an object."""
        try:
            return self._decoders.submit(pq.read_metadata, pa.BufferReader(end)).result()
        except (pa.ArrowException, OSError) as error:
            raise self._changed(table) from error

    def _fetch(self, table: LakeObject, first: int, stop: int, end: bytes) -> _Part:
        """The bytes from ``first`` to before ``stop``, of row groups that follow each other."""
        if first >= table.size - len(end):
            return _Part(end, table.size - len(end), table.size)
        data = self._store.get_range(table.key, first, stop)
        if len(data) != stop - first:
            raise self._changed(table)
        return _Part(data, first, table.size)

    def _changed(self, table: LakeObject) -> Unavailable:
        return Unavailable(
            f"{self._store.location}/{table.key}: not what the table runs says; check the lake with "
            "insight-host lake check"
        )


def _parts(footer: Any, groups: Collection[int], columns: Sequence[str]) -> list[list[int]]:  # noqa: ANN401
    """The groups in lists, of each of which the bytes lie close together."""
    parts: list[list[int]] = []
    end = -1
    for group in sorted(groups):
        first, stop = _span(footer.row_group(group), columns)
        if parts and first - end <= _GAP:
            parts[-1].append(group)
        else:
            parts.append([group])
        end = stop
    return parts


def _whole(data: bytes, columns: Sequence[str] | None) -> Any:  # noqa: ANN401
    """A file as a pyarrow Table.

    Not by ``pq.read_table``: its scanner leaves threads behind, which now and then abort the process at
    its end (https://github.com/apache/arrow/issues/34314).
    """
    source = pa.BufferReader(data)
    words = [name for name in DICTIONARIES if name in pq.read_schema(source).names]
    file = pq.ParquetFile(source, pre_buffer=False, read_dictionary=words)
    return file.read(columns=columns, use_threads=False)


def _decoded(part: _Part, footer: Any, groups: Sequence[int], columns: Sequence[str]) -> dict[int, Any]:  # noqa: ANN401
    """Row groups of a part of a file as pyarrow tables."""
    words = [name for name in DICTIONARIES if name in columns]
    file = pq.ParquetFile(pa.PythonFile(part, "r"), metadata=footer, pre_buffer=False, read_dictionary=words)
    return {group: file.read_row_group(group, columns=list(columns), use_threads=False) for group in groups}


def _span(group: Any, columns: Sequence[str]) -> tuple[int, int]:  # noqa: ANN401
    """The bytes of these columns in a row group."""
    first, stop = 1 << 62, 0
    for place in range(group.num_columns):
        column = group.column(place)
        if column.path_in_schema in columns:
            at = column.data_page_offset
            if column.has_dictionary_page and column.dictionary_page_offset is not None:
                at = min(at, column.dictionary_page_offset)
            first, stop = min(first, at), max(stop, at + column.total_compressed_size)
    return first, stop


def _cut(wanted: RowRange, groups: Mapping[int, Any], size: int, columns: Sequence[str]) -> Mapping[str, Any]:
    if wanted.first >= wanted.stop:
        return {name: np.zeros(0) for name in columns}
    places = wanted.groups(size)
    table = pa.concat_tables([groups[place] for place in places])
    rows = table.slice(wanted.first - places.start * size, wanted.stop - wanted.first)
    return {name: _plain(rows.column(name)) for name in columns}


def _plain(column: Any) -> NDArray[Any] | Any:  # noqa: ANN401
    if pa.types.is_dictionary(column.type):
        return column.unify_dictionaries().combine_chunks()
    array = column.to_numpy()
    # of its own: a view would keep the whole row group in memory
    return array.copy() if array.base is not None or not array.flags.owndata else array


class _Part(io.RawIOBase):
    """A file of which a part is in memory: Arrow reads no other bytes."""

    def __init__(self, data: bytes, start: int, size: int) -> None:
        self._data, self._start, self._size = memoryview(data), start, size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = base + offset
        return self._at

    def read(self, size: int = -1) -> bytes:
        first = self._at - self._start
        stop = len(self._data) if size < 0 else first + size
        if first < 0 or stop > len(self._data):
            raise OSError("bytes outside of the part that was read")
        self._at += stop - first
        return bytes(self._data[first:stop])
