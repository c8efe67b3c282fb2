"""Logs of a lake as a data provider: any number of hosts may read one lake, and none keeps anything of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

from insight_core.plugin import FileName, InvalidArgument, NotFound, Plugin, ProviderSettings, Reason
from insight_core.plugin.data import (
    MOST_AT_ONCE,
    Changes,
    Damage,
    Payload,
    PayloadStream,
    Progress,
    ProviderBase,
    RecordTable,
    Run,
    ScalarColumns,
    ScalarQuery,
    SeriesField,
    SeriesInfo,
    SeriesKey,
    SeriesTable,
    ShownAttempts,
    record_at,
    united_tables,
)
from insight_core.plugin.lab import ScalarSummaries
from insight_lake.catalog import FIELDS
from insight_lake.lake import FollowedLake, Lake
from insight_lake.payloads import PayloadPlace, UnreadablePayload
from insight_lake.points import PointReader, SeriesPlace
from insight_lake.records import PayloadPlaceReader, StoredRows
from insight_lake.row_reader import RowReader
from insight_lake.store import LakeStore

_EVERY_POINT = ScalarQuery()
T = TypeVar("T")


class LakeProvider(ProviderBase):
    """Answers by range reads of the newest version of a lake."""

    def __init__(self, store: LakeStore, settings: ProviderSettings) -> None:
        assert settings.answer_scalars is not None, "the host gives it"
        super().__init__(f"lake:{store.location}", settings)
        self.store = store
        self._reader = RowReader(self.store)
        self._points = PointReader(self._reader, settings.answer_scalars)
        self._records = PayloadPlaceReader(self._reader)
        self._owners: dict[str, str] = {}
        self.followed = FollowedLake(self, store, self._reader, settings.reload_interval, self._owner)
        for plugin in settings.plugins.values():
            self._own(plugin)

    def start(self) -> None:
        """Opens the lake, and follows its versions in the background."""
        self.followed.start()

    def admit(self, plugin: Plugin) -> None:
        """Adds a plugin after the start: it gets the values that were unclaimed when the lake was built."""
        if self._own(plugin) and self.followed.is_open:
            self.changed()

    def close(self) -> None:
        """Stops background threads."""
        super().close()
        self.followed.close()
        self._reader.close()

    # --- what routes ask --------------------------------------------------------------------------

    def plugins(self) -> Collection[str]:
        """Names of plugins that have series, and claims of values that no plugin claims."""
        return {self._owner(name) for name in self.lake().plugins}

    def runs(self) -> Sequence[Run]:
        """All runs, earliest first."""
        return self.lake().runs

    def series(
        self, plugin: str, *, runs: Collection[str] | None = None, tags: Collection[str] | None = None
    ) -> Sequence[SeriesInfo]:
        """The series of a plugin without their data: all, or those of the given runs and tags."""
        return [
            SeriesInfo(SeriesKey(table.run, tag), *values)
            for table in self.series_tables(plugin, FIELDS, runs=runs, tags=tags)
            for tag, *values in zip(table.tags, *map(table.column, FIELDS), strict=True)
        ]

    def series_tables(
        self,
        plugin: str,
        fields: Collection[SeriesField],
        *,
        runs: Collection[str] | None = None,
        tags: Collection[str] | None = None,
    ) -> Sequence[SeriesTable]:
        """The series of a plugin as one table for each run, with these fields."""
        lake = self.lake()
        names = self._names(plugin)
        tables = [
            table
            for part, wanted in lake.parts(runs, names)
            for name in names
            for table in part.tables(name, fields, wanted, tags)
        ]
        return tables if len(names) == 1 else united_tables(tables)

    def scalars(
        self, plugin: str, keys: Collection[SeriesKey], query: ScalarQuery = _EVERY_POINT
    ) -> Mapping[SeriesKey, ScalarColumns]:
        """Points of scalar series, reduced by the query. Keys without a series are omitted."""
        lake = self.lake()
        places: list[SeriesPlace] = []
        names = self._names(plugin)
        for part, wanted in lake.parts({key.run for key in keys}, names):
            for key in keys:
                row = part.find(names, key) if key.run in (wanted or ()) else None
                if row is not None and part.number("scalars_row", row) >= 0:
                    places.append(SeriesPlace(key, part, row))
        found = self._points.answers(places, query)
        return {key: found[key] for key in keys if key in found}

    def scalar_summaries(
        self, plugin: str, *, runs: Collection[str] | None = None
    ) -> Sequence[ScalarSummaries] | None:
        """Counts and extremes of scalar series, as the table ``series`` has them."""
        names = self._names(plugin)
        if len(names) > 1:  # a series may be there twice
            return None
        return [
            part.summaries(name, wanted) for part, wanted in self.lake().parts(runs, names) for name in names
        ]

    def records(self, plugin: str, key: SeriesKey, attempts: ShownAttempts = "last") -> RecordTable:
        """Steps, wall times and sizes of the records of a series. Raises NotFound for an unknown series."""
        found = self._record_rows(plugin, key)
        rows = found.order(attempts)
        return RecordTable(
            found.table["step"].to_numpy()[rows],
            found.table["wall_time"].to_numpy()[rows],
            found.table["size"].to_numpy()[rows],
            total=found.total,
            kept=len(found.table),
            hidden=len(found.table) - len(rows),
            purged=found.purged if attempts == "last" else 0,
        )

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

        def read(place: PayloadPlace) -> Payload:
            if limit is None and isinstance(place.claim, FileName) and place.size > MOST_AT_ONCE:
                raise InvalidArgument(
                    f"the file claimed by {place.claim} has {place.size:,} bytes: more than {MOST_AT_ONCE:,} "
                    "are read in pieces"
                )
            return Payload(place.read(self.store, limit), place.claim)

        return self._of_payload(plugin, key, index, attempts, read)

    def open_payload(
        self,
        plugin: str,
        key: SeriesKey,
        index: int,
        attempts: ShownAttempts = "last",
        *,
        offset: int = 0,
        length: int | None = None,
    ) -> PayloadStream:
        """The bytes of one record, or a part of them, as a stream."""
        return self._of_payload(
            plugin, key, index, attempts, lambda place: place.open(self.store, offset, length)
        )

    def damage(self, run: str | None = None) -> Sequence[Damage]:
        """Places where logs could not be read when the lake was built, of one run or of all runs."""
        found = self.lake().damage(run)
        return sorted(found, key=lambda one: (one.run, one.file, one.offset))

    def progress(self) -> Progress:
        """Reports that all is loaded: a lake reads when it is asked."""
        return Progress(loaded_once=self.followed.is_open)

    def generation(self) -> int:
        """A number that grows whenever the data changes."""
        self.lake()
        return super().generation()

    def changes(self, since: int, *, timeout: float = 0.0) -> Changes:
        """Changes after the generation ``since``; waits up to ``timeout`` seconds for a change."""
        self.lake()
        return super().changes(since, timeout=timeout)

    def notices(self) -> Sequence[Reason]:
        """Whether the store is away: then the last version that was read is shown."""
        return self.followed.notices()

    # --- inside -----------------------------------------------------------------------------------

    def lake(self) -> Lake:
        """The version that is shown. Raises Unavailable while none could be read."""
        return self.followed.lake()

    def _own(self, plugin: Plugin) -> bool:
        claims = [str(claim) for claim in (plugin.decoder.claims if plugin.decoder else ())]
        new = [claim for claim in claims if not claim.startswith("file:") and claim not in self._owners]
        self._owners.update(dict.fromkeys(new, plugin.name))
        return bool(new)

    def _owner(self, name: str) -> str:
        """The plugin of values that a lake has under a name: of a plugin, or of a claim without one."""
        return self._owners.get(name, name)

    def _names(self, plugin: str) -> list[str]:
        """The names under which a lake has the series of a plugin, its own first."""
        found = [name for name in self.lake().plugins if self._owner(name) == plugin]
        return sorted(found, key=lambda name: name != plugin)

    def _record_rows(self, plugin: str, key: SeriesKey) -> StoredRows:
        """The payloads of a series. Raises NotFound."""
        names = self._names(plugin)
        for part, _ in self.lake().parts({key.run}, names):
            row = part.find(names, key)
            if row is not None and part.number("records_row", row) >= 0:
                return self._records.rows(part, row)
        text = f"plugin {plugin} has no records under {key.tag!r} of run {key.run!r}"
        raise NotFound(text, code="unknown_series", run=key.run, tag=key.tag)

    def _of_payload(
        self,
        plugin: str,
        key: SeriesKey,
        index: int,
        attempts: ShownAttempts,
        read: Callable[[PayloadPlace], T],
    ) -> T:
        found = self._record_rows(plugin, key)
        rows = found.order(attempts)
        try:
            if 0 <= index < len(rows):
                return read(found.place(int(rows[index])))
        except UnreadablePayload as error:
            raise record_at(self, plugin, key, index, attempts).undecodable(str(error)) from error
        raise NotFound(f"{key.tag!r} of run {key.run!r} has no record {index}")
