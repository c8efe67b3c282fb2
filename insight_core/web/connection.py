"""One HTTP/1.1 connection: requests in, WSGI answers out, kept alive between them."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any

from werkzeug.serving import WSGIRequestHandler

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

log = logging.getLogger(__name__)

_IDLE = 60.0  # seconds without a byte from the client, or without it taking one, end a connection
_LINGER = 1.0  # seconds between two pieces of a body that nobody reads
_REST = 1 << 26  # bytes of such a body that are taken in before the connection is cut
_PIECE = 1 << 18  # bytes given to the socket at a time: the time limit is for each, not for the whole


class Connection(WSGIRequestHandler):
    """Reads requests off a socket in a thread of its own."""

    protocol_version = "HTTP/1.1"
    default_request_version = "HTTP/1.0"  # a line that cannot be read is refused with a status too
    error_content_type = "text/plain; charset=utf-8"
    error_message_format = "%(code)d %(message)s\n"
    timeout = _IDLE
    _refusing = False
    disable_nagle_algorithm = True  # headers and body are two writes: the second must not wait 40 ms

    def version_string(self) -> str:
        return "insight-host"

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        self._refusing = True
        super().send_error(code, message, explain)

    def end_headers(self) -> None:
        if self._refusing:  # what the application answers says so itself
            self._refusing = False
            self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def handle(self) -> None:
        try:
            BaseHTTPRequestHandler.handle(self)
        except OSError as error:  # the client has gone, or says nothing any more
            log.debug("connection of %s ended: %s", self.client_address, error)

    def run_wsgi(self) -> None:
        """Answers one request, then leaves the connection open if nothing of the request is unread."""
        if self.headers.get("Expect", "").strip().lower() == "100-continue":
            self.send_response_only(100)
            self.end_headers()
        self.environ = environ = self.make_environ()
        environ["insight.client"] = self.connection
        has_body = self._has_body(environ)
        if has_body:  # what nobody reads of it would be taken for the next request
            self.close_connection = True
        answer = _Answer(self)
        body: Iterable[bytes] = ()
        try:
            try:
                body = self.server.app(environ, answer.start)
                for data in body:
                    answer.write(data)
                answer.end()
            finally:
                close = getattr(body, "close", None)
                if close is not None:
                    close()
        except OSError:
            self.close_connection = True
            raise
        except Exception:
            log.exception("the answer to %s broke off", self.path)
            self.close_connection = True
            if not answer.begun:
                self.send_error(500)
        if has_body:
            self._let_client_finish()

    def _has_body(self, environ: WSGIEnvironment) -> bool:
        return "HTTP_TRANSFER_ENCODING" in environ or environ.get("CONTENT_LENGTH", "0") not in ("", "0")

    def _let_client_finish(self) -> None:
        """Takes in the rest of a body: closing at once would make the system discard our answer."""
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(_LINGER)
            for _ in range(_REST // _PIECE):
                if not self.rfile.read1(_PIECE):
                    break

    def log(self, type: str, message: str, *args: Any) -> None:  # noqa: ANN401  # as werkzeug has it
        log.debug(f"%s {message}", self.client_address[0], *args)


class _Answer:
    """Writes one answer: with its length if it says one, else in chunks."""

    def __init__(self, connection: Connection) -> None:
        self.begun = False
        self._connection = connection
        self._status = ""
        self._headers: list[tuple[str, str]] = []
        self._chunked = False

    def start(self, status: str, headers: list[tuple[str, str]], exc_info: object = None) -> Any:  # noqa: ANN401
        if self.begun:
            raise RuntimeError("start_response came after the first bytes of the answer")
        self._status, self._headers = status, headers
        return self.write

    def write(self, data: bytes) -> None:
        if not self.begun:
            self._begin()
        if not data or self._connection.command == "HEAD":
            return
        if self._chunked:
            data = b"%x\r\n%b\r\n" % (len(data), data)
        view = memoryview(data)
        for start in range(0, len(view), _PIECE):
            self._connection.wfile.write(view[start : start + _PIECE])

    def end(self) -> None:
        if not self.begun:
            self._begin()
        if self._chunked:
            self._connection.wfile.write(b"0\r\n\r\n")

    def _begin(self) -> None:
        self.begun = True
        connection = self._connection
        code_text, _, reason = self._status.partition(" ")
        code = int(code_text)
        connection.send_response(code, reason)
        names = set()
        for name, value in self._headers:
            connection.send_header(name, value)
            names.add(name.lower())
        without_body = connection.command == "HEAD" or code < 200 or code in (204, 304)
        if "content-length" not in names and not without_body:
            if connection.request_version >= "HTTP/1.1":
                self._chunked = True
                connection.send_header("Transfer-Encoding", "chunked")
            else:
                connection.close_connection = True
        if connection.close_connection:
            connection.send_header("Connection", "close")
        connection.end_headers()
