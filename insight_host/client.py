"""Reads logs from a data server in Python: ``open("HOST:PORT")`` gives runs, series, points and payloads."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import TracebackType

from attrs import frozen

from insight_core.plugin import (
    Claim,
    InsightError,
    InvalidArgument,
    NotFound,
    PluginNameEnum,
    TooLarge,
    Unavailable,
    Undecodable,
)
from insight_core.plugin.data import (
    Changes,
    Damage,
    DataProvider,
    NotComputed,
    Payload,
    PayloadStream,
    Run,
    ScalarColumns,
    ScalarQuery,
    SeriesField,
    SeriesInfo,
    SeriesKey,
    SeriesTable,
    ShownAttempts,
)
from insight_core.plugin.data.tables import chosen_tables, missing_tags, tags_by_run
from insight_core.providers.conventions import unknown_series
from insight_core.providers.credentials import credentials_for
from insight_core.providers.insight_client import InsightProvider
from insight_core.providers.link import Link
from insight_core.providers.locations import is_location, parse_location

__all__ = [
    "Changes",
    "Claim",
    "Damage",
    "InsightError",
    "InvalidArgument",
    "LogClient",
    "LoggedPayload",
    "NotComputed",
    "NotFound",
    "Payload",
    "PayloadStream",
    "Run",
    "ScalarColumns",
    "ScalarQuery",
    "SeriesField",
    "SeriesInfo",
    "SeriesKey",
    "SeriesListing",
    "SeriesTable",
    "ShownAttempts",
    "TooLarge",
    "Unavailable",
    "Undecodable",
    "open",
]

_SCALARS = PluginNameEnum.SCALAR  # a data server does not say whose values are numbers
_EVERY_POINT = ScalarQuery()
_SUMMARY: tuple[SeriesField, ...] = ("points", "last_step", "last_value")
_TOGETHER = 500  # decimated series that are asked for at a time
_LOOK = 0.1  # seconds between two questions whether everything has been read
_WAIT = 60.0  # seconds of one wait for changes


def open(address: str, *, token_file: str | None = None, ca_file: str | None = None) -> LogClient:
    """Connects to ``insight-data-server`` at ``HOST:PORT`` or ``grpc://HOST:PORT``, over TLS at
    ``grpcs://HOST:PORT``, or at the unix socket ``grpc+unix:///PATH``.

    The first line of ``token_file`` is the token; that of a server of this user on this machine is found
    without. ``ca_file`` has the certificates (PEM) that may sign that of a server with TLS, by default those
    of the system. Raises Unavailable if no server answers there, or one without the service
    ``insight.data.v1``, or one that needs another token, and InvalidArgument for files that cannot be used.
    """
    location = parse_location(address if is_location(address) else f"grpc://{address}")
    provider = InsightProvider(Link(location.address, credentials_for(location, token_file, ca_file)))
    try:
        provider.location()
    except InsightError:
        provider.close()
        raise
    return LogClient(provider)


@frozen
class LoggedPayload:
    """One value that is not a number: an image, a histogram, a file. Its bytes are read on request."""

    key: SeriesKey
    index: int  # among the payloads of the series
    step: int
    wall_time: float  # seconds since the epoch
    size: int  # bytes; -1 if only reading it would tell
    _provider: DataProvider
    _plugin: str
    _attempts: ShownAttempts

    def read(self) -> Payload:
        """All bytes and their claim.

        Raises Undecodable for damaged bytes, and InvalidArgument for a file of more than 256 MiB: ``stream``
        reads it.
        """
        return self._provider.payload(self._plugin, self.key, self.index, self._attempts)

    def stream(self, *, offset: int = 0, length: int | None = None) -> PayloadStream:
        """The bytes as a file of any size, or ``length`` of them from the byte ``offset`` on. Raises
        Undecodable.
        """
        return self._provider.open_payload(
            self._plugin, self.key, self.index, self._attempts, offset=offset, length=length
        )


@frozen
class SeriesListing:
    """Series of a plugin by run and column, all or those that changed since another catalogue.

    A table has the columns that were asked for, by name: ``table.column("points")`` is in the order of
    ``table.tags``.
    """

    tables: Sequence[SeriesTable]  # one for each run that has such series
    whole: bool  # not only what changed
    gone: Mapping[str, Sequence[str]]  # tags by run that only the other catalogue has
    boot: str  # identifies the server process
    generation: int


class LogClient:
    """The logs that a data server has read. To be closed; ``with`` does that. Any thread may use it.

    Every method raises Unavailable while the server does not answer.
    """

    def __init__(self, provider: InsightProvider) -> None:
        self._provider = provider
        self._follows = self._closed = False

    def __enter__(self) -> LogClient:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
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
        """Waits until the server has read every file that was there at its start.

        ``timeout`` is in seconds, None without end. Raises TimeoutError.
        """
        ends = None if timeout is None else time.monotonic() + timeout
        while not (progress := self._provider.progress()).loaded_once:
            if ends is not None and time.monotonic() >= ends:
                raise TimeoutError(
                    f"the data server has read {progress.bytes_read:,} of {progress.bytes_total:,} bytes"
                )
            time.sleep(_LOOK)

    def plugins(self) -> list[str]:
        """Sorted names of the plugins that have series: ``scalar``, ``image``, ``histogram``."""
        return sorted(self._provider.plugins())

    def runs(self) -> Sequence[Run]:
        """All runs."""
        return self._provider.runs()

    def damage(self, run: str | None = None) -> Sequence[Damage]:
        """Places where logs could not be read, of one run or of all."""
        return self._provider.damage(run)

    def series(
        self,
        plugin: str = _SCALARS,
        *,
        runs: Collection[str] | None = None,
        tags: Collection[str] | None = None,
    ) -> Sequence[SeriesInfo]:
        """The series of a plugin without their data: all, or those of these runs and tags."""
        return self._provider.series(plugin, runs=runs, tags=tags)

    def catalog(
        self,
        plugin: str = _SCALARS,
        fields: Collection[SeriesField] = _SUMMARY,
        *,
        runs: Collection[str] | None = None,
        tags: Collection[str] | None = None,
        since: SeriesListing | None = None,
    ) -> SeriesListing:
        """The series of a plugin by run and column, for logs with many series.

        ``fields`` are fields of SeriesInfo; others are not sent. With ``since``, an earlier answer to the
        same question, only series that came or changed after it are sent; all of them (``whole``) if too
        many did, or if the server was started again.
        """
        boot, generation = self._provider.place()
        changed: dict[str, set[str]] | None = None
        if since is not None and since.boot == boot:
            changes = self._provider.changes_after(since.generation)
            generation = changes.generation
            if changes.series is not None:
                changed = tags_by_run(
                    key
                    for key in changes.series.get(plugin, ())
                    if (runs is None or key.run in runs) and (tags is None or key.tag in tags)
                )
        if changed is None:
            tables = self._provider.series_tables(plugin, fields, runs=runs, tags=tags)
            return SeriesListing(tables, True, {}, boot, generation)

        def listed(runs: Collection[str], tags: Collection[str]) -> Sequence[SeriesTable]:
            return self._provider.series_tables(plugin, fields, runs=runs, tags=tags)

        tables = chosen_tables(listed, changed)
        return SeriesListing(tables, False, missing_tags(tables, changed), boot, generation)

    def scalars(self, run: str, tag: str, query: ScalarQuery = _EVERY_POINT) -> ScalarColumns:
        """The points of one series as numpy arrays: ``steps`` (int64), ``wall_times`` (float64, seconds since
        the epoch) and ``values`` (float32 or float64, as written; float64 if smoothed).

        Without a query, every point of the last attempt. Raises NotFound for an unknown series.
        """
        key = SeriesKey(run, tag)
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
        """Every scalar series of these runs and tags, or of all, as ``scalars`` gives it.

        One series is held at a time; some hundred if the query has a ``width``, as for a chart.
        """
        tables = self._provider.series_tables(_SCALARS, (), runs=runs, tags=tags)
        keys = [SeriesKey(table.run, tag) for table in tables for tag in table.tags]
        together = 1 if query.width is None else _TOGETHER
        for start in range(0, len(keys), together):
            yield from self._provider.scalars(_SCALARS, keys[start : start + together], query).items()

    def compute(self, plugin: str, name: str, request: bytes) -> Iterator[bytes]:
        """The answers of a computation of a plugin in the server, as they come: what its tab shows.

        The plugin documents its computations, their requests and their answers. Raises NotComputed if the
        server does not have this one, and what the computation raises.
        """
        return self._provider.compute(plugin, name, request)

    def payloads(
        self, plugin: str, run: str, tag: str, attempts: ShownAttempts = "last"
    ) -> Iterator[LoggedPayload]:
        """The values of one series of another plugin than ``scalar``, in the order of steps (of the files for
        ``attempts`` "all"). Their bytes are not read yet, so that a damaged one does not hide the next.

        Raises NotFound for an unknown series.
        """
        key = SeriesKey(run, tag)
        table = self._provider.records(plugin, key, attempts)
        rows = zip(table.steps.tolist(), table.wall_times.tolist(), table.sizes.tolist(), strict=True)
        for index, (step, wall_time, size) in enumerate(rows):
            yield LoggedPayload(key, index, step, wall_time, size, self._provider, plugin, attempts)

    def follow(self) -> Iterator[Changes]:
        """What changes from now on, until the client is closed.

        ``series`` of a change is None when anything may have changed: of the first one, and of the one after
        the server was away.
        """
        if not self._follows:
            self._follows = True
            self._provider.start()
        generation = 0
        while not self._closed:
            changes = self._provider.changes(generation, timeout=_WAIT)
            if changes.generation != generation:
                generation = changes.generation
                yield changes
