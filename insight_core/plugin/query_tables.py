"""Tables that plugins give to SQL queries of logs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from insight_core.plugin.checks import IDENTIFIER, check_function
from insight_core.references import reference

if TYPE_CHECKING:
    from insight_core.plugin.context import PluginContext

ColumnType: TypeAlias = Literal["text", "integer", "number", "boolean"]  # int64 and float64 of the last two.


@frozen
class QueryColumn:
    """A column of a table: ``text`` says what it holds, with the unit."""

    name: str
    type: ColumnType
    text: str = ""


@frozen(eq=False)
class Labels:
    """Texts of a column, many of which are equal: row i holds ``words[numbers[i]]``."""

    numbers: NDArray[np.int32]
    words: Sequence[str]


ColumnValues: TypeAlias = NDArray[Any] | Labels | Sequence[object]  # None is no value.
Rows: TypeAlias = Mapping[str, ColumnValues]  # columns of equal length by name


class WantedRows(Protocol):
    """Which columns and rows of a table a query needs.

    The host leaves out all other rows itself: a table asks so that it reads less, and may give too much.
    """

    @property
    def columns(self) -> Sequence[str]:
        """Names of the columns that are needed."""

    def of(self, column: str, values: Sequence[str]) -> list[str]:
        """Those of the values of a column, such as names of runs, of which a row may be needed."""

    def span(self, column: str, first: int, last: int) -> tuple[int, int] | None:
        """A part of the integers from ``first`` to ``last`` outside of which no row is needed.

        Both ends are included; None if no row is needed at all. It may be wider than need be.
        """


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
        wanted columns. A sequence has None where there is no value. It is called in the thread of the query.
    """

    name: str = field(validator=IDENTIFIER)
    text: str
    columns: Sequence[QueryColumn] | _ListColumns = field(converter=_columns)
    read: Callable[[PluginContext, WantedRows], Iterable[Rows]] = field(
        converter=reference, validator=check_function
    )


@frozen
class ContributedTable:
    """A table with the name of its plugin and the context that its functions get."""

    plugin: str
    table: QueryTable
    ctx: PluginContext

    def columns(self) -> tuple[QueryColumn, ...]:
        """The columns for the logs as they are now."""
        columns = self.table.columns
        return tuple(columns(self.ctx) if callable(columns) else columns)

    def read(self, wanted: WantedRows) -> Iterable[Rows]:
        """The rows in batches; see ``QueryTable.read``."""
        return self.table.read(self.ctx, wanted)
