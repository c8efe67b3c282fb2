"""The order of runs, series of tables, and the error for an unknown series: the same in every provider."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import get_args

from insight_core.plugin import NotFound
from insight_core.plugin.data import Run, SeriesField, SeriesInfo, SeriesKey, SeriesTable

SERIES_FIELDS: tuple[SeriesField, ...] = get_args(SeriesField)  # as SeriesInfo has them after its key


def by_start_time(runs: Iterable[Run]) -> list[Run]:
    """The runs, earliest first; runs without a start time come last, by name."""
    return sorted(runs, key=lambda run: (math.inf if run.start_time is None else run.start_time, run.name))


def series_of_tables(tables: Iterable[SeriesTable]) -> list[SeriesInfo]:
    """The series of tables with all SERIES_FIELDS."""
    return [
        SeriesInfo(SeriesKey(table.run, tag), *values)
        for table in tables
        for tag, *values in zip(table.tags, *map(table.column, SERIES_FIELDS), strict=True)
    ]


def unknown_series(plugin: str, key: SeriesKey) -> NotFound:
    """The error for a key under which the plugin has no records."""
    text = f"plugin {plugin} has no records under {key.tag!r} of run {key.run!r}"
    return NotFound(text, code="unknown_series", run=key.run, tag=key.tag)
