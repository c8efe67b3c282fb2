"""Asks the sources of highlights that plugins contribute, each guarded."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence

from attrs import field, frozen

from insight_core.isolation import Call, Calls, Limits, Overdue, in_one_line
from insight_core.plugin import InsightError, Messages, PluginContext, Reason
from insight_core.plugin.data import DataProvider
from insight_core.plugin.findings import Highlight, HighlightSource
from insight_core.plugin.findings.results import RunHighlights, SourceHighlights
from insight_core.registry import Module, Registry
from insight_core.web.rule_checks import placed

log = logging.getLogger(__name__)

_HOOK = "insight_highlights"
_MOST = 20  # highlights of one source


@frozen(eq=False)
class HighlightTable:
    """The sources of all plugins. For any thread.

    Each is called in a thread of its module with ``limits.rule`` seconds. One that raises, returns anything
    but highlights or does not return is listed as failed; it is not called again before it has returned.
    """

    registry: Registry
    provider: DataProvider
    limits: Limits
    context_of: Callable[[Module], PluginContext]
    _lock: threading.Lock = field(factory=threading.Lock, init=False)
    _calls: dict[Module, Calls] = field(factory=dict, init=False)
    _hanging: dict[tuple[Module, str], Call[tuple[Highlight, ...]]] = field(factory=dict, init=False)

    def find(self, runs: Sequence[str]) -> RunHighlights:
        """See insight_core.plugin.FindHighlights."""
        there = {run.name for run in self.provider.runs()}
        known = tuple(dict.fromkeys(run for run in runs if run in there))
        sources = {
            (one.module, one.value.id): one.value for one in self.registry.collected(_HOOK, HighlightSource)
        }
        ordered = sorted(sources.items(), key=lambda one: one[1].order)  # stable: else as the modules are
        found = [self._asked(module, source, known) for (module, _), source in ordered]
        messages = [one.value for one in self.registry.collected("insight_messages", Messages)]
        return RunHighlights(found if known else (), messages)

    def _asked(self, module: Module, source: HighlightSource, runs: Sequence[str]) -> SourceHighlights:
        name = module.name
        try:
            return SourceHighlights(name, source.id, self._call(module, source, runs)[:_MOST])
        except InsightError as error:
            return SourceHighlights(name, source.id, failed=Reason.of(error))
        except Exception as error:
            text = str(error) if isinstance(error, Overdue) else in_one_line(error)
            if module.calls.note(f"{_HOOK} {source.id}", f"highlights {source.id}: {text}"):
                log.error("highlights %s of plugin %s failed: %s", source.id, name, text, exc_info=error)
            return SourceHighlights(name, source.id, failed=Reason(text))

    def _call(self, module: Module, source: HighlightSource, runs: Sequence[str]) -> tuple[Highlight, ...]:
        """Raises what the source raises, Crashed or Overdue, and TypeError for anything but highlights."""
        key = (module, source.id)
        with self._lock:
            hanging = self._hanging.get(key)
            if hanging is not None and not hanging.done.is_set():
                raise Overdue(hanging.overdue())
            self._hanging.pop(key, None)
            calls = self._calls.setdefault(module, Calls(f"plugin {module.name}", self.limits))
        ctx = self.context_of(module)
        what = f"highlights {source.id} of {module.name}"
        call = calls.start(what, lambda _: _highlights(source, ctx, runs), self.limits.rule)
        try:
            found = call.result()
        except Overdue:
            call.given_up = True
            with self._lock:
                self._hanging[key] = call
            raise
        module.calls.forget(f"{_HOOK} {source.id}")
        return placed(found, self.registry.plugin_of_scalars)


def _highlights(source: HighlightSource, ctx: PluginContext, runs: Sequence[str]) -> tuple[Highlight, ...]:
    found = tuple(source.find(ctx, runs))
    for one in found:
        if not isinstance(one, Highlight):
            raise TypeError(f"it returned a {type(one).__name__}, not a Highlight")
    return found
