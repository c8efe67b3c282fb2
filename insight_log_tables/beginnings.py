"""Whether a file begins like a declared table. Other files of the same names are left alone."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from insight_log_tables.table import DeclaredTable

BOM = b"\xef\xbb\xbf"
COMMENT = b"#"  # at the beginning of the first line
_LONG = 4096  # bytes of a beginning that is only a part of the file, perhaps
_NAME = rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:'
_NUMBER = rb"\s*(?:-?[0-9]|-?Infinity|NaN|null)"
_LISTS = re.compile(rb"(?:%b)+\s*\[%b" % (_NAME, _NUMBER))
_NUMBERS = re.compile(rb"(?:%b)+%b" % (_NAME, _NUMBER))
_LOSS = re.compile(r"(?:^|[/_. ])loss(?:$|[/_. ])", re.IGNORECASE)


def begins_like(table: DeclaredTable, beginning: bytes) -> bool:
    """Whether a file with these first bytes is one that the table declares."""
    if table.layout in ("csv", "tsv"):
        return _is_table(table, beginning)
    if table.layout == "one":
        return _is_one(beginning, table.time)
    if table.layout == "lines":
        return _is_lines(table, beginning)
    text = beginning.removeprefix(BOM)
    if table.layout == "columns":
        return _LISTS.match(text) is not None
    if not table.needs:
        return _NUMBERS.match(text) is not None and not _is_first_line_whole(text)
    return text.lstrip().startswith(b"{") and any(f'"{name}"'.encode() in text for name in table.needs)


def is_log(table: DeclaredTable, beginning: bytes) -> bool:
    """Whether a CSV file of any name looks like the log of a training: data sets have such columns, too.

    Its first column is the step, another one is a loss, and the first row has numbers only, the first of them
    whole.
    """
    lines = beginning.removeprefix(BOM).splitlines()
    if len(lines) < 2:
        return False
    header, first = (_cells(line, ",") for line in lines[:2])
    if not header or header[0] not in table.step or not any(map(_LOSS.search, header[1:])):
        return False
    if len(lines) == 2 and not beginning.endswith(b"\n"):
        return False  # the row is not whole
    return len(first) == len(header) and first[0].isdigit() and all(map(_is_number, filter(None, first)))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_table(table: DeclaredTable, beginning: bytes) -> bool:
    text = beginning.removeprefix(BOM)
    if text.startswith(COMMENT):
        text = text.partition(b"\n")[2]
    header = _header(text, "," if table.layout == "csv" else "\t", is_whole=len(beginning) < _LONG)
    if len(header) < 2:
        return False
    is_cut = (
        b"\n" not in text and not table.needs
    )  # a logger may sort the names: the step comes behind norms of gradients
    return is_cut or ((not table.step or table.step_among(header) is not None) and _has(header, table.needs))


def _is_one(beginning: bytes, time: str) -> bool:
    """A step and the metric, after the time where that is recorded; or the step alone."""
    header = _header(beginning.removeprefix(BOM), "\t", is_whole=len(beginning) < _LONG)
    if header[-1:] != ["step"]:
        del header[-1:]
    return header[-1:] == ["step"] and header[:-1] in ([], [time])


def _is_lines(table: DeclaredTable, beginning: bytes) -> bool:
    """The first line that is not empty is an object, or the beginning of a long one."""
    line, end, _ = beginning.removeprefix(BOM).lstrip().partition(b"\n")
    if not line.startswith(b"{"):
        return False
    try:
        value: Any = json.loads(line)
    except (ValueError, RecursionError):
        is_begun = not end and line[1:].lstrip().startswith(b'"')
        return is_begun and all(f'"{name}"'.encode() in line for name in table.needs)
    return isinstance(value, dict) and _has(list(value), table.needs)


def _is_first_line_whole(text: bytes) -> bool:
    """Whether the first line is an object that another line follows: those are lines of objects."""
    line, _, rest = text.lstrip().partition(b"\n")
    try:
        return isinstance(json.loads(line), dict) and rest.lstrip().startswith(b"{")
    except (ValueError, RecursionError):
        return False


def _has(names: Sequence[str], needs: Sequence[str]) -> bool:
    return all(any(fnmatchcase(name, one) for name in names) for one in needs)


def _header(text: bytes, delimiter: str, *, is_whole: bool) -> list[str]:
    line, end, _ = text.partition(b"\n")
    return [] if not end and is_whole else _cells(line, delimiter)  # not yet written to its end


def _cells(line: bytes, delimiter: str) -> list[str]:
    try:
        return [
            name.strip() for name in next(csv.reader([line.decode().rstrip("\r")], delimiter=delimiter), [])
        ]
    except (UnicodeDecodeError, csv.Error):
        return []
