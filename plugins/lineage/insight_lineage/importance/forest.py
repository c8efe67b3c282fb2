"""A random forest of regression trees over binned parameters, with its leaves as boxes.

Breiman, Random Forests, Machine Learning 45, 2001. A split of categories is by the mean of the target in
each, which gives the best split in two sets (Fisher 1958; Breiman et al., CART, 1984, section 9.4).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.intp]
Mask: TypeAlias = NDArray[np.bool_]
_CELLS = 4_000_000  # of the sums of one level: some trees are grown together within it


@frozen(eq=False)
class GrownTree:
    """A tree as its leaves: a row is in the leaf whose ``allowed`` has all of its codes.

    ``allowed`` is bool[leaf, parameter, code], ``values`` float64[leaf] the mean of the target there,
    ``drawn`` bool[row] the rows that the tree was grown from.
    """

    allowed: Mask
    values: Floats
    drawn: Mask


@frozen(eq=False)
class Design:
    """Rows that a forest is grown from: int[row, parameter] ``codes`` below ``bins``.

    Codes of a parameter that ``is_category`` have no order.
    """

    codes: Codes
    target: Floats
    is_category: Mask
    bins: int

    def part(self, rows: Codes) -> Design:
        """Some of the rows."""
        return Design(self.codes[rows], self.target[rows], self.is_category, self.bins)


def grown(design: Design, *, trees: int, least: int, draws: int, seed: int) -> Iterator[GrownTree]:
    """Trees, each of ``draws`` rows drawn with replacement and of leaves with at least ``least`` of them."""
    rows, parameters = design.codes.shape
    random = np.random.default_rng(seed)
    nodes = max(1, draws // least)
    together = max(1, _CELLS // (nodes * parameters * design.bins))
    for begin in range(0, trees, together):
        count = min(together, trees - begin)
        weights = np.stack(
            [np.bincount(random.integers(0, rows, draws), minlength=rows) for _ in range(count)]
        )
        yield from _grown_together(design, weights, least)


def _grown_together(design: Design, weights: NDArray[np.intp], least: int) -> Iterator[GrownTree]:
    """Level by level; ``weights`` says how often each tree drew each row."""
    trees, parameters = len(weights), design.codes.shape[1]
    tree_of, row_of = np.nonzero(weights)  # one for each drawn row of each tree
    weight = weights[tree_of, row_of].astype(np.float64)
    node_of = tree_of.copy()
    owner = np.arange(trees)  # the tree of each node
    allowed = np.ones((trees, parameters, design.bins), np.bool_)
    leaves: list[tuple[Codes, Mask, Floats]] = []
    while len(owner):
        sums = _Sums.of(design, node_of, row_of, weight, len(owner))
        feature, left = sums.splits(design.is_category, least)
        ends = feature < 0
        leaves.append((owner[ends], allowed[ends], sums.means[ends]))
        parents = np.flatnonzero(~ends)
        number = np.full(len(owner), -1)
        number[parents] = np.arange(len(parents))
        goes_on = number[node_of] >= 0
        node_of, row_of, weight = node_of[goes_on], row_of[goes_on], weight[goes_on]
        is_left = left[node_of, design.codes[row_of, feature[node_of]]]
        node_of = 2 * number[node_of] + np.where(is_left, 0, 1)
        children = allowed[np.repeat(parents, 2)]
        places = np.arange(len(parents))
        children[2 * places, feature[parents]] &= left[parents]
        children[2 * places + 1, feature[parents]] &= ~left[parents]
        allowed, owner = children, np.repeat(owner[parents], 2)
    owners = np.concatenate([one for one, _, _ in leaves])
    boxes = np.concatenate([one for _, one, _ in leaves])
    values = np.concatenate([one for _, _, one in leaves])
    for tree in range(trees):
        own = owners == tree
        yield GrownTree(boxes[own], values[own], weights[tree] > 0)


@frozen(eq=False)
class _Sums:
    """Weights and weighted sums of the target, each float64[node, parameter, code]."""

    weights: Floats
    totals: Floats

    @classmethod
    def of(cls, design: Design, node_of: Codes, row_of: Codes, weight: Floats, nodes: int) -> _Sums:
        parameters, bins = design.codes.shape[1], design.bins
        first = (node_of[:, None] * parameters + np.arange(parameters)) * bins
        places = (first + design.codes[row_of]).ravel()
        size = nodes * parameters * bins
        shape = (nodes, parameters, bins)
        repeated = np.repeat(weight, parameters)
        products = np.repeat(weight * design.target[row_of], parameters)
        weights = np.bincount(places, repeated, size).astype(np.float64)
        totals = np.bincount(places, products, size).astype(np.float64)
        return cls(weights.reshape(shape), totals.reshape(shape))

    @property
    def means(self) -> Floats:
        """The mean of the target in each node."""
        return np.asarray(self.totals[:, 0].sum(axis=1) / self.weights[:, 0].sum(axis=1), np.float64)

    def splits(self, is_category: Mask, least: int) -> tuple[Codes, Mask]:
        """The parameter of the best split of each node, -1 for a leaf; bool[node, code]: its left side."""
        nodes, _, bins = self.weights.shape
        order = np.broadcast_to(np.arange(bins), self.weights.shape).copy()
        if is_category.any():
            weights, totals = self.weights[:, is_category], self.totals[:, is_category]
            empty = weights == 0
            means = np.where(empty, self.means[:, None, None], totals / np.where(empty, 1.0, weights))
            order[:, is_category] = np.argsort(means, axis=2, kind="stable")
        weights = np.cumsum(np.take_along_axis(self.weights, order, 2), 2)
        totals = np.cumsum(np.take_along_axis(self.totals, order, 2), 2)
        all_weights, all_totals = weights[..., -1:], totals[..., -1:]
        others = all_weights - weights
        possible = (weights >= least) & (others >= least)
        safe = np.where(possible, weights, 1.0), np.where(possible, others, 1.0)
        gains = totals**2 / safe[0] + (all_totals - totals) ** 2 / safe[1] - all_totals**2 / all_weights
        gains = np.where(possible, gains, 0.0).reshape(nodes, -1)
        best = gains.argmax(axis=1)
        feature, cut = np.divmod(best, bins)
        at = np.arange(nodes)
        rank = np.empty((nodes, bins), np.intp)
        np.put_along_axis(rank, order[at, feature], np.broadcast_to(np.arange(bins), (nodes, bins)), 1)
        scale = np.abs(all_totals[:, 0, 0]) + 1.0
        return np.where(gains[at, best] > 1e-12 * scale, feature, -1), rank <= cut[:, None]


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
