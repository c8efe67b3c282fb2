"""One series: columns that grow by file, what a cache policy retains of them, and attempts."""

from __future__ import annotations

import bisect
import itertools
import threading
import zlib
from collections.abc import Mapping

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.api import CachePolicy, Claim, Keep
from insight_core.records.wire import Metadata
from insight_core.store.attempts import ONE_ATTEMPT, Attempts, find_attempts
from insight_core.store.column_memory import Column as Column
from insight_core.store.column_memory import ColumnMemory
from insight_core.store.file_state import PartState
from insight_core.store.segment import FileOrder as FileOrder
from insight_core.store.segment import FilePart, Segment, never_back


@frozen(eq=False)
class Snapshot:
    """All retained points of a series in file order. Never changes; arrays are shared, not copied."""

    columns: Mapping[str, Column]  # may be read-only
    orders: tuple[FileOrder, ...]
    ends: tuple[int, ...]  # index after the last point of each file
    claims: tuple[tuple[Claim, ...], ...]  # of each file; the column "claims" counts in these
    attempts: Attempts
    total: int  # points recorded, retained or not
    version: int  # of the series

    def __len__(self) -> int:
        return self.ends[-1] if self.ends else 0

    @property
    def steps(self) -> NDArray[np.int64]:
        return self.columns["steps"].astype(np.int64, copy=False)

    def file_of(self, index: int) -> FileOrder:
        return self.orders[bisect.bisect_right(self.ends, index)]

    def claim_of(self, index: int) -> Claim:
        return self.claims[bisect.bisect_right(self.ends, index)][int(self.columns["claims"][index])]


@frozen
class Summary:
    """A series in a few numbers."""

    points: int
    kept: int
    first_step: int  # of the points shown by default, as the next two
    last_step: int
    last_value: float | None
    attempts: int


class Series:
    """The points of one plugin under one tag of one run. Any thread may read while one appends."""

    __slots__ = (
        "_joining",
        "_lock",
        "_memory",
        "_orders",
        "_parts",
        "_policy",
        "_segments",
        "_snapshot",
        "claims",
        "metadata",
        "version",
    )

    def __init__(self, policy: CachePolicy, memory: ColumnMemory | None = None) -> None:
        self.metadata: Metadata | None = None  # that came with its first value
        self.claims: tuple[Claim, ...] = ()  # by which its values were taken
        self.version = 0
        self._policy = policy
        self._memory = memory or ColumnMemory()
        self._lock = threading.Lock()  # held for moments only: the loader waits for it
        self._joining = threading.Lock()
        self._orders: list[FileOrder] = []  # sorted
        self._parts: dict[FileOrder, tuple[Segment, FilePart]] = {}
        self._segments: list[Segment] = []  # in file order
        self._snapshot: Snapshot | None = None

    # --- the loader's side ------------------------------------------------------------------------

    def append(
        self,
        order: FileOrder,
        columns: Mapping[str, Column],
        claim: Claim | None = None,
        *,
        expected: float = 1.0,
    ) -> bool:
        """Adds points at the end of a file; columns of equal length, the same names every time.

        Records say by which ``claim`` each was taken. In the end there will be about ``expected`` times
        as many points. Returns whether they are the first of this file.
        """
        count = len(columns["steps"])
        with self._lock:
            held = self._parts.get(order)
            part = FilePart(order) if held is None else held[1]
            if claim is not None:
                if claim not in part.claims:
                    part.claims = (*part.claims, claim)
                if claim not in self.claims:
                    self.claims = (*self.claims, claim)
                if "records" in columns:
                    columns = {**columns, "claims": _repeated(part.claims.index(claim), count)}
            if self._samples:
                columns = {**columns, "lot": _lots(part.total, count, order)}
            if held is None:
                self._insert(Segment(columns, self._memory, [part]), part)
            else:
                if held[0].parts[-1] is not part:
                    self._cut(held[0], held[0].parts.index(part) + 1)
                self._parts[order][0].extend(columns, expected)
            part.kept += count
            part.total += count
            if self._policy.points:
                self._retain(part)
            self._snapshot = None
            self.version += 1
            return held is None

    def drop(self, order: FileOrder) -> None:
        """Forgets the points of a file that is gone."""
        with self._lock:
            held = self._parts.get(order)
            if held is None:
                return
            part = held[1]
            self._cut(held[0], held[0].parts.index(part) + 1)
            shared = self._parts[order][0]
            self._cut(shared, len(shared.parts) - 1)
            segment = self._parts[order][0]
            segment.release()
            self._segments.remove(segment)
            self._orders.remove(order)
            del self._parts[order]
            rest = (claim for _, other in self._parts.values() for claim in other.claims)
            self.claims = tuple(dict.fromkeys(rest))
            self._snapshot = None
            self.version += 1

    def release(self) -> None:
        """Nobody will append any more: the columns do not count as memory of the store."""
        with self._lock:
            for segment in self._segments:
                segment.release()

    def restore(self, order: FileOrder, state: PartState) -> None:
        """Takes over what a file gave to this series in an earlier process; it must be the first of it."""
        with self._lock:
            part = FilePart(order)
            part.kept, part.total, part.claims = len(state.columns["steps"]), state.total, state.claims
            self._insert(Segment(state.columns, self._memory, [part], state.ascending), part)
            if self.claims != state.claims:
                self.claims = tuple(dict.fromkeys((*self.claims, *state.claims)))
            self._snapshot = None
            self.version += 1

    def part(self, order: FileOrder, plugin: str, tag: str) -> PartState | None:
        """What a file gave to this series, which is that of a plugin under a tag."""
        with self._lock:
            held = self._parts.get(order)
            if held is None:
                return None
            segment, part = held
            columns, total, claims, ascending = segment.columns(), part.total, part.claims, segment.ascending
            if len(segment.parts) > 1:
                before = segment.parts[: segment.parts.index(part)]
                first = sum(other.kept for other in before)
                columns = {name: column[first : first + part.kept] for name, column in columns.items()}
        return PartState(plugin, tag, claims, columns, total, ascending or never_back(columns["steps"]))

    @property
    def empty(self) -> bool:
        return not self._parts

    @property
    def _samples(self) -> bool:
        return self._policy.keep is Keep.UNIFORM and self._policy.points > 0

    @property
    def _keeps_all(self) -> bool:
        return self._policy.keep is Keep.ALL or not self._policy.points

    def _insert(self, segment: Segment, part: FilePart) -> None:
        """Puts the segment of a file that is new in the place that its order says."""
        at = bisect.bisect(self._orders, part.order)
        place = len(self._segments)
        if at < len(self._orders):
            following, other = self._parts[self._orders[at]]
            place = self._segments.index(following)
            if other is not following.parts[0]:
                self._cut(following, following.parts.index(other))
                place += 1
        self._segments.insert(place, segment)
        self._orders.insert(at, part.order)
        self._parts[part.order] = (segment, part)

    def _cut(self, segment: Segment, count: int) -> None:
        """Makes two segments of one, the first with the first ``count`` files; of all, one stays."""
        if not 0 < count < len(segment.parts):
            return
        columns = segment.columns()
        at = sum(part.kept for part in segment.parts[:count])
        first = {name: column[:at].copy() for name, column in columns.items()}
        second = {name: column[at:].copy() for name, column in columns.items()}
        segment.release()
        halves = [
            Segment(first, self._memory, segment.parts[:count]),
            Segment(second, self._memory, segment.parts[count:]),
        ]
        place = self._segments.index(segment)
        self._segments[place : place + 1] = halves
        for half in halves:
            self._parts.update({part.order: (half, part) for part in half.parts})

    def _retain(self, part: FilePart) -> None:
        """Leaves out what the policy does not keep of a file, whenever there is twice as much."""
        if self._keeps_all or part.kept <= 2 * self._policy.points:
            return
        segment, _ = self._parts[part.order]
        columns = segment.columns()
        kept = self._chosen(columns)
        if kept is None:
            return
        segment.release()
        part.kept = len(kept)
        retained = Segment({name: column[kept] for name, column in columns.items()}, self._memory, [part])
        self._segments[self._segments.index(segment)] = retained
        self._parts[part.order] = (retained, part)

    def _chosen(self, columns: Mapping[str, Column]) -> NDArray[np.intp] | None:
        """Indices of the points that the policy keeps, ascending; None: all."""
        count, limit = len(columns["steps"]), self._policy.points
        if self._keeps_all or count <= limit:
            return None
        if self._policy.keep is Keep.LATEST:
            return np.arange(count - limit, count)
        if limit == 1:
            return np.array([count - 1])
        drawn = np.argpartition(columns["lot"][:-1], limit - 2)[: limit - 1]
        return np.append(np.sort(drawn), count - 1)

    # --- the reader's side ------------------------------------------------------------------------

    @property
    def total(self) -> int:
        """Points recorded, retained or not."""
        with self._lock:
            return sum(part.total for _, part in self._parts.values())

    def summary(self) -> Summary | None:
        """The series in a few numbers; None when it has no points (any more)."""
        with self._lock:
            segments = self._segments
            if not segments:
                return None
            kept = sum([segment.length for segment in segments])
            simple = self._keeps_all or kept <= self._policy.points
            if simple and kept and _ascending(segments):
                total = sum([part.total for _, part in self._parts.values()])
                last = segments[-1]
                return Summary(total, kept, segments[0].first_step, last.last_step, last.last_value, 1)
        snapshot = self.snapshot()
        if not len(snapshot):
            return None
        steps, values, shown = snapshot.steps, snapshot.columns.get("values"), snapshot.attempts.visible
        first_shown, last_shown = (0, -1) if shown is None else (int(shown[0]), int(shown[-1]))
        return Summary(
            snapshot.total,
            len(snapshot),
            int(steps[first_shown]),
            int(steps[last_shown]),
            None if values is None else float(values[last_shown]),
            snapshot.attempts.count,
        )

    def snapshot(self) -> Snapshot:
        """All that is retained. The lock is not held while columns are put together."""
        snapshot = self._snapshot
        if snapshot is not None:
            return snapshot
        with self._joining:  # of several readers one puts the columns together
            with self._lock:
                if self._snapshot is not None:
                    return self._snapshot
                version = self.version
                segments = list(self._segments)
                columns = [segment.columns() for segment in segments]
                ascending = bool(segments) and _ascending(segments)
                orders = tuple(self._orders)
                parts = [self._parts[order][1] for order in orders]
                ends = tuple(itertools.accumulate(part.kept for part in parts))
                claims = tuple(part.claims for part in parts)
                total = sum(part.total for part in parts)
            merged = None
            if len(segments) > 1 and self._keeps_all:
                merged = _merged(columns, parts, self._memory, ascending)
                whole = merged.columns()
            else:
                whole, ends = self._retained(columns, ends)
            attempts = ONE_ATTEMPT
            if not ascending and segments:
                attempts = find_attempts(whole["steps"].astype(np.int64, copy=False))
            snapshot = Snapshot(whole, orders, ends, claims, attempts, total, version)
            with self._lock:
                if self.version == version:
                    self._snapshot = snapshot
                    if merged is not None:
                        self._adopt(merged)
                elif merged is not None:
                    merged.release()
            return snapshot

    def _adopt(self, merged: Segment) -> None:
        """One segment in place of all, so that the columns are not held twice."""
        for segment in self._segments:
            segment.release()
        self._segments = [merged]
        self._parts = {part.order: (merged, part) for part in merged.parts}

    def _retained(
        self, columns: list[Mapping[str, Column]], ends: tuple[int, ...]
    ) -> tuple[Mapping[str, Column], tuple[int, ...]]:
        """What the policy keeps of all files together, and where each file ends in that."""
        if not columns:
            return {}, ends
        whole = columns[0]
        if len(columns) > 1:
            whole = {name: np.concatenate([piece[name] for piece in columns]) for name in whole}
        kept = self._chosen(whole)
        if kept is not None:
            whole = {name: column[kept] for name, column in whole.items()}
            ends = tuple(np.searchsorted(kept, ends).tolist())
        if "lot" in whole:
            whole = {name: column for name, column in whole.items() if name != "lot"}
        return whole, ends


def _ascending(segments: list[Segment]) -> bool:
    """Whether no step is smaller than the one before it."""
    if len(segments) == 1:
        return segments[0].ascending
    return all(segment.ascending for segment in segments) and all(
        after.follows(before) for before, after in itertools.pairwise(segments)
    )


def _merged(
    columns: list[Mapping[str, Column]], parts: list[FilePart], memory: ColumnMemory, ascending: bool
) -> Segment:
    """One segment of all columns."""
    merged = Segment(columns[0], memory, parts)
    count = sum(len(piece["steps"]) for piece in columns)
    for piece in columns[1:]:
        merged.extend(piece, count / (merged.length + len(piece["steps"])))
    merged.ascending = ascending
    return merged


def _repeated(claim: int, count: int) -> NDArray[np.uint8]:
    return np.zeros(count, np.uint8) if claim == 0 else np.full(count, claim, np.uint8)


def _lots(first: int, count: int, order: FileOrder) -> NDArray[np.int64]:
    """A number for each point of a file from ``first`` on that looks random and is always the same:
    keeping the points with the smallest is a uniform sample, whatever the batches in which they
    arrived (splitmix64)."""
    seed = zlib.crc32(repr(order).encode("utf-8", "surrogateescape")) << 32
    z = np.arange(first, first + count, dtype=np.uint64)
    z = (z + np.uint64(seed)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((z ^ (z >> np.uint64(31))) >> np.uint64(1)).view(np.int64)
