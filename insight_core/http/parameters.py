"""Query parameters; every refusal is an InvalidArgument that names its parameter."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import overload

from werkzeug import Request

from insight_core.errors import InvalidArgument
from insight_core.plugin.data.provider import DataProvider, SeriesKey, ShownAttempts
from insight_record.formats.reason import ReasonKind

_EMPTY_PARAMETER = ReasonKind("empty_parameter", "{name} must not be empty")
_WRONG_ORDER = ReasonKind("wrong_order", "from must not be greater than to, but {low} is greater than {high}")
_NOT_ALLOWED = ReasonKind("not_allowed", "{name} must be {allowed}, not {value!r}")
_NOT_FINITE = ReasonKind("not_finite", "{name} must be a finite number, not {value!r}")
_MISSING_PARAMETER = ReasonKind("missing_parameter", "{name} is missing")
_NOT_WHOLE = ReasonKind("not_whole", "{name} must be a whole number from {low} to {high}, not {value!r}")


def empty(name: str) -> InvalidArgument:
    """The error for a parameter that has to have a value."""
    return InvalidArgument(_EMPTY_PARAMETER(name=name))


def check_order(low: float | None, high: float | None) -> None:
    """Raises InvalidArgument if the parameter ``from`` is greater than ``to``."""
    if low is not None and high is not None and low > high:
        raise InvalidArgument(_WRONG_ORDER(low=low, high=high))


def choice(request: Request, name: str, allowed: Sequence[str]) -> str:
    """The value of a parameter that takes one of a few words, the first of them by default."""
    value = request.args.get(name, allowed[0])
    if value not in allowed:
        words = " or ".join(allowed)
        raise InvalidArgument(_NOT_ALLOWED(name=name, allowed=words, value=value))
    return value


def flag(request: Request, name: str) -> bool:
    """Whether the parameter is ``1``; without it, or with ``0``, it is not."""
    return choice(request, name, ("0", "1")) == "1"


def attempts(request: Request) -> ShownAttempts:
    """The parameter ``attempts``: ``last`` (the default) or ``all``."""
    return "last" if choice(request, "attempts", ("last", "all")) == "last" else "all"


def number(request: Request, name: str) -> float | None:
    """The value of a parameter that takes a finite number, None without it."""
    text = request.args.get(name)
    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InvalidArgument(_NOT_FINITE(name=name, value=text))
    return value


def required_number(request: Request, name: str) -> float:
    """The value of a parameter that takes a finite number and has to be given."""
    value = number(request, name)
    if value is None:
        raise InvalidArgument(_MISSING_PARAMETER(name=name))
    return value


@overload
def whole_number(request: Request, name: str, low: int, high: int, default: int) -> int: ...
@overload
def whole_number(request: Request, name: str, low: int, high: int, default: None = None) -> int | None: ...
def whole_number(request: Request, name: str, low: int, high: int, default: int | None = None) -> int | None:
    """The value of a parameter that takes a whole number from ``low`` to ``high``, or the default."""
    text = request.args.get(name)
    if text is None:
        return default
    digits = text.removeprefix("-") if low < 0 else text
    longest = max(len(str(abs(low))), len(str(abs(high))))
    whole = digits.isascii() and digits.isdecimal() and len(digits) <= longest
    if not whole or not low <= int(text) <= high:
        raise InvalidArgument(_NOT_WHOLE(name=name, low=low, high=high, value=text))
    return int(text)


def required_whole_number(request: Request, name: str, low: int, high: int) -> int:
    """The value of a parameter that takes a whole number from ``low`` to ``high`` and has to be given."""
    value = whole_number(request, name, low, high)
    if value is None:
        raise InvalidArgument(_MISSING_PARAMETER(name=name))
    return value


def required_text(request: Request, name: str) -> str:
    """The value of a parameter that has to be given; it may be empty."""
    text = request.args.get(name)
    if text is None:
        raise InvalidArgument(_MISSING_PARAMETER(name=name))
    return text


def series_key(request: Request) -> SeriesKey:
    """The one series that ``run`` and ``tag`` name; both are required."""
    return SeriesKey(required_text(request, "run"), required_text(request, "tag"))


def series_keys(request: Request, data: DataProvider, plugin: str) -> list[SeriesKey]:
    """Every existing pair of the runs and tags asked for, tag by tag; all runs when none is named."""
    tags = list(dict.fromkeys(request.args.getlist("tag")))
    if not tags:
        raise InvalidArgument("tag is missing", code="missing_parameter", name="tag")
    named: Collection[str] | None = dict.fromkeys(request.args.getlist("run")) or None
    tables = data.series_tables(plugin, (), runs=named, tags=tags)
    existing = {table.run: set(table.tags) for table in tables}
    runs = named or existing
    return [SeriesKey(run, tag) for tag in tags for run in runs if tag in existing.get(run, ())]
