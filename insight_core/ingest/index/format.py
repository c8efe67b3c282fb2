"""Encodes and decodes what a segment file says of one log file (docs/reference/formats.md).

A row of numbers, a directory of numbers and texts, which alike runs share, and the blocks of series.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
import socket
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from attrs import frozen

from insight_core.formats.batch import Flaw
from insight_core.formats.block_encoding import Piece, encode_block
from insight_core.formats.columns import Block
from insight_core.formats.event import Metadata
from insight_core.formats.stored_block import AnyBlock, Form, Read, StoredBlock
from insight_core.ingest.file_record import Entry, FileRecord, FlawList, Stretch
from insight_core.ingest.folding import has_points, is_part
from insight_core.plugin import Claim, Dialect
from insight_core.plugin.claims import claim_of
from insight_core.store.claims import FileState
from insight_record.formats.reason import Reason

VERSION = 11  # raise it when the layout or the result of scanning changes
_DIALECTS = (Dialect.TENSORBOARD, Dialect.MINDSPORE, None)  # by number; None: no event file
_SIGNED, _UNSIGNED = np.dtype(np.int64), np.dtype(np.uint64)
# of a log file, see ``FileRecord``; the directory by number
FILE = np.dtype(
    [
        ("inode", _UNSIGNED),
        ("size", _SIGNED),
        ("mtime_ns", _SIGNED),
        ("ctime_ns", _SIGNED),
        ("position", _SIGNED),
        ("head_length", _UNSIGNED),
        ("head_checksum", _UNSIGNED),
        ("end_length", _UNSIGNED),
        ("end_checksum", _UNSIGNED),
        ("more_flaws", _SIGNED),
        ("first_unnamed", _SIGNED),
        ("skipped", _SIGNED),
        ("holds", _UNSIGNED),  # the sum of HAS_POINTS and IS_PART
        ("start_time", np.dtype(np.float64)),  # NaN: none
        ("odd_time", np.dtype(np.float64)),  # likewise
    ]
)
HAS_POINTS, IS_PART = 1, 2  # see ``folding.has_points``; whether it may be a part of the run above
# of a block: offset of its tables among the blocks of the file; see ``Written``
BLOCK = np.dtype([("at", _SIGNED), ("chunks", _SIGNED), ("checksum", _SIGNED), ("rests", _SIGNED)])


def index_directory(directory: Path) -> Path:
    """The directory for segment files of this version below a cache directory."""
    return directory / f"index-{VERSION}"


@functools.cache
def machine_name() -> str:
    """The name of this machine, for the names of files: process ids belong to a machine."""
    return re.sub(r"[^A-Za-z0-9.]", "_", socket.gethostname())[:64]


class Unusable(Exception):
    """The bytes are not a valid segment file."""


# --- writing --------------------------------------------------------------------------------------


class Packed(NamedTuple):
    """A log file as a segment file keeps it."""

    file: tuple[float, ...]  # a row of FILE
    directory: bytes  # number of numbers, bytes of texts, then both
    blocks: Sequence[tuple[int, ...]]  # rows of BLOCK
    size: int  # bytes of ``pieces``
    pieces: Iterable[Piece]  # of the blocks


class _FlawText(NamedTuple):
    offset: int
    reason: str  # with code and details
    skipped: int


class EntryDirectory(NamedTuple):
    """What the directory of a log file has: equal for alike runs."""

    file_dialect: Dialect | None
    content_dialect: Dialect | None
    flaws: tuple[_FlawText, ...]
    tail: tuple[_FlawText, ...]  # none or one
    state: str
    refused: tuple[str, ...]  # tags
    refusals: tuple[_FlawText, ...]
    metadata: tuple[tuple[str, Metadata], ...]
    limits: tuple[tuple[Claim, str], ...]
    sessions: tuple[tuple[int, int], ...]
    kinds: tuple[tuple[Claim, int, tuple[str, ...]], ...]  # of the blocks: claim, form, tags


class _Texts:
    """Each text once, by number."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


def pack(entry: Entry) -> Packed:
    """The encoded entry; columns are not copied. Raises ValueError, Lost."""
    file, content = entry.file, entry.content
    blocks: list[tuple[int, ...]] = []
    pieces: list[Piece] = []
    kinds = []
    size = 0
    for (claim, form), same in _alike(content.blocks).items():
        encoded = encode_block(same)
        blocks.append((size, encoded.chunks, encoded.checksum, encoded.rests))
        pieces += encoded.pieces
        size += encoded.size
        tags = same[0].tags if len(same) == 1 else tuple(tag for block in same for tag in block.tags)
        kinds.append((claim, form, tags))
    directory = EntryDirectory(
        file.dialect,
        content.dialect,
        _flaw_texts(file.flaws.named),
        _flaw_texts([file.tail] if file.tail else ()),
        file.state,
        tuple(content.refused),
        _flaw_texts(content.refused.values()),
        tuple(content.metadata.items()),
        tuple(content.limits.items()),
        tuple(content.sessions.items()),
        tuple(kinds),
    )
    return Packed(_file_row(entry), encoded_directory(directory), blocks, size, pieces)


@functools.lru_cache(16)  # a search has thousands of alike runs
def encoded_directory(directory: EntryDirectory) -> bytes:
    """The bytes of a directory; alike runs share them."""
    texts = _Texts()
    contents: list[bytes] = []
    numbers: list[int] = []
    numbers += [_dialect_number(directory.file_dialect), _dialect_number(directory.content_dialect)]
    _encode_flaws(directory.flaws, numbers, texts)
    _encode_flaws(directory.tail, numbers, texts)
    numbers += [texts.number(directory.state), len(directory.refused)]
    numbers += [texts.number(tag) for tag in directory.refused]
    _encode_flaws(directory.refusals, numbers, texts)
    numbers.append(len(directory.metadata))
    for tag, metadata in directory.metadata:
        words = (tag, metadata.plugin, metadata.display_name, metadata.description)
        last = -1 if metadata.last is None else len(metadata.last)
        numbers += [*map(texts.number, words), metadata.data_class, len(metadata.content), last]
        contents += [metadata.content, metadata.last or b""]
    numbers.append(len(directory.limits))
    for claim, limit in directory.limits:
        numbers += [texts.number(str(claim)), texts.number(limit)]
    numbers.append(len(directory.sessions))
    numbers += [number for session in directory.sessions for number in session]
    numbers.append(len(directory.kinds))
    for claim, form, tags in directory.kinds:
        numbers += [texts.number(str(claim)), form, len(tags), *map(texts.number, tags)]
    listed = [text.encode("utf-8", "surrogatepass") for text in texts.numbers]
    numbers = [len(listed), *map(len, texts.numbers), *numbers]
    sizes = len(numbers), sum(map(len, listed))
    return b"".join([np.array([*sizes, *numbers], np.int64).tobytes(), *listed, *contents])


def _dialect_number(dialect: Dialect | None) -> int:
    return _DIALECTS.index(dialect)


def _file_row(entry: Entry) -> tuple[float, ...]:
    file, flaws, content = entry.file, entry.file.flaws, entry.content
    return (
        file.inode, file.size, file.mtime_ns, file.ctime_ns, file.position,
        file.head.length, file.head.checksum, file.end.length, file.end.checksum,
        flaws.more, flaws.first_unnamed, flaws.skipped,
        holds_of(content),
        math.nan if content.start_time is None else content.start_time,
        math.nan if content.odd_time is None else content.odd_time,
    )  # fmt: skip


def holds_of(content: FileState) -> int:
    """What a log file has, as FILE says."""
    return HAS_POINTS * has_points(content.blocks) + IS_PART * is_part(content)


def _flaw_texts(flaws: Collection[Flaw]) -> tuple[_FlawText, ...]:
    if not flaws:  # of most files
        return ()
    return tuple([_FlawText(flaw.offset, Reason.of(flaw.reason).stored(), flaw.skipped) for flaw in flaws])


def _encode_flaws(flaws: Sequence[_FlawText], numbers: list[int], texts: _Texts) -> None:
    numbers.append(len(flaws))
    for flaw in flaws:
        numbers += [flaw.offset, texts.number(flaw.reason), flaw.skipped]


def _alike(blocks: Sequence[tuple[Claim, AnyBlock]]) -> dict[tuple[Claim, int], list[Block]]:
    """The blocks that are written as one, by claim and form."""
    found: dict[tuple[Claim, int], list[Block]] = {}
    for claim, block in blocks:
        loaded = block.loaded()
        found.setdefault((claim, Form.of(loaded.columns).number), []).append(loaded)
    return found


# --- reading --------------------------------------------------------------------------------------


@frozen(eq=False, repr=False)
class _Kind:
    """The description of a block, without its points."""

    claim: Claim
    form: Form
    tags: tuple[str, ...]


@frozen(eq=False, repr=False)
class Description:
    """What is known of a log file but for its numbers and blocks. Files of alike runs share one."""

    file_dialect: Dialect | None
    content_dialect: Dialect | None
    flaws: tuple[Flaw, ...]
    tail: Flaw | None
    state: str
    refused: Mapping[str, Flaw]
    metadata: Mapping[str, Metadata]
    limits: Mapping[Claim, str]
    sessions: Mapping[int, int]
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
        return tuple(
            Flaw(offset, Reason.restored(self._texts[reason]), skipped) for offset, reason, skipped in rows
        )


def read_description(data: bytes) -> Description:
    """The directory of ``Packed``. Raises Unusable."""
    try:
        return _read_description(data)
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise Unusable(f"it is inconsistent: {error}") from error


def _read_description(data: bytes) -> Description:
    count, text_size = np.frombuffer(data, np.int64, 2).tolist()
    text_start = 16 + 8 * count
    joined = data[text_start : text_start + text_size].decode("utf-8", "surrogatepass")
    contents = data[text_start + text_size :]
    numbers = _Numbers(np.frombuffer(data, np.int64, count, 16).tolist(), joined)
    file_dialect, content_dialect = (_DIALECTS[number] for number in numbers.take(2))
    flaws, tail = numbers.flaws(), numbers.flaws()
    [state] = numbers.words(1)
    refused = dict(zip(numbers.words(numbers.number()), numbers.flaws(), strict=True))
    metadata = {}
    for _ in range(numbers.number()):
        tag, plugin, display_name, description = numbers.words(4)
        data_class, length, last_length = numbers.take(3)
        content, contents = contents[:length], contents[length:]
        last = None if last_length < 0 else contents[:last_length]
        contents = contents[max(0, last_length) :]
        metadata[tag] = Metadata(plugin, display_name, description, content, data_class, last)
    limits = {}
    for _ in range(numbers.number()):
        claim, limit = numbers.words(2)
        limits[claim_of(claim)] = limit
    listed = numbers.take(2 * numbers.number())
    sessions = dict(zip(listed[::2], listed[1::2], strict=True))
    kinds = []
    for _ in range(numbers.number()):
        [claim] = numbers.words(1)
        form, count = numbers.take(2)
        kinds.append(_Kind(claim_of(claim), Form.numbered(form), tuple(numbers.words(count))))
    return Description(
        file_dialect, content_dialect, flaws, tail[0] if tail else None, state,
        refused, metadata, limits, sessions, tuple(kinds),
    )  # fmt: skip


def record_of(row: tuple[Any, ...], directory: Description) -> FileRecord:
    """What a row of FILE and the directory of a log file say of the file."""
    (
        inode, size, mtime_ns, ctime_ns, position, head_length, head_checksum, end_length, end_checksum,
        more, first_unnamed, skipped, *_,
    ) = row  # fmt: skip
    return FileRecord(
        directory.file_dialect, inode, size, mtime_ns, ctime_ns, position,
        Stretch(0, head_length, head_checksum), Stretch(position - end_length, end_length, end_checksum),
        FlawList(list(directory.flaws), more, first_unnamed, skipped), directory.tail, directory.state,
    )  # fmt: skip


def content_of(
    path: str,
    row: tuple[Any, ...],
    directory: Description,
    blocks: Sequence[tuple[int, ...]],
    start: int,
    read: Read,
    lose: Callable[[str], None],
) -> FileState:
    """The content of the log file at ``path``: a row of FILE, its directory, and rows of BLOCK.

    Its blocks are from ``start`` on in what ``read`` reads; ``lose`` is called when that fails.
    Raises Unusable.
    """
    if len(blocks) != len(directory.kinds):
        raise Unusable("its blocks are not those of its directory")
    start_time, odd_time = (None if time != time else time for time in row[-2:])  # NaN: none
    stored = [
        (
            kind.claim,
            StoredBlock(path, kind.tags, kind.form, bool(rests), read, lose, start + at, chunks, checksum),
        )
        for kind, (at, chunks, checksum, rests) in zip(directory.kinds, blocks, strict=True)
    ]
    return FileState(
        directory.content_dialect,
        start_time,
        directory.metadata,
        tuple(stored),
        directory.refused,
        directory.limits,
        odd_time,
        directory.sessions,
    )
