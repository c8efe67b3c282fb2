"""Opens a data server by address, with either of the two gRPC services, now or when it starts."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable

from attrs import evolve

from insight_core.plugin import Changes, DataProvider, InsightError, Plugin, Unavailable
from insight_core.providers.forwarding import StartableProvider, forwarded
from insight_core.providers.insight_client import INFO, InsightProvider
from insight_core.providers.link import Link, NotServed
from insight_core.providers.tensorboard_client.provider import EXPERIMENT, TensorBoardProvider
from insight_core.rpc.schema import insight_data_pb2, tensorboard_data_pb2

log = logging.getLogger(__name__)

_RETRY = 0.25  # seconds between two tries to reach the server


class OpenedProvider:
    """The provider of the server at ``HOST:PORT``, which may start later.

    Raises Unavailable until the server has reported its services. With ``insight.data.v1`` that service is
    used, otherwise TensorBoard's, which is polled every ``interval`` seconds.
    """

    def __init__(self, address: str, plugins: Iterable[Plugin], *, interval: float = 1.0) -> None:
        self._address = address
        self._plugins = tuple(plugins)
        self._interval = interval
        self._found = threading.Event()
        self._inner: StartableProvider | None = None
        self._reason = f"the data server at {address} was not reached yet"
        self._lock = threading.Lock()
        self._ended = False
        self._thread = threading.Thread(target=self._reach, name="data-server-opening", daemon=True)

    def start(self) -> None:
        """Waits for the server in the background and follows it once it answers."""
        self._thread.start()

    def admit(self, plugin: Plugin) -> None:
        """Adds a plugin after the start."""
        with self._lock:
            self._plugins = (*self._plugins, plugin)
            inner = self._inner
        if inner is not None:
            inner.admit(plugin)

    def close(self) -> None:
        """Stops background threads and releases connections, files and memory."""
        with self._lock:
            self._ended = True
            inner = self._inner
        self._found.set()
        if inner is not None:
            inner.close()
        if self._thread.ident is not None:
            self._thread.join(timeout=1)

    plugins = forwarded(DataProvider.plugins)
    runs = forwarded(DataProvider.runs)
    series = forwarded(DataProvider.series)
    scalars = forwarded(DataProvider.scalars)
    records = forwarded(DataProvider.records)
    payload = forwarded(DataProvider.payload)
    open_payload = forwarded(DataProvider.open_payload)
    damage = forwarded(DataProvider.damage)
    progress = forwarded(DataProvider.progress)
    location = forwarded(DataProvider.location)

    def provider_for(self, *_: object, **__: object) -> StartableProvider:
        """The provider of the server; raises Unavailable while it was not reached."""
        if self._inner is None:
            raise Unavailable(self._reason)
        return self._inner

    def generation(self) -> int:
        """A number that grows whenever the data changes."""
        inner = self._inner
        return 0 if inner is None else inner.generation() + 1

    def changes(self, since: int, *, timeout: float = 0.0) -> Changes:
        """Changes after the generation ``since``; waits up to ``timeout`` seconds for a change."""
        inner = self._inner
        if inner is None:
            self._found.wait(timeout)
            inner = self._inner
        if inner is None:
            return Changes(0, {} if since == 0 else None)
        if since < 1:
            return Changes(inner.generation() + 1, None, True)
        changes = inner.changes(since - 1, timeout=timeout)
        return evolve(changes, generation=changes.generation + 1)

    def _reach(self) -> None:
        link = Link(self._address)
        while not self._ended:
            try:
                inner = self._provider_of(link)
            except InsightError as error:
                self._reason = str(error)
                log.debug("%s", error)
                self._found.wait(_RETRY)
                continue
            except Exception:
                log.exception("the data server could not be opened; it is tried again")
                self._found.wait(_RETRY)
                continue
            with self._lock:
                if self._ended:
                    break
                self._inner = inner
            inner.start()
            self._found.set()
            return
        link.close()

    def _provider_of(self, link: Link) -> StartableProvider:
        try:
            link.unary(INFO, insight_data_pb2.InfoRequest())
            return InsightProvider(link)
        except NotServed:
            link.unary(EXPERIMENT, tensorboard_data_pb2.GetExperimentRequest())
            return TensorBoardProvider(link, self._plugins, interval=self._interval)
