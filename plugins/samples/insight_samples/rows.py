"""Reads rows of files: lines of JSON by their bytes, rows of Parquet and entries of zips by their number."""

from __future__ import annotations

import itertools
import json
import shutil
import struct
import tempfile
import zipfile
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

from attrs import field, frozen

from insight_core.plugin import ReasonKind, Undecodable
from insight_samples.formats import Layout, Row

LONGEST = 64 << 20  # bytes of a line, or of an unpacked entry; longer ones are left out
_PIECE = 1 << 20
_DEEPEST = 100  # levels of objects and lists of a row
_ROWS = 256  # of Parquet that are made at a time
_BATCH = 16 << 20  # bytes of them
_IN_MEMORY = 256 << 20  # bytes of a file that are held while its rows are read
_NO_PYARROW = ReasonKind("samples_no_pyarrow", "this file needs pyarrow: pip install 'insight-host[parquet]'")
_ZSTD = 93  # a method of packing
_HEAD = struct.Struct("<4s5H3I2H")  # of an entry; the last are the lengths of its name and of what follows
_UNREADABLE = ReasonKind("samples_unreadable", "the file cannot be read: {cause}")


@frozen
class Read:
    """A row with its place: the byte at which its line begins, or its number; ``size`` in bytes, 1 of rows
    by number. ``row`` is None for what is no object, or too long. ``end`` is behind the line's end."""

    offset: int
    size: int
    row: Row | None = field(eq=False)
    has_end: bool = False

    @property
    def end(self) -> int:
        """The offset of what follows."""
        return self.offset + self.size + self.has_end


def layout_of(path: str) -> Layout:
    """How a file holds its rows, by its name."""
    return "parquet" if path.endswith(".parquet") else "eval" if path.endswith(".eval") else "lines"


def read_rows(stream: BinaryIO, path: str, start: int, most: int) -> Iterator[Read]:
    """Rows from ``start`` on, at which the stream stands in files of lines; of these about ``most`` bytes.

    Raises Undecodable for a file that cannot be read.
    """
    layout = layout_of(path)
    if layout == "lines":
        return _lines(stream, start, most)
    return _parquet(stream) if layout == "parquet" else _entries(stream)


def read_places(
    stream: BinaryIO, path: str, places: Sequence[tuple[int, int]], *, has_images: bool = True
) -> Iterator[Row | None]:
    """The rows at offsets of these sizes, which ascend; None where the file has no row.

    Without ``has_images`` columns of bytes are left out where that saves reading them. Raises Undecodable.
    """
    if layout_of(path) == "lines":
        for offset, size in places:
            stream.seek(offset)
            yield _object(stream.read(size))
        return
    numbers = [offset for offset, _ in places]
    is_parquet = layout_of(path) == "parquet"
    reads = _parquet(stream, numbers, has_images) if is_parquet else _entries(stream, numbers)
    read = next(reads, None)
    for offset in numbers:
        while read is not None and read.offset < offset:
            read = next(reads, None)
        yield read.row if read is not None and read.offset == offset else None


def _lines(stream: BinaryIO, start: int, most: int) -> Iterator[Read]:
    """A last line without a line end counts if it is an object: one that is being written is none yet."""
    offset, held, done, skipped = start, b"", 0, 0
    while done < most:
        piece = stream.read(_PIECE)
        block = held + piece
        if not piece:
            row = _object(block) if block and not skipped else None
            if row is not None:
                yield Read(offset, len(block), row)
            return
        cut = block.rfind(b"\n") + 1
        if not cut:
            held = block
            if skipped or len(block) > LONGEST:
                skipped, held = skipped + len(block), b""
            continue
        lines = block[:cut].split(b"\n")
        for line in lines[:-1]:
            size, skipped = skipped + len(line), 0
            if size > LONGEST:
                yield Read(offset, size, None, has_end=True)
            elif not line.isspace() and line:
                yield Read(offset, size, _object(line), has_end=True)
            offset += size + 1
        held = block[cut:]
        done += cut


def _object(line: bytes) -> Row | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict) or (line.count(b"[") + line.count(b"{") > _DEEPEST and _is_deep(row)):
        return None
    return row


def _is_deep(row: Row) -> bool:
    """Whether objects and lists lie deeper in each other than any message: those who read them recurse."""
    level: list[Any] = [row]
    for _ in range(_DEEPEST):
        inner = itertools.chain.from_iterable(one.values() if isinstance(one, dict) else one for one in level)
        level = [one for one in inner if isinstance(one, dict | list)]
        if not level:
            return False
    return True


def _parquet(stream: BinaryIO, rows: Sequence[int] | None = None, has_images: bool = True) -> Iterator[Read]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise Undecodable(_NO_PYARROW()) from None
    try:
        with _seekable(stream) as seekable:
            file = pq.ParquetFile(seekable, buffer_size=_PIECE)
            names = None if has_images else [column.path for column in file.schema if not _is_bytes(column)]
            at = 0
            for group in range(file.num_row_groups):
                meta = file.metadata.row_group(group)
                wanted = None if rows is None else _within(rows, at, at + meta.num_rows)
                if wanted is None or wanted:
                    some = max(1, min(_ROWS, _BATCH * meta.num_rows // max(1, meta.total_byte_size)))
                    yield from _of_group(
                        file.iter_batches(some, row_groups=[group], columns=names), at, wanted
                    )
                at += meta.num_rows
    except (pa.ArrowException, OSError) as error:
        raise Undecodable(_UNREADABLE(cause=str(error))) from error


def _of_group(batches: Iterator[Any], at: int, wanted: Sequence[int] | None) -> Iterator[Read]:
    """Rows of the batches of a row group that begins at the row ``at``: all, or these."""
    for batch in batches:
        end = at + batch.num_rows
        places = range(at, end) if wanted is None else _within(wanted, at, end)
        if places:
            rows = batch if wanted is None else batch.take([row - at for row in places])
            for place, row in zip(places, rows.to_pylist(), strict=True):
                yield Read(place, 1, row)
        at = end
        if wanted is not None and at > wanted[-1]:
            return


def _within(rows: Sequence[int], first: int, end: int) -> Sequence[int]:
    """Those of ascending rows that are in a range."""
    return rows[bisect_left(rows, first) : bisect_left(rows, end)]


def _is_bytes(column: Any) -> bool:  # noqa: ANN401 - a column of a schema of pyarrow
    """Whether a column holds bytes, as images are written, and no texts."""
    return bool(column.physical_type == "BYTE_ARRAY" and column.logical_type.type == "NONE")


@contextmanager
def _seekable(stream: BinaryIO) -> Iterator[BinaryIO]:
    """The stream, or a copy of it: in memory up to a size, on disk beyond."""
    if stream.seekable():
        yield stream
        return
    with tempfile.SpooledTemporaryFile(_IN_MEMORY) as copy:
        shutil.copyfileobj(stream, copy, _PIECE)
        copy.seek(0)
        yield cast(BinaryIO, copy)


def _entries(stream: BinaryIO, rows: Sequence[int] | None = None) -> Iterator[Read]:
    """Samples of an Inspect log, one entry each, in the order of the archive."""
    try:
        with _seekable(stream) as file, zipfile.ZipFile(file) as archive:
            entries = [one for one in archive.infolist() if one.filename.startswith("samples/")]
            for number in range(len(entries)) if rows is None else _within(rows, 0, len(entries)):
                entry = entries[number]
                is_read = entry.file_size <= LONGEST and entry.filename.endswith(".json")
                yield Read(number, 1, _object(entry_of(archive, file, entry)) if is_read else None)
    except (zipfile.BadZipFile, NotImplementedError, OSError, EOFError, struct.error) as error:
        raise Undecodable(_UNREADABLE(cause=str(error))) from error


def entry_of(archive: zipfile.ZipFile, file: BinaryIO, entry: zipfile.ZipInfo) -> bytes:
    """The unpacked bytes of an entry; those packed with Zstandard, as Inspect does, by pyarrow.

    Raises Undecodable without it, and what zipfile raises.
    """
    if entry.compress_type != _ZSTD:
        return archive.read(entry)
    try:
        import pyarrow as pa
    except ImportError:
        raise Undecodable(_NO_PYARROW()) from None
    file.seek(entry.header_offset)
    head = file.read(_HEAD.size)
    name, extra = _HEAD.unpack(head)[-2:]
    file.seek(entry.header_offset + _HEAD.size + name + extra)
    packed = pa.BufferReader(file.read(entry.compress_size))
    with pa.CompressedInputStream(packed, "zstd") as unpacked:
        data: bytes = unpacked.read(LONGEST + 1)
    return data


def json_text(value: Any) -> str:  # noqa: ANN401 - of JSON
    """A value as indented JSON, as people read it."""
    return json.dumps(value, ensure_ascii=False, indent=1, default=str)
