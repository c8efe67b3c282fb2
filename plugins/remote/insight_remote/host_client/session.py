"""Requests to a running host: a kept connection per thread, gzip, the host's errors; records in ranges."""

from __future__ import annotations

import gzip
import http.client
import json
import ssl
import threading
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from attrs import field, frozen

from insight_core.plugin import (
    InsightError,
    InvalidArgument,
    NotFound,
    TooLarge,
    Unavailable,
    Undecodable,
)
from insight_core.plugin.data import PayloadStream
from insight_core.plugin.servers import stream_of_pieces
from insight_record.formats.reason import Reason
from insight_remote.host_client.decoding import claim_of

Parameters: TypeAlias = Iterable[tuple[str, str]]

_CONNECT = 5.0  # seconds
_TIMEOUT = 120.0  # seconds without a byte: the host ends a request to a plugin after this time
_KINDS: Mapping[int, type[InsightError]] = {
    400: InvalidArgument,
    404: NotFound,
    413: TooLarge,
    422: Undecodable,
    429: Unavailable,
    503: Unavailable,
    504: Unavailable,
}
_NEEDS_TOKEN = (401, 403)

_NO_HEADERS: Mapping[str, str] = {}
_BLOB = "data/blob"
_CLAIM = "X-Insight-Claim"
_AT_ONCE = 32 << 20  # bytes that are asked for at a time; of a record the host reads all each time


class BeyondEnd(InsightError):
    """The range that was asked for begins behind the last byte."""

    status = 416


@frozen
class Address:
    """Where a host listens. ``token`` is sent as ``Authorization: Bearer``, never in a URL."""

    scheme: str
    netloc: str  # host and port
    path: str  # of the mount point, with a slash at its end
    token: str | None = field(default=None, repr=False)
    ca_file: str | None = None  # certificates (PEM) that may sign that of the host; None: the system's

    @classmethod
    def of(cls, url: str, *, token: str | None = None, ca_file: str | None = None) -> Address:
        """The address of a page of a host: ``http://HOST:PORT/PREFIX/?token=TOKEN#STATE``.

        ``token`` is for a URL without one. Raises InvalidArgument, without the token in its text.
        """
        shown = url.partition("?")[0]
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise InvalidArgument(f"{shown!r} is not a URL: {error}") from None
        if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
            raise InvalidArgument(f"{shown!r} is not of the form http://HOST:PORT/")
        if parts.username is not None:
            raise InvalidArgument("a URL with a user name is not supported: give the token of the host")
        tokens = [value for name, value in parse_qsl(parts.query) if name == "token"]
        path = quote(parts.path, safe="/%~!$&'()*+,;=:@-._").rstrip("/") + "/"
        if ca_file is not None:
            _trusting(ca_file)
        return cls(parts.scheme, parts.netloc, path, tokens[-1] if tokens else token, ca_file)

    def __str__(self) -> str:
        return f"{self.scheme}://{self.netloc}{self.path}"


def _trusting(ca_file: str | None) -> ssl.SSLContext:
    """Raises InvalidArgument for a file that has no certificates."""
    try:
        return ssl.create_default_context(cafile=ca_file)
    except OSError as error:
        raise InvalidArgument(f"{ca_file}: {(error.strerror or str(error)).lower()}") from error


@frozen(eq=False)
class HttpAnswer:
    """An answer with a status below 400."""

    headers: http.client.HTTPMessage
    body: bytes


class HttpSession:
    """Asks one host. Any thread may use it; each has a connection of its own, which is kept open."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._own = threading.local()
        self._opened: set[http.client.HTTPConnection] = set()
        self._lock = threading.Lock()
        self._closed = False

    def close(self) -> None:
        """Closes all connections. Further calls raise Unavailable."""
        with self._lock:
            self._closed = True
            for connection in self._opened:
                connection.close()
            self._opened.clear()

    def json(self, path: str, parameters: Parameters = ()) -> Any:  # noqa: ANN401
        """The JSON that the host answers to a GET."""
        body = self.ask("GET", path, parameters).body
        try:
            return json.loads(body)
        except ValueError:
            raise Unavailable(f"{self.address}{path} is not JSON: is it an insight-host?") from None

    def ask(
        self,
        method: str,
        path: str,
        parameters: Parameters = (),
        headers: Mapping[str, str] = _NO_HEADERS,
    ) -> HttpAnswer:
        """The answer to GET or HEAD of a path below the mount point. Raises an InsightError."""
        query = urlencode(list(parameters), errors="surrogatepass")
        return self._answer(method, f"{path}?{query}" if query else path, headers, None)

    def post(self, path: str, parameters: Parameters) -> HttpAnswer:
        """The answer to a query that may be longer than a URL; nothing is written."""
        body = urlencode(list(parameters), errors="surrogatepass").encode("ascii")
        return self._answer("POST", path, {"Content-Type": "application/x-www-form-urlencoded"}, body)

    def _answer(self, method: str, path: str, headers: Mapping[str, str], body: bytes | None) -> HttpAnswer:
        headers = {"Accept-Encoding": "gzip", **headers}
        if self.address.token is not None:
            headers["Authorization"] = f"Bearer {self.address.token}"
        try:
            response, data = self._exchange(method, self.address.path + path, headers, body)
            if response.headers.get("Content-Encoding") == "gzip":
                data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error, http.client.HTTPException) as error:
            self._drop()
            raise Unavailable(f"the host at {self.address} does not answer: {_cause(error)}") from error
        if response.status >= 300:
            raise self._error(response.status, data)
        return HttpAnswer(response.headers, data)

    def _exchange(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes | None
    ) -> tuple[http.client.HTTPResponse, bytes]:
        """Once more on a new connection if the host has closed a kept one: every request only reads."""
        connection, is_new = self._connection()
        try:
            connection.request(method, target, body, dict(headers))
            response = connection.getresponse()
            return response, response.read()
        except (ConnectionError, http.client.BadStatusLine, http.client.CannotSendRequest):
            self._drop()
            if is_new:
                raise
        return self._exchange(method, target, headers, body)

    def _connection(self) -> tuple[http.client.HTTPConnection, bool]:
        kept = getattr(self._own, "connection", None)
        if kept is not None:
            return kept, False
        with self._lock:
            if self._closed:
                raise Unavailable(f"the connection to {self.address} is closed")
            if self.address.scheme == "https":
                connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                    self.address.netloc, timeout=_CONNECT, context=_trusting(self.address.ca_file)
                )
            else:
                connection = http.client.HTTPConnection(self.address.netloc, timeout=_CONNECT)
            self._own.connection = connection
            self._opened.add(connection)
        connection.connect()
        connection.sock.settimeout(_TIMEOUT)
        return connection, True

    def _drop(self) -> None:
        connection = getattr(self._own, "connection", None)
        if connection is not None:
            self._own.connection = None
            with self._lock:
                self._opened.discard(connection)
            connection.close()

    def _error(self, status: int, data: bytes) -> InsightError:
        """The error that the host raised, with its code and details."""
        said: object = None
        with suppress(ValueError):
            said = json.loads(data)
        kind = BeyondEnd if status == BeyondEnd.status else _KINDS.get(status, InsightError)
        match said:
            case {"error": str(text), **rest}:
                code = rest.get("code")
                details = rest.get("details")
                known = (
                    {str(name): value for name, value in details.items()} if isinstance(details, dict) else {}
                )
                if status in _NEEDS_TOKEN:
                    text = f"the host at {self.address} refuses this request: {text}"
                return kind(Reason(text, code, **known) if isinstance(code, str) else text)
        if status in _NEEDS_TOKEN:
            return kind(f"the host at {self.address} refuses this request ({status}): is the token right?")
        return kind(f"the host at {self.address} answered {status}: is it an insight-host?")


def _cause(error: Exception) -> str:
    return str(error) or type(error).__name__


@frozen
class Blob:
    """One record, which the ``parameters`` of the route name."""

    session: HttpSession
    parameters: Sequence[tuple[str, str]]

    def stream(self, offset: int, length: int | None) -> PayloadStream:
        """The bytes from ``offset`` on, at most ``length``; its size is that of the whole record."""
        first, size = b"", None
        if length != 0:
            with suppress(BeyondEnd):
                answer, first, size = self._read(offset, None if length is None else offset + length)
        if size is None:
            answer = self.session.ask("HEAD", _BLOB, self.parameters)
            size = int(answer.headers["Content-Length"])
        stop = max(offset, size if length is None else min(size, offset + length))
        claim = answer.headers.get(_CLAIM)
        if claim is None:
            raise InsightError("the host is older than this client and sends no bytes of records: update it")
        return stream_of_pieces(
            self._pieces(first, offset, stop), stop - offset, size, claim_of(unquote(claim)), lambda: None
        )

    def _pieces(self, first: bytes, offset: int, stop: int) -> Iterator[bytes]:
        yield first
        offset += len(first)
        while offset < stop:
            _, piece, _ = self._read(offset, stop)
            yield piece
            offset += len(piece)

    def _read(self, start: int, stop: int | None) -> tuple[HttpAnswer, bytes, int]:
        """Some of the bytes, and the size of the whole record."""
        end = start + _AT_ONCE if stop is None else min(stop, start + _AT_ONCE)
        answer = self.session.ask("GET", _BLOB, self.parameters, {"Range": f"bytes={start}-{end - 1}"})
        whole = answer.headers.get("Content-Range", "").rpartition("/")[2]
        return answer, answer.body, int(whole) if whole else len(answer.body)
