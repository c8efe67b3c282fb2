"""A row of figures for each scalar series, to compare runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from insight_core.plugin import ScalarColumns, SeriesKey
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
    keys, rows = [], []
    for key, columns in found:
        keys.append(key)
        rows.append(_figures(columns))
    return LogTable(
        {
            "run": texts([key.run for key in keys]),
            "tag": texts([key.tag for key in keys]),
            **{name: numbers([row.get(name) for row in rows], dtype) for name, dtype in _NUMBERS.items()},
        }
    )


def _figures(columns: ScalarColumns) -> dict[str, Any]:
    values = columns.values.astype(np.float64)
    finite = np.flatnonzero(np.isfinite(values))
    found: dict[str, Any] = {"points": len(values), "nonfinite": len(values) - len(finite)}
    if len(values):
        found |= {"first": values[0], "last": values[-1]}
    if len(finite):
        low, high = (finite[search(values[finite])] for search in (np.argmin, np.argmax))
        found |= {"min": values[low], "min_step": columns.steps[low], "mean": values[finite].mean()}
        found |= {"max": values[high], "max_step": columns.steps[high]}
    return found
