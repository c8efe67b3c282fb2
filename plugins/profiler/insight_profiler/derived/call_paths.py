"""Merges calls into paths: calls of one name by the same path of callers are one."""

from __future__ import annotations

import numpy as np
from attrs import define, field
from numpy.typing import NDArray


@define(eq=False)
class CallPaths:
    """Paths in the making, level by level: ``add`` those of the outermost calls first.

    ``parents`` are rows of paths, -1 for the outermost, ``names`` the numbers of texts; an array for each
    level.
    """

    base: int  # more than any number of a name
    parents: list[NDArray[np.int32]] = field(factory=list, init=False)
    names: list[NDArray[np.int32]] = field(factory=list, init=False)
    size: int = field(default=0, init=False)

    def add(self, caller: NDArray[np.int64], name: NDArray[np.int32]) -> NDArray[np.int64]:
        """The paths of the calls of a level, by the paths of their callers and their own names."""
        distinct, places = np.unique((caller + 1) * self.base + name, return_inverse=True)
        self.parents.append((distinct // self.base - 1).astype(np.int32))
        self.names.append((distinct % self.base).astype(np.int32))
        rows: NDArray[np.int64] = self.size + places.astype(np.int64)
        self.size += len(distinct)
        return rows

    def columns(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """int32[paths]: parent and name of each, callers before what they call."""
        nothing = [np.empty(0, np.int32)]
        return np.concatenate(self.parents or nothing), np.concatenate(self.names or nothing)

    def summed(self, own: NDArray[np.int64]) -> NDArray[np.int64]:
        """Sums of a value over each path and all below it."""
        whole = own.copy()
        end = self.size
        for parents in reversed(self.parents[1:]):
            np.add.at(whole, parents, whole[end - len(parents) : end])
            end -= len(parents)
        return whole


def merged(caller: NDArray[np.integer], name: NDArray[np.int32]) -> tuple[CallPaths, NDArray[np.int64]]:
    """The paths of calls, and which of them each call has. ``caller`` is the row of the call that each was
    made by, -1 for none; calls may stand in any order. Calls in a circle have no callers."""
    caller, depth = _depths(caller.astype(np.int64))
    paths = CallPaths(int(name.max(initial=0)) + 1)
    path = np.full(len(caller), -1, np.int64)
    order = np.argsort(depth, kind="stable")
    ends = np.cumsum(np.bincount(depth)) if len(depth) else np.empty(0, np.int64)
    for rows in np.split(order, ends[:-1]) if len(depth) else ():
        above = caller[rows]
        path[rows] = paths.add(np.where(above >= 0, path[np.maximum(above, 0)], -1), name[rows])
    return paths, path


def callers_of_stacks(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """The callers of the frames of stacks that stand behind each other, the outermost first: the frame before
    each, -1 for the first of a stack. ``lengths``: how many frames each has."""
    caller = np.arange(-1, int(lengths.sum()) - 1)
    caller[(np.cumsum(lengths) - lengths)[lengths > 0]] = -1
    return caller


def nearest(marked: NDArray[np.bool_], caller: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each call the row of the innermost marked one that led to it, itself too; -1 for none."""
    found = np.where(marked, np.arange(len(caller)), caller)
    for _ in range(len(caller).bit_length()):  # each round looks twice as far
        rows = np.flatnonzero((found >= 0) & ~marked[np.maximum(found, 0)])
        if not len(rows):
            return found
        found[rows] = found[found[rows]]
    found[(found >= 0) & ~marked[np.maximum(found, 0)]] = -1  # circles
    return found


def _depths(caller: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Callers without circles, and how many callers each call has above it."""
    depth = (caller >= 0).astype(np.int64)
    above = caller.copy()
    for _ in range(len(caller).bit_length()):
        rows = np.flatnonzero(above >= 0)
        if not len(rows):
            return caller, depth
        depth[rows] += depth[above[rows]]
        above[rows] = above[above[rows]]
    circles = above >= 0
    return (caller, depth) if not circles.any() else _depths(np.where(circles, -1, caller))
