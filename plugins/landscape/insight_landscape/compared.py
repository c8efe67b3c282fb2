"""Flatness of several landscapes by the same measures, the flattest first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from attrs import asdict

from insight_landscape.flatness import Flatness, flatness_of, reach_of, rise_at
from insight_landscape.landscape import Landscape
from insight_landscape.quadratic import ROUNDING

_SHARE = 0.5  # of the smallest reach: the radius that is used unless one is given
_PART = 0.5  # of the smallest rise: the epsilon that is used unless one is given
_PART_OF_RANGE = 0.05  # of the smallest range of losses: the epsilon where the loss rises around no end
_MEASURES = (
    *("loss", "rise", "worst", "area", "curvature", "wide_curvature", "minimum", "rounding"),
    "normalised",
)


def compared_flatness(
    landscapes: Mapping[str, tuple[str, Landscape]], radius: float | None, epsilon: float | None
) -> dict[str, Any]:
    """``landscapes`` by run, with their ids: the flattest minimum first, then those without a minimum.

    A run whose rise is not known comes last. ``tie``: the grid, and the rounding of losses, do not tell a
    minimum from the one before.

    All share the radius and epsilon: by default half of the radius that every grid has around the end, and
    half of the smallest rise there, so that the area of the flattest is within its grid. Only rises
    above their error and above rounding count. Where there are none, as where training ended on a slope
    everywhere, epsilon is a twentieth of the smallest range of losses.
    """
    shown = [landscape for _, landscape in landscapes.values() if np.isfinite(landscape.z).any()]
    reach = _least_reach(shown)
    if radius is None:
        radius = _SHARE * reach
    if epsilon is None:
        epsilon = _usual_epsilon(shown, radius)
    runs = [_listed(run, name, flatness_of(one, radius, epsilon)) for run, (name, one) in landscapes.items()]
    runs.sort(key=_rank)
    for before, one in zip([None, *runs], runs, strict=False):
        one["tie"] = before is not None and _is_tie(before, one)
    return {"radius": radius, "reach": reach, "epsilon": epsilon, "runs": runs}


def usual_radius(landscapes: Iterable[Landscape]) -> float:
    """Half of the radius that every grid has around the end; 0 where none has one."""
    return _SHARE * _least_reach(landscapes)


def _least_reach(landscapes: Iterable[Landscape]) -> float:
    return min((size for size in map(reach_of, landscapes) if size > 0), default=0.0)


def _usual_epsilon(shown: list[Landscape], radius: float) -> float:
    ranges = [float(np.ptp(one.z[np.isfinite(one.z)])) for one in shown]
    rises = [
        found.value
        for one, size in zip(shown, ranges, strict=True)
        if (found := rise_at(one, radius)) is not None
        and found.value > max(ROUNDING * size, found.error or 0.0)
    ]
    return _PART * min(rises) if rises else _PART_OF_RANGE * min(ranges, default=0.0)


def _rank(one: Mapping[str, Any]) -> tuple[int, float]:
    if not one["rise"]:
        return 2, 0.0
    return (0, one["rise"]["value"]) if _is_minimum(one) else (1, 0.0)


def _is_minimum(one: Mapping[str, Any]) -> bool:
    return one["minimum"] is None or one["minimum"]["kind"] == "minimum"


def _is_tie(before: Mapping[str, Any], one: Mapping[str, Any]) -> bool:
    """Whether the rises of two minima are within what both may be off."""
    if not (before["rise"] and one["rise"] and _is_minimum(before) and _is_minimum(one)):
        return False
    room = sum((side["rise"]["error"] or 0.0) + 2 * side["rounding"] for side in (before, one))
    return bool(one["rise"]["value"] - before["rise"]["value"] <= room)


def _listed(run: str, name: str, found: Flatness | None) -> dict[str, Any]:
    fields = dict.fromkeys(_MEASURES) if found is None else {one: asdict(found)[one] for one in _MEASURES}
    return {"run": run, "id": name, **fields}
