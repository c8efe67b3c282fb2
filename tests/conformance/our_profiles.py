"""Profiles below a directory as this host reads them, their texts in the place of places."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import insight_profiler
import numpy as np
from attrs import frozen
from insight_profiler.building import Building
from insight_profiler.files import Files
from insight_profiler.model import Profile, Source
from insight_profiler.profiles.discovery import ProfileFiles, profiles_of
from insight_profiler.reading import READERS

from insight_core.ingest.logdir import Logdir
from insight_core.plugin import PluginNameEnum
from insight_core.providers.local import LocalProvider

_TEXTS = (
    "name",
    "type",
    "scope",
    "shapes",
    "information",
    "core",
    "stream",
    "grid",
    "block",
    "kind",
    "queue",
)


@frozen(eq=False)
class ReadProfile:
    """One profile, and rows of its tables as dictionaries."""

    profile: Profile

    def text(self, place: int) -> str:
        return self.profile.texts[place] if place >= 0 else ""

    def rows(self, table: str) -> list[dict[str, Any]]:
        found = self.profile.tables.get(table, {})
        names = list(found)
        rows = [
            dict(zip(names, row, strict=True))
            for row in zip(*(found[name].tolist() for name in names), strict=True)
        ]
        for row in rows:
            for name in _TEXTS:
                if name in row and (table, name) != ("links", "source"):
                    row[name] = self.text(row[name])
        return rows

    def operators(self) -> dict[str, dict[str, Any]]:
        """By full name."""
        return {"/".join(filter(None, (row["scope"], row["name"]))): row for row in self.rows("operators")}

    def by_type(self) -> dict[str, tuple[int, int]]:
        """Calls and time of each type of operators."""
        found: dict[str, tuple[int, int]] = {}
        for row in self.rows("operators"):
            calls, total = found.get(row["type"], (0, 0))
            found[row["type"]] = calls + row["calls"], total + row["total"]
        return found

    def column(self, table: str, name: str) -> np.ndarray[Any, np.dtype[Any]]:
        return self.profile.tables[table][name]


def read_profiles(logdir: Path) -> dict[str, ReadProfile]:
    """By run and path, ``run:path``. Raises Unreadable."""
    provider = LocalProvider([Logdir(str(logdir))], [insight_profiler.insight_plugin()], reload_interval=0)
    try:
        provider.load()
        listed = profiles_of(provider.series(PluginNameEnum.PROFILER))
    finally:
        provider.close()
    return {f"{one.run}:{one.path}": ReadProfile(read_one(logdir, one)) for one in _known(listed)}


def _known(listed: list[ProfileFiles]) -> Iterator[ProfileFiles]:
    yield from (one for one in listed if one.source in READERS)


def read_one(logdir: Path, files: ProfileFiles) -> Profile:
    place = logdir / files.run / files.path.partition("#")[0]
    directory = place if place.is_dir() else place.parent
    return read_files(Files.of_directory(directory, *files.files), files.source, files.rank)


def read_files(files: Files, source: Source, rank: int = -1) -> Profile:
    """In this process, which the host does in one of its own. Raises Unreadable."""
    building = Building(source)
    building.rank = rank
    READERS[source](files, building)
    return building.finish()


def read_directory(directory: Path, source: Source, rank: int = -1) -> ReadProfile:
    """All files below a directory as one profile."""
    return ReadProfile(read_files(Files.of_directory(directory), source, rank))
