"""One column of the run table: mixed values, compared and sorted with array operations."""

from __future__ import annotations

import json
import math
import operator
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from insight_record.formats.json_text import encode_json

Mask: TypeAlias = NDArray[np.bool_]
Cell: TypeAlias = str | bool | int | float | list[Any]  # None is a missing one
Values: TypeAlias = NDArray[np.object_]

MISSING, NUMBER, TEXT, LIST = 0, 1, 2, 3  # kinds of values
_KINDS = {type(None): MISSING, bool: NUMBER, int: NUMBER, float: NUMBER, str: TEXT, list: LIST}
_LAST_NAN, _LAST_MISSING = 8, 9  # classes of the sort order; else the kind is the class
_EXACT = 2.0**53  # from here on not every integer is a float
_LONG = re.compile(r"-?[1-9][0-9]{15,99}")
_TYPES: Mapping[frozenset[type], str] = {
    frozenset({int}): "int",
    frozenset({float}): "float",
    frozenset({int, float}): "float",
    frozenset({bool}): "bool",
    frozenset({str}): "str",
    frozenset({list}): "list",
}
_ORDERED: Mapping[str, Callable[[Any, Any], Any]] = {
    "lt": operator.lt,
    "gt": operator.gt,
    "le": operator.le,
    "ge": operator.ge,
}


class Column:
    """``values`` has a cell for each run, or None. Immutable.

    ``keeps_json``: what ``encoded`` has made is kept. Not worth its memory for one of very many columns.
    """

    def __init__(self, name: str, group: str, title: str, values: Values, *, keeps_json: bool = True) -> None:
        self.name, self.group, self.title = name, group, title
        self.values = values
        self._keeps_json = keeps_json

    @classmethod
    def of_numbers(
        cls,
        name: str,
        group: str,
        title: str,
        numbers: NDArray[np.float64],
        present: Mask,
        *,
        keeps_json: bool = True,
    ) -> Column:
        """A float column; cells where ``present`` is False are None."""
        values = numbers.astype(object)
        values[~present] = None
        column = cls(name, group, title, values, keeps_json=keeps_json)
        column.__dict__.update(  # what else would be made of the values, one by one
            kinds=np.where(present, NUMBER, MISSING).astype(np.int8),
            numbers=np.where(present, numbers, np.nan),
            type="float",
        )
        return column

    @cached_property
    def kinds(self) -> NDArray[np.int8]:
        """int8[rows]: the kind of each cell, MISSING for None."""
        return np.fromiter(map(_KINDS.__getitem__, map(type, self.values)), np.int8, len(self.values))

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """The numbers, booleans as 0 and 1, NaN for missing values; large integers are rounded."""
        found = np.full(len(self.values), np.nan)
        numbers = self.kinds == NUMBER
        found[numbers] = self.values[numbers].astype(np.float64)
        return found

    @cached_property
    def type(self) -> str:
        """The common type of the cells: int, float, bool, str, list or mixed."""
        types = frozenset(map(type, self.values)) - {type(None)}
        return _TYPES.get(types, "mixed")

    @cached_property
    def count(self) -> int:
        """Number of cells with a value."""
        return int(np.count_nonzero(self.kinds))

    @cached_property
    def has_numbers(self) -> bool:
        """Whether any cell is a number."""
        return bool((self.kinds == NUMBER).any())

    @cached_property
    def shown(self) -> Values:
        """The values as JSON holds them: a number that is not finite by its name."""
        odd = (self.kinds == NUMBER) & ~np.isfinite(self.numbers)
        lists = self.kinds == LIST
        if not odd.any() and not lists.any():
            return self.values
        shown = self.values.copy()
        numbers = self.numbers[odd]
        shown[odd] = np.where(np.isnan(numbers), "NaN", np.where(numbers > 0, "Infinity", "-Infinity"))
        for row in np.flatnonzero(lists).tolist():
            shown[row] = json.loads(encode_json(shown[row]))  # or one NaN makes every answer slow
        return shown

    def encoded(self, rows: NDArray[np.intp]) -> str:
        """The values of these rows as a list in JSON."""
        is_made = "_json" in self.__dict__
        if not self._keeps_json or (not is_made and 2 * len(rows) < len(self.values)):
            return encode_json(self.shown[rows].tolist()).decode("ascii")
        return f"[{','.join(self._json[rows].tolist())}]"

    @cached_property
    def _json(self) -> Values:
        """Each value as JSON: to write numbers takes longer than all else in an answer of many rows."""
        texts = np.empty(len(self.values), object)
        lists = self.kinds == LIST
        texts[lists] = [encode_json(one).decode("ascii") for one in self.shown[lists]]
        if not lists.all():  # no text of JSON has a line break in it
            lines = json.dumps(self.shown[~lists].tolist(), allow_nan=False, separators=("\n", ":"))
            texts[~lists] = lines[1:-1].split("\n")
        return texts

    @cached_property
    def order(self) -> tuple[NDArray[np.int8], NDArray[np.float64]]:
        """Class and value by which rows are sorted: numbers, texts, lists, NaN, nothing."""
        classes, values = self.kinds.copy(), np.zeros(len(self.values))
        numbers = classes == NUMBER
        values[numbers] = self.numbers[numbers]
        if (np.abs(values) >= _EXACT).any():
            finite = numbers & ~np.isnan(values)
            ranks = {value: rank for rank, value in enumerate(sorted(set(self.values[finite])))}
            values[finite] = [ranks[value] for value in self.values[finite]]
        for kind, texts in ((TEXT, self._texts), (LIST, self._list_texts)):
            places = self.kinds == kind
            if places.any():
                values[places] = np.unique(texts(places), return_inverse=True)[1].reshape(-1)
        nan = numbers & np.isnan(values)
        classes[nan], values[nan] = _LAST_NAN, 0
        classes[self.kinds == MISSING] = _LAST_MISSING
        return classes, values

    def sort_keys(self, rows: NDArray[np.intp], *, downwards: bool) -> tuple[NDArray[np.float64], ...]:
        """Keys for numpy.lexsort, the one that counts most last. What has no place in an order stays last."""
        classes, values = self.order[0][rows].astype(np.float64), self.order[1][rows]
        if downwards:
            values, classes = -values, np.where(classes < _LAST_NAN, -classes, classes)
        return values, classes

    def matches(self, how: str, value: object) -> Mask:
        """Which rows hold. ``how`` is eq, ne, lt, gt, le, ge, in or not_in; ``value`` a cell, None or, of
        the last two, a list of these."""
        if how == "in":
            return self._is_one_of(value if isinstance(value, list | tuple) else ())
        if how == "not_in":
            return ~self.matches("in", value)
        if how == "eq":
            return self._equals(value)
        return ~self._equals(value) if how == "ne" else self._ordered(_ORDERED[how], value)

    def finite(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """The finite numbers among these rows."""
        numbers = self.numbers[rows]
        return numbers[np.isfinite(numbers)]

    def _is_one_of(self, values: Sequence[object]) -> Mask:
        texts = {one for one in values if isinstance(one, str)}  # may be the names of a thousand runs
        found: Mask = (self.kinds == TEXT) & bool(texts)
        found[found] = [one in texts for one in self.values[found]]
        for one in values:
            if not isinstance(one, str):
                found |= self._equals(one)
        return found

    def _equals(self, value: object) -> Mask:
        if value is None:
            return np.asarray(self.kinds == MISSING)
        if isinstance(value, bool | int | float):
            return self._compared(operator.eq, value)
        found: Mask = self.kinds == (TEXT if isinstance(value, str) else LIST)
        found[found] = [one == value for one in self.values[found]]
        return found

    def _ordered(self, holds: Callable[[Any, Any], Any], value: object) -> Mask:
        if isinstance(value, bool | int | float):
            return self._compared(holds, value)
        found: Mask = self.kinds == TEXT
        if not isinstance(value, str):
            return np.zeros_like(found)
        found[found] = [holds(one, value) for one in self.values[found]]
        return found

    def _compared(self, holds: Callable[[Any, Any], Any], value: float) -> Mask:
        """``value`` is a number of any size."""
        try:
            near = float(value)
        except OverflowError:
            near = math.inf if value > 0 else -math.inf
        with np.errstate(invalid="ignore"):
            found = np.asarray(holds(self.numbers, near), np.bool_)
        if abs(near) >= _EXACT:  # what is not equal is in the right order as it is
            equal = self.numbers == near
            found[equal] = [holds(one, value) for one in self.values[equal]]
        rows, long = self._long_numbers
        found[rows] = [holds(one, value) for one in long]
        return found

    @cached_property
    def _long_numbers(self) -> tuple[NDArray[np.intp], list[int]]:
        """Rows and numbers of texts that are long integers: logs keep these as text for their digits."""
        texts = np.flatnonzero(self.kinds == TEXT)
        rows = [row for row in texts.tolist() if _LONG.fullmatch(self.values[row])]
        return np.array(rows, np.intp), [int(self.values[row]) for row in rows]

    def _texts(self, places: Mask) -> Values:
        return self.values[places]

    def _list_texts(self, places: Mask) -> Sequence[str]:
        return [encode_json(one).decode("ascii") for one in self.values[places]]


def moved(values: NDArray[Any], origin: NDArray[np.intp], missing: object) -> NDArray[Any]:
    """Values in other rows: ``origin`` is the row that each was in, -1 for one that was in none."""
    if not len(values):
        return np.full(len(origin), missing, values.dtype)
    found = values[origin]
    found[origin < 0] = missing
    return found


def values_of(cells: Collection[Cell | None]) -> Values:
    """An object array of the cells."""
    return np.fromiter(cells, object, len(cells))
