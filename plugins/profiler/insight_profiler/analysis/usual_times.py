"""Median and mean duration of calls, without warm-up."""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.analysis.outliers import outliers, warm_up
from insight_profiler.analysis.sums import are_of, nearest_rank, ratio
from insight_profiler.model import Profile

_COLUMNS = {
    "operators": "operator",
    "kernels": "kernel",
}  # of the slices, by the table of which they are rows


@frozen(eq=False)
class UsualTimes:
    """Of the calls of each group: median by nearest rank and mean, ns; -1 and NaN if unknown."""

    median: NDArray[np.int64]
    average: NDArray[np.float64]


def has_steps_of_calls(profile: Profile, table: str = "operators") -> bool:
    """Whether the log says of all ``operators`` or ``kernels`` in which steps their calls were. Of those that
    have only sums nothing would be left in some of the steps."""
    slices, called = profile.tables.get("slices"), profile.tables.get(table)
    if slices is None or called is None or not (slices["step"] >= 0).any():
        return False
    has_slices = np.zeros(len(called["calls"]), bool)
    has_slices[slices[_COLUMNS[table]][slices[_COLUMNS[table]] >= 0]] = True
    return bool(has_slices[called["calls"] > 0].all())


def rows_without_outliers(profile: Profile) -> NDArray[np.intp] | None:
    """Where calls of operators count that are in no outlier step: rows of the other steps, and -1 for between
    the steps. None if nothing is left out: without outliers, or where the log does not say when calls ran."""
    steps = profile.tables.get("steps")
    is_outlier = np.zeros(0, bool) if steps is None else outliers(steps["duration"])
    if not is_outlier.any() or not has_steps_of_calls(profile):
        return None
    return np.append(np.flatnonzero(~is_outlier), -1)


def warm_up_rows(profile: Profile) -> NDArray[np.intp]:
    """Rows of the steps at the beginning that are longer than usual: averages leave them out."""
    steps = profile.tables.get("steps")
    if steps is None or not len(steps["number"]):
        return np.zeros(0, np.intp)
    return np.arange(warm_up(steps["duration"]))


def usual_times(
    profile: Profile, column: str, groups: NDArray[np.intp], count: int, steps: NDArray[np.intp] | None
) -> UsualTimes | None:
    """Times of calls by group, in the chosen steps or, without a choice, outside of warm-up.

    ``groups`` says of each row of the table that ``column`` of the slices names to which group it belongs
    (-1: none). Of a group with calls in warm-up alone these count. None where the log has only sums.
    """
    slices = profile.tables.get("slices")
    if slices is None:
        return None
    rows = np.flatnonzero(slices[column] >= 0)
    rows = rows[groups[slices[column][rows]] >= 0]
    if steps is not None:
        rows = rows[are_of(slices["step"][rows], steps)]
    if not len(rows):
        return None
    owners, durations = groups[slices[column][rows]], slices["duration"][rows]
    if steps is None:
        is_usual = ~are_of(slices["step"][rows], warm_up_rows(profile))
        has_usual = np.bincount(owners[is_usual], minlength=count) > 0
        counted = is_usual | ~has_usual[owners]
        owners, durations = owners[counted], durations[counted]
    sums = np.bincount(owners, durations, count)
    return UsualTimes(
        nearest_rank(durations, owners, count, 0.5), ratio(sums, np.bincount(owners, minlength=count))
    )
