"""Whether a plugin has something to show, asked so that a slow or broken one delays nobody."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping

from insight_core.plugin import DataProvider, Plugin, Unavailable

log = logging.getLogger(__name__)

DEADLINE = 1.0  # seconds a listing waits for all plugins together


class Activity:
    """The answer of one plugin's ``is_active``, kept for as long as the data stays the same."""

    def __init__(self, plugin: Plugin, provider: DataProvider) -> None:
        self._plugin = plugin
        self._provider = provider
        self._lock = threading.Lock()
        self._known = False  # the last answer, whatever it was about
        self._generation: int | None = None  # what it was about
        self._pending: threading.Event | None = None
        self._overdue = False  # somebody has waited for the pending question in vain

    def ask(self, generation: int) -> None:
        """Starts a question if the last answer is about older data and none is under way."""
        with self._lock:
            if self._pending is not None or self._generation == generation:
                return
            self._pending = threading.Event()
            thread = threading.Thread(
                target=self._question,
                args=(generation, self._pending),
                name=f"is_active of {self._plugin.name}",
                daemon=True,
            )
        thread.start()

    def answer(self, until: float) -> bool:
        """The newest answer there is by ``until`` (monotonic seconds); false before the first."""
        with self._lock:
            pending, overdue = self._pending, self._overdue
        # a question that kept one listing waiting does not keep the next one waiting too
        if pending is not None and not overdue and not pending.wait(max(0.0, until - time.monotonic())):
            log.warning("is_active of plugin %s is slow: its last answer is used", self._plugin.name)
            with self._lock:
                self._overdue = self._pending is pending
        with self._lock:
            return self._known

    def _question(self, generation: int, pending: threading.Event) -> None:
        known = False
        try:
            plugin = self._plugin
            if plugin.is_active is None:
                known = bool(self._provider.series(plugin.name))
            else:
                known = bool(plugin.is_active(self._provider))
        except Unavailable:  # a tab does not go because the data cannot be reached for a while
            known = self._known
        except BaseException:  # also SystemExit: the thread is ours
            log.exception("is_active of plugin %s failed: it counts as without data", self._plugin.name)
        with self._lock:
            self._known, self._generation = known, generation
            self._pending, self._overdue = None, False
        pending.set()


def active_plugins(
    activities: Mapping[str, Activity], generation: int, deadline: float = DEADLINE
) -> dict[str, bool]:
    """Asks all at once and waits once, at most ``deadline`` seconds."""
    until = time.monotonic() + deadline
    for activity in activities.values():
        activity.ask(generation)
    return {name: activity.answer(until) for name, activity in activities.items()}
