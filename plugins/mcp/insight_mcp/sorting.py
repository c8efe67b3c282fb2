"""Orders things by a value that some of them do not have."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def in_order(things: Sequence[T], values: Sequence[object], is_descending: bool) -> list[T]:
    """By value: numbers before texts. Those without one, and NaN, come last whatever the direction."""
    known = [place for place, value in enumerate(values) if not _is_missing(value)]
    missing = [place for place, value in enumerate(values) if _is_missing(value)]
    known.sort(key=lambda place: _rank(values[place]), reverse=is_descending)
    return [things[place] for place in (*known, *missing)]


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _rank(value: object) -> tuple[bool, float, str]:
    is_number = isinstance(value, int | float)
    return not is_number, float(str(value + 0)) if is_number else 0.0, "" if is_number else str(value)  # type: ignore[operator]
