"""The hierarchy of a graph: scopes, stacks of identical nodes, and leaves.

What is at the bottom of it is a leaf. Leaves have positions: those of a scope or stack lie side by side, so
that everything about it is about a range of positions. Scopes and stacks are branches, with numbers; branch
0 is the root. Where either is meant, a position p is written as ``~p``.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from insight_graph.columns import Graph, Indices
from insight_graph.order import by_two_keys
from insight_graph.scopes import joined


@frozen(eq=False)
class Leaves:
    """What is to be shown, by column. ``scopes`` are those that a leaf is shown in, ``homes`` those of its
    id; ``orders`` say which is first."""

    nodes: Indices
    scopes: Indices
    homes: Indices
    orders: NDArray[np.int64]


@frozen(eq=False)
class Tree:
    """Columns of branches, and of leaves by position. ``stacks`` is -1 for a scope, the code of the type of
    the members for a stack, and ``stacks.MIXED`` for one whose members differ or are scopes. ``members``
    counts what is in a scope, and in a stack those that are alike: constants of theirs are in it too."""

    graph: Graph
    parents: Indices
    scopes: Indices  # of the first branches, which are not stacks
    stack_labels: list[str]  # of the branches after them
    stack_ids: list[str]
    stacks: Indices
    structures: NDArray[np.int64]
    members: Indices
    lows: Indices
    highs: Indices
    nodes: Indices
    homes: Indices
    leaf_parents: Indices
    child_starts: Indices
    child_list: Indices
    positions: Indices  # of the leaves as they were given
    leaf_ids: dict[int, str]  # by position: of leaves whose scope and name make the id of something else

    def __len__(self) -> int:
        return len(self.parents)

    @property
    def nbytes(self) -> int:
        """Estimated memory in bytes."""
        return 20 * len(self.nodes) + 250 * len(self.parents)

    def children(self, branch: int) -> Indices:
        """Branches, and leaves as ``~position``, in order."""
        return self.child_list[self.child_starts[branch] : self.child_starts[branch + 1]]

    def bounds(self, place: int) -> tuple[int, int]:
        """The positions of the leaves that are in it, or that it is."""
        return (int(self.lows[place]), int(self.highs[place])) if place >= 0 else (~place, ~place + 1)

    def parent(self, place: int) -> int:
        """The place that contains ``place``."""
        return int(self.parents[place] if place >= 0 else self.leaf_parents[~place])

    def id(self, place: int) -> str:
        """The id of a place in answers: its path."""
        scopes = self.graph.scopes
        if place >= len(self.scopes):
            return self.stack_ids[place - len(self.scopes)]
        if place >= 0:
            return scopes.path(int(self.scopes[place]))
        if ~place in self.leaf_ids:
            return self.leaf_ids[~place]
        return joined(scopes.path(int(self.homes[~place])), self.graph.names[self.nodes[~place]])

    def label(self, place: int) -> str:
        """The name to display."""
        if place >= len(self.scopes):
            return self.stack_labels[place - len(self.scopes)]
        if place >= 0:
            return self.graph.scopes.labels[int(self.scopes[place])]
        return self.graph.names[int(self.nodes[~place])]

    def around(self, place: int) -> list[int]:
        """The branches that it is in, from the outermost below the root to its parent."""
        found = []
        while place != 0 and (place := self.parent(place)) != 0:
            found.append(place)
        return found[::-1]

    def find(self, id_: str) -> int | None:
        """The branch or leaf of an id."""
        place = self._named.get(id_)
        if place is not None:
            return place
        scope = self.graph.scopes.find(id_)
        if scope is not None and self._branches[scope] >= 0:
            return int(self._branches[scope])
        order, starts = self._by_home
        for path, name in _splits(id_):
            home = self.graph.scopes.find(path)
            if home is None:
                continue
            for position in order[starts[home] : starts[home + 1]].tolist():
                if self.graph.names[self.nodes[position]] == name and position not in self.leaf_ids:
                    return ~int(position)
        return None

    @functools.cached_property
    def _named(self) -> dict[str, int]:
        """What has an id of its own."""
        leaves = {id_: ~position for position, id_ in self.leaf_ids.items()}
        return leaves | {id_: branch for branch, id_ in enumerate(self.stack_ids, len(self.scopes))}

    @functools.cached_property
    def _branches(self) -> Indices:
        """int32[scopes]: the branch that each is shown as; -1 for a scope that is not shown."""
        found = np.full(len(self.graph.scopes), -1, np.int32)
        found[self.scopes] = np.arange(len(self.scopes))
        return found

    @functools.cached_property
    def _by_home(self) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        order = np.argsort(self.homes, kind="stable")
        counts = np.bincount(self.homes, minlength=len(self.graph.scopes))
        return order, np.concatenate(([0], np.cumsum(counts)))


def _splits(id_: str) -> Iterator[tuple[str, str]]:
    """Every scope and name that an id may mean: names may have slashes in them."""
    at = id_.rfind("/")
    while at >= 0:
        yield id_[:at], id_[at + 1 :]
        at = id_.rfind("/", 0, at)
    yield "", id_


@define(eq=False)
class TreeBuilder:
    """Branches while they become more, and in which of them each leaf is."""

    graph: Graph
    leaves: Leaves
    parents: Indices
    scopes: Indices  # of the first branches, which are not stacks
    stacks: Indices
    structures: NDArray[np.int64]
    members: Indices  # 0: as many as there are children
    leaf_parents: Indices
    stack_labels: list[str] = field(factory=list)
    stack_ids: list[str] = field(factory=list)
    leaf_ids: dict[int, str] = field(factory=dict)  # of leaves whose scope and name make another's id

    @classmethod
    def of(cls, graph: Graph, leaves: Leaves) -> TreeBuilder:
        """The scopes that leaves are in."""
        of_scopes = graph.scopes.parents
        used = np.zeros(len(of_scopes), bool)
        used[0] = True
        holding = np.zeros(len(of_scopes), bool)
        holding[leaves.scopes] = True
        ends: NDArray[np.integer[Any]] = np.flatnonzero(holding)
        while len(ends):
            used[ends] = True
            above = of_scopes[ends]
            fresh = np.zeros(len(of_scopes), bool)
            fresh[above[(above >= 0) & ~used[above]]] = True
            ends = np.flatnonzero(fresh)
        numbers = np.cumsum(used, dtype=np.int32) - 1
        shown = np.flatnonzero(used).astype(np.int32)
        parents = of_scopes[shown]
        parents = np.where(parents >= 0, numbers[parents], -1).astype(np.int32)
        return cls(
            graph,
            leaves,
            parents,
            shown,
            np.full(len(shown), -1, np.int32),
            np.zeros(len(shown), np.int64),
            np.zeros(len(shown), np.int32),
            numbers[leaves.scopes],
        )

    @property
    def kinds(self) -> NDArray[np.uint8]:
        """uint8[leaves]: the ``Kind`` of each leaf."""
        return self.graph.kinds[self.leaves.nodes]

    def add(
        self, parents: Indices, labels: list[str], ids: list[str], stacks: Indices, members: Indices
    ) -> int:
        """Adds branches; the number of the first."""
        first = len(self.parents)
        self.parents = np.concatenate((self.parents, parents)).astype(np.int32)
        self.stack_labels += labels
        self.stack_ids += ids
        self.stacks = np.concatenate((self.stacks, stacks)).astype(np.int32)
        self.structures = np.concatenate((self.structures, np.zeros(len(labels), np.int64)))
        self.members = np.concatenate((self.members, members)).astype(np.int32)
        return first

    def ids(self, branches: Indices) -> list[str]:
        """The ids of branches; those of stacks may still be the ids of others, too."""
        count = len(self.scopes)
        of_scopes = iter(self.graph.scopes.paths_of(self.scopes[branches[branches < count]]))
        return [
            next(of_scopes) if branch < count else self.stack_ids[branch - count]
            for branch in branches.tolist()
        ]

    def by_depth(self) -> list[NDArray[np.intp]]:
        """Branches, those of one depth together, the root first."""
        depths = (self.parents >= 0).astype(np.int16)  # which numpy sorts by counting
        above = np.maximum(self.parents, 0)
        while above.any():  # the number of steps to a branch that is twice as far each time
            depths += depths[above]
            above = above[above]
        order = np.argsort(depths, kind="stable")
        return np.split(order, np.cumsum(np.bincount(depths))[:-1])

    def orders(self) -> NDArray[np.int64]:
        """Of branches: the first of what is in each."""
        found = np.full(len(self.parents), np.iinfo(np.int64).max)
        np.minimum.at(found, self.leaf_parents, self.leaves.orders)
        for level in reversed(self.by_depth()[1:]):
            np.minimum.at(found, self.parents[level], found[level])
        return found

    def counts(self) -> NDArray[np.intp]:
        """How many branches and leaves are directly in each branch."""
        count = len(self.parents)
        leaves = np.bincount(self.leaf_parents, minlength=count)
        return np.bincount(self.parents[1:], minlength=count) + leaves

    def children(self, chosen: NDArray[np.bool_] | None = None) -> tuple[Indices, Indices]:
        """What is in each branch, or each chosen one: branches and leaves as ``~leaf``, by branch and order;
        and the branches."""
        inner = np.arange(1, len(self.parents), dtype=np.int32)
        leaves = np.arange(len(self.leaf_parents), dtype=np.int32)
        if chosen is not None:
            inner, leaves = inner[chosen[self.parents[1:]]], leaves[chosen[self.leaf_parents]]
        children = np.concatenate((inner, ~leaves))
        parents = np.concatenate((self.parents[inner], self.leaf_parents[leaves]))
        orders = np.concatenate((self.orders()[inner], self.leaves.orders[leaves]))
        sorting = by_two_keys(parents, orders)
        return children[sorting], parents[sorting]

    def tree(self) -> Tree:
        """Gives each leaf its position."""
        leaf_count = len(self.leaf_parents)
        levels = self.by_depth()
        counts = np.bincount(self.leaf_parents, minlength=len(self.parents))
        for level in reversed(levels[1:]):
            np.add.at(counts, self.parents[level], counts[level])
        children, parents = self.children()
        of_branches = children >= 0
        sizes = np.ones(len(children), counts.dtype)
        sizes[of_branches] = counts[children[of_branches]]
        starts = np.searchsorted(parents, np.arange(len(self.parents) + 1)).astype(np.int32)
        before = np.cumsum(sizes) - sizes
        offsets = before - before[starts[parents]] if len(before) else before
        offset_of = np.zeros(len(self.parents), np.int64)
        offset_of[children[of_branches]] = offsets[of_branches]
        lows = np.zeros(len(self.parents), np.int64)
        for level in levels[1:]:
            lows[level] = lows[self.parents[level]] + offset_of[level]
        given = ~children[~of_branches]
        positions = np.empty(leaf_count, np.int32)
        positions[given] = (lows[parents] + offsets)[~of_branches]
        child_list = children.copy()
        child_list[~of_branches] = ~positions[given]
        at = np.empty(leaf_count, np.intp)
        at[positions] = np.arange(leaf_count)
        return Tree(
            graph=self.graph,
            parents=self.parents,
            scopes=self.scopes,
            stack_labels=self.stack_labels,
            stack_ids=self.stack_ids,
            stacks=self.stacks,
            structures=self.structures,
            members=np.where(self.members, self.members, np.diff(starts)),
            lows=lows.astype(np.int32),
            highs=(lows + counts).astype(np.int32),
            nodes=self.leaves.nodes[at],
            homes=self.leaves.homes[at],
            leaf_parents=self.leaf_parents[at],
            child_starts=starts,
            child_list=child_list,
            positions=positions,
            leaf_ids={int(positions[leaf]): id_ for leaf, id_ in self.leaf_ids.items()},
        )
