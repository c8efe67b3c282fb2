"""Tables with a row for each series: what was written, and figures of scalars to compare runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from insight_core.plugin.data import (
    ScalarColumns,
    SeriesField,
    SeriesFigures,
    SeriesKey,
    SeriesTable,
    figures_of,
)
from insight_host.tables import LogTable, numbers, texts

LISTED: Mapping[SeriesField, type[np.generic]] = {  # the columns of ``series_table``, with their types
    "points": np.int64,
    "kept": np.int64,
    "first_step": np.int64,
    "last_step": np.int64,
    "last_value": np.float64,
    "last_wall_time": np.float64,
    "attempts": np.int64,
}
_NUMBERS: dict[str, type[np.generic]] = {
    "points": np.int64,
    "nonfinite": np.int64,
    "first": np.float64,
    "last": np.float64,
    "min": np.float64,
    "min_step": np.int64,
    "max": np.float64,
    "max_step": np.int64,
    "mean": np.float64,
}


def series_table(found: Sequence[tuple[str, SeriesTable]]) -> LogTable:
    """See ``Logs.series``: the series of these plugins, of tables with the fields LISTED."""
    return LogTable(
        {
            "plugin": texts([plugin for plugin, table in found for _ in table.tags]),
            "run": texts([table.run for _, table in found for _ in table.tags]),
            "tag": texts([tag for _, table in found for tag in table.tags]),
            **{
                field: numbers([value for _, table in found for value in table.column(field)], dtype)
                for field, dtype in LISTED.items()
            },
        }
    )


def compared(found: Iterable[tuple[SeriesKey, ScalarColumns]]) -> LogTable:
    """See ``Logs.compare``. Series without points have no figures."""
    keys: list[SeriesKey] = []
    rows: list[SeriesFigures] = []
    for key, columns in found:
        keys.append(key)
        rows.append(figures_of(columns))
    return LogTable(
        {
            "run": texts([key.run for key in keys]),
            "tag": texts([key.tag for key in keys]),
            **{
                name: numbers([getattr(row, name) for row in rows], dtype) for name, dtype in _NUMBERS.items()
            },
        }
    )
