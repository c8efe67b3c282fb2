"""Parses times from text to integer nanoseconds, without floats, which would lose digits."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

import numpy as np
from numpy.typing import NDArray

_DOT, _LINE = ord("."), ord("\n")
_LARGEST = 1 << 62

NO_TIME = -(1 << 63)


def nanoseconds(values: Sequence[object], *, unit: int = 1000) -> NDArray[np.int64]:
    """Times as they stand in a trace: whole numbers, texts of decimal numbers; a number has ``unit`` ns
    (a microsecond). Invalid times become NO_TIME."""
    if not values:
        return np.empty(0, np.int64)
    if unit == 1000:
        found = _with_three_decimals(values)
        if found is not None:
            return found
    return np.fromiter((exact(value, unit) for value in values), np.int64, len(values))


def _with_three_decimals(values: Sequence[object]) -> NDArray[np.int64] | None:
    """All at once where every value is a text such as 4364375274519.945; else None."""
    try:
        text = "\n".join(values)  # type: ignore[arg-type]
        data = np.frombuffer(text.encode("ascii") + b"\n", np.uint8)
    except (TypeError, UnicodeEncodeError):
        return None
    dots, ends = np.flatnonzero(data == _DOT), np.flatnonzero(data == _LINE)
    if len(dots) != len(values) or len(ends) != len(values) or not np.array_equal(dots + 4, ends):
        return None
    digits = data - ord("0")
    digits[dots] = digits[ends] = 0
    widths = np.diff(ends, prepend=-1)
    if int(digits.max()) > 9 or int(widths.min()) < 5 or int(widths.max()) > 20:
        return None
    return np.fromstring(text.replace(".", ""), np.int64, sep="\n")


def exact(value: object, unit: int = 1000) -> int:
    """One time in nanoseconds, rounded to the nearest; NO_TIME for what is none."""
    if isinstance(value, int):
        return value * unit if abs(value * unit) < _LARGEST else NO_TIME
    if not isinstance(value, str):
        return NO_TIME
    whole, _, rest = value.partition(".")
    if (
        unit == 1000
        and whole.isdecimal()
        and whole.isascii()
        and len(rest) <= 3
        and (rest or "0").isdecimal()
    ):
        found = int(whole + rest.ljust(3, "0"))
        return found if found < _LARGEST else NO_TIME
    try:
        scaled = Decimal(value.strip()) * unit
        return int(scaled.to_integral_value()) if abs(scaled) < _LARGEST else NO_TIME
    except (InvalidOperation, ValueError):
        return NO_TIME
