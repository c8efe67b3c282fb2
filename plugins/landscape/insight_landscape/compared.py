"""Flatness of several landscapes by the same measures, the flattest first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import asdict

from insight_landscape.flatness import ROUNDING, Flatness, flatness_of, reach_of, rise_at
from insight_landscape.landscape import Landscape

_SHARE = 0.5  # of the smallest reach: the radius that is used unless one is given
_PART = 0.5  # of the smallest rise: the epsilon that is used unless one is given
_PART_OF_RANGE = 0.05  # of the smallest range of losses: the epsilon where the loss rises around no end


def compared_flatness(
    landscapes: Mapping[str, tuple[str, Landscape]], radius: float | None, epsilon: float | None
) -> dict[str, Any]:
    """``landscapes`` by run, with their ids. Runs whose rise is not known come last.

    All share the radius and epsilon: by default half of the radius that every grid has around the end, and
    half of the smallest rise there, so that the area of the flattest is within its grid. Only rises
    above their error and above rounding count. Where there are none, as where training ended on a slope
    everywhere, epsilon is a twentieth of the smallest range of losses.
    """
    shown = [landscape for _, landscape in landscapes.values() if np.isfinite(landscape.z).any()]
    reach = min((size for size in map(reach_of, shown) if size > 0), default=0.0)
    if radius is None:
        radius = _SHARE * reach
    if epsilon is None:
        epsilon = _usual_epsilon(shown, radius)
    runs = [_listed(run, name, flatness_of(one, radius, epsilon)) for run, (name, one) in landscapes.items()]
    runs.sort(key=lambda one: one["rise"]["value"] if one["rise"] else float("inf"))
    return {"radius": radius, "reach": reach, "epsilon": epsilon, "runs": runs}


def _usual_epsilon(shown: list[Landscape], radius: float) -> float:
    ranges = [float(np.ptp(one.z[np.isfinite(one.z)])) for one in shown]
    rises = [
        found.value
        for one, size in zip(shown, ranges, strict=True)
        if (found := rise_at(one, radius)) is not None
        and found.value > max(ROUNDING * size, found.error or 0.0)
    ]
    return _PART * min(rises) if rises else _PART_OF_RANGE * min(ranges, default=0.0)


def _listed(run: str, name: str, found: Flatness | None) -> dict[str, Any]:
    measures = ("loss", "rise", "worst", "area", "curvature", "normalised")
    fields = dict.fromkeys(measures) if found is None else {one: asdict(found)[one] for one in measures}
    return {"run": run, "id": name, **fields}
