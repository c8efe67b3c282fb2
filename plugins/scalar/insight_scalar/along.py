"""Points along a metric: x is the value of another series at the same step."""

from __future__ import annotations

import attrs
import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin.data import ScalarColumns

_Places = NDArray[np.intp]


@frozen(eq=False)
class AlongColumns(ScalarColumns):
    """Scalars with an x of their own for each point, in the order of steps."""

    xs: NDArray[np.float64] = attrs.field(kw_only=True)

    @property
    def is_path(self) -> bool:
        """Whether x goes back within an attempt."""
        falls = np.flatnonzero(np.diff(self.xs) < 0) + 1
        return bool(np.setdiff1d(falls, self.breaks).size)


def joined(columns: ScalarColumns, axis: ScalarColumns | None) -> AlongColumns:
    """The points at whose steps ``axis`` has a finite value; none without an axis.

    The steps of ``axis`` increase.
    """
    steps = np.zeros(0, np.int64) if axis is None else axis.steps
    values = np.zeros(0) if axis is None else axis.values.astype(np.float64, copy=False)
    places = np.searchsorted(steps, columns.steps)
    is_kept = places < len(steps)
    is_kept[is_kept] = steps[places[is_kept]] == columns.steps[is_kept]
    is_kept[is_kept] = np.isfinite(values[places[is_kept]])
    kept = np.flatnonzero(is_kept)
    chosen = narrowed(columns, kept)
    known = {field.name: getattr(chosen, field.name) for field in attrs.fields(ScalarColumns)}
    counts = {"points": len(kept), "total": len(kept), "hidden": 0, "purged": 0, "kept": len(kept)}
    return AlongColumns(**(known | counts), xs=values[places[kept]])


def narrowed(columns: ScalarColumns, kept: _Places) -> ScalarColumns:
    """Only the points at these indices, which increase."""
    chosen = attrs.evolve(
        columns,
        steps=columns.steps[kept],
        wall_times=columns.wall_times[kept],
        values=columns.values[kept],
        breaks=np.searchsorted(kept, columns.breaks).astype(np.int64, copy=False),
    )
    return attrs.evolve(chosen, xs=chosen.xs[kept]) if isinstance(chosen, AlongColumns) else chosen


def in_view(inside: NDArray[np.bool_]) -> tuple[_Places, _Places]:
    """Indices of the points of a path inside the window, or next to one; and indices where a line begins."""
    near = inside.copy()
    near[1:] |= inside[:-1]
    near[:-1] |= inside[1:]
    chosen = np.flatnonzero(near)
    return chosen, chosen[1:][np.diff(chosen) > 1]
