"""Calls into code of plugins, each in a thread of its own, so that one that hangs keeps nobody waiting."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from attrs import define, field

log = logging.getLogger(__name__)

MOST_OVERDUE = 8  # calls of one plugin that may hang until it is asked nothing more

Value = TypeVar("Value")


class Overdue(Exception):
    """A call has not returned in time; the text says which."""


@define(eq=False)
class Call(Generic[Value]):
    """One call under way. ``result`` waits for it."""

    what: str
    begun: float = field(factory=time.monotonic)
    value: Value | None = None
    error: BaseException | None = None
    done: threading.Event = field(factory=threading.Event)

    def result(self, deadline: float) -> Value:
        """What the call returned or raised. Raises Overdue after ``deadline`` seconds."""
        if not self.done.wait(max(0.0, self.begun + deadline - time.monotonic())):
            raise Overdue(self.overdue())
        if self.error is not None:
            raise self.error
        return self.value  # type: ignore[return-value]

    def overdue(self) -> str:
        return f"{self.what} has not answered for {time.monotonic() - self.begun:.0f} s"


class Calls:
    """The calls into one plugin that are under way."""

    def __init__(self, plugin: str) -> None:
        self._plugin = plugin
        self._lock = threading.Lock()
        self._open: dict[int, Call[object]] = {}

    def start(
        self, what: str, function: Callable[[], Value], then: Callable[[Call[Value]], None] | None = None
    ) -> Call[Value]:
        """Begins the call; ``then`` is called in its thread when it has ended."""
        call: Call[Value] = Call(what)

        def run() -> None:
            try:
                call.value = function()
            except BaseException as error:  # also SystemExit: the thread is ours
                call.error = error
            with self._lock:
                self._open.pop(id(call), None)
            if then is not None:
                then(call)
            call.done.set()

        with self._lock:
            self._open[id(call)] = call  # type: ignore[assignment]
        threading.Thread(target=run, name=f"{what} of {self._plugin}", daemon=True).start()
        return call

    def overdue(self, deadline: float) -> list[str]:
        """Which calls hang for longer than ``deadline`` seconds, the oldest first."""
        before = time.monotonic() - deadline
        with self._lock:
            found = [call for call in self._open.values() if call.begun < before]
        return [call.overdue() for call in sorted(found, key=lambda call: call.begun)]
