"""Finds the runs for which an expression over columns of the run table holds."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from attrs import define
from werkzeug import Request

from insight_core.filters.column import Column, values_of
from insight_core.filters.expression import parsed
from insight_core.filters.naming import ColumnName, NoColumn, resolved
from insight_core.isolation import in_one_line
from insight_core.web.own_columns import OWN
from insight_core.web.posted_query import as_get
from insight_core.web.run_columns import GivenColumn, GivenColumns, RunColumnTable, unavailable


def matching_runs(table: RunColumnTable, where: str) -> list[str]:
    """The names of these runs.

    All runs for an empty text. Raises ExpressionError with the place of a mistake, and Unavailable if a
    plugin fails to give a column.
    """
    runs = [run.name for run in table.provider.runs()]
    if not where.strip():
        return runs
    condition = parsed(where)
    mask = condition.holds(_Lookup(table, runs).column)
    return [run for run, holds in zip(runs, mask.tolist(), strict=True) if holds]


def with_matching_runs(request: Request, table: RunColumnTable) -> Request:
    """The request with the runs that match ``where`` in its place, as ``Route.takes_where`` says."""
    if request.method == "POST":
        request = as_get(request)
    given = list(request.args.items(multi=True))
    wheres = [text for name, text in given if name == "where"]
    if not wheres:
        return request
    others = [pair for pair in given if pair[0] not in ("where", "run")]
    named = [text for name, text in given if name == "run"]
    for where in wheres:
        found = matching_runs(table, where)
        named = found if not named else sorted(set(named).intersection(found))
        named = named or [""]
    query = urlencode([*others, *(("run", run) for run in named)], errors="surrogatepass")
    return Request(request.environ | {"QUERY_STRING": query})


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
            key = _key_of(name, listed.columns)
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


_ELSEWHERE = {"run": f"{OWN}/name", "start_time": f"{OWN}/started"}  # as SQL and Python call these columns


def _key_of(name: str, listed: Sequence[GivenColumn]) -> str:
    """The key of the column that is meant; see ``resolved``. Columns that the table has at first come first,
    those of a small ``order`` before all others: hyperparameters and metrics, last values, extreme values.
    """
    named = [
        ColumnName(one.column.name, one.key, one.column.title, (one.column.order, not one.column.at_first))
        for one in listed
    ]
    try:
        return resolved(name, named).key
    except NoColumn:
        if name not in _ELSEWHERE:
            raise
        return _ELSEWHERE[name]
