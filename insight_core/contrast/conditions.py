"""Conditions on hyperparameters, and those that the values of a column propose."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from functools import cached_property
from itertools import combinations
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.contrast.fisher import Counts

Cell: TypeAlias = str | int | float | bool | None
Operator: TypeAlias = Literal["=", "!=", ">=", "<=", "in"]
Mask: TypeAlias = NDArray[np.bool_]

_TOGETHER = 3  # values of one condition, at most
_FEW = 12  # values: of more, no several are tried together
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
        return CodedColumn.of(self.column, cells).meets(self)


@frozen(eq=False)
class CodedColumn:
    """A column as the codes of its values; the last code is for runs without a value."""

    name: str
    values: Sequence[Cell]  # by code: numbers from the smallest to the largest, or texts
    codes: NDArray[np.intp]
    is_number: bool

    @classmethod
    def of(cls, name: str, cells: Iterable[Cell]) -> CodedColumn:
        """NaN counts as missing. Texts count as numbers if all cells are numbers."""
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

    def part(self, rows: Mask) -> CodedColumn:
        """Of some of the runs."""
        cells = [*self.values, None]
        return CodedColumn.of(self.name, [cells[code] for code in self.codes[rows].tolist()])

    def meets(self, condition: Condition) -> Mask:
        """Which runs meet a condition on this column."""
        known = [*self.values, None]
        if condition.operator in ("<=", ">="):
            limit = cast(float, condition.values[0])
            numbers = np.array([np.nan if value is None else value for value in known], np.float64)
            met = numbers >= limit if condition.operator == ">=" else numbers <= limit
        else:
            wanted = {(value is None, _text(value)) for value in condition.values}
            met = np.array([(value is None, _text(value)) in wanted for value in known], np.bool_)
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
        repeats = 1 < number <= max(2, len(self.codes) // 2)
        if repeats and not self.is_number:
            found += [("=", (code,)) for code in range(number)]
        if repeats and number <= _FEW:
            for several in range(2, min(_TOGETHER, number - 1) + 1):
                ends = [tuple(range(several)), tuple(range(number - several, number))]
                sets = combinations(range(number), several)
                found += [("in", codes) for codes in sets if not (self.is_number and codes in ends)]
        if repeats and number > _TOGETHER + 1:
            found += [("!=", (code,)) for code in range(number) if not self.is_number]
        if (self.codes == number).any():
            there: tuple[Operator, int] = ("=", 0) if number == 1 else ("!=", number)
            found += [("=", (number,)), (there[0], (there[1],))]
        return found

    def counts(self, rows: Mask) -> Counts:
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
        last = max(0, len(self.values) - 1) if self.is_number else 0
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
    except (TypeError, ValueError, OverflowError):
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
