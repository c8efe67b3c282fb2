"""Calls into code of plugins, each in a thread of its own, so that one that hangs keeps nobody waiting."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from attrs import define, field

MOST_OVERDUE = 8  # calls of one plugin that may hang until it is asked nothing more

Value = TypeVar("Value")


class Overdue(Exception):
    """A call has not returned in time; the text says which."""


@define(eq=False)
class Call(Generic[Value]):
    """One call under way. ``result`` waits for it.

    ``since`` is since when the plugin is waited for (monotonic seconds), infinite while it is not.
    """

    what: str
    since: float = field(factory=time.monotonic)
    value: Value | None = None
    error: BaseException | None = None
    done: threading.Event = field(factory=threading.Event)

    def result(self, deadline: float) -> Value:
        """What the call returned or raised. Raises Overdue after ``deadline`` seconds."""
        if not self.done.wait(max(0.0, self.since + deadline - time.monotonic())):
            raise Overdue(overdue(self.what, deadline))
        if self.error is not None:
            raise self.error
        return self.value  # type: ignore[return-value]

    def is_overdue(self, deadline: float) -> bool:
        return time.monotonic() - self.since > deadline


def overdue(what: str, deadline: float) -> str:
    """That a call hangs, in words that stay the same while it does."""
    return f"{what} has not answered for {deadline:.0f} s"


class Calls:
    """The calls into one plugin that are under way."""

    def __init__(self, plugin: str) -> None:
        self._plugin = plugin
        self._lock = threading.Lock()
        self._open: dict[int, Call[object]] = {}

    def start(
        self,
        what: str,
        function: Callable[[Call[Value]], Value],
        then: Callable[[Call[Value]], None] | None = None,
    ) -> Call[Value]:
        """Begins the call; ``then`` is called in its thread when it has ended. Both are given the call."""
        call: Call[Value] = Call(what)

        def run() -> None:
            try:
                call.value = function(call)
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

    def overdue(self, deadline: float) -> int:
        """How many calls hang for longer than ``deadline`` seconds."""
        with self._lock:
            return sum(call.is_overdue(deadline) for call in self._open.values())
