"""Reads columns of CSV files by header names, and parses numbers without loss.

Headers differ between versions: order, letters, units in parentheses. A column is asked for by its bare name
(``"start time"`` finds ``Start Time(us)`` and ``start_time (ms)``) and further names that other versions
gave it; the unit comes from the header. Times become int64 nanoseconds from their text: a float64 of
microseconds since the epoch is good to 250 ns only.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any, BinaryIO, Final

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

ROWS: Final = 1 << 14  # read at once: cells are texts, which take some 60 bytes each
POWERS: Final[Mapping[str, int]] = {"ns": 0, "us": 3, "ms": 6, "s": 9}  # of ten, to nanoseconds
BYTES: Final[Mapping[str, int]] = {"b": 1, "byte": 1, "bytes": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30}
_UNIT = re.compile(rf"\((?P<unit>{'|'.join((*POWERS, *BYTES))})\)", re.IGNORECASE)
_LARGEST = 1 << 62  # of a time in ns: sums of two fit into an int64
_DIGITS = 18  # that an int64 has whatever they are; with one more only if the first is not 9

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


def bare(name: str) -> str:
    """A header without unit, letters of one case, nothing but letters and digits."""
    return re.sub(r"[^a-z0-9%]", "", _UNIT.sub("", name).lower())


def unit_of(name: str) -> str:
    """The unit in parentheses, or nothing."""
    found = _UNIT.search(name)
    return found["unit"].lower() if found else ""


def decimals(texts: Sequence[str], power: int) -> tuple[Integers, NDArray[np.bool_]]:
    """Texts of numbers times 10**power, rounded half up, and where there was a number that fits."""
    found = np.zeros(len(texts), np.int64)
    if not len(texts):
        return found, np.zeros(0, np.bool_)
    cells = np.array([text.encode("ascii", "replace") for text in texts], "S")
    width = max(cells.itemsize, 1)
    letters = cells.view(np.uint8).reshape(len(texts), width)
    is_digit = (letters >= 48) & (letters <= 57)
    is_dot = letters == 46
    count = (letters != 0).sum(1)
    dot = np.where(is_dot.any(1), is_dot.argmax(1), count)
    taken = np.clip(count - dot - 1, 0, power)
    is_plain = (
        ((is_digit | is_dot).sum(1) == count)
        & (is_dot.sum(1) <= 1)
        & (count > is_dot.sum(1))
        & ((dot + power <= _DIGITS) | ((dot + power == _DIGITS + 1) & (letters[:, 0] < 57)))
    )
    for place in range(width):
        digit = is_digit[:, place]
        at = place - dot
        kept = digit & (at <= power)
        np.multiply(found, 10, out=found, where=kept & is_plain)
        np.add(found, letters[:, place].astype(np.int64) - 48, out=found, where=kept & is_plain)
    found *= 10 ** (power - taken)
    after = np.minimum(dot + power + 1, width - 1)
    rounds = (dot + power + 1 < count) & (letters[np.arange(len(texts)), after] >= 53)
    found += rounds & is_plain
    for place in np.flatnonzero(~is_plain & (count > 0)).tolist():
        value = _decimal(texts[place], power)
        is_plain[place] = value is not None
        found[place] = value or 0
    return found, is_plain


def _decimal(text: str, power: int) -> int | None:
    try:
        value = Decimal(text).scaleb(power)
        rounded = int(value.to_integral_value(ROUND_HALF_UP)) if value.is_finite() else None
    except (InvalidOperation, OverflowError):
        return None
    return rounded if rounded is not None and abs(rounded) < 1 << 63 else None


def microseconds(texts: Sequence[str]) -> tuple[Integers, NDArray[np.bool_]]:
    """Texts of microseconds in ns, and where there was a time."""
    found, is_number = decimals(texts, POWERS["us"])
    return found, is_number & (np.abs(found) < _LARGEST)


def nanoseconds(value: object, unit: str, missing: int = -1) -> int:
    """One number of a unit, of a JSON file: text, int or float."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float, Decimal)):
        return missing
    found = _decimal(str(value).strip(), POWERS[unit])
    return missing if found is None or abs(found) >= _LARGEST else found


def whole(values: Floats, missing: int = -1) -> Integers:
    """The nearest whole numbers; ``missing`` for what is none that an int64 has."""
    found = np.rint(values)
    return np.where(np.abs(found) < _LARGEST, found, missing).astype(np.int64)


@define(eq=False)
class CsvColumns:
    """Some rows of a CSV file, as columns of text."""

    names: Sequence[str]  # as the file has them
    header: Mapping[str, tuple[int, str]]  # bare name -> place, unit
    columns: list[Sequence[str]]
    count: int
    strange: dict[str, int]  # name -> cells that should have been numbers

    def __contains__(self, name: str) -> bool:
        return bare(name) in self.header

    def _place(self, names: Sequence[str]) -> tuple[int, str] | None:
        return next((self.header[key] for key in map(bare, names) if key in self.header), None)

    def taken(self, rows: NDArray[np.intp]) -> CsvColumns:
        """Some of the rows."""
        places = rows.tolist()
        columns: list[Sequence[str]] = [[column[place] for place in places] for column in self.columns]
        return CsvColumns(self.names, self.header, columns, len(places), self.strange)

    def texts(self, *names: str) -> list[str]:
        """Stripped; all empty where no column has one of these names."""
        place = self._place(names)
        if place is None:
            return [""] * self.count
        return [cell.strip() for cell in self.columns[place[0]]]

    def labels(self, *names: str) -> list[str]:
        """Texts, empty for cells without a value."""
        return ["" if text == "N/A" else text for text in self.texts(*names)]

    def integers(self, *names: str, missing: int = -1) -> Integers:
        """The first column with one of these names as int64, ``missing`` where it has no number."""
        return self._numbers(names, 0, missing)

    def nanoseconds(self, *names: str, unit: str, missing: int = -1) -> Integers:
        """Times; ``unit`` where the header names none."""
        place = self._place(names)
        found = self._numbers(names, POWERS.get(place[1] if place else "", POWERS[unit]), missing)
        return np.where(np.abs(found) < _LARGEST, found, missing)

    def bytes(self, *names: str, unit: str, missing: int = -1) -> Integers:
        """A column in bytes; ``unit`` is its unit if the header names none."""
        place = self._place(names)
        factor = BYTES.get(place[1] if place else "", BYTES[unit])
        return whole(self.floats(*names) * factor, missing)

    def floats(self, *names: str) -> Floats:
        """NaN for missing numbers."""
        texts = self.texts(*names)
        try:
            return np.array(texts, np.float64)
        except ValueError:
            return np.array([self._float(names[0], text) for text in texts], np.float64)

    def _float(self, name: str, text: str) -> float:
        try:
            return float(text)
        except ValueError:
            self._count(name, text)
            return float("nan")

    def _numbers(self, names: Sequence[str], power: int, missing: int) -> Integers:
        if self._place(names) is None:
            return np.full(self.count, missing, np.int64)
        texts = self.texts(*names)
        found, is_number = decimals(texts, power)
        if not is_number.all():
            for place in np.flatnonzero(~is_number).tolist():
                self._count(names[0], texts[place])
            found[~is_number] = missing
        return found

    def _count(self, name: str, text: str) -> None:
        if text:  # nothing is nothing strange
            self.strange[name] = self.strange.get(name, 0) + 1


@define(eq=False)
class Csv:
    """A CSV file, some rows at a time. ``strange`` counts cells that are not numbers, by column; ``cut`` rows
    that have not as many cells as the header."""

    source: BinaryIO
    strange: dict[str, int] = field(factory=dict)
    cut: int = 0

    def chunks(self, rows: int = ROWS) -> Iterator[CsvColumns]:
        """Column chunks of at most ``rows`` rows."""
        lines = csv.reader(
            io.TextIOWrapper(self.source, "utf-8", "replace", newline=""), skipinitialspace=True
        )
        names = next(lines, None)
        if not names:
            return
        names[0] = names[0].removeprefix("\ufeff")
        header: dict[str, tuple[int, str]] = {}
        for place, name in enumerate(names):
            header.setdefault(bare(name), (place, unit_of(name)))
        while found := self._some(lines, rows, len(names)):
            yield CsvColumns(names, header, list(zip(*found, strict=True)), len(found), self.strange)

    def _some(self, lines: Iterator[list[str]], rows: int, width: int) -> list[list[str]]:
        found: list[list[str]] = []
        for line in lines:
            if not line:
                continue
            if len(line) != width:
                # some writers end each row with a comma
                if len(line) < width or any(line[width:]):
                    self.cut += 1
                line = (line + [""] * width)[:width]
            found.append(line)
            if len(found) == rows:
                break
        return found

    def whole(self) -> CsvColumns:
        """All rows at once, of files that are small."""
        return next(self.chunks(1 << 62), CsvColumns((), {}, [], 0, self.strange))


def json_cell(text: str) -> Any:  # noqa: ANN401  any JSON
    """The JSON of a cell, None if it has none."""
    try:
        return json.loads(text) if text else None
    except ValueError:
        return None
