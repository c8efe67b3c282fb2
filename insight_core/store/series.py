"""One series: columns that grow by file, what a cache policy retains of them, and attempts."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.api import CachePolicy, Claim, Keep
from insight_core.records.wire import Metadata
from insight_core.store.attempts import Attempts, find_attempts

FileOrder: TypeAlias = tuple[float, str]  # sorts the files of a run by when they were begun
Column: TypeAlias = NDArray[np.int64] | NDArray[np.float64] | NDArray[np.float32] | NDArray[np.uint8]


@frozen(eq=False)
class Snapshot:
    """All retained points of a series in file order. Never changes; arrays are shared, not copied."""

    columns: Mapping[str, Column]
    files: NDArray[np.intp]  # index into ``orders`` of the file of each point
    orders: tuple[FileOrder, ...]
    attempts: Attempts
    total: int  # points recorded, retained or not
    version: int  # of the series

    @property
    def steps(self) -> NDArray[np.int64]:
        return self.columns["steps"].astype(np.int64, copy=False)


class _Part:
    """The points of one file."""

    def __init__(self) -> None:
        self.chunks: list[Mapping[str, Column]] = []
        self.total = 0

    def columns(self) -> Mapping[str, Column]:
        if len(self.chunks) > 1:
            names = self.chunks[0]
            self.chunks = [{name: np.concatenate([c[name] for c in self.chunks]) for name in names}]
        return self.chunks[0]


class Series:
    """The points of one plugin under one tag of one run. Any thread may read while one appends."""

    def __init__(self, policy: CachePolicy) -> None:
        self.metadata: Metadata | None = None  # that came with its first value
        self.claims: tuple[Claim, ...] = ()  # by which its values were taken
        self.version = 0
        self._lock = threading.Lock()
        self._policy = policy
        self._parts: dict[FileOrder, _Part] = {}
        self._snapshot: Snapshot | None = None

    def append(self, order: FileOrder, columns: Mapping[str, Column]) -> None:
        """Adds points at the end of a file; columns of equal length, the same names every time."""
        count = len(columns["steps"])
        with self._lock:
            part = self._parts.setdefault(order, _Part())
            if self._policy.keep is Keep.UNIFORM and self._policy.points:
                index = np.arange(part.total, part.total + count, dtype=np.uint64)
                columns = {**columns, "lot": _lots(index, order).view(np.int64)}
            part.chunks.append(columns)
            part.total += count
            self._retain(part)
            self._snapshot = None
            self.version += 1

    def drop(self, order: FileOrder) -> None:
        """Forgets the points of a file that is gone."""
        with self._lock:
            if self._parts.pop(order, None) is not None:
                self._snapshot = None
                self.version += 1

    @property
    def empty(self) -> bool:
        return not self._parts

    def _retain(self, part: _Part) -> None:
        limit = self._policy.points
        if self._policy.keep is Keep.ALL or not limit:
            return
        if sum(len(chunk["steps"]) for chunk in part.chunks) > 2 * limit:
            columns = part.columns()
            kept = self._chosen(columns)
            part.chunks = [{name: column[kept] for name, column in columns.items()}]

    def _chosen(self, columns: Mapping[str, Column]) -> NDArray[np.intp]:
        """Indices of the points that the policy keeps, ascending."""
        count, limit = len(columns["steps"]), self._policy.points
        if self._policy.keep is Keep.ALL or not limit or count <= limit:
            return np.arange(count)
        if self._policy.keep is Keep.LATEST:
            return np.arange(count - limit, count)
        if limit == 1:
            return np.array([count - 1])
        drawn = np.argpartition(columns["lot"][:-1], limit - 2)[: limit - 1]
        return np.append(np.sort(drawn), count - 1)

    def snapshot(self) -> Snapshot:
        with self._lock:
            if self._snapshot is None:
                self._snapshot = self._join(self.version)
            return self._snapshot

    def _join(self, version: int) -> Snapshot:
        orders = tuple(sorted(self._parts))
        parts = [self._parts[order].columns() for order in orders]
        names = [name for name in parts[0] if name != "lot"] if parts else []
        if len(parts) == 1:
            columns = dict(parts[0])
        else:
            columns = {
                name: np.concatenate([part[name] for part in parts]) for name in (parts[0] if parts else ())
            }
        files = np.repeat(np.arange(len(parts)), [len(part["steps"]) for part in parts])
        if parts:
            kept = self._chosen(columns)
            if len(kept) < len(files):
                columns = {name: column[kept] for name, column in columns.items()}
                files = files[kept]
        columns = {name: columns[name] for name in names}
        steps = columns["steps"] if parts else np.zeros(0, np.int64)
        total = sum(part.total for part in self._parts.values())
        return Snapshot(
            columns, files, orders, find_attempts(steps.astype(np.int64, copy=False)), total, version
        )


def _lots(index: NDArray[np.uint64], order: FileOrder) -> NDArray[np.uint64]:
    """A number for each point that looks random and is always the same: keeping the points with
    the smallest is a uniform sample, whatever the batches in which they arrived (splitmix64)."""
    seed = zlib.crc32(repr(order).encode("utf-8", "surrogateescape")) << 32
    z = (index + np.uint64(seed)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (z ^ (z >> np.uint64(31))) >> np.uint64(1)
