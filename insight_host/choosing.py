"""Chooses runs and tags by name or expression, and how many series are read at a time."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from insight_core.plugin.data import SeriesKey, SeriesTable

Chosen: TypeAlias = str | re.Pattern[str] | Collection[str] | None

_AT_ONCE = 2_000_000  # points that a source is asked for at a time


def by_tag(table: SeriesTable) -> SeriesTable:
    """The table in the order of tags."""
    return table.at(sorted(range(len(table.tags)), key=table.tags.__getitem__))


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
