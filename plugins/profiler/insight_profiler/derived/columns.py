"""Columns of tables in the making: those of the model, those that readers add, and absent values."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from insight_profiler.model import TABLES, Category, Column, Table

Columns: TypeAlias = MutableMapping[str, Column]  # a table in the making

# columns of readers in addition to those of the model: input of derived columns
EXTRA: Mapping[str, Mapping[str, np.dtype[Any]]] = {
    name: {column: np.dtype(kind) for column, kind in columns.items()}
    for name, columns in {
        "slices": {
            "type": "i4",  # text: a slice with a type is a call of the operator `name`
            "scope": "i4",  # text, of that operator
            "shapes": "i4",  # text, of that operator
            "flops": "f8",  # of that call; NaN when not known
            "repeated": "f8",  # of these: those that the forward pass had done before
            "traffic": "f8",  # bytes that it moves at least; NaN when not known
            "forward": "u1",  # 1: autograd records it for a backward pass
            "precision": "i4",  # of its inputs, where operations are counted
            "correlation": "i8",  # what a call of the runtime and the work that it launched have in common
            "external": "i8",  # what an operator and the work that it launched have in common
            "marker": "u1",  # 1: marks a step, no work
        },
        "links": {"start": "i8"},  # tells the step where the log does not
        "allocations": {"track": "i4"},  # where it was taken: the operator around gives it its name
        # ends of flows; those of one `flow` are joined in the order of time
        "arrows": {"flow": "i8", "kind": "u1", "begins": "u1", "track": "i4", "time": "i8"},
    }.items()
}
_OTHERWISE = {"category": int(Category.OTHER)}  # what absent columns hold that is not the rule


def column_types(table: str) -> dict[str, np.dtype[Any]]:
    """Columns that may be added to a table."""
    return {**TABLES.get(table, {}), **EXTRA.get(table, {})}


def absent(column: str, kind: np.dtype[Any]) -> float:
    """What a column holds that nobody gave."""
    if column in _OTHERWISE:
        return _OTHERWISE[column]
    if kind.kind == "f":
        return np.nan
    return 0 if kind.kind == "u" else -1


def fitted(values: ArrayLike, kind: np.dtype[Any], missing: float) -> tuple[Column, int]:
    """A column of this type, and how many of the values it cannot hold; ``missing`` stands for these."""
    if kind.kind == "f":
        try:
            return np.asarray(values, kind), 0
        except (OverflowError, TypeError, ValueError):
            return _one_by_one(values, kind, missing)
    try:
        given = np.asarray(values)
    except (OverflowError, ValueError):
        return _one_by_one(values, kind, missing)
    if given.dtype.kind == "b" or not given.size:
        return given.astype(kind), 0
    if given.dtype.kind not in "iu":  # large and negative numbers together have become floats
        return _one_by_one(values, kind, missing)
    if given.dtype == kind:
        return given, 0
    least, most = np.iinfo(kind).min, np.iinfo(kind).max
    fits = (given >= least) & (given <= most)
    lost = given.size - int(np.count_nonzero(fits))
    return np.where(fits, given, missing).astype(kind) if lost else given.astype(kind), lost


def _one_by_one(values: ArrayLike, kind: np.dtype[Any], missing: float) -> tuple[Column, int]:
    given = np.asarray(values, object)
    found = np.full(given.shape, missing, kind)
    lost = 0
    for place, value in enumerate(given.flat):
        try:
            if value == value:  # NaN is left out, and nothing is lost with it
                found.flat[place] = float(value) if kind.kind == "f" else int(value)
        except (OverflowError, TypeError, ValueError):
            lost += value is not None
    return found, lost


def set_rows(table: Columns, name: str, rows: NDArray[np.intp], values: ArrayLike) -> None:
    """Changes some rows of a column, which a long table has in a file."""
    column = np.array(table[name])
    column[rows] = values
    table[name] = column


def without_extras(name: str, table: Columns) -> Table:
    """The table without the columns that the model does not have; they are removed from it."""
    for column in [column for column in table if column not in TABLES[name]]:
        del table[column]
    return table
