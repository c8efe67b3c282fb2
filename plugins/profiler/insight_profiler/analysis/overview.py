"""The overview of a profile."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_profiler.analysis.compare_summary import timeline
from insight_profiler.analysis.compared_steps import compared_steps
from insight_profiler.analysis.listing import Wanted
from insight_profiler.analysis.memory import peak
from insight_profiler.analysis.operators import OPERATOR, grouped, sides_of
from insight_profiler.analysis.outliers import outliers
from insight_profiler.analysis.steps import division_of, of_rows, summary, usual_rows
from insight_profiler.analysis.usual_times import rows_without_outliers
from insight_profiler.derived.steps import exclusive_times
from insight_profiler.model import Category, Profile

OVERVIEW = "overview"  # a document
_MOST_STEPS = 200
_BIGGEST = 10


def overview(profile: Profile, rows: NDArray[np.intp] | None = None) -> dict[str, Any]:
    """Steps, what time was spent on, the biggest operators of each side, the peak of memory.

    ``rows`` are those of the steps that count; without them shares and operators leave out outlier steps.
    ``step_rows`` and the peak are of all, and so are the operators of a profile that does not say when each
    of them ran. ``outliers`` are numbers in ``step_rows``; ``biggest_without_outliers`` says whether calls of
    operators are left out.
    """
    steps = profile.tables.get("steps")
    answer: dict[str, Any] = {
        "steps": None,
        "step_rows": None,
        "outliers": [],
        "shares": shares(profile, rows),
        "covered": covered(profile),
        "biggest": {},
        "biggest_without_outliers": False,
        "memory": peak(profile),
    }
    if steps is not None and len(steps["number"]):
        said = summary(of_rows(steps, rows))
        answer["steps"] = said and {"origin": profile.step_origin, **said}
        drawn = np.unique(np.linspace(0, len(steps["number"]) - 1, _MOST_STEPS).astype(np.intp))
        names = ["number", "duration", *division_of(steps)]
        answer["step_rows"] = {
            name: [None if value < 0 and name != "number" else value for value in steps[name][drawn].tolist()]
            for name in dict.fromkeys(names)
        }
        answer["outliers"] = steps["number"][drawn][outliers(steps["duration"])[drawn]].tolist()
    usual = rows_without_outliers(profile) if rows is None else None
    answer["biggest_without_outliers"] = usual is not None
    counted = usual if rows is None or "slices" not in profile.tables else rows
    for side in sides_of(profile):
        listing = grouped(profile, OPERATOR, side, counted).listing
        wanted = Wanted(sort=_ranking(listing.columns["self"].values), limit=_BIGGEST)
        answer["biggest"][side.name.lower()] = listing.page(listing.matching(wanted), wanted)
    return answer


def first_overview(profile: Profile) -> dict[str, Any]:
    """The overview of all steps, with the ``step`` that is nearest to the median; as it is kept with the
    profile, or made now."""
    kept: dict[str, Any] | None = profile.documents.get(OVERVIEW)
    return kept or {**overview(profile), "step": timeline(compared_steps(profile, None), None)}


def shares(profile: Profile, rows: NDArray[np.intp] | None = None) -> list[dict[str, Any]]:
    """How the time of some rows of steps divides, without ``rows`` that of all steps but outliers, by the
    most telling way that the log knows; without steps how that of the whole profile does."""
    steps = profile.tables.get("steps")
    if steps is not None and len(steps["number"]):
        counted = of_rows(steps, usual_rows(steps) if rows is None else rows)
        times = {name: int(counted[name].clip(0).sum()) for name in division_of(steps)}
    else:
        times = _whole(profile)
    whole = sum(times.values())
    return [
        {"category": name, "time": time, "share": time / whole if whole else None}
        for name, time in times.items()
    ]


def covered(profile: Profile) -> int:
    """The time that a profile spans (ns). Where nothing tells when steps began, they may have taken longer
    than all that has a place on the timeline."""
    steps = profile.tables.get("steps")
    unplaced = 0 if steps is None else int(steps["duration"][steps["start"] < 0].clip(0).sum())
    return max(profile.duration_ns, unplaced)


def _whole(profile: Profile) -> dict[str, int]:
    """What the time of a profile was spent on, each moment counted once."""
    slices = profile.tables.get("slices")
    if slices is None:
        return {}
    rows = np.flatnonzero(slices["category"] != Category.OTHER)
    if not len(rows):
        return {}
    found = exclusive_times(
        slices["category"][rows],
        slices["start"][rows],
        slices["duration"][rows],
        np.array([0]),
        np.array([profile.duration_ns]),
    )
    return {name: int(times[0]) for name, times in found.items() if times[0] > 0}


def _ranking(own: np.ndarray[Any, Any]) -> str:
    return "self" if (own >= 0).any() else "total"
