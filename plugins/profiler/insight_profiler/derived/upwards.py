"""Walks from slices to those around them, compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin.lab import NotCompiled

try:
    from insight_profiler.derived import _upwards
except ModuleNotFoundError as error:
    raise NotCompiled("insight_profiler.derived._upwards") from error


def nearest_marked(marked: NDArray[np.bool_], parent: NDArray[np.int32]) -> NDArray[np.int32]:
    """Of each slice the innermost one around it, itself not counted, that is marked; or -1."""
    found: NDArray[np.int32] = _upwards.nearest_marked(marked, parent)
    return found


def summed_upwards(values: NDArray[np.int64], parent: NDArray[np.int32]) -> NDArray[np.int64]:
    """The values of each slice and of all that lie in it, however deep."""
    found: NDArray[np.int64] = _upwards.summed_upwards(values, parent)
    return found
