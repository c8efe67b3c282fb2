"""Functions of one module that are called one after the other in a thread of it, each with a deadline."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Literal

from attrs import define, field, frozen

from insight_core.isolation import Call, Calls
from insight_core.plugin.findings import Rule
from insight_core.registry import Module


@frozen(eq=False)
class AskedRule:
    """A rule and the module that has it. ``key`` names it among the rules of all modules."""

    module: Module
    rule: Rule
    key: tuple[str, str] = field(init=False)

    @key.default
    def _new_key(self) -> tuple[str, str]:
        return self.module.name, self.rule.id


@frozen(eq=False)
class Outcome:
    """What a function returned, or what it raised."""

    value: Any = None
    error: BaseException | None = None


@define(eq=False)
class Round:
    """Functions by name, about one subject, in one thread: switching threads costs more than a quick rule.

    ``results`` has what each has returned or raised, as soon as it has ended.
    """

    module: Module
    subject: Hashable
    functions: Sequence[tuple[str, Callable[[], Any]]]
    deadline: float  # seconds for each function
    results: dict[str, Outcome] = field(factory=dict, init=False)
    _lock: threading.Lock = field(factory=threading.Lock, init=False)
    _at: str = field(default="", init=False)  # the name of the function that is being called
    _stopped: bool = field(default=False, init=False)
    _call: Call[None] = field(init=False)

    def begin(self, calls: Calls) -> None:
        """Begins to call the functions in a thread of the module."""
        self._at = self.functions[0][0]
        self._call = calls.start(f"{self._at} of {self.module.name}", self._work, self.deadline)

    def _work(self, call: Call[None]) -> None:
        for name, function in self.functions:
            with self._lock:
                if self._stopped:
                    return
                self._at = name
                call.proceed(f"{name} of {self.module.name}")
            try:
                ended = Outcome(function())
            except BaseException as error:  # also SystemExit: the thread is the module's
                ended = Outcome(error=error)
            self.results[name] = ended

    def wait(self, until: float | None = None) -> None:
        """Waits until all functions have ended, or one is overdue, or the time (monotonic) is over."""
        if until is None:
            self._call.wait()
        else:
            self._call.done.wait(max(0.0, until - time.monotonic()))

    def stands(self, name: str) -> Literal["ended", "waits", "overdue", "dropped"]:
        """How a function stands. Those after one that is overdue are dropped: the round never calls them."""
        with self._lock:
            if name in self.results:
                return "ended"
            if not self._call.done.is_set():
                if not self._call.is_overdue:
                    return "waits"
                self._stopped = self._call.given_up = True
                if self._at == name:
                    return "overdue"
            return "dropped"

    def overdue(self) -> str:
        """Which function has not returned since when."""
        return self._call.overdue()
