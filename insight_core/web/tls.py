"""TLS for the HTTP server: certificates, and handshakes with a deadline."""

from __future__ import annotations

import logging
import os
import socket
import ssl
import time
from contextlib import suppress

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

    ``key`` None: the key is in the file of the certificate. Raises InvalidArgument for files that cannot be
    used; later the last usable ones stay in use.
    """

    def __init__(self, certificate: str, key: str | None) -> None:
        self._certificate = os.path.expanduser(certificate)
        self._key = os.path.expanduser(key) if key is not None else None
        self._seen = self._stamps()
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
        stamps = self._stamps()
        if stamps == self._seen:
            return
        self._seen = stamps
        try:
            self._context = self._read()
        except InvalidArgument as error:
            log.warning("%s; the certificate read before stays in use", error)

    def _read(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols(["http/1.1"])
        try:
            context.load_cert_chain(self._certificate, self._key, password=_no_password)
        except (OSError, ValueError) as error:
            raise InvalidArgument(self._problem(error)) from error
        return context

    def _problem(self, error: Exception) -> str:
        for flag, path in (("--tls-cert", self._certificate), ("--tls-key", self._key)):
            if path is not None:
                try:
                    with open(path, "rb"):
                        pass
                except OSError as failure:
                    return f"{flag} {path}: {(failure.strerror or str(failure)).lower()}"
        files = f"--tls-cert {self._certificate}" + (f" with --tls-key {self._key}" if self._key else "")
        if isinstance(error, ssl.SSLError) and error.reason == "KEY_VALUES_MISMATCH":
            return f"{files}: the key is not that of the certificate"
        if isinstance(error, ValueError):
            return f"{files}: {error}"
        return f"{files}: not a certificate chain and its key in PEM format"

    def _stamps(self) -> tuple[object, ...]:
        return tuple(_stamp(path) for path in (self._certificate, self._key) if path is not None)


def _refuse(client: ssl.SSLSocket) -> None:
    socket.socket.sendall(client, _REFUSAL)
    socket.socket.shutdown(client, socket.SHUT_WR)
    until = time.monotonic() + _LINGER
    with suppress(OSError):  # closing with unread bytes would make the system discard the answer
        while (left := until - time.monotonic()) > 0:
            client.settimeout(left)
            if not socket.socket.recv(client, 1 << 16):
                return


def _no_password() -> str:
    raise ValueError("the key is encrypted; give it without a password")


def _stamp(path: str) -> tuple[int, ...] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
