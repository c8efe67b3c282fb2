"""Opens a data server by address, with our gRPC service or another program's, now or when it starts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence

from insight_core.plugin import InsightError, Plugin, Reason, Unavailable
from insight_core.plugin.data import DataProvider
from insight_core.providers.common import StartableProvider, forwarded
from insight_core.providers.followed import FollowedProvider, Step
from insight_core.providers.insight_client import INFO, InsightProvider
from insight_core.providers.link import Link, NotServed
from insight_core.providers.locations import Credentials
from insight_core.rpc.schema import insight_data_pb2

_NO_CREDENTIALS = Credentials()


class OpenedProvider(FollowedProvider):
    """The provider of the server at ``HOST:PORT`` or ``unix:PATH``, which may start later.

    Raises Unavailable until the server has reported its services. With ``insight.data.v1`` that service is
    used, otherwise the provider that ``other_client`` gives, which polls another service every ``interval``
    seconds: see ``OtherProgram``.
    """

    def __init__(
        self,
        address: str,
        plugins: Iterable[Plugin],
        *,
        credentials: Credentials = _NO_CREDENTIALS,
        interval: float = 1.0,
        other_client: Callable[[Link, float], StartableProvider] | None = None,
    ) -> None:
        super().__init__([], [("data-server-opening", self._reach_and_follow)])
        self._link = Link(address, credentials)
        self._plugins = tuple(plugins)
        self._interval = interval
        self._other_client = other_client
        self._inner: StartableProvider | None = None
        self._follow: Step | None = None
        self._reason = f"the data server at {address} was not reached yet"
        self._lock = threading.Lock()

    def admit(self, plugin: Plugin) -> None:
        """Adds a plugin after the start."""
        with self._lock:
            self._plugins = (*self._plugins, plugin)
            inner = self._inner
        if inner is not None:
            inner.admit(plugin)

    def close(self) -> None:
        """Stops background threads and releases connections, files and memory."""
        self._ended.set()  # first, so that no provider is opened from now on
        with self._lock:
            (self._inner or self._link).close()
        super().close()

    plugins = forwarded(DataProvider.plugins)
    runs = forwarded(DataProvider.runs)
    series = forwarded(DataProvider.series)
    series_tables = forwarded(DataProvider.series_tables)
    scalars = forwarded(DataProvider.scalars)
    records = forwarded(DataProvider.records)
    payload = forwarded(DataProvider.payload)
    open_payload = forwarded(DataProvider.open_payload)
    damage = forwarded(DataProvider.damage)
    progress = forwarded(DataProvider.progress)
    location = forwarded(DataProvider.location)
    compute = forwarded(DataProvider.compute)

    def notices(self) -> Sequence[Reason]:
        """Those of the server; none while it was not reached."""
        return () if self._inner is None else self._inner.notices()

    def provider_for(self, *_: object, **__: object) -> StartableProvider:
        """The provider of the server; raises Unavailable while it was not reached."""
        if self._inner is None:
            raise Unavailable(self._reason)
        return self._inner

    def _reach_and_follow(self) -> float:
        if self._follow is not None:
            return self._follow()
        try:
            inner = self._provider_of(self._link)
        except InsightError as error:
            self._reason = str(error)
            raise
        with self._lock:
            if self._ended.is_set():
                return 0.0
            for plugin in self._plugins:
                inner.admit(plugin)
            self._inner = inner
            inner.start()
        self._follow = self._following(inner)
        self._base_log.note(None)
        return 0.0

    def _provider_of(self, link: Link) -> StartableProvider:
        try:
            link.unary(INFO, insight_data_pb2.InfoRequest())
            return InsightProvider(link)
        except NotServed:
            if self._other_client is None:
                raise
            return self._other_client(link, self._interval)
