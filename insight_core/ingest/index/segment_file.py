"""Segment files: an immutable file with a catalogue of log files, and what was read of each."""

from __future__ import annotations

import itertools
import os
import stat
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from insight_core.formats.block_encoding import Piece
from insight_core.ingest.file_record import Entry, FileRecord
from insight_core.ingest.index.alike import PackedFiles
from insight_core.ingest.index.format import (
    BLOCK,
    FILE,
    HAS_POINTS,
    VERSION,
    Description,
    Packed,
    Unusable,
    content_of,
    read_description,
    record_of,
)
from insight_core.ingest.scan_ahead import FileVersion
from insight_core.store.claims import FileState
from insight_record.formats.crc32c import crc32c

SUFFIX = ".segment"  # of the names of segment files
_MAGIC = b"insightS"
_BYTE_ORDER = 0x01020304
# magic, version, byte order; bytes of the whole and of the catalogue; log files, blocks, directories;
# checksums of the catalogue and of the header
_HEADER = struct.Struct("=8sIIQQQQQII")
_BEGINNING = 64 << 10  # bytes read first: the header and mostly all of the catalogue
_NUMBER = np.dtype(np.int64)
# when it was saved (ns since the epoch), where its blocks are and their bytes, its directory, its blocks
_ENTRY = np.dtype(
    [("saved", _NUMBER), ("at", _NUMBER), ("size", _NUMBER), ("directory", _NUMBER), ("end", _NUMBER)]
)
_LONGEST_READ = 1 << 30  # bytes; Linux reads no more than 2 GiB at once


def encode(
    entries: Mapping[str, tuple[int, Packed]], alike: Sequence[tuple[int, PackedFiles]] = ()
) -> Iterator[Piece]:
    """A segment file in pieces. ``entries``, by path: when it was saved (ns), and the rest. ``alike``: those
    of runs that are alike, by when they were saved."""
    directories: dict[bytes, int] = {}
    rows, files = [], []
    blocks: list[tuple[int, ...]] = []
    position = 0
    for saved, packed in entries.values():
        number = directories.setdefault(packed.directory, len(directories))
        blocks += packed.blocks
        rows.append((saved, position, packed.size, number, len(blocks)))
        files.append(packed.file)
        position += packed.size
    columns = [(np.array(rows, _ENTRY), np.array(files, FILE), np.array(blocks, BLOCK))]
    paths, known = [*entries], len(blocks)
    for saved, group in alike:
        count, per_file = len(group.paths), len(group.blocks) // len(group.paths)
        own = np.empty(count, _ENTRY)
        own["saved"], own["size"] = saved, group.sizes
        own["at"] = position + np.cumsum(group.sizes) - group.sizes
        own["directory"] = directories.setdefault(group.directory, len(directories))
        own["end"] = known + per_file * np.arange(1, count + 1)
        columns.append((own, group.files, group.blocks))
        paths += group.paths
        position, known = position + len(group.data), known + len(group.blocks)
    encoded_paths = b"\0".join(map(os.fsencode, paths))
    sizes = np.array([len(encoded_paths), *map(len, directories)], _NUMBER)
    tables = [column.tobytes() for kind in zip(*columns, strict=True) for column in kind]
    catalogue = b"".join([*tables, sizes.tobytes(), *directories, encoded_paths])
    fields = (
        _MAGIC, VERSION, _BYTE_ORDER, _HEADER.size + len(catalogue) + position, len(catalogue),
        len(paths), known, len(directories), crc32c(catalogue),
    )  # fmt: skip
    header = _HEADER.pack(*fields, 0)[:-4]
    yield header + struct.pack("=I", crc32c(header)) + catalogue
    for _, packed in entries.values():
        yield from packed.pieces
    for _, group in alike:
        yield group.data


class StoredFile(NamedTuple):
    """A log file that has not changed since its entry in a segment file was written."""

    segment: SegmentFile
    number: int
    version: FileVersion

    @property
    def position(self) -> int:
        """The offset up to which it was read."""
        return self.segment.position(self.number)

    @property
    def has_points(self) -> bool:
        """Whether it has other values than records of hyperparameters."""
        return bool(self.segment.holds_of(self.number) & HAS_POINTS)

    def record(self) -> FileRecord:
        """How far it was read."""
        return self.segment.record(self.number)

    def content(self, lose: Callable[[str], None]) -> FileState:
        """What was read of it; see ``SegmentFile.entry``."""
        return self.segment.entry(self.number, lose).content


class SegmentFile:
    """A segment file. While it stays open, it can be read after it was deleted."""

    def __init__(self, path: str, *, stays_open: bool = True) -> None:
        """Reads the catalogue. Raises OSError, Unusable.

        Without ``stays_open`` the file is opened again for each read, and holds no file descriptor.
        """
        self.path = path
        descriptor = self._opened()
        self._descriptor: int | None = descriptor
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode):
            raise Unusable("it is not a regular file")
        self.size, self.used = info.st_size, info.st_mtime
        beginning = self.read(0, min(_BEGINNING, self.size))
        if len(beginning) < _HEADER.size:
            raise Unusable("it is cut off")
        (
            magic, version, byte_order, size, catalogue_size,
            entries, blocks, directories, checksum, header_checksum,
        ) = _HEADER.unpack_from(beginning)  # fmt: skip
        if (magic, version, byte_order) != (_MAGIC, VERSION, _BYTE_ORDER):
            raise Unusable("it is not a segment file of this version")
        if crc32c(beginning[: _HEADER.size - 4]) != header_checksum:
            raise Unusable("the checksum of its header is wrong")
        self._start = _HEADER.size + catalogue_size
        if size != self.size or self._start > size:
            raise Unusable("it is cut off")
        catalogue = beginning[_HEADER.size : self._start]
        catalogue += self.read(_HEADER.size + len(catalogue), catalogue_size - len(catalogue))
        if crc32c(catalogue) != checksum:
            raise Unusable("the checksum of its catalogue is wrong")
        try:
            self._parse(catalogue, entries, blocks, directories)
        except (IndexError, ValueError) as error:
            raise Unusable(f"it is inconsistent: {error}") from error
        if not stays_open:
            self._close()

    def __del__(self) -> None:
        self._close()

    def _close(self) -> None:
        descriptor, self._descriptor = getattr(self, "_descriptor", None), None
        if descriptor is not None:
            os.close(descriptor)

    def _opened(self) -> int:
        return os.open(self.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)

    def _parse(self, data: bytes, entries: int, blocks: int, directories: int) -> None:
        at = 0

        def take(dtype: np.dtype[Any], count: int) -> NDArray[Any]:
            nonlocal at
            column: NDArray[Any] = np.frombuffer(data, dtype, count, at)
            at += column.nbytes
            return column

        self._entries = take(_ENTRY, entries)
        self._files = take(FILE, entries)
        self._blocks = take(BLOCK, blocks)
        paths_size, *sizes = take(_NUMBER, 1 + directories).tolist()
        ends = list(itertools.accumulate(sizes, initial=at))
        self._encoded = [data[first:end] for first, end in itertools.pairwise(ends)]
        self._directories: list[Description | None] = [None] * directories
        paths = data[ends[-1] :]
        self.paths = [os.fsdecode(path) for path in paths.split(b"\0")] if entries else []
        if len(paths) != paths_size or len(self.paths) != entries:
            raise ValueError("its paths are not those of its entries")

    def __len__(self) -> int:
        return len(self.paths)

    def saved(self, number: int) -> int:
        """When an entry was saved, in ns since the epoch."""
        return int(self._entries["saved"][number])

    def size_of(self, number: int) -> int:
        """Bytes of the blocks of an entry."""
        return int(self._entries["size"][number])

    def entry(self, number: int, lose: Callable[[str], None]) -> Entry:
        """The entry with this number, of which the points are not read; ``lose``: see ``content_of``.

        Raises Unusable.
        """
        _, at, _, directory, _ = self._entries[number].tolist()
        known, row, blocks = self._described(directory), self._files[number].tolist(), self._blocks_of(number)
        content = content_of(self.paths[number], row, known, blocks, self._start + at, self.read, lose)
        return Entry(record_of(row, known), content)

    def alike(self) -> list[int | None]:
        """A number for each entry: that of entries with the same series.

        None for a damaged log file, one with wall times that are not in seconds, one in which a session
        begins, a file that a log format reads, and one whose series cannot be listed without reading points.
        """
        ends, unrest = self._entries["end"], np.cumsum(self._blocks["rests"] == 0)
        counts = np.diff(ends, prepend=0)
        at_end = np.concatenate([[0], unrest])
        is_whole = (self._files["more_flaws"] == 0) & (at_end[ends] == at_end[ends - counts])
        is_whole &= np.isnan(self._files["odd_time"])
        usable = [self._usable_blocks(number) for number in range(len(self._directories))]
        return [
            number if whole and usable[number] == count else None
            for number, whole, count in zip(
                self._entries["directory"].tolist(), is_whole.tolist(), counts.tolist(), strict=True
            )
        ]

    def _usable_blocks(self, directory: int) -> int:
        """The blocks of log files with this directory; -1 if they are damaged or no event files."""
        try:
            known = self._described(directory)
        except Unusable:  # ``entry`` reports it
            return -1
        is_damaged = known.flaws or known.tail or known.state or known.refused
        is_read_first = bool(known.sessions)  # which hide points of other files
        return -1 if is_damaged or is_read_first or known.content_dialect is None else len(known.kinds)

    def tags(self, number: int) -> set[str]:
        """The tags of the values and metadata of the log file with this number. Raises Unusable."""
        known = self._described(int(self._entries["directory"][number]))
        return {*known.metadata, *itertools.chain.from_iterable(kind.tags for kind in known.kinds)}

    def start_times(self) -> list[float]:
        """The start time of each log file in seconds since the epoch; NaN: none."""
        times: list[float] = self._files["start_time"].tolist()
        return times

    def holds(self) -> list[int]:
        """What each log file has, as FILE says."""
        held: list[int] = self._files["holds"].tolist()
        return held

    def holds_of(self, number: int) -> int:
        """The same of the log file with this number."""
        return int(self._files["holds"][number])

    def is_of(self, number: int, version: FileVersion) -> bool:
        """Whether the log file with this number had this version, as far as it is stored."""
        row: tuple[int, ...] = self._files[number].item()
        return version[1:] == row[:4]

    def position(self, number: int) -> int:
        """The offset up to which the log file with this number was read."""
        return int(self._files["position"][number])

    def record(self, number: int) -> FileRecord:
        """How far the log file with this number was read. Raises Unusable."""
        directory = int(self._entries["directory"][number])
        return record_of(self._files[number].tolist(), self._described(directory))

    def _described(self, directory: int) -> Description:
        known = self._directories[directory]
        if known is None:
            known = self._directories[directory] = read_description(self._encoded[directory])
        return known

    def packed(self, number: int) -> Packed:
        """The entry with this number, to be written to another segment file; the pieces may raise OSError."""
        _, at, size, directory, _ = self._entries[number].tolist()
        row, encoded = self._files[number].tolist(), self._encoded[directory]
        return Packed(row, encoded, self._blocks_of(number), size, self._pieces(self._start + at, size))

    def _blocks_of(self, number: int) -> list[tuple[int, ...]]:
        ends = self._entries["end"]
        rows: list[tuple[int, ...]] = self._blocks[ends[number - 1] if number else 0 : ends[number]].tolist()
        return rows

    def _pieces(self, start: int, size: int) -> Iterator[bytes]:
        for offset in range(0, size, _BEGINNING):
            piece = self.read(start + offset, min(_BEGINNING, size - offset))
            if len(piece) != min(_BEGINNING, size - offset):
                raise OSError(f"{self.path} is cut off")
            yield piece

    def read(self, offset: int, size: int) -> bytes:
        """The bytes from ``offset`` on; fewer at the end of the file. Raises OSError."""
        if self._descriptor is not None:
            return _read(self._descriptor, offset, size)
        descriptor = self._opened()
        try:
            return _read(descriptor, offset, size)
        finally:
            os.close(descriptor)


def _read(descriptor: int, offset: int, size: int) -> bytes:
    if size <= _LONGEST_READ:
        return os.pread(descriptor, size, offset)
    end = offset + size
    pieces = range(offset, end, _LONGEST_READ)
    return b"".join(os.pread(descriptor, min(_LONGEST_READ, end - at), at) for at in pieces)
