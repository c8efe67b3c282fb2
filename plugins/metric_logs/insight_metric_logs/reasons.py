"""Why a part of a metric log cannot be read."""

from __future__ import annotations

from insight_core.plugin import Reason

NO_STEP = Reason("no step", "metric_logs_no_step")
BAD_CELL = Reason("a cell is too long, or has a line break in it", "metric_logs_cell")
LONG_NUMBER = Reason("a whole number has too many digits", "metric_logs_long_number")
NOT_UTF8 = Reason("not UTF-8", "metric_logs_not_utf8")
TOO_DEEP = Reason("nested too deeply", "metric_logs_too_deep")


def at_line(number: int, reason: str) -> Reason:
    """A reason as that of a line, counted from 1."""
    return Reason(f"line {number}: {reason}", "metric_logs_line", line=number, cause=reason)


def not_a_step(cell: object) -> Reason:
    """The reason of a row or object whose step is ``cell``."""
    return Reason(f"the step is {cell!r}, not a whole number", "metric_logs_step", step=str(cell))
