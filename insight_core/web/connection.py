"""One HTTP/1.1 connection: reads requests, runs the WSGI app, writes answers, keeps the connection alive."""

from __future__ import annotations

import logging
import re
import socket
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

from insight_core.web.request_head import RefusedRequest, RequestHead
from insight_core.web.request_reader import ClientGone, RequestReader

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication, WSGIEnvironment

log = logging.getLogger(__name__)

_SERVER = "insight-host"
_WRITE_TIME = 60.0  # seconds until the client must have received a piece of an answer
_PIECE = 1 << 18  # bytes per piece; the timeout is per piece
_LINGER = 2.0  # seconds for a client that is still sending to read its refusal
_LINGER_BYTES = 1 << 26  # it may send in that time
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_BREAKS = re.compile(r"[\r\n\0]")


class Connection:
    """Answers the requests of one client with ``app``, one after the other.

    ``waiting_since`` is the monotonic time since the connection is idle; None during a request.
    """

    def __init__(
        self,
        connection: socket.socket,
        client: tuple[Any, ...],
        app: WSGIApplication,
        handshake: Callable[[Any], bool] | None = None,
    ) -> None:
        self.waiting_since: float | None = time.monotonic()
        self._socket = connection
        self._client = client
        self._app = app
        self._handshake = handshake  # of TLS
        self._incoming = RequestReader(connection)

    def serve(self) -> None:
        """Returns when the connection may be closed."""
        try:
            if self._handshake is not None and not self._handshake(self._socket):
                return
            while self._serve_one():
                self.waiting_since = time.monotonic()
        except OSError as error:  # the client disconnected or timed out
            log.debug("connection of %s ended: %s", self._client, error)

    def shut_down(self, how: int = socket.SHUT_RDWR) -> None:
        """Ends the connection from another thread."""
        with suppress(OSError):
            # of the base class: that of a TLS socket would let an answer under way continue without TLS
            socket.socket.shutdown(self._socket, how)

    def _serve_one(self) -> bool:
        """Serves one request; returns whether another may follow."""
        head: RequestHead | None = None
        try:
            head = self._incoming.head()
            self.waiting_since = None
            if head.expects_continue and (head.chunked or head.content_length):
                self.send(_CONTINUE)
            body, size = self._incoming.body(head)
        except RefusedRequest as refusal:
            self.waiting_since = None
            self._refuse(head, refusal.status, str(refusal))
            return False
        with body:
            return self._answer(head, self._environment(head, body, size))

    def _answer(self, head: RequestHead, environ: WSGIEnvironment) -> bool:
        answer = _Answer(self, head)
        body: Iterable[bytes] = ()
        try:
            try:
                body = self._app(environ, answer.start)
                for data in body:
                    answer.write(data)
                answer.end()
            finally:
                close = getattr(body, "close", None)
                if close is not None:
                    close()
        except ClientGone:
            raise
        except Exception:
            log.exception("the answer to %s broke off", head.target)
            if not answer.begun:
                self._refuse(head, HTTPStatus.INTERNAL_SERVER_ERROR, "the log of the host says why")
            return False
        return answer.keeps_alive

    def _refuse(self, head: RequestHead | None, status: HTTPStatus, reason: str) -> None:
        """Sends an error as the last answer. Closing immediately would make the system discard it."""
        text = f"{status.value} {status.phrase}: {reason}\n".encode()
        fields = [
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Length", str(len(text))),
            ("X-Content-Type-Options", "nosniff"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Connection", "close"),
        ]
        if head is not None and head.method == "HEAD":
            text = b""
        self.send(_head_of_answer(f"{status.value} {status.phrase}", fields) + text)
        self.shut_down(socket.SHUT_WR)
        self._incoming.discard(_LINGER, _LINGER_BYTES)

    def send(self, data: bytes) -> None:
        """Sends all bytes. Raises ClientGone if the client disconnects or does not receive them in time."""
        try:
            self._socket.settimeout(_WRITE_TIME)
            view = memoryview(data)
            for start in range(0, len(view), _PIECE):
                self._socket.sendall(view[start : start + _PIECE])
        except OSError as error:
            raise ClientGone(str(error)) from error

    def _environment(self, head: RequestHead, body: IO[bytes], size: int) -> WSGIEnvironment:
        """The WSGI environ (PEP 3333). SERVER_NAME is the address at which the connection arrived."""
        arrived_at = self._socket.getsockname()
        if isinstance(arrived_at, str | bytes):  # a unix socket
            arrived_at = "localhost", 80
        environ: WSGIEnvironment = {
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http" if self._handshake is None else "https",
            "wsgi.input": body,
            "wsgi.input_terminated": True,
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": True,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
            "werkzeug.socket": self._socket,
            "SERVER_SOFTWARE": _SERVER,
            "SERVER_NAME": arrived_at[0],
            "SERVER_PORT": str(arrived_at[1]),
            "SERVER_PROTOCOL": head.version,
            "REMOTE_ADDR": self._client[0],
            "REMOTE_PORT": str(self._client[1]),
            "REQUEST_METHOD": head.method,
            "REQUEST_URI": head.target,
            "RAW_URI": head.target,
            "SCRIPT_NAME": "",
            "PATH_INFO": unquote_to_bytes(head.path.encode("latin1")).decode("latin1"),
            "QUERY_STRING": head.query,
        }
        for name, value in head.fields:
            # an underscore would be mistaken for a hyphen; the framing of the body is already decoded
            if "_" in name or name in ("transfer-encoding", "content-length", "host"):
                continue
            key = name.upper().replace("-", "_")
            key = key if key == "CONTENT_TYPE" else f"HTTP_{key}"
            environ[key] = f"{environ[key]},{value}" if key in environ else value
        if head.host is not None:
            environ["HTTP_HOST"] = head.host
        if size or head.chunked:
            environ["CONTENT_LENGTH"] = str(size)
        return environ


class _Answer:
    """Writes one answer: with its Content-Length if the application sets one, else in chunks."""

    def __init__(self, connection: Connection, request: RequestHead) -> None:
        self.begun = False
        self.keeps_alive = request.keep_alive
        self._connection = connection
        self._request = request
        self._status = ""
        self._fields: list[tuple[str, str]] = []
        self._chunked = False
        self._without_body = False
        self._left: int | None = None  # remaining bytes of the announced length

    def start(self, status: str, headers: list[tuple[str, str]], exc_info: object = None) -> Any:  # noqa: ANN401
        if self.begun:
            raise RuntimeError("start_response came after the first bytes of the answer")
        self._status, self._fields = status, headers
        return self.write

    def write(self, data: bytes) -> None:
        head = b"" if self.begun else self._head()
        if self._without_body:
            data = b""
        if self._left is not None:
            if len(data) > self._left:  # the client would read the rest as the next answer
                raise RuntimeError("the answer is longer than its Content-Length")
            self._left -= len(data)
        self.begun = True
        if self._chunked and data:
            data = b"%x\r\n%b\r\n" % (len(data), data)
        for piece in (head + data,) if len(data) < _PIECE else (head, data):
            if piece:
                self._connection.send(piece)

    def end(self) -> None:
        if not self.begun:
            self.write(b"")
        if self._chunked:
            self._connection.send(b"0\r\n\r\n")
        if self._left:
            raise RuntimeError("the answer is shorter than its Content-Length")

    def _head(self) -> bytes:
        code = int(self._status[:3])
        lengths = [value for name, value in self._fields if name.lower() == "content-length"]
        self._without_body = self._request.method == "HEAD" or code < 200 or code in (204, 304)
        fields = list(self._fields)
        if not self._without_body:
            if lengths:
                self._left = int(lengths[0])
            elif self._request.version == "HTTP/1.1":
                self._chunked = True
                fields.append(("Transfer-Encoding", "chunked"))
            else:
                self.keeps_alive = False
        if not self.keeps_alive:
            fields.append(("Connection", "close"))
        elif self._request.version == "HTTP/1.0":
            fields.append(("Connection", "keep-alive"))
        return _head_of_answer(self._status, fields)


@lru_cache(maxsize=1)
def _date(second: int) -> str:
    return formatdate(second, usegmt=True)


def _head_of_answer(status: str, fields: Iterable[tuple[str, str]]) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Server: {_SERVER}", f"Date: {_date(int(time.time()))}"]
    lines += [f"{name}: {value}" for name, value in fields]
    if any(_BREAKS.search(line) for line in lines):
        raise RuntimeError("a header of the answer has a line break")
    return "\r\n".join([*lines, "", ""]).encode("latin1")
