"""Whether plugins have something to show, asked so that a slow or broken one delays nobody."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from insight_core.isolation import Call, Calls, in_one_line

log = logging.getLogger(__name__)


class Question:
    """Whether a plugin has something to show, asked in the background; listings show the last answer.

    Errors of the types ``keeps`` leave the last answer unchanged. ``changed`` is called if a listing became
    outdated.
    """

    def __init__(
        self,
        calls: Calls,
        ask: Callable[[], object],
        changed: Callable[[], None],
        keeps: tuple[type[Exception], ...] = (),
    ) -> None:
        self._calls = calls
        self._ask = ask
        self._changed = changed
        self._keeps = keeps
        self._lock = threading.Lock()
        self._call: Call[bool] | None = None
        self._waited_for: Call[bool] | None = None  # by a listing, in vain
        self._known = False
        self._about: object = None
        self._asked = float("-inf")
        self._broken: str | None = None

    def ask(self, about: object = None) -> None:
        """Begins to ask unless that goes on, or the last answer was ``about`` the same or is fresh."""
        limits = self._calls.limits
        with self._lock:
            is_known = (
                time.monotonic() - self._asked <= limits.fresh if about is None else about == self._about
            )
            if self._call is None and not is_known:
                self._call = self._calls.start(
                    "is_active()",
                    lambda _: bool(self._ask()),
                    limits.active,
                    lambda call: self._answered(call, about),
                )

    def answer(self, until: float) -> bool:
        """The newest answer there is by ``until`` (monotonic seconds); false before the first."""
        with self._lock:
            call = self._call
        # a call that kept one listing waiting does not keep the next one waiting too
        if call is not None and call is not self._waited_for and not _ends_by(call, until):
            self._waited_for = call
            log.warning("is_active() of %s is slow: its last answer is shown", self._calls.plugin)
            reminder = threading.Timer(min(call.left(), self._calls.limits.slow), self._remind, [call])
            reminder.daemon = True
            reminder.start()
        with self._lock:
            return self._known

    @property
    def error(self) -> str | None:
        """Why the plugin cannot be shown, in one line."""
        with self._lock:
            return self._call.overdue() if self._call is not None and self._call.is_overdue else self._broken

    def _remind(self, call: Call[bool]) -> None:
        if not call.done.is_set():
            self._changed()

    def _answered(self, call: Call[bool], about: object) -> None:
        with self._lock:
            before = self._broken
            self._call, self._asked, self._about = None, time.monotonic(), about
            if not isinstance(call.error, self._keeps):
                self._known = call.error is None and bool(call.value)
                self._broken = (
                    None if call.error is None else f"is_active() failed: {in_one_line(call.error)}"
                )
            is_news = self._waited_for is call or self._broken != before
        if call.error is not None and self._broken is not None and self._broken != before:
            log.error("is_active() of %s failed", self._calls.plugin, exc_info=call.error)
        if is_news:
            self._changed()


def _ends_by(call: Call[bool], until: float) -> bool:
    return call.done.wait(max(0.0, until - time.monotonic()))
