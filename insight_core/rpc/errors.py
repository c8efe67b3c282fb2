"""What goes wrong in a call, as gRPC tells it."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterator
from typing import NoReturn, TypeVar

import grpc

from insight_core.plugin import InsightError, InvalidArgument, NotFound, TooLarge, Unavailable, Undecodable

log = logging.getLogger(__name__)

Service = TypeVar("Service")
Request = TypeVar("Request")
Response = TypeVar("Response")
Context = grpc.ServicerContext

_CODES: dict[type[InsightError], grpc.StatusCode] = {
    NotFound: grpc.StatusCode.NOT_FOUND,
    InvalidArgument: grpc.StatusCode.INVALID_ARGUMENT,
    Unavailable: grpc.StatusCode.UNAVAILABLE,
    Undecodable: grpc.StatusCode.DATA_LOSS,
    TooLarge: grpc.StatusCode.RESOURCE_EXHAUSTED,
}


class TooMuch(TooLarge):
    """The answer would be longer than a message may be, or too many wait already."""


def unary(
    view: Callable[[Service, Request], Response],
) -> Callable[[Service, Request, Context], Response]:
    """A call with one answer: ``view(service, request)``; its errors become status codes."""

    @functools.wraps(view)
    def answer(service: Service, request: Request, context: Context) -> Response:
        try:
            return view(service, request)
        except Exception as error:
            _abort(context, view.__name__, error)

    return answer


def stream(
    view: Callable[[Service, Request, Context], Iterator[Response]],
) -> Callable[[Service, Request, Context], Iterator[Response]]:
    """A call with many answers: ``view(service, request, context)`` yields them."""

    @functools.wraps(view)
    def answer(service: Service, request: Request, context: Context) -> Iterator[Response]:
        try:
            yield from view(service, request, context)
        except Exception as error:
            _abort(context, view.__name__, error)

    return answer


def _abort(context: Context, call: str, error: Exception) -> NoReturn:
    if isinstance(error, InsightError):
        code = next((_CODES[kind] for kind in type(error).__mro__ if kind in _CODES), None)
        context.abort(code or grpc.StatusCode.INTERNAL, printable(str(error)))
    log.error("%s failed", call, exc_info=error)
    context.abort(grpc.StatusCode.INTERNAL, f"{call} failed in the data server; its log says why")


def printable(text: str) -> str:
    """``text`` as UTF-8 can carry it: file names need not be."""
    return text.encode("utf-8", "backslashreplace").decode()
