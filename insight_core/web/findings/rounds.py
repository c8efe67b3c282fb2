"""Rules of one module that are called one after the other in a thread of the module, each with a deadline."""

from __future__ import annotations

import threading
import time
from collections.abc import Hashable, Sequence
from typing import Literal, TypeAlias

from attrs import define, field, frozen

from insight_core.isolation import Call, Calls
from insight_core.plugin.findings import Examined, Finding, Rule
from insight_core.registry import Module

Result: TypeAlias = tuple[Finding, ...] | BaseException  # what a rule found, or what it raised


@frozen(eq=False)
class AskedRule:
    """A rule and the module that has it. ``key`` names it among the rules of all modules."""

    module: Module
    rule: Rule
    key: tuple[str, str] = field(init=False)

    @key.default
    def _new_key(self) -> tuple[str, str]:
        return self.module.name, self.rule.id


@define(eq=False)
class Round:
    """Rules that examine one subject. One thread for all: switching threads costs more than a quick rule.

    ``results`` has what each rule found, or the exception that it raised, as soon as it has ended.
    """

    subject: Hashable
    rules: Sequence[AskedRule]
    examined: Examined
    deadline: float  # seconds for each rule
    results: dict[tuple[str, str], Result] = field(factory=dict, init=False)
    _lock: threading.Lock = field(factory=threading.Lock, init=False)
    _at: AskedRule = field(init=False)  # the rule that is being called
    _stopped: bool = field(default=False, init=False)
    _call: Call[None] = field(init=False)

    def begin(self, calls: Calls) -> None:
        """Begins to call the rules in a thread of the module."""
        self._at = self.rules[0]
        self._call = calls.start(_named(self._at), self._work, self.deadline)

    def _work(self, call: Call[None]) -> None:
        for asked in self.rules:
            with self._lock:
                if self._stopped:
                    return
                self._at = asked
                call.proceed(_named(asked))
            try:
                result: Result = _findings(asked.rule, self.examined)
            except BaseException as error:  # also SystemExit: the thread is the module's
                result = error
            self.results[asked.key] = result

    def wait(self, until: float | None = None) -> None:
        """Waits until all rules have ended, or one is overdue, or the time (monotonic) is over."""
        if until is None:
            self._call.wait()
        else:
            self._call.done.wait(max(0.0, until - time.monotonic()))

    def stands(self, key: tuple[str, str]) -> Literal["ended", "waits", "overdue", "dropped"]:
        """How a rule stands. Those after one that is overdue are dropped: the round never calls them."""
        with self._lock:
            if key in self.results:
                return "ended"
            if not self._call.done.is_set():
                if not self._call.is_overdue:
                    return "waits"
                self._stopped = self._call.given_up = True
                if self._at.key == key:
                    return "overdue"
            return "dropped"

    def overdue(self) -> str:
        """Which rule has not returned since when."""
        return self._call.overdue()


def _named(asked: AskedRule) -> str:
    return f"rule {asked.rule.id} of {asked.module.name}"


def _findings(rule: Rule, examined: Examined) -> tuple[Finding, ...]:
    found = tuple(rule.check(examined))
    for one in found:
        if not isinstance(one, Finding):
            raise TypeError(f"it returned a {type(one).__name__}, not a Finding")
        if rule.scope != "runs" and one.runs != tuple(examined.runs):
            raise ValueError(f"a finding is about {', '.join(one.runs)!r}, which it was not asked about")
    return found
