"""Filters of runs: comparisons of columns, and their combination."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import TypeAlias

import numpy as np
from attrs import frozen

from insight_core.filters.column import Column, Mask
from insight_core.plugin import InvalidArgument
from insight_record.formats.reason import Reason, ReasonKind

OPERATORS = ("eq", "ne", "lt", "gt", "le", "ge", "in", "not_in")
CONSTANTS: Mapping[str, object] = {
    "true": True,
    "false": False,
    "null": None,
    "nan": math.nan,
    "inf": math.inf,
}
RESERVED = {"and", "or", "not", "in", *CONSTANTS}  # words of the grammar: a column called like one is quoted
PLAIN_WORD = re.compile(r"[^\W\d][\w./:#-]*")  # a column that needs no quotes
Lookup: TypeAlias = Callable[[str], Column]  # raises NoColumn
_DID_YOU_MEAN = ReasonKind("did_you_mean", "; did you mean {name}?")


class NoColumn(InvalidArgument):
    """No run has a column of this name. ``similar`` are names that may be meant, the likeliest first."""

    def __init__(self, name: str, known: Iterable[str] = ()) -> None:
        self.similar = similar(name, known)
        hint = _hint(list(map(quoted, self.similar)))
        super().__init__(f"no run has a column {name!r}{hint}")


class ExpressionError(InvalidArgument):
    """What is wrong with the text of a condition. ``position`` counts its characters from 0."""

    def __init__(self, text: str | Reason, position: int) -> None:
        super().__init__(
            f"where, at character {position + 1}: {text}",
            code="bad_expression",
            reason=text,
            position=position,
        )
        self.position = position


def _hint(suggestions: Sequence[str]) -> str:
    if not suggestions:
        return ""
    return _DID_YOU_MEAN(name=suggestions[0])


def similar(name: str, known: Iterable[str]) -> list[str]:
    """At most three of the known names that are spelled like this one, whatever their case and group."""
    by_spelling: dict[str, str] = {}
    for one in known:
        for spelling in (one, one.partition("/")[2]):
            if spelling:
                by_spelling.setdefault(spelling.lower(), one)
    found = get_close_matches(name.lower(), by_spelling, n=6, cutoff=0.6)
    return list(dict.fromkeys(by_spelling[spelling] for spelling in found))[:3]


def quoted(name: str) -> str:
    """The name as an expression has it: in quotes unless it is a plain word."""
    plain = PLAIN_WORD.fullmatch(name) and name.lower() not in RESERVED
    return name if plain else '"' + name.replace('"', '""') + '"'


@frozen
class Comparison:
    """``position`` is where a text has it, None for what comes from no text."""

    column: str
    operator: str
    value: object
    position: int | None = None

    def holds(self, lookup: Lookup) -> Mask:
        """bool[rows]. Raises ExpressionError, or NoColumn without a position, for an unknown column."""
        try:
            column = lookup(self.column)
        except NoColumn as error:
            if self.position is None:
                raise
            found = ExpressionError(str(error), self.position)
            found.code = "unknown_column"
            suggestions = list(map(quoted, error.similar))
            found.details |= {"column": self.column, "suggestions": suggestions, "hint": _hint(suggestions)}
            raise found from error
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
