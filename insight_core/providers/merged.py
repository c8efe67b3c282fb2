"""Combines several providers into one."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TypeVar

from attrs import evolve

from insight_core.plugin import Plugin, Unavailable
from insight_core.plugin.data import (
    Damage,
    DataProvider,
    Progress,
    Run,
    RunFile,
    ScalarColumns,
    ScalarQuery,
    SeriesField,
    SeriesInfo,
    SeriesKey,
    SeriesTable,
    united_tables,
)
from insight_core.providers.common import (
    DirectoryReader,
    StartableProvider,
    by_start_time,
    forwarded,
    unknown_series,
)
from insight_core.providers.followed import FollowedProvider
from insight_record.formats.reason import Reason, ReasonKind

_EVERY_POINT = ScalarQuery()

Answer = TypeVar("Answer")
_SOURCE_AWAY = ReasonKind("source_away", "{source} is away, and its runs are missing here: {cause}")
_TAG_COVERED = ReasonKind(
    "tag_covered", "{tag!r} of {plugin} is in logs of two kinds: only that of the first is shown"
)


class MergedProvider(FollowedProvider):
    """Runs, series and damage of all parts. Raises an error if any part raises it.

    A run may be in several parts; a series belongs to the first part that has it. Series of the same tag in
    other parts cannot be shown and are listed as damage of the run.

    Parameters
    ----------
    parts : sequence of StartableProvider
        They are started and closed with this provider.
    names : sequence of str, optional
        One for each part, for the user. Parts with names may be away: the others answer without them, and
        ``notices`` says which runs are missing. Raises Unavailable while all are away.
    """

    def __init__(self, parts: Sequence[StartableProvider], names: Sequence[str] = ()) -> None:
        self._parts = tuple(parts)
        self._names = tuple(names)
        self._away: dict[int, Unavailable] = {}  # parts by number, as of the last question
        self._told: set[int] = set()  # parts that were away once
        super().__init__(parts, [("merged-follower", self._following(part)) for part in parts])

    def admit(self, plugin: Plugin) -> None:
        """Adds a plugin to all parts after the start."""
        for part in self._parts:
            part.admit(plugin)

    def plugins(self) -> Collection[str]:
        """Names of plugins that have series, and claims of values that no plugin claims."""
        return {name for names in self._answers(lambda part: part.plugins()) for name in names}

    def runs(self) -> Sequence[Run]:
        """All runs."""
        merged: dict[str, Run] = {}
        shared: set[str] = set()
        for run in itertools.chain.from_iterable(self._answers(lambda part: part.runs())):
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
        for infos in self._answers(lambda part: part.series(plugin, runs=runs, tags=tags)):
            for info in infos:
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
        parts = self._answers(lambda part: part.series_tables(plugin, fields, runs=runs, tags=tags))
        return united_tables(itertools.chain.from_iterable(parts))

    def scalars(
        self, plugin: str, keys: Collection[SeriesKey], query: ScalarQuery = _EVERY_POINT
    ) -> Mapping[SeriesKey, ScalarColumns]:
        """Points of scalar series, reduced by the query. Keys without a series are omitted."""
        found: dict[SeriesKey, ScalarColumns] = {}

        def asked(part: StartableProvider) -> Mapping[SeriesKey, ScalarColumns]:
            left = [key for key in keys if key not in found]
            return part.scalars(plugin, left, query) if left else {}

        for columns in self._answers(asked):
            found.update(columns)
        return {key: found[key] for key in keys if key in found}

    records = forwarded(DataProvider.records)
    payload = forwarded(DataProvider.payload)
    open_payload = forwarded(DataProvider.open_payload)
    payload_places = forwarded(DataProvider.payload_places)

    def provider_for(self, plugin: str, key: SeriesKey, *_: object, **__: object) -> StartableProvider:
        """The first part that has the series.

        Raises NotFound if none has it, Unavailable if a part that is away may have it.
        """

        def asked(part: StartableProvider) -> StartableProvider | None:
            return part if part.series_tables(plugin, (), runs=[key.run], tags=[key.tag]) else None

        for part in self._answers(asked):
            if part is not None:
                return part
        for cause in list(self._away.values()):
            raise cause
        raise unknown_series(plugin, key)

    def notices(self) -> Sequence[Reason]:
        """A text for each part that is away, and the notices of the others."""
        away = [
            _SOURCE_AWAY(source=self._names[number], cause=Reason.of(cause))
            for number, cause in sorted(self._away.items())
        ]
        present = [part for number, part in enumerate(self._parts) if number not in self._away]
        return list(
            dict.fromkeys([*away, *itertools.chain.from_iterable(part.notices() for part in present)])
        )

    def unread_files(self) -> Mapping[str, int]:
        """Files that nothing reads, by what they hold, of the parts that are logs of this machine."""
        found: Counter[str] = Counter()
        for part in self._parts:
            if isinstance(part, DirectoryReader):
                found.update(part.unread_files())
        return found

    def run_files(self) -> Sequence[RunFile] | None:
        """Every file of every run; None if one of the parts does not have them."""
        found: list[RunFile] = []
        for files in self._answers(lambda part: part.run_files()):
            if files is None:
                return None
            found += files
        return found

    def damage(self, run: str | None = None) -> Sequence[Damage]:
        """Places where logs could not be read, of one run or of all runs."""
        found = [entry for entries in self._answers(lambda part: part.damage(run)) for entry in entries]
        counted = Counter(found.name for runs in self._answers(lambda part: part.runs()) for found in runs)
        covered = self._covered([name for name in counted if counted[name] > 1 and run in (None, name)])
        return sorted(found + covered, key=lambda d: (d.run, d.file, d.offset))

    def progress(self) -> Progress:
        """Bytes read of all known bytes."""
        parts = list(self._answers(lambda part: part.progress()))
        return Progress(
            sum(part.bytes_read for part in parts),
            sum(part.bytes_total for part in parts),
            all(part.loaded_once for part in parts),
        )

    def location(self) -> str:
        """The source of the data, as shown to the user."""
        return ",".join(self._names or dict.fromkeys(part.location() for part in self._parts))

    def _covered(self, runs: Collection[str]) -> list[Damage]:
        """Series of these runs that an earlier part has under the same tag."""
        seen: set[tuple[str, SeriesKey]] = set()
        covered = []
        for here in self._answers(lambda part: _series_of(part, runs)) if runs else ():
            for plugin, key in sorted(here & seen, key=str):
                reason = _TAG_COVERED(tag=key.tag, plugin=plugin)
                covered.append(Damage(key.run, "", 0, reason))
            seen |= here
        return covered

    def _answers(self, ask: Callable[[StartableProvider], Answer]) -> Iterator[Answer]:
        """What the parts answer, one after the other; those that are away only count if all are."""
        away: dict[int, Unavailable] = {}
        for number, part in enumerate(self._parts):
            try:
                answer = ask(part)
            except Unavailable as error:
                if not self._names:
                    raise
                self._away[number] = away[number] = error
                if number not in self._told:  # the page asks for notices with the run table
                    self._told.add(number)
                    self._base_log.note({}, runs=True)
            else:
                self._away.pop(number, None)
                yield answer
        if away and len(away) == len(self._parts):
            raise next(iter(away.values()))


def _series_of(part: DataProvider, runs: Collection[str]) -> set[tuple[str, SeriesKey]]:
    return {
        (name, SeriesKey(table.run, tag))
        for name in part.plugins()
        for table in part.series_tables(name, (), runs=runs)
        for tag in table.tags
    }


def _both(one: Run, other: Run) -> Run:
    starts = [run.start_time for run in (one, other) if run.start_time is not None]
    return Run(
        one.name,
        tuple(sorted({*one.dialects, *other.dialects})),
        min(starts, default=None),
        one.loading or other.loading,
        one.damage + other.damage,
    )
