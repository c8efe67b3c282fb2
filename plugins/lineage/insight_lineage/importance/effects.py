"""What a forest says of each parameter: its share of the variance, its marginal curve, and interactions.

The share is the permutation importance over rows that a tree was not grown from (Breiman 2001), as a share
of the variance: for independent parameters half the error that a permutation adds is the total effect
(Gregorutti, Michel, Saint-Pierre, Statistics and Computing 27, 2017). The mean over all permutations is
computed, not drawn. Marginals and interactions are those of functional ANOVA (Hutter, Hoos, Leyton-Brown,
ICML 2014).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_lineage.importance.forest import Codes, Design, Floats, GrownTree, Mask, grown

_TREES = 64
_DRAWS = 2000  # rows of a tree, at most
_READ = 400  # rows that the forest is read at, at most: each costs a pass through all leaves
_LEAST = 3  # rows of a leaf
_LEAVES = 100  # of a tree of many rows
_PAIRED = 5  # parameters whose interactions are looked for
_LEAST_PAIRED = 0.01  # share of a parameter whose interactions are looked for


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
    """What two parameters explain together beyond each of them."""

    first: int
    second: int
    gain: Share


@frozen(eq=False)
class Effects:
    """``explained`` is the share of the variance that the forest predicts of rows it was not grown from."""

    explained: Share
    effects: Sequence[Effect]
    interactions: Sequence[Interaction]


def effects_of(design: Design, *, seed: int = 0) -> Effects:
    """Grows a forest and reads it. The target must vary."""
    rows, parameters = design.codes.shape
    draws = min(rows, _DRAWS)
    least = max(_LEAST, draws // _LEAVES)
    forest = list(grown(design, trees=_TREES, least=least, draws=draws, seed=seed))
    read = np.sort(np.random.default_rng(seed).permutation(rows)[:_READ])
    boxes = [_Boxes.of(tree, design.codes[read], ~tree.drawn[read]) for tree in forest]
    frequencies = np.stack([np.bincount(codes, minlength=design.bins) / rows for codes in design.codes.T])
    reading = _Reading.of(boxes, design.target[read], frequencies)
    effects = [reading.effect(parameter) for parameter in range(parameters)]
    strong = [one for one in range(parameters) if effects[one].total.share >= _LEAST_PAIRED]
    paired = sorted(sorted(strong, key=lambda one: -effects[one].total.share)[:_PAIRED])
    return Effects(reading.explained, effects, reading.interactions(boxes, list(combinations(paired, 2))))


def _share(parts: Floats, variance: float) -> Share:
    """The mean of what each row adds, with its standard error."""
    error = parts.std(ddof=1) / np.sqrt(len(parts)) if len(parts) > 1 else np.inf
    return Share(float(parts.mean() / variance), float(error / variance))


@frozen(eq=False)
class _Boxes:
    """Which rows are in which leaves of a tree.

    ``outside`` uint8[leaf, row] counts the parameters that keep a row out, ``out`` bool[row] are the rows
    that the tree was not grown from, ``mean`` is that of the predictions.
    """

    tree: GrownTree
    codes: Codes
    out: Mask
    used: Sequence[int]  # parameters that the tree splits
    outside: NDArray[np.uint8]
    predicted: Floats
    mean: float

    @classmethod
    def of(cls, tree: GrownTree, codes: Codes, out: Mask) -> _Boxes:
        used = np.flatnonzero(~tree.allowed.all(axis=(0, 2))).tolist()
        outside = np.zeros((len(tree.values), len(codes)), np.uint8)
        for parameter in used:
            outside += ~tree.allowed[:, parameter][:, codes[:, parameter]]
        predicted = tree.values @ (outside == 0)
        return cls(tree, codes, out, used, outside, predicted, float(predicted.mean()))

    def reached(self, *parameters: int) -> Mask:
        """bool[leaf, row]: the row is in the leaf for some values of these parameters."""
        hidden = np.zeros_like(self.outside)
        for parameter in parameters:
            hidden += ~self.tree.allowed[:, parameter][:, self.codes[:, parameter]]
        return np.asarray(self.outside == hidden, np.bool_)

    def surface(self, one: int, other: int, frequencies: Floats) -> Floats:
        """float64[code, code]: what two parameters add together to what each adds, by functional ANOVA."""
        allowed = self.tree.allowed
        weights = self.reached(one, other).mean(axis=1) * self.tree.values
        whole = (allowed[:, one] * weights[:, None]).T @ allowed[:, other].astype(np.float64)
        first, second = whole @ frequencies[other], frequencies[one] @ whole
        return np.asarray(whole - first[:, None] - second + frequencies[one] @ first, np.float64)


@frozen(eq=False)
class _Reading:
    """Means over the trees that were not grown from a row; deviations from the mean of the target.

    ``moved`` float64[parameter, row, code] is the prediction with another code of one parameter, ``alone``
    float64[row, parameter] the marginal effect at the row, ``curves`` float64[tree, parameter, code].
    """

    target: Floats
    predicted: Floats
    moved: Floats
    alone: Floats
    curves: Floats
    counts: Floats
    frequencies: Floats
    variance: float

    @classmethod
    def of(cls, forest: Sequence[_Boxes], target: Floats, frequencies: Floats) -> _Reading:
        rows, (parameters, bins) = len(target), frequencies.shape
        center = float(target.mean())
        predicted, counts = np.zeros(rows), np.zeros(rows)
        moved = np.zeros((parameters, rows, bins), np.float32)
        alone = np.zeros((rows, parameters))
        curves = np.zeros((len(forest), parameters, bins))
        for number, boxes in enumerate(forest):
            out, tree = boxes.out, boxes.tree
            own = boxes.predicted[out] - center
            counts += out
            predicted[out] += own
            curves[number] = boxes.mean
            moved[:, out] += own[:, None].astype(np.float32)
            for parameter in boxes.used:
                reached = boxes.reached(parameter)
                values = tree.allowed[:, parameter] * tree.values[:, None]
                curve = reached.mean(axis=1) @ values
                curves[number, parameter] = curve
                alone[out, parameter] += curve[boxes.codes[out, parameter]] - boxes.mean
                there = reached[:, out].T.astype(np.float32) @ values.astype(np.float32)
                moved[parameter, out] += there - (own + center)[:, None].astype(np.float32)
        scale = np.maximum(counts, 1)
        deviations = target - center
        return cls(
            deviations,
            predicted / scale,
            moved / scale[:, None],
            alone / scale[:, None],
            curves,
            counts,
            frequencies,
            float(deviations[counts > 0].var()),
        )

    @property
    def explained(self) -> Share:
        """The share of the variance that is predicted."""
        return self._gain(self.target, self.predicted)

    def effect(self, parameter: int) -> Effect:
        """What a parameter does."""
        errors = (self.target - self.predicted) ** 2
        permuted = ((self.target[:, None] - self.moved[parameter]) ** 2) @ self.frequencies[parameter]
        curves = self.curves[:, parameter]
        total = _share((permuted - errors)[self.counts > 0] / 2, self.variance)
        alone = self._gain(self.target, self.alone[:, parameter])
        return Effect(total, alone, curves.mean(axis=0), curves.std(axis=0))

    def interactions(self, forest: Sequence[_Boxes], pairs: Sequence[tuple[int, int]]) -> list[Interaction]:
        """What each pair explains beyond its two parameters, the largest first."""
        added = {pair: np.zeros(len(self.target)) for pair in pairs}
        for boxes in forest:
            for pair in pairs:
                surface = boxes.surface(*pair, self.frequencies)
                codes = boxes.codes[boxes.out][:, pair]
                added[pair][boxes.out] += surface[codes[:, 0], codes[:, 1]]
        found = []
        for (one, other), sums in added.items():
            rest = self.target - self.alone[:, one] - self.alone[:, other]
            found.append(Interaction(one, other, self._gain(rest, sums / np.maximum(self.counts, 1))))
        return sorted(found, key=lambda pair: -pair.gain.share)

    def _gain(self, rest: Floats, predicted: Floats) -> Share:
        """How much smaller the squares are with a prediction."""
        return _share((rest**2 - (rest - predicted) ** 2)[self.counts > 0], self.variance)
