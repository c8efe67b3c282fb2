"""Parses locations of data servers: ``grpc://HOST:PORT``, ``grpcs://HOST:PORT``, ``grpc+unix:///PATH``."""

from __future__ import annotations

import re

from attrs import frozen

from insight_core.plugin import InvalidArgument

_FORMS = "grpc://HOST:PORT, grpcs://HOST:PORT or grpc+unix:///PATH"
_ON_A_PORT = re.compile(r"(grpcs?)://([^/]+:([0-9]{1,5}))")
_ON_A_SOCKET = re.compile(r"grpc\+unix://(/.+)")


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
