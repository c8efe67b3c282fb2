"""When requests came last, so that work that nobody waits for leaves the interpreter to them."""

from __future__ import annotations

import time

from attrs import define, field

from insight_core.isolation import waiting_elsewhere

_QUIET = 0.1  # seconds: a page that opens asks again sooner
_MOST = 1.0  # seconds that work is held up at a time, and that it then goes on whatever comes


@define(eq=False)
class RequestTraffic:
    """The requests of a host. For any thread: each value is set by one assignment."""

    _last: float = field(default=-_QUIET, init=False)  # monotonic seconds, as the other one
    _held: float = field(default=0.0, init=False)  # until when nothing is held up again

    def note(self) -> None:
        """Called when a request comes, and when it is answered."""
        self._last = time.monotonic()

    def give_way(self) -> None:
        """Waits until no request has come for a moment; hosts that are always asked get half of the time."""
        began = now = time.monotonic()
        if now - self._last >= _QUIET or now < self._held:
            return
        with waiting_elsewhere():
            while (left := self._last + _QUIET - now) > 0:
                if now - began >= _MOST:
                    self._held = now + _MOST
                    return
                time.sleep(left)
                now = time.monotonic()
