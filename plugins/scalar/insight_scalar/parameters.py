"""Parses query parameters of the scalar routes; errors name the parameter."""

from __future__ import annotations

from typing import cast, get_args

import numpy as np
from werkzeug import Request

from insight_core.plugin import InvalidArgument, ReasonKind
from insight_core.plugin.data import ScalarColumns, ScalarQuery
from insight_core.plugin.http import Reader, attempts, choice, number, text, whole_number
from insight_core.plugin.lab import check_order
from insight_scalar.along import narrowed
from insight_scalar.derived import SmoothedQuery, x_of
from insight_scalar.smoothers import Smoother

MAX_WIDTH = 100_000  # pixel columns
MAX_SMOOTHING = 0.999
_BAD_SMOOTHING = ReasonKind("scalar_smoothing", "smoothing must be from 0 to {most}, not {value}")


def request_of(query: bytes) -> Request:
    """The request of a computation, which is the query string of its route."""
    return Request({"QUERY_STRING": query.decode("latin1")})


_SMOOTHING, _FROM, _TO = number("smoothing"), number("from"), number("to")
_ALONG, _X = text("x", ""), choice("x", ("step", "relative", "wall"))
_XSCALE, _WIDTH = choice("xscale", ("linear", "log")), whole_number("width", 1, MAX_WIDTH)
_SMOOTHER = choice("smoother", get_args(Smoother))


def _query(request: Request) -> SmoothedQuery:
    smoothing = _SMOOTHING.read(request) or 0.0
    if not 0.0 <= smoothing <= MAX_SMOOTHING:
        raise InvalidArgument(_BAD_SMOOTHING(most=MAX_SMOOTHING, value=smoothing))
    low, high = _FROM.read(request), _TO.read(request)
    check_order(low, high)
    along = _ALONG.read(request)
    x = "step" if along.startswith("=") else _X.read(request)
    return SmoothedQuery(
        x="step" if x == "step" else "relative" if x == "relative" else "wall",
        log_x=_XSCALE.read(request) == "log",
        window=(low, high),
        width=_WIDTH.read(request),
        smoothing=smoothing,
        attempts=attempts.read(request),
        smoother=cast(Smoother, _SMOOTHER.read(request)),
        along=along.removeprefix("=") if along.startswith("=") else None,
    )


_PARTS = (_SMOOTHING, _FROM, _TO, _ALONG, _X, _XSCALE, _WIDTH, attempts, _SMOOTHER)
# Reads the common parameters. ``x``: ``step``, ``relative``, ``wall``, or ``=`` and an expression over tags.
SCALAR_QUERY: Reader[SmoothedQuery] = Reader(
    "query",
    _query,
    [one for part in _PARTS for one in part.parameters],
    {400: ["scalar_smoothing", "wrong_order"]},
)


def points_since(columns: ScalarColumns, query: ScalarQuery, since: float | None) -> ScalarColumns:
    """The same answer without its points before x = ``since``; None keeps them all."""
    if since is None:
        return columns
    kept = np.flatnonzero(x_of(columns, query).astype(np.float64, copy=False) >= since)
    return narrowed(columns, kept)
