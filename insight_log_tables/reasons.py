"""Why a part of a metric log cannot be read."""

from __future__ import annotations

import json

from insight_record.formats.reason import Reason, ReasonKind

_LONGEST = 60  # characters of a value in a text

NO_STEP = Reason("no step", "table_no_step")
BAD_CELL = Reason("a cell is too long, or has a line break in it", "table_cell")
LONG_NUMBER = Reason("a whole number has too many digits", "table_long_number")
NOT_AN_OBJECT = Reason("not an object", "table_not_an_object")
NOT_UTF8 = Reason("not UTF-8", "table_not_utf8")
TOO_DEEP = Reason("nested too deeply", "table_too_deep")
TOO_LARGE = ReasonKind("table_too_large", "larger than {most} MiB, the most that is read")
_LINE = ReasonKind("table_line", "line {line}: {cause}")


def at_line(number: int, reason: str) -> Reason:
    """A reason as that of a line, counted from 1."""
    return _LINE(line=number, cause=reason)


def not_a_step(cell: object) -> Reason:
    """The reason of a row or object whose step is ``cell``."""
    bare = _in_part(cell) if isinstance(cell, str) else shown(cell)  # the page quotes it itself
    return Reason(f"the step is {shown(cell)}, not a whole number", "table_step", step=bare)


def shown(value: object) -> str:
    """A value of the log as a text quotes it, in a few characters."""
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "an object"
    return _in_part(repr(value) if isinstance(value, str) else json.dumps(value))


def _in_part(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
