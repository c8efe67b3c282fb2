"""Server-sent events that report changes of the data."""

from __future__ import annotations

import ipaddress
import logging
import os
import select
import socket
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any

from attrs import frozen

from insight_core.http.parameters import Reader, headers, text
from insight_core.plugin import InvalidArgument
from insight_core.plugin.data import Changes, DataProvider
from insight_core.web.state.shared_state import SharedState
from insight_record.formats.json_text import encode_json

log = logging.getLogger(__name__)

MAX_OF_CLIENT = 32  # streams of one address beyond loopback: the others are left to other clients
_APART = 0.16  # seconds between two events, so that a page that follows a fast writer has time to draw
_APART_LOADING = 0.4  # longer while loading: everything is new anyway, and every request slows the loading
_LONGEST = 30.0  # seconds of one wait in the provider
_LOOK = 0.5  # seconds between two checks for what other hosts write
_AGAIN = 1.0  # seconds until a failed provider is retried
_RETRY = 2000  # milliseconds until a page reconnects
_GZIP = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"  # how a stream of gzip begins (RFC 1952)
SINCE = text("since")
CURSOR: Reader[str | None] = Reader(  # The header is that of a stream that reconnects.
    "cursor",
    lambda request: request.headers.get("Last-Event-ID") or SINCE.read(request),
    (*headers("Last-Event-ID").parameters, *SINCE.parameters),
)
_GONE = select.POLLHUP | select.POLLERR | getattr(select, "POLLRDHUP", 0)


def changes_as_dict(
    changes: Changes, boot: str, plugins: Collection[str], others: Mapping[str, int]
) -> dict[str, object]:
    """``changes`` as JSON for the page; values that no plugin claims are omitted.

    ``others`` are the generations of what is not data, from ``Streams.others``.
    """
    series: dict[str, dict[str, list[str]]] | None = None
    if changes.series is not None:
        series = {}
        for plugin in changes.series.keys() & plugins:
            runs: dict[str, list[str]] = {}
            for key in changes.series[plugin]:
                runs.setdefault(key.run, []).append(key.tag)
            series[plugin] = {run: sorted(runs[run]) for run in sorted(runs)}
    return {
        "generation": changes.generation,
        "boot": boot,
        "runs": changes.runs,
        "gone": changes.gone,
        "series": series,
        **others,
    }


def generation_of(text: str, boot: str) -> int | None:
    """The generation of a cursor; None for a cursor of an earlier process of this host.

    A cursor is a generation, or ``<boot>-<generation>`` as the ids of events are. Raises
    InvalidArgument for anything else.
    """
    start, dash, number = text.rpartition("-")
    if not (number.isascii() and number.isdecimal() and len(number) <= 18) or (dash and not start):
        raise InvalidArgument(f"since must be a generation (a whole number, 0 or more), not {text!r}")
    return int(number) if not dash or start == boot else None


def changes_since(provider: DataProvider, since: int | None, timeout: float = 0.0) -> Changes:
    """Changes after a cursor; everything may have changed for a cursor that this process did not issue."""
    now = provider.generation()
    if since is None or since > now:
        return Changes(generation=now, series=None, runs=True, gone=True)
    return provider.changes(since, timeout=timeout)


@frozen
class _Event:
    """What streams report after the generation ``since``, found after so many rings."""

    since: int | None
    rings: int
    generation: int
    others: Mapping[str, int]
    data: bytes


class Streams:
    """The open event streams: limits their number, wakes them, and ends them when the host stops.

    One thread waits in the provider for all streams, as long as there are any. It also checks for
    changes of the ``states``, by name, that other hosts make.
    """

    def __init__(self, provider: DataProvider, limit: int, states: Mapping[str, SharedState[Any]]) -> None:
        self.stopped = threading.Event()
        self._listing = 0  # grows when plugins come or go
        self._states = states
        self._provider = provider
        self._free = limit
        self._open_by_client: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._bells: set[_Bell] = set()
        self._announcer: threading.Thread | None = None
        self._rings = 0
        self._finding = threading.Lock()  # held while an event is found
        self._event: _Event | None = None  # the last one

    def take(self, address: str) -> bool:
        """Whether the client at ``address`` may open one more stream.

        Each True must be returned with ``give_back``. Clients on this machine have no limit of their own: a
        proxy, or ``ssh -L``, opens the streams of many.
        """
        with self._lock:
            if self._free <= 0 or self.stopped.is_set():
                return False
            if self._open_by_client[address] >= MAX_OF_CLIENT and not _is_local(address):
                return False
            self._free -= 1
            self._open_by_client[address] += 1
            return True

    def give_back(self, address: str) -> None:
        """Frees the place of one stream."""
        with self._lock:
            self._free += 1
            self._open_by_client[address] -= 1
            if not self._open_by_client[address]:
                del self._open_by_client[address]

    def stop(self) -> None:
        """Ends every stream."""
        self.stopped.set()
        self.ring()

    def listing_changed(self) -> None:
        """Reports that the plugin listing changed."""
        with self._lock:
            self._listing += 1
        self.ring()

    def others(self) -> dict[str, int]:
        """Generations of what is not data, by name: the states, and ``plugins`` for the plugin listing."""
        return {name: state.generation() for name, state in self._states.items()} | {"plugins": self._listing}

    def event(self, since: int | None, encoded: Callable[[Changes, Mapping[str, int]], bytes]) -> _Event:
        """What is to be reported after ``since``, found once for all streams that a ring has woken.

        What changes after it was found rings again. Raises what the provider raises.
        """
        with self._finding:
            rings, last = self._rings, self._event
            if last is not None and (last.since, last.rings) == (since, rings):
                return last
            changes, others = changes_since(self._provider, since), self.others()
            self._event = _Event(since, rings, changes.generation, others, encoded(changes, others))
            return self._event

    @contextmanager
    def bell(self) -> Iterator[_Bell]:
        """A bell that rings for every change from now on, and when the host stops."""
        since = self._provider.generation()
        others = self.others()
        bell = _Bell()
        with self._lock:
            self._bells.add(bell)
            self._rings += 1  # nobody rang for what came while no stream was open
            if self._announcer is None:
                self._announcer = threading.Thread(
                    target=self._announce, args=(since, others), name="insight-events", daemon=True
                )
                self._announcer.start()
        try:
            yield bell
        finally:
            with self._lock:
                self._bells.discard(bell)
                bell.close()

    def _announce(self, since: int, others: Mapping[str, int]) -> None:
        loading = True
        longest = _LOOK if any(state.may_change for state in self._states.values()) else _LONGEST
        while not self._is_over():
            try:
                generation = self._provider.changes(since, timeout=longest).generation
                loading = loading and not self._provider.progress().loaded_once
            except Exception:  # streams query the provider themselves and report why they end
                log.debug("no changes to announce", exc_info=True)
                self.stopped.wait(_AGAIN)
                self.ring()
                continue
            said, others = others, self.others()
            if generation != since or others != said:
                since = generation
                self.ring()
                self.stopped.wait(_APART_LOADING if loading else _APART)

    def _is_over(self) -> bool:
        with self._lock:
            if self._bells and not self.stopped.is_set():
                return False
            self._announcer = None
            return True

    def ring(self) -> None:
        """Wakes every stream to check for changes."""
        with self._lock:
            self._rings += 1
            for bell in self._bells:
                bell.ring()


def _is_local(address: str) -> bool:
    """Whether a client is on this machine. Unix sockets have no address."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return True
    return (getattr(found, "ipv4_mapped", None) or found).is_loopback


class _Bell:
    """Wakes one stream, and also detects that its client disconnected."""

    def __init__(self) -> None:
        self._alarm, self._rope = os.pipe()
        os.set_blocking(self._alarm, False)
        os.set_blocking(self._rope, False)

    def ring(self) -> None:
        with suppress(BlockingIOError):  # the last ten thousand had no listener
            os.write(self._rope, b"!")

    def wait(self, seconds: float, client: socket.socket | None) -> bool:
        """Waits until it rings or times out; returns True if the client disconnected."""
        poll = select.poll()
        poll.register(self._alarm, select.POLLIN)
        if client is not None:
            if client.fileno() < 0:
                return True
            poll.register(client, _GONE)
        ready = {number for number, _ in poll.poll(1000 * max(0.0, seconds))}
        with suppress(BlockingIOError):
            os.read(self._alarm, 1 << 16)
        return bool(ready - {self._alarm})

    def close(self) -> None:
        os.close(self._alarm)
        os.close(self._rope)


@lru_cache(maxsize=4)
def _packed(text: bytes) -> bytes:
    """A part of a stream of gzip that refers to no part before it: all streams send the same."""
    deflate = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return deflate.compress(text) + deflate.flush(zlib.Z_FULL_FLUSH)


class EventStream:
    """The body of one stream: sleeps until something changes or the client disconnects.

    The stream was counted by ``Streams.take``; ``close``, which WSGI servers call even for unread bodies,
    gives its place back. ``is_packed``: it is a stream of gzip.
    """

    def __init__(
        self,
        streams: Streams,
        since: int | None,
        *,
        boot: str,
        plugins: Callable[[], Collection[str]],
        heartbeat: float,
        client: socket.socket | None,
        address: str,
        is_packed: bool,
    ) -> None:
        self._streams = streams
        self._since = since
        self._boot = boot
        self._plugins = plugins
        self._heartbeat = heartbeat
        self._client = client
        self._address = address
        self.is_packed = is_packed
        self._closing = threading.Lock()
        self._closed = False

    def __iter__(self) -> Iterator[bytes]:
        try:
            with self._streams.bell() as bell:
                if self.is_packed:
                    yield _GZIP
                    yield from map(_packed, self._events(bell))
                else:
                    yield from self._events(bell)
        finally:
            self.close()  # before the client notices the end: it may reconnect immediately

    def _events(self, bell: _Bell) -> Iterator[bytes]:
        # changes after the first line are reported; the listing is always reported once, because plugins may
        # have loaded between the client's last answer and this stream
        others: Mapping[str, int] = self._streams.others() | {"plugins": 0}
        yield f"retry: {_RETRY}\n\n".encode()  # also tells the page immediately that the stream is open
        quiet_since = time.monotonic()
        while not (self._closed or self._streams.stopped.is_set()):
            try:
                event = self._streams.event(self._since, self._encoded)
            except Exception:
                if not self._streams.stopped.is_set():
                    log.exception("a stream of events ends: the provider failed")
                return
            said, others = others, event.others
            if self._since is None or event.generation != self._since or others != said:
                self._since = event.generation
                quiet_since = time.monotonic()
                yield event.data
            elif time.monotonic() - quiet_since >= self._heartbeat:
                quiet_since = time.monotonic()
                yield b": alive\n\n"
            if bell.wait(quiet_since + self._heartbeat - time.monotonic(), self._client):
                return

    def close(self) -> None:
        """Frees the place of the stream."""
        with self._closing:
            first, self._closed = not self._closed, True
        if first:
            self._streams.give_back(self._address)

    def _encoded(self, changes: Changes, others: Mapping[str, int]) -> bytes:
        said = changes_as_dict(changes, self._boot, self._plugins(), others)
        data = encode_json(said).decode("ascii")
        return f"id: {self._boot}-{changes.generation}\ndata: {data}\n\n".encode("ascii")
