"""Finds the runs for which an expression over columns of the run table holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attrs import define, field

from insight_core.plugin.filters.column import Column, values_of
from insight_core.plugin.filters.conditions import NoColumn
from insight_core.plugin.filters.expression import parsed
from insight_core.web.run_columns import GivenColumn, RunColumnTable


def matching_runs(table: RunColumnTable, where: str) -> list[str]:
    """The names of these runs. Raises ExpressionError with the place of a mistake."""
    condition = parsed(where)
    runs = [run.name for run in table.provider.runs()]
    mask = condition.holds(_Lookup(table, runs).column)
    return [run for run, holds in zip(runs, mask.tolist(), strict=True) if holds]


@define(eq=False)
class _Lookup:
    table: RunColumnTable
    runs: Sequence[str]
    _listed: list[GivenColumn] = field(factory=list)

    def column(self, name: str) -> Column:
        """The column that an expression names. Raises NoColumn, or TypeError for cells that are not plain."""
        if not self._listed:
            self._listed = self.table.found((), None).columns
        key = key_of(name, self._listed)
        found = self.table.found(self.runs, lambda plugin, column: f"{plugin}/{column.name}" == key)
        for one in found.columns:
            return Column(key, "", one.column.title, values_of(one.cells(self.runs)))
        raise NoColumn(name)


def key_of(name: str, listed: Sequence[GivenColumn]) -> str:
    """The key of the column that is meant: by its name, key or title, or by its name without its first part.

    Of several the first in the order of the list is meant. Raises NoColumn.
    """
    spellings: Sequence[Callable[[GivenColumn], str]] = (
        lambda one: one.column.name,
        lambda one: one.key,
        lambda one: one.column.title,
        lambda one: one.column.name.partition("/")[2],
    )
    for spelling in spellings:
        for one in listed:
            if spelling(one) == name:
                return one.key
    raise NoColumn(name, [one.column.name for one in listed])
