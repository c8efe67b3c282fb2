"""``DataProvider`` client of TensorBoard's gRPC service, for example of the Rust data server.

Limits of that service: docs/how-to/data_servers.md.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import TypeAlias

import numpy as np
from attrs import evolve
from cachetools import LRUCache

from insight_core.plugin import NotFound, Plugin
from insight_core.plugin.data import (
    Damage,
    Payload,
    Progress,
    RecordTable,
    Run,
    ScalarColumns,
    ScalarQuery,
    SeriesField,
    SeriesInfo,
    SeriesKey,
    SeriesTable,
    ShownAttempts,
)
from insight_core.plugin.data.tables import tables_of
from insight_core.plugin.grpc import Link, LinkedProvider, Method, services
from insight_core.plugin.grpc import tensorboard_data_pb2 as pb
from insight_core.plugin.servers import (
    Snapshot,
    ViewCache,
    answer,
    by_start_time,
    snapshot_of,
    unknown_series,
)
from insight_tensorboard.client.listing import Listed, Lister, Listing, Naming, Shape
from insight_tensorboard.client.reading import (
    Payloads,
    number_bytes,
    payload_bytes,
    read_payloads,
    read_scalars,
)

_EXPERIMENT = Method(f"/{services.TENSORBOARD}/GetExperiment", pb.GetExperimentResponse.FromString)

_EVERY_POINT = ScalarQuery()
_FROM_POINTS = {"points", "kept", "first_step", "last_value"}  # fields that a listing does not have
_HELD_BYTES = 256 << 20
_IDLE_SHARE = 50  # polling may use one part in this many of a processor's time
_SHORTEST, _LONGEST = 0.1, 3.0  # seconds between two looks

Place: TypeAlias = tuple[str, SeriesKey]  # plugin and key of a series
Data: TypeAlias = Snapshot | Payloads


def open_client(link: Link, interval: float) -> TensorBoardProvider:
    """The provider of a server, not started yet. Raises InsightError for one without this service."""
    link.unary(_EXPERIMENT, pb.GetExperimentRequest())
    return TensorBoardProvider(link, (), interval=interval)


class TensorBoardProvider(LinkedProvider):
    """Lists the server every ``interval`` seconds and reads series on demand.

    ``prefix`` is put before the name of every run.
    """

    def __init__(
        self, link: Link, plugins: Iterable[Plugin], *, interval: float = 1.0, prefix: str = ""
    ) -> None:
        super().__init__(link, "data-server-lister", self._follow)
        self._plugins = {plugin.name: plugin for plugin in plugins}
        self._prefix = prefix
        self._lister = Lister(link, Naming.of(self._plugins.values(), prefix))
        self._looking = threading.Lock()
        self._reading = threading.Lock()
        self._interval = max(interval, _SHORTEST) if interval else 1.0
        self._listing: Listing | None = None
        self._infos: dict[Place, tuple[Listed, SeriesInfo]] = {}
        # recently read series, with the listing by which they were read and their bytes
        self._held: LRUCache[Place, tuple[Listed, Data, int]] = LRUCache(_HELD_BYTES, itemgetter(2))
        self._holding = threading.Lock()
        self._views = ViewCache()

    def admit(self, plugin: Plugin) -> None:
        """Adds a plugin after the start: the next listing assigns its values to it."""
        self._plugins = {**self._plugins, plugin.name: plugin}
        self._lister.rename(Naming.of(self._plugins.values(), self._prefix))

    def plugins(self) -> Collection[str]:
        """Names of plugins that have series, and claims of values that no plugin claims."""
        return set(self._now().series)

    def runs(self) -> Sequence[Run]:
        """All runs."""
        return by_start_time(self._now().runs.values())

    def series(
        self, plugin: str, *, runs: Collection[str] | None = None, tags: Collection[str] | None = None
    ) -> Sequence[SeriesInfo]:
        """The series of a plugin without their data: all, or those of the given runs and tags."""
        listed = self._now().chosen(plugin, runs, tags)
        known: dict[SeriesKey, SeriesInfo] = {}
        unread: list[Listed] = []
        for one in listed:
            made = self._infos.get((plugin, one.key))
            if made is not None and (made[0] is one or made[0] == one):
                known[one.key] = made[1]
            elif one.shape is Shape.SCALARS:
                unread.append(one)
            elif one.shape is Shape.BLOBS:
                known[one.key] = self._keep_info(one, self._data(one))
            else:  # a tensor comes only whole: how many there are is not worth reading them all
                known[one.key] = self._keep_info(one, None)
        with self._reading:  # a concurrent request finds it cached
            for one, series in self._numbers(unread):
                known[one.key] = self._keep_info(one, series)
        return [known[one.key] for one in listed if one.key in known]

    def series_tables(
        self,
        plugin: str,
        fields: Collection[SeriesField],
        *,
        runs: Collection[str] | None = None,
        tags: Collection[str] | None = None,
    ) -> Sequence[SeriesTable]:
        """The series of a plugin as one table for each run, with these fields."""
        if _FROM_POINTS.isdisjoint(fields):  # no series has to be read
            return tables_of((one.info for one in self._now().chosen(plugin, runs, tags)), fields)
        return tables_of(self.series(plugin, runs=runs, tags=tags), fields)

    def scalars(
        self, plugin: str, keys: Collection[SeriesKey], query: ScalarQuery = _EVERY_POINT
    ) -> Mapping[SeriesKey, ScalarColumns]:
        """Points of scalar series, reduced by the query. Keys without a series are omitted."""
        listing = self._now()
        found = (listing.find(plugin, key) for key in keys)
        listed = [one for one in found if one is not None and one.shape is Shape.SCALARS]
        answers: dict[SeriesKey, ScalarColumns] = {}
        for one, snapshot in self._numbers(listed):
            view = self._views.view((plugin, one.key, query.attempts, query.smoothing), snapshot, query)
            answers[one.key] = answer(snapshot, view, query)
        return {key: answers[key] for key in keys if key in answers}

    def records(self, plugin: str, key: SeriesKey, attempts: ShownAttempts = "last") -> RecordTable:
        """The records of the last attempt; the service does not report other attempts or dropped points."""
        one = self._listed(plugin, key)
        data = self._data(one)
        if isinstance(data, Payloads):
            steps, wall_times, sizes = data.steps, data.wall_times, data.sizes
        else:
            steps, wall_times = data.columns.steps, data.columns.wall_times
            sizes = np.full(len(steps), len(number_bytes(0.0)), np.int64)
        return RecordTable(steps, wall_times, sizes, total=len(steps), kept=len(steps), hidden=0)

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
        one = self._listed(plugin, key)
        data = self._data(one)
        steps = data.steps if isinstance(data, Payloads) else data.columns.steps
        if not 0 <= index < len(steps):
            raise NotFound(f"{key.tag!r} of run {key.run!r} has no record {index}")
        if isinstance(data, Payloads):
            found = payload_bytes(self._link, one, data, index)
        else:
            assert data.columns.values is not None
            found = number_bytes(float(data.columns.values[index]))
        return Payload(found[:limit], one.claim)

    def damage(self, run: str | None = None) -> Sequence[Damage]:
        """Places where logs could not be read, of one run or of all runs."""
        self._now()
        return []

    def progress(self) -> Progress:
        """Bytes read of all known bytes."""
        return Progress(loaded_once=bool(self._now()))

    def location(self) -> str:
        """The source of the data, as shown to the user."""
        return self._link.unary(_EXPERIMENT, pb.GetExperimentRequest()).data_location

    # --- what is there ----------------------------------------------------------------------------

    def _now(self) -> Listing:
        """The latest listing. Raises Unavailable while the server cannot be used."""
        self._asked()
        listing = self._listing
        return listing if listing is not None else self._look()

    def _look(self) -> Listing:
        with self._looking:
            back = self._catching_up is not None  # when it began: the server may go away meanwhile
            before, listing = self._listing, self._lister.look()
            lacking = before is not None and not listing.has_all_of(before)
            if back and lacking and self._may_catch_up():
                return listing
            self._listing, self._was_there = listing, True
            if back:
                self._catching_up = None
            if before is None or lacking or back:
                for plugin, key in list(self._infos):
                    if listing.find(plugin, key) is None:
                        del self._infos[plugin, key]
            if before is None or back:
                self._base_log.note(None)
                return listing
            changed, runs = listing.changed_since(before), listing.runs != before.runs
            if changed or runs:
                self._base_log.note(changed, runs=runs, gone=lacking)
            return listing

    def _follow(self) -> float:
        began = time.monotonic()
        self._look()
        return max(self._interval, min(_LONGEST, _IDLE_SHARE * (time.monotonic() - began)))

    def _listed(self, plugin: str, key: SeriesKey) -> Listed:
        one = self._now().find(plugin, key)
        if one is None or (one.shape is Shape.SCALARS and not plugin.startswith("plugin:")):
            raise unknown_series(plugin, key)
        return one

    # --- what was read ----------------------------------------------------------------------------

    def _data(self, one: Listed) -> Data:
        if one.shape is Shape.SCALARS:
            for _, series in self._numbers([one]):
                return series
            raise NotFound(f"the data server has no {one.key.tag!r} of run {one.key.run!r} any more")
        data = self._kept(one)
        if data is None:
            data = read_payloads(self._link, one)
            self._keep(one, data, data.nbytes)
            self._keep_info(one, data)
        return data

    def _numbers(self, wanted: Sequence[Listed]) -> Iterator[tuple[Listed, Snapshot]]:
        unread = []
        for one in wanted:
            held = self._kept(one)
            if isinstance(held, Snapshot):
                yield one, held
            else:
                unread.append(one)
        for one, columns in read_scalars(self._link, unread):
            snapshot = snapshot_of(columns, one.claim)
            self._keep(one, snapshot, sum(column.nbytes for column in columns.arrays()))
            yield one, snapshot

    def _kept(self, one: Listed) -> Data | None:
        """The data of a series, unless it has grown since they were read."""
        with self._holding:
            listed, data, _ = self._held.get((one.plugin, one.key), (None, None, 0))
        return data if listed is one or listed == one else None

    def _keep(self, one: Listed, data: Data, size: int) -> None:
        with self._holding:  # a series that is larger than the cache is kept alone
            self._held[one.plugin, one.key] = one, data, min(size, _HELD_BYTES)

    def _keep_info(self, one: Listed, data: Data | None) -> SeriesInfo:
        info = _info(one, data)
        self._infos[one.plugin, one.key] = (one, info)
        return info


def _info(one: Listed, data: Data | None) -> SeriesInfo:
    if isinstance(data, Payloads) and len(data.steps):
        return evolve(
            one.info,
            points=len(data.steps),
            kept=len(data.steps),
            first_step=int(data.steps[0]),
            last_step=int(data.steps[-1]),
            last_wall_time=float(data.wall_times[-1]),
        )
    if isinstance(data, Snapshot) and len(data):
        info = data.info(one.key, None)
        names = "points", "first_step", "last_step", "last_value", "last_wall_time", "attempts"
        return evolve(one.info, kept=info.points, **{name: getattr(info, name) for name in names})
    return one.info
