"""Joins several series that a plugin reads as one, such as those of restarts with other writers."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterable, Sequence

from insight_core.formats.columns import concatenated
from insight_core.plugin import CachePolicy
from insight_core.store.column_memory import ColumnMemory
from insight_core.store.segment import FileOrder
from insight_core.store.series import Series
from insight_core.store.sessions import RunSessions
from insight_core.store.snapshot import Snapshot, retained


class JoinedSeries:
    """The joined series of one run. A result is kept while a reader has it and its series do not change.

    Another object is made when files have gone, or sessions have changed.
    """

    def __init__(self, memory: ColumnMemory) -> None:
        self._memory = memory
        # by plugin and tag: series and their versions, and what was made of them
        self._known: dict[tuple[str, str], tuple[list[tuple[Series, int]], weakref.ref[Snapshot]]] = {}

    def of(self, plugin: str, several: list[Series], policy: CachePolicy, sessions: RunSessions) -> Snapshot:
        """All retained points of several series that a plugin reads as one; kept as stored points are."""
        place = plugin, several[0].key.tag
        versions = [(series, series.version) for series in several]
        known = self._known.get(place)
        snapshot = known[1]() if known is not None and known[0] == versions else None
        if snapshot is None:
            snapshot = joined([series.snapshot() for series in several], policy, sessions)
            self._known[place] = versions, weakref.ref(snapshot)
        self._memory.recent.use(snapshot)
        return snapshot


def joined(snapshots: Sequence[Snapshot], policy: CachePolicy, sessions: RunSessions) -> Snapshot:
    """Several series of one tag as one, in the order of their parts."""
    pieces = []
    for snapshot in snapshots:
        edges = itertools.pairwise((0, *snapshot.ends))
        for part, claim, (first, end) in zip(snapshot.parts, snapshot.claims, edges, strict=True):
            pieces.append((part, claim, snapshot.columns[first:end]))
    pieces.sort(key=lambda piece: piece[0])
    ends = tuple(itertools.accumulate(len(piece[2]) for piece in pieces))
    columns, ends = retained(policy, concatenated([piece[2] for piece in pieces]), ends)
    parts = tuple(piece[0] for piece in pieces)
    return Snapshot(
        columns,
        parts,
        ends,
        tuple(piece[1] for piece in pieces),
        sessions.attempts(columns, parts, ends, pieces[0][1]),
        sum(snapshot.total for snapshot in snapshots),
    )


def stretch_after(several: Iterable[Series], series: Series, order: FileOrder) -> int:
    """The stretch of the next points of a file: after the stretches of series to be joined with this."""
    stretch = max(0, series.last_stretch(order))
    for other in several:
        if other is not series and any(a and b for a, b in zip(other.layout, series.layout, strict=True)):
            last = other.last_stretch(order)
            if last >= stretch:
                stretch = last + 1
    return stretch
