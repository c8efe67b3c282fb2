"""Hyperparameters, metrics and what else lineage knows of runs, as columns of the run table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

from insight_core.plugin import Cell, PluginContext, RunColumn, encode_json
from insight_core.plugin.annotations import Annotations
from insight_lineage.column import LIST, Column
from insight_lineage.source import Lineage

_GROUPS = ("hyperparameter", "dataset", "model", "metric", "custom")
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
        columns = [table.column(name) for name in table.names(_GROUPS)]
        return [_run_column(column) for column in columns]


def values(ctx: PluginContext, names: Sequence[str], runs: Sequence[str]) -> Mapping[str, Mapping[str, Cell]]:
    """The cells of these columns by run."""
    with lineage_of(ctx).table(_NO_ANNOTATIONS) as table:
        places = [(run, table.rows.place[run]) for run in runs if run in table.rows.place]
        known = {name: table.columns[name] for name in names if name in table.columns}
        return {name: _cells(column, places) for name, column in known.items()}


def _run_column(column: Column) -> RunColumn:
    kind: Any = _KINDS.get(column.type, "text")
    return RunColumn(column.name, column.title, kind=kind, group=column.group)


def _cells(column: Column, places: Sequence[tuple[str, int]]) -> dict[str, Cell]:
    cells: dict[str, Cell] = {}
    for run, row in places:
        if column.kinds[row] == LIST:
            cells[run] = encode_json(column.values[row]).decode("ascii")
        elif column.values[row] is not None:
            cells[run] = column.values[row]
    return cells
