"""Parses query parameters of the scalar routes; errors name the parameter."""

from __future__ import annotations

from typing import cast, get_args

from werkzeug import Request

from insight_core.plugin import InvalidArgument, ReasonKind
from insight_core.plugin.http import attempts, choice, number, whole_number
from insight_core.plugin.lab import check_order
from insight_scalar.derived import SmoothedQuery
from insight_scalar.smoothers import Smoother

MAX_WIDTH = 100_000  # pixel columns
MAX_SMOOTHING = 0.999
_SMOOTHING = ReasonKind("scalar_smoothing", "smoothing must be from 0 to {most}, not {value}")


def request_of(query: bytes) -> Request:
    """The request of a computation, which is the query string of its route."""
    return Request({"QUERY_STRING": query.decode("latin1")})


def scalar_query(request: Request, nearest: float | None = None) -> SmoothedQuery:
    """The common parameters. Raises InvalidArgument for the first one that is wrong.

    ``x``: ``step``, ``relative``, ``wall``, or ``=`` and an expression over tags.
    """
    smoothing = number(request, "smoothing") or 0.0
    if not 0.0 <= smoothing <= MAX_SMOOTHING:
        raise InvalidArgument(_SMOOTHING(most=MAX_SMOOTHING, value=smoothing))
    low, high = number(request, "from"), number(request, "to")
    check_order(low, high)
    text = request.args.get("x", "")
    along = text.removeprefix("=") if text.startswith("=") else None
    x = "step" if along is not None else choice(request, "x", ("step", "relative", "wall"))
    return SmoothedQuery(
        x="step" if x == "step" else "relative" if x == "relative" else "wall",
        log_x=choice(request, "xscale", ("linear", "log")) == "log",
        window=(low, high),
        width=whole_number(request, "width", 1, MAX_WIDTH),
        smoothing=smoothing,
        attempts=attempts(request),
        nearest=nearest,
        smoother=cast(Smoother, choice(request, "smoother", get_args(Smoother))),
        along=along,
    )
