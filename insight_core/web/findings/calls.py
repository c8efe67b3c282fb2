"""Calls rules, each guarded: in a thread of its module, with a deadline."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from attrs import field, frozen

from insight_core.isolation import Call, Calls, Limits, Overdue, in_one_line
from insight_core.plugin import InsightError, PluginContext, Reason, ReasonKind, Unavailable
from insight_core.plugin.findings import Examined, Finding, NotChecked, Rule
from insight_core.registry import Module

log = logging.getLogger(__name__)

_MOST = 50  # findings of one call
_RUNNING = ReasonKind("rule_is_running", "it is being checked")
Value = TypeVar("Value")


@frozen
class AskedRule:
    """A rule and the module that has it."""

    module: Module
    rule: Rule

    @property
    def key(self) -> tuple[str, str]:
        """Names the rule among those of all modules."""
        return self.module.name, self.rule.id


@frozen
class Told:
    """What a rule said in one call, or why it said nothing: see ``Unchecked``.

    ``is_final``: it says the same as long as the series stay.
    """

    findings: tuple[Finding, ...] = ()
    more: int = 0
    unchecked: Reason | None = None
    failed: bool = False
    pending: bool = False
    missing: bool = False
    is_final: bool = True


_NOTHING = Told()  # most calls say so: one object for all
LATER = Told(unchecked=_RUNNING(), pending=True, is_final=False)  # the call goes on


class _Later(Exception):
    """The call goes on, and the next answer has its result."""


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
    _left: dict[tuple[str, str], tuple[Hashable, Call[Any]]] = field(factory=dict, init=False)

    def told(
        self,
        asked: AskedRule,
        subject: Hashable,
        examined: Callable[[PluginContext], Examined],
        until: float | None,
    ) -> Told:
        """What the rule says of what is examined, ``subject`` by name; waits until then (monotonic)."""
        module, rule = asked.module, asked.rule

        def begin() -> Callable[[], tuple[Finding, ...]]:
            known = examined(self.context_of(module))
            return lambda: _findings(rule, known)

        found = self.made(module, f"rule {rule.id}", subject, begin, until)
        if isinstance(found, Told):
            return found
        return Told(found[:_MOST], max(0, len(found) - _MOST)) if found else _NOTHING

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
        try:
            made = self._made(module, name, subject, begin, until)
        except _Later:
            return LATER
        except NotChecked as error:
            pending = error.may_change
            return Told(unchecked=Reason.of(error), pending=pending, is_final=not pending)
        except Unavailable as error:
            return Told(unchecked=Reason.of(error), is_final=False)
        except InsightError as error:
            return Told(unchecked=Reason.of(error), failed=True, is_final=False)
        except Exception as error:
            text = str(error) if isinstance(error, Overdue) else in_one_line(error)
            if module.calls.note(name, f"{name}: {text}"):
                log.error("%s of plugin %s failed: %s", name, module.name, text, exc_info=error)
            return Told(unchecked=Reason(text), failed=True, is_final=False)
        module.calls.forget(name)
        return made

    def _made(
        self,
        module: Module,
        name: str,
        subject: Hashable,
        begin: Callable[[], Callable[[], Value]],
        until: float | None,
    ) -> Value:
        """Raises what the function raises, Crashed, Overdue or _Later."""
        key = module.name, name
        with self._lock:
            left = self._left.get(key)
            if left is not None and left[0] != subject:
                if not left[1].done.is_set():
                    if left[1].is_overdue:
                        raise Overdue(left[1].overdue())
                    raise _Later
                del self._left[key]
                left = None
            calls = self._calls.setdefault(module, Calls(f"plugin {module.name}", self.limits))
        if left is not None:
            call = left[1]
        else:
            function = begin()
            call = calls.start(f"{name} of {module.name}", lambda _: function(), self.limits.rule)
        if not _has_ended(call, until):
            with self._lock:
                self._left[key] = (subject, call)
            if call.is_overdue:
                call.given_up = True
                raise Overdue(call.overdue())
            raise _Later
        with self._lock:
            if left is not None and self._left.get(key) == left:
                del self._left[key]
        value: Value = call.result()
        return value


def _has_ended(call: Call[Any], until: float | None) -> bool:
    return call.wait() if until is None else call.done.wait(max(0.0, until - time.monotonic()))


def _findings(rule: Rule, examined: Examined) -> tuple[Finding, ...]:
    found = tuple(rule.check(examined))
    for one in found:
        if not isinstance(one, Finding):
            raise TypeError(f"it returned a {type(one).__name__}, not a Finding")
        if rule.scope != "runs" and one.runs != tuple(examined.runs):
            raise ValueError(f"a finding is about {', '.join(one.runs)!r}, which it was not asked about")
    return found
