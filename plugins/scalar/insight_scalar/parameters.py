"""Parses query parameters of the scalar routes; errors name the parameter."""

from __future__ import annotations

import time

from werkzeug import Request

from insight_core.plugin import InvalidArgument, ScalarQuery
from insight_core.plugin.http.parameters import attempts, choice, number, required_text, whole_number

MAX_WIDTH = 100_000  # pixel columns
MAX_SMOOTHING = 0.999
MAX_PATTERN = 200  # characters of a regular expression
MAX_MATCHING = 1.0  # seconds that it may take on all names together


def scalar_query(request: Request, nearest: float | None = None) -> ScalarQuery:
    """The common parameters. Raises InvalidArgument for the first one that is wrong."""
    smoothing = number(request, "smoothing") or 0.0
    if not 0.0 <= smoothing <= MAX_SMOOTHING:
        raise InvalidArgument(f"smoothing must be from 0 to {MAX_SMOOTHING}, not {smoothing}")
    low, high = number(request, "from"), number(request, "to")
    if low is not None and high is not None and low > high:
        raise InvalidArgument(f"from must not be greater than to, but {low} is greater than {high}")
    x = choice(request, "x", ("step", "relative", "wall"))
    return ScalarQuery(
        x="step" if x == "step" else "relative" if x == "relative" else "wall",
        log_x=choice(request, "xscale", ("linear", "log")) == "log",
        window=(low, high),
        width=whole_number(request, "width", 1, MAX_WIDTH),
        smoothing=smoothing,
        attempts=attempts(request),
        nearest=nearest,
    )


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
    """The parameter ``group``. Raises InvalidArgument if it is missing, too long or invalid."""
    text = required_text(request, "group")
    if len(text) > MAX_PATTERN:
        raise InvalidArgument(f"group must have at most {MAX_PATTERN} characters, not {len(text)}")
    return GroupPattern(text)
