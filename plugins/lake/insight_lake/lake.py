"""A version of a lake: its runs, and the series of its segments, read when they are asked for."""

from __future__ import annotations

import itertools
import math
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from attrs import define, field

from insight_core.plugin import InvalidArgument
from insight_core.plugin.data import Damage, Run, SeriesKey
from insight_lake.catalog import SegmentRuns, SegmentSeries, StoredRun
from insight_lake.delta import LakeSegment, LakeVersion
from insight_lake.row_reader import RowReader


@define(eq=False)
class _Part:
    """A segment: its runs are read first, its series when one is asked for."""

    entry: LakeSegment
    runs: SegmentRuns
    series: SegmentSeries | None = None
    lock: threading.Lock = field(factory=threading.Lock)


class Lake:
    """A version of a lake. What segments it shares with the version before is not read again."""

    def __init__(self, reader: RowReader, version: LakeVersion, before: Lake | None) -> None:
        self.version = version
        self._reader = reader
        known = {} if before is None else {part.entry.id: part for part in before._parts}
        self._parts: list[_Part] = [
            known.get(one.id) or _Part(one, SegmentRuns(one)) for one in version.segments
        ]
        self._part_of_run = {run.name: part for part in self._parts for run in part.runs.runs}
        if len(self._part_of_run) < sum(len(part.runs.runs) for part in self._parts):
            raise InvalidArgument("a run is in two segments of the lake: see insight-host lake check")
        self._stored: dict[str, StoredRun] | None = None
        self._shown: list[Run] | None = None

    def plugins(self) -> set[str]:
        """Names under which the lake has series."""
        return set(itertools.chain.from_iterable(part.entry.plugins for part in self._parts))

    def runs(self) -> Mapping[str, StoredRun]:
        """The runs by name."""
        if self._stored is None:
            self._stored = {stored.run.name: stored for part in self._parts for stored in part.runs.stored()}
        return self._stored

    def damage(self, run: str | None) -> list[Damage]:
        """Places where logs could not be read, of one run or of all."""
        return [
            damage
            for part in self._parts
            if any(one.damage for one in part.runs.runs)
            for stored in part.runs.stored()
            if run in (None, stored.run.name)
            for damage in stored.damage
        ]

    def shown_runs(self) -> list[Run]:
        """The runs, earliest first; runs without a start time come last, by name."""
        if self._shown is None:
            every = [run for part in self._parts for run in part.runs.runs]
            starts = (math.inf if run.start_time is None else run.start_time for run in every)
            order = sorted(zip(starts, (run.name for run in every), range(len(every)), strict=True))
            self._shown = [every[place] for _, _, place in order]
        return self._shown

    def entry_of(self, run: str) -> LakeSegment | None:
        """The segment that holds a run."""
        part = self._part_of_run.get(run)
        return None if part is None else part.entry

    def parts(
        self, runs: Collection[str] | None, plugins: Collection[str]
    ) -> Iterator[tuple[SegmentSeries, Collection[str] | None]]:
        """The series of segments with some of these runs and plugins, and the runs in each; None: all."""
        wanted: list[tuple[_Part, Collection[str] | None]] = []
        if runs is None:
            wanted = [(part, None) for part in self._parts]
        else:
            of_parts: dict[str, tuple[_Part, list[str]]] = {}
            for run in runs:
                part = self._part_of_run.get(run)
                if part is not None:
                    of_parts.setdefault(part.entry.id, (part, []))[1].append(run)
            wanted = [(part, sorted(names)) for part, names in of_parts.values()]
        chosen = [(part, names) for part, names in wanted if not set(part.entry.plugins).isdisjoint(plugins)]
        found = self._reader.each(lambda one: self._series(one[0]), chosen)
        yield from zip(found, [names for _, names in chosen], strict=True)

    def difference(
        self, before: Lake, owner: Callable[[str], str]
    ) -> tuple[Mapping[str, Collection[SeriesKey]] | None, bool, bool]:
        """Since a version before: changed series by plugin, whether runs changed, whether series are gone."""
        ids, known = ({part.entry.id for part in lake._parts} for lake in (self, before))
        new = self._identities([part for part in self._parts if part.entry.id not in known])
        old = before._identities([part for part in before._parts if part.entry.id not in ids])
        changed: dict[str, list[SeriesKey]] = {}
        for place in sorted(new.keys() | old.keys()):
            if new.get(place) != old.get(place):
                plugin, run, tag = place
                changed.setdefault(owner(plugin), []).append(SeriesKey(run, tag))
        runs = self.shown_runs() != before.shown_runs()
        return changed, runs, bool(old.keys() - new.keys())

    def _identities(self, parts: Sequence[_Part]) -> dict[tuple[str, str, str], tuple[object, ...]]:
        return {
            (plugin, *place): values
            for part, series in zip(parts, self._reader.each(self._series, parts), strict=True)
            for plugin in part.entry.plugins
            for place, values in series.identities(plugin).items()
        }

    def _series(self, part: _Part) -> SegmentSeries:
        with part.lock:
            if part.series is None:
                part.series = SegmentSeries(self._reader, part.entry)
            return part.series
