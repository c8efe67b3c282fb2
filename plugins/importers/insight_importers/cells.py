"""Values of JSON as numbers of a series and as cells of the run table."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

Cell: TypeAlias = str | bool | int | float

_DEEPEST = 20
_MOST_CELLS = 5_000  # of one configuration
_LONGEST = 2_000  # characters of a text that is a cell
_LONGEST_NAME = 500
_ODD = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


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


def config_cells(config: Mapping[str, Any]) -> dict[str, Cell]:
    """A configuration as cells, nested objects as ``a/b``; lists are JSON, None is left out."""
    found: dict[str, Cell] = {}
    for name, value in _leaves(config, "", "/", 0):
        if len(found) == _MOST_CELLS:
            break
        cell = cell_of(value)
        if cell is not None and name:
            found[name[:_LONGEST_NAME]] = cell
    return found


def cell_of(value: object) -> Cell | None:
    """A value of JSON as a cell; None for null."""
    if value is None:
        return None
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        return value if abs(value) < 1 << 63 else float(value) if isinstance(value, float) else str(value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text.encode("utf-8", "replace").decode()[:_LONGEST]


def cell_of_text(text: str) -> Cell:
    """A text of a tracker that keeps every value as text: numbers and truths become such again."""
    if text in ("True", "true"):
        return True
    if text in ("False", "false"):
        return False
    try:
        number = int(text) if text.strip().lstrip("+-").isdecimal() else float(text)
    except ValueError:
        return text[:_LONGEST]
    if "_" in text or not math.isfinite(number) or abs(number) >= 1 << 63:
        return text[:_LONGEST]
    return number
