"""Translates errors of calls into gRPC status codes."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NoReturn, TypeVar

import grpc

from insight_core.plugin import (
    InsightError,
    InvalidArgument,
    NotFound,
    Reason,
    TooLarge,
    Unavailable,
    Undecodable,
)
from insight_core.plugin.data import NotComputed

log = logging.getLogger(__name__)

Service = TypeVar("Service")
Request = TypeVar("Request")
Response = TypeVar("Response")
Context = grpc.ServicerContext

_LONGEST = 4096  # bytes: gRPC limits the headers of an answer
REASON = "insight-reason-bin"  # trailing metadata of an error: its text, code and details, as stored

_CODES: dict[type[InsightError], grpc.StatusCode] = {
    NotFound: grpc.StatusCode.NOT_FOUND,
    InvalidArgument: grpc.StatusCode.INVALID_ARGUMENT,
    Unavailable: grpc.StatusCode.UNAVAILABLE,
    Undecodable: grpc.StatusCode.DATA_LOSS,
    TooLarge: grpc.StatusCode.RESOURCE_EXHAUSTED,
    NotComputed: grpc.StatusCode.UNIMPLEMENTED,
}


ERRORS = {code: kind for kind, code in _CODES.items()}  # the other way, for clients


class TooMuch(TooLarge):
    """The answer is larger than a message may be, or too many calls already wait."""


def unary(
    view: Callable[[Service, Request], Response],
) -> Callable[[Service, Request, Context], Response]:
    """Wraps a call with one answer, ``view(service, request)``; errors become status codes."""

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
    """Wraps a call that yields many answers, ``view(service, request, context)``; errors become status
    codes.
    """

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
        known = Reason.of(error).stored().encode(errors="backslashreplace")
        if len(known) <= _LONGEST:
            context.set_trailing_metadata(((REASON, known),))
        context.abort(code or grpc.StatusCode.INTERNAL, printable(str(error)))
    log.error("%s failed", call, exc_info=error)
    context.abort(grpc.StatusCode.INTERNAL, f"{call} failed in the data server; its log says why")


def reason_of(error: grpc.Call) -> Reason:
    """What the server says of an error; without code and details if it is another server."""
    for name, value in error.trailing_metadata() or ():
        if name == REASON and isinstance(value, bytes):
            with suppress(ValueError):
                return Reason.restored(value.decode())
    return Reason(error.details() or "")


def printable(text: str) -> str:
    """``text`` without characters that UTF-8 cannot encode, which file names may contain."""
    return text.encode("utf-8", "backslashreplace").decode()
