"""Derives who took memory: the operator, its modules, and what for."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from insight_profiler.derived.columns import Columns, set_rows
from insight_profiler.derived.nesting import innermost
from insight_profiler.model import Category

_OPERATOR = re.compile(r"(?!autograd::)\w+::\w")  # aten::conv2d
_BACKWARD = re.compile(r"autograd::engine|\w+Backward\d*$")
_OPTIMISER = "Optimizer.step#"


def set_owners(
    allocations: Columns,
    slices: Columns,
    operators: Columns | None,
    texts: Sequence[str],
    text: Callable[[str], int],
) -> None:
    """Names the owners of allocations that have no name, and has operators say what they took themselves.

    The owner is the outermost operator of a library around the allocation (``aten::conv2d``, not the
    ``aten::empty`` that it calls), else the outermost call. ``module`` is the scope of the innermost one.
    """
    rows = np.flatnonzero((allocations["track"] >= 0) & (allocations["name"] < 0))
    if not len(rows) or operators is None:
        return
    at = innermost(
        slices["track"],
        slices["start"],
        slices["start"] + slices["duration"],
        slices["parent"],
        allocations["track"][rows],
        allocations["start"][rows],
    )
    names = [bool(_OPERATOR.match(one)) for one in texts] or [False]
    backward = np.array([bool(_BACKWARD.match(one)) for one in texts] or [False])
    updates = np.array([one.startswith(_OPTIMISER) for one in texts] or [False])
    inner, outer, plain = (np.full(len(rows), -1, np.int32) for _ in range(3))
    is_of = {name: np.zeros(len(rows), bool) for name in ("data", "gradient", "optimiser")}
    is_operator = np.array(names)
    columns = {name: slices[name] for name in ("operator", "name", "category", "parent")}
    while (at >= 0).any():
        place = np.maximum(at, 0)
        operator = np.where(at >= 0, columns["operator"][place], -1)
        name = np.where(at >= 0, columns["name"][place], -1)
        known = operator >= 0
        inner = np.where((inner < 0) & known, operator, inner)
        plain = np.where(known, operator, plain)
        outer = np.where(known & is_operator[name], operator, outer)
        is_of["data"] |= (at >= 0) & (columns["category"][place] == Category.DATA)
        is_of["gradient"] |= (name >= 0) & backward[name]
        is_of["optimiser"] |= (name >= 0) & updates[name]
        at = np.where(at >= 0, columns["parent"][place], -1)
    owner = np.where(outer >= 0, outer, plain)
    known = owner >= 0
    of_rows = {
        "name": operators["name"][owner[known]],
        "shapes": operators["shapes"][owner[known]],
        "module": operators["scope"][inner[known]],
    }
    for column, values in of_rows.items():
        set_rows(allocations, column, rows[known], values)
    purpose = np.where(known, text("activation"), -1)
    for kind, chosen in is_of.items():
        purpose = np.where(chosen, text(kind), purpose)
    set_rows(allocations, "purpose", rows, purpose)
    _add_bytes(operators, inner, allocations["bytes"][rows])


def _add_bytes(operators: Columns, operator: NDArray[np.int32], sizes: NDArray[np.int64]) -> None:
    known = operator >= 0
    taken = np.bincount(operator[known], sizes[known], len(operators["calls"]))
    operators["bytes"] = np.where(np.isnan(operators["bytes"]), taken, operators["bytes"])
