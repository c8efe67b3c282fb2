"""Checks scalar values, and names a value in its error."""

from __future__ import annotations

from collections.abc import Iterable

from insight_core.recording.arrays import numbers_of


def number_of(value: object) -> float:
    """The number of a scalar. Raises TypeError for other values, ValueError for more than one."""
    if isinstance(value, (str, bytes, bytearray)):
        raise TypeError(f"a scalar is a number, not {type(value).__name__}")
    if isinstance(value, (int, float)):
        return _float_of(value)
    array = numbers_of(value)
    check_one(array.shape)
    return _float_of(array.reshape(-1)[0])


def check_one(shape: Iterable[int]) -> None:
    """Raises ValueError unless an array of this shape has exactly one element."""
    if any(size != 1 for size in shape):
        raise ValueError(f"a scalar is one number, not an array of shape {list(shape)}")


def named(error: Exception, kind: str, name: object) -> Exception:
    """The TypeError or ValueError of a value, with its kind and name added."""
    return (TypeError if isinstance(error, TypeError) else ValueError)(f"{kind} {name!r}: {error}")


def _float_of(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer beyond the range of floats
        return float("inf") if value > 0 else float("-inf")
