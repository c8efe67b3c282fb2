"""The x axis of the points of an answer."""

from __future__ import annotations

import numpy as np
from attrs import evolve

from insight_core.plugin import ScalarColumns, ScalarQuery
from insight_scalar.derived import x_of


def points_since(columns: ScalarColumns, query: ScalarQuery, since: float | None) -> ScalarColumns:
    """The same answer without its points before x = ``since``; None keeps them all."""
    if since is None:
        return columns
    kept = np.flatnonzero(x_of(columns, query).astype(np.float64, copy=False) >= since)
    return evolve(
        columns,
        steps=columns.steps[kept],
        wall_times=columns.wall_times[kept],
        values=columns.values[kept],
        breaks=np.searchsorted(kept, columns.breaks).astype(np.int64, copy=False),
    )
