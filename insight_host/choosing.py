"""Chooses runs and tags by name or expression, lists their series, and says how many are read at a time."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from insight_core.plugin.data import Changes, DataProvider, SeriesField, SeriesKey, SeriesTable
from insight_core.plugin.data.tables import chosen_tables, tags_by_run

Chosen: TypeAlias = str | re.Pattern[str] | Collection[str] | None

_AT_ONCE = 2_000_000  # points that a source is asked for at a time


def names_of(chosen: Chosen) -> Collection[str] | None:
    """The names that a source can be asked for; None for all, of which an expression then chooses."""
    if chosen is None or isinstance(chosen, re.Pattern):
        return None
    return [chosen] if isinstance(chosen, str) else list(chosen)


def chosen_of(names: Iterable[str], chosen: Chosen) -> list[str]:
    """Those of the names that are chosen."""
    if isinstance(chosen, re.Pattern):
        return [name for name in names if chosen.search(name)]
    wanted = names_of(chosen)
    return [name for name in names if wanted is None or name in wanted]


def tables_of_chosen(
    provider: DataProvider,
    plugin: str,
    fields: Collection[SeriesField],
    runs: Chosen,
    tags: Chosen,
    changed: Changes | None = None,
) -> list[SeriesTable]:
    """The series of a plugin with these names, or those of them that a change names, by run and tag."""

    def asked(runs: Collection[str] | None, tags: Collection[str] | None) -> Collection[SeriesTable]:
        return provider.series_tables(plugin, fields, runs=runs, tags=tags)

    if changed is None or changed.series is None:
        found = list(asked(names_of(runs), names_of(tags)))
        if isinstance(runs, re.Pattern):
            found = [table for table in found if runs.search(table.run)]
        if isinstance(tags, re.Pattern):
            found = [table.of_tags(chosen_of(table.tags, tags)) for table in found]
    else:
        wanted = tags_by_run(changed.series.get(plugin, ()))
        found = chosen_tables(asked, {run: chosen_of(wanted[run], tags) for run in chosen_of(wanted, runs)})
    return sorted((_by_tag(table) for table in found if table.tags), key=lambda table: table.run)


def _by_tag(table: SeriesTable) -> SeriesTable:
    return table.at(sorted(range(len(table.tags)), key=table.tags.__getitem__))


def batches(keys: Sequence[SeriesKey], sizes: Mapping[SeriesKey, int]) -> Iterator[list[SeriesKey]]:
    """The keys in lists of about as many points as are asked for at a time."""
    batch: list[SeriesKey] = []
    points = 0
    for key in keys:
        if batch and points + sizes[key] > _AT_ONCE:
            yield batch
            batch, points = [], 0
        batch.append(key)
        points += sizes[key]
    if batch:
        yield batch
