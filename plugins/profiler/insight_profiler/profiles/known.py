"""All profiles of the logs: discovery, reading in other processes, and caching."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from attrs import evolve, field, frozen
from cachetools import LRUCache

from insight_core.plugin import InsightError, NotFound, databases
from insight_core.plugin.data import DataProvider, SeriesKey
from insight_core.plugin.worker import Workers
from insight_profiler.analysis.rank_summary import summary_of
from insight_profiler.claims import NAME
from insight_profiler.files import Files
from insight_profiler.model import Profile
from insight_profiler.profiles.discovery import ProfileFiles, profiles_of
from insight_profiler.profiles.reading import MEMORY, Look, ProfileReading, limits
from insight_profiler.profiles.storage import (
    MAX_BYTES,
    UnusableProfile,
    described,
    key_of,
    load_summary,
    shrink,
)
from insight_profiler.reading.arguments import arguments_at, place_of

_Place: TypeAlias = tuple[str, str]  # run and path
_SUMMARIES = 256 << 20  # bytes of summaries of ranks in memory; the others are on disk
_MOST_HELD = 32  # profiles, their columns mapped, with a descriptor each
_UNCHECKED_SHARE = 16  # of the limit may be kept before all that is kept is added up again


def unknown_profile(run: str, path: str) -> NotFound:
    """The error for a profile that the logs do not have."""
    text = f"run {run!r} has no profile {path}".rstrip()
    return NotFound(text, code="profiler_unknown", run=run, path=path)


@frozen(eq=False)
class _Listed:
    """The profiles of one generation of the data; ``known`` are those whose sizes and keys were asked for."""

    generation: int
    files: Mapping[_Place, ProfileFiles]
    known: dict[_Place, tuple[ProfileFiles, str]] = field(factory=dict)


class Profiles:
    """All profiles that a data provider has. For any thread."""

    def __init__(
        self, data: DataProvider, workers: Workers | None = None, most_bytes: int = MAX_BYTES
    ) -> None:
        """All profiles kept may take ``most_bytes``."""
        self._data = data
        self._workers = workers or Workers(limits(), memory=MEMORY)
        self._lock = threading.Lock()
        self._readings: OrderedDict[_Place, ProfileReading] = OrderedDict()
        self._listed: _Listed | None = None
        self._sizes: dict[SeriesKey, tuple[float, int]] = {}  # by wall time
        self._summaries = _RankSummaries()
        self._most_bytes = most_bytes
        self._unchecked = self._most_bytes // _UNCHECKED_SHARE

    def close(self) -> None:
        """Ends the processes that read, and removes what they have not finished."""
        self._workers.close()

    def listing(self, runs: Collection[str] | None = None) -> list[ProfileFiles]:
        """Those of some runs, or of all, with the sizes of their files."""
        chosen = None if runs is None else set(runs)
        listed = self._now()
        places = [place for place in listed.files if chosen is None or place[0] in chosen]
        return [self._known(listed, place)[0] for place in places]

    def look(self, run: str, path: str, cache: Path | None) -> Look:
        """A profile as it is now; the first look has it read. What is read is kept below ``cache``;
        without, or where that cannot be written, as long as it is among the profiles looked at last.

        Raises NotFound for an unknown profile.
        """
        generation = self._data.generation()
        with self._lock:
            reading = self._readings.get((run, path))
            if reading is not None and reading.read_at == generation:
                self._readings.move_to_end((run, path))
                return reading.look()
        listed = self._now()
        files, key = self._known(listed, (run, path))
        reading = self._reading(files, key, cache, is_urgent=True)
        look = reading.look()
        if look.state == "ready" and reading.key == key:
            reading.read_at = listed.generation
        return look

    def rank(self, files: ProfileFiles, cache: Path | None, *, reads: bool = True) -> Look:
        """The same for one of the ranks of a job: ``profile`` is its summary (``rank_summary.py``), which
        stays when its columns have to make room. A profile without one is read after those that users
        look at; without ``reads`` it is not, and counts as one that is being read."""
        key = self._key(files)
        total = sum(file.size for file in files.files.values())
        summary = self._summaries.get(key, cache)
        if summary is not None:
            return Look(files, "ready", total, total, summary)
        with self._lock:
            is_known = (files.run, files.path) in self._readings
        if not reads and not is_known:
            return Look(files, total=total)
        look = self._reading(files, key, cache, is_urgent=False).look()
        if look.profile is None or not look.profile.is_complete:
            return evolve(look, profile=None)
        return evolve(look, profile=summary_of(look.profile))

    def held(self, files: ProfileFiles) -> Profile | None:
        """What is known of a profile without having it read."""
        with self._lock:
            reading = self._readings.get((files.run, files.path))
        return None if reading is None else reading.look().profile

    def arguments(self, run: str, path: str, profile: Profile, row: int) -> dict[str, Any] | None:
        """The arguments of a slice in the trace; None if it has none or they cannot be read."""
        slices = profile.tables["slices"]
        packed, size = int(slices["offset"][row]), int(slices["size"][row])
        names = profile.documents.get("traces", ())
        place, offset = place_of(packed)
        if packed < 0 or size <= 0 or place >= len(names):
            return None
        files, _ = self._known(self._now(), (run, path))
        name = names[place]
        if name not in files.files:
            return None
        source = Files({name: 0}, lambda name: self._open(files, name))
        try:
            with source.open(name) as stream:
                return arguments_at(stream, offset, size)
        except (OSError, InsightError):
            return None

    def _now(self) -> _Listed:
        generation = self._data.generation()
        listed = self._listed
        if listed is None or listed.generation != generation:
            found = {(one.run, one.path): one for one in profiles_of(self._data.series(NAME))}
            self._listed = listed = _Listed(generation, found)
        return listed

    def _known(self, listed: _Listed, place: _Place) -> tuple[ProfileFiles, str]:
        """A profile with the sizes of its files, and its key. Raises NotFound for an unknown profile."""
        known = listed.known.get(place)
        if known is None:
            files = listed.files.get(place)
            if files is None:
                raise unknown_profile(*place)
            sized = {
                name: evolve(file, size=self._size_of(SeriesKey(files.run, file.tag), file.wall_time))
                for name, file in files.files.items()
            }
            files = evolve(files, files=sized)
            known = listed.known[place] = files, self._key(files)
        return known

    def _key(self, files: ProfileFiles) -> str:
        parts = {name: (file.tag, file.size, file.wall_time) for name, file in files.files.items()}
        return key_of(self._data.location(), files.run, files.path, described(parts))

    def _reading(
        self, files: ProfileFiles, key: str, cache: Path | None, *, is_urgent: bool
    ) -> ProfileReading:
        place = files.run, files.path
        with self._lock:
            reading = self._readings.get(place)
            is_new = reading is None or reading.is_outdated(key)
            if is_new:
                kept_in = cache if cache is not None and _is_writable(cache) else None
                reading = ProfileReading(files, key, kept_in, reading, self._open, self._is_through)
                self._readings[place] = reading
            assert reading is not None
            self._readings.move_to_end(place)
        if is_new:
            if reading.is_kept():
                with self._lock:
                    self._let_go()
            else:
                self._workers.start(reading, is_urgent=is_urgent)
        elif is_urgent and reading.look().state == "reading":
            self._workers.hurry(reading)
        return reading

    def _is_through(self, reading: ProfileReading) -> None:
        """Keeps the summary of what was read, and now and then makes room."""
        profile, directory = reading.look().profile, reading.directory
        if profile is None:
            return
        if self._summaries.get(reading.key, directory and directory.parent) is None:
            self._summaries.add(reading.key, summary_of(profile))
        with self._lock:
            self._let_go()
        if directory is None:
            return
        size = sum(column.nbytes for table in profile.tables.values() for column in table.values())
        with self._lock:
            self._unchecked += size
            is_due = self._unchecked >= self._most_bytes // _UNCHECKED_SHARE
            if is_due:
                self._unchecked = 0
        if is_due:
            shrink(directory.parent, self._most_bytes, spared=[directory])

    def _size_of(self, key: SeriesKey, wall_time: float) -> int:
        known = self._sizes.get(key)
        if known is None or known[0] != wall_time:
            try:
                sizes = self._data.records(NAME, key).sizes
            except NotFound:  # just gone
                return 0
            known = self._sizes[key] = wall_time, int(sizes[-1]) if len(sizes) else 0
        return known[1]

    def _let_go(self) -> None:
        """Of the longest unused profiles, beyond those whose columns are held at once."""
        held = [
            place
            for place, reading in self._readings.items()
            if (look := reading.look()).state != "reading" and look.profile is not None
        ]
        for place in held[: max(0, len(held) - _MOST_HELD)]:
            del self._readings[place]

    def _open(self, files: ProfileFiles, name: str) -> BinaryIO:
        """One of the files, or the log of a database among them: a writer may have made it since they were
        listed."""
        for ending in () if name in files.files else databases.SIDE_FILES:
            if (plain := name.removesuffix(ending)) in files.files:
                with self._open(files, plain) as database:
                    return databases.side_file(database, ending)
        return self._data.open_payload(NAME, SeriesKey(files.run, files.files[name].tag), 0).file


def _is_writable(directory: Path) -> bool:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(directory, os.W_OK | os.X_OK)


class _RankSummaries:
    """Summaries of ranks in memory, as many as some bytes hold; the others are on disk. For any thread."""

    def __init__(self, memory: int = _SUMMARIES) -> None:
        self._lock = threading.Lock()
        self._held: LRUCache[str, Profile] = LRUCache(memory, getsizeof=_size)

    def get(self, key: str, cache: Path | None) -> Profile | None:
        """The summary of a profile by its key, from memory or from what is kept below ``cache``."""
        with self._lock:
            found: Profile | None = self._held.get(key)
        if found is not None or cache is None:
            return found
        try:
            found = load_summary(cache / key)
        except (OSError, UnusableProfile):  # it will be read again
            return None
        self.add(key, found)
        return found

    def add(self, key: str, summary: Profile) -> None:
        """Holds a summary while there is room."""
        if _size(summary) <= self._held.maxsize:
            with self._lock:
                self._held[key] = summary


def _size(summary: Profile) -> int:
    columns = sum(column.nbytes for table in summary.tables.values() for column in table.values())
    return columns + 4096
