"""Opens console logs: the files of runs with sizes and times, and parts of their bytes."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from types import TracebackType
from typing import Self

from attrs import frozen

from insight_core.plugin import NotFound, PluginContext
from insight_core.plugin.data import SeriesKey

PIECE = 256 << 10  # bytes that are read at a time


@frozen
class ConsoleFile:
    """A console log of a run: ``size`` in bytes and ``changed`` in seconds since the epoch, as last seen."""

    run: str
    tag: str  # path relative to the directory of the run
    size: int
    changed: float

    @property
    def key(self) -> SeriesKey:
        """The series that is this file."""
        return SeriesKey(self.run, self.tag)


def log_files(ctx: PluginContext, runs: Collection[str] | None = None) -> list[ConsoleFile]:
    """The logs of these runs, or of all, those that changed last first. Reads none of them."""
    found = []
    for info in ctx.own.series(runs=runs):
        try:
            table = ctx.own.records(info.key)
        except NotFound:  # gone meanwhile
            continue
        if len(table.sizes):
            size, changed = int(table.sizes[0]), float(table.wall_times[0])
            found.append(ConsoleFile(info.key.run, info.key.tag, size, changed))
    return sorted(found, key=lambda file: (-file.changed, file.run, file.tag))


class OpenLog:
    """A log that is open for reading, to be used with ``with``.

    ``size`` is in bytes, as when it was ``opened`` by ``time.monotonic()``.
    """

    def __init__(self, ctx: PluginContext, key: SeriesKey) -> None:
        """Raises NotFound for a log that does not exist."""
        self._ctx, self._key = ctx, key
        self.opened = time.monotonic()
        self._stream = ctx.own.open_payload(ctx.own.place_at(key, 0))
        self.size = self._stream.size
        self._at = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()

    def read(self, offset: int, length: int) -> bytes:
        """The bytes from ``offset`` on, fewer at the end of the file; none behind it."""
        length = min(length, self.size - offset)
        if length <= 0:
            return b""
        file = self._stream.file
        if offset != self._at:
            if file.seekable():
                file.seek(offset)
            else:
                self._stream.close()
                place = self._ctx.own.place_at(self._key, 0)
                self._stream = self._ctx.own.open_payload(place, offset=offset)
                file = self._stream.file
        data = file.read(length)
        self._at = offset + len(data)
        return data

    def pieces(self, start: int, end: int) -> Iterator[tuple[int, bytes]]:
        """The bytes from ``start`` to ``end``, each piece with its offset."""
        while start < end:
            data = self.read(start, min(PIECE, end - start))
            if not data:
                return
            yield start, data
            start += len(data)
