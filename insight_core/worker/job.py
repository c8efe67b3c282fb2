"""One call of a function in a worker process: its input, its limits, and who receives the answer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol

from attrs import frozen

from insight_core.plugin import InsightError

_AT_LIMIT = ("worker_memory", "worker_seconds", "worker_deadline", "worker_answer", "worker_died")


@frozen
class WorkerLimits:
    """What one call may take.

    Parameters
    ----------
    memory : int
        Bytes of address space beyond that of the process with the module of the function imported. Beyond
        it allocations fail. Not enforced where the system has no such limit (macOS).
    seconds : float
        Processor time.
    deadline : float or None
        Seconds after which the process is killed; None: a call may wait for its files as long as it takes.
    answer : int
        Bytes of the answer.
    """

    memory: int
    seconds: float
    deadline: float | None
    answer: int = 32 << 20


class WorkerFailed(InsightError):
    """A call in a worker failed. ``status``, ``code`` and ``details`` are those of the InsightError that the
    function raised, or ``code`` is one of these, with their details:

    - ``worker_memory`` (``mib``), ``worker_seconds`` (``seconds``, of processor time), ``worker_deadline``
      (``seconds``), ``worker_answer`` (``mib``): a limit
    - ``worker_died`` (``how``): the process ended; ``worker_not_started`` (``how``): there was none
    - ``worker_unreadable`` (``reason``): a file that was given to the function cannot be read
    - ``worker_invalid`` (``reason``): the function raised ValueError with this text
    - ``worker_failed`` (``reason``): the function raised anything else
    """

    status = 422
    code = "worker_failed"

    @property
    def is_at_limit(self) -> bool:
        """Whether the call took all that it may: the same call would most likely do so again."""
        return self.code in _AT_LIMIT


class WorkerSource(Protocol):
    """Bytes that a job gives to its function, read from one thread."""

    def read(self, size: int, /) -> bytes:
        """At most ``size`` bytes; none at the end. Raises OSError or InsightError."""

    def close(self) -> None:
        """Called when the function needs no more."""


class WorkerJob:
    """A call of ``function``, ``"package.module:function"``; subclasses say what it reads.

    The function gets a ``WorkerLink`` and the arguments of ``begin`` by name, and returns bytes or None.
    Methods are called in a thread of the pool.
    """

    function: str
    imports: tuple[str, ...] = ()  # further modules that do not count as memory of the call
    memory: int = 0  # bytes that the call is likely to take: how many run at a time depends on it
    more_seconds: float = 0.0  # of processor time, besides those of the pool

    def begin(self) -> Mapping[str, object]:
        """Called when the call begins: its arguments, which JSON can say."""
        raise NotImplementedError

    def open(self, name: str) -> WorkerSource:
        """Opens what the function asks for with ``WorkerLink.open``. Raises OSError or InsightError."""
        raise OSError(f"there is nothing named {name!r}")

    def has_sent(self, count: int) -> None:
        """Called when ``count`` further bytes have been read for the function."""

    def has_said(self, message: Mapping[str, object]) -> None:
        """Called with what the function says before it has ended."""

    def is_done(self, answer: bytes) -> None:
        """Called with what the function returned."""
        raise NotImplementedError

    def has_failed(self, failure: WorkerFailed) -> None:
        """Called when the call failed."""
        raise NotImplementedError


class WaitedJob(WorkerJob):
    """A call whose caller waits for the answer."""

    def __init__(
        self,
        function: str,
        arguments: Mapping[str, object],
        opener: Callable[[str], WorkerSource] | None,
    ) -> None:
        self.function = function
        self.done = threading.Event()
        self._arguments = arguments
        self._opener = opener
        self._answer = b""
        self._failure: WorkerFailed | None = None

    def begin(self) -> Mapping[str, object]:
        return self._arguments

    def open(self, name: str) -> WorkerSource:
        return super().open(name) if self._opener is None else self._opener(name)

    def is_done(self, answer: bytes) -> None:
        self._answer = answer
        self.done.set()

    def has_failed(self, failure: WorkerFailed) -> None:
        self._failure = failure
        self.done.set()

    def result(self) -> bytes:
        """Waits for the answer. Raises WorkerFailed."""
        self.done.wait()
        if self._failure is not None:
            raise self._failure
        return self._answer


class PieceSource:
    """A WorkerSource of pieces that are made when they are read."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces: Iterator[bytes] = iter(pieces)
        self._rest = memoryview(b"")

    def read(self, size: int, /) -> bytes:
        """See WorkerSource. Raises what makes the pieces raises."""
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return b""
            self._rest = memoryview(piece)
        part, self._rest = self._rest[:size], self._rest[size:]
        return bytes(part)

    def close(self) -> None:
        """Closes what makes the pieces."""
        self._rest = memoryview(b"")
        getattr(self._pieces, "close", lambda: None)()
