"""Encodes and decodes an entry of the index cache, for one log file (docs/reference/formats.md).

A header with a checksum of its own, the path of the event file, a directory of numbers and texts, then
the columns. Blocks of the same claim and form are written as one, whose columns lie end to end, as they do in
memory; where each series ends is a column too, so that alike runs have the same directory. Everything after
the header is covered by its checksum.
"""

from __future__ import annotations

import functools
import itertools
import math
import os
import re
import socket
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.formats.batch import Flaw
from insight_core.formats.columns import Block, Columns
from insight_core.formats.crc32c import crc32c
from insight_core.formats.event import Metadata
from insight_core.ingest.file_record import Entry, FileRecord, FlawList, Stretch
from insight_core.plugin import Claim, Dialect
from insight_core.store.claims import FileState, claim_of

VERSION = 5  # raise it when the layout or the result of scanning changes
_MAGIC = b"insightI"
_ALIGNMENT = 64  # bytes, of each column
_LONGEST_PATH = 4096  # bytes; Linux allows no more

# magic, version, byte order, size of the whole, path length; numbers, bytes of texts and of
# the whole directory; checksum of what follows the path, checksum of the header (without itself) and the path
_HEADER = struct.Struct("=8sIIQIQQQII")
_BYTE_ORDER = 0x01020304
_COUNTS, _TIMES, _FLAGS = np.dtype(np.int64), np.dtype(np.float64), np.dtype(np.bool_)
_FORMS = ("", "f", "d")  # characters of the types of values, by number
_PLACED = len(_FORMS)  # added to the number where there are places
_DIALECTS = (Dialect.TENSORBOARD, Dialect.MINDSPORE, None)  # by number; None: no event file
# inode, size, mtime_ns, ctime_ns, position, head (length, checksum), tail (length, checksum),
# flaws that are not named (count, first offset, bytes), start time (NaN: none)
_FILE = struct.Struct("=QqqqqQQQQQqqd")


def index_directory(directory: Path) -> Path:
    """The directory for entries of this version below a cache directory."""
    return directory / f"index-{VERSION}"


@functools.cache
def machine_name() -> str:
    """The name of this machine, for the names of temporary files: process ids belong to a machine."""
    return re.sub(r"[^A-Za-z0-9.]", "_", socket.gethostname())[:64]


class Unusable(Exception):
    """The bytes are not a valid entry."""


@frozen(eq=False)
class Header:
    """The beginning of an entry."""

    path: str  # absolute, of the event file
    size: int  # bytes of the whole entry
    numbers: int  # int64 at the beginning of the directory
    text_size: int  # bytes of the texts that follow them
    directory_size: int  # bytes
    checksum: int  # of everything from ``start`` on
    start: int


def read_header(data: bytes | memoryview) -> Header:
    """The header at the beginning of ``data``. Raises Unusable."""
    if len(data) < _HEADER.size:
        raise Unusable("it is cut off")
    (
        magic, version, byte_order, size, path_length,
        numbers, text_size, directory_size, checksum, header_checksum,
    ) = _HEADER.unpack_from(data)  # fmt: skip
    if (magic, version, byte_order) != (_MAGIC, VERSION, _BYTE_ORDER):
        raise Unusable("it is not an entry of this version")
    start = _HEADER.size + path_length
    if path_length > _LONGEST_PATH or len(data) < start:
        raise Unusable("it is cut off")
    path = bytes(data[_HEADER.size : start])
    if crc32c(path, crc32c(data[: _HEADER.size - 4])) != header_checksum:
        raise Unusable("the checksum of its header is wrong")
    return Header(os.fsdecode(path), size, numbers, text_size, directory_size, checksum, start)


# --- writing --------------------------------------------------------------------------------------


class _Texts:
    """Each text once, by number."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


def encode(path: str, entry: Entry) -> list[bytes | memoryview]:
    """The encoded entry in pieces, in order; columns are not copied."""
    texts = _Texts()
    contents: list[bytes] = []
    numbers: list[int] = []
    content = entry.content
    numbers += [_dialect_number(entry.file.dialect), _dialect_number(content.dialect)]
    _encode_flaws(entry.file.flaws.named, numbers, texts)
    _encode_flaws([entry.file.tail] if entry.file.tail else [], numbers, texts)
    numbers += [texts.number(entry.file.state), len(content.refused)]
    numbers += [texts.number(tag) for tag in content.refused]
    _encode_flaws(list(content.refused.values()), numbers, texts)
    numbers.append(len(content.metadata))
    for tag, metadata in content.metadata.items():
        words = (tag, metadata.plugin, metadata.display_name, metadata.description)
        numbers += [*map(texts.number, words), metadata.data_class, len(metadata.content)]
        contents.append(metadata.content)
    numbers.append(len(content.limits))
    for claim, limit in content.limits.items():
        numbers += [texts.number(str(claim)), texts.number(limit)]
    columns = _encode_blocks(content.blocks, numbers, texts)
    listed = [text.encode("utf-8", "surrogatepass") for text in texts.numbers]
    numbers = [len(listed), *map(len, texts.numbers), *numbers]
    directory = [np.array(numbers, np.int64).tobytes(), *listed, *contents]
    name = os.fsencode(path)
    if len(name) > _LONGEST_PATH:
        raise ValueError("the path is too long")
    pieces = list(_aligned([_file_block(entry), *directory], columns, _HEADER.size + len(name)))
    checksum = 0
    for piece in pieces:
        checksum = crc32c(piece, checksum)
    size = _HEADER.size + len(name) + sum(len(piece) for piece in pieces)
    header = _HEADER.pack(
        _MAGIC, VERSION, _BYTE_ORDER, size, len(name),
        len(numbers), sum(map(len, listed)), sum(map(len, directory)), checksum, 0,
    )  # fmt: skip
    header = header[:-4] + struct.pack("=I", crc32c(name, crc32c(header[:-4])))
    return [header, name, *pieces]


def _dialect_number(dialect: Dialect | None) -> int:
    return _DIALECTS.index(dialect)


def _file_block(entry: Entry) -> bytes:
    file, flaws, start_time = entry.file, entry.file.flaws, entry.content.start_time
    return _FILE.pack(
        file.inode, file.size, file.mtime_ns, file.ctime_ns, file.position,
        file.head.length, file.head.checksum, file.end.length, file.end.checksum,
        flaws.more, flaws.first_unnamed, flaws.skipped,
        math.nan if start_time is None else start_time,
    )  # fmt: skip


def _encode_flaws(flaws: Sequence[Flaw], numbers: list[int], texts: _Texts) -> None:
    numbers.append(len(flaws))
    for flaw in flaws:
        numbers += [flaw.offset, texts.number(flaw.reason), flaw.skipped]


def _encode_blocks(
    blocks: Sequence[tuple[Claim, Block]], numbers: list[int], texts: _Texts
) -> list[list[NDArray[Any]]]:
    """Writes what the blocks are to ``numbers``; returns the columns that belong end to end."""
    alike: dict[tuple[Claim, int], list[Block]] = {}
    for claim, block in blocks:
        values = block.columns.values
        form = _FORMS.index("" if values is None else values.dtype.char)
        if block.columns.places is not None:
            form += _PLACED
        if any(column.shape[-1:] != (block.ends[-1],) for column in block.columns.arrays()):
            raise ValueError(f"the columns of {block.tags} are not equally long")
        alike.setdefault((claim, form), []).append(block)
    columns: list[list[NDArray[Any]]] = []
    numbers.append(len(alike))
    for (claim, form), same in alike.items():
        tags = [tag for block in same for tag in block.tags]
        numbers += [texts.number(str(claim)), form, len(tags), *map(texts.number, tags)]
        counts = [block.counts() for block in same]
        every = [block.columns for block in same]
        columns += [
            [np.concatenate(counts).cumsum()],
            [own if b.totals is None else b.totals for own, b in zip(counts, same, strict=True)],
            [np.zeros_like(b.ends) if b.stretches is None else b.stretches for b in same],
            [block.ascending.view(np.uint8) for block in same],
            [each.steps for each in every],
            [each.wall_times for each in every],
            [each.values for each in every if each.values is not None],
            [each.places[row] for row in range(3) for each in every if each.places is not None],
        ]
    return [column for column in columns if column]


def _aligned(
    body: Iterable[bytes], columns: Iterable[Sequence[NDArray[Any]]], position: int
) -> Iterator[bytes | memoryview]:
    for piece in body:
        position += len(piece)
        yield piece
    for column in columns:
        padding = -position % _ALIGNMENT
        yield bytes(padding)
        position += padding
        for array in column:
            position += array.nbytes
            yield np.ascontiguousarray(array).view(np.uint8).data


# --- reading --------------------------------------------------------------------------------------


@frozen(eq=False, repr=False)
class _Kind:
    """The description of a block, without its points."""

    claim: Claim
    form: int
    tags: tuple[str, ...]


@frozen(eq=False, repr=False)
class _Directory:
    """All of an entry but its columns and the numbers of its file. Files of alike runs share one."""

    file_dialect: Dialect | None
    content_dialect: Dialect | None
    flaws: tuple[Flaw, ...]
    tail: Flaw | None
    state: str
    refused: Mapping[str, Flaw]
    metadata: Mapping[str, Metadata]
    limits: Mapping[Claim, str]
    kinds: tuple[_Kind, ...]  # of the blocks


class _Numbers:
    """Reads numbers, and the texts that they refer to, in order."""

    def __init__(self, values: list[int], joined: str) -> None:
        self._values = values
        self._next = 0
        ends = list(itertools.accumulate(self.take(self.number()), initial=0))
        self._texts = [joined[first:end] for first, end in itertools.pairwise(ends)]

    def take(self, count: int) -> list[int]:
        first, self._next = self._next, self._next + count
        if not 0 <= first <= self._next <= len(self._values):
            raise Unusable("its directory is too short")
        return self._values[first : self._next]

    def number(self) -> int:
        return self.take(1)[0]

    def words(self, count: int) -> list[str]:
        return [self._texts[number] for number in self.take(count)]

    def flaws(self) -> tuple[Flaw, ...]:
        rows = [self.take(3) for _ in range(self.number())]
        return tuple(Flaw(offset, self._texts[reason], skipped) for offset, reason, skipped in rows)


def decode(data: bytes | memoryview, header: Header) -> Entry:
    """The entry in ``data``, of which its columns are read-only views. Raises Unusable."""
    if len(data) != header.size:
        raise Unusable("it is cut off")
    if crc32c(memoryview(data)[header.start :]) != header.checksum:
        raise Unusable("its checksum is wrong")
    try:
        return _decode(data, header)
    except (IndexError, KeyError, TypeError, ValueError, struct.error) as error:
        raise Unusable(f"it is inconsistent: {error}") from error


def _decode(data: bytes | memoryview, header: Header) -> Entry:
    (
        inode, size, mtime_ns, ctime_ns, position, head_length, head_checksum, end_length, end_checksum,
        more, first_unnamed, skipped, start_time,
    ) = _FILE.unpack_from(data, header.start)  # fmt: skip
    first = header.start + _FILE.size
    at = first + header.directory_size
    directory = _read_directory(bytes(data[first:at]), header.numbers, header.text_size)
    columns = _Columns(data, at)
    blocks = tuple((kind.claim, columns.block(kind)) for kind in directory.kinds)
    file = FileRecord(
        directory.file_dialect, inode, size, mtime_ns, ctime_ns, position,
        Stretch(0, head_length, head_checksum), Stretch(position - end_length, end_length, end_checksum),
        FlawList(list(directory.flaws), more, first_unnamed, skipped), directory.tail, directory.state,
    )  # fmt: skip
    start = None if math.isnan(start_time) else start_time
    content = FileState(
        directory.content_dialect,
        start,
        directory.metadata,
        tuple(blocks),
        directory.refused,
        directory.limits,
    )
    return Entry(file, content)


class _Columns:
    """Reads columns in order."""

    def __init__(self, data: bytes | memoryview, at: int) -> None:
        self._data = data
        self._at = at

    def _take(self, dtype: np.dtype[Any], count: int) -> NDArray[Any]:
        self._at += -self._at % _ALIGNMENT
        column: NDArray[Any] = np.frombuffer(self._data, dtype, count, self._at)
        self._at += column.nbytes
        return column

    def block(self, kind: _Kind) -> Block:
        placed, form = divmod(kind.form, _PLACED)
        tags = len(kind.tags)
        ends, totals, stretches = (self._take(_COUNTS, tags) for _ in range(3))
        ascending = self._take(_FLAGS, tags)
        points = int(ends[-1])
        columns = Columns(self._take(_COUNTS, points), self._take(_TIMES, points))
        if form:
            columns.values = self._take(np.dtype(_FORMS[form]), points)
        if placed:
            columns.places = self._take(_COUNTS, 3 * points).reshape(3, points)
        block = Block("", kind.tags, ends, ascending, columns, None, stretches)
        if np.count_nonzero(totals != block.counts()):
            block.totals = totals
        return block


@functools.lru_cache(256)
def _read_directory(data: bytes, count: int, text_size: int) -> _Directory:
    text_end = 8 * count + text_size
    joined = data[8 * count : text_end].decode("utf-8", "surrogatepass")
    contents = data[text_end:]
    numbers = _Numbers(np.frombuffer(data, np.int64, count).tolist(), joined)
    file_dialect, content_dialect = (_DIALECTS[number] for number in numbers.take(2))
    flaws, tail = numbers.flaws(), numbers.flaws()
    [state] = numbers.words(1)
    refused = dict(zip(numbers.words(numbers.number()), numbers.flaws(), strict=True))
    metadata = {}
    for _ in range(numbers.number()):
        tag, plugin, display_name, description = numbers.words(4)
        data_class, length = numbers.take(2)
        metadata[tag] = Metadata(plugin, display_name, description, contents[:length], data_class)
        contents = contents[length:]
    limits = {}
    for _ in range(numbers.number()):
        claim, limit = numbers.words(2)
        limits[claim_of(claim)] = limit
    kinds = []
    for _ in range(numbers.number()):
        [claim] = numbers.words(1)
        form, count = numbers.take(2)
        kinds.append(_Kind(claim_of(claim), form, tuple(numbers.words(count))))
    return _Directory(
        file_dialect, content_dialect, flaws, tail[0] if tail else None, state,
        refused, metadata, limits, tuple(kinds),
    )  # fmt: skip
