"""Lists, compacts and evicts segment files of the index."""

from __future__ import annotations

import itertools
import logging
import os
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import define, frozen

from insight_core.ingest.index.format import Packed, index_directory, machine_name
from insight_core.ingest.index.segment_directory import opened_segment, remove, write_segment
from insight_core.ingest.index.segment_file import SegmentFile
from insight_core.ingest.walk import listed, size_below

log = logging.getLogger(__name__)

_ANY_INDEX = re.compile(r"index-\d+")
_SHELF = re.compile(r"[0-9a-f]{2}|[0-9a-f]{30}")  # before version 6 two digits
_KEPT = re.compile(r"[0-9a-f]{30}|[^/]*-\d+-\d+-\d+\.segment")
_TEMPORARY = re.compile(r"(?P<host>[^/]*)-(?P<process>\d+)-\d+-\d+\.segment\.tmp|[0-9a-f]{30}\..*\.tmp")
_LONGEST_WRITE = 24 * 3600.0  # seconds; a temporary file of another machine that is older is left over
_LOW_WATER = 0.9  # share of the limit that remains after an eviction
_SMALL = 4 << 20  # bytes; smaller segment files are joined when there are many
_SMALL_SHARE = 64  # of the limit: they are smaller than this part of it, too
_MANY = 8
_JOINED = 16  # times the size of a small one: segment files are joined until they are that large
MIRRORS = "remote"  # the directory of mirrored logdirs, below that of plugins
_NUMBERS = itertools.count()


@frozen
class KeptFile:
    """A file of the index; ``used`` is when it was last loaded or saved, to the hour."""

    path: str
    size: int  # bytes
    used: float  # seconds since the epoch
    is_segment: bool  # False: a temporary file, being written or left over


@define
class Contents:
    """Totals of a cache directory; ``oldest_use`` is in seconds since the epoch."""

    entries: int = 0  # log files
    bytes: int = 0
    existing: int = 0  # entries of log files that still exist
    unusable: int = 0  # segment files that are damaged or of another version
    oldest_use: float | None = None


def kept_files(directory: Path) -> Iterator[KeptFile]:
    """All files of the index below a cache directory, of any version; other files are ignored."""
    for index in _directories(os.fspath(directory), _ANY_INDEX):
        for shelf in _directories(index, _SHELF):
            for entry in listed(shelf):
                is_segment = bool(_KEPT.fullmatch(entry.name))
                if not is_segment and not _TEMPORARY.fullmatch(entry.name):
                    continue
                try:
                    info = entry.stat(follow_symlinks=False)
                except OSError:
                    continue
                yield KeptFile(entry.path, info.st_size, info.st_mtime, is_segment)


def _directories(directory: str, pattern: re.Pattern[str]) -> Iterator[str]:
    for entry in listed(directory):
        if pattern.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
            yield entry.path


def contents(directory: Path) -> Contents:
    """Counts entries, bytes and unusable segment files below a cache directory."""
    found = Contents()
    for file in kept_files(directory):
        found.bytes += file.size
        if file.is_segment:
            found.oldest_use = min(file.used, found.oldest_use or file.used)
    for index in _directories(os.fspath(directory), _ANY_INDEX):
        for shelf in _directories(index, _SHELF):
            kept = [entry.path for entry in listed(shelf) if _KEPT.fullmatch(entry.name)]
            segments = [opened_segment(path, drop=False) for path in kept]
            found.unusable += segments.count(None)
            paths = {path for segment in segments if segment for path in segment.paths}
            found.entries += len(paths)
            found.existing += sum(map(os.path.exists, paths))
    return found


def clear(directory: Path) -> Contents:
    """Removes every file of the index, and nothing else; returns what was removed. Raises OSError."""
    removed = Contents(contents(directory).entries)
    for kept in list(kept_files(directory)):
        try:
            os.unlink(kept.path)
        except FileNotFoundError:
            continue
        removed.bytes += kept.size
    for index in _directories(os.fspath(directory), _ANY_INDEX):
        for place in [*_directories(index, _SHELF), index]:
            try:
                os.rmdir(place)
            except OSError:  # another host has just saved an entry
                continue
    return removed


def tidy(directory: Path, most_bytes: int) -> None:
    """Removes leftovers of dead processes, and entries of deleted log files.

    If the rest exceeds ``most_bytes`` together with translated stores and caches of plugins, also evicts the
    least recently used segment files. Mirrors of remote logdirs have a limit of their own.
    """
    others = (entry.path for entry in listed(os.fspath(directory / "plugins")) if entry.name != MIRRORS)
    most_bytes = max(0, most_bytes - sum(map(size_below, others)))
    now = time.time()
    machine = machine_name()
    for kept in kept_files(directory):
        if not kept.is_segment and _is_left_over(kept, machine, now):
            remove(kept.path)
    small = min(_SMALL, most_bytes // _SMALL_SHARE)
    for shelf in _directories(os.fspath(index_directory(directory)), _SHELF):
        try:
            _compact(shelf, small)
        except OSError as error:
            log.info("%s is not compacted: %s", shelf, error)
    remaining = [kept for kept in kept_files(directory) if kept.is_segment]
    total = sum(kept.size for kept in remaining)
    if total > most_bytes:
        for kept in sorted(remaining, key=lambda kept: kept.used):
            if total <= _LOW_WATER * most_bytes:
                break
            remove(kept.path)
            total -= kept.size


@define(eq=False)
class _Used:
    """A segment file, and the numbers of its entries that count."""

    segment: SegmentFile
    live: list[int]

    @property
    def live_size(self) -> int:
        """Bytes of the blocks of entries that count."""
        return sum(map(self.segment.size_of, self.live))

    @property
    def share(self) -> float:
        """The part of the file that counts."""
        return self.live_size / self.segment.size


def _compact(shelf: str, small: int) -> None:
    """Deletes segment files without live entries, rewrites those that are mostly dead, joins small ones."""
    segments = _counted(shelf)
    rewritten = []
    joined = [each for each in segments if each.segment.size < small]
    for each in segments:
        time.sleep(0)  # let threads that answer requests go first
        if not each.live:
            remove(each.segment.path)
        elif (each.share < 0.5 and len(each.live) < len(each.segment)) or (
            len(joined) > _MANY and each.segment.size < small
        ):
            rewritten.append(each)
    group: list[_Used] = []
    size = 0
    for each in sorted(rewritten, key=lambda each: each.segment.used):  # a group is evicted together
        group.append(each)
        size += each.live_size
        if size >= _JOINED * small:
            _join(shelf, group)
            group, size = [], 0
    if group:
        _join(shelf, group)


def _join(shelf: str, group: Sequence[_Used]) -> None:
    """Replaces segment files by one with their live entries. Raises OSError."""
    merged: dict[str, tuple[int, Packed]] = {
        each.segment.paths[number]: (each.segment.saved(number), each.segment.packed(number))
        for each in group
        for number in each.live
    }
    write_segment(shelf, next(_NUMBERS), merged, used=max(each.segment.used for each in group))
    for each in group:
        remove(each.segment.path)


def _counted(shelf: str) -> list[_Used]:
    """The segment files of a directory, with the last entry of each log file that exists."""
    found = [opened_segment(entry.path) for entry in listed(shelf) if _KEPT.fullmatch(entry.name)]
    used = [_Used(segment, []) for segment in found if segment]
    last: dict[str, tuple[int, _Used, int]] = {}
    for each in used:
        for number, path in enumerate(each.segment.paths):
            saved = each.segment.saved(number)
            if path not in last or last[path][0] <= saved:
                last[path] = saved, each, number
    for path, (_, each, number) in last.items():
        if os.path.lexists(path):
            each.live.append(number)
    return used


def _is_left_over(kept: KeptFile, machine: str, now: float) -> bool:
    match = _TEMPORARY.fullmatch(os.path.basename(kept.path))
    if match is None or match["host"] != machine:
        return kept.used < now - _LONGEST_WRITE
    try:
        os.kill(int(match["process"]), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):  # another user's process, or not a process number
        return kept.used < now - _LONGEST_WRITE
    return False
