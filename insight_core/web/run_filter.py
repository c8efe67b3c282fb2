"""Finds the runs for which an expression over columns of the run table holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attrs import define

from insight_core.filters.column import Column, values_of
from insight_core.filters.conditions import NoColumn
from insight_core.filters.expression import parsed
from insight_core.isolation import in_one_line
from insight_core.web.run_columns import GivenColumn, GivenColumns, RunColumnTable, unavailable


def matching_runs(table: RunColumnTable, where: str) -> list[str]:
    """The names of these runs.

    Raises ExpressionError with the place of a mistake, and Unavailable if a plugin fails to give a column.
    """
    condition = parsed(where)
    runs = [run.name for run in table.provider.runs()]
    mask = condition.holds(_Lookup(table, runs).column)
    return [run for run, holds in zip(runs, mask.tolist(), strict=True) if holds]


@define(eq=False)
class _Lookup:
    table: RunColumnTable
    runs: Sequence[str]
    _listed: GivenColumns | None = None

    def column(self, name: str) -> Column:
        """The column that an expression names. Raises NoColumn, or Unavailable if its plugin fails."""
        if self._listed is None:
            self._listed = self.table.found((), None)
        listed = self._listed
        try:
            key = key_of(name, listed.columns)
        except NoColumn as error:
            if listed.errors and not error.similar:
                raise unavailable(listed.errors, str(error)) from error
            raise
        found = self.table.found(self.runs, lambda plugin, column: f"{plugin}/{column.name}" == key)
        for one in found.columns:
            try:
                return Column(key, "", one.column.title, values_of(one.cells(self.runs)))
            except TypeError as error:
                raise unavailable([{"plugin": one.plugin, "error": in_one_line(error)}]) from error
        if found.errors:
            raise unavailable(found.errors)
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
