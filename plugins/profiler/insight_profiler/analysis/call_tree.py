"""Trees of calls: equal paths are one node, with all that was spent on them. What flame graphs draw."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from insight_profiler.analysis.listing import SortedTable
from insight_profiler.derived.call_paths import CallPaths, callers_of_stacks, merged

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
        return self.having(np.sort(np.argsort(-weight, kind="stable")[:most]))

    def having(self, kept: NDArray[np.intp]) -> CallTree:
        """The tree of some nodes, callers before what they call, the callers of each among them."""
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
        paths = CallPaths(int(self.name.max(initial=0)) + 1)
        path = np.full(len(rows), -1, np.int64)
        going, at = np.arange(len(rows)), rows.astype(np.int64)
        while len(going):
            path[going] = paths.add(path[going], self.name[at])
            above = self.parent[at].astype(np.int64)
            going, at = going[above >= 0], above[above >= 0]
        return _tree(paths, path, self.own[rows], self.count[rows])


def tree_of_calls(
    caller: NDArray[np.integer], name: NDArray[np.int32], own: NDArray[np.int64], count: NDArray[np.int64]
) -> CallTree:
    """The tree of calls: ``caller`` is the row of the one that made each, -1 for none; ``own`` what each
    spent itself, ``count`` how often it was called."""
    return _tree(*merged(caller, name), own, count)


def tree_of_stacks(
    frames: NDArray[np.int32], ends: NDArray[np.int64], spent: NDArray[np.int64], counts: NDArray[np.int64]
) -> CallTree:
    """The tree of stacks whose outermost frames come first: ``ends`` is where each ends in ``frames``. Stacks
    with neither a value nor a count are as if they were not there."""
    depth = np.diff(ends, prepend=0)
    used = (depth > 0) & ((spent != 0) | (counts != 0))
    name = frames[np.repeat(used, depth)]
    last = np.cumsum(depth[used]) - 1
    own, count = np.zeros(len(name), np.int64), np.zeros(len(name), np.int64)
    own[last], count[last] = spent[used], counts[used]
    return tree_of_calls(callers_of_stacks(depth[used]), name, own, count)


def _tree(
    paths: CallPaths, path: NDArray[np.int64], own: NDArray[np.int64], count: NDArray[np.int64]
) -> CallTree:
    """The tree of some paths, from what calls spent that each have one of them."""
    spent, counts = np.zeros(paths.size, np.int64), np.zeros(paths.size, np.int64)
    np.add.at(spent, path, own)
    np.add.at(counts, path, count)
    return CallTree(*paths.columns(), spent, paths.summed(spent), counts)


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


def compared(
    now: CallTree, texts: Sequence[str], before: CallTree, old_texts: Sequence[str]
) -> tuple[CallTree, Sequence[str]]:
    """A tree with what each of its paths spent in another one, and the texts of its names. Paths that are in
    the other alone are there with nothing of their own."""
    words = list(dict.fromkeys((*texts, *old_texts)))
    places = {text: place for place, text in enumerate(words)}
    new_names, old_names = (
        np.array([places[text] for text in some] or [0], np.int32) for some in (texts, old_texts)
    )
    is_old = np.repeat([False, True], [len(now), len(before)])
    caller = np.concatenate((now.parent, np.where(before.parent >= 0, before.parent + len(now), -1)))
    paths, path = merged(caller, np.concatenate((new_names[now.name], old_names[before.name])))
    tree = _tree(paths, path[~is_old], now.own, now.count)
    return evolve(tree, before=_tree(paths, path[is_old], before.own, before.count).whole), words
