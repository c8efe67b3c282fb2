"""Tables that plugins give to SQL queries of logs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from attrs import field, frozen

from insight_core.checks import IDENTIFIER, check_function
from insight_core.plugin.sql.rows import ContributedTable, QueryColumn, Rows, WantedRows
from insight_core.references import reference

if TYPE_CHECKING:
    from insight_core.plugin.context import PluginContext

_ListColumns: TypeAlias = "Callable[[PluginContext], Sequence[QueryColumn]]"


def _columns(given: Iterable[QueryColumn] | _ListColumns | str) -> Sequence[QueryColumn] | _ListColumns:
    return reference(given) if isinstance(given, str) or callable(given) else tuple(given)


@frozen
class QueryTable:
    """A table of logs that SQL queries can name: see ``insight_tables``.

    Parameters
    ----------
    name : str
        ``[a-z][a-z0-9_]*``. Of two tables with one name the first counts.
    text : str
        What a row is.
    columns : sequence of QueryColumn, or function or "package.module:function"
        A function gets the ``PluginContext``, for columns that depend on the logs.
    read : function or "package.module:function"
        Gets the ``PluginContext`` and ``WantedRows``, and returns the rows in batches with at least the
        wanted columns. A sequence has None for a missing value. It is called in the thread of the query.
    """

    name: str = field(validator=IDENTIFIER)
    text: str
    columns: Sequence[QueryColumn] | _ListColumns = field(converter=_columns)
    read: Callable[[PluginContext, WantedRows], Iterable[Rows]] = field(
        converter=reference, validator=check_function
    )

    def within(self, plugin: str, ctx: PluginContext) -> ContributedTable:
        """The table with the context that its functions get."""

        def columns() -> Sequence[QueryColumn]:
            return tuple(self.columns(ctx) if callable(self.columns) else self.columns)

        return ContributedTable(plugin, self, columns, lambda wanted: self.read(ctx, wanted))
