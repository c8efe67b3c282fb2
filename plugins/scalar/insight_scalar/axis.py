"""The x axis of the points of an answer."""

from __future__ import annotations

import numpy as np

from insight_core.plugin.data import ScalarColumns, ScalarQuery
from insight_scalar.along import narrowed
from insight_scalar.derived import x_of


def points_since(columns: ScalarColumns, query: ScalarQuery, since: float | None) -> ScalarColumns:
    """The same answer without its points before x = ``since``; None keeps them all."""
    if since is None:
        return columns
    kept = np.flatnonzero(x_of(columns, query).astype(np.float64, copy=False) >= since)
    return narrowed(columns, kept)
