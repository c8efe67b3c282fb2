"""What a forest says of each parameter: its share of the variance, its marginal curve, and interactions.

The share is the permutation importance over rows that a tree was not grown from (Breiman 2001), as a share
of the variance: for independent parameters half the error that a permutation adds is the total effect
(Gregorutti, Michel, Saint-Pierre, Statistics and Computing 27, 2017). The mean over all permutations is
computed, not drawn. Marginals and interactions are those of functional ANOVA (Hutter, Hoos, Leyton-Brown,
ICML 2014).

A forest shrinks weak effects. So a second forest predicts what the first leaves of rows that its trees were
not grown from, and shares and curves are those of both together (Ghosal, Hooker, Boosting random forests to
reduce bias, Journal of Computational and Graphical Statistics 30, 2021).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from attrs import evolve, frozen

from insight_lineage.importance.forest import Design, Floats
from insight_lineage.importance.reading import ForestReading, Size, read

_TREES = 64
_DRAWS = 2000  # rows of a tree, at most
_READ = 400  # rows that the forest is read at, at most: each costs a pass through all leaves
_LEAST = 3  # rows of a leaf
_LEAVES = 100  # of a tree of many rows
_PAIRED = 5  # parameters whose interactions are looked for
_LEAST_PAIRED = 0.01  # share of a parameter whose interactions are looked for
_MOST = 4000  # rows, at most: of more a sample
# Trees share rows: 1 - 1/e of all are in one (Nadeau, Bengio, Inference for the generalization error, 2003).
_SHARED = float(np.sqrt(1 / (1 - np.exp(-1))))


@frozen
class Share:
    """A share of the variance of the target, with the standard error over the rows."""

    share: float
    error: float


@frozen(eq=False)
class Effect:
    """``total`` includes interactions, ``alone`` does not.

    ``curve`` is the mean of the target by code of the parameter, over the values that the others have in the
    rows, ``spread`` its standard deviation between the trees.
    """

    total: Share
    alone: Share
    curve: Floats
    spread: Floats


@frozen
class Interaction:
    """What two parameters explain together beyond each of them.

    ``surface`` float64[code, code] is the mean of the target, over the values that the others have.
    """

    first: int
    second: int
    gain: Share
    surface: Floats


@frozen(eq=False)
class Effects:
    """``explained`` is the share of the variance that the forest predicts of rows it was not grown from."""

    explained: Share
    effects: Sequence[Effect]
    interactions: Sequence[Interaction]


def effects_of(design: Design, *, seed: int = 0) -> Effects:
    """Grows a forest and reads it. The target must vary."""
    random = np.random.default_rng(seed)
    if len(design.target) > _MOST:
        design = design.part(np.sort(random.permutation(len(design.target))[:_MOST]))
    rows, parameters = design.codes.shape
    draws = min(rows, _DRAWS)
    size = Size(_TREES, draws, max(_LEAST, draws // _LEAVES))
    places = np.sort(random.permutation(rows)[:_READ])
    plain, rest = read(design, places, size, seed)
    second, _ = read(evolve(design, target=rest), places, size, seed + 1)
    both = plain.plus(second)
    frequencies = np.stack([np.bincount(codes, minlength=design.bins) / rows for codes in design.codes.T])
    target = design.target[places] - design.target[places].mean()
    seen = _Seen(target, frequencies)
    explained = max(seen.explained(plain), seen.explained(both), key=lambda one: one.share)
    effects = [seen.effect(both, parameter) for parameter in range(parameters)]
    strong = [one for one in range(parameters) if effects[one].total.share >= _LEAST_PAIRED]
    paired = sorted(sorted(strong, key=lambda one: -effects[one].total.share)[:_PAIRED])
    return Effects(explained, effects, seen.interactions(both, list(combinations(paired, 2))))


def _share(parts: Floats, variance: float) -> Share:
    """The mean of what each row adds, with its standard error."""
    error = parts.std(ddof=1) / np.sqrt(len(parts)) if len(parts) > 1 else np.inf
    return Share(float(parts.mean() / variance), float(error / variance))


@frozen(eq=False)
class _Seen:
    """The ``target`` of the rows that a forest is read at, as deviations from its mean."""

    target: Floats
    frequencies: Floats

    def explained(self, reading: ForestReading) -> Share:
        """The share of the variance that is predicted."""
        return self._gain(reading, self.target, reading.predicted)

    def effect(self, reading: ForestReading, parameter: int) -> Effect:
        """What a parameter does."""
        errors = (self.target - reading.predicted) ** 2
        moved = (self.target[:, None] - reading.moved[parameter]) ** 2
        added = (moved @ self.frequencies[parameter] - errors)[reading.counts > 0] / 2
        total = _share(added, self._variance(reading))
        alone = self._gain(reading, self.target, reading.alone[:, parameter])
        curves = reading.curves[:, parameter]
        return Effect(
            evolve(total, error=_SHARED * total.error), alone, curves.mean(axis=0), curves.std(axis=0)
        )

    def interactions(self, reading: ForestReading, pairs: Sequence[tuple[int, int]]) -> list[Interaction]:
        """What each pair explains beyond its two parameters, the largest first."""
        found = []
        for one, other in pairs:
            surface, added = reading.surface(one, other, self.frequencies)
            rest = self.target - reading.alone[:, one] - reading.alone[:, other]
            found.append(Interaction(one, other, self._gain(reading, rest, added), surface))
        return sorted(found, key=lambda pair: -pair.gain.share)

    def _gain(self, reading: ForestReading, rest: Floats, predicted: Floats) -> Share:
        """How much smaller the squares are with a prediction."""
        gains = (rest**2 - (rest - predicted) ** 2)[reading.counts > 0]
        return _share(gains, self._variance(reading))

    def _variance(self, reading: ForestReading) -> float:
        return float(self.target[reading.counts > 0].var())
