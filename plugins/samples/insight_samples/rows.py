"""Reads rows of files: lines of JSON by their bytes, rows of Parquet and entries of zips by their number."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from attrs import field, frozen

from insight_core.plugin import ReasonKind
from insight_samples.formats import Layout, Row

LONGEST = 64 << 20  # bytes of a line, or of an unpacked entry; longer ones are left out
_PIECE = 1 << 20
_ROWS = 256  # of Parquet that are made at a time
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

    Raises ValueError with a Reason for a file that cannot be read.
    """
    layout = layout_of(path)
    if layout == "lines":
        return _lines(stream, start, most)
    return _parquet(stream) if layout == "parquet" else _entries(stream)


def read_places(stream: BinaryIO, path: str, places: Sequence[tuple[int, int]]) -> Iterator[Row | None]:
    """The rows at offsets of these sizes; None where the file has no row. Raises ValueError."""
    if layout_of(path) == "lines":
        for offset, size in places:
            stream.seek(offset)
            yield _object(stream.read(size))
        return
    numbers = sorted({offset for offset, _ in places})
    reads = _parquet(stream, numbers) if layout_of(path) == "parquet" else _entries(stream, numbers)
    found = {read.offset: read.row for read in reads}
    yield from (found.get(offset) for offset, _ in places)


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
    return row if isinstance(row, dict) else None


def _parquet(stream: BinaryIO, rows: Sequence[int] | None = None) -> Iterator[Read]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise ValueError(_NO_PYARROW()) from None
    try:
        file = pq.ParquetFile(stream if stream.seekable() else pa.BufferReader(stream.read()))
        at = 0
        for group in range(file.num_row_groups):
            count = file.metadata.row_group(group).num_rows
            wanted = [row - at for row in rows if at <= row < at + count] if rows is not None else None
            if wanted is None:
                for batch in file.iter_batches(_ROWS, row_groups=[group]):
                    for row in batch.to_pylist():
                        yield Read(at, 1, row)
                        at += 1
                continue
            if wanted:
                for place, row in zip(
                    wanted, file.read_row_group(group).take(wanted).to_pylist(), strict=True
                ):
                    yield Read(at + place, 1, row)
            at += count
    except (pa.ArrowException, OSError) as error:
        raise ValueError(_UNREADABLE(cause=str(error))) from error


def _entries(stream: BinaryIO, rows: Sequence[int] | None = None) -> Iterator[Read]:
    """Samples of an Inspect log, one entry each, in the order of the archive."""
    file = stream if stream.seekable() else io.BytesIO(stream.read())
    try:
        with zipfile.ZipFile(file) as archive:
            entries = [one for one in archive.infolist() if one.filename.startswith("samples/")]
            for number, entry in enumerate(entries):
                if rows is not None and number not in rows:
                    continue
                is_read = entry.file_size <= LONGEST and entry.filename.endswith(".json")
                yield Read(number, 1, _object(entry_of(archive, file, entry)) if is_read else None)
    except (zipfile.BadZipFile, NotImplementedError, OSError, EOFError, struct.error) as error:
        raise ValueError(_UNREADABLE(cause=str(error))) from error


def entry_of(archive: zipfile.ZipFile, file: BinaryIO, entry: zipfile.ZipInfo) -> bytes:
    """The unpacked bytes of an entry; those packed with Zstandard, as Inspect does, by pyarrow.

    Raises ValueError with a Reason without it, and what zipfile raises.
    """
    if entry.compress_type != _ZSTD:
        return archive.read(entry)
    try:
        import pyarrow as pa
    except ImportError:
        raise ValueError(_NO_PYARROW()) from None
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
