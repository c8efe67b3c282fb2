"""Decides which callers a data server answers: those with its token, and programs of the same user."""

from __future__ import annotations

import functools
import hmac
import logging
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import grpc

from insight_core.rpc.peer_user import SameUser

if TYPE_CHECKING:
    _Interceptor = grpc.ServerInterceptor[Any, Any]
else:
    _Interceptor = grpc.ServerInterceptor

log = logging.getLogger(__name__)

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
_HEADER = "authorization"
_SCHEME = b"bearer "
_NO_MESSAGE = object()  # what the decoder makes of other bytes
_REFUSAL = "this data server needs a token, in the metadata `authorization: Bearer TOKEN`"


class Admission(_Interceptor):
    """Answers calls without the token with UNAUTHENTICATED, whatever their method.

    Calls of ``same_user``, once it is known, need no token.
    """

    def __init__(self, token: str) -> None:
        self.same_user: SameUser | None = None
        self._token = token.encode()

    def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Handler | None],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler | None:
        """The handler of a call; a refusing one without a token."""
        if self._has_token(handler_call_details):
            return continuation(handler_call_details)
        same_user = self.same_user
        if same_user is None:
            return _REFUSING

        def admitted(request: object, context: grpc.ServicerContext) -> object:
            return request if same_user.has(context.peer()) else _refuse(request, context)

        return _preceded(continuation(handler_call_details) or _NOT_SERVED, admitted)

    def _has_token(self, details: grpc.HandlerCallDetails) -> bool:
        given = [value for name, value in details.invocation_metadata or () if name == _HEADER]
        if len(given) != 1:
            return False
        value = given[0].encode() if isinstance(given[0], str) else given[0]
        scheme, token = value[: len(_SCHEME)], value[len(_SCHEME) :]
        return hmac.compare_digest(token, self._token) and scheme.lower() == _SCHEME


class QuietDecoding(_Interceptor):
    """Refuses a request that is not a message with INTERNAL, as every gRPC server does, and logs one line.

    gRPC itself would log a traceback and keep the stream open: a connection has 128.
    """

    def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Handler | None],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler | None:
        """The handler of a call with another decoder."""
        handler: Any = continuation(handler_call_details)
        if handler is None or handler.request_deserializer is None:
            return handler  # type: ignore[no-any-return]
        decode, method = handler.request_deserializer, handler_call_details.method

        def decoded(data: bytes) -> object:
            try:
                return decode(data)
            except Exception as error:
                log.debug("%s: a request of %d bytes is not a message (%s)", method, len(data), error)
                return _NO_MESSAGE

        check = _messages if handler.request_streaming else _message
        return _preceded(handler._replace(request_deserializer=decoded), check)


def bearer(token: str) -> tuple[tuple[str, str]]:
    """The metadata of a call with a token."""
    return ((_HEADER, f"Bearer {token}"),)


def _refuse(request: object, context: grpc.ServicerContext) -> Any:  # noqa: ANN401
    context.abort(grpc.StatusCode.UNAUTHENTICATED, _REFUSAL)


def _not_served(request: object, context: grpc.ServicerContext) -> Any:  # noqa: ANN401
    context.abort(grpc.StatusCode.UNIMPLEMENTED, "Method not found!")


# Handlers for calls of any kind: they do not wait for a request.
_REFUSING: Handler = grpc.stream_unary_rpc_method_handler(_refuse)
_NOT_SERVED: Handler = grpc.stream_unary_rpc_method_handler(_not_served)


def _message(request: object, context: grpc.ServicerContext) -> object:
    if request is _NO_MESSAGE:
        context.abort(grpc.StatusCode.INTERNAL, "the request is not a message of this method")
    return request


def _messages(requests: Any, context: grpc.ServicerContext) -> Iterator[object]:  # noqa: ANN401
    for request in requests:
        yield _message(request, context)


def _preceded(handler: Handler, prepare: Callable[[Any, grpc.ServicerContext], object]) -> Handler:
    """``handler``, which gets what ``prepare`` makes of the request; that may abort the call."""
    inner: Any = handler
    kind = (
        f"{'stream' if inner.request_streaming else 'unary'}_"
        f"{'stream' if inner.response_streaming else 'unary'}"
    )
    answer = getattr(inner, kind)

    @functools.wraps(answer)  # also the attributes by which gRPC recognises what does not block
    def prepared(request: object, context: grpc.ServicerContext, *more: object) -> object:
        return answer(prepare(request, context), context, *more)

    make: Callable[..., Handler] = getattr(grpc, f"{kind}_rpc_method_handler")
    return make(prepared, inner.request_deserializer, inner.response_serializer)
