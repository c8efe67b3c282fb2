"""Encodes JSON answers; non-finite floats become strings."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np


def encode_json(value: object) -> bytes:
    """JSON text in ASCII; numpy arrays become lists, sets sorted lists, tuples lists.

    A number that is not finite becomes the string "NaN", "Infinity" or "-Infinity". float32 values
    are written as the float64 they equal exactly. Raises TypeError for what JSON cannot hold.
    """
    try:
        text = json.dumps(value, default=_plain, allow_nan=False, separators=(",", ":"))
    except ValueError:  # some float is not finite: check every one, which is slower
        text = json.dumps(_named(value), default=_plain, allow_nan=False, separators=(",", ":"))
    return text.encode("ascii")


def name_of_float(number: float) -> float | str:
    """The number itself if it is finite, else its JSON string."""
    if math.isfinite(number):
        return number
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


def list_of_column(column: np.ndarray[Any, Any]) -> object:
    """The array as (nested) lists of Python values, strings where a number is not finite."""
    if column.dtype.kind != "f":
        return column.tolist()
    finite = np.isfinite(column)
    if finite.all():
        return column.tolist()
    named = column.astype(object)
    named[np.isnan(column)] = "NaN"
    named[np.isposinf(column)] = "Infinity"
    named[np.isneginf(column)] = "-Infinity"
    return named.tolist()


def _plain(value: object) -> object:
    """``json.dumps`` fallback for NumPy and collection types."""
    if isinstance(value, np.ndarray):
        return list_of_column(value)
    if isinstance(value, np.generic):
        item = value.item()
        return name_of_float(item) if isinstance(item, float) else item
    if isinstance(value, Set):
        return sorted(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return list(value)
    raise TypeError(f"JSON cannot hold a {type(value).__name__}")


def _named(value: object) -> object:
    """Replaces every non-finite float in the tree by its name."""
    if isinstance(value, float):
        return name_of_float(float(value))
    if isinstance(value, Mapping):
        return {key: _named(item) for key, item in value.items()}
    if isinstance(value, list | tuple | Set):
        return [_named(item) for item in (sorted(value) if isinstance(value, Set) else value)]
    return value
