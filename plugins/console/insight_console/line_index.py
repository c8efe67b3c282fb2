"""Where lines of a log begin: a sparse index that is made piece by piece, grows, and is kept in the cache."""

from __future__ import annotations

import hashlib
import os
import secrets
import threading
import time
from array import array
from bisect import bisect_right
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from attrs import define, field

from insight_console.source import OpenLog
from insight_core.plugin import PluginContext
from insight_core.plugin.data import SeriesKey

_KEPT = 16 << 20  # bytes of a log from which on its index is kept for the next start
_MOST = 64  # indexes in memory
_HEAD, _TAIL = 1024, 256  # bytes by which a log is recognised
_VERSION = 2


@define
class LineIndex:
    """One place for each piece of the log: ``offsets`` of lines, and how many ``lines`` are before each.

    ``size`` bytes are indexed, with ``count`` line ends in them; ``begins`` is where the last line begins.
    ``identity`` is another one after the log was truncated or replaced.
    """

    size: int = 0
    count: int = 0
    begins: int = 0
    head: bytes = b""  # the first bytes
    tail: bytes = b""  # the last bytes that are indexed
    seen: float = 0.0  # when the log was opened last, by time.monotonic()
    kept: int = 0  # bytes of the log whose index is in the cache
    identity: str = field(factory=lambda: secrets.token_hex(8))
    offsets: array[int] = field(factory=lambda: array("q", [0]))
    lines: array[int] = field(factory=lambda: array("q", [0]))

    @property
    def total(self) -> int:
        """Lines, with one at the end that has no line end yet."""
        return self.count + (self.size > self.begins)

    def grow(self, log: OpenLog, ends: float) -> bool:
        """Indexes what is new, until ``time.monotonic()`` is ``ends``. False if the end is not reached.

        A log that was truncated or replaced is indexed from its beginning. One that was opened before the
        last one is older, and changes nothing.
        """
        if log.opened < self.seen:
            return self.size >= log.size
        self.seen = log.opened
        if not self._goes_on(log):
            self._clear()
        for offset, piece in log.pieces(self.size, log.size):
            self._take(offset, piece)
            if time.monotonic() > ends:
                break
        self.tail = log.read(max(0, self.size - _TAIL), min(_TAIL, self.size))
        return self.size >= log.size

    def near(self, line: int) -> tuple[int, int]:
        """The last indexed line that is not behind ``line``: its offset and number."""
        place = bisect_right(self.lines, line) - 1  # no view: that would keep the array from growing
        return self.offsets[place], self.lines[place]

    def before(self, offset: int) -> tuple[int, int]:
        """The last indexed line that begins not behind ``offset``: its offset and number."""
        place = bisect_right(self.offsets, offset) - 1
        return self.offsets[place], self.lines[place]

    def _take(self, offset: int, piece: bytes) -> None:
        found = np.flatnonzero(np.frombuffer(piece, np.uint8) == 10)
        self.head += piece[: _HEAD - len(self.head)]
        if len(found):
            self.offsets.append(offset + int(found[0]) + 1)
            self.lines.append(self.count + 1)
            self.begins = offset + int(found[-1]) + 1
            self.count += len(found)
        self.size = offset + len(piece)

    def _clear(self) -> None:
        self.size = self.count = self.begins = self.kept = 0
        self.head = self.tail = b""
        self.identity = secrets.token_hex(8)
        self.offsets, self.lines = array("q", [0]), array("q", [0])

    def _goes_on(self, log: OpenLog) -> bool:
        if not self.size:
            return True
        if log.size < self.size:
            return False
        tail = log.read(self.size - len(self.tail), len(self.tail))
        return self.head == log.read(0, len(self.head)) and self.tail == tail


class Indexes:
    """The indexes of the logs that somebody looked at last."""

    def __init__(self, ctx: PluginContext) -> None:
        self._directory = ctx.cache_directory
        self._lock = threading.Lock()
        self._known: OrderedDict[SeriesKey, tuple[threading.Lock, LineIndex]] = OrderedDict()

    def of(self, log: OpenLog, key: SeriesKey, seconds: float) -> LineIndex:
        """The index of a log, that grows for some seconds at most. One thread at a time makes it."""
        with self._lock:
            if key not in self._known:
                self._known[key] = threading.Lock(), LineIndex()
            self._known.move_to_end(key)
            while len(self._known) > _MOST:
                self._known.popitem(last=False)
            lock, index = self._known[key]
        with lock:
            path = self._path_of(key)
            if not index.size and log.size >= _KEPT and path is not None:
                _load(index, path)
            is_whole = index.grow(log, time.monotonic() + seconds)
            is_worth_it = index.size >= _KEPT and index.size - index.kept >= _KEPT // 2
            if is_whole and is_worth_it and path is not None:
                _save(index, path)
                index.kept = index.size  # also if it could not be saved: not with every answer
        return index

    def _path_of(self, key: SeriesKey) -> Path | None:
        if self._directory is None:
            return None
        name = hashlib.sha256(f"{key.run}\0{key.tag}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
        return self._directory / "lines" / f"{name}.npz"


def _save(index: LineIndex, path: Path) -> None:
    with suppress(OSError):  # without it the index is made again
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
        with temporary.open("wb") as file:
            np.savez(
                file,
                figures=np.array([_VERSION, index.size, index.count, index.begins], np.int64),
                head=np.frombuffer(index.head, np.uint8),
                tail=np.frombuffer(index.tail, np.uint8),
                offsets=np.frombuffer(index.offsets, np.int64),
                lines=np.frombuffer(index.lines, np.int64),
            )
        temporary.replace(path)


def _load(index: LineIndex, path: Path) -> None:
    try:
        with np.load(path, allow_pickle=False) as kept:
            version, size, count, begins = map(int, kept["figures"])
            offsets, lines = kept["offsets"].astype(np.int64), kept["lines"].astype(np.int64)
            head, tail = kept["head"].tobytes(), kept["tail"].tobytes()
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):  # no index, or a damaged one
        return
    if version == _VERSION and offsets.shape == lines.shape and len(offsets) and offsets[0] == 0:
        index.head, index.tail = head, tail
        index.offsets, index.lines = array("q", offsets.tolist()), array("q", lines.tolist())
        index.size, index.count, index.begins, index.kept = size, count, begins, size
