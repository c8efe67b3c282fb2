"""Who may ask ``insight-data-server``: token, TLS, and which addresses it may listen on without them."""

from __future__ import annotations

import logging
import shlex
import sys
from contextlib import suppress

from insight_core.certificates import CertificateFiles
from insight_core.cli.data_server_flags import DataServerOptions
from insight_core.plugin import InvalidArgument
from insight_core.rpc.serving import DataServer, Protection, addresses_of
from insight_core.rpc.tokens import PublishedToken, new_token, read_token

log = logging.getLogger(__name__)


def protection_of(options: DataServerOptions) -> Protection:
    """What the flags ask for. Raises InvalidArgument, also for an address that is open to the network."""
    token = None
    if options.token_file is not None:
        token = read_token(options.token_file)
    elif options.token and options.unix_socket is None:
        token = new_token()
    if options.unix_socket is None and not options.insecure:
        _refuse_open_address(options, has_token=token is not None)
    certificates = None
    if options.tls_cert is not None:
        certificates = CertificateFiles(options.tls_cert, options.tls_key)
    return Protection(token, options.same_user, certificates, options.reflection)


def _refuse_open_address(options: DataServerOptions, *, has_token: bool) -> None:
    missing = []
    if not has_token:
        missing.append("a token (leave out --no-token)")
    if options.tls_cert is None:
        missing.append("TLS (--tls-cert FILE)")
    if missing and not all(address.is_loopback for address in addresses_of(options.host)):
        raise InvalidArgument(
            f"--host {options.host} is open to the network and needs {' and '.join(missing)}; to listen on "
            "this machine only, leave out --host and use ssh -L; --insecure listens without them"
        )


class Clients:
    """What clients need to know of a server that runs: its token in a file, and lines on stderr."""

    def __init__(self, options: DataServerOptions, protection: Protection, server: DataServer) -> None:
        self._options = options
        self._protection = protection
        self._server = server
        self._published: PublishedToken | None = None
        if protection.token is not None and server.socket_file is None:
            try:
                self._published = PublishedToken(server.host, server.port, protection.token)
            except OSError as error:
                log.warning("clients of this user do not find the token by themselves: %s", error)

    def close(self) -> None:
        """Removes the file of the token."""
        if self._published is not None:
            with suppress(OSError):
                self._published.remove()

    def tell(self) -> None:
        """Prints where the server listens, and how clients get its token."""
        server = self._server
        if server.socket_file is not None:
            print(f"listening on unix:{server.socket_file.path}", file=sys.stderr)
        else:
            print(f"listening on {server.host}:{server.port}", file=sys.stderr)
        if self._published is not None:
            path = shlex.quote(self._options.token_file or str(self._published.path))
            print(
                "clients of this user on this machine find the token themselves; elsewhere give a copy of "
                f"{path} to insight-host with --data-provider-token-file",
                file=sys.stderr,
            )
        elif self._protection.token is None and server.socket_file is None:
            print("no token: every user of this machine can read these logs", file=sys.stderr)
        sys.stderr.flush()
