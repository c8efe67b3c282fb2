"""All profiles of the logs: discovery, reading in other processes, and caching."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Literal

from attrs import evolve, frozen

from insight_core.plugin import DataProvider, InsightError, NotFound, SeriesKey
from insight_profiler.arguments import arguments_at, place_of
from insight_profiler.claims import NAME
from insight_profiler.discovery import ProfileFiles, profiles_of
from insight_profiler.files import Files
from insight_profiler.model import Note, Profile
from insight_profiler.reading_processes import ReadingProcesses
from insight_profiler.storage import UnusableProfile, described, key_of, load, shrink

_SETTLED = 2.0  # seconds that files must stay as they are before a profile is read again
_AGAIN = 60.0  # seconds after which a profile is tried again whose reader died
_MOST_HELD = 32  # profiles, their columns mapped, with a descriptor each


@frozen(eq=False)
class Look:
    """A profile as it is known now. ``read`` and ``total`` are bytes of its files; ``version`` grows whenever
    ``profile`` changes."""

    files: ProfileFiles
    state: Literal["reading", "ready", "failed"] = "reading"
    read: int = 0
    total: int = 0
    profile: Profile | None = None
    version: int = 0
    failure: Note | None = None


def unknown_profile(run: str, path: str) -> NotFound:
    """The error for a profile that the logs do not have."""
    text = f"run {run!r} has no profile {path}".rstrip()
    return NotFound(text, code="profiler_unknown", run=run, path=path)


class Profiles:
    """All profiles that a data provider has. For any thread."""

    def __init__(self, data: DataProvider, processes: ReadingProcesses | None = None) -> None:
        self._data = data
        self._processes = processes or ReadingProcesses()
        self._lock = threading.Lock()
        self._readings: OrderedDict[tuple[str, str], _Reading] = OrderedDict()
        self._listed: tuple[int, list[ProfileFiles]] | None = None
        self._sizes: dict[SeriesKey, tuple[float, int]] = {}  # by wall time

    def close(self) -> None:
        """Ends the processes that read."""
        self._processes.close()

    def listing(self, runs: Collection[str] | None = None) -> list[ProfileFiles]:
        """Those of some runs, or of all, with the sizes of their files."""
        chosen = None if runs is None else set(runs)
        return [
            self._with_sizes(profile) for profile in self._all() if chosen is None or profile.run in chosen
        ]

    def look(self, run: str, path: str, cache: Path | None) -> Look:
        """A profile as it is now; the first look has it read. What is read is kept below ``cache``;
        without, or where that cannot be written, as long as it is among the profiles looked at last.

        Raises NotFound for an unknown profile.
        """
        files = self._find(run, path)
        parts = {name: (file.tag, file.size, file.wall_time) for name, file in files.files.items()}
        key = key_of(self._data.location(), run, path, described(parts))
        with self._lock:
            reading = self._readings.get((run, path))
            if reading is None or reading.is_outdated(key):
                kept_in = cache if cache is not None and _is_writable(cache) else None
                reading = _Reading(self._data, files, key, kept_in, reading)
                self._readings[run, path] = reading
                is_new = True
            else:
                is_new = False
            self._readings.move_to_end((run, path))
            self._let_go()
        if is_new and not reading.is_kept():
            self._processes.read(reading)
        return reading.look()

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
        files = self._find(run, path)
        name = names[place]
        if name not in files.files:
            return None
        source = Files({name: 0}, lambda name: _open(self._data, files, name))
        try:
            with source.open(name) as stream:
                return arguments_at(stream, offset, size)
        except (OSError, InsightError):
            return None

    def _all(self) -> list[ProfileFiles]:
        generation = self._data.generation()
        listed = self._listed
        if listed is None or listed[0] != generation:
            self._listed = listed = generation, profiles_of(self._data.series(NAME))
        return listed[1]

    def _find(self, run: str, path: str) -> ProfileFiles:
        for profile in self._all():
            if (profile.run, profile.path) == (run, path):
                return self._with_sizes(profile)
        raise unknown_profile(run, path)

    def _with_sizes(self, profile: ProfileFiles) -> ProfileFiles:
        return evolve(
            profile,
            files={
                name: evolve(file, size=self._size_of(SeriesKey(profile.run, file.tag), file.wall_time))
                for name, file in profile.files.items()
            },
        )

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
        """Of the longest unused profiles, beyond what is held at once."""
        for place in list(self._readings):
            if len(self._readings) <= _MOST_HELD:
                return
            if self._readings[place].look().state != "reading":
                del self._readings[place]


class _Reading:
    """One profile, of files as they were at one time."""

    def __init__(
        self,
        data: DataProvider,
        files: ProfileFiles,
        key: str,
        cache: Path | None,
        before: _Reading | None,
    ) -> None:
        self._data = data
        self._key = key
        self._cache = cache
        # while it is read: for looks, and where nothing is kept for all of it, until it is mapped
        self._own: Path | None = None
        self._lock = threading.Lock()
        self._changed_to: tuple[str, float] | None = None  # a key, and since when
        self._ended = 0.0
        # what was there before is shown until there is something newer
        old = before.look() if before is not None else Look(files)
        total = sum(file.size for file in files.files.values())
        self._look = Look(files, total=total, profile=old.profile, version=old.version)

    def look(self) -> Look:
        return self._look

    def is_outdated(self, key: str) -> bool:
        """Whether the files have changed and stayed so for a while, or a reader that died should have
        another try."""
        with self._lock:
            if self._look.state == "reading":
                return False
            now = time.monotonic()
            if key == self._key:
                self._changed_to = None
                failure = self._look.failure
                died = failure is not None and failure.code in ("reader_died", "out_of_memory")
                return died and now - self._ended > _AGAIN
            if self._changed_to is None or self._changed_to[0] != key:
                self._changed_to = key, now
            return now - self._changed_to[1] > _SETTLED

    def is_kept(self) -> bool:
        """Whether it was read before, and is there at once."""
        if self._cache is None:
            return False
        try:
            profile = load(self._cache / self._key)
        except OSError:
            return False
        except UnusableProfile:
            shutil.rmtree(self._cache / self._key, ignore_errors=True)
            return False
        self._shows(profile, state="ready")
        return True

    def _shows(self, profile: Profile | None, **changes: Any) -> None:  # noqa: ANN401 - fields of Look
        with self._lock:
            if profile is not None:
                changes |= {"profile": profile, "version": self._look.version + 1}
            if changes.get("state", "reading") != "reading":
                changes["read"] = self._look.total
                self._ended = time.monotonic()
            self._look = evolve(self._look, **changes)
        if self._own is not None and self._look.state != "reading":
            shutil.rmtree(self._own, ignore_errors=True)  # what is mapped stays

    # --- as an order to a reading process ---------------------------------------------------------

    def begin(self) -> Mapping[str, object]:
        files = self._look.files
        self._own = Path(tempfile.mkdtemp(prefix="insight-host-profile-"))
        return {
            "source": files.source,
            "files": {name: file.size for name, file in files.files.items()},
            "rank": files.rank,
            "worker": files.name,
            "directory": str((self._cache or self._own) / self._key),
            "looks": str(self._own),
        }

    def open(self, name: str) -> BinaryIO:
        return _open(self._data, self._look.files, name)

    def has_sent(self, count: int) -> None:
        self._shows(None, read=min(self._look.total, self._look.read + count))

    def has_look(self, directory: Path) -> None:
        with suppress(UnusableProfile, OSError):
            self._shows(load(directory, is_new=True))
        shutil.rmtree(directory, ignore_errors=True)  # what is mapped stays

    def is_done(self, directory: Path) -> None:
        try:
            profile = load(directory, is_new=True)
        except (UnusableProfile, OSError) as error:
            self.has_failed(
                Note("not_kept", {"reason": str(error)}, f"what was read cannot be loaded: {error}")
            )
            return
        self._shows(profile, state="ready")
        if self._cache is not None:
            shrink(self._cache, spared=[directory])

    def has_failed(self, note: Note) -> None:
        self._shows(None, state="failed", failure=note)


def _is_writable(directory: Path) -> bool:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(directory, os.W_OK | os.X_OK)


def _open(data: DataProvider, files: ProfileFiles, name: str) -> BinaryIO:
    return data.open_payload(NAME, SeriesKey(files.run, files.files[name].tag), 0).file
