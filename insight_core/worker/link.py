"""The worker's end of the pipes: orders and bytes come in, requests and the answer go out.

Lines of JSON go out, the last line of a call followed by the bytes of its answer. A line comes in for each
call, and then the pieces that the call asked for.
"""

from __future__ import annotations

import io
import json
import threading
from collections import deque
from collections.abc import Mapping
from typing import Any, BinaryIO, cast

PIECE = 1 << 20  # bytes asked for at a time
HEAD = 4  # bytes before each piece: its size, or FAILED
FAILED = 0xFFFFFFFF  # what follows is a piece that says why the file cannot be read
_AHEAD = 2  # pieces of a file on their way
_HELD = 4096  # bytes that a pipe takes although nobody reads it


class HostGone(BaseException):
    """The other end of the pipes is closed: the call is not to go on."""


class WorkerLink:
    """What a function in a worker process knows of the host. ``open`` and its files: for any thread."""

    def __init__(self, orders: BinaryIO, answers: BinaryIO) -> None:
        self._orders = orders
        self._answers = answers
        self._lock = threading.RLock()
        self._coming: deque[_Asked] = deque()  # in the order in which pieces come
        self._count = 0

    def open(self, name: str) -> BinaryIO:
        """Opens what the job has under this name, for reading from its beginning. Nothing is sent yet: a
        name that the job does not have raises OSError when it is read."""
        with self._lock:
            self._count += 1
            return cast(BinaryIO, io.BufferedReader(_Asked(self, name, self._count), PIECE))

    def say(self, **message: object) -> None:
        """Sends values of JSON to the job (``WorkerJob.has_said``)."""
        self._say({"said": message})

    def order(self) -> dict[str, Any] | None:
        """The next call; None if the host wants no more."""
        with self._lock:
            try:
                while self._coming:  # what the last call did not want any more
                    self._receive()
            except HostGone:
                return None
            line = self._orders.readline()
            return json.loads(line) if line.endswith(b"\n") else None

    def end(self, answer: bytes, *, stays: bool) -> None:
        """Sends the answer; unless the process ``stays``, it must not be given another call."""
        with self._lock:
            self._say({"answer": len(answer), "stays": stays}, answer)

    def fail(self, failure: Mapping[str, object], *, stays: bool) -> None:
        """Sends the reason of a missing answer."""
        self._say({"failed": failure, "stays": stays})

    def _say(self, message: Mapping[str, object], more: bytes = b"") -> None:
        text = json.dumps(message, default=str).encode() + b"\n" + more
        with self._lock:
            while self._coming and len(text) > _HELD:  # the host reads nothing until it has sent a piece
                self._receive()
            try:
                self._answers.write(text)
                self._answers.flush()
            except BrokenPipeError:
                raise HostGone from None

    def _piece_of(self, file: _Asked) -> bytes:
        """The next piece of a file. Raises OSError with what the host says."""
        with self._lock:
            while file.awaited + len(file.pieces) < _AHEAD:
                self._say({"read": file.name, "stream": file.number})
                self._coming.append(file)
                file.awaited += 1
            while not file.pieces and not file.error:
                self._receive()
            if file.error:
                raise OSError(file.error)
            return file.pieces.popleft()

    def _receive(self) -> None:
        """The next piece, for whichever file it is."""
        file = self._coming.popleft()
        size = int.from_bytes(self._exactly(HEAD), "little")
        if size == FAILED:
            size = int.from_bytes(self._exactly(HEAD), "little")
            file.error = self._exactly(size).decode("utf-8", "replace")
        else:
            file.pieces.append(self._exactly(size))
        file.awaited -= 1

    def _exactly(self, size: int) -> bytes:
        data = self._orders.read(size)
        if len(data) < size:
            raise HostGone
        return data

    def _close(self, number: int) -> None:
        self._say({"close": number})


class _Asked(io.RawIOBase):
    """A file that comes in pieces; an empty one is its end."""

    def __init__(self, link: WorkerLink, name: str, number: int) -> None:
        self.name = name
        self.number = number
        self.pieces: deque[bytes] = deque()
        self.awaited = 0
        self.error = ""
        self._link = link
        self._piece = memoryview(b"")
        self._is_over = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if not self._piece and not self._is_over:
            self._piece = memoryview(self._link._piece_of(self))
            self._is_over = not self._piece
        count = min(len(buffer), len(self._piece))
        buffer[:count] = self._piece[:count]
        self._piece = self._piece[count:]
        return count

    def close(self) -> None:
        if not self.closed:
            self._link._close(self.number)
        super().close()
