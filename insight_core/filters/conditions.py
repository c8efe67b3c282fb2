"""Filters of runs: comparisons of columns, and their combination."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from attrs import frozen

from insight_core.filters.column import Column, Mask
from insight_core.filters.naming import FilterError, NoColumn
from insight_core.plugin import InvalidArgument
from insight_record.formats.reason import Reason

OPERATORS = ("eq", "ne", "lt", "gt", "le", "ge", "in", "not_in")
Lookup: TypeAlias = Callable[[str], Column]  # raises NoColumn


class ExpressionError(FilterError):
    """What is wrong with the text of a condition.

    ``position`` counts its characters from 0; suggestions stand for the ``length`` characters from there on.
    """

    def __init__(
        self,
        reason: str | Reason,
        position: int,
        suggestions: Sequence[str] = (),
        *,
        length: int = 0,
        code: str = "bad_expression",
        **details: object,
    ) -> None:
        super().__init__(reason, suggestions, code=code, position=position, length=length, **details)
        self.position = position


@frozen
class Comparison:
    """``position`` is where a text has the column (None: from no text), ``length`` how many characters."""

    column: str
    operator: str
    value: object
    position: int | None = None
    length: int = 0

    def holds(self, lookup: Lookup) -> Mask:
        """bool[rows]. Raises ExpressionError, or NoColumn without a position, for an unknown column."""
        try:
            column = lookup(self.column)
        except NoColumn as error:
            if self.position is None:
                raise
            raise ExpressionError(
                error.reason,
                self.position,
                error.suggestions,
                length=self.length,
                code=error.code,
                column=self.column,
            ) from error
        return column.matches(self.operator, self.value)


@frozen
class Not:
    """Holds where the inner condition does not."""

    inner: Condition

    def holds(self, lookup: Lookup) -> Mask:
        """bool[rows]: the negation."""
        return ~self.inner.holds(lookup)


@frozen
class All:
    """``parts`` is not empty."""

    parts: Sequence[Condition]

    def holds(self, lookup: Lookup) -> Mask:
        """bool[rows]: rows where every part holds."""
        return np.asarray(np.logical_and.reduce([part.holds(lookup) for part in self.parts]))


@frozen
class Any:
    """``parts`` is not empty."""

    parts: Sequence[Condition]

    def holds(self, lookup: Lookup) -> Mask:
        """bool[rows]: rows where at least one part holds."""
        return np.asarray(np.logical_or.reduce([part.holds(lookup) for part in self.parts]))


Condition: TypeAlias = Comparison | Not | All | Any


def conditions_of(text: str) -> list[Comparison]:
    """``{column: {operator: value}}`` as comparisons that must all hold. Raises InvalidArgument."""
    try:
        wanted = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidArgument(f"filter is not valid JSON: {error}") from error
    if not isinstance(wanted, dict):
        raise InvalidArgument("filter must be a JSON object of columns")
    found = []
    for column, comparisons in wanted.items():
        if not isinstance(comparisons, dict):
            raise InvalidArgument(f"filter: {column!r} must have a JSON object of operators")
        for operator, value in comparisons.items():
            if operator not in OPERATORS:
                allowed = ", ".join(OPERATORS)
                raise InvalidArgument(f"filter: {column!r} has {operator!r}; the operators are {allowed}")
            found.append(Comparison(column, operator, _value(column, operator, value)))
    return found


def _value(column: str, operator: str, value: object) -> object:
    many = operator in ("in", "not_in")
    if many and not isinstance(value, list):
        raise InvalidArgument(f"filter: {operator} of {column!r} must have a list")
    for one in value if many and isinstance(value, list) else [value]:
        plain = one is None or isinstance(one, bool | int | float | str)
        if not plain and not (isinstance(one, list) and operator not in ("lt", "gt", "le", "ge")):
            raise InvalidArgument(f"filter: {operator} of {column!r} has a value of no column: {one!r:.100}")
    return value
