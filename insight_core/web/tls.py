"""TLS for the HTTP server: certificates, and handshakes with a deadline."""

from __future__ import annotations

import logging
import socket
import ssl
import time
from contextlib import suppress

from insight_core.certificates import CertificateFiles
from insight_core.plugin import InvalidArgument

log = logging.getLogger(__name__)

_HANDSHAKE = 10.0  # seconds from accepting a connection to the end of its handshake
_LINGER = 1.0  # seconds for a client without TLS to read why it is refused
_HELLO = b"\x16"  # the first byte of a TLS connection: the type of a handshake record
_PLAIN = b"400 Bad Request: this port speaks HTTPS; use an address that begins with https://\n"
_REFUSAL = (
    b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\n"
    b"X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n%b" % (len(_PLAIN), _PLAIN)
)


class Certificates:
    """A certificate chain and its key, which are read again when their files change.

    Raises InvalidArgument for files that cannot be used; later the last usable ones stay in use.
    """

    def __init__(self, chain: str, key: str | None) -> None:
        self._files = CertificateFiles(chain, key)
        self._files.changed()
        self._context = self._read()

    def wrap(self, client: socket.socket) -> ssl.SSLSocket:
        """The connection with TLS; the handshake is not made yet. Raises OSError if the client has gone."""
        self._renew()
        return self._context.wrap_socket(client, server_side=True, do_handshake_on_connect=False)

    @staticmethod
    def handshake(client: ssl.SSLSocket) -> bool:
        """Makes the TLS handshake; False if the client speaks plain HTTP, which is answered.

        Raises OSError if it fails or takes longer than ten seconds.
        """
        until = time.monotonic() + _HANDSHAKE
        client.settimeout(_HANDSHAKE)
        # methods of the base class read and write without TLS
        if socket.socket.recv(client, 1, socket.MSG_PEEK) not in (_HELLO, b""):
            _refuse(client)
            return False
        client.settimeout(max(0.01, until - time.monotonic()))
        client.do_handshake()
        return True

    def _renew(self) -> None:
        if not self._files.changed():
            return
        try:
            self._context = self._read()
        except InvalidArgument as error:
            log.warning("%s; the certificate read before stays in use", error)

    def _read(self) -> ssl.SSLContext:
        context = self._files.context()
        context.set_alpn_protocols(["http/1.1"])
        return context


def _refuse(client: ssl.SSLSocket) -> None:
    socket.socket.sendall(client, _REFUSAL)
    socket.socket.shutdown(client, socket.SHUT_WR)
    until = time.monotonic() + _LINGER
    with suppress(OSError):  # closing with unread bytes would make the system discard the answer
        while (left := until - time.monotonic()) > 0:
            client.settimeout(left)
            if not socket.socket.recv(client, 1 << 16):
                return
