"""Finds outlier steps and warm-up steps."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_LIMIT = 3.5  # of the modified z-score
_LEAST = 0.1  # of the median: where steps hardly differ, a smaller difference is of no interest


def outliers(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Values whose modified z-score is above 3.5 and that are at least a tenth of the median away from it.

    The modified z-score is ``0.6745 (x - median) / MAD``, where MAD is the median of the absolute deviations
    from the median; the limit of 3.5 is that of its authors (B. Iglewicz and D. C. Hoaglin, "How to Detect
    and Handle Outliers", ASQC, 1993; NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.5.17). Where MAD is
    0, because at least half of the values are the same, it is ``(x - median) / (1.253314 * mean absolute
    deviation)``, as in IBM SPSS. Negative values are unknown: they neither count nor are outliers. Of fewer
    than three values none is an outlier.
    """
    known = values >= 0
    found = np.zeros(len(values), bool)
    if known.sum() < 3:
        return found
    numbers = values[known].astype(np.float64)
    median = float(np.median(numbers))
    away = np.abs(numbers - median)
    typical = float(np.median(away)) / 0.6745 or 1.253314 * float(away.mean())
    if typical > 0:
        found[known] = (away / typical > _LIMIT) & (away >= _LEAST * median)
    return found


def warm_up(durations: NDArray[Any]) -> int:
    """How many steps at the beginning are outliers that are longer than the median."""
    usual = np.flatnonzero(~(outliers(durations) & (durations > (median_of(durations) or 0))))
    return int(usual[0]) if len(usual) else 0


def median_of(values: NDArray[Any]) -> int | None:
    """The median of the known values by nearest rank: of an even number the lower of the middle two."""
    known = np.sort(values[values >= 0])
    return int(known[(len(known) - 1) // 2]) if len(known) else None


def middle_of(values: NDArray[Any]) -> int | None:
    """The median of the known values, of an even number between the middle two: of the four steps that traces
    usually have, either of these may be far from their time."""
    known = values[values >= 0]
    return round(float(np.median(known))) if len(known) else None
