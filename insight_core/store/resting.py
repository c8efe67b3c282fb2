"""Compact storage for runs with a single file; ``Series`` objects are created on demand."""

from __future__ import annotations

import threading
from collections.abc import Mapping

import numpy as np
from attrs import evolve

from insight_core.formats.event import Metadata
from insight_core.plugin import CachePolicy, SeriesInfo, SeriesKey
from insight_core.store.column_memory import ColumnMemory
from insight_core.store.file_state import SeriesGroup
from insight_core.store.segment import FileOrder
from insight_core.store.series import Series
from insight_core.store.series_info import described

_making = threading.Lock()  # held while a series of any group is created


class RestingGroup:
    """Series of one run and plugin with all points retained. Immutable; thread-safe.

    A ``Series`` object is created, once, when it is requested.
    """

    __slots__ = (
        "_counted",
        "_infos",
        "_made",
        "_memory",
        "_metadata",
        "_places",
        "_policy",
        "_run",
        "group",
        "order",
    )

    def __init__(
        self,
        run: str,
        order: FileOrder,
        group: SeriesGroup,
        metadata: Mapping[str, Metadata],
        policy: CachePolicy,
        memory: ColumnMemory,
    ) -> None:
        """``metadata`` is that of the run, by tag; it must not change as long as the group exists."""
        columns, self._counted = memory.adopt(group.columns)
        if columns is not group.columns:  # a small view would keep all memory of the scan
            ends, ascending = group.ends.copy(), group.ascending.copy()
            group = evolve(group, columns=columns, ends=ends, ascending=ascending)
        self.group = group
        self.order = order
        self._run = run
        self._metadata = metadata
        self._policy = policy
        self._memory = memory
        self._made: dict[str, Series] = {}
        self._places: dict[str, int] | None = None  # by tag
        self._infos: list[SeriesInfo] | None = None

    def series(self, tag: str) -> Series | None:
        """The series of a tag; None if the group does not have it."""
        with _making:
            series = self._made.get(tag)
            if series is not None:
                return series
            if self._places is None:
                self._places = {tag: place for place, tag in enumerate(self.group.tags)}
            place = self._places.get(tag)
            if place is None:
                return None
            if self._counted:  # its columns count as memory of the series from now on
                size = sum(column.nbytes for column in self.group.columns_of(place).values())
                self._memory.release(min(size, self._counted))
                self._counted -= min(size, self._counted)
            series = Series(self._policy, self._memory, self.group.plugin, SeriesKey(self._run, tag))
            if tag in self._metadata:
                series.metadata = self._metadata[tag]
            series.restore(self.order, self.group, place)
            self._made[tag] = series
            return series

    def release(self) -> None:
        """Frees the group: its columns no longer count as memory of the store."""
        with _making:
            self._memory.release(self._counted)
            self._counted = 0
            self._memory = ColumnMemory()  # for a reader that found the group earlier
            for series in self._made.values():
                series.release()

    def infos(self) -> list[SeriesInfo]:
        """``Series.info`` of each series."""
        if self._infos is None:
            self._infos = self._described()
        return self._infos

    def _described(self) -> list[SeriesInfo]:
        group, run = self.group, self._run
        lasts = group.ends - 1
        counts = group.counts()
        firsts = group.ends - counts
        steps, values = group.columns["steps"], group.columns.get("values")
        rows = zip(
            group.tags,
            counts.tolist() if group.totals is None else group.totals.tolist(),
            counts.tolist(),
            steps[firsts].tolist(),
            steps[lasts].tolist(),
            [None] * len(lasts) if values is None else values[lasts].tolist(),
            group.columns["wall_times"][lasts].tolist(),
            map(self._metadata.get, group.tags),
            strict=True,
        )
        infos = [
            described(SeriesKey(run, tag), total, kept, first, last, value, time, 1, metadata, group.claims)
            for tag, total, kept, first, last, value, time, metadata in rows
        ]
        if np.count_nonzero(group.ascending) == len(infos):
            return infos
        for place in np.flatnonzero(~group.ascending).tolist():  # these read every point
            series = self.series(group.tags[place])
            info = series.info() if series else None
            if info is not None:
                infos[place] = info
        return infos
