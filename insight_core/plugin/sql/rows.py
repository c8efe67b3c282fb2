"""Columns and rows of the tables that SQL queries read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

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


ColumnValues: TypeAlias = NDArray[Any] | Labels | Sequence[object]  # None stands for a missing value.
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


class AboutTable(Protocol):
    """What a ``QueryTable`` is, without what it reads."""

    @property
    def name(self) -> str:
        """In queries."""

    @property
    def text(self) -> str:
        """What a row is."""


@frozen
class ContributedTable:
    """A table of a plugin, with what its functions give in the plugin's context."""

    plugin: str
    table: AboutTable
    columns: Callable[[], Sequence[QueryColumn]]  # for the logs as they are now
    read: Callable[[WantedRows], Iterable[Rows]]  # the rows in batches; see ``QueryTable.read``
