"""The threads of a plugin, and the calls that run in them."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

from attrs import define, field, frozen

from insight_core.isolation.errors import Busy, Overdue, reraise

log = logging.getLogger(__name__)

_KEPT, _MOST_KEPT = 30.0, 4  # seconds that an idle thread of a plugin is kept, and how many are
_MOST_TROUBLES = 8  # failed requests of a plugin that are remembered
_LOOK = 0.5  # seconds between two checks for a free slot: a paused call does not notify
_NEVER = float("inf")
_ELSEWHERE = 1e18  # since when a plugin is waited for that itself waits for a data provider
Value = TypeVar("Value")
Item = TypeVar("Item")
_here = threading.local()  # calls: of the plugin whose thread this is; call: the one under way


@frozen
class Limits:
    """How long the host waits for plugins. Times in seconds."""

    start: float = 1.0  # for the imports of all plugins together, before loading and listening begin
    turn: float = 0.5  # for one plugin, before the next one is imported or asked for its routes in parallel
    imports: float = 30.0
    hook: float = 5.0
    routes: float = 5.0
    active: float = 5.0
    fresh: float = 5.0  # until a plugin made for TensorBoard is asked again whether it is active
    listing: float = 1.0  # for all plugins together
    rule: float = 30.0  # for one rule and run
    view: float = 120.0
    listed: float = 10.0  # for a data provider to say which runs and series there are
    read: float = 60.0  # for a data provider to give points or payloads
    slow: float = 10.0  # a call that takes longer counts as hanging as long as it lasts
    hanging: int = 8  # calls of one plugin that may hang; no more are begun
    streams: int = 64  # answers of one plugin that are sent piece by piece at a time


DEFAULT_LIMITS = Limits()


@define(eq=False)
class Call(Generic[Value]):
    """One call under way.

    ``since`` is when the wait for the plugin began (monotonic seconds), infinite while the plugin is not
    waited for.
    """

    what: str
    deadline: float
    since: float = field(factory=time.monotonic)
    value: Value | None = None
    error: BaseException | None = None
    done: threading.Event = field(factory=threading.Event)
    given_up: bool = False  # nobody waits for the result any more
    _clock: float = field(factory=time.time)

    def proceed(self, what: str | None = None, deadline: float | None = None) -> None:
        """The plugin is waited for from now on, for its next step where one is named."""
        if what is not None:
            self.what = what
        if deadline is not None:
            self.deadline = deadline
        self._clock, self.since = time.time(), time.monotonic()

    def pause(self) -> None:
        """The plugin waits for somebody else."""
        self.since = _NEVER

    def wait(self) -> bool:
        """Waits until the call has ended or is overdue. Returns whether it has ended."""
        while not self.done.wait(
            _LOOK if self.since == _ELSEWHERE else min(self.left(), threading.TIMEOUT_MAX)
        ):
            if self.is_overdue:
                return False
        return True

    def result(self) -> Value:
        """What the call returned. Raises what it raised, Crashed or Overdue."""
        if not self.wait():
            raise Overdue(self.overdue(), self.done)
        if self.error is not None:
            reraise(self.error)
        return self.value  # type: ignore[return-value]

    @property
    def is_overdue(self) -> bool:
        """Whether the time limit of the call has passed."""
        return self.left() <= 0

    def overdue(self) -> str:
        """That the call hangs, in words that stay the same while it does."""
        return f"{self.what} has not returned for {self.deadline:.0f} s, {self.began()}"

    def began(self) -> str:
        """The local time at which the call began, for messages."""
        return f"since {time.strftime('%Y-%m-%d %H:%M:%S', time.localtime(self._clock))}"

    def left(self) -> float:
        """Seconds until it is overdue."""
        return max(0.0, self.since + self.deadline - time.monotonic())


class Calls:
    """The calls into one plugin, and its threads, which are kept for further calls.

    ``changed`` is called when ``busy`` or ``troubles`` has changed.
    """

    def __init__(
        self, plugin: str, limits: Limits = DEFAULT_LIMITS, changed: Callable[[], None] = lambda: None
    ) -> None:
        self.plugin = plugin
        self.limits = limits
        self.busy: str | None = None  # why no further view is called
        self._changed = changed
        self._told: str | None = None  # the reason that is in the log
        self._news = threading.Condition()
        self._open: set[Call[Any]] = set()
        self._idle: list[SimpleQueue[_Job[Any]]] = []
        self._troubles: dict[str, str] = {}

    def start(
        self,
        what: str,
        function: Callable[[Call[Value]], Value],
        deadline: float,
        then: Callable[[Call[Value]], None] | None = None,
        *,
        limited: bool = False,
    ) -> Call[Value]:
        """Begins the call; ``then`` is called in its thread when it has ended. Both get the call.

        A ``limited`` call waits while as many run as may hang. Raises Busy when all of these hang.
        """
        call: Call[Value] = Call(what, deadline)
        with self._news:
            refusal = self._make_room(call) if limited else None
            is_news = self.busy not in (None, self._told)
            self._told = self.busy
            if refusal is None:
                self._open.add(call)
                call.proceed()
                jobs = self._idle.pop() if self._idle else None
        if is_news:
            log.error("%s: %s", self.plugin, refusal)
            self._changed()
        if refusal is not None:
            raise Busy(refusal)
        job = _Job(call, function, then)
        if jobs is not None:
            jobs.put(job)
            return call
        jobs = SimpleQueue()
        jobs.put(job)
        try:
            threading.Thread(target=self._work, args=(jobs,), name=self.plugin, daemon=True).start()
        except BaseException:  # the system gives no further thread
            with self._news:
                self._open.discard(call)
            raise
        return call

    def run(self, what: str, function: Callable[[], Value], deadline: float) -> Value:
        """What the plugin returns. Raises what it raises, Crashed, Overdue or Busy."""
        if getattr(_here, "calls", None) is self:  # a plugin that asks itself: the outer call has a deadline
            return function()
        call: Call[Value] = self.start(what, lambda _: function(), deadline, _discard, limited=True)
        try:
            return call.result()
        except Overdue:
            call.given_up = True
            raise

    def body(self, pieces: Iterable[bytes], what: str, *, may_be_quiet: bool = False) -> Body:
        """The body of an answer, for the thread of the connection. Raises Busy when too many are being sent.

        While the plugin makes a piece, that is a call that may hang, unless the body ``may_be_quiet``.
        """
        with self._news:
            full = self._full()
        if full is not None:
            raise Busy(full)
        return Body(self, pieces, what, may_be_quiet=may_be_quiet)

    # --- what failed, until it works again ---

    @property
    def troubles(self) -> list[str]:
        """Which requests failed and have not worked since, a line each, the newest first."""
        with self._news:
            return list(reversed(self._troubles.values()))

    def note(self, request: str, text: str) -> bool:
        """Returns whether that is news."""
        with self._news:
            before = self._troubles.pop(request, None)
            self._troubles[request] = text
            while len(self._troubles) > _MOST_TROUBLES:
                del self._troubles[next(iter(self._troubles))]
        if before != text:
            self._changed()
        return before != text

    def forget(self, request: str) -> None:
        """Called when the request has worked."""
        with self._news:
            known = self._troubles.pop(request, None) is not None
        if known:
            self._changed()

    # --- threads ---

    def _make_room(self, call: Call[Any]) -> str | None:
        """Waits until fewer calls run than may hang; why that is in vain. The lock is held."""
        most = self.limits.hanging
        while True:
            running, left = self._running()
            if len(running) < most:
                return self._full()
            if left <= 0 or call.is_overdue:
                first = running[0]
                self.busy = f"{most} calls to it hang, the first of them ({first.what}) {first.began()}"
                return self.busy
            self._news.wait(min(left, _LOOK))

    def _full(self) -> str | None:
        """Why no further answer is begun: too many are being sent, or are streams of events."""
        sent = sum(each.since == _NEVER for each in self._open)
        return f"{sent} of its answers are being sent at a time" if sent >= self.limits.streams else None

    def _running(self) -> tuple[list[Call[Any]], float]:
        """The calls that are waited for, the oldest first; seconds until as many of them hang as may."""
        now, most = time.monotonic(), self.limits.hanging
        running = sorted((each for each in self._open if each.since <= now), key=lambda each: each.since)
        last = running[most - 1].since if len(running) >= most else now
        return running, last + self.limits.slow - now

    def _work(self, jobs: SimpleQueue[_Job[Any]]) -> None:
        _here.calls = self
        kept = True
        while kept:
            try:
                job = jobs.get(timeout=_KEPT)
            except Empty:
                with self._news:
                    if jobs in self._idle:
                        self._idle.remove(jobs)
                        return
                continue  # it is given a job just now
            _here.call = job.call
            job.run(self.plugin)
            _here.call = None
            kept = self._end(job.call, jobs)
            job.call.done.set()
            del job  # an idle thread holds nothing of its last request

    def _end(self, call: Call[Any], jobs: SimpleQueue[_Job[Any]] | None = None) -> bool:
        """A call has ended. Returns whether its thread is kept."""
        with self._news:
            self._open.discard(call)
            kept = jobs is not None and len(self._idle) < _MOST_KEPT
            if kept and jobs is not None:
                self._idle.append(jobs)
            running, left = self._running()
            is_free = self.busy is not None and (len(running) < self.limits.hanging or left > 0)
            if is_free:
                self.busy = None
            self._news.notify_all()
        if is_free:
            self._changed()
        return kept


@contextmanager
def waiting_elsewhere() -> Iterator[None]:
    """While the plugin whose thread this is waits for a data provider, its own deadline waits as well."""
    call: Call[Any] | None = getattr(_here, "call", None)
    if call is None or call.since >= _ELSEWHERE:
        yield
        return
    began, since, call.since = time.monotonic(), call.since, _ELSEWHERE
    try:
        yield
    finally:
        call.since = since + time.monotonic() - began


class _Job(Generic[Value]):
    """A call, what it calls, and what follows."""

    def __init__(
        self,
        call: Call[Value],
        function: Callable[[Call[Value]], Value],
        then: Callable[[Call[Value]], None] | None,
    ) -> None:
        self.call, self._function, self._then = call, function, then

    def run(self, plugin: str) -> None:
        call = self.call
        try:
            call.value = self._function(call)
        except BaseException as error:  # also SystemExit: the thread is the plugin's
            call.error = error
        if self._then is not None:
            try:
                self._then(call)
            except Exception:
                log.exception("%s: what follows %s failed", plugin, call.what)


def _discard(call: Call[Any]) -> None:
    """Closes an answer that came too late."""
    close = getattr(call.value, "close", None)
    if call.given_up and close is not None:
        close()


class Body:
    """Pieces that a plugin makes, with what it raises as an Exception. ``close`` closes what gives them."""

    def __init__(self, calls: Calls, pieces: Iterable[bytes], what: str, *, may_be_quiet: bool) -> None:
        self._calls, self._pieces, self._what, self._may_be_quiet = calls, pieces, what, may_be_quiet

    def __iter__(self) -> Iterator[bytes]:
        call: Call[None] = Call(self._what, self._calls.limits.view, since=_NEVER)
        with self._calls._news:
            self._calls._open.add(call)
        try:
            pieces = iter(self._pieces)
            while True:
                if not self._may_be_quiet:
                    call.proceed()
                try:
                    piece = next(pieces)
                except StopIteration:
                    return
                except BaseException as error:
                    reraise(error)
                call.pause()
                yield piece
        finally:
            self._calls._end(call)

    def close(self) -> None:
        """Closes the body of the application, if it can be closed."""
        getattr(self._pieces, "close", lambda: None)()


def in_turn(
    items: Iterable[Item],
    begin: Callable[[Item], Call[Any]],
    turn: float,
    late: Callable[[Item, Call[Any]], None],
) -> None:
    """Calls ``begin`` for each item in turn; a call of more than ``turn`` seconds continues in parallel.

    Returns when every call has ended or is overdue; ``late`` is called for overdue calls.
    """
    under_way = []
    for item in items:
        call = begin(item)
        if not call.done.wait(turn):
            under_way.append((item, call))
    for item, call in under_way:
        if not call.wait():
            late(item, call)
