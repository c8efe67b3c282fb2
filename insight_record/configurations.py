"""Flattens configurations into named texts, numbers and booleans: ``{"a": {"b": 1}}`` becomes ``a/b``."""

from __future__ import annotations

import dataclasses
import enum
import sys
from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np

Cell: TypeAlias = str | bool | int | float

_DEEPEST = 32


def flat_cells(name: str, value: object) -> dict[str, Cell]:
    """The cells of a configuration: a mapping, a dataclass or a namespace (``parse_args()``), also nested.

    Numbers, texts and booleans stay as they are; Decimal, Fraction and arrays of one number become numbers, a
    function or class its name, and everything else text. None is left out. Raises TypeError for other values
    and for keys that are neither text nor whole numbers, ValueError for an empty key, for two cells of one
    name and for a configuration that contains itself.
    """
    found: dict[str, Cell] = {}
    for path, cell in _cells(name, value, "", 0):
        if path in found:
            raise ValueError(f"{name} has two values for {path!r}")
        found[path] = cell
    return found


def _cells(name: str, value: object, above: str, depth: int) -> Iterator[tuple[str, Cell]]:
    fields = fields_of(value)
    if fields is None:
        raise TypeError(f"{name} is a mapping, not {type(value).__name__}")
    if depth > _DEEPEST:
        raise ValueError(f"{name} is nested more than {_DEEPEST} times")
    for key, one in fields.items():
        if isinstance(key, bool) or not isinstance(key, (str, int)):
            raise TypeError(f"the keys of {name} are text, not {key!r}")
        if key == "":
            raise ValueError(f"a name in {name} is empty")
        path = f"{above}{key}"
        path.encode()  # UnicodeEncodeError is a ValueError
        if fields_of(one) is not None:
            yield from _cells(name, one, f"{path}/", depth + 1)
        elif one is not None:
            yield path, cell_of(one)


def cell_of(value: Any) -> Cell:  # noqa: ANN401
    """A value as a cell; see ``flat_cells``."""
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, (str, bool, int, float)):
        if isinstance(value, str):
            value.encode()
        return value
    if isinstance(value, (Decimal, Fraction)):
        return float(value)
    if isinstance(value, (np.generic, np.ndarray)) or hasattr(value, "item"):
        try:
            return cell_of(value.item())
        except (ValueError, TypeError, RuntimeError):  # more than one value
            return str(value)
    return str(getattr(value, "__name__", value)) if callable(value) else str(value)


def fields_of(value: Any) -> Mapping[Any, Any] | None:  # noqa: ANN401
    """The members of a mapping, a dataclass or a namespace; None of anything else."""
    if isinstance(value, Mapping):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, SimpleNamespace):
        return vars(value)
    parsing = sys.modules.get("argparse")  # a namespace of it exists only where it is imported
    return vars(value) if parsing is not None and isinstance(value, parsing.Namespace) else None
