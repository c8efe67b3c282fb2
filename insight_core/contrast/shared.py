"""Finds the hyperparameters that all faulty runs and none of the other runs share.

Every column of hyperparameters proposes conditions: a value, a threshold, up to three values, a missing one.
The condition that distinguishes the faulty runs most clearly is named if it is beyond chance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb

import numpy as np
from attrs import evolve, frozen

from insight_core.contrast.conditions import Cell, CodedColumn, Condition, Mask
from insight_core.contrast.fisher import FisherTest

CHANCE = 0.02  # of any condition at all where the faulty runs are a random choice
_LEAST_HITS = 0.5  # share of the faulty runs that a condition needs
_MOST_OTHERS = 0.5  # share of the other runs that may meet it
_DIFFERENT = 0.05  # two conditions that both have exceptions differ if this is less likely


@frozen
class Shared:
    """Conditions that ``hits`` of the ``faulty`` runs meet together, and ``other_hits`` of the ``others``.

    ``chance`` is an upper bound of the probability that any condition distinguishes as many runs, chosen at
    random, as clearly.
    """

    conditions: tuple[Condition, ...]
    hits: int
    faulty: int
    other_hits: int
    others: int
    chance: float

    @property
    def is_exact(self) -> bool:
        """Whether all faulty runs meet the conditions, and no other run does."""
        return self.hits == self.faulty and self.other_hits == 0

    @property
    def text(self) -> str:
        """All conditions."""
        return " and ".join(one.text for one in self.conditions)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the conditions."""
        return tuple(one.column for one in self.conditions)

    @property
    def errors(self) -> int:
        """Runs that are exceptions: faulty ones that do not meet the conditions, and others that do."""
        return self.faulty - self.hits + self.other_hits


def contrast(
    columns: Mapping[str, Sequence[Cell]], faulty: Sequence[bool] | Mask, *, chance: float = CHANCE
) -> tuple[Shared, ...]:
    """The conditions that distinguish the faulty runs, the clearest first; empty where the evidence is weak.

    Parameters
    ----------
    columns : mapping of str to sequence of Cell
        The hyperparameters: a cell for each run, None (or NaN) where a run does not have it. A list is given
        as text. Texts that are all numbers count as numbers.
    faulty : bool[runs]
        Which runs are faulty. Leave runs out of which it is not known.
    chance : float
        The probability with which conditions may be named although the faulty runs are a random choice.

    Returns
    -------
    tuple of Shared
        More than one where columns distinguish the runs equally well: nothing says which is the cause.
    """
    marks = np.asarray(faulty, np.bool_)
    values = {name: CodedColumn.of(name, cells) for name, cells in columns.items()}
    plain = _clearest(values, marks, chance)
    least = min((one.errors for one in plain), default=0)
    if least == 0:
        return plain
    narrowed: dict[frozenset[str], Shared] = {}
    for one in plain:
        [condition] = one.conditions
        rows = values[condition.column].meets(condition)
        inner = {name: column.part(rows) for name, column in values.items()}
        for more in _clearest(inner, marks[rows], chance):
            both = evolve(
                one,
                conditions=(condition, *more.conditions),
                hits=more.hits,
                other_hits=more.other_hits,
                chance=min(1.0, one.chance + more.chance),
            )
            narrowed.setdefault(frozenset(both.columns), both)
    fewest = min((one.errors for one in narrowed.values()), default=least)
    return tuple(one for one in narrowed.values() if one.errors == fewest) if fewest < least else plain


def _clearest(values: Mapping[str, CodedColumn], marks: Mask, chance: float) -> tuple[Shared, ...]:
    """The clearest condition, and those of other columns that the runs cannot tell from it."""
    runs, faulty = len(marks), int(np.count_nonzero(marks))
    others = runs - faulty
    if not faulty or not others:
        return ()
    test, everywhere = FisherTest(runs, faulty), np.ones(runs, np.bool_)
    sizes = np.zeros(runs + 1, np.intp)
    for column in {one.groups: one for one in values.values()}.values():
        np.add.at(sizes, column.counts(everywhere), 1)
    found = []
    for column in values.values():
        met, hits = column.counts(everywhere), column.counts(marks)
        other_hits = met - hits
        fit = (hits >= _LEAST_HITS * faulty) & (other_hits <= _MOST_OTHERS * others)
        fit &= hits * others > other_hits * faulty
        if not fit.any():
            continue
        places = np.flatnonzero(fit)
        place = int(places[np.argmin(test.log_probability(met[places], hits[places]))])
        corrected = test.corrected(int(met[place]), int(hits[place]), sizes)
        if corrected <= chance:
            counts = (int(hits[place]), faulty, int(other_hits[place]), others)
            found.append(Shared((column.condition(place),), *counts, corrected))
    found.sort(key=lambda one: (one.chance, one.errors))
    right = [values[one.columns[0]].meets(one.conditions[0]) == marks for one in found]
    return tuple(one for one, is_right in zip(found, right, strict=True) if _is_as_good(is_right, right[0]))


def _is_as_good(one: Mask, best: Mask) -> bool:
    """Whether a condition is right for as many runs as the best, beyond chance where both have exceptions.

    A sign test of the runs for which only one of them is right.
    """
    worse, better = int(np.count_nonzero(best & ~one)), int(np.count_nonzero(one & ~best))
    if worse <= better:
        return True
    runs = worse + better
    tail = sum(comb(runs, number) for number in range(worse, runs + 1)) / 2**runs
    return not best.all() and tail > _DIFFERENT
