"""Reads rows of Parquet objects by range: only the row groups that are needed."""

from __future__ import annotations

import bisect
import mmap
import threading
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Generic, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq
from attrs import frozen
from cachetools import LRUCache
from numpy.typing import NDArray

from insight_core.plugin import Unavailable
from insight_lake.store import LakeStore
from insight_lake.tables import DICTIONARIES, LakeObject

_AT_ONCE = 32  # requests
_DECODING = 4  # at the same time: row groups take several times the memory of what is kept of them
_SMALL = 262_144  # bytes of an object that is read whole
_ENDS = 48 << 20  # bytes of the ends of objects: their footers, which take ten times the memory once parsed

T = TypeVar("T")
U = TypeVar("U")


class ByteCache(Generic[T]):
    """Values that were used lately, within a limit of bytes. Any thread may use it."""

    def __init__(self, limit: int, size_of: Callable[[T], int]) -> None:
        self._lock = threading.Lock()
        self._kept: LRUCache[Hashable, T] = LRUCache(limit, size_of)

    def get(self, key: Hashable) -> T | None:
        """The value of a key, if it is kept."""
        with self._lock:
            return self._kept.get(key)

    def put(self, key: Hashable, value: T) -> T:
        """Keeps a value, and returns it."""
        with self._lock, suppress(ValueError):  # it is larger than the limit
            self._kept[key] = value
        return value


@frozen
class RowRange:
    """Rows of an object from ``first`` to before ``stop``."""

    table: LakeObject
    first: int
    stop: int

    def groups(self, size: int) -> range:
        """The row groups that hold the rows; each has ``size`` rows, the last may have fewer."""
        return range(self.first // size, -(-self.stop // size) if self.first < self.stop else 0)


class RowReader:
    """Reads rows and whole tables of the objects of a store; any thread may use it."""

    def __init__(self, store: LakeStore) -> None:
        self._store = store
        self._ends: ByteCache[bytes] = ByteCache(_ENDS, len)
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

    def whole(self, table: LakeObject) -> pa.Table:
        """An object as a pyarrow Table."""
        return self._decoded(table, whole_table, table.table, self._store.get(table.key))

    def rows(self, wanted: Sequence[RowRange], columns: Sequence[str]) -> list[Mapping[str, Any]]:
        """Columns by name, of each item: numpy arrays, or a pyarrow array for texts.

        Objects are read at the same time, and row groups that several items need are read once. Of what is
        read only the wanted rows stay in memory.
        """
        places: dict[str, list[int]] = {}
        for place, one in enumerate(wanted):
            places.setdefault(one.table.key, []).append(place)

        def read(of_object: Sequence[int]) -> list[Mapping[str, Any]]:
            return self._of_object([wanted[place] for place in of_object], columns)

        found: list[Mapping[str, Any]] = [{}] * len(wanted)
        for of_object, read_rows in zip(places.values(), self.each(read, places.values()), strict=True):
            for place, rows in zip(of_object, read_rows, strict=True):
                found[place] = rows
        if len(places) > 1:
            pa.default_memory_pool().release_unused()  # of row groups of which a small part is kept
        return found

    def _of_object(self, wanted: Sequence[RowRange], columns: Sequence[str]) -> list[Mapping[str, Any]]:
        table = wanted[0].table
        end = self._ends.get(table.key)
        if end is None:
            start = 0 if table.size <= _SMALL else table.size - table.footer
            end = self._ends.put(table.key, self._store.get_range(table.key, start, table.size))
        footer = self._decoded(table, pq.read_metadata, pa.BufferReader(end))
        size = footer.row_group(0).num_rows  # of all groups; the last may have fewer rows
        groups = sorted({group for one in wanted for group in one.groups(size)})
        spans = [_span(footer, group, columns) for group in groups]
        image = self._image(table, end, [span for span in spans if span[0] < table.size - len(end)])
        return self._decoded(table, _rows, image, footer, groups, size, wanted, columns)

    def _image(self, table: LakeObject, end: bytes, spans: Sequence[tuple[int, int]]) -> mmap.mmap:
        """The bytes of an object with its end and these ranges; the rest are zeros, which take no memory."""
        image = mmap.mmap(-1, table.size)
        if hasattr(mmap, "MADV_NOHUGEPAGE"):
            image.madvise(mmap.MADV_NOHUGEPAGE)  # the zeros around a range would be cleared, too
        image[table.size - len(end) :] = end
        parts = self._store.get_ranges(table.key, spans) if spans else []
        for (start, stop), part in zip(spans, parts, strict=True):
            image[start:stop] = part
        return image

    def _decoded(self, table: LakeObject, call: Callable[..., T], *arguments: object) -> T:
        """The result of a function that decodes bytes of an object."""
        try:
            return self._decoders.submit(call, *arguments).result()
        except (pa.ArrowException, OSError) as error:
            raise Unavailable(
                f"{self._store.location}/{table.key}: not what the table runs says; check the lake with "
                "insight-host lake check"
            ) from error


def whole_table(name: str, data: bytes) -> pa.Table:
    """A file of a table as a pyarrow Table.

    Not by ``pq.read_table``: its scanner leaves threads behind, which now and then abort the process at
    its end (https://github.com/apache/arrow/issues/34314).
    """
    file = pq.ParquetFile(pa.BufferReader(data), pre_buffer=False, read_dictionary=DICTIONARIES[name])
    return file.read(use_threads=False)


def _rows(
    image: mmap.mmap,
    footer: pq.FileMetaData,
    groups: Sequence[int],
    size: int,
    wanted: Sequence[RowRange],
    columns: Sequence[str],
) -> list[Mapping[str, Any]]:
    """The wanted rows of row groups of a file, of which only the bytes of these are there."""
    words = DICTIONARIES[wanted[0].table.table]
    source = pa.BufferReader(pa.py_buffer(image))
    file = pq.ParquetFile(source, metadata=footer, pre_buffer=False, read_dictionary=words)
    table = file.read_row_groups(groups, columns=list(columns), use_threads=False)
    found: list[Mapping[str, Any]] = []
    for one in wanted:
        first = bisect.bisect_left(groups, one.first // size) * size + one.first % size
        rows = table.slice(first, max(0, one.stop - one.first))
        found.append({name: _plain(rows.column(name)) for name in columns})
    return found


def _span(footer: pq.FileMetaData, group: int, columns: Sequence[str]) -> tuple[int, int]:
    """The bytes of a row group in which these columns are."""
    of_group = footer.row_group(group)
    chunks = [of_group.column(place) for place in range(of_group.num_columns)]
    chunks = [one for one in chunks if one.path_in_schema in columns]
    starts = [one.dictionary_page_offset or one.data_page_offset for one in chunks]
    return min(starts), max(map(sum, zip(starts, (one.total_compressed_size for one in chunks), strict=True)))


def _plain(column: pa.ChunkedArray) -> NDArray[Any] | pa.Array:
    if pa.types.is_dictionary(column.type):
        return column.unify_dictionaries().combine_chunks()
    array = column.to_numpy()
    # of its own: a view would keep the whole row group in memory
    return array.copy() if array.base is not None or not array.flags.owndata else array
