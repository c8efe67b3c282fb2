"""Derives operators, their module scopes, and kernels from the slices of their calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from insight_profiler.derived.columns import Columns, absent, column_types, set_rows
from insight_profiler.derived.upwards import nearest_marked
from insight_profiler.derived.work import by_operator, launching_calls
from insight_profiler.model import Category, Column, FlowKind

_HIGHEST = np.iinfo(np.int64).max


def make_operators(
    slices: Columns, side: NDArray[np.uint8], device: NDArray[np.int32], given: Columns | None
) -> Columns | None:
    """The operators that were given, then one for each kind of call among the slices that have a type.

    Sets the column ``operator`` of these slices; ``side`` and ``device`` are of slices.
    """
    rows = np.flatnonzero((slices["type"] >= 0) & (slices["operator"] < 0))
    if not len(rows):
        return given
    keys = {name: slices[name][rows] for name in ("name", "type", "scope", "shapes", "precision")}
    keys["side"], keys["device"] = side[rows], device[rows]
    first, inverse = groups(list(keys.values()))
    before = 0 if given is None else len(given["name"])
    set_rows(slices, "operator", rows, before + inverse)
    fresh = {name: column[first] for name, column in keys.items()}
    for name in ("flops", "repeated", "traffic"):
        values = slices[name][rows]
        known = np.isfinite(values)
        summed = np.bincount(inverse[known], values[known], len(first))
        fresh[name] = np.where(np.bincount(inverse[known], minlength=len(first)) > 0, summed, np.nan)
    return _appended("operators", given, fresh)


def aggregate(table: Columns, place: NDArray[np.int32], slices: Columns, own: Column | None) -> None:
    """Fills what rows of a table do not say of their calls, from the slices whose ``place`` they are."""
    rows = np.flatnonzero(place >= 0)
    places, durations = place[rows], slices["duration"][rows]
    count = len(table["calls"])
    calls = np.bincount(places, minlength=count)
    some = calls > 0
    found: Columns = {"calls": calls, "total": np.zeros(count, np.int64)}
    np.add.at(found["total"], places, durations)
    if own is not None:
        found["self"] = np.zeros(count, np.int64)
        np.add.at(found["self"], places, own[rows])
    found["minimum"] = np.full(count, _HIGHEST)
    np.minimum.at(found["minimum"], places, durations)
    found["maximum"] = np.full(count, -1, np.int64)
    np.maximum.at(found["maximum"], places, durations)
    for name, column in found.items():
        unknown = some & (table[name] < 0)
        table[name] = np.where(unknown, column, table[name])


def split_kernels(slices: Columns, launched_by: NDArray[np.int32], given: Columns) -> Columns:
    """A row for each kernel and operator that launched it; sets the column ``kernel`` of slices.

    Rows that say how often they ran, or who launched them, or that have no slices, stay as they are.
    """
    kernel = slices["kernel"]
    plain = (given["calls"] < 0) & (given["operator"] < 0)
    rows = np.flatnonzero(kernel >= 0)
    rows = rows[plain[kernel[rows]]]
    used = np.zeros(len(plain), bool)
    used[kernel[rows]] = True
    stays = np.flatnonzero(~used)
    first, inverse = groups([kernel[rows], launched_by[rows]])
    fresh = {name: column[kernel[rows][first]] for name, column in given.items()}
    fresh["operator"] = launched_by[rows][first]
    moved = np.full(len(plain), -1, np.int32)
    moved[stays] = np.arange(len(stays))
    renamed = np.where(kernel >= 0, moved[np.maximum(kernel, 0)], -1).astype(np.int32)
    renamed[rows] = len(stays) + inverse
    slices["kernel"] = renamed
    return {name: np.concatenate((column[stays], fresh[name])) for name, column in given.items()}


def launches(slices: Columns, flows: Columns, work: NDArray[np.bool_]) -> Columns:
    """Flows, and those that correlations tell: from the call of the runtime to the work of the device."""
    correlation = slices["correlation"]
    calls = np.flatnonzero((correlation >= 0) & ~work & (slices["category"] == Category.RUNTIME))
    works = np.flatnonzero((correlation >= 0) & work)
    if len(calls) and len(works):
        calls = calls[np.argsort(correlation[calls], kind="stable")]
        places = np.searchsorted(correlation[calls], correlation[works])
        places = np.minimum(places, len(calls) - 1)
        known = correlation[calls[places]] == correlation[works]
        sources, targets = calls[places[known]], works[known]
        kinds = np.full(len(sources), FlowKind.LAUNCH)
        flows = {
            "source": np.concatenate((flows["source"], sources)),
            "target": np.concatenate((flows["target"], targets)),
            "kind": np.concatenate((flows["kind"], kinds)),
        }
    whole = (flows["source"] >= 0) & (flows["target"] >= 0) & (flows["source"] != flows["target"])
    columns = [flows[name][whole] for name in ("target", "source", "kind")]
    first, _ = groups(columns)
    return {
        "source": columns[1][first].astype(np.int32),
        "target": columns[0][first].astype(np.int32),
        "kind": columns[2][first].astype(np.uint8),
    }


def launching_rows(slices: Columns, flows: Columns, work: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Of each work of a device, the row of the slice on the host that launched it, of an operator if
    possible; else -1."""
    found = launching_calls(slices, flows, work, by_operator(slices))
    external = slices["external"]
    sources = np.flatnonzero((external >= 0) & ~work & (slices["type"] >= 0))
    works = np.flatnonzero((external >= 0) & work & (found < 0))
    if len(sources) and len(works):
        sources = sources[np.argsort(external[sources], kind="stable")]
        places = np.searchsorted(external[sources], external[works])
        places = np.minimum(places, len(sources) - 1)
        known = external[sources[places]] == external[works]
        found[works[known]] = sources[places[known]]
    return found


def join_arrows(arrows: Columns, rows: NDArray[np.int64]) -> Columns:
    """Flows between slices, of which ``rows`` are those at the arrows' ends, or -1."""
    order = np.lexsort((1 - arrows["begins"], arrows["time"], arrows["flow"]))
    flow, begins, ends = arrows["flow"][order], arrows["begins"][order], rows[order]
    joined = np.flatnonzero((flow[1:] == flow[:-1]) & (begins[1:] == 0))
    return {"source": ends[joined], "target": ends[joined + 1], "kind": arrows["kind"][order][joined]}


def groups(keys: list[Column]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first row of each combination of keys, and of each row which combination it has; combinations
    in the order in which they first come."""
    count = len(keys[0])
    if not count:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    combined = np.zeros(count, np.int64)
    for key in keys:
        values, places = np.unique(key, return_inverse=True)
        combined = combined * len(values) + places
        if len(values) > 1:  # small again, so that nothing overflows
            combined = np.unique(combined, return_inverse=True)[1].astype(np.int64)
    _, first, inverse = np.unique(combined, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return first[order], place[inverse]


def _appended(table: str, given: Columns | None, fresh: Columns) -> Columns:
    count = len(fresh["name"])
    columns = {}
    for name, kind in column_types(table).items():
        column = fresh.get(name)
        if column is None:
            column = np.full(count, absent(name, kind), kind)
        before = () if given is None else (given[name],)
        columns[name] = np.concatenate((*before, column.astype(kind)))
    return columns


_MODULE = "nn.Module: "


def set_scopes(
    slices: Columns,
    flows: Columns,
    texts: Sequence[str],
    text: Callable[[str], int],
) -> None:
    """Sets the column ``scope`` of operators that have none: the modules in whose calls they lie, with
    slashes. Those of the backward pass have the scope of the forward operator that they belong to."""
    named = [place for place, name in enumerate(texts) if name.startswith(_MODULE)]
    if not named:
        return
    is_module = np.isin(slices["name"], named)
    parent = slices["parent"]
    scopes = _of_modules(is_module, nearest_marked(is_module, parent), slices["name"], texts, text)

    backward = flows["kind"] == FlowKind.BACKWARD
    sources, targets = flows["source"][backward], flows["target"][backward]
    known = (sources >= 0) & (targets >= 0)
    sources, targets = sources[known], targets[known]
    found = scopes[sources]
    targets, found = targets[found >= 0], found[found >= 0]
    scopes[targets] = np.where(scopes[targets] >= 0, scopes[targets], found)
    begins = np.zeros(len(parent), bool)
    begins[targets] = True
    around = nearest_marked(begins, parent)
    outer = np.where(around >= 0, scopes[np.maximum(around, 0)], -1)
    scopes = np.where(scopes >= 0, scopes, outer)

    wanted = (slices["type"] >= 0) & (slices["scope"] < 0)
    slices["scope"] = np.where(wanted, scopes, slices["scope"]).astype(np.int32)


def _of_modules(
    is_module: NDArray[np.bool_],
    around: NDArray[np.int32],
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
