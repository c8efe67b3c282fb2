"""Client stubs and server registration of both services, generated from their descriptors."""

from __future__ import annotations

from collections.abc import Callable
from operator import methodcaller
from typing import Any

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message_factory import GetMessageClass

from insight_core.rpc.schema import insight_data_pb2 as insight
from insight_core.rpc.schema import tensorboard_data_pb2 as tensorboard
from insight_core.rpc.schema.pool import POOL

TENSORBOARD = "tensorboard.data.TensorBoardDataProvider"
INSIGHT = "insight.data.v1.DataProvider"
PIECE = 4_000_000  # bytes; a message of one such part stays below 4 MiB, which gRPC clients accept by default
LARGEST_MESSAGE = 256 << 20  # bytes; what TensorBoard's own client accepts
MESSAGE_OPTIONS = (
    ("grpc.max_receive_message_length", LARGEST_MESSAGE),
    ("grpc.max_send_message_length", LARGEST_MESSAGE),
)


class TensorBoardStub:
    """Client of TensorBoard's data provider: ``stub.ListRuns(request, timeout=5)``."""

    GetExperiment: grpc.UnaryUnaryMultiCallable[
        tensorboard.GetExperimentRequest, tensorboard.GetExperimentResponse
    ]
    ListPlugins: grpc.UnaryUnaryMultiCallable[tensorboard.ListPluginsRequest, tensorboard.ListPluginsResponse]
    ListRuns: grpc.UnaryUnaryMultiCallable[tensorboard.ListRunsRequest, tensorboard.ListRunsResponse]
    ListScalars: grpc.UnaryUnaryMultiCallable[tensorboard.ListScalarsRequest, tensorboard.ListScalarsResponse]
    ReadScalars: grpc.UnaryUnaryMultiCallable[tensorboard.ReadScalarsRequest, tensorboard.ReadScalarsResponse]
    ListTensors: grpc.UnaryUnaryMultiCallable[tensorboard.ListTensorsRequest, tensorboard.ListTensorsResponse]
    ReadTensors: grpc.UnaryUnaryMultiCallable[tensorboard.ReadTensorsRequest, tensorboard.ReadTensorsResponse]
    ListBlobSequences: grpc.UnaryUnaryMultiCallable[
        tensorboard.ListBlobSequencesRequest, tensorboard.ListBlobSequencesResponse
    ]
    ReadBlobSequences: grpc.UnaryUnaryMultiCallable[
        tensorboard.ReadBlobSequencesRequest, tensorboard.ReadBlobSequencesResponse
    ]
    ReadBlob: grpc.UnaryStreamMultiCallable[tensorboard.ReadBlobRequest, tensorboard.ReadBlobResponse]

    def __init__(self, channel: grpc.Channel) -> None:
        vars(self).update(_calls(channel, TENSORBOARD))


class InsightStub:
    """Client of ``insight.data.v1``."""

    Info: grpc.UnaryUnaryMultiCallable[insight.InfoRequest, insight.InfoResponse]
    Plugins: grpc.UnaryUnaryMultiCallable[insight.PluginsRequest, insight.PluginsResponse]
    Runs: grpc.UnaryStreamMultiCallable[insight.RunsRequest, insight.RunsResponse]
    Series: grpc.UnaryStreamMultiCallable[insight.SeriesRequest, insight.SeriesResponse]
    Scalars: grpc.UnaryStreamMultiCallable[insight.ScalarsRequest, insight.ScalarsResponse]
    Records: grpc.UnaryStreamMultiCallable[insight.RecordsRequest, insight.RecordsResponse]
    Payload: grpc.UnaryStreamMultiCallable[insight.PayloadRequest, insight.PayloadResponse]
    Damage: grpc.UnaryStreamMultiCallable[insight.DamageRequest, insight.DamageResponse]
    Progress: grpc.UnaryUnaryMultiCallable[insight.ProgressRequest, insight.ProgressResponse]
    Changes: grpc.UnaryUnaryMultiCallable[insight.ChangesRequest, insight.ChangesResponse]
    Watch: grpc.UnaryStreamMultiCallable[insight.WatchRequest, insight.ChangesResponse]

    def __init__(self, channel: grpc.Channel) -> None:
        vars(self).update(_calls(channel, INSIGHT))


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


def _calls(channel: grpc.Channel, service: str) -> dict[str, Any]:
    calls = {}
    for method in POOL.FindServiceByName(service).methods:
        make = channel.unary_stream if method.server_streaming else channel.unary_unary
        request, response = GetMessageClass(method.input_type), GetMessageClass(method.output_type)
        path = f"/{service}/{method.name}"
        calls[method.name] = make(path, request.SerializeToString, response.FromString)
    return calls
