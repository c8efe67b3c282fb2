"""A version of a lake: its runs, and the series of its segments, read when they are asked for."""

from __future__ import annotations

import itertools
import math
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from insight_core.plugin import InvalidArgument
from insight_core.plugin.data import Damage, SeriesKey
from insight_lake.catalog import SegmentRuns, SegmentSeries, StoredRun
from insight_lake.delta import LakeSegment, LakeVersion
from insight_lake.row_reader import RowReader


class _Part:
    """A segment: its runs are read first, its series when one is asked for."""

    def __init__(self, entry: LakeSegment) -> None:
        self.entry = entry
        self.runs = SegmentRuns(entry)
        self.series: SegmentSeries | None = None
        self.lock = threading.Lock()


class Lake:
    """A version of a lake. What segments it shares with the version before is not read again."""

    def __init__(self, reader: RowReader, version: LakeVersion, before: Lake | None) -> None:
        self.version = version
        self._reader = reader
        known = {} if before is None else {part.entry.id: part for part in before._parts}
        self._parts: list[_Part] = [known.get(one.id) or _Part(one) for one in version.segments]
        self._part_of_run = {run.name: part for part in self._parts for run in part.runs.runs}
        if len(self._part_of_run) < sum(len(part.runs.runs) for part in self._parts):
            raise InvalidArgument("a run is in two segments of the lake: see insight-host lake check")
        self._stored: dict[str, StoredRun] | None = None
        every = [run for part in self._parts for run in part.runs.runs]
        starts = (math.inf if run.start_time is None else run.start_time for run in every)
        order = sorted(zip(starts, (run.name for run in every), range(len(every)), strict=True))
        self.shown_runs = [every[place] for _, _, place in order]  # earliest first; without a time last

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

    def entry_of(self, run: str) -> LakeSegment | None:
        """The segment that holds a run."""
        part = self._part_of_run.get(run)
        return None if part is None else part.entry

    def parts(
        self, runs: Collection[str] | None, plugins: Collection[str]
    ) -> Iterator[tuple[SegmentSeries, Collection[str] | None]]:
        """The series of segments with some of these runs and plugins, and the runs in each; None: all."""
        wanted: dict[_Part, list[str]] = {}
        for run in sorted(runs or ()):
            if (part := self._part_of_run.get(run)) is not None:
                wanted.setdefault(part, []).append(run)
        some = self._parts if runs is None else list(wanted)
        chosen = [part for part in some if not set(part.entry.plugins).isdisjoint(plugins)]
        for part, series in zip(chosen, self._reader.each(self._series, chosen), strict=True):
            yield series, wanted.get(part)

    def difference(
        self, before: Lake, owner: Callable[[str], str]
    ) -> tuple[Mapping[str, Collection[SeriesKey]], bool, bool]:
        """Since a version before: changed series by plugin, whether runs changed, whether series are gone."""
        ids, known = ({part.entry.id for part in lake._parts} for lake in (self, before))
        new = self._identities([part for part in self._parts if part.entry.id not in known])
        old = before._identities([part for part in before._parts if part.entry.id not in ids])
        changed: dict[str, list[SeriesKey]] = {}
        for place in sorted(new.keys() | old.keys()):
            if new.get(place) != old.get(place):
                plugin, run, tag = place
                changed.setdefault(owner(plugin), []).append(SeriesKey(run, tag))
        return changed, self.shown_runs != before.shown_runs, bool(old.keys() - new.keys())

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
