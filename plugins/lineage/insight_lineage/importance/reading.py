"""What a forest says of rows that its trees were not grown from."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np
from attrs import evolve, frozen

from insight_lineage.importance.forest import Boxes, Codes, Design, Floats, GrownTree, grown, together


@frozen
class Size:
    """``draws`` rows for each of ``trees``, at least ``least`` in a leaf."""

    trees: int
    draws: int
    least: int


@frozen(eq=False)
class ForestReading:
    """Means over the trees that were not grown from a row; deviations from the mean of the target.

    ``moved`` float32[parameter, row, code] is the prediction with another code of one parameter, ``alone``
    float64[row, parameter] the marginal effect at the row, ``curves`` float64[tree, parameter, code] the
    marginal effect in units of the target. ``counts`` float64[row] says how many trees a row was out of.
    """

    predicted: Floats
    moved: Floats
    alone: Floats
    curves: Floats
    counts: Floats
    forests: Sequence[Sequence[Boxes]]

    @classmethod
    def of(cls, forest: Sequence[Boxes], target: Floats) -> ForestReading:
        """Of the rows that the boxes are of; ``target`` is theirs."""
        codes, bins = forest[0].codes, forest[0].tree.allowed.shape[2]
        rows, parameters = codes.shape
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
                alone[out, parameter] += curve[codes[out, parameter]] - boxes.mean
                there = reached[:, out].T.astype(np.float32) @ values.astype(np.float32)
                moved[parameter, out] += there - (own + center)[:, None].astype(np.float32)
        scale = np.maximum(counts, 1)
        return cls(
            predicted / scale, moved / scale[:, None], alone / scale[:, None], curves, counts, (forest,)
        )

    @property
    def codes(self) -> Codes:
        """int[row, parameter]: of the rows."""
        return self.forests[0][0].codes

    def whole(self, trees: int) -> ForestReading:
        """What so many trees of each forest predict for all rows, also those that they were grown from."""
        nowhere, everywhere = np.zeros(len(self.counts)), np.ones(len(self.counts), np.bool_)
        parts = [
            ForestReading.of([evolve(boxes, out=everywhere) for boxes in forest[:trees]], nowhere)
            for forest in self.forests
        ]
        return reduce(ForestReading.plus, parts)

    def plus(self, other: ForestReading) -> ForestReading:
        """Of the sum of both forests, of the same rows."""
        return ForestReading(
            self.predicted + other.predicted,
            self.moved + other.moved,
            self.alone + other.alone,
            self.curves + other.curves,
            np.minimum(self.counts, other.counts),
            (*self.forests, *other.forests),
        )

    def surface(self, one: int, other: int, frequencies: Floats) -> tuple[Floats, Floats]:
        """Of two parameters: float64[code, code] the mean prediction; float64[row] their interaction."""
        whole, added = np.zeros(self.moved.shape[2:] * 2), np.zeros(len(self.counts))
        for forest in self.forests:
            sums, counts = np.zeros(len(self.counts)), np.zeros(len(self.counts))
            for boxes in forest:
                surface = boxes.surface(one, other)
                beyond = together(surface, frequencies[one], frequencies[other])
                whole += surface / len(forest)
                sums[boxes.out] += beyond[boxes.codes[boxes.out, one], boxes.codes[boxes.out, other]]
                counts += boxes.out
            added += sums / np.maximum(counts, 1)
        return whole, added


def read_twice(design: Design, rows: Codes, size: Size, seed: int) -> tuple[ForestReading, ForestReading]:
    """Reads a forest at some rows; and it together with a second one, of what it leaves of the target.

    Each row counts for the trees that were not grown from it.
    """
    first, trees = _read(design, rows, size, seed)
    second, _ = _read(evolve(design, target=design.target - _predicted(trees, design)), rows, size, seed + 1)
    return first, first.plus(second)


def _read(design: Design, rows: Codes, size: Size, seed: int) -> tuple[ForestReading, Sequence[GrownTree]]:
    trees = list(grown(design, trees=size.trees, least=size.least, draws=size.draws, seed=seed))
    forest = [Boxes.of(tree, design.codes[rows], ~tree.drawn[rows]) for tree in trees]
    return ForestReading.of(forest, design.target[rows]), trees


def _predicted(trees: Sequence[GrownTree], design: Design) -> Floats:
    sums, counts = np.zeros(len(design.target)), np.zeros(len(design.target))
    for tree in trees:
        out = ~tree.drawn
        sums[out] += Boxes.of(tree, design.codes[out], out[out]).predicted
        counts += out
    return np.where(counts > 0, sums / np.maximum(counts, 1), design.target.mean())
