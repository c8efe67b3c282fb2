"""How a client is admitted by a data server: its token, and TLS."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from attrs import frozen

from insight_core.plugin import InvalidArgument
from insight_core.providers.locations import ServerLocation
from insight_core.rpc.tokens import published_token, read_token


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
