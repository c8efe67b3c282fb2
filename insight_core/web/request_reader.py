"""Reads lines, request heads and bodies of one client, with deadlines."""

from __future__ import annotations

import re
import socket
import tempfile
import time
from collections.abc import Iterator
from http import HTTPStatus
from typing import IO

from insight_core.web.request_head import (
    LARGEST_BODY,
    RefusedRequest,
    RequestHead,
    bad_request,
    body_too_large,
    parse_field,
    parse_head,
)

_LARGEST_LINE = 1 << 16  # bytes of the request line
_LARGEST_FIELDS = 1 << 16  # bytes of all header fields together
_MOST_FIELDS = 100
_LONGEST_CHUNK_LINE = 256  # bytes of a chunk header; extensions are ignored
_IN_MEMORY = 1 << 20  # bytes of a body in memory; larger bodies go to a temporary file
_IDLE_TIME = 60.0  # seconds between two requests
_HEAD_TIME = 10.0  # seconds from the first byte of a head to its last
_BODY_TIME = 20.0  # seconds for a body, plus time per received byte
_BODY_RATE = 1 << 14  # bytes a second; slower clients are disconnected
_PIECE = 1 << 16
_CHUNK_LINE = re.compile(rb"([0-9A-Fa-f]{1,8})(?:[ \t]*;[^\x00-\x08\x0a-\x1f\x7f]*)?")


class ClientGone(OSError):
    """The client disconnected within a request, or was idle for too long."""


class RequestReader:
    """The bytes that a client sends, in order."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._unread = bytearray()
        self._deadline = 0.0

    def head(self) -> RequestHead:
        """Reads the next request head. Raises ClientGone at the end, RefusedRequest if it is malformed or
        slow.
        """
        self._deadline = time.monotonic() + _IDLE_TIME
        if not self._unread and not self._receive():
            raise ClientGone("no further request")
        self._deadline = time.monotonic() + _HEAD_TIME
        try:
            return self._head()
        except TimeoutError as error:
            raise _too_slow("head") from error

    def body(self, head: RequestHead) -> tuple[IO[bytes], int]:
        """Reads the whole body; returns a file at its start, and its size. Raises the errors of ``head``."""
        begin, size = time.monotonic(), 0
        self._deadline = begin + _BODY_TIME
        body = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115  # the caller closes it
        try:
            for piece in self._chunks() if head.chunked else self._exactly(head.content_length):
                size += len(piece)
                if size > LARGEST_BODY:
                    raise body_too_large()
                body.write(piece)
                self._deadline = begin + _BODY_TIME + size / _BODY_RATE
            body.seek(0)
        except TimeoutError as error:
            body.close()
            raise _too_slow("body") from error
        except BaseException:
            body.close()
            raise
        return body, size

    def discard(self, seconds: float, most: int) -> None:
        """Reads and drops further bytes of the client, until it ends or a limit is reached."""
        self._unread.clear()
        self._deadline = time.monotonic() + seconds
        while most > 0 and (received := self._receive()):
            most -= received
            self._unread.clear()

    def _head(self) -> RequestHead:
        too_long = RefusedRequest(
            HTTPStatus.REQUEST_URI_TOO_LONG, f"the target is longer than {_LARGEST_LINE} bytes"
        )
        request_line = self._line(_LARGEST_LINE, too_long)
        if not request_line:  # one empty line may follow a body, RFC 9112 section 2.2
            request_line = self._line(_LARGEST_LINE, too_long)
        return parse_head(request_line, self._field_lines())

    def _field_lines(self) -> list[bytes]:
        lines: list[bytes] = []
        left = _LARGEST_FIELDS
        too_large = RefusedRequest(
            HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
            f"there are more than {_MOST_FIELDS} header fields, or {_LARGEST_FIELDS} bytes of them",
        )
        while line := self._line(left, too_large):
            left -= len(line)
            lines.append(line)
            if len(lines) > _MOST_FIELDS:
                raise too_large
        return lines

    def _chunks(self) -> Iterator[bytes]:
        while size := self._chunk_size():
            yield from self._exactly(size)
            self._line(0, bad_request("a chunk is longer than it says"))
        for line in self._field_lines():  # the trailer is ignored
            parse_field(line)

    def _chunk_size(self) -> int:
        line = self._line(_LONGEST_CHUNK_LINE, bad_request("the line before a chunk is too long"))
        found = _CHUNK_LINE.fullmatch(line)
        if found is None:
            raise bad_request("the size of a chunk is not a hexadecimal number")
        if (size := int(found[1], 16)) > LARGEST_BODY:
            raise body_too_large()
        return size

    def _exactly(self, count: int) -> Iterator[bytes]:
        while count:
            if not self._unread and not self._receive():
                raise ClientGone("the body is not whole")
            piece = bytes(self._unread[:count])
            del self._unread[:count]
            count -= len(piece)
            yield piece

    def _line(self, longest: int, too_long: RefusedRequest) -> bytes:
        """The next line without its line end."""
        seen = 0
        while (end := self._unread.find(b"\n", seen)) < 0:
            seen = len(self._unread)
            if seen > longest + 1:
                raise too_long
            if not self._receive():
                raise ClientGone("the head is not whole")
        if end > longest + 1:
            raise too_long
        line = bytes(self._unread[: end + 1])
        del self._unread[: end + 1]
        if not line.endswith(b"\r\n") or b"\r" in line[:-2]:
            raise bad_request("a line does not end in CR LF, or has a CR within")
        return line[:-2]

    def _receive(self) -> int:
        """Waits for bytes until the deadline; returns their number, 0 if the client closed its side."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._connection.settimeout(left)
        received = self._connection.recv(_PIECE)
        self._unread += received
        return len(received)


def _too_slow(part: str) -> RefusedRequest:
    return RefusedRequest(HTTPStatus.REQUEST_TIMEOUT, f"the {part} of the request came too slowly")
