"""A gRPC server with both data services, health and reflection on one port."""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor

import grpc
from attrs import frozen
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection, reflection_pb2

from insight_core.plugin import DataProvider, InsightError
from insight_core.rpc.insight_service import WAITING, ComputationsOf, InsightService
from insight_core.rpc.schema.pool import filled_pool
from insight_core.rpc.schema.services import INSIGHT, MESSAGE_OPTIONS, TENSORBOARD, register
from insight_core.rpc.tensorboard_service import TensorBoardService

_ANSWERING = 16  # concurrent calls, in addition to those that wait for changes
_OPTIONS = (
    *MESSAGE_OPTIONS,
    ("grpc.so_reuseport", 0),  # a port in use is an error, not shared
)


class BindError(InsightError):
    """The server cannot listen on the address."""


@frozen
class DataServer:
    """A running server and its address. ``host`` is the requested host."""

    host: str
    port: int
    _server: grpc.Server
    _health: health.HealthServicer
    _insight: InsightService

    def stop(self, grace: float = 0.2) -> None:
        """Reports NOT_SERVING and gives calls ``grace`` seconds to end."""
        self._health.enter_graceful_shutdown()
        self._insight.end()
        self._server.stop(grace).wait()


def serve(
    provider: DataProvider,
    host: str,
    port: int,
    *,
    version: str,
    computations: ComputationsOf = lambda plugin: {},
) -> DataServer:
    """Starts to serve ``provider``, and what plugins compute. Port 0 picks a free one. Raises BindError."""
    threads = ThreadPoolExecutor(WAITING + _ANSWERING, thread_name_prefix="data-server")
    server = grpc.server(threads, options=_OPTIONS)
    insight = InsightService(provider, version, computations)
    register(server, TENSORBOARD, TensorBoardService(provider))
    register(server, INSIGHT, insight)
    condition = health.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(condition, server)
    names = (TENSORBOARD, INSIGHT, health.SERVICE_NAME, reflection.SERVICE_NAME)
    pool = filled_pool(health_pb2.DESCRIPTOR, reflection_pb2.DESCRIPTOR)
    reflection.enable_server_reflection(names, server, pool)
    for name in ("", *names[:2]):
        condition.set(name, health_pb2.HealthCheckResponse.SERVING)
    try:
        bound = server.add_insecure_port(f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
    except RuntimeError as error:
        raise BindError(f'failed to bind to ("{host}", {port}): {_reason(host, port, error)}') from error
    server.start()
    return DataServer(host, bound, server, condition, insight)


def _reason(host: str, port: int, error: RuntimeError) -> str:
    """The error of the operating system, which gRPC does not report."""
    try:
        for family, kind, protocol, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
            with socket.socket(family, kind, protocol) as trial:
                trial.bind(address)
    except OSError as failure:
        return str(failure)
    return str(error)
