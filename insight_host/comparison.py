"""A row of figures for each scalar series, to compare runs."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from insight_core.plugin.data import ScalarColumns, SeriesFigures, SeriesKey, figures_of
from insight_host.tables import LogTable, numbers, texts

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
