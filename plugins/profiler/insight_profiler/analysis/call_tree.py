"""Trees of calls: equal paths are one node, with all that was spent on them. What flame graphs draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from insight_profiler.analysis.listing import SortedTable

_MOST_NODES = 20_000  # of an answer


@frozen(eq=False)
class CallTree:
    """Nodes, parents before their children.

    ``parent`` is the row of the caller, -1 for a root; ``name`` the number of a text; ``own`` what was
    spent in the node itself, ``whole`` in what it called too; ``count`` the number of calls. ``before`` is
    ``whole`` in the tree that this one is compared with, empty if there is none.
    """

    parent: NDArray[np.int32]
    name: NDArray[np.int32]
    own: NDArray[np.int64]
    whole: NDArray[np.int64]
    count: NDArray[np.int64]
    before: NDArray[np.int64] = field(factory=lambda: np.empty(0, np.int64))

    def __len__(self) -> int:
        return len(self.parent)

    @property
    def total(self) -> int:
        """What was spent in all roots."""
        return int(self.own.sum())

    def largest(self, most: int = _MOST_NODES) -> CallTree:
        """The tree without its least nodes: callers stay, ``own`` and ``whole`` are as before."""
        if len(self) <= most:
            return self
        weight = self.whole if not len(self.before) else np.maximum(self.whole, self.before)
        kept = np.sort(np.argsort(-weight, kind="stable")[:most])  # callers come before what they call
        place = np.full(len(self) + 1, -1, np.int32)
        place[kept] = np.arange(len(kept))
        return CallTree(
            place[self.parent[kept]],
            self.name[kept],
            self.own[kept],
            self.whole[kept],
            self.count[kept],
            self.before[kept] if len(self.before) else self.before,
        )

    def bottom_up(self) -> CallTree:
        """The same from what was called last: roots are nodes that spent something themselves."""
        rows = np.flatnonzero(self.own)
        names: list[NDArray[np.int32]] = [np.empty(0, np.int32)]
        places: list[NDArray[np.intp]] = [np.empty(0, np.intp)]
        at: NDArray[Any] = rows
        of = np.arange(len(rows))
        while len(at):
            names.append(self.name[at])
            places.append(of)
            is_called = self.parent[at] >= 0
            at, of = self.parent[at[is_called]], of[is_called]
        every = np.concatenate(places)
        order = np.argsort(every, kind="stable")  # each row with its callers behind it
        ends = np.cumsum(np.bincount(every, minlength=len(rows)))
        return tree_of_stacks(np.concatenate(names)[order], ends, self.own[rows], self.count[rows])


def tree_of_stacks(
    frames: NDArray[np.int32], ends: NDArray[np.int64], spent: NDArray[np.int64], counts: NDArray[np.int64]
) -> CallTree:
    """The tree of stacks whose outermost frames come first: ``ends`` is where each ends in ``frames``."""
    starts = np.append(0, ends[:-1]).astype(np.int64)
    depth = ends - starts
    used = np.flatnonzero((depth > 0) & ((spent != 0) | (counts != 0)))
    node = np.full(len(ends), -1, np.int64)
    parents, names = [], []
    size, level = 0, 0
    here = used
    base = int(frames.max(initial=0)) + 1
    while len(here):
        keys = (node[here] + 1) * base + frames[starts[here] + level]
        distinct, places = np.unique(keys, return_inverse=True)
        parents.append((distinct // base - 1).astype(np.int32))
        names.append((distinct % base).astype(np.int32))
        node[here] = size + places
        size += len(distinct)
        level += 1
        here = here[depth[here] > level]
    parent = np.concatenate(parents) if parents else np.empty(0, np.int32)
    name = np.concatenate(names) if names else np.empty(0, np.int32)
    own, count = np.zeros(size, np.int64), np.zeros(size, np.int64)
    np.add.at(own, node[used], spent[used])
    np.add.at(count, node[used], counts[used])
    return CallTree(parent, name, own, _summed(parent, own), count)


def tree_of_slices(
    parent: NDArray[np.int32], name: NDArray[np.int32], own: NDArray[np.int64], rows: NDArray[np.intp]
) -> CallTree:
    """The tree of slices of time: ``parent`` is the row of the one that each lies in, -1 for none; ``rows``
    are those that count, the others are as if they were not there."""
    counts = np.zeros(len(parent), bool)
    counts[rows] = True
    caller = parent.copy()
    while len(hidden := np.flatnonzero((caller >= 0) & ~counts[np.maximum(caller, 0)])):
        caller[hidden] = parent[caller[hidden]]
    node = np.full(len(parent), -1, np.int64)
    parents, names = [], []
    base = int(name.max(initial=0)) + 1
    size, here = 0, rows[caller[rows] < 0]
    waiting = rows[caller[rows] >= 0]
    while len(here):
        above = np.where(caller[here] >= 0, node[np.maximum(caller[here], 0)], -1)
        distinct, places = np.unique((above + 1) * base + name[here], return_inverse=True)
        parents.append((distinct // base - 1).astype(np.int32))
        names.append((distinct % base).astype(np.int32))
        node[here] = size + places
        size += len(distinct)
        is_next = node[caller[waiting]] >= 0
        here, waiting = waiting[is_next], waiting[~is_next]
    tree_parent = np.concatenate(parents) if parents else np.empty(0, np.int32)
    tree_name = np.concatenate(names) if names else np.empty(0, np.int32)
    spent, count = np.zeros(size, np.int64), np.zeros(size, np.int64)
    np.add.at(spent, node[rows], own[rows])
    np.add.at(count, node[rows], 1)
    return CallTree(tree_parent, tree_name, spent, _summed(tree_parent, spent), count)


def module_tree(listing: SortedTable) -> tuple[CallTree, list[str]]:
    """The tree of the modules of operators, listed by scope with their own time, else with all of it."""
    columns = listing.columns
    own = columns["self"] if columns["self"].known.any() else columns["total"]
    known = np.flatnonzero(own.known)
    words: dict[str, int] = {}
    stacks = [
        [words.setdefault(part, len(words)) for part in (scope or "").split("/") if part]
        for scope in columns["scope"].take(known).shown()
    ]
    ends = np.cumsum([len(stack) for stack in stacks], dtype=np.int64)
    frames = np.array([part for stack in stacks for part in stack], np.int32)
    return tree_of_stacks(frames, ends, own.values[known], columns["calls"].values[known]), list(words)


def _summed(parent: NDArray[np.int32], own: NDArray[np.int64]) -> NDArray[np.int64]:
    """What each node and those below it spent; nodes of one depth stand together, the deepest last."""
    whole = own.copy()
    depth = np.zeros(len(parent), np.int32)
    ends = []
    at, level = np.flatnonzero(parent < 0), 0
    while len(at):
        depth[at] = level
        ends.append(at)
        is_below = np.zeros(len(parent), bool)
        is_below[at] = True
        at = np.flatnonzero((parent >= 0) & is_below[np.maximum(parent, 0)])
        level += 1
    for nodes in reversed(ends[1:]):
        np.add.at(whole, parent[nodes], whole[nodes])
    return whole


def compared(
    now: CallTree, texts: Sequence[str], before: CallTree, old_texts: Sequence[str]
) -> tuple[CallTree, Sequence[str]]:
    """A tree with what each of its paths spent in another one, and the texts of its names. Paths that are in
    the other alone are there with nothing of their own."""
    known = {text: place for place, text in enumerate(texts)}
    words = list(texts)
    renamed = np.empty(len(old_texts), np.int32)
    for place, text in enumerate(old_texts):
        if text not in known:
            known[text] = len(words)
            words.append(text)
        renamed[place] = known[text]
    nodes = {
        (int(parent), int(name)): place
        for place, (parent, name) in enumerate(zip(now.parent, now.name, strict=True))
    }
    parent, name = now.parent.tolist(), now.name.tolist()
    same = np.full(len(before), -1, np.int64)
    for place, (caller, called) in enumerate(zip(before.parent.tolist(), before.name.tolist(), strict=True)):
        key = int(same[caller]) if caller >= 0 else -1, int(renamed[called])
        if key not in nodes:
            nodes[key] = len(parent)
            parent.append(key[0])
            name.append(key[1])
        same[place] = nodes[key]
    size = len(parent)
    extended = evolve(
        now,
        parent=np.array(parent, np.int32),
        name=np.array(name, np.int32),
        **{field: np.pad(getattr(now, field), (0, size - len(now))) for field in ("own", "whole", "count")},
    )
    old = np.zeros(size, np.int64)
    np.add.at(old, same, before.whole)
    return evolve(extended, before=old), words
