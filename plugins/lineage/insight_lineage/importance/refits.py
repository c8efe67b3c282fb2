"""How far shares are off, by targets whose shares are known: those that a forest predicts, and its errors.

The parametric bootstrap (Efron, Tibshirani, An Introduction to the Bootstrap, 1993, chapters 6 and 10).
"""

from __future__ import annotations

import numpy as np
from attrs import evolve, frozen

from insight_lineage.importance.forest import Design, Floats
from insight_lineage.importance.reading import ForestReading, Size, read_twice
from insight_lineage.importance.shares import Shares

_TIMES = 4
_TREES = 16  # of a forest


@frozen(eq=False)
class Misses:
    """By parameter how much a share is too small on average, and the standard deviation of that."""

    missed: Floats
    spread: Floats


def misses_of(design: Design, reading: ForestReading, frequencies: Floats, size: Size, seed: int) -> Misses:
    """``reading`` is of all rows of the design."""
    random = np.random.default_rng(seed)
    size = evolve(size, trees=_TREES)
    rows = np.arange(len(design.target))
    rest = (design.target - design.target.mean() - reading.predicted)[reading.counts > 0]
    function = reading.whole(_TREES)
    known = _squares(function, frequencies)
    missed = []
    for time in range(_TIMES):
        target = function.predicted + random.choice(rest - rest.mean(), len(rows))
        _, found = read_twice(evolve(design, target=target), rows, size, seed + 2 * time)
        shares = Shares(target - target.mean(), frequencies)
        estimated = [shares.total(found, parameter).share for parameter in range(len(frequencies))]
        missed.append(known / target.var() - estimated)
    return Misses(np.mean(missed, axis=0), np.std(missed, axis=0, ddof=1))


def _squares(function: ForestReading, frequencies: Floats) -> Floats:
    """By parameter half the mean square of the change when other rows give its value."""
    changes = function.moved - function.predicted[None, :, None].astype(np.float32)
    return np.asarray(np.einsum("prc,pc->p", changes**2, frequencies) / (2 * len(function.predicted)))
