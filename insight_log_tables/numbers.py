"""Texts as numbers and times."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

_WORDS = {"true": 1.0, "false": 0.0}  # booleans; float() reads every spelling of NaN and infinity


def number(value: object) -> float | None:
    """A number, a boolean or a text of either; None for anything else."""
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:  # an integer beyond the range of float64
        return float("-inf") if str(value).startswith("-") else float("inf")
    except (TypeError, ValueError):
        return _WORDS.get(value.strip().lower()) if isinstance(value, str) else None


def numbers(texts: Sequence[Any]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Each text as a number, NaN where it is none, and the places where it is none."""
    try:
        return np.fromiter(map(float, texts), np.float64, len(texts)), np.empty(0, np.intp)
    except (TypeError, ValueError, OverflowError):
        found = list(map(number, texts))
        bad = np.flatnonzero([value is None for value in found])
        return np.array([np.nan if value is None else value for value in found], np.float64), bad


def whole_numbers(
    texts: Sequence[Any], convert: Callable[[Any], int] = int
) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Each text as an int64, 0 where it is none, and the places where it is none.

    ``convert`` raises for anything that is not a whole number.
    """
    try:
        return np.fromiter(map(convert, texts), np.int64, len(texts)), np.empty(0, np.intp)
    except (TypeError, ValueError, OverflowError):
        found = list(map(_whole, texts))
        bad = np.flatnonzero([value is None for value in found])
        return np.array([value or 0 for value in found], np.int64), bad


def seconds(cells: Sequence[Any], unit: float = 1.0) -> NDArray[np.float64]:
    """Each cell as seconds since the epoch, NaN where it is none.

    Numbers are times of ``unit`` seconds, texts may be dates in ISO 8601, in UTC unless they say otherwise.
    """
    times, bad = numbers(cells)
    times *= unit
    for place in bad.tolist():
        with suppress(TypeError, ValueError, OverflowError):
            date = datetime.fromisoformat(cells[place])
            times[place] = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    return times


def _whole(value: object) -> int | None:
    """A whole number; of a text such as ``7/100`` the part before the slash."""
    try:
        whole = int(value.partition("/")[0]) if isinstance(value, str) else operator.index(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        as_float = number(value)
        if as_float is None or not as_float.is_integer():  # NaN and infinities are not
            return None
        whole = int(as_float)
    return whole if -(1 << 63) <= whole < 1 << 63 else None
