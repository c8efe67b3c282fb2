"""One series: columns that grow by file, points retained by a cache policy, and attempts."""

from __future__ import annotations

import bisect
import itertools
import math
import threading
import weakref
from typing import Any

import numpy as np

from insight_core.formats.columns import Block, Columns, concatenated, never_back
from insight_core.formats.event import Metadata
from insight_core.formats.stored_block import AnyColumns
from insight_core.plugin import CachePolicy, Claim
from insight_core.plugin.data import SeriesInfo, SeriesKey
from insight_core.store.attempts import ONE_ATTEMPT
from insight_core.store.column_memory import ColumnMemory
from insight_core.store.retention import chosen, keeps_all
from insight_core.store.segment import (
    FileOrder,
    PartOrder,
    Segment,
    SeriesPart,
    all_ascending,
    merged_segment,
)
from insight_core.store.sessions import NO_SESSIONS, RunSessions
from insight_core.store.snapshot import Snapshot, described, retained

_STRIPES = 64  # series share locks: creating a lock takes as long as creating a series
_locks = [threading.Lock() for _ in range(_STRIPES)]
_joining = [threading.Lock() for _ in range(_STRIPES)]


class Series:
    """The points of one claim and layout under one tag of one run, for many readers and one writer.

    The layout is whether there are values, and whether there are places; all points have the same.
    """

    __slots__ = (
        "_info",
        "_joining",
        "_lock",
        "_memory",
        "_metadata",
        "_policy",
        "_segments",
        "_sessions",
        "_snapshot",
        "claim",
        "key",
        "layout",
        "reader",
        "version",
    )

    def __init__(
        self,
        key: SeriesKey,
        claim: Claim,
        layout: tuple[bool, bool],
        policy: CachePolicy,
        memory: ColumnMemory,
        *,
        metadata: Metadata | None = None,
        reader: str = "",
        sessions: RunSessions = NO_SESSIONS,
    ) -> None:
        """``reader`` is that of ``Claims.reader``, or the plugin that claims a file."""
        self.key = key
        self.claim = claim
        self.layout = layout
        self.reader = reader
        self.version = 0
        self._metadata = metadata
        self._sessions = sessions
        self._policy = policy
        self._memory = memory
        stripe = id(self) >> 6 & _STRIPES - 1
        self._lock = _locks[stripe]  # hold only briefly: the loader waits for it
        self._joining = _joining[stripe]
        self._segments: list[Segment] = []  # in file order
        # of stored columns: a reference that keeps nothing in memory
        self._snapshot: Snapshot | weakref.ref[Snapshot] | None = None
        self._info: SeriesInfo | None = None

    # --- the loader's side ------------------------------------------------------------------------

    def append(
        self,
        place: PartOrder,
        columns: AnyColumns,
        expected: float = 1.0,
        *,
        total: int | None = None,
        ascending: bool | None = None,
    ) -> None:
        """Appends points to the end of a part; about ``expected`` times as many will follow in total.

        ``total`` of them were recorded, by default all. ``ascending``: whether their steps never decrease,
        where that is known.
        """
        with self._lock:
            self._append(place, columns, expected, len(columns) if total is None else total, ascending)

    def _append(
        self, place: PartOrder, columns: AnyColumns, expected: float, total: int, ascending: bool | None
    ) -> None:
        segment = self._find(place)
        if segment is None:
            part = SeriesPart(*place)
            self._insert(Segment(columns, self._memory, [part], ascending))
        else:
            part = next(part for part in reversed(segment.parts) if part.place == place)
            self._last_in_segment(segment, part).extend(columns.loaded(), expected)
        part.kept += len(columns)
        part.total += total
        self._retain(part)
        self._touch()

    def drop(self, order: FileOrder) -> None:
        """Removes the points of a file."""
        with self._lock:
            at = bisect.bisect_left(self._segments, (order, 0), key=_last_place)
            rest = itertools.islice(self._segments, at, None)
            held = itertools.takewhile(lambda segment: segment.parts[0].order <= order, rest)
            parts = [part for segment in held for part in segment.parts if part.order == order]
            for part in parts:
                segment = self._find(part.place)
                assert segment is not None
                segment = self._last_in_segment(segment, part)
                if len(segment.parts) > 1:
                    segment = self._cut(segment, len(segment.parts) - 1)[1]
                self._segments.remove(segment)
            if parts:
                self._touch()

    def last_stretch(self, order: FileOrder) -> int:
        """The last stretch of a file; -1 if it has none here."""
        with self._lock:
            at = bisect.bisect_right(self._segments, (order, math.inf), key=_last_place)
            for segment in reversed(self._segments[max(0, at - 1) : at + 1]):
                for part in reversed(segment.parts):
                    if part.order <= order:
                        return part.stretch if part.order == order else -1
        return -1

    @property
    def metadata(self) -> Metadata | None:
        """Summary metadata of the first value."""
        return self._metadata

    @metadata.setter
    def metadata(self, metadata: Metadata | None) -> None:
        """Sets the metadata of the first value."""
        if metadata is not self._metadata:
            with self._lock:
                self._metadata = metadata
                self._touch()

    @property
    def sessions(self) -> RunSessions:
        """The sessions of the run."""
        return self._sessions

    @sessions.setter
    def sessions(self, sessions: RunSessions) -> None:
        """Sets the sessions of the run, which say what is hidden."""
        with self._lock:
            self._sessions = sessions
            self._touch()

    @property
    def policy(self) -> CachePolicy:
        """The cache policy."""
        return self._policy

    @policy.setter
    def policy(self, policy: CachePolicy) -> None:
        """Sets the cache policy, and applies it to the points already stored."""
        with self._lock:
            self._policy = policy
            for part in self._parts():
                self._retain(part)
            self._touch()

    def drop_places(self) -> None:
        """Drops the positions in the file: the plugin of the claim reads numbers."""
        with self._lock:
            self.layout = (True, False)
            for segment in self._segments:
                segment.drop_places()
            self._touch()

    def blocks(self, order: FileOrder) -> list[Block]:
        """The immutable columns that a file gave to this series, by stretch."""
        found = []
        with self._lock:
            for segment in self._segments:
                first = 0
                for part in segment.parts:
                    if part.order == order:
                        whole = len(segment.parts) == 1
                        columns = segment.columns()
                        columns = columns if whole else columns[first : first + part.kept]
                        found.append((columns, segment.ascending, part.total, part.stretch))
                    first += part.kept
        return [
            Block(
                "",
                (self.key.tag,),
                np.array([len(columns)]),
                np.array([ascending or never_back(columns.steps)]),
                columns,
                None if total == len(columns) else np.array([total]),
                np.array([stretch]),
            )
            for columns, ascending, total, stretch in found
        ]

    @property
    def empty(self) -> bool:
        """Whether the series has no points."""
        return not self._segments

    def _touch(self) -> None:
        self._snapshot = self._info = None
        self.version += 1

    def _parts(self) -> list[SeriesPart]:
        """All parts, in order."""
        return [part for segment in self._segments for part in segment.parts]

    def _find(self, place: PartOrder) -> Segment | None:
        """The segment that contains a part."""
        segments = self._segments
        if not segments or place > segments[-1].parts[-1].place:
            return None
        if place == segments[-1].parts[-1].place:
            return segments[-1]
        segment = segments[bisect.bisect_left(segments, place, key=_last_place)]
        return segment if any(part.place == place for part in segment.parts) else None

    def _insert(self, segment: Segment) -> None:
        """Inserts the segment of a new part at its position."""
        place = segment.parts[0].place
        if not self._segments or place > self._segments[-1].parts[-1].place:
            self._segments.append(segment)
            return
        at = bisect.bisect_left(self._segments, place, key=_last_place)
        following = self._segments[at]
        before = sum(part.place < place for part in following.parts)
        if before:
            self._cut(following, before)
            at += 1
        self._segments.insert(at, segment)

    def _last_in_segment(self, segment: Segment, part: SeriesPart) -> Segment:
        """The segment that ends with a part; splits it if necessary."""
        if segment.parts[-1] is part:
            return segment
        return self._cut(segment, segment.parts.index(part) + 1)[0]

    def _cut(self, segment: Segment, count: int) -> tuple[Segment, Segment]:
        """Splits a segment; the first half has the first ``count`` parts."""
        columns = segment.columns()
        at = sum(part.kept for part in segment.parts[:count])
        indices = np.arange(segment.length)  # to copy: the segment is to be freed
        halves = (
            Segment(columns[indices[:at]], self._memory, segment.parts[:count]),
            Segment(columns[indices[at:]], self._memory, segment.parts[count:]),
        )
        place = self._segments.index(segment)
        self._segments[place : place + 1] = halves
        return halves

    def _retain(self, part: SeriesPart) -> None:
        """Drops points that the policy does not keep, whenever their number has doubled."""
        if keeps_all(self._policy) or part.kept <= 2 * self._policy.points:
            return
        segment = self._find(part.place)
        assert segment is not None
        if len(segment.parts) > 1:  # they were read before there was a policy
            segment = self._last_in_segment(segment, part)
            segment = self._cut(segment, len(segment.parts) - 1)[1] if len(segment.parts) > 1 else segment
        kept = chosen(self._policy, segment.columns())
        assert kept is not None
        part.kept = len(kept)
        retained = Segment(segment.columns()[kept], self._memory, [part])
        self._segments[self._segments.index(segment)] = retained

    # --- the reader's side ------------------------------------------------------------------------

    def info(self) -> SeriesInfo | None:
        """The series without its data; None if it has no points."""
        info = self._info
        if info is None:
            with self._lock:
                info = self._info = self._outline()
        if info is None:
            version, snapshot = self.version, self.snapshot()
            info = snapshot.info(self.key, self._metadata) if len(snapshot) else None
            with self._lock:
                if self.version == version:
                    self._info = info
        return info

    def _outline(self) -> SeriesInfo | None:
        """The series without its data, if that needs no snapshot."""
        segments = self._segments
        kept = sum([segment.length for segment in segments])
        if not kept or not all_ascending(segments):
            return None
        if self._sessions.may_purge(segments[0].parts[0].place, segments[-1].last_step):
            return None
        if kept > self._policy.points and not keeps_all(self._policy):
            return None
        first, last = segments[0], segments[-1]
        return described(
            self.key, sum([part.total for part in self._parts()]), kept, first.first_step, last.last_step,
            last.last_value, last.last_wall_time, 1, self._metadata, (self.claim,),
        )  # fmt: skip

    def snapshot(self) -> Snapshot:
        """All retained points. The lock is not held while columns are read or joined. Raises Lost."""
        snapshot = self._kept_snapshot()
        if snapshot is not None:
            return snapshot
        with self._joining:  # only one of several readers joins the columns
            snapshot = self._kept_snapshot()
            return self._new_snapshot() if snapshot is None else snapshot

    def _kept_snapshot(self) -> Snapshot | None:
        kept = self._snapshot
        if not isinstance(kept, weakref.ref):
            return kept
        snapshot = kept()
        if snapshot is not None:
            self._memory.recent.use(snapshot)
        return snapshot

    def _new_snapshot(self) -> Snapshot:
        with self._lock:
            version = self.version
            policy = self._policy
            segments = list(self._segments)
            held = [segment.held() for segment in segments]
            is_stored = bool(segments) and all(segment.is_stored for segment in segments)
            ascending = bool(segments) and all_ascending(segments)
            parts = self._parts()
            places = tuple(part.place for part in parts)
            ends = tuple(itertools.accumulate(part.kept for part in parts))
            total = sum(part.total for part in parts)
            sessions = self._sessions
        pieces = [each.loaded() for each in held]
        merged = None
        if len(segments) > 1 and keeps_all(policy) and not is_stored:
            merged = merged_segment(pieces, parts, self._memory, ascending)
            columns = merged.columns()
        else:
            columns, ends = retained(policy, concatenated(pieces) if pieces else _NOTHING, ends)
        attempts = ONE_ATTEMPT
        if sessions.starts or not ascending:
            attempts = sessions.attempts(columns, places, ends, self.claim)
        snapshot = Snapshot(columns, places, ends, (self.claim,) * len(places), attempts, total)
        if is_stored:
            self._memory.recent.use(snapshot)
        with self._lock:
            if self.version == version:
                self._snapshot = weakref.ref(snapshot) if is_stored else snapshot
                if merged is not None:  # so that columns are not stored twice
                    self._segments = [merged]
        return snapshot


def _last_place(segment: Segment) -> tuple[FileOrder, Any]:  # to be compared with infinity too
    return segment.parts[-1].place


_NOTHING = Columns(np.empty(0, np.int64), np.empty(0))
