"""Gives each node of a scope a name that nothing else in the scope has."""

from __future__ import annotations

import numpy as np
from attrs import define
from numpy.typing import NDArray

from insight_graph.columns import Indices
from insight_graph.scopes import Scopes, joined
from insight_graph.texts import NodeTexts


@define(eq=False)
class NamesApart:
    """Changes ``names`` and ``scope`` of nodes in place; ``duplicates`` gets the paths of renamed nodes."""

    names: NodeTexts
    scopes: Scopes
    scope: Indices
    duplicates: dict[int, str]

    def among(self, placed: NDArray[np.bool_]) -> None:
        """Renames nodes with the name of another, and puts one with the name of a scope into it."""
        at = np.flatnonzero(placed)
        if not len(at):
            return
        self._into_scopes(at)
        keys = self._keys(self.scope[at], self.names.numbers[at])
        ordered = np.sort(keys)
        if (ordered[1:] == ordered[:-1]).any():
            self._rename(at, keys)

    def _into_scopes(self, at: NDArray[np.intp]) -> None:
        """Puts nodes that have the name of a scope next to them into it, with a name in parentheses."""
        codes, numbers = self.names.codes, self.names.numbers
        labels = self.scopes.labels.numbers[1:]
        is_label = np.zeros(len(codes), bool)
        is_label[labels] = True
        at = at[is_label[numbers[at]]]
        if not len(at):
            return
        keys = self._keys(self.scopes.parents[1:], labels)
        by_key = np.argsort(keys)
        ordered = keys[by_key]
        wanted = self._keys(self.scope[at], numbers[at])
        where = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
        known = ordered[where] == wanted
        at = at[known]
        self.scope[at] = self.scopes.shown((by_key[where[known]] + 1).astype(np.int32))
        distinct, named = np.unique(numbers[at], return_inverse=True)
        inside = [codes[f"({codes.text(number)})"] for number in distinct.tolist()]
        numbers[at] = np.array(inside, np.int32)[named]

    def _keys(self, scopes: Indices, names: Indices) -> NDArray[np.int64]:
        """Numbers that are equal where scope and name are."""
        return scopes.astype(np.int64) * (len(self.names.codes) + 1) + names

    def _rename(self, at: NDArray[np.intp], keys: NDArray[np.int64]) -> None:
        """Numbers those of the nodes ``at`` that have the name of another in their scope."""
        _, first, counts = np.unique(keys, return_index=True, return_counts=True)
        alike = at[np.isin(keys, keys[first[counts > 1]])]
        siblings = at[np.isin(self.scope[at], self.scope[alike])]
        names = map(self.names.__getitem__, siblings.tolist())
        taken = set(zip(self.scope[siblings].tolist(), names, strict=True))
        seen: set[tuple[int, str]] = set()
        again: dict[tuple[int, str], int] = {}
        for index in alike.tolist():
            wanted = int(self.scope[index]), self.names[index]
            if wanted not in seen:
                seen.add(wanted)
                continue
            place, name = wanted
            path = joined(self.scopes.path(place), name)
            self.duplicates[index] = path
            while (place, name) in taken or self.scopes.find(joined(self.scopes.path(place), name)):
                again[wanted] = again.get(wanted, 1) + 1
                name = f"{wanted[1]} ({again[wanted]})"
            taken.add((place, name))
            self.names[index] = name
