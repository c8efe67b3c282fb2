"""Rows of delimited text as columns of numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from contextlib import suppress
from itertools import compress, count

import numpy as np
from attrs import Factory, define
from numpy.typing import NDArray

from insight_core.plugin import Flaw
from insight_log_tables.lines import Lines
from insight_log_tables.numbers import numbers, whole_numbers
from insight_log_tables.reasons import BAD_CELL, NO_STEP, at_line, not_a_step
from insight_record.formats.reason import Reason


@define
class MetricTable:
    """Rows of cells, the line on which each ends, and what of the text is damaged."""

    lines: Lines
    number: int  # of the first line
    rows: list[list[str]] = Factory(list)
    places: Sequence[int] = ()  # index of the line of each row
    flaws: list[Flaw] = Factory(list)

    def damaged(self, row: int, reason: str, *, skips: bool = False) -> None:
        """Notes that a row cannot be used as it is; where it ``skips``, nothing of it is used."""
        line = self.places[row]
        offset = self.lines.offset_of(line)
        skipped = self.lines.offset_of(line + 1) - offset if skips else 0
        self.flaws.append(Flaw(offset, at_line(self.number + line, reason), skipped))

    def select(self, kept: Sequence[int]) -> None:
        """Keeps only these rows."""
        self.rows = [self.rows[row] for row in kept]
        self.places = [self.places[row] for row in kept]

    def part(self, first: int, end: int) -> MetricTable:
        """Some of the rows; damage is noted in the same list."""
        return MetricTable(self.lines, self.number, self.rows[first:end], self.places[first:end], self.flaws)


def table_of(lines: Lines, number: int, delimiter: str) -> MetricTable:
    """Every row that is not blank."""
    text = lines.data.decode("utf-8", "replace")
    table = MetricTable(lines, number)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    with suppress(csv.Error):
        table.rows = list(reader)
    if reader.line_num == len(table.rows) and all(table.rows):
        table.places = range(len(table.rows))
        return table
    table.rows, places = [], []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    while True:
        try:
            for row in reader:
                if row:
                    table.rows.append(row)
                    places.append(reader.line_num - 1)
            break
        except csv.Error:
            line = reader.line_num - 1
            table.flaws.append(Flaw(lines.offset_of(line), at_line(number + line, BAD_CELL)))
    table.places = places
    return table


def steps_of(table: MetricTable, column: int) -> NDArray[np.int64]:
    """The steps of all rows. Rows without one are damaged, and are taken out of the table."""
    steps, bad = whole_numbers([row[column] for row in table.rows])
    if not len(bad):
        return steps
    for row in bad.tolist():
        cell = table.rows[row][column]
        table.damaged(row, not_a_step(cell) if cell else NO_STEP, skips=True)
    kept = np.delete(np.arange(len(steps)), bad)
    table.select(kept.tolist())
    return steps[kept]


def values_of(
    table: MetricTable, cells: Sequence[str], name: str, told: list[str]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Indices of rows with a number in a column, and the numbers. Empty cells are skipped, text is damage.

    ``told``: columns of text that were already reported; each is reported once.
    """
    if name in told:
        return np.empty(0, np.intp), np.empty(0)
    if all(cells):
        rows, texts = np.arange(len(cells)), cells
    else:
        rows, texts = np.fromiter(compress(count(), cells), np.intp), list(filter(None, cells))
    values, bad = numbers(texts)
    if not len(bad):
        return rows, values
    first = int(rows[bad[0]])
    more = f", and {len(bad) - 1} more" if len(bad) > 1 else ""
    value = cells[first][:40]
    details = {"name": name, "value": value, "more": len(bad) - 1}
    code = "table_not_a_number_more" if more else "table_not_a_number"
    table.damaged(first, Reason(f"{name!r} is {value!r}, not a number{more}", code, **details))
    if len(bad) == len(texts):
        told.append(name)
    good = np.delete(np.arange(len(texts)), bad)
    return rows[good], values[good]
