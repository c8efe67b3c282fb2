"""Versions of a lake: the runs of one, the series of its segments when they are asked for, and newer ones."""

from __future__ import annotations

import itertools
import math
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence

import pyarrow.compute as pc

from insight_core.plugin import Dialect, InsightError, InvalidArgument, Reason, ReasonKind
from insight_core.plugin.data import Damage, ProviderBase, Run, SeriesKey
from insight_lake.catalog import SegmentSeries
from insight_lake.delta import LakeSegment, LakeVersion, existing, newer, newest
from insight_lake.row_reader import RowReader
from insight_lake.store import LakeStore

_LIST_AGAIN = 600.0  # seconds after which the versions are listed again
_LEAST_INTERVAL = 30.0  # seconds between two requests to a bucket
_VERSION = 1000  # generations of a version: hosts of the same version agree on all but what is their own
_AWAY = ReasonKind("lake_away", "The lake cannot be reached, and its last known version is shown: {cause}")


class _Part:
    """A segment: its runs are read first, its series when one is asked for."""

    def __init__(self, entry: LakeSegment) -> None:
        self.entry = entry
        self.series: SegmentSeries | None = None
        self.lock = threading.Lock()
        table = entry.runs
        known: dict[tuple[str, ...], tuple[Dialect, ...]] = {}  # the same object for all runs of them
        names, starts, texts = (table[name].to_pylist() for name in ("run", "start_time", "dialects"))
        dialects = [known.setdefault(key, tuple(map(Dialect, key))) for key in map(tuple, texts)]
        damage = pc.list_value_length(table["damage"]).to_pylist()
        self.runs = list(map(Run, names, dialects, starts, itertools.repeat(False), damage))

    def damage(self) -> Iterator[Damage]:
        """Places where logs could not be read."""
        if any(run.damage for run in self.runs):
            for run, found in zip(self.runs, self.entry.runs["damage"].to_pylist(), strict=True):
                for one in found:
                    reason = Reason.restored(one["reason"])
                    yield Damage(run.name, one["file"], one["offset"], reason, one["skipped"])


class Lake:
    """A version of a lake. What segments it shares with the version before is not read again."""

    def __init__(self, reader: RowReader, version: LakeVersion, before: Lake | None) -> None:
        self.version = version
        self._reader = reader
        known = {} if before is None else {part.entry.id: part for part in before._parts}
        self._parts: list[_Part] = [known.get(one.id) or _Part(one) for one in version.segments]
        self._part_of_run = {run.name: part for part in self._parts for run in part.runs}
        every = [run for part in self._parts for run in part.runs]
        if len(self._part_of_run) < len(every):
            raise InvalidArgument("a run is in two segments of the lake: see insight-host lake check")
        starts = (math.inf if run.start_time is None else run.start_time for run in every)
        order = sorted(zip(starts, (run.name for run in every), range(len(every)), strict=True))
        self.runs = [every[place] for _, _, place in order]  # earliest first; without a time last
        self.plugins = {name for part in self._parts for name in part.entry.plugins}  # that have series

    def damage(self, run: str | None) -> list[Damage]:
        """Places where logs could not be read, of one run or of all."""
        return [one for part in self._parts for one in part.damage() if run in (None, one.run)]

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

    def difference(self, before: Lake) -> tuple[dict[str, set[SeriesKey]], bool]:
        """The series that changed since a version before, by plugin, and whether some are gone."""
        ours, theirs = ({part.entry.id for part in lake._parts} for lake in (self, before))
        now, once = self._states(ours - theirs), before._states(theirs - ours)
        changed: dict[str, set[SeriesKey]] = {}
        for plugin, key in now.keys() | once.keys():
            if now.get((plugin, key)) != once.get((plugin, key)):
                changed.setdefault(plugin, set()).add(key)
        return changed, bool(once.keys() - now.keys())

    def _states(self, segments: Collection[str]) -> dict[tuple[str, SeriesKey], tuple[str, ...]]:
        parts = [part for part in self._parts if part.entry.id in segments]
        return {
            (plugin, key): state
            for series in self._reader.each(self._series, parts)
            for plugin in series.entry.plugins
            for key, state in series.states(plugin).items()
        }

    def _series(self, part: _Part) -> SegmentSeries:
        with part.lock:
            if part.series is None:
                part.series = SegmentSeries(self._reader, part.entry)
            return part.series


class FollowedLake:
    """The newest version of a lake that was read; follows newer ones in the background."""

    def __init__(
        self,
        provider: ProviderBase,
        store: LakeStore,
        reader: RowReader,
        interval: float,
        owner: Callable[[str], str],
    ) -> None:
        """``provider`` notes changes; ``interval`` is in seconds (0: the lake is opened once); ``owner``
        returns the plugin of values."""
        self._provider, self._store, self._reader, self._owner = provider, store, reader, owner
        self._interval = max(interval, _LEAST_INTERVAL) if "://" in store.location and interval else interval
        self._lock = threading.Lock()
        self._lake: Lake | None = None
        self._away: InsightError | None = None
        self._listed = 0.0  # monotonic seconds
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def is_open(self) -> bool:
        """Whether a version has been read."""
        return self._lake is not None

    def start(self) -> None:
        """Opens the lake, and follows its versions in the background."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._follow, name="insight-lake", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Stops the thread."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join(timeout=1)

    def lake(self) -> Lake:
        """The version that is shown. Raises Unavailable while none could be read."""
        if self._lake is None:
            with self._lock:
                if self._lake is None:
                    self._lake = Lake(self._reader, existing(self._store), None)
                    self._listed = time.monotonic()
                    self._provider.changed(None, at_least=self._lake.version.version * _VERSION)
        return self._lake

    def look(self) -> None:
        """Shows the newest version. Raises Unavailable."""
        before = self.lake()
        with self._lock:
            if self._lake is not before:
                return
            is_listed = (
                time.monotonic() - self._listed > _LIST_AGAIN
            )  # versions between may have been deleted
            version = (newest if is_listed else newer)(self._store, before.version)
            self._listed = time.monotonic() if is_listed else self._listed
            if version.version > before.version.version:
                lake = Lake(self._reader, version, before)
                found, gone = lake.difference(before)
                self._lake = lake
                changed: dict[str, list[SeriesKey]] = {}
                for name, keys in sorted(found.items()):
                    changed.setdefault(self._owner(name), []).extend(sorted(keys))
                is_other, number = lake.runs != before.runs, version.version * _VERSION
                self._provider.changed(changed, runs=is_other, gone=gone, at_least=number)

    def notices(self) -> Sequence[Reason]:
        """Whether the store is away: then the last version that was read is shown."""
        away = self._away
        return [] if away is None or self._lake is None else [_AWAY(cause=Reason.of(away))]

    def _set_away(self, away: InsightError | None) -> None:
        is_news = (away is None) != (self._away is None)
        self._away = away
        if is_news and self._lake is not None:
            self._provider.changed({}, runs=True)  # notices come with the runs

    def _follow(self) -> None:
        while not self._ended.is_set():
            try:
                self.look()
                self._set_away(None)
            except InsightError as error:
                self._set_away(error)
            if self._interval <= 0 and self._lake is not None:
                return
            self._ended.wait(self._interval or 1.0)
