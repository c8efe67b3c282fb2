"""Searches nodes by name and type, and follows edges."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin.http import matcher_of
from insight_core.plugin.lab import Matcher
from insight_graph.columns import Indices, Kind
from insight_graph.described import ids_around, named, type_of
from insight_graph.scopes import joined
from insight_graph.view import GraphView

_FEW = 64  # nodes of which the neighbours are looked up one by one
_AT_ONCE = 1 << 15  # paths that are made


@frozen
class Search:
    """A query of the search route."""

    text: str
    is_regex: bool
    where: str  # name, type or any


def found_by(view: GraphView, search: Search, is_gone: Callable[[], bool] = lambda: False) -> Indices:
    """Places that match: equal names, names that begin so, others; each in the order of the graph.

    Raises InvalidArgument for an invalid regular expression or takes too long, and when ``is_gone`` says
    that nobody waits any more.
    """
    tree, graph = view.tree, view.graph
    matcher = matcher_of(search.text, is_regex=search.is_regex, is_gone=is_gone)
    chosen = np.zeros(len(tree.nodes), bool)
    branches = np.empty(0, np.intp)
    if search.where != "name":
        chosen |= np.isin(graph.types[tree.nodes], matcher.rows(graph.type_names))
    if search.where != "type":
        scopes, paths = np.arange(1, len(tree.scopes)), graph.scopes.paths
        branches = scopes[matcher.rows([paths[scope] for scope in tree.scopes[scopes].tolist()])]
        _choose(chosen, view, matcher, whole=search.is_regex or "/" in search.text)
    positions = np.flatnonzero(chosen)
    labels = list(map(tree.label, branches.tolist()))
    labels += [graph.names[node] for node in tree.nodes[positions].tolist()]
    wanted = search.text.lower()
    lowered = (label.lower() for label in labels)
    ranks = [0 if label == wanted else 1 if label.startswith(wanted) else 2 for label in lowered]
    places = np.concatenate((branches, ~positions)).astype(np.int32)
    firsts = np.concatenate((tree.lows[branches], positions))
    return places[np.lexsort((firsts, np.array(ranks, np.int8)))]


def result(view: GraphView, place: int) -> dict[str, Any]:
    """A search result as a JSON object."""
    return {**named(view, place), "type": type_of(view, place), "path": ids_around(view, place)}


def _choose(chosen: NDArray[np.bool_], view: GraphView, matcher: Matcher, *, whole: bool) -> None:
    """Chooses positions of which scope and name match: joined, if they are to do so as a ``whole``."""
    tree, names, paths = view.tree, view.graph.names, view.graph.scopes.paths
    if not whole:
        in_scope, in_name = np.zeros(len(paths), bool), np.zeros(len(names.codes), bool)
        in_scope[matcher.rows(paths)] = True
        in_name[matcher.rows(names.codes.texts)] = True
        chosen |= in_scope[tree.homes] | in_name[names.numbers[tree.nodes]]
        return
    for first in range(0, len(chosen), _AT_ONCE):
        some = slice(first, first + _AT_ONCE)
        pairs = zip(tree.homes[some].tolist(), tree.nodes[some].tolist(), strict=True)
        found = matcher.rows([joined(paths[home], names[node]) for home, node in pairs])
        chosen[first + found] = True


@frozen(eq=False)
class Trace:
    """What is reached from a place by following edges, by position."""

    view: GraphView
    reached: NDArray[np.bool_]

    @classmethod
    def of(cls, view: GraphView, place: int, *, forwards: bool, with_controls: bool) -> Trace:
        """Follows edges from a place, forwards or backwards, with or without control edges."""
        low, high = view.tree.bounds(place)
        reached = np.zeros(len(view.tree.nodes), bool)
        reached[low:high] = True
        follow = _Follow(view, forwards, with_controls)
        fresh = np.arange(low, high)
        while len(fresh):
            fresh = follow.beyond(fresh, reached)
        reached[low:high] = False
        return cls(view, reached)

    @property
    def operators(self) -> int:
        """Number of operators reached."""
        kinds = self.view.graph.kinds[self.view.tree.nodes]
        return int((self.reached & (kinds == Kind.OPERATOR)).sum())

    def shown_in(self, branches: Iterable[int], place: int) -> list[str]:
        """Ids of what in these branches is or holds something reached, but of what is around the place."""
        tree = self.view.tree
        before = np.concatenate(([0], np.cumsum(self.reached)))
        own = {place, *tree.around(place)}
        found = []
        for branch in branches:
            for child in tree.children(branch).tolist():
                low, high = tree.bounds(child)
                if before[high] > before[low] and child not in own:
                    found.append(tree.id(child))
        return found


@frozen(eq=False)
class _Follow:
    """One step along edges."""

    view: GraphView
    forwards: bool
    with_controls: bool

    @functools.cached_property
    def _neighbours(self) -> tuple[NDArray[np.int64], Indices]:
        """Where those of each position begin, and all, end to end."""
        edges = self.view.edges
        if not self.with_controls:
            edges = edges.take(~edges.controls)
        near, far = (edges.sources, edges.targets) if self.forwards else (edges.targets, edges.sources)
        if not self.forwards:
            order = np.argsort(near, kind="stable")
            near, far = near[order], far[order]
        counts = np.bincount(near, minlength=len(self.view.tree.nodes))
        return np.concatenate(([0], np.cumsum(counts))), far

    def beyond(self, fresh: NDArray[Any], reached: NDArray[np.bool_]) -> NDArray[Any]:
        """Positions one edge away that were not reached; they are marked."""
        starts, far = self._neighbours
        if len(fresh) <= _FEW:
            found = []
            for position in fresh.tolist():
                for other in far[starts[position] : starts[position + 1]].tolist():
                    if not reached[other]:
                        reached[other] = True
                        found.append(other)
            return np.array(found, np.int32)
        lengths = starts[fresh + 1] - starts[fresh]
        before = np.cumsum(lengths) - lengths
        rows = np.arange(lengths.sum()) + np.repeat(starts[fresh] - before, lengths)
        others: NDArray[Any] = np.unique(far[rows])
        others = others[~reached[others]]
        reached[others] = True
        return others
