"""Addresses of data servers, and what is needed to talk to one: gRPC and credentials."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from attrs import frozen

from insight_core.plugin import InvalidArgument, Unavailable
from insight_core.rpc.tokens import published_token, read_token

_FORMS = "grpc://HOST:PORT, grpcs://HOST:PORT or grpc+unix:///PATH"
_ON_A_PORT = re.compile(r"(grpcs?)://([^/]+:([0-9]{1,5}))")
_ON_A_SOCKET = re.compile(r"grpc\+unix://(/.+)")

_LIBRARIES = {
    "grpc": "grpcio", "grpc_health": "grpcio-health-checking", "grpc_reflection": "grpcio-reflection"
}  # fmt: skip


def require_grpc() -> None:
    """Raises Unavailable without the extra ``grpc``; called before modules are imported that need it."""
    missing = [name for module, name in _LIBRARIES.items() if find_spec(module) is None]
    if missing:
        raise Unavailable(
            f"data servers need {', '.join(missing)}, not installed here: pip install 'insight-host[grpc]'"
        )


@frozen
class ServerLocation:
    """Where a data server is: ``HOST:PORT``, or ``unix:PATH``; and whether it speaks TLS."""

    address: str
    tls: bool = False


def is_location(text: str) -> bool:
    """Whether the text has a scheme of data servers."""
    return text.partition(":")[0] in ("grpc", "grpcs", "grpc+unix")


def parse_location(text: str) -> ServerLocation:
    """Raises InvalidArgument."""
    if on_socket := _ON_A_SOCKET.fullmatch(text):
        return ServerLocation(f"unix:{on_socket[1]}")
    on_port = _ON_A_PORT.fullmatch(text)
    if on_port is None:
        raise InvalidArgument(f"{text!r} is not of the form {_FORMS}")
    if int(on_port[3]) > 65535:
        raise InvalidArgument(f"{text!r} has a port number above 65535")
    return ServerLocation(on_port[2], tls=on_port[1] == "grpcs")


def _no_token() -> str | None:
    return None


@frozen
class Credentials:
    """``token`` is called for each call, because a server that starts again may have another one.

    ``authorities`` are certificates (PEM) of who may sign that of the server; None: those of the system.
    """

    token: Callable[[], str | None] = _no_token
    tls: bool = False
    authorities: bytes | None = None


def credentials_for(
    location: ServerLocation, token_file: str | None = None, ca_file: str | None = None
) -> Credentials:
    """Credentials for a server; without a file the token is that which a server of this user published.

    Raises InvalidArgument for files that cannot be used.
    """
    address = location.address
    authorities = None
    if ca_file is not None:
        if not location.tls:
            raise InvalidArgument(f"certificates of authorities are for grpcs://, not for {address}")
        try:
            authorities = Path(ca_file).expanduser().read_bytes()
        except OSError as error:
            raise InvalidArgument(f"{ca_file}: {(error.strerror or str(error)).lower()}") from error
    if token_file is None:
        return Credentials(lambda: published_token(address), location.tls, authorities)
    path = str(token_file)
    read_token(path, "token file")
    return Credentials(lambda: read_token(path, "token file"), location.tls, authorities)
