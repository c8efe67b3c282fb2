"""Server-sent events: what changed, as soon as it does."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator

from insight_core.api import Changes, DataProvider
from insight_core.json_text import encode_json

log = logging.getLogger(__name__)

_SLICE = 0.5  # seconds asleep at a time: how soon a stream notices that its client or its host is gone
_PAUSE = 0.2  # seconds between two events: a logdir that is being loaded changes a thousand times a second
_RETRY = 2000  # milliseconds after which a page connects again


def changes_as_dict(changes: Changes, boot: str) -> dict[str, object]:
    series: dict[str, dict[str, list[str]]] | None = None
    if changes.series is not None:
        series = {}
        for plugin, keys in changes.series.items():
            runs = series.setdefault(plugin, {})
            for key in sorted(keys):
                runs.setdefault(key.run, []).append(key.tag)
    return {"generation": changes.generation, "boot": boot, "runs": changes.runs, "series": series}


def changes_since(provider: DataProvider, since: int | None, timeout: float = 0.0) -> Changes:
    """What changed; everything may have for a cursor that this process cannot have given out."""
    now = provider.generation()
    if since is None or since > now:
        return Changes(generation=now, series=None, runs=True)
    return provider.changes(since, timeout=timeout)


class Streams:
    """Counts the open streams, and ends them all when the host stops."""

    def __init__(self, limit: int) -> None:
        self.stopped = threading.Event()
        self._free = threading.BoundedSemaphore(limit) if limit > 0 else None

    def take(self) -> bool:
        """Whether one more stream may open; each yes is given back once."""
        return self._free is not None and self._free.acquire(blocking=False)

    def give_back(self) -> None:
        if self._free is not None:
            self._free.release()


class EventStream:
    """The body of one stream: asleep in the provider until something changes or the client is gone.

    Its place among the streams was taken before; ``close``, which WSGI servers call at the end
    whether or not the body was ever read, gives it back.
    """

    def __init__(
        self,
        provider: DataProvider,
        streams: Streams,
        since: int | None,
        *,
        boot: str,
        heartbeat: float,
        client_gone: Callable[[], bool],
    ) -> None:
        self._provider = provider
        self._streams = streams
        self._since = since
        self._boot = boot
        self._heartbeat = heartbeat
        self._client_gone = client_gone
        self._closing = threading.Lock()
        self._closed = False

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._events()
        finally:
            self.close()  # before the client hears of the end: it may come back at once

    def _events(self) -> Iterator[bytes]:
        yield f"retry: {_RETRY}\n\n".encode()  # also tells the page at once that the stream is open
        quiet_since = time.monotonic()
        while not (self._closed or self._streams.stopped.is_set() or self._client_gone()):
            try:
                changes = changes_since(self._provider, self._since, timeout=min(_SLICE, self._heartbeat))
            except Exception:
                if not self._streams.stopped.is_set():
                    log.exception("a stream of events ends: the provider failed")
                return
            if self._since is None or changes.generation != self._since:
                self._since = changes.generation
                quiet_since = time.monotonic()
                yield self._event(changes)
                self._streams.stopped.wait(_PAUSE)
            elif time.monotonic() - quiet_since >= self._heartbeat:
                quiet_since = time.monotonic()
                yield b": alive\n\n"

    def close(self) -> None:
        with self._closing:
            first, self._closed = not self._closed, True
        if first:
            self._streams.give_back()

    def _event(self, changes: Changes) -> bytes:
        data = encode_json(changes_as_dict(changes, self._boot)).decode("ascii")
        return f"id: {self._boot}-{changes.generation}\ndata: {data}\n\n".encode("ascii")
