"""Asks rules, each guarded, and says what they told or why they did not."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from itertools import groupby
from typing import Any, TypeVar

from attrs import evolve, field, frozen

from insight_core.isolation import Calls, Limits, Overdue, in_one_line, reraise
from insight_core.plugin import InsightError, PluginContext, Reason, ReasonKind, Unavailable
from insight_core.plugin.findings import Examined, Finding, NotChecked, Rule
from insight_core.registry import Module
from insight_core.web.findings.rounds import AskedRule, Outcome, Round

log = logging.getLogger(__name__)

_MOST = 10_000  # findings of one call that are kept
_FRESH = 2.0  # seconds; several runs are compared with annotations and other things that change, too
_RUNNING = ReasonKind("rule_is_running", "it is being checked")
_NEVER = -math.inf
Value = TypeVar("Value")


@frozen
class Told:
    """What a rule said in one call, or why it said nothing: see ``Unchecked``.

    It holds as long as the series stay, but not longer than ``until`` (monotonic seconds).
    """

    findings: tuple[Finding, ...] = ()
    more: int = 0
    unchecked: Reason | None = None
    failed: bool = False
    pending: bool = False
    missing: bool = False
    until: float = field(default=math.inf, eq=False)


_NOTHING = Told()  # most calls say so: one object for all
LATER = Told(unchecked=_RUNNING(), pending=True, until=_NEVER)


@frozen(eq=False)
class RuleCalls:
    """The calls of rules. For any thread.

    A rule that raises, returns anything but findings or does not return is listed as failed; it is not called
    again before it has returned. A call that outlasts an answer goes on, and the next answer has its result.
    """

    limits: Limits
    context_of: Callable[[Module], PluginContext]
    _lock: threading.Lock = field(factory=threading.Lock, init=False)
    _calls: dict[Module, Calls] = field(factory=dict, init=False)
    _left: dict[tuple[str, str], Round] = field(factory=dict, init=False)  # that outlasted an answer

    def told(
        self,
        asked: Sequence[AskedRule],
        subject: Hashable,
        examined: Callable[[PluginContext], Examined],
        until: float | None,
    ) -> list[Told]:
        """What each rule says of what is examined, ``subject`` by name; waits until then (monotonic)."""
        found: list[Told] = []
        for module, rules in groupby(asked, lambda one: one.module):
            by_name = {f"rule {one.rule.id}": one for one in rules}

            def begin(
                names: Sequence[str], module: Module = module, by_name: dict[str, AskedRule] = by_name
            ) -> Sequence[Callable[[], Any]]:
                known = examined(self.context_of(module))
                return [partial(_findings, by_name[name].rule, known) for name in names]

            ended = self._ended(module, list(by_name), subject, begin, until)
            found += [_told(one, ended[name]) for name, one in by_name.items()]
        return found

    def made(
        self,
        module: Module,
        name: str,
        subject: Hashable,
        begin: Callable[[], Callable[[], Value]],
        until: float | None,
    ) -> Value | Told:
        """What a function of the module returns, or why it does not; waits until then (monotonic).

        ``begin`` gives the function unless its last call, of the same ``subject``, goes on or has ended.
        """
        ended = self._ended(module, [name], subject, lambda _: [begin()], until)[name]
        if isinstance(ended, Told):
            return ended
        value: Value = ended.value
        return value

    def _ended(
        self,
        module: Module,
        names: Sequence[str],
        subject: Hashable,
        begin: Callable[[Sequence[str]], Sequence[Callable[[], Any]]],
        until: float | None,
    ) -> dict[str, Outcome | Told]:
        """What functions of a module returned, or why they did not."""
        found: dict[str, Outcome | Told] = {}
        waiting: dict[Round, list[str]] = {}
        fresh = []
        for name in names:
            with self._lock:
                left = self._left.get((module.name, name))
            if left is None:
                fresh.append(name)
            elif left.subject == subject:
                waiting.setdefault(left, []).append(name)
            elif left.stands(name) in ("ended", "dropped"):
                fresh.append(name)  # what was left is about another subject
            else:
                found[name] = self._settled(name, left) or LATER
        while waiting or fresh:
            if fresh:
                try:
                    pairs = list(zip(fresh, begin(fresh), strict=True))
                    current = Round(module, subject, pairs, self.limits.rule)
                    current.begin(self._calls_of(module))
                except Exception as error:  # no context, or no thread
                    return found | {name: _why(module, name, error) for name in fresh}
                waiting[current], fresh = fresh, []
            current = next(iter(waiting))
            current.wait(until)
            for name in waiting.pop(current):
                if (ended := self._settled(name, current)) is None:
                    fresh.append(name)
                else:
                    found[name] = ended
        return found

    def _settled(self, name: str, current: Round) -> Outcome | Told | None:
        """What a function returned in a round, or why it did not; None if the round does not come to it."""
        module, stands = current.module, current.stands(name)
        key = module.name, name
        with self._lock:
            if stands in ("waits", "overdue"):
                self._left[key] = current
            elif self._left.get(key) is current:
                del self._left[key]
        if stands == "dropped":
            return None
        if stands == "waits":
            return LATER
        if stands == "overdue":
            return _why(module, name, Overdue(current.overdue()))
        ended = current.results[name]
        if ended.error is not None:
            return _why(module, name, ended.error)
        module.calls.forget(name)
        return ended

    def _calls_of(self, module: Module) -> Calls:
        with self._lock:
            return self._calls.setdefault(module, Calls(f"plugin {module.name}", self.limits))


def _why(module: Module, name: str, raised: BaseException) -> Told:
    """Why a function did not return anything; failures are noted at its module."""
    try:
        reraise(raised)
    except NotChecked as error:
        pending = error.may_change
        return Told(unchecked=Reason.of(error), pending=pending, until=_NEVER if pending else math.inf)
    except Unavailable as error:
        return Told(unchecked=Reason.of(error), until=_NEVER)
    except InsightError as error:
        return Told(unchecked=Reason.of(error), failed=True, until=_NEVER)
    except Exception as error:
        text = str(error) if isinstance(error, Overdue) else in_one_line(error)
        if module.calls.note(name, f"{name}: {text}"):
            log.error("%s of plugin %s failed: %s", name, module.name, text, exc_info=error)
        return Told(unchecked=Reason(text), failed=True, until=_NEVER)


def _told(asked: AskedRule, ended: Outcome | Told) -> Told:
    """What a rule said, and how long it holds."""
    rule = asked.rule
    until = time.monotonic() + _FRESH if rule.may_change or rule.scope == "runs" else math.inf
    if isinstance(ended, Told):
        return evolve(ended, until=until) if until < ended.until else ended
    if not ended.value and until == math.inf:
        return _NOTHING
    return Told(ended.value[:_MOST], max(0, len(ended.value) - _MOST), until=until)


def _findings(rule: Rule, examined: Examined) -> tuple[Finding, ...]:
    found = tuple(rule.check(examined))
    for one in found:
        if not isinstance(one, Finding):
            raise TypeError(f"it returned a {type(one).__name__}, not a Finding")
        if rule.scope != "runs" and one.runs != tuple(examined.runs):
            raise ValueError(f"a finding is about {', '.join(one.runs)!r}, which it was not asked about")
    return found
