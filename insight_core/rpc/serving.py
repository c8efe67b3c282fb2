"""A gRPC server with the data service, those of plugins, health and reflection on one port."""

from __future__ import annotations

import ipaddress
import logging
import socket
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType
from typing import cast

import grpc
from attrs import frozen
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection, reflection_pb2

from insight_core.certificates import CertificateFiles
from insight_core.plugin import InsightError, InvalidArgument
from insight_core.plugin.data import DataProvider
from insight_core.rpc.admission import Admission, QuietDecoding
from insight_core.rpc.insight_service import WAITING, ComputationsOf, InsightService
from insight_core.rpc.peer_user import Address, SameUser
from insight_core.rpc.schema.pool import filled_pool
from insight_core.rpc.schema.services import (
    INSIGHT,
    LARGEST_MESSAGE,
    LARGEST_REQUEST,
    register,
)
from insight_core.unix_socket import SocketFile, bind_privately

log = logging.getLogger(__name__)

_ANSWERING = 16  # concurrent calls, in addition to those that wait for changes
_CALLS = 256  # at a time; those beyond the threads wait, further ones get RESOURCE_EXHAUSTED
_OPTIONS = (
    ("grpc.max_receive_message_length", LARGEST_REQUEST),
    ("grpc.max_send_message_length", LARGEST_MESSAGE),
    ("grpc.max_metadata_size", 8 << 10),  # bytes; beyond, a call may be refused
    ("grpc.absolute_max_metadata_size", 16 << 10),  # bytes; beyond, it is
    ("grpc.max_concurrent_streams", 128),  # calls of one connection
    ("grpc.max_allowed_incoming_connections", 256),
    ("grpc.server_handshake_timeout_ms", 20_000),
    ("grpc.http2.bdp_probe", 0),  # windows do not grow, so that requests that are refused take no memory
    ("grpc.http2.lookahead_bytes", 64 << 10),
    ("grpc.so_reuseport", 0),  # a port in use is an error, not shared
)


class BindError(InsightError):
    """The server cannot listen on the address."""


@frozen
class Protection:
    """Which callers a data server answers, and how.

    ``token`` None: all. ``same_user``: programs of this user on this machine need no token, where the server
    listens on loopback only and the system tells the user of a connection (Linux).
    """

    token: str | None = None
    same_user: bool = False
    certificates: CertificateFiles | None = None  # over TLS
    reflection: bool = False


_OPEN = Protection()


@frozen
class DataServer:
    """A running server and its address. ``host`` is the requested host; ``port`` of a unix socket is 0."""

    host: str
    port: int
    socket_file: SocketFile | None
    _server: grpc.Server
    _health: health.HealthServicer
    _insight: InsightService

    def stop(self, grace: float = 0.2) -> None:
        """Reports NOT_SERVING and gives calls ``grace`` seconds to end."""
        if self.socket_file is not None:
            self.socket_file.remove()
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
    protection: Protection = _OPEN,
    unix_socket: str | None = None,
    services: Mapping[str, object] = MappingProxyType({}),
) -> DataServer:
    """Starts to serve ``provider``, what plugins compute, and further ``services`` by name.

    Port 0 picks a free one.

    With ``unix_socket``, the path of a socket for this user alone, it listens there and not on a port.
    Raises BindError, and InvalidArgument for certificates that cannot be used.
    """
    threads = ThreadPoolExecutor(WAITING + _ANSWERING, thread_name_prefix="data-server")
    admission = Admission(protection.token) if protection.token is not None else None
    server = grpc.server(
        threads,
        options=_OPTIONS,
        interceptors=[*([] if admission is None else [admission]), QuietDecoding()],
        maximum_concurrent_rpcs=_CALLS,
    )
    insight = InsightService(provider, version, computations)
    served = {**services, INSIGHT: insight}
    for name, service in served.items():
        register(server, name, service)
    condition = health.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(condition, server)
    if protection.reflection:
        names = (*served, health.SERVICE_NAME, reflection.SERVICE_NAME)
        pool = filled_pool(health_pb2.DESCRIPTOR, reflection_pb2.DESCRIPTOR)
        reflection.enable_server_reflection(names, server, pool)
    for name in ("", *served):
        condition.set(name, health_pb2.HealthCheckResponse.SERVING)
    credentials = _credentials(protection.certificates) if protection.certificates is not None else None

    def bind(address: str) -> int:
        if credentials is None:
            return server.add_insecure_port(address)
        return server.add_secure_port(address, credentials)

    if unix_socket is not None:
        try:
            file = bind_privately(unix_socket, lambda path: bind(f"unix:{path}"))
        except (OSError, RuntimeError) as error:
            raise BindError(f"failed to listen on the unix socket {unix_socket}: {error}") from error
        server.start()
        return DataServer("localhost", 0, file, server, condition, insight)
    try:
        bound = bind(f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
    except RuntimeError as error:
        raise BindError(f'failed to bind to ("{host}", {port}): {_reason(host, port, error)}') from error
    if admission is not None and protection.same_user:
        admission.same_user = SameUser.at(addresses_of(host), bound)
    server.start()
    return DataServer(host, bound, None, server, condition, insight)


def addresses_of(host: str) -> Sequence[Address]:
    """The addresses on which a server with this host listens. Raises BindError for an unknown name."""
    if host.lower() == "localhost":  # gRPC listens on both, whatever the system says of the name
        return [ipaddress.IPv4Address("127.0.0.1"), ipaddress.IPv6Address("::1")]
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise BindError(f"{host!r} is not the name of a host: {error}") from error
    return [ipaddress.ip_address(str(address[0]).partition("%")[0]) for *_, address in found]


def _credentials(files: CertificateFiles) -> grpc.ServerCredentials:
    """Credentials that follow the files; the last usable ones stay in use."""
    files.changed()

    def configuration() -> grpc.ServerCertificateConfiguration:
        return grpc.ssl_server_certificate_configuration([files.read()])

    def renewed() -> grpc.ServerCertificateConfiguration | None:
        try:
            return configuration() if files.changed() else None
        except InvalidArgument as error:
            log.warning("%s; the certificate read before stays in use", error)
            return None

    # None stands for "no change", which the types do not have
    fetcher = cast(Callable[[], grpc.ServerCertificateConfiguration], renewed)
    return grpc.dynamic_ssl_server_credentials(configuration(), fetcher, False)


def _reason(host: str, port: int, error: RuntimeError) -> str:
    """The error of the operating system, which gRPC does not report."""
    try:
        for family, kind, protocol, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
            with socket.socket(family, kind, protocol) as trial:
                trial.bind(address)
    except OSError as failure:
        return str(failure)
    return str(error)
