"""Lists and evicts files of the index cache."""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

from attrs import define, frozen

from insight_core.ingest.index.format import Unusable, index_directory, machine_name, read_header
from insight_core.ingest.walk import listed

log = logging.getLogger(__name__)

_ANY_INDEX = re.compile(r"index-\d+")
_FAN_OUT = re.compile(r"[0-9a-f]{2}")
_ENTRY = re.compile(r"[0-9a-f]{30}")
_TEMPORARY = re.compile(r"[0-9a-f]{30}\.(?P<host>[^/]*)-(?P<process>\d+)-\d+\.tmp")
_LONGEST_WRITE = 24 * 3600.0  # seconds; a temporary file of another machine that is older is left over
_HEADER_BYTES = 8192  # holds the header and the path that follows it
_LOW_WATER = 0.9  # share of the limit that remains after an eviction


@frozen
class KeptFile:
    """A file of the index; ``used`` is when it was last loaded or saved, to the hour."""

    path: str
    size: int  # bytes
    used: float  # seconds since the epoch
    is_entry: bool  # False: a temporary file, being written or left over


@define
class Contents:
    """Totals of a cache directory; ``oldest_use`` is in seconds since the epoch."""

    entries: int = 0
    bytes: int = 0
    existing: int = 0  # entries of event files that still exist
    unusable: int = 0  # entries that are damaged or of another version
    oldest_use: float | None = None


def kept_files(directory: Path) -> Iterator[KeptFile]:
    """All files of the index below a cache directory, of any version; other files are ignored."""
    for index in _directories(os.fspath(directory), _ANY_INDEX):
        for fan_out in _directories(index, _FAN_OUT):
            for entry in listed(fan_out):
                is_entry = bool(_ENTRY.fullmatch(entry.name))
                if not is_entry and not _TEMPORARY.fullmatch(entry.name):
                    continue
                try:
                    info = entry.stat(follow_symlinks=False)
                except OSError:
                    continue
                yield KeptFile(entry.path, info.st_size, info.st_mtime, is_entry)


def _directories(directory: str, pattern: re.Pattern[str]) -> Iterator[str]:
    for entry in listed(directory):
        if pattern.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
            yield entry.path


def contents(directory: Path) -> Contents:
    """Counts entries, bytes and unusable entries below a cache directory."""
    found = Contents()
    for kept in kept_files(directory):
        found.bytes += kept.size
        if not kept.is_entry:
            continue
        found.entries += 1
        found.oldest_use = min(kept.used, found.oldest_use or kept.used)
        source = _source(kept.path)
        if source is None:
            found.unusable += 1
        elif os.path.exists(source):
            found.existing += 1
    return found


def clear(directory: Path) -> Contents:
    """Removes every file of the index, and nothing else; returns what was removed. Raises OSError."""
    removed = Contents()
    for kept in list(kept_files(directory)):
        try:
            os.unlink(kept.path)
        except FileNotFoundError:
            continue
        removed.entries += kept.is_entry
        removed.bytes += kept.size
    for index in _directories(os.fspath(directory), _ANY_INDEX):
        for place in [*_directories(index, _FAN_OUT), index]:
            try:
                os.rmdir(place)
            except OSError:  # another host has just saved an entry
                continue
    return removed


def tidy(directory: Path, most_bytes: int) -> None:
    """Removes leftovers of dead processes and entries of deleted event files.

    If the rest exceeds ``most_bytes``, also evicts the least recently used entries.
    """
    now = time.time()
    machine = machine_name()
    remaining: list[KeptFile] = []
    for kept in kept_files(directory):
        time.sleep(0)  # let threads that answer requests go first
        if not kept.is_entry:
            if _is_left_over(kept, machine, now):
                _discard(kept)
            continue
        if os.path.dirname(os.path.dirname(kept.path)) == os.fspath(index_directory(directory)):
            source = _source(kept.path)
            if source is None or not os.path.lexists(source):
                _discard(kept)
                continue
        remaining.append(kept)
    total = sum(kept.size for kept in remaining)
    if total <= most_bytes:
        return
    for kept in sorted(remaining, key=lambda kept: kept.used):
        if total <= _LOW_WATER * most_bytes:
            break
        _discard(kept)
        total -= kept.size


def _source(path: str) -> str | None:
    """The event file of an entry; None for an invalid entry."""
    try:
        with open(path, "rb", buffering=0) as file:
            data = file.read(_HEADER_BYTES)
            return read_header(data).path
    except (OSError, Unusable):
        return None


def _is_left_over(kept: KeptFile, machine: str, now: float) -> bool:
    match = _TEMPORARY.fullmatch(os.path.basename(kept.path))
    if match is None:
        return False
    if match["host"] != machine:
        return kept.used < now - _LONGEST_WRITE
    try:
        os.kill(int(match["process"]), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):  # another user's process, or not a process number
        return kept.used < now - _LONGEST_WRITE
    return False


def _discard(kept: KeptFile) -> None:
    try:
        os.unlink(kept.path)
    except OSError as error:
        log.debug("%s cannot be removed: %s", kept.path, error)
