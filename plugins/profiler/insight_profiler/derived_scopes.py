"""Derives the module scope of operators from the module calls in torch traces with stacks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from insight_profiler.derived_nesting import nearest_marked
from insight_profiler.model import Column, FlowKind

_MODULE = "nn.Module: "


def set_scopes(
    slices: dict[str, Column],
    flows: dict[str, Column],
    texts: Sequence[str],
    text: Callable[[str], int],
) -> None:
    """Sets the column ``scope`` of operators that have none: the modules in whose calls they lie, with
    slashes. Those of the backward pass have the scope of the forward operator that they belong to."""
    named = [place for place, name in enumerate(texts) if name.startswith(_MODULE)]
    if not named:
        return
    is_module = np.isin(slices["name"], named)
    depth, parent = slices["depth"], slices["parent"]
    scopes = _of_modules(is_module, nearest_marked(is_module, depth, parent), slices["name"], texts, text)

    backward = flows["kind"] == FlowKind.BACKWARD
    sources, targets = flows["source"][backward], flows["target"][backward]
    known = (sources >= 0) & (targets >= 0)
    sources, targets = sources[known], targets[known]
    found = scopes[sources]
    targets, found = targets[found >= 0], found[found >= 0]
    scopes[targets] = np.where(scopes[targets] >= 0, scopes[targets], found)
    begins = np.zeros(len(depth), bool)
    begins[targets] = True
    around = nearest_marked(begins, depth, parent)
    outer = np.where(around >= 0, scopes[np.maximum(around, 0)], -1)
    scopes = np.where(scopes >= 0, scopes, outer)

    wanted = (slices["type"] >= 0) & (slices["scope"] < 0)
    slices["scope"] = np.where(wanted, scopes, slices["scope"]).astype(np.int32)


def _of_modules(
    is_module: NDArray[np.bool_],
    around: NDArray[np.int64],
    names: Column,
    texts: Sequence[str],
    text: Callable[[str], int],
) -> NDArray[np.int64]:
    """Of each slice the place of its scope, -1 outside of modules; of a module that includes itself."""
    paths: dict[int, str] = {}
    scopes = np.full(len(names), -1, np.int64)
    rows = np.flatnonzero(is_module)
    outer = around[rows].tolist()
    for row, above, name in zip(rows.tolist(), outer, names[rows].tolist(), strict=True):
        own = texts[name].removeprefix(_MODULE)
        path = paths[row] = f"{paths[above]}/{own}" if above >= 0 else own
        scopes[row] = text(path)
    others = np.flatnonzero(~is_module & (around >= 0))
    scopes[others] = scopes[around[others]]
    return scopes
