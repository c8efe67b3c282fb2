"""Opens, writes and deletes segment files in the directories of the index."""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections.abc import Iterable, Iterator, Mapping

from insight_core.ingest.index.format import Packed, Unusable, machine_name
from insight_core.ingest.index.segment_file import SUFFIX, SegmentFile, encode

log = logging.getLogger(__name__)

_MOST_TRIES = 10  # to create directories that another process removes meanwhile
_PIECE = 1 << 20  # bytes written at a time


def opened_segment(path: str, *, drop: bool = True, stays_open: bool = False) -> SegmentFile | None:
    """The segment file at a path; None if it is gone or invalid, with ``drop`` deleted then."""
    try:
        return SegmentFile(path, stays_open=stays_open)
    except OSError as error:
        log.info("the segment file %s cannot be read: %s", path, error)
    except Unusable as error:
        log.info("the segment file %s is not used: %s", path, error)
        if drop:
            remove(path)
    return None


def write_segment(
    shelf: str, number: int, entries: Mapping[str, tuple[int, Packed]], *, used: float | None = None
) -> int:
    """Writes a segment file into a directory; returns its bytes. Raises OSError, and leaves nothing then.

    ``number`` is unique in this process; ``used`` is when the entries were last used, by default now.
    """
    place = f"{shelf}/{machine_name()}-{os.getpid()}-{time.time_ns()}-{number}{SUFFIX}"
    temporary = f"{place}.tmp"
    descriptor = _create(temporary, shelf)
    try:
        try:
            written = sum(_write_all(descriptor, piece) for piece in _joined(encode(entries)))
        finally:
            os.close(descriptor)  # network file systems report a full disk here
        if used is not None:
            os.utime(temporary, (used, used))
        os.replace(temporary, place)
    except FileNotFoundError:
        return 0  # another process is clearing the cache
    except BaseException:
        remove(temporary)
        raise
    return written


def _create(path: str, shelf: str) -> int:
    """Opens a new file in a directory of the index; creates the directories if necessary."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    root = os.path.dirname(shelf)
    for _ in range(_MOST_TRIES):
        try:
            return os.open(path, flags, 0o600)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(root), 0o700, exist_ok=True)
            for directory in (root, shelf):
                with contextlib.suppress(FileExistsError, FileNotFoundError):  # other processes do the same
                    os.mkdir(directory, 0o700)
    return os.open(path, flags, 0o600)


def _joined(pieces: Iterable[bytes | memoryview]) -> Iterator[bytes | memoryview]:
    """Joins small pieces, because a system call for each would be slower."""
    small: list[bytes | memoryview] = []
    held = 0
    for piece in pieces:
        if len(piece) < _PIECE:
            small.append(piece)
            held += len(piece)
        if held >= _PIECE or len(piece) >= _PIECE:
            yield b"".join(small)
            small, held = [], 0
        if len(piece) >= _PIECE:
            yield piece
    yield b"".join(small)


def _write_all(descriptor: int, piece: bytes | memoryview) -> int:
    rest = memoryview(piece)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
    return len(piece)


def remove(path: str) -> None:
    """Deletes a file if that is possible."""
    try:
        os.unlink(path)
    except OSError as error:
        log.debug("%s cannot be removed: %s", path, error)
