"""Runs a WSGI application of a plugin in one thread and sends its answer from another."""

from __future__ import annotations

import re
import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from insight_core.plugin.own import Call, Overdue, reraise

if TYPE_CHECKING:
    from types import TracebackType
    from typing import TypeAlias

    from _typeshed.wsgi import WSGIApplication, WSGIEnvironment

    Headers: TypeAlias = list[tuple[str, str]]
    ExcInfo: TypeAlias = tuple[type[BaseException], BaseException, TracebackType] | tuple[None, None, None]

_AHEAD = 4  # pieces of a body that a plugin may be ahead of its client
_STREAM = "text/event-stream"
_STATUS = re.compile(r"[1-9][0-9]{2}( .*)?")


class BrokenRule(Exception):
    """The answer breaks a rule of WSGI, which the text names."""


class _Gone(Exception):
    """The client does not read the rest of the answer."""


class Answer:
    """The answer of ``app`` to one request.

    ``make`` runs in the plugin's thread from the first line to the last. ``begin`` and the iteration run in
    the thread of the request. They raise errors of the plugin, BrokenRule, and Overdue if the plugin sends
    nothing within the deadline of the call; streams of events have no deadline.
    """

    def __init__(self, app: WSGIApplication, environ: WSGIEnvironment) -> None:
        self._app = app
        self._environ = environ
        self._call: Call[None] | None = None
        self._news = threading.Condition()
        self._start: tuple[str, Headers] | None = None
        self._pieces: deque[bytes] = deque()
        self._begun = False  # the status and the first piece, if any, have arrived
        self._sent = False
        self._over = False
        self._gone = False
        self._is_stream = False
        self._error: BaseException | None = None

    # --- in the plugin's thread ---

    def make(self, call: Call[None]) -> None:
        """Runs the application; its errors are raised in the other thread."""
        try:
            self._make(call)
        except _Gone:
            pass
        except BaseException as error:
            self._error = error
        with self._news:
            self._begun = self._over = True
            self._news.notify_all()

    def _make(self, call: Call[None]) -> None:
        def give(piece: bytes) -> None:
            self._give(piece, call)

        def start_response(
            status: str, headers: Headers, exc_info: ExcInfo | None = None
        ) -> Callable[..., Any]:
            if exc_info is not None and exc_info[1] is not None and self._sent:
                raise exc_info[1]
            if exc_info is None and self._start is not None:
                raise BrokenRule("it calls start_response twice")
            self._start = _checked(status, headers)
            return give

        body = self._app(self._environ, start_response)
        try:
            if self._start is not None and _says(self._start[1], "content-type").startswith(_STREAM):
                with self._news:
                    self._is_stream = self._begun = True
                    self._news.notify_all()
                call.pause()
            for piece in body:
                give(piece)
            if self._start is None:
                raise BrokenRule("it does not call start_response")
        finally:
            close = getattr(body, "close", None)
            if close is not None:
                close()

    def _give(self, piece: bytes, call: Call[None]) -> None:
        if not isinstance(piece, bytes):
            raise BrokenRule(f"its body has a {type(piece).__name__}, not bytes")
        if self._start is None:
            raise BrokenRule("it does not call start_response before its body")
        call.pause()  # the plugin waits for the client from now on
        with self._news:
            self._news.wait_for(lambda: self._gone or len(self._pieces) < _AHEAD)
            if self._gone:
                raise _Gone
            if piece:
                self._pieces.append(piece)
                self._begun = True
                self._news.notify_all()
        if not self._is_stream:
            call.proceed()

    # --- in the thread of the request ---

    def begin(self, call: Call[None]) -> tuple[str, Headers]:
        """Status and headers, once the body has begun. ``call`` is that of ``make``."""
        self._call = call
        self._wait(lambda: self._begun)
        if self._error is not None and not self._pieces:
            reraise(self._error)
        assert self._start is not None
        self._sent = True
        return self._start

    def __iter__(self) -> Iterator[bytes]:
        assert self._start is not None
        promised = _says(self._start[1], "content-length")
        left = int(promised) if promised.isdecimal() else None
        if self._is_stream:
            yield b""  # sends the headers, so that the client knows that it is open
        while True:
            self._wait(lambda: bool(self._pieces) or self._over)
            with self._news:
                piece = self._pieces.popleft() if self._pieces else None
                self._news.notify_all()
            if piece is None:
                break
            if left is not None and len(piece) > left:
                yield piece[:left]  # the client would read the rest as the next answer
                raise BrokenRule(f"its body is longer than the {promised} bytes that its headers say")
            left = None if left is None else left - len(piece)
            yield piece
        if self._error is not None:
            reraise(self._error)
        if left and not self._has_no_body():
            raise BrokenRule(f"its body is {left} bytes shorter than its headers say")

    def close(self) -> None:
        """Ends the application at its next piece, because the client is gone."""
        with self._news:
            self._gone = True
            self._news.notify_all()

    def _wait(self, ready: Callable[[], bool]) -> None:
        assert self._call is not None
        with self._news:
            if not self._news.wait_for(ready, None if self._is_stream else self._call.deadline):
                raise Overdue(self._call.overdue())

    def _has_no_body(self) -> bool:
        assert self._start is not None
        return self._environ.get("REQUEST_METHOD") == "HEAD" or self._start[0][:3] in ("204", "304")


def _checked(status: object, headers: object) -> tuple[str, Headers]:
    if not isinstance(status, str) or not _STATUS.fullmatch(status):
        raise BrokenRule(f"its status is {status!r}, not such as '200 OK'")
    if not isinstance(headers, list):
        raise BrokenRule(f"its headers are {headers!r}, not a list of names and values")
    for header in headers:
        if not isinstance(header, tuple) or len(header) != 2:
            raise BrokenRule(f"its header {header!r} is not a name and a value")
        for text in header:
            if not isinstance(text, str) or not _is_sendable(text):
                raise BrokenRule(f"its header {header!r} is not of Latin-1 letters in one line")
    return status, list(headers)


def _is_sendable(text: str) -> bool:
    try:
        text.encode("latin1")
    except UnicodeEncodeError:
        return False
    return "\r" not in text and "\n" not in text


def _says(headers: Headers, name: str) -> str:
    """The value of a header in lower case; empty if it is absent."""
    return next((value.strip().lower() for key, value in headers if key.lower() == name), "")
