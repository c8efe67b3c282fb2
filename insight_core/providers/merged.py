"""Combines several providers into one."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from attrs import evolve

from insight_core.formats.reason import Reason
from insight_core.plugin import (
    Damage,
    DataProvider,
    Plugin,
    Progress,
    Run,
    ScalarColumns,
    ScalarQuery,
    SeriesField,
    SeriesInfo,
    SeriesKey,
    SeriesTable,
    united_tables,
)
from insight_core.providers.conventions import by_start_time, unknown_series
from insight_core.providers.followed import FollowedProvider
from insight_core.providers.forwarding import StartableProvider, forwarded

_EVERY_POINT = ScalarQuery()


class MergedProvider(FollowedProvider):
    """Runs, series and damage of all parts. Raises an error if any part raises it.

    A run may be in several parts; a series belongs to the first part that has it. Series of the same tag in
    other parts cannot be shown and are listed as damage of the run.
    """

    def __init__(self, parts: Sequence[StartableProvider]) -> None:
        self._parts = tuple(parts)
        super().__init__(parts, [("merged-follower", self._following(part)) for part in parts])

    def admit(self, plugin: Plugin) -> None:
        """Adds a plugin to all parts after the start."""
        for part in self._parts:
            part.admit(plugin)

    def plugins(self) -> Collection[str]:
        """Names of plugins that have series, and claims of values that no plugin claims."""
        return {name for part in self._parts for name in part.plugins()}

    def runs(self) -> Sequence[Run]:
        """All runs."""
        merged: dict[str, Run] = {}
        shared: set[str] = set()
        for run in (run for part in self._parts for run in part.runs()):
            if run.name in merged:
                shared.add(run.name)
                run = _both(merged[run.name], run)
            merged[run.name] = run
        for damage in self._covered(shared):
            merged[damage.run] = evolve(merged[damage.run], damage=merged[damage.run].damage + 1)
        return by_start_time(merged.values())

    def series(
        self, plugin: str, *, runs: Collection[str] | None = None, tags: Collection[str] | None = None
    ) -> Sequence[SeriesInfo]:
        """The series of a plugin without their data: all, or those of the given runs and tags."""
        found: dict[SeriesKey, SeriesInfo] = {}
        for part in self._parts:
            for info in part.series(plugin, runs=runs, tags=tags):
                found.setdefault(info.key, info)
        return list(found.values())

    def series_tables(
        self,
        plugin: str,
        fields: Collection[SeriesField],
        *,
        runs: Collection[str] | None = None,
        tags: Collection[str] | None = None,
    ) -> Sequence[SeriesTable]:
        """The series of a plugin as one table for each run, with these fields."""
        parts = (part.series_tables(plugin, fields, runs=runs, tags=tags) for part in self._parts)
        return united_tables(itertools.chain.from_iterable(parts))

    def scalars(
        self, plugin: str, keys: Collection[SeriesKey], query: ScalarQuery = _EVERY_POINT
    ) -> Mapping[SeriesKey, ScalarColumns]:
        """Points of scalar series, reduced by the query. Keys without a series are omitted."""
        found: dict[SeriesKey, ScalarColumns] = {}
        for part in self._parts:
            left = [key for key in keys if key not in found]
            if left:
                found.update(part.scalars(plugin, left, query))
        return {key: found[key] for key in keys if key in found}

    records = forwarded(DataProvider.records)
    payload = forwarded(DataProvider.payload)
    open_payload = forwarded(DataProvider.open_payload)

    def provider_for(self, plugin: str, key: SeriesKey, *_: object, **__: object) -> StartableProvider:
        """The first part that has the series; raises NotFound if none has."""
        for part in self._parts:
            if part.series_tables(plugin, (), runs=[key.run], tags=[key.tag]):
                return part
        raise unknown_series(plugin, key)

    def damage(self, run: str | None = None) -> Sequence[Damage]:
        """Places where logs could not be read, of one run or of all runs."""
        found = [entry for part in self._parts for entry in part.damage(run)]
        counted = Counter(found.name for part in self._parts for found in part.runs())
        covered = self._covered([name for name in counted if counted[name] > 1 and run in (None, name)])
        return sorted(found + covered, key=lambda d: (d.run, d.file, d.offset))

    def progress(self) -> Progress:
        """Bytes read of all known bytes."""
        parts = [part.progress() for part in self._parts]
        return Progress(
            sum(part.bytes_read for part in parts),
            sum(part.bytes_total for part in parts),
            all(part.loaded_once for part in parts),
        )

    def location(self) -> str:
        """The source of the data, as shown to the user."""
        return ",".join(dict.fromkeys(part.location() for part in self._parts))

    def _covered(self, runs: Collection[str]) -> list[Damage]:
        """Series of these runs that an earlier part has under the same tag."""
        seen: set[tuple[str, SeriesKey]] = set()
        covered = []
        for part in self._parts if runs else ():
            here = {
                (name, SeriesKey(table.run, tag))
                for name in part.plugins()
                for table in part.series_tables(name, (), runs=runs)
                for tag in table.tags
            }
            for plugin, key in sorted(here & seen, key=str):
                text = f"{key.tag!r} of {plugin} is in logs of two kinds: only that of the first is shown"
                reason = Reason(text, "tag_covered", tag=key.tag, plugin=plugin)
                covered.append(Damage(key.run, "", 0, reason))
            seen |= here
        return covered


def _both(one: Run, other: Run) -> Run:
    starts = [run.start_time for run in (one, other) if run.start_time is not None]
    return Run(
        one.name,
        tuple(sorted({*one.dialects, *other.dialects})),
        min(starts, default=None),
        one.loading or other.loading,
        one.damage + other.damage,
    )
