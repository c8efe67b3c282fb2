"""Finds where the speed of a training falls and does not come back."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from insight_diagnose.curves import Floats, StepCurve, median, medians, noise, spread

_PARTS = 60  # a curve is compared by the medians of so many parts: a pause for evaluation is few points
_FEWEST = 120  # points: two for each part
_WARM_UP = 0.1  # of the run: compilation, caches and the loading of data are slower or faster
_LEAST = 0.1  # of the level: smaller falls are usual
_LASTING = 0.1  # of the run, to its end
_TIMES = 4.0  # the noise of parts
_OVERLAP = 0.1  # of the parts on each side that may lie on the other side of the middle


@frozen
class Slowdown:
    """A level that falls at a place (of the curve) to another one, and stays there to the end."""

    at: int
    before: float
    after: float


def slowdown(curve: StepCurve) -> Slowdown | None:
    """The place from which on a speed is lower by a tenth, and by four times its noise, to the end.

    The place is where two levels (medians) fit the medians of 60 parts best, in absolute distances: a change
    point for one step. A speed that falls slowly is divided where the middle of both levels is.
    """
    values = curve.values
    if len(values) < _FEWEST or values.min() < 0:
        return None
    parts = medians(values, _PARTS)
    first = round(_WARM_UP * len(parts))
    least = max(3, round(_LASTING * len(parts)))
    places = range(first + least, len(parts) - least + 1)
    costs = [_distance(parts[first:place]) + _distance(parts[place:]) for place in places]
    place = places[int(np.argmin(costs))]
    earlier, later = parts[first:place], parts[place:]
    before, after = median(earlier), median(later)
    if not after < (1 - _LEAST) * before:
        return None
    # of both sides the smaller spread: a speed that falls slowly has a wide one
    sigma = max(min(spread(earlier), spread(later)), noise(parts[first:]))
    middle = (before + after) / 2
    is_apart = (
        np.count_nonzero(earlier < middle) <= _OVERLAP * len(earlier)
        and np.count_nonzero(later > middle) <= _OVERLAP * len(later)
        and median(parts[-least:]) < middle
    )
    if before - after < _TIMES * sigma or not is_apart:
        return None
    return Slowdown(_first_below(values, middle, round(place * len(values) / len(parts))), before, after)


def _distance(values: Floats) -> float:
    return float(np.abs(values - median(values)).sum())


def _first_below(values: Floats, middle: float, about: int) -> int:
    """The place near ``about`` that has most points above the middle before it, and below it after it."""
    width = max(4, 2 * len(values) // _PARTS)
    low, high = max(0, about - width), min(len(values), about + width)
    signs = np.where(values[low:high] < middle, -1, 1)
    return low + int(np.argmax(np.concatenate([[0], np.cumsum(signs)])))
