"""Rows of delimited text with a header, such as Lightning's ``metrics.csv``."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin.log_formats import HyperParameters, Item, Points
from insight_log_tables.beginnings import COMMENT
from insight_log_tables.delimited import MetricTable, steps_of, table_of, values_of
from insight_log_tables.lines import Lines, next_lines
from insight_log_tables.number_rows import number_rows
from insight_log_tables.numbers import seconds
from insight_log_tables.path_named import tag_in_path
from insight_log_tables.reasons import at_line
from insight_log_tables.table import DeclaredTable
from insight_record.formats.reason import ReasonKind

_ROWS = 256  # read at once of a wide table, if they have about the length of its header
_WIDTH = ReasonKind("table_width", "{cells} cells, the header has {header}")
_NO_STEP_COLUMN = ReasonKind("table_no_step_column", "the column {names!r} is missing")


def read(
    table: DeclaredTable, stream: BinaryIO, state: dict[str, Any] | None
) -> tuple[list[Item], dict[str, Any]]:
    """Reads some whole rows. A logger may rewrite the file to add a column."""
    state = state or {"line": 1, "header": [0, 0], "told": "", "rows": 0}
    delimiter = "," if table.layout == "csv" else "\t"
    start, end = state["header"]
    header = _header_at(stream, start, end, delimiter)
    lines = next_lines(stream, state["line"], quoted=True, expected=_ROWS * (end - start))
    found: list[Item] = list(lines.flaws)
    if not lines.data:
        if stream.tell() > lines.offset:  # a line that was too long
            state["line"] += 1
        return found, state
    if state["line"] == 1 and lines.data.startswith(COMMENT):
        lines = _after_comment(lines, state)
    first = state["line"]
    state["line"] += lines.data.count(b"\n")
    reading = _Reading(table, state, tag_in_path(table.tag, stream.name))
    told = _restored(header, state["told"])
    only_numbers = reading.numbers(lines, header, told, delimiter) if header else None
    if only_numbers is not None:
        return found + only_numbers, state
    rows = table_of(lines, first, delimiter)
    begin = 0
    for row in _headers(table, rows, header):
        found += reading.items(rows.part(begin, row), header, told)
        header, told = [name.strip() for name in rows.rows[row]], []
        before = rows.places[row - 1] + 1 if row else 0
        state["header"] = [lines.offset_of(before), lines.offset_of(rows.places[row] + 1)]
        begin = row + 1
    found += reading.items(rows.part(begin, len(rows.rows)), header, told)
    state["told"] = _stored(header, told)
    return found + list(rows.flaws), state


def _after_comment(lines: Lines, state: dict[str, Any]) -> Lines:
    """The lines after the first one, ``#{"t_start": …}``: of it only the time counts from which others do."""
    line, _, rest = lines.data.partition(b"\n")
    state["line"] += 1
    with suppress(ValueError, RecursionError, TypeError, KeyError):
        start = float(json.loads(line[1:])["t_start"])
        state["start"] = start if math.isfinite(start) else 0.0
    return Lines(rest, lines.offset + len(line) + 1, lines.flaws)


# The state is short, whatever the number of columns: the place of the header, and a bit for each column.


def _header_at(stream: BinaryIO, start: int, end: int, delimiter: str) -> list[str]:
    """The names of the columns, from the header at this place of the file."""
    place = stream.tell()
    stream.seek(start)
    data = stream.read(end - start)
    stream.seek(place)
    rows = table_of(Lines(data, start), 1, delimiter).rows
    return [name.strip() for name in rows[0]] if rows else []


def _stored(header: list[str], names: list[str]) -> str:
    chosen = set(names)
    return np.packbits([name in chosen for name in header]).tobytes().hex().rstrip("0") if chosen else ""


def _restored(header: list[str], stored: str) -> list[str]:
    bits = np.unpackbits(np.frombuffer(bytes.fromhex(stored + "0" * (len(stored) % 2)), np.uint8))
    return [name for name, bit in zip(header, bits.tolist(), strict=False) if bit]


def _headers(table: DeclaredTable, rows: MetricTable, header: list[str]) -> list[int]:
    """Rows that are headers: a logger that goes on with a file may write another one."""
    if not table.step:
        if not header:
            return [0] if rows.rows else []
        return [row for row, cells in enumerate(rows.rows) if cells == header]
    names = [name for name in table.step if name.encode() in rows.lines.data]
    if not names:
        return []
    spellings = {f"{before}{name}" for name in names for before in ("", " ")}
    return [
        row for row, cells in enumerate(rows.rows) if not spellings.isdisjoint(cells) or _pads(cells, names)
    ]


def _pads(cells: Sequence[str], names: Sequence[str]) -> bool:
    """Whether a name stands in a cell with more blanks around it."""
    return cells[0][:2] == "  " and any(cell.strip() in names for cell in cells)


class _Reading:
    """Items of rows; counts the rows in the state."""

    def __init__(self, table: DeclaredTable, state: dict[str, Any], tag: str) -> None:
        self._table = table
        self._state = state
        self._tag = tag

    def numbers(self, lines: Lines, header: list[str], told: list[str], delimiter: str) -> list[Item] | None:
        """Points by column of rows that hold nothing but numbers; None if there is anything else."""
        step = self._table.step_among(header)
        if (step is None and self._table.step) or (self._table.settings and not self._state.get("given")):
            return None
        tags = self._tags(header, step)
        skipped = set(told)
        wanted = [place for place in tags if header[place] not in skipped]
        time = header.index(self._table.time) if self._table.time in header else None
        if time is not None:
            wanted.append(time)
        place = None if step is None else header.index(step)
        found = number_rows(lines.data, delimiter, len(header), place, wanted)
        if found is None:
            return None
        if not len(found.steps):
            return []
        steps = self._counted(None if step is None else found.steps, len(found.steps))
        times = None
        if time is not None:
            times = found.all_of(time) * self._table.time_unit + self._state.get("start", 0.0)
        return [
            self._points(tags[column], steps, times, places, values)
            for column, places, values in found.columns()
            if column in tags
        ]

    def items(self, rows: MetricTable, header: list[str], told: list[str]) -> list[Item]:
        """Points by column, and the settings of the first row; ``told`` are columns of text."""
        if not rows.rows:
            return []
        step = self._table.step_among(header)
        if step is None and self._table.step:
            raise ValueError(at_line(1, _NO_STEP_COLUMN(names=self._table.step[0])))
        _drop_odd(rows, len(header))
        if not rows.rows:
            return []
        steps = None if step is None else steps_of(rows, header.index(step))
        if not rows.rows:
            return []
        steps = self._counted(steps, len(rows.rows))
        columns = list(zip(*rows.rows, strict=True))
        times = None
        if self._table.time in header:
            cells = columns[header.index(self._table.time)]
            times = seconds(cells, self._table.time_unit) + self._state.get("start", 0.0)
        found: list[Item] = self._settings(dict(zip(header, rows.rows[0], strict=True)))
        for column, tag in self._tags(header, step).items():
            places, values = values_of(rows, columns[column], header[column], told)
            if len(places):
                found.append(self._points(tag, steps, times, places, values))
        return found

    def _tags(self, header: Sequence[str], step: str | None) -> dict[int, str]:
        """The tags of the columns that are series."""
        found = {
            column: self._table.tag_of(name)
            for column, name in enumerate(header)
            if name != step or self._table.sums_steps
        }
        return {column: self._named(tag) for column, tag in found.items() if tag}

    def _counted(self, steps: NDArray[np.int64] | None, rows: int) -> NDArray[np.int64]:
        """The steps of rows, given those in the text; counts on from the rows before."""
        before: int = self._state["rows"]
        counted = np.arange(before, before + rows) if steps is None else steps
        if steps is not None and self._table.sums_steps:
            counted = before + np.cumsum(steps)
        self._state["rows"] = int(counted[-1]) + (steps is None)
        return counted

    def _points(
        self,
        tag: str,
        steps: NDArray[np.int64],
        times: NDArray[np.float64] | None,
        places: NDArray[np.intp] | None,
        values: NDArray[np.float64],
    ) -> Points:
        """Points of some rows, or of all."""
        if places is None:
            return Points(tag, steps, values, times)
        return Points(tag, steps[places], values, None if times is None else times[places])

    def _named(self, tag: str) -> str:
        """The tag after what the path of the file says; that alone if it ends with the tag."""
        if not self._tag:
            return tag
        return self._tag if self._tag.endswith(tag) else f"{self._tag}/{tag}"

    def _settings(self, first: dict[str, str]) -> list[Item]:
        if self._state.get("given") or not self._table.settings:
            return []
        self._state["given"] = True
        given = {setting: text for name, text in first.items() if (setting := self._table.setting_of(name))}
        values = {setting: _cell(text) for setting, text in given.items() if text}
        return [HyperParameters(values)] if values else []


def _drop_odd(rows: MetricTable, width: int) -> None:
    """Takes rows of another width out, as damage."""
    if set(map(len, rows.rows)) == {width}:
        return
    for row, cells in enumerate(rows.rows):
        if len(cells) != width:
            rows.damaged(row, _WIDTH(cells=len(cells), header=width), skips=True)
    rows.select([row for row, cells in enumerate(rows.rows) if len(cells) == width])


def _cell(text: str) -> float | bool | str:
    if text in ("True", "False"):
        return text == "True"
    try:
        return float(text)
    except ValueError:
        return text
