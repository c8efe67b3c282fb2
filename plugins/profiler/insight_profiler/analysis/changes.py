"""Finds the step since which times of ranks or links are longer than before, by medians."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

LEAST_STEPS = 3  # before a change, and after it: fewer tell nothing of chance
_CHANCE = 0.01  # about, that noise alone makes one of the rows change

_LASTING = 0.9  # of the steps are on their side of the change

Matrix = NDArray[np.float64]


def rising_since(ratios: Matrix) -> NDArray[np.intp]:
    """intp[rows]: the column of [rows, steps] from which on a row is larger than before; 0 where none is.

    The column is the one whose split explains most of the variance (the cumulative sum of the deviations,
    E. S. Page, "Continuous inspection schemes", Biometrika 41, 1954), after a running median of three, which
    keeps steps and drops single spikes. The medians before and after must differ by more than chance
    explains, and nearly all steps must be on their side: a row that is large now and then has not changed.
    """
    rows, steps = ratios.shape
    since = np.zeros(rows, np.intp)
    if steps < 2 * LEAST_STEPS or not rows:
        return since
    smooth = _running_median(ratios)
    places = np.arange(1, steps)
    sums = np.cumsum(smooth - smooth.mean(axis=1, keepdims=True), axis=1)[:, :-1]
    weight = np.abs(sums) * np.sqrt(steps / (places * (steps - places)))
    weight[:, : LEAST_STEPS - 1] = weight[:, steps - LEAST_STEPS :] = -1
    at = weight.argmax(axis=1) + 1
    is_after = np.arange(steps) >= at[:, None]
    before, after = _medians(ratios, ~is_after), _medians(ratios, is_after)
    is_high = ratios > (before + after)[:, None] / 2
    lasts = _share(is_high, is_after) - _share(is_high, ~is_after) >= 2 * _LASTING - 1
    errors = np.sqrt(1 / at + 1 / (steps - at))
    chosen = _CHANCE / (rows * steps)
    is_rise = lasts & (after - before > margin(ratios, chosen) * errors)
    since[is_rise] = at[is_rise]
    return since


def margin(ratios: Matrix, chance: float) -> float:
    """By how much a median of one column may differ from another by chance; divided by the root of the number
    of columns, that of their median.

    It is ``z`` standard errors of a median (1.2533 sigma). Sigma is the median of the absolute changes from
    column to column divided by 0.9539, which is 0.6745 sqrt(2) (P. J. Rousseeuw and C. Croux, "Alternatives
    to the Median Absolute Deviation", JASA 88, 1993): a lasting change does not count.
    """
    rows, steps = ratios.shape
    sigma = float(np.median(np.abs(np.diff(ratios, axis=1)))) / 0.9539
    few = 1 + 4 / (rows * (steps - 1))  # sigma itself is uncertain, as in Student's t
    return float(NormalDist().inv_cdf(1 - chance) * 1.2533 * sigma * few)


def _running_median(values: Matrix) -> Matrix:
    """[rows, steps]: the median of each value and its two neighbours; of the first and the last their own."""
    found = values.copy()
    around = np.stack((values[:, :-2], values[:, 1:-1], values[:, 2:]))
    found[:, 1:-1] = np.median(around, axis=0)
    return found


def _share(is_so: NDArray[np.bool_], chosen: NDArray[np.bool_]) -> Matrix:
    found: Matrix = (is_so & chosen).sum(axis=1) / chosen.sum(axis=1)
    return found


def _medians(values: Matrix, chosen: NDArray[np.bool_]) -> Matrix:
    found: Matrix = np.nanmedian(np.where(chosen, values, np.nan), axis=1)
    return found
