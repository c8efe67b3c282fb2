"""Finding nodes by their names and types, and following edges from one."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.api import InvalidArgument
from insight_graph.columns import Indices, Kind, joined
from insight_graph.described import ids_around, named, type_of
from insight_graph.view import View

MAX_PATTERN = 200  # characters
_SECONDS = 10.0  # that a regular expression may take in all
_FEW = 64  # nodes of which the neighbours are looked up one by one


@frozen
class Search:
    text: str
    is_regex: bool
    where: str  # name, type or any


def found_by(view: View, search: Search) -> list[int]:
    """Places that match: equal names, names that begin so, others; each in the order of the graph."""
    tree = view.tree
    matches = _matcher(search)
    branches = [branch for branch in range(1, len(tree)) if tree.stacks[branch] < 0]
    chosen = np.zeros(len(tree.nodes), bool)
    named_so: list[int] = []
    if search.where != "name":
        types = [code for code, name in enumerate(view.graph.type_names) if matches(name)]
        chosen |= np.isin(view.graph.types[tree.nodes], types)
    if search.where != "type":
        named_so = [branch for branch in branches if matches(tree.ids[branch])]
        chosen[_named(view, search, matches)] = True
    places = [*named_so, *(~np.flatnonzero(chosen)).tolist()]
    wanted = search.text.lower()

    def rank(place: int) -> tuple[int, int]:
        name = tree.label(place).lower()
        closeness = 0 if name == wanted else 1 if name.startswith(wanted) else 2
        return closeness, tree.bounds(place)[0]

    return sorted(places, key=rank)


def result(view: View, place: int) -> dict[str, Any]:
    return {**named(view, place), "type": type_of(view, place), "path": ids_around(view, place)}


def _matcher(search: Search) -> Callable[[str], bool]:
    if not search.is_regex:
        wanted = search.text.lower()
        return lambda text: wanted in text.lower()
    if len(search.text) > MAX_PATTERN:
        raise InvalidArgument(f"q must have at most {MAX_PATTERN} characters")
    import regex  # slow to load, and most search without

    try:
        pattern = regex.compile(search.text, regex.IGNORECASE)
    except (regex.error, OverflowError, RecursionError) as error:
        raise InvalidArgument(f"q is no regular expression: {error}") from None
    end = time.monotonic() + _SECONDS

    def matches(text: str) -> bool:
        left = end - time.monotonic()
        try:
            if left > 0:
                return pattern.search(text, timeout=left) is not None
        except TimeoutError:
            pass
        raise InvalidArgument("q takes too long as a regular expression")

    return matches


def _named(view: View, search: Search, matches: Callable[[str], bool]) -> NDArray[np.intp]:
    """Positions whose scope and name match."""
    tree, names = view.tree, view.graph.names
    paths = view.graph.scopes.paths
    if search.is_regex or "/" in search.text:
        return np.array(
            [
                position
                for position, (home, node) in enumerate(
                    zip(tree.homes.tolist(), tree.nodes.tolist(), strict=True)
                )
                if matches(joined(paths[home], names[node]))
            ],
            np.intp,
        )
    in_scope = np.array([matches(path) for path in paths], bool)
    in_name = np.array([matches(name) for name in names], bool)
    return np.flatnonzero(in_scope[tree.homes] | in_name[tree.nodes])


@frozen(eq=False)
class Trace:
    """What is reached from a place by following edges, by position."""

    view: View
    reached: NDArray[np.bool_]

    @classmethod
    def of(cls, view: View, place: int, *, forwards: bool, with_controls: bool) -> Trace:
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

    view: View
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
