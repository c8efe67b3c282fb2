"""Rows of delimited text that hold nothing but numbers, as most logs do: read by compiled code.

Other rows are for ``delimited.table_of``, which is also the definition that tests compare this with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin.lab import NotCompiled

try:
    from insight_log_tables import _number_rows
except ImportError as error:
    raise NotCompiled("insight_log_tables._number_rows") from error


@frozen(eq=False)
class NumberRows:
    """Steps, and the numbers of the columns that were asked for."""

    steps: NDArray[np.int64]  # zeros without a column of steps
    _rows: dict[int, int]  # column -> row of the arrays below
    _numbers: NDArray[np.float64]
    _filled: NDArray[np.bool_]

    def all_of(self, column: int) -> NDArray[np.float64]:
        """A number for each row of the text; NaN for empty cells."""
        numbers: NDArray[np.float64] = self._numbers[self._rows[column]]
        return numbers

    def columns(self) -> Iterator[tuple[int, NDArray[np.intp] | None, NDArray[np.float64]]]:
        """Column, the indices of rows with a number (None: all have one), and the numbers."""
        has_all = np.logical_and.reduce(self._filled, axis=1)
        for column, row in self._rows.items():
            if has_all[row]:
                yield column, None, self._numbers[row]
            else:
                places = np.flatnonzero(self._filled[row])
                yield column, places, self._numbers[row, places]


def number_rows(
    data: bytes, delimiter: str, width: int, step: int | None, wanted: Iterable[int]
) -> NumberRows | None:
    """Rows of ``width`` cells; None if any row has another step than a whole number, another number of cells,
    or anything but numbers in the columns ``wanted``. ``data`` ends with a line end."""
    rows = {column: row for row, column in enumerate(sorted(set(wanted)))}
    places = np.full(width, -1, np.int64)
    places[list(rows)] = list(rows.values())
    lines = data.count(b"\n")
    found = _number_rows.number_rows(
        data, ord(delimiter), -1 if step is None else step, places, len(rows), lines
    )
    return found and NumberRows(found[0], rows, found[1], found[2])
