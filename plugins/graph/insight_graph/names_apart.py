"""Gives each node of a scope a name that nothing else in the scope has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import define
from numpy.typing import NDArray

from insight_graph.columns import Indices
from insight_graph.scopes import Scopes, joined


@define(eq=False)
class NamesApart:
    """Changes ``names`` and ``scope`` of nodes in place; ``duplicates`` gets the paths of renamed nodes."""

    names: list[str]
    scopes: Scopes
    scope: Indices
    duplicates: dict[int, str]

    def among(self, placed: NDArray[np.bool_]) -> None:
        """Renames nodes with the name of another, and puts one with the name of a scope into it."""
        at = np.flatnonzero(placed)
        if not len(at):
            return
        scope_keys = _keys(np.array(self.scopes.parents[1:], np.int64), self.scopes.labels[1:])
        scopes = np.argsort(scope_keys)
        of_scopes = scope_keys[scopes]
        keys = _keys(self.scope[at].astype(np.int64), self._names_of(at))
        order = np.argsort(keys)
        alike = keys[order]
        where = np.searchsorted(of_scopes, alike)
        known = where < len(of_scopes)
        known[known] = of_scopes[where[known]] == alike[known]
        named_so = at[order[known]]
        insides = (scopes[where[known]] + 1).tolist()
        for index, inside in zip(named_so.tolist(), insides, strict=True):
            name = self.names[index]
            if self.scopes.labels[inside] == name and self.scopes.parents[inside] == self.scope[index]:
                self.scope[index] = inside
                self.names[index] = f"({name})"
        if len(named_so):
            keys[np.searchsorted(at, named_so)] = _keys(
                self.scope[named_so].astype(np.int64), self._names_of(named_so)
            )
            alike = np.sort(keys)
        if (alike[1:] == alike[:-1]).any():
            self._rename(at, keys)

    def _names_of(self, nodes: NDArray[np.intp]) -> list[str]:
        return self.names if len(nodes) == len(self.names) else [self.names[i] for i in nodes.tolist()]

    def _rename(self, at: NDArray[np.intp], keys: NDArray[np.int64]) -> None:
        """Numbers those of the nodes ``at`` that have the name of another in their scope."""
        _, first, counts = np.unique(keys, return_index=True, return_counts=True)
        alike = at[np.isin(keys, keys[first[counts > 1]])]
        siblings = at[np.isin(self.scope[at], self.scope[alike])]
        taken = set(zip(self.scope[siblings].tolist(), self._names_of(siblings), strict=True))
        seen: set[tuple[int, str]] = set()
        again: dict[tuple[int, str], int] = {}
        for index in alike.tolist():
            wanted = int(self.scope[index]), self.names[index]
            if wanted not in seen:
                seen.add(wanted)
                continue
            place, name = wanted
            path = joined(self.scopes.paths[place], name)
            self.duplicates[index] = path
            while (place, name) in taken or self.scopes.find(joined(self.scopes.paths[place], name)):
                again[wanted] = again.get(wanted, 1) + 1
                name = f"{wanted[1]} ({again[wanted]})"
            taken.add((place, name))
            self.names[index] = name


def _keys(scopes: NDArray[np.int64], names: Sequence[str]) -> NDArray[np.int64]:
    """Numbers that are equal where scope and name are (and hardly ever where they are not)."""
    hashes = np.fromiter(map(hash, names), np.int64, len(names))
    with np.errstate(over="ignore"):
        return hashes ^ ((scopes + 1) * np.int64(0x1E3779B97F4A7C15))
