"""Hyperparameters, metrics, last and extreme values of scalars, as columns of the run table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

from insight_core.plugin import Annotations, Cell, PluginContext, RunColumn, encode_json
from insight_core.plugin.filters import LIST, Column, NoColumn
from insight_lineage.names import HOSTED
from insight_lineage.source import Lineage

_HYPERPARAMETERS = ("hyperparameter", "dataset", "model", "metric", "custom")
_GROUPS = (*_HYPERPARAMETERS, "scalar")
_SCALARS_LAST = 1  # among the columns that the table has at first
_KINDS = {"int": "number", "float": "number", "bool": "boolean"}
_NO_ANNOTATIONS = Annotations()
_lock = Lock()
_by_context: WeakKeyDictionary[PluginContext, Lineage] = WeakKeyDictionary()


def lineage_of(ctx: PluginContext) -> Lineage:
    """The one table of a context, for routes and run columns."""
    with _lock:
        lineage = _by_context.get(ctx)
        if lineage is None:
            lineage = _by_context[ctx] = Lineage(ctx)
        return lineage


def listed(ctx: PluginContext) -> Iterable[RunColumn]:
    """The columns that any run has now."""
    with lineage_of(ctx).table(_NO_ANNOTATIONS) as table:
        described = [one for one in table.described() if one["group"] in _GROUPS or one["name"] == "status"]
    metrics = {f"last/{one['title']}" for one in described if one["group"] == "metric"}
    return [_run_column(one, one["name"] not in metrics) for one in described]


def values(ctx: PluginContext, names: Sequence[str], runs: Sequence[str]) -> Mapping[str, Mapping[str, Cell]]:
    """The cells of these columns by run."""
    with lineage_of(ctx).table(_NO_ANNOTATIONS) as table:
        places = [(run, table.rows.place[run]) for run in runs if run in table.rows.place]
        found: dict[str, Mapping[str, Cell]] = {}
        for name in names:
            with suppress(NoColumn):  # its last run went after the columns were listed
                found[name] = _cells(table.column(name), places)
        return found


def hyperparameters(ctx: PluginContext) -> Mapping[str, Sequence[Cell]]:
    """The service of this name: ``run``, and the columns but for those of scalars, a cell for each run."""
    with lineage_of(ctx).table(_NO_ANNOTATIONS) as table:
        places = sorted(table.rows.place.items())
        found: dict[str, Sequence[Cell]] = {"run": [run for run, _ in places]}
        for name in table.names(_HYPERPARAMETERS):
            cells = _cells(table.column(name), places)
            found[name] = [cells.get(run) for run, _ in places]
        return found


def hosted(ctx: PluginContext, asked: str | None = None) -> Mapping[str, Mapping[str, Cell]]:
    """Cells of the host's columns ``HOSTED`` by name and run: all, or those that ``asked`` mentions.

    To be read before the table is locked: the host asks for the column ``status`` of the table meanwhile.
    """
    names = [name for name in HOSTED if asked is None or name.partition("/")[2] in asked]
    if not names:
        return {}
    with lineage_of(ctx).table(_NO_ANNOTATIONS):
        pass  # the host's call has a deadline: what takes long at first is read before
    answer = json.loads(ctx.get("/data/run_columns", column=names).data)
    return {
        f"{one['plugin']}/{one['name']}": dict(zip(answer["runs"], one["values"], strict=True))
        for one in answer["columns"]
    }


def _run_column(described: Mapping[str, Any], is_told_once: bool) -> RunColumn:
    kind: Any = _KINDS.get(described["type"], "text")
    name, group = described["name"], described["group"]
    is_scalar = group == "scalar"
    return RunColumn(
        name,
        described["title"],
        kind=kind,
        group=group,
        at_first=not is_scalar or (name.startswith("last/") and is_told_once),
        order=_SCALARS_LAST if is_scalar else 0,
        goal=described["goal"],
    )


def _cells(column: Column, places: Sequence[tuple[str, int]]) -> dict[str, Cell]:
    cells: dict[str, Cell] = {}
    for run, row in places:
        if column.kinds[row] == LIST:
            cells[run] = encode_json(column.values[row]).decode("ascii")
        elif column.values[row] is not None:
            cells[run] = column.values[row]
    return cells
