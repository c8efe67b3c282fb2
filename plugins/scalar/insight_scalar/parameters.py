"""Query parameters of the scalar routes; every refusal names its parameter."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Sequence

from werkzeug import Request

from insight_core.api import DataProvider, InvalidArgument, PluginNameEnum, ScalarQuery, SeriesKey

MAX_WIDTH = 100_000  # pixel columns
MAX_SMOOTHING = 0.999
MAX_PATTERN = 200  # characters of a regular expression
MAX_MATCHING = 1.0  # seconds that it may take on all names together


def choice(request: Request, name: str, allowed: Sequence[str]) -> str:
    """The value of a parameter that takes one of a few words, the first of them by default."""
    value = request.args.get(name, allowed[0])
    if value not in allowed:
        raise InvalidArgument(f"{name} must be {' or '.join(allowed)}, not {value!r}")
    return value


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
        raise InvalidArgument(f"{name} must be a finite number, not {text!r}")
    return value


def required_number(request: Request, name: str) -> float:
    value = number(request, name)
    if value is None:
        raise InvalidArgument(f"{name} is missing")
    return value


def width(request: Request) -> int | None:
    text = request.args.get("width")
    if text is None:
        return None
    whole = text.isascii() and text.isdecimal() and len(text) <= len(str(MAX_WIDTH))
    if not whole or not 1 <= int(text) <= MAX_WIDTH:
        raise InvalidArgument(f"width must be a whole number from 1 to {MAX_WIDTH}, not {text!r}")
    return int(text)


def scalar_query(request: Request, nearest: float | None = None) -> ScalarQuery:
    """The common parameters. Raises InvalidArgument for the first one that is wrong."""
    smoothing = number(request, "smoothing") or 0.0
    if not 0.0 <= smoothing <= MAX_SMOOTHING:
        raise InvalidArgument(f"smoothing must be from 0 to {MAX_SMOOTHING}, not {smoothing}")
    low, high = number(request, "from"), number(request, "to")
    if low is not None and high is not None and low > high:
        raise InvalidArgument(f"from must not be greater than to, but {low} is greater than {high}")
    x = choice(request, "x", ("step", "relative", "wall"))
    attempts = choice(request, "attempts", ("last", "all"))
    return ScalarQuery(
        x="step" if x == "step" else "relative" if x == "relative" else "wall",
        log_x=choice(request, "xscale", ("linear", "log")) == "log",
        window=(low, high),
        width=width(request),
        smoothing=smoothing,
        attempts="last" if attempts == "last" else "all",
        nearest=nearest,
    )


def series_keys(request: Request, data: DataProvider) -> list[SeriesKey]:
    """Every existing pair of the runs and tags asked for, tag by tag; all runs when none is named."""
    tags = list(dict.fromkeys(request.args.getlist("tag")))
    if not tags:
        raise InvalidArgument("tag is missing")
    named: Collection[str] | None = dict.fromkeys(request.args.getlist("run")) or None
    existing = {info.key: None for info in data.series(PluginNameEnum.SCALAR, runs=named)}
    runs = named or dict.fromkeys(key.run for key in existing)
    return [key for tag in tags for run in runs if (key := SeriesKey(run, tag)) in existing]


class GroupPattern:
    """A user's regular expression, which may take only so long: some need time without end."""

    def __init__(self, text: str) -> None:
        import regex  # slow to load, and most never group

        try:
            self._pattern = regex.compile(text)
        except (regex.error, OverflowError, RecursionError) as error:
            raise InvalidArgument(f"group is not a regular expression: {error}") from None
        self._until = time.monotonic() + MAX_MATCHING

    def group_of(self, run: str) -> str | None:
        """What the pattern captures of a run's name, joined by ``/``; None where it does not match."""
        try:
            match = self._pattern.search(
                run, timeout=max(1e-3, self._until - time.monotonic()), concurrent=True
            )
        except TimeoutError:
            raise InvalidArgument("group takes too long on the names of these runs") from None
        if match is None:
            return None
        return "/".join(part or "" for part in match.groups()) if match.groups() else str(match[0])


def group_pattern(request: Request) -> GroupPattern:
    text = request.args.get("group")
    if text is None:
        raise InvalidArgument("group is missing")
    if len(text) > MAX_PATTERN:
        raise InvalidArgument(f"group must have at most {MAX_PATTERN} characters, not {len(text)}")
    return GroupPattern(text)
