"""Client stubs and server registration of both services, generated from their descriptors."""

from __future__ import annotations

from collections.abc import Callable
from operator import methodcaller
from typing import TYPE_CHECKING, Any

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message_factory import GetMessageClass

from insight_core.rpc.schema.pool import POOL

TENSORBOARD = "tensorboard.data.TensorBoardDataProvider"
INSIGHT = "insight.data.v1.DataProvider"
PIECE = 3_000_000  # bytes of data in a message, which stays below 3 MiB; gRPC clients accept 4 MiB by default
LARGEST_MESSAGE = 256 << 20  # bytes of an answer; what TensorBoard's own client accepts
LARGEST_REQUEST = 4 << 20  # bytes; gRPC's default
MESSAGE_OPTIONS = (  # of clients
    ("grpc.max_receive_message_length", LARGEST_MESSAGE),
    ("grpc.max_send_message_length", LARGEST_MESSAGE),
)


class ServiceStub:
    """Client of a service, by its full name: ``ServiceStub(channel, INSIGHT).Info(request, timeout=5)``."""

    def __init__(self, channel: grpc.Channel, service: str) -> None:
        for method in POOL.FindServiceByName(service).methods:
            make: Callable[..., Any] = (
                channel.unary_stream if method.server_streaming else channel.unary_unary
            )
            request, response = GetMessageClass(method.input_type), GetMessageClass(method.output_type)
            path = f"/{service}/{method.name}"
            setattr(self, method.name, make(path, request.SerializeToString, response.FromString))

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., Any]: ...


def register(server: grpc.Server, service: str, servicer: object) -> None:
    """Registers the methods of ``servicer`` as the RPCs of the same names."""
    methods = POOL.FindServiceByName(service).methods
    answering = {method.name: _answering(method, getattr(servicer, method.name)) for method in methods}
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(service, answering)])


def _answering(method: MethodDescriptor, view: Callable[..., Any]) -> grpc.RpcMethodHandler[Any, Any]:
    make = (
        grpc.unary_stream_rpc_method_handler
        if method.server_streaming
        else grpc.unary_unary_rpc_method_handler
    )
    # a handler may return any message of the same wire form
    return make(view, GetMessageClass(method.input_type).FromString, methodcaller("SerializeToString"))
