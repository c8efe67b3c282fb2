"""One series: columns that grow by file, points retained by a cache policy, and attempts."""

from __future__ import annotations

import bisect
import itertools
import threading
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from insight_core.formats.batch import never_back
from insight_core.formats.event import Metadata
from insight_core.plugin import CachePolicy, Claim, Keep, SeriesInfo, SeriesKey
from insight_core.store.attempts import ONE_ATTEMPT, find_attempts
from insight_core.store.column_memory import Column, ColumnMemory
from insight_core.store.file_state import SeriesGroup
from insight_core.store.retention import chosen, keeps_all, lots
from insight_core.store.segment import FileOrder, FilePart, Segment, all_ascending, merged_segment
from insight_core.store.series_info import described
from insight_core.store.snapshot import Snapshot

_NOWHERE = SeriesKey("", "")
_STRIPES = 64  # series share locks: creating a lock takes as long as creating a series
_locks = [threading.Lock() for _ in range(_STRIPES)]
_joining = [threading.Lock() for _ in range(_STRIPES)]


class Series:
    """The points of one plugin under one tag of one run. Thread-safe for many readers and one writer."""

    __slots__ = (
        "_info",
        "_joining",
        "_lock",
        "_memory",
        "_metadata",
        "_policy",
        "_segments",
        "_snapshot",
        "claims",
        "key",
        "plugin",
        "version",
    )

    def __init__(
        self,
        policy: CachePolicy,
        memory: ColumnMemory | None = None,
        plugin: str = "",
        key: SeriesKey = _NOWHERE,
    ) -> None:
        self.plugin = plugin
        self.key = key
        self._metadata: Metadata | None = None
        self.claims: tuple[Claim, ...] = ()  # by which its values were taken
        self.version = 0
        self._policy = policy
        self._memory = memory or ColumnMemory()
        stripe = id(self) >> 6 & _STRIPES - 1
        self._lock = _locks[stripe]  # hold only briefly: the loader waits for it
        self._joining = _joining[stripe]
        self._segments: list[Segment] = []  # in file order
        self._snapshot: Snapshot | None = None
        self._info: SeriesInfo | None = None

    # --- the loader's side ------------------------------------------------------------------------

    def append(
        self,
        order: FileOrder,
        columns: Mapping[str, Column],
        claims: tuple[Claim, ...] = (),
        expected: float = 1.0,
    ) -> bool:
        """Appends points of equal-length columns to the end of a file; column names must not change.

        ``claims`` has the claim of the points. About ``expected`` times as many points will follow in
        total. Returns whether these are the first points of the file.
        """
        with self._lock:
            return self._append(order, columns, claims, expected)

    def replace(
        self, order: FileOrder, columns: Mapping[str, Column], claims: tuple[Claim, ...] = ()
    ) -> None:
        """Replaces all earlier points of a file."""
        with self._lock:
            self._drop(order)
            self._append(order, columns, claims)

    def drop(self, order: FileOrder) -> None:
        """Removes the points of a deleted file."""
        with self._lock:
            self._drop(order)

    def _append(
        self,
        order: FileOrder,
        columns: Mapping[str, Column],
        claims: tuple[Claim, ...],
        expected: float = 1.0,
    ) -> bool:
        count = len(columns["steps"])
        segment = self._find(order)
        part = FilePart(order) if segment is None else segment.part(order)
        if part.claims is not claims:
            part.claims = _united(part.claims, claims)
        if "records" in columns:
            columns = {**columns, "claims": _repeated(part.claims.index(claims[0]), count)}
        if self._policy.points and self._policy.keep is Keep.UNIFORM:
            columns = {**columns, "lot": lots(part.total, count, order)}
        if segment is None:
            self._insert(Segment(columns, self._memory, [part]))
        else:
            self._last_in_segment(segment, part).extend(columns, expected)
        self._note_claims(part)
        part.kept += count
        part.total += count
        if self._policy.points:
            self._retain(part)
        self._touch()
        return segment is None

    def _drop(self, order: FileOrder) -> None:
        segment = self._find(order)
        if segment is None:
            return
        segment = self._last_in_segment(segment, segment.part(order))
        if len(segment.parts) > 1:
            segment = self._cut(segment, len(segment.parts) - 1)[1]
        segment.release()
        self._segments.remove(segment)
        self.claims = self._united_claims()
        self._touch()

    @property
    def metadata(self) -> Metadata | None:
        """Summary metadata of the first value."""
        return self._metadata

    @metadata.setter
    def metadata(self, metadata: Metadata | None) -> None:
        """Sets the metadata of the first value."""
        with self._lock:
            self._metadata = metadata
            self._touch()

    def release(self) -> None:
        """Frees the series: its columns no longer count as memory of the store."""
        with self._lock:
            for segment in self._segments:
                segment.release()

    def restore(self, order: FileOrder, group: SeriesGroup, place: int = 0) -> None:
        """Adopts the points that a file gave before this object existed: those at ``place`` of the group.
        It must be the first file.
        """
        columns = group.columns_of(place)
        part = FilePart(order)
        part.kept, part.claims = len(columns["steps"]), group.claims
        part.total = part.kept if group.totals is None else int(group.totals[place])
        with self._lock:
            self._insert(Segment(columns, self._memory, [part], bool(group.ascending[place])))
            self._note_claims(part)
            self._touch()

    def part(self, order: FileOrder) -> SeriesGroup | None:
        """The immutable columns that a file gave to this series."""
        with self._lock:
            segment = self._find(order)
            if segment is None:
                return None
            part, columns, ascending = segment.part(order), segment.columns(), segment.ascending
            claims, total = part.claims, part.total
            if len(segment.parts) > 1:
                before = segment.parts[: segment.parts.index(part)]
                first = sum(other.kept for other in before)
                columns = {name: column[first : first + part.kept] for name, column in columns.items()}
        ascending = ascending or never_back(columns["steps"])
        count = len(columns["steps"])
        ends, totals = np.array([count]), None if total == count else np.array([total])
        return SeriesGroup(self.plugin, (self.key.tag,), claims, columns, ends, totals, np.array([ascending]))

    @property
    def empty(self) -> bool:
        """Whether the series has no points."""
        return not self._segments

    def _touch(self) -> None:
        self._snapshot = self._info = None
        self.version += 1

    def _note_claims(self, part: FilePart) -> None:
        """Keeps claims in file order, independent of the order of reading."""
        if self.claims is not part.claims:
            is_last = part is self._segments[-1].parts[-1]
            self.claims = _united(self.claims, part.claims) if is_last else self._united_claims()

    def _united_claims(self) -> tuple[Claim, ...]:
        return tuple(dict.fromkeys(claim for part in self._parts() for claim in part.claims))

    def _parts(self) -> list[FilePart]:
        """All files, in order."""
        return [part for segment in self._segments for part in segment.parts]

    def _find(self, order: FileOrder) -> Segment | None:
        """The segment that contains a file."""
        segments = self._segments
        if not segments or order > segments[-1].parts[-1].order:
            return None
        if order == segments[-1].parts[-1].order:
            return segments[-1]
        segment = segments[bisect.bisect_left(segments, order, key=lambda each: each.parts[-1].order)]
        return segment if any(part.order == order for part in segment.parts) else None

    def _insert(self, segment: Segment) -> None:
        """Inserts the segment of a new file at its position."""
        order = segment.parts[0].order
        if not self._segments or order > self._segments[-1].parts[-1].order:
            self._segments.append(segment)
            return
        place = bisect.bisect_left(self._segments, order, key=lambda each: each.parts[-1].order)
        following = self._segments[place]
        before = sum(part.order < order for part in following.parts)
        if before:
            self._cut(following, before)
            place += 1
        self._segments.insert(place, segment)

    def _last_in_segment(self, segment: Segment, part: FilePart) -> Segment:
        """The segment that ends with a file; splits it if necessary."""
        if segment.parts[-1] is part:
            return segment
        return self._cut(segment, segment.parts.index(part) + 1)[0]

    def _cut(self, segment: Segment, count: int) -> tuple[Segment, Segment]:
        """Splits a segment; the first part has the first ``count`` files."""
        columns = segment.columns()
        at = sum(part.kept for part in segment.parts[:count])
        first = {name: column[:at].copy() for name, column in columns.items()}
        second = {name: column[at:].copy() for name, column in columns.items()}
        segment.release()
        halves = (
            Segment(first, self._memory, segment.parts[:count]),
            Segment(second, self._memory, segment.parts[count:]),
        )
        place = self._segments.index(segment)
        self._segments[place : place + 1] = halves
        return halves

    def _retain(self, part: FilePart) -> None:
        """Drops points that the policy does not keep, whenever their number has doubled."""
        if keeps_all(self._policy) or part.kept <= 2 * self._policy.points:
            return
        segment = self._find(part.order)
        columns = segment.columns() if segment else {}
        kept = chosen(self._policy, columns) if segment else None
        if segment is None or kept is None:
            return
        segment.release()
        part.kept = len(kept)
        retained = Segment({name: column[kept] for name, column in columns.items()}, self._memory, [part])
        self._segments[self._segments.index(segment)] = retained

    # --- the reader's side ------------------------------------------------------------------------

    @property
    def total(self) -> int:
        """Points recorded, retained or not."""
        with self._lock:
            return sum(part.total for part in self._parts())

    def info(self) -> SeriesInfo | None:
        """The series without its data; None if it has no points."""
        info = self._info
        if info is None:
            with self._lock:
                info = self._info = self._outline()
        if info is None:
            snapshot = self.snapshot()
            info = self._info_of(snapshot) if len(snapshot) else None
            with self._lock:
                if self.version == snapshot.version:
                    self._info = info
        return info

    def infos(self) -> list[SeriesInfo]:
        """``info()`` as a list of at most one element."""
        info = self.info()
        return [] if info is None else [info]

    def _outline(self) -> SeriesInfo | None:
        """The series without its data, if that needs no snapshot."""
        segments = self._segments
        if len(segments) == 1 and segments[0].ascending:  # the common case
            kept, first_step, last_step, last_value, last_wall_time = segments[0].outline()
        elif segments and all_ascending(segments):
            kept, first_step = sum(segment.length for segment in segments), segments[0].first_step
            _, _, last_step, last_value, last_wall_time = segments[-1].outline()
        else:
            return None
        if kept > self._policy.points and not keeps_all(self._policy):
            return None
        total = 0
        for segment in segments:
            for part in segment.parts:
                total += part.total
        return described(
            self.key, total, kept, first_step, last_step, last_value, last_wall_time, 1,
            self._metadata, self.claims,
        )  # fmt: skip

    def _info_of(self, snapshot: Snapshot) -> SeriesInfo:
        steps, values, shown = snapshot.steps, snapshot.columns.get("values"), snapshot.attempts.visible
        first, last = (0, -1) if shown is None else (int(shown[0]), int(shown[-1]))
        last_value = None if values is None else float(values[last])
        count = snapshot.attempts.count
        return described(
            self.key,
            snapshot.total,
            len(snapshot),
            int(steps[first]),
            int(steps[last]),
            last_value,
            float(snapshot.columns["wall_times"][last]),
            count,
            self._metadata,
            self.claims,
        )

    def snapshot(self) -> Snapshot:
        """All retained points. The lock is not held while columns are joined."""
        snapshot = self._snapshot
        if snapshot is not None:
            return snapshot
        with self._joining:  # only one of several readers joins the columns
            with self._lock:
                if self._snapshot is not None:
                    return self._snapshot
                version = self.version
                segments = list(self._segments)
                columns = [segment.columns() for segment in segments]
                ascending = bool(segments) and all_ascending(segments)
                parts = self._parts()
                orders = tuple(part.order for part in parts)
                ends = tuple(itertools.accumulate(part.kept for part in parts))
                claims = tuple(part.claims for part in parts)
                total = sum(part.total for part in parts)
            merged = None
            if len(segments) > 1 and keeps_all(self._policy):
                merged = merged_segment(columns, parts, self._memory, ascending)
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
        """Replaces all segments by one, so that columns are not stored twice."""
        for segment in self._segments:
            segment.release()
        self._segments = [merged]

    def _retained(
        self, columns: list[Mapping[str, Column]], ends: tuple[int, ...]
    ) -> tuple[Mapping[str, Column], tuple[int, ...]]:
        """The points of all files that the policy keeps, and the end of each file in them."""
        if not columns:
            return {}, ends
        whole = columns[0]
        if len(columns) > 1:
            whole = {name: np.concatenate([piece[name] for piece in columns]) for name in whole}
        kept = chosen(self._policy, whole)
        if kept is not None:
            whole = {name: column[kept] for name, column in whole.items()}
            ends = tuple(np.searchsorted(kept, ends).tolist())
        if "lot" in whole:
            whole = {name: column for name, column in whole.items() if name != "lot"}
        return whole, ends


def _united(before: tuple[Claim, ...], more: tuple[Claim, ...]) -> tuple[Claim, ...]:
    return tuple(dict.fromkeys((*before, *more))) if before else more


def _repeated(claim: int, count: int) -> NDArray[np.uint8]:
    return np.zeros(count, np.uint8) if claim == 0 else np.full(count, claim, np.uint8)
