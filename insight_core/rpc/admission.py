"""Decides which callers a data server answers: those with its token, and programs of the same user."""

from __future__ import annotations

import functools
import hmac
import logging
from collections.abc import Callable
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

        def check(context: grpc.ServicerContext) -> None:
            if not same_user.has(context.peer()):
                _refuse(None, context)

        return _guarded(continuation(handler_call_details), check)

    def _has_token(self, details: grpc.HandlerCallDetails) -> bool:
        given = [value for name, value in details.invocation_metadata or () if name == _HEADER]
        if len(given) != 1:
            return False
        value = given[0].encode() if isinstance(given[0], str) else given[0]
        scheme, token = value[: len(_SCHEME)], value[len(_SCHEME) :]
        return hmac.compare_digest(token, self._token) and scheme.lower() == _SCHEME


class QuietDecoding(_Interceptor):
    """Logs a request that is not a message in one line; gRPC would log a traceback.

    The caller gets INTERNAL, as from every gRPC server.
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
                return None

        return handler._replace(request_deserializer=decoded)  # type: ignore[no-any-return]


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


def _guarded(handler: Handler | None, check: Callable[[grpc.ServicerContext], None]) -> Handler:
    """``handler`` with a check before each call, which may abort it."""
    inner: Any = _NOT_SERVED if handler is None else handler
    kind = (
        f"{'stream' if inner.request_streaming else 'unary'}_"
        f"{'stream' if inner.response_streaming else 'unary'}"
    )
    answer = getattr(inner, kind)

    @functools.wraps(answer)  # also the attributes by which gRPC recognises what does not block
    def checked(request: object, context: grpc.ServicerContext, *more: object) -> object:
        check(context)
        return answer(request, context, *more)

    make: Callable[..., Handler] = getattr(grpc, f"{kind}_rpc_method_handler")
    return make(checked, inner.request_deserializer, inner.response_serializer)
