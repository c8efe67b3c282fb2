"""Finds the hyperparameters that all faulty runs and none of the other runs share.

Every column of hyperparameters proposes conditions: a value, a threshold, up to three texts, a missing value.
Fisher's exact test gives the probability that so many faulty runs meet a condition by chance (Statistical
Methods for Research Workers, 1934). The probability is corrected for all conditions of all columns: each adds
the largest probability that it can have and that is not above the one that was found. A condition that cannot
be that unlikely adds nothing (Tarone, A modified Bonferroni method for discrete data, Biometrics 46, 1990).
So few runs are enough where few conditions can separate them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

Cell: TypeAlias = str | int | float | bool | None
Operator: TypeAlias = Literal["=", "!=", ">=", "<=", "in"]
Mask: TypeAlias = NDArray[np.bool_]
_Counts: TypeAlias = NDArray[np.intp]

CHANCE = 0.02  # of any condition at all where the faulty runs are a random choice
_LEAST_HITS = 0.75  # share of the faulty runs that a condition needs
_MOST_OTHERS = 0.5  # share of the other runs that may meet it
_DIFFERENT = 0.05  # two conditions that both have exceptions differ if this is less likely
_TOGETHER = 3  # texts of one condition, at most
_FEW = 12  # texts: of more only single ones are tried, and none if there is more than one for two runs
_EXACT_RUNS = 2000  # of more, the correction counts the conditions
_DIGITS = 3  # of a threshold between two values, at least
_WHOLE = 1e15  # from here on numbers are shown with an exponent


@frozen
class Condition:
    """A condition on one column. ``values`` is one value, or several of ``in``; None is a missing value."""

    column: str
    operator: Operator
    values: tuple[Cell, ...]

    @property
    def text(self) -> str:
        """Such as ``lr >= 0.3``, ``optimizer in (rmsprop, sgd)`` or ``warmup = null``, in every language."""
        is_limit = self.operator in ("<=", ">=")  # these have as many digits as they need
        texts = [_text(value) if is_limit else _shown(value) for value in self.values]
        shown = f"({', '.join(texts)})" if self.operator == "in" else texts[0]
        return f"{self.column} {self.operator} {shown}"

    def holds(self, cells: Sequence[Cell]) -> Mask:
        """Which cells of the column meet the condition. Only ``!=`` and ``= null`` hold for a missing one."""
        return _Values.of(self.column, cells).meets(self)


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
    values = {name: _Values.of(name, cells) for name, cells in columns.items()}
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


def _clearest(values: Mapping[str, _Values], marks: Mask, chance: float) -> tuple[Shared, ...]:
    """The clearest condition, and those of other columns that the runs cannot tell from it."""
    runs, faulty = len(marks), int(np.count_nonzero(marks))
    others = runs - faulty
    if not faulty or not others:
        return ()
    test, everywhere = _FisherTest(runs, faulty), np.ones(runs, np.bool_)
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


@frozen(eq=False)
class _FisherTest:
    """The distribution of faulty runs in a random choice of some of the runs."""

    runs: int
    faulty: int
    _logs: NDArray[np.float64] = field(init=False)  # of factorials
    _tails: dict[int, NDArray[np.float64]] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, self.runs + 1)))])
        object.__setattr__(self, "_logs", logs)

    def log_probability(self, met: _Counts, hits: _Counts) -> NDArray[np.float64]:
        """Of exactly so many hits among the runs that meet a condition."""
        others, missed = met - hits, self.faulty - hits
        rest = self.runs - self.faulty - others
        parts = self._logs[met] + self._logs[self.runs - met]
        parts = parts + self._logs[self.faulty] + self._logs[self.runs - self.faulty] - self._logs[self.runs]
        return np.asarray(
            parts - self._logs[hits] - self._logs[others] - self._logs[missed] - self._logs[rest]
        )

    def tails(self, met: int) -> NDArray[np.float64]:
        """The probabilities of at least so many hits, from the fewest that are possible on."""
        if met not in self._tails:
            hits = np.arange(max(0, met - self.runs + self.faulty), min(met, self.faulty) + 1)
            exact = np.exp(self.log_probability(np.full(len(hits), met), hits))
            self._tails[met] = np.cumsum(exact[::-1])[::-1]
        return self._tails[met]

    def tail(self, met: int, hits: int) -> float:
        """Fisher's exact test, one-sided: the probability of at least so many hits."""
        return float(self.tails(met)[hits - max(0, met - self.runs + self.faulty)])

    def corrected(self, met: int, hits: int, sizes: _Counts) -> float:
        """An upper bound for any of the conditions; ``sizes`` counts them by the runs that meet them."""
        found = self.tail(met, hits)
        if self.runs > _EXACT_RUNS:
            return min(1.0, found * int(sizes.sum()))
        total = 0.0
        for size in np.flatnonzero(sizes).tolist():
            tails = self.tails(size)
            reached = tails[tails <= found * (1 + 1e-9)]
            if len(reached):
                total += int(sizes[size]) * float(reached[0])
        return min(1.0, total)


@frozen(eq=False)
class _Values:
    """A column as the codes of its values; the last code is for runs without a value."""

    name: str
    values: Sequence[Cell]  # by code: numbers from the smallest to the largest, or texts
    codes: NDArray[np.intp]
    is_number: bool

    @classmethod
    def of(cls, name: str, cells: Iterable[Cell]) -> _Values:
        """NaN is no value. Texts count as numbers if all cells are numbers."""
        present = [None if isinstance(cell, float) and cell != cell else cell for cell in cells]
        numbers = [_number(cell) for cell in present]
        is_number = all(
            (cell is None) == (number is None) for cell, number in zip(present, numbers, strict=True)
        )
        keys: Sequence[Cell] = (
            numbers if is_number else [None if one is None else _text(one) for one in present]
        )
        known: list[Any] = sorted({key for key in keys if key is not None})
        places: dict[Cell, int] = {key: place for place, key in enumerate(known)}
        codes = np.array([places.get(key, len(known)) for key in keys], np.intp)
        return cls(name, known, codes, is_number)

    def part(self, rows: Mask) -> _Values:
        """Of some of the runs."""
        cells = [*self.values, None]
        return _Values.of(self.name, [cells[code] for code in self.codes[rows].tolist()])

    def meets(self, condition: Condition) -> Mask:
        """Which runs meet a condition on this column."""
        known = [*self.values, None]
        if condition.operator in ("<=", ">="):
            limit = cast(float, condition.values[0])
            numbers = np.array([np.nan if value is None else value for value in known], np.float64)
            met = numbers >= limit if condition.operator == ">=" else numbers <= limit
        else:
            met = np.array([value in condition.values for value in known], np.bool_)
        return np.asarray(~met if condition.operator == "!=" else met)[self.codes]

    @property
    def groups(self) -> bytes:
        """Equal for columns that propose the same conditions, such as a number and its logarithm."""
        codes = self.codes
        if self.is_number and len(self.values) > 2:
            turned = np.where(codes < len(self.values), len(self.values) - 1 - codes, codes)
            return b"n" + min(codes.tobytes(), turned.tobytes())
        _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
        return b"t" + first[inverse.reshape(-1)].tobytes()

    @cached_property
    def _others(self) -> Sequence[tuple[Operator, tuple[int, ...]]]:
        """Operators and codes of the conditions on texts and missing values."""
        number = len(self.values)
        found: list[tuple[Operator, tuple[int, ...]]] = []
        if not self.is_number and 1 < number <= max(2, len(self.codes) // 2):
            found += [("=", (code,)) for code in range(number)]
            if number <= _FEW:
                for several in range(2, min(_TOGETHER, number - 1) + 1):
                    found += [("in", codes) for codes in combinations(range(number), several)]
            if number > _TOGETHER + 1:
                found += [("!=", (code,)) for code in range(number)]
        if (self.codes == number).any():
            there: tuple[Operator, int] = ("=", 0) if number == 1 else ("!=", number)
            found += [("=", (number,)), (there[0], (there[1],))]
        return found

    def counts(self, rows: Mask) -> _Counts:
        """How many of the rows meet each condition.

        Of numbers, first those from each value on, those up to each value, and those of each value between.
        """
        sizes = np.bincount(self.codes[rows], minlength=len(self.values) + 1)
        ordered = sizes[:-1] if self.is_number else sizes[:0]
        found = [np.cumsum(ordered[::-1])[:-1], np.cumsum(ordered)[:-1], ordered[1:-1]]
        total = int(sizes.sum())
        others = [(int(sizes[list(codes)].sum()), operator == "!=") for operator, codes in self._others]
        found.append(np.array([total - met if turned else met for met, turned in others], np.intp))
        return np.concatenate(found).astype(np.intp)

    def condition(self, place: int) -> Condition:
        """The condition at a place of ``counts``."""
        last = len(self.values) - 1 if self.is_number else 0
        ordered = 2 * last + max(0, last - 1)
        if place >= ordered:
            operator, codes = self._others[place - ordered]
            return Condition(self.name, operator, tuple([*self.values, None][code] for code in codes))
        numbers = cast(Sequence[float], self.values)
        if place in (0, last) or place >= 2 * last:
            code = last if place == 0 else 0 if place == last else place - 2 * last + 1
            return Condition(self.name, "=", (numbers[code],))
        if place < last:
            code = last - place
            return Condition(self.name, ">=", (_between(numbers[code], numbers[code - 1], ROUND_FLOOR),))
        code = place - last
        return Condition(self.name, "<=", (_between(numbers[code], numbers[code + 1], ROUND_CEILING),))


def _between(inside: float, outside: float, rounding: str) -> float:
    """A number of few digits at ``inside`` or a little nearer to ``outside``."""
    for digits in range(_DIGITS, 17):
        rounded = float(Context(prec=digits, rounding=rounding).create_decimal(repr(inside)))
        if rounded != outside and (rounded > outside) == (inside > outside):
            return rounded
    return inside


def _number(cell: Cell) -> float | None:
    if isinstance(cell, bool) or cell is None:
        return None
    try:
        number = float(cell)
    except (ValueError, OverflowError):
        return None
    return None if number != number or (isinstance(cell, str) and np.isinf(number)) else number


def _text(value: Cell) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < _WHOLE else repr(value)
    return str(value)


def _shown(value: Cell) -> str:
    return f"{value:.6g}" if isinstance(value, float) and not value.is_integer() else _text(value)
