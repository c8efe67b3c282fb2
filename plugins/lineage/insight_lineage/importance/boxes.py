"""Which rows are in which leaves of a tree, and what it predicts with other values of a parameter."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_lineage.importance.forest import Codes, Floats, GrownTree, Mask


@frozen(eq=False)
class Boxes:
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
    def of(cls, tree: GrownTree, codes: Codes, out: Mask) -> Boxes:
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

    def surface(self, one: int, other: int) -> Floats:
        """float64[code, code]: the mean prediction by codes of two parameters, over the others' values."""
        allowed = self.tree.allowed
        weights = self.reached(one, other).mean(axis=1) * self.tree.values
        return np.asarray(
            (allowed[:, one] * weights[:, None]).T @ allowed[:, other].astype(np.float64), np.float64
        )


def together(surface: Floats, first: Floats, second: Floats) -> Floats:
    """What two parameters add together to what each adds, by functional ANOVA; by frequencies of codes."""
    alone, other = surface @ second, first @ surface
    return np.asarray(surface - alone[:, None] - other + first @ alone, np.float64)
