"""The table ``hparams`` of SQL: runs with their hyperparameters, data sets, models and metrics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from insight_core.plugin import PluginContext, RunColumn
from insight_core.plugin.sql import ColumnType, ColumnValues, QueryColumn, Rows, WantedRows
from insight_lineage.run_columns import listed, values

_EXACT = 2**53  # from here on not every integer is a double
_TYPES: dict[str, ColumnType] = {"number": "number", "boolean": "boolean"}
_RUN = QueryColumn("run", "text", "name of the run")


def columns(ctx: PluginContext) -> Sequence[QueryColumn]:
    """``run`` and the columns that any run has now; those of scalars are in the table ``series``."""
    named = _named(ctx)
    return [
        _RUN,
        *(QueryColumn(name, _TYPES.get(one.kind, "text"), one.group) for name, one in named.items()),
    ]


def rows(ctx: PluginContext, wanted: WantedRows) -> Iterator[Rows]:
    """The runs that have any of the columns."""
    named = _named(ctx)
    runs = wanted.of("run", sorted(run.name for run in ctx.data.runs()))
    cells = values(ctx, [one.name for one in named.values()], runs)
    known = [run for run in runs if any(run in column for column in cells.values())]
    table: dict[str, ColumnValues] = {"run": known}
    for name, one in named.items():
        if name in wanted.columns:
            column, kind = cells.get(one.name, {}), _TYPES.get(one.kind, "text")
            table[name] = [_typed(column.get(run), kind) for run in known]
    yield table


def _named(ctx: PluginContext) -> dict[str, RunColumn]:
    """The columns by their names in SQL, which does not tell lr from LR: the second gets a number."""
    found: dict[str, RunColumn] = {}
    taken = {_RUN.name}
    for one in listed(ctx):
        if one.group in ("scalar", "run"):
            continue
        name, count = one.name, 1
        while name.casefold() in taken:
            count += 1
            name = f"{one.name}_{count}"
        taken.add(name.casefold())
        found[name] = one
    return found


def _typed(value: str | float | bool | None, kind: ColumnType) -> str | float | bool | None:
    if value is None or kind == "text":
        if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
            return str(int(value))  # hparams know doubles only: 42 next to a text is not "42.0"
        return value if value is None or isinstance(value, str) else str(value)
    if kind == "number":
        return None if isinstance(value, str) else float(value)
    return value if isinstance(value, bool) else None
