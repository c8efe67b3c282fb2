"""One connection to a host that receives files: asks how long a file is there, and appends to it."""

from __future__ import annotations

import http.client
import json
import time
from contextlib import suppress
from urllib.parse import quote, urlsplit

from insight_record.sending.destination import Destination
from insight_record.sending.names import BEFORE, COMPLETE, DIGEST, OFFSET, ROOT, digest

_TIMEOUT = 10.0  # seconds for a connection, and between two packets
_PAUSES = (0.1, 0.3, 1.0)  # seconds before a host that is busy is asked again
_LONGEST_ANSWER = 1 << 16  # bytes


class NotTaken(Exception):
    """The host does not do what it was asked: the text says why to users, ``code`` to programs."""

    def __init__(self, text: str, status: int, code: str) -> None:
        super().__init__(text)
        self.status, self.code = status, code


class Longer(NotTaken):
    """The file has another length there, ``length``."""

    def __init__(self, text: str, length: int) -> None:
        super().__init__(text, 409, "receive_offset")
        self.length = length


class Differs(NotTaken):
    """The file has other bytes there."""


class HostConnection:
    """Keeps a connection open. Not thread-safe. Methods raise OSError, HTTPException and NotTaken."""

    def __init__(self, destination: Destination) -> None:
        self._destination = destination
        self._parts = urlsplit(destination.url)
        self._connection: http.client.HTTPConnection | None = None

    def length(self, path: str) -> int:
        """The bytes of the file that the host has; 0 if it has none."""
        return self._offset(self._request("GET", path, None, {}))

    def append(self, path: str, offset: int, data: bytes, before: bytes, *, is_complete: bool) -> int:
        """Appends bytes at an offset and returns the new length.

        ``before`` are the bytes that precede them. With ``is_complete`` the host has them on its disk then.
        Raises Longer and Differs.
        """
        fields = {
            OFFSET: str(offset),
            DIGEST: digest(data),
            BEFORE: digest(before),
            "Content-Type": "application/octet-stream",
        }
        if is_complete:
            fields[COMPLETE] = "?1"
        return self._offset(self._request("PATCH", path, data, fields))

    def close(self) -> None:
        """Closes the connection; the next request opens another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(OSError):
                connection.close()

    def forget(self) -> None:
        """Leaves the connection to the process that this one was forked from."""
        self._connection = None

    def _request(
        self, method: str, path: str, data: bytes | None, fields: dict[str, str]
    ) -> http.client.HTTPResponse:
        target = f"{self._parts.path.rstrip('/')}{ROOT}{quote(path)}"
        fields = {**fields, "Authorization": f"Bearer {self._destination.token()}"}
        pauses = iter(_PAUSES)
        while True:
            is_new = self._connection is None
            try:
                return self._answer(method, target, data, fields)
            except NotTaken as error:
                pause = next(pauses, None)
                if error.status != 503 or pause is None:
                    raise
                time.sleep(pause)  # another sender has its turn, for moments
            except (ConnectionError, http.client.HTTPException):
                self.close()
                if is_new:
                    raise
                # the host had closed the idle connection: offsets make it safe to ask again
            except BaseException:
                self.close()
                raise

    def _answer(
        self, method: str, target: str, data: bytes | None, fields: dict[str, str]
    ) -> http.client.HTTPResponse:
        if self._connection is None:
            self._connection = self._opened()
        self._connection.request(method, target, data, fields)
        answer = self._connection.getresponse()
        body = answer.read(_LONGEST_ANSWER)
        if not answer.isclosed():
            self.close()
        if answer.status != 200:
            raise _refusal(answer, body)
        return answer

    def _opened(self) -> http.client.HTTPConnection:
        host = self._parts.hostname or ""
        if self._parts.scheme == "http":
            return http.client.HTTPConnection(host, self._parts.port, timeout=_TIMEOUT)
        import ssl  # not where the host is on this machine

        context = ssl.create_default_context()
        return http.client.HTTPSConnection(host, self._parts.port, timeout=_TIMEOUT, context=context)

    def _offset(self, answer: http.client.HTTPResponse) -> int:
        text = answer.getheader(OFFSET) or ""
        if not (text.isascii() and text.isdecimal()):
            raise NotTaken("it does not answer as a host that was started with --receive", answer.status, "")
        return int(text)


def _refusal(answer: http.client.HTTPResponse, body: bytes) -> NotTaken:
    text, code = f"{answer.status} {answer.reason}", ""
    with suppress(ValueError, AttributeError):
        told = json.loads(body)
        text, code = str(told.get("error") or text), str(told.get("code") or "")
    if answer.status in (301, 302, 303, 307, 308):
        text = f"it leads to {answer.getheader('Location')}: give the address that is meant"
    if answer.status in (401, 404, 405) and not code.startswith("receive"):
        text = f"no host that was started with --receive is at this address ({answer.status} {answer.reason})"
    if code == "receive_offset" and (found := answer.getheader(OFFSET) or "").isdecimal():
        return Longer(text, int(found))
    if code == "receive_differs":
        return Differs(text, answer.status, code)
    return NotTaken(text, answer.status, code)
