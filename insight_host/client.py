"""Deprecated: what the last release had to read a data server, which ``insight_host.open`` opens, too."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from warnings import warn

from attrs import frozen

from insight_core.moved import old_names
from insight_core.plugin import PluginNameEnum, data
from insight_core.providers.common import unknown_series
from insight_core.providers.locations import credentials_for, is_location, parse_location, require_grpc
from insight_host.followed_points import changes_from
from insight_host.records import payloads_of

if TYPE_CHECKING:  # a name that this module offered gives a warning; gRPC is loaded where it is needed
    from insight_core.plugin.data import (
        Changes,
        ScalarColumns,
        ScalarQuery,
        SeriesField,
        SeriesInfo,
        SeriesKey,
        SeriesTable,
        ShownAttempts,
    )
    from insight_core.providers.insight_client import InsightProvider
    from insight_host.records import LoggedPayload

_SCALARS = PluginNameEnum.SCALAR  # a data server does not say whose values are numbers
_EVERY_POINT = data.ScalarQuery()
_SUMMARY: tuple[SeriesField, ...] = ("points", "last_step", "last_value")
_LOOK = 0.1  # seconds between two questions whether everything has been read


__getattr__ = old_names(__name__)  # Names that this module re-exported.


def open(address: str, *, token_file: str | None = None, ca_file: str | None = None) -> LogClient:
    """Deprecated: ``insight_host.open``. Connects to a data server at ``HOST:PORT`` or its location."""
    warn("insight_host.client is deprecated: insight_host.open", DeprecationWarning, stacklevel=2)
    location = parse_location(address if is_location(address) else f"grpc://{address}")
    require_grpc()
    from insight_core.providers.insight_client import InsightProvider
    from insight_core.providers.link import Link

    provider = InsightProvider(Link(location.address, credentials_for(location, token_file, ca_file)))
    try:
        provider.location()
    except BaseException:
        provider.close()
        raise
    return LogClient(provider)


@frozen
class SeriesListing:
    """Deprecated: ``Logs.series``, and ``DataProvider.series_tables`` for chosen columns."""

    tables: Sequence[SeriesTable]
    whole: bool = True
    gone: Mapping[str, Sequence[str]] = MappingProxyType({})
    boot: str = ""
    generation: int = 0


class LogClient:
    """Deprecated: ``insight_host.Logs``, and its ``provider`` for reduced points and computations."""

    def __init__(self, provider: InsightProvider) -> None:
        self._provider = provider
        self._follows = self._closed = False
        self.runs, self.damage, self.compute = provider.runs, provider.damage, provider.compute

    def __enter__(self) -> LogClient:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection, and ends ``follow``."""
        self._closed = True
        self._provider.close()

    @property
    def location(self) -> str:
        """Where the server reads the logs."""
        return self._provider.location()

    def wait_until_read(self, timeout: float | None = None) -> None:
        """Waits until the server has read every file that was there at its start. Raises TimeoutError."""
        ends = None if timeout is None else time.monotonic() + timeout
        while not (progress := self._provider.progress()).loaded_once:
            if ends is not None and time.monotonic() >= ends:
                raise TimeoutError(
                    f"the data server has read {progress.bytes_read:,} of {progress.bytes_total:,} bytes"
                )
            time.sleep(_LOOK)

    def plugins(self) -> list[str]:
        """Sorted names of the plugins that have series."""
        return sorted(self._provider.plugins())

    def series(self, plugin: str = _SCALARS, **chosen: Any) -> Sequence[SeriesInfo]:  # noqa: ANN401
        """The series of a plugin without their data: all, or those of some ``runs`` and ``tags``."""
        return self._provider.series(plugin, **chosen)

    def catalog(
        self,
        plugin: str = _SCALARS,
        fields: Collection[SeriesField] = _SUMMARY,
        *,
        runs: Collection[str] | None = None,
        tags: Collection[str] | None = None,
        since: SeriesListing | None = None,
    ) -> SeriesListing:
        """The series of a plugin by run and column, all of them whatever changed ``since``."""
        return SeriesListing(self._provider.series_tables(plugin, fields, runs=runs, tags=tags))

    def scalars(self, run: str, tag: str, query: ScalarQuery = _EVERY_POINT) -> ScalarColumns:
        """The points of one series. Raises NotFound for an unknown one."""
        key = data.SeriesKey(run, tag)
        found = self._provider.scalars(_SCALARS, [key], query)
        if key not in found:
            raise unknown_series(_SCALARS, key)
        return found[key]

    def all_scalars(
        self,
        *,
        runs: Collection[str] | None = None,
        tags: Collection[str] | None = None,
        query: ScalarQuery = _EVERY_POINT,
    ) -> Iterator[tuple[SeriesKey, ScalarColumns]]:
        """Every scalar series of these runs and tags, or of all, one by one."""
        for table in self._provider.series_tables(_SCALARS, (), runs=runs, tags=tags):
            for tag in table.tags:
                yield from self._provider.scalars(_SCALARS, [data.SeriesKey(table.run, tag)], query).items()

    def payloads(
        self, plugin: str, run: str, tag: str, attempts: ShownAttempts = "last"
    ) -> Iterator[LoggedPayload]:
        """The values of one series of another plugin than ``scalar``. Raises NotFound for an unknown one."""
        return payloads_of(self._provider, plugin, data.SeriesKey(run, tag), attempts)

    def follow(self) -> Iterator[Changes]:
        """What changes from now on, until the client is closed; of the first change ``series`` is None."""
        if not self._follows:
            self._follows = True
            self._provider.start()
        return changes_from(self._provider, 0, lambda: self._closed)
