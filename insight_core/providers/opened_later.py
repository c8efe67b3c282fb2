"""Opens a data server by address, with either of the two gRPC services, now or when it starts."""

from __future__ import annotations

import logging
import threading
from collections.abc import Collection, Iterable, Mapping, Sequence

from attrs import evolve

from insight_core.plugin import (
    Changes,
    Damage,
    InsightError,
    Payload,
    PayloadStream,
    Plugin,
    Progress,
    RecordTable,
    Run,
    ScalarColumns,
    ScalarQuery,
    SeriesInfo,
    SeriesKey,
    ShownAttempts,
    Unavailable,
)
from insight_core.providers.insight_client import INFO, InsightProvider
from insight_core.providers.link import Link, NotServed
from insight_core.providers.tensorboard_client.provider import EXPERIMENT, TensorBoardProvider
from insight_core.rpc.schema import insight_data_pb2, tensorboard_data_pb2

log = logging.getLogger(__name__)

_EVERY_POINT = ScalarQuery()
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
        self._inner: InsightProvider | TensorBoardProvider | None = None
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

    def plugins(self) -> Collection[str]:
        """Names of plugins that have series, and claims of values that no plugin claims."""
        return self._there().plugins()

    def runs(self) -> Sequence[Run]:
        """All runs."""
        return self._there().runs()

    def series(self, plugin: str, *, runs: Collection[str] | None = None) -> Sequence[SeriesInfo]:
        """The series of a plugin, of all runs or of the given runs, without their data."""
        return self._there().series(plugin, runs=runs)

    def scalars(
        self, plugin: str, keys: Collection[SeriesKey], query: ScalarQuery = _EVERY_POINT
    ) -> Mapping[SeriesKey, ScalarColumns]:
        """Points of scalar series, reduced by the query. Keys without a series are omitted."""
        return self._there().scalars(plugin, keys, query)

    def records(self, plugin: str, key: SeriesKey, attempts: ShownAttempts = "last") -> RecordTable:
        """Steps, wall times and sizes of the records of a series. Raises NotFound for an unknown series."""
        return self._there().records(plugin, key, attempts)

    def payload(
        self,
        plugin: str,
        key: SeriesKey,
        index: int,
        attempts: ShownAttempts = "last",
        *,
        limit: int | None = None,
    ) -> Payload:
        """The bytes of one record; see ``DataProvider.payload`` for limits and errors."""
        return self._there().payload(plugin, key, index, attempts, limit=limit)

    def open_payload(
        self, plugin: str, key: SeriesKey, index: int, attempts: ShownAttempts = "last"
    ) -> PayloadStream:
        """The bytes of one record as a stream; raises the same errors as ``payload``."""
        return self._there().open_payload(plugin, key, index, attempts)

    def damage(self, run: str | None = None) -> Sequence[Damage]:
        """Places where logs could not be read, of one run or of all runs."""
        return self._there().damage(run)

    def progress(self) -> Progress:
        """Bytes read of all known bytes."""
        return self._there().progress()

    def location(self) -> str:
        """The source of the data, as shown to the user."""
        return self._there().location()

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

    def _there(self) -> InsightProvider | TensorBoardProvider:
        inner = self._inner
        if inner is None:
            raise Unavailable(self._reason)
        return inner

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

    def _provider_of(self, link: Link) -> InsightProvider | TensorBoardProvider:
        try:
            link.unary(INFO, insight_data_pb2.InfoRequest())
            return InsightProvider(link)
        except NotServed:
            link.unary(EXPERIMENT, tensorboard_data_pb2.GetExperimentRequest())
            return TensorBoardProvider(link, self._plugins, interval=self._interval)
