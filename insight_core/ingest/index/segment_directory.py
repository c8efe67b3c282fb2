"""Opens, writes and deletes segment files in the directories of the index."""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import time
from collections.abc import Iterable, Mapping, Sequence

from insight_core.formats.block_encoding import Piece
from insight_core.ingest.index.alike import PackedFiles
from insight_core.ingest.index.format import Packed, Unusable, machine_name
from insight_core.ingest.index.segment_file import SUFFIX, SegmentFile, encode

log = logging.getLogger(__name__)

_MOST_TRIES = 10  # to create directories that another process removes meanwhile
_TOGETHER = 256  # pieces that are written by one system call: less than any system's limit


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
    shelf: str,
    number: int,
    entries: Mapping[str, tuple[int, Packed]],
    alike: Sequence[tuple[int, PackedFiles]] = (),
    *,
    used: float | None = None,
) -> int:
    """Writes a segment file into a directory; returns its bytes. Raises OSError, and leaves nothing then.

    ``number`` is unique in this process; ``used`` is when the entries were last used, by default now.
    """
    place = f"{shelf}/{machine_name()}-{os.getpid()}-{time.time_ns()}-{number}{SUFFIX}"
    temporary = f"{place}.tmp"
    descriptor = _create(temporary, shelf)
    try:
        try:
            written = _write_all(descriptor, encode(entries, alike))
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


def _write_all(descriptor: int, pieces: Iterable[Piece]) -> int:
    """Writes pieces many at a time, because a system call for each would be slower; returns their bytes."""
    written = 0
    waiting = iter(pieces)
    while some := list(itertools.islice(waiting, _TOGETHER)):
        written += _write_together(descriptor, some)
    return written


def _write_together(descriptor: int, pieces: Sequence[Piece]) -> int:
    size = sum(memoryview(piece).nbytes for piece in pieces)
    written = os.writev(descriptor, pieces)
    if written < size:  # the system takes no more than 2 GiB at once
        for piece in pieces:
            held = memoryview(piece)
            done = min(written, held.nbytes)
            written -= done
            rest = held.cast("B")[done:] if done < held.nbytes else memoryview(b"")
            while rest:
                rest = rest[os.write(descriptor, rest) :]
    return size


def remove(path: str) -> None:
    """Deletes a file if that is possible."""
    try:
        os.unlink(path)
    except OSError as error:
        log.debug("%s cannot be removed: %s", path, error)
