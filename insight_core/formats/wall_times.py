"""Wall times as writers record them: the origin of a series, and times that are not in seconds."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from insight_record.formats.reason import Reason, ReasonKind

LATEST = 1e11  # seconds since the epoch, year 5138; the same number of milliseconds is in 1973
_FIRST = 1e9  # seconds, September 2001: a number that would be an earlier time in a unit is not one in it
_UNITS = (("ms", 1e3), ("µs", 1e6), ("ns", 1e9))  # and how many are in a second
_WALL_TIMES_UNIT = ReasonKind(
    "wall_times_unit",
    "wall times are in {unit} instead of seconds: start, duration and status are converted, axes of time "
    "are not",
)


def origin_of(wall_times: NDArray[np.float64]) -> float:
    """The wall time from which relative time counts: the first finite one, or NaN; 0 without points."""
    if not len(wall_times):
        return 0.0
    if np.isfinite(wall_times[0]):
        return float(wall_times[0])
    finite = np.isfinite(wall_times)
    return float(wall_times[np.argmax(finite)]) if finite.any() else float("nan")


def in_seconds(wall_times: ArrayLike) -> NDArray[np.float64]:
    """Wall times in seconds since the epoch; milli-, micro- and nanoseconds are recognised by their size.

    NaN for all that are not times after 1970, of other units after 2001.
    """
    given = np.asarray(wall_times, np.float64)
    found = np.where((given > 0) & (given < LATEST), given, np.nan)
    for _, count in _UNITS:
        found = np.where((given >= _FIRST * count) & (given < LATEST * count), given / count, found)
    return found


def unit_problem(wall_time: float) -> Reason:
    """What is wrong with a wall time from ``LATEST`` on."""
    for unit, count in _UNITS:
        if _FIRST * count <= wall_time < LATEST * count:
            return _WALL_TIMES_UNIT(unit=unit)
    return Reason("wall times are not times since 1970: start and duration are unknown", "wall_times_unknown")


def earliest(start_times: Iterable[float]) -> float | None:
    """Returns the earliest of some wall times, in seconds since the epoch; None if no time is known."""
    given = list(start_times)
    first = min(given, default=None)
    if first is None or first < LATEST:
        return first
    return min(filter(math.isfinite, in_seconds(given).tolist()), default=None)


def latest(wall_times: ArrayLike, until: float) -> float | None:
    """Returns the latest wall time up to ``until``, in seconds since the epoch; None if no time is known."""
    given = in_seconds(wall_times)
    found = given[given <= until]
    return float(found.max()) if len(found) else None
