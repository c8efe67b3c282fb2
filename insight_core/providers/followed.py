"""Shared base of providers whose data is elsewhere: background threads and generations of their own."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from insight_core.plugin import InsightError, ProviderSettings, Unavailable
from insight_core.plugin.data import DataProvider, ProviderBase

if TYPE_CHECKING:  # gRPC, which providers of files and over HTTP do without
    from insight_core.providers.link import Link

log = logging.getLogger(__name__)

RETRY = 0.25  # seconds until something that failed is tried again
_WAIT = 5.0  # seconds of one wait for changes of another provider
_PAUSE = 0.02  # seconds between two answers of another provider: one that loads changes all the time
_CATCHING_UP = 10.0  # seconds that a server that came back gets to read its logs before it is used
READING = "the data server is reading its logs again"

Step = Callable[[], float]  # does one step and returns the seconds until the next one


class _Startable(Protocol):
    """What a provider starts before its threads and closes with them: a connection, or another provider."""

    def start(self) -> None:
        """Starts to work in the background."""

    def close(self) -> None:
        """Releases connections and threads."""


class FollowedProvider(ProviderBase):
    """Starts ``sources`` and repeats each of ``steps``, by name, in a thread until it is closed.

    Generations are counted here, so that they grow even if the other end restarts.
    """

    def __init__(self, sources: Sequence[_Startable], steps: Sequence[tuple[str, Step]]) -> None:
        super().__init__("", ProviderSettings({}))
        self._sources = sources
        self._ended = threading.Event()
        self._threads = [
            threading.Thread(target=self._repeat, args=step, name=step[0], daemon=True) for step in steps
        ]

    def start(self) -> None:
        """Starts to follow the data."""
        for source in self._sources:
            source.start()
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Stops background threads and releases connections, files and memory."""
        self._ended.set()
        super().close()
        for source in self._sources:
            source.close()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join(timeout=1)

    def _repeat(self, name: str, step: Step) -> None:
        while not self._ended.is_set():
            pause = RETRY
            try:
                pause = step()
            except InsightError as error:
                log.debug("%s: %s", name, error)
            except Exception:
                log.exception("%s failed; it is tried again", name)
            self._ended.wait(pause)

    def _following(self, provider: DataProvider) -> Step:
        """A step that notes the changes of another provider from now on; at first it may be away."""
        cursor: int | None = None
        with suppress(Unavailable):
            cursor = provider.generation()

        def follow() -> float:
            nonlocal cursor
            if cursor is None:
                cursor = provider.generation()
                self._base_log.note(None)
            changes = provider.changes(cursor, timeout=_WAIT)
            if changes.generation == cursor:
                return 0.0
            cursor = changes.generation
            self._base_log.note(changes.series, runs=changes.runs, gone=changes.gone)
            return _PAUSE

        return follow


class LinkedProvider(FollowedProvider):
    """Base of clients of a server that may go away and come back.

    A server that comes back reads its logs again. Until the client sets ``_catching_up`` to None, readers get
    that reason, so that runs which are not read yet do not seem to be deleted.
    """

    def __init__(self, link: Link, name: str, step: Step) -> None:
        super().__init__([link], [(name, step)])
        self._link = link
        self._was_there = False  # the server has been used before
        self._catching_up: str | None = None  # why the server is not used although it answers
        self._since = 0.0  # when it went away or came back (monotonic seconds)
        link.on_change = self._on_link

    def _asked(self) -> Link:
        """The link to a server that can be used. Raises Unavailable with the reason."""
        reason = self._link.reason or self._catching_up
        if reason is not None:
            raise Unavailable(reason)
        return self._link

    def _may_catch_up(self) -> bool:
        """Whether a server that came back still has time to read its logs."""
        return time.monotonic() - self._since < _CATCHING_UP

    def _on_link(self, reason: str | None) -> None:
        self._since = time.monotonic()
        if reason is not None:  # readers get it immediately
            self._catching_up = READING if self._was_there else None
            self._base_log.note({}, runs=True)
