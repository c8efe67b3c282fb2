"""Orders: of a graph that may have cycles, topologically; of rows, stably by integer keys."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_graph.columns import Edges, Indices

_BITS = 32
_MOST = (1 << _BITS) - 1


def topological(count: int, edges: Edges) -> tuple[Indices, int]:
    """The rank of each node, and how many nodes are on cycles (or between two).

    The order of the file stays where it is topological, and is turned round where it is that of the last
    first, as some of TensorFlow's writers leave it. A cycle begins with its first node in the file.
    """
    if not len(edges) or bool((edges.sources < edges.targets).all()):
        return np.arange(count, dtype=np.int32), 0
    if bool((edges.sources > edges.targets).all()):
        return np.arange(count - 1, -1, -1, dtype=np.int32), 0
    followers = _Neighbours.of(count, edges.sources, edges.targets)
    waiting = np.bincount(edges.targets, minlength=count).tolist()
    ready = deque(node for node in range(count) if not waiting[node])
    ranks = [-1] * count
    rank = scanned = broken = 0
    while rank < count:
        if not ready:
            while ranks[scanned] >= 0:
                scanned += 1
            ready.append(scanned)
            broken += 1
        node = ready.popleft()
        ranks[node] = rank
        rank += 1
        for follower in followers[node]:
            waiting[follower] -= 1
            if waiting[follower] == 0 and ranks[follower] < 0:
                ready.append(follower)
    return np.array(ranks, np.int32), _cyclic(count, edges) if broken else 0


def _cyclic(count: int, edges: Edges) -> int:
    """How many nodes stay when those without a way in, and then those without a way out, are taken off."""
    left = np.ones(count, bool)
    for ways_in, ways_out in ((edges.targets, edges.sources), (edges.sources, edges.targets)):
        inner = left[ways_in] & left[ways_out]
        following = _Neighbours.of(count, ways_out[inner], ways_in[inner])
        waiting = np.bincount(ways_in[inner], minlength=count).tolist()
        free = [node for node in np.flatnonzero(left).tolist() if not waiting[node]]
        while free:
            node = free.pop()
            left[node] = False
            for other in following[node]:
                waiting[other] -= 1
                if not waiting[other]:
                    free.append(other)
    return int(left.sum())


class _Neighbours:
    """Which nodes an edge leads to, by the node where it begins."""

    def __init__(self, starts: list[int], ends: list[int]) -> None:
        self._starts = starts
        self._ends = ends

    @classmethod
    def of(cls, count: int, sources: Indices, targets: Indices) -> _Neighbours:
        by_source = np.argsort(sources, kind="stable")
        starts = np.concatenate(([0], np.cumsum(np.bincount(sources, minlength=count))))
        return cls(starts.tolist(), targets[by_source].tolist())

    def __getitem__(self, node: int) -> list[int]:
        return self._ends[self._starts[node] : self._starts[node + 1]]


def by_key(keys: NDArray[Any]) -> NDArray[np.intp]:
    """What ``np.argsort(keys, kind="stable")`` gives, for keys that are mostly different."""
    order = np.argsort(keys)
    ordered = keys[order]
    alike = ordered[1:] == ordered[:-1]
    if alike.any():
        tied = np.flatnonzero(np.append(alike, False) | np.append(False, alike))
        rows = order[tied]
        order[tied] = rows[np.lexsort((rows, ordered[tied]))]
    return order


def by_two_keys(first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.intp]:
    """What ``np.lexsort((second, first))`` gives, for ``first`` from 0 on; ``second`` is cut to 2^32 - 2.

    Both are below 2^31 in graphs; only the order of an empty branch is larger, and it comes last.
    """
    lower = np.clip(second, -1, _MOST - 1).astype(np.int64) + 1
    return by_key(first.astype(np.int64) << _BITS | lower)
