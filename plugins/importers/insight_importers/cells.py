"""Values of JSON as numbers of a series and as cells of the run table."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any, TypeAlias

from insight_core.plugin import Flaw, Reason, ReasonKind

Cell: TypeAlias = str | bool | int | float

_DEEPEST = 20
_DEEPEST_JSON = 100
_MOST_CELLS = 5_000  # of one configuration
_LONGEST = 2_000  # characters of a text that is a cell
_LONGEST_NAME = 500
TOO_DEEP = Reason("it is nested too deeply", "importers_too_deep")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,399}|(?=\.[0-9]))(\.[0-9]*)?([eE][+-]?[0-9]{1,4})?")
_EXACT = 1 << 53  # beyond it not every integer is a float64
_ODD = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
_SETTINGS = ReasonKind("importers_settings", "{more:,} settings behind the first {most:,} are not shown")


def loaded(text: str | bytes) -> Any:  # noqa: ANN401 - JSON
    """The value of a text in JSON, which later code may follow to its leaves.

    Raises ValueError for a text that is not JSON, or whose value is nested too deeply.
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    except (TypeError, ValueError):
        raise ValueError(Reason("it is not valid JSON", "importers_no_json")) from None
    level = [value]
    for _ in range(_DEEPEST_JSON):
        level = [
            inner
            for one in level
            if isinstance(one, (dict, list))
            for inner in (one.values() if isinstance(one, dict) else one)
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return value
    raise ValueError(TOO_DEEP)


def number_of(value: object) -> float | None:
    """A number, a boolean or the name of a number that JSON lacks; None for other values."""
    if isinstance(value, (int, float)):
        try:
            return float(value)
        except OverflowError:
            return float("inf") if value > 0 else float("-inf")
    return _ODD.get(value) if isinstance(value, str) else None


def flat_leaves(values: Mapping[str, Any], separator: str = "/") -> Iterator[tuple[str, object]]:
    """The leaves of nested objects, by joined names."""
    yield from _leaves(values, "", separator, 0)


def _leaves(
    values: Mapping[str, Any], above: str, separator: str, depth: int
) -> Iterator[tuple[str, object]]:
    for key, value in values.items():
        name = f"{above}{key}"
        if isinstance(value, dict) and "_type" not in value and depth < _DEEPEST:
            yield from _leaves(value, name + separator, separator, depth + 1)
        else:
            yield name, value


def config_cells(config: Mapping[str, Any]) -> tuple[dict[str, Cell], list[Flaw]]:
    """A configuration as ``cells_of``, nested objects as ``a/b``; lists are JSON, None is left out."""
    return cells_of(_leaves(config, "", "/", 0))


def cells_of(settings: Iterable[tuple[str, object]]) -> tuple[dict[str, Cell], list[Flaw]]:
    """Settings as cells of the run table, and the damage of those that are too many."""
    found: dict[str, Cell] = {}
    more = 0
    for name, value in settings:
        cell = cell_of(value)
        if cell is None or not name:
            continue
        if len(found) < _MOST_CELLS:
            found[_shortened(utf8(name), _LONGEST_NAME)] = cell
        else:
            more += 1
    if not more:
        return found, []
    return found, [Flaw(0, _SETTINGS(more=more, most=_MOST_CELLS))]


def cell_of(value: object) -> Cell | None:
    """A value of JSON or YAML as a cell; None for null.

    An integer that float64 may not hold is a text of its digits, because every reader has those.
    """
    if value is None or isinstance(value, (bool, float)):
        return value
    if isinstance(value, int):
        return value if abs(value) <= _EXACT else str(value)
    if isinstance(value, (dict, list, tuple)):
        value = json.dumps(value, ensure_ascii=False, default=str)
    return _text(str(value))


def cell_of_text(text: str) -> Cell:
    """A text of a tracker that keeps every value as text: numbers and truths become such again.

    A text whose digits a number would lose stays a text: leading zeros, integers beyond 2^53.
    """
    if text in ("True", "true"):
        return True
    if text in ("False", "false"):
        return False
    plain = text.strip()
    if not _NUMBER.fullmatch(plain):
        return _text(text)
    number = float(plain) if set(plain) & set(".eE") else int(plain)
    if abs(number) <= _EXACT or (isinstance(number, float) and Decimal(plain) == Decimal(repr(number))):
        return number
    return _text(text)


def utf8(text: str) -> str:
    """A text that can be written as UTF-8: JSON and names of files may have halves of a character."""
    return text.encode("utf-8", "replace").decode()


def _text(text: str) -> str:
    return _shortened(utf8(text), _LONGEST)


def _shortened(text: str, most: int) -> str:
    """A long text says that it was cut."""
    if len(text) <= most:
        return text
    return f"{text[:most]}… (the first {most:,} of {len(text):,} characters)"
