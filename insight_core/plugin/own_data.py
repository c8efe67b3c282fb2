"""What a plugin claims, without its name: its series, and the records that requests name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from attrs import frozen

from insight_core.plugin.data.places import RecordPlace, place_in, record_at
from insight_core.plugin.data.provider import (
    DataProvider,
    Payload,
    PayloadStream,
    RecordTable,
    ScalarColumns,
    ScalarQuery,
    SeriesInfo,
    SeriesKey,
    ShownAttempts,
)
from insight_core.plugin.data.series_tables import SeriesField, SeriesTable

if TYPE_CHECKING:  # a data server loads no web code
    from werkzeug import Request

_ALL = ScalarQuery()


@frozen(eq=False)
class OwnData(ABC):
    """The data of the plugin that has this context: ``DataProvider`` without the name of the plugin."""

    data: DataProvider
    plugin: str

    def series(
        self, *, runs: Collection[str] | None = None, tags: Collection[str] | None = None
    ) -> Sequence[SeriesInfo]:
        """The series without their data: all, or those of the given runs and tags."""
        return self.data.series(self.plugin, runs=runs, tags=tags)

    def series_tables(
        self,
        fields: Collection[SeriesField] = (),
        *,
        runs: Collection[str] | None = None,
        tags: Collection[str] | None = None,
    ) -> Sequence[SeriesTable]:
        """What ``series`` answers, as one table for each run that has series; only these fields are read."""
        return self.data.series_tables(self.plugin, fields, runs=runs, tags=tags)

    def scalars(
        self, keys: Collection[SeriesKey], query: ScalarQuery = _ALL
    ) -> Mapping[SeriesKey, ScalarColumns]:
        """Points of series of a plugin of kind SCALAR, as ``DataProvider.scalars`` gives them."""
        return self.data.scalars(self.plugin, keys, query)

    def records(self, key: SeriesKey, attempts: ShownAttempts = "last") -> RecordTable:
        """Steps, wall times and sizes of the records of a series. Raises NotFound if it does not exist."""
        return self.data.records(self.plugin, key, attempts)

    def payload(self, place: RecordPlace, *, limit: int | None = None) -> Payload:
        """The bytes of a record, or the first of them; raises as ``DataProvider.payload`` does."""
        return self.data.payload(self.plugin, place.key, place.index, place.attempts, limit=limit)

    def open_payload(
        self, place: RecordPlace, *, offset: int = 0, length: int | None = None
    ) -> PayloadStream:
        """The bytes of a record as a stream, to be closed; raises as ``DataProvider.open_payload`` does."""
        return self.data.open_payload(
            self.plugin, place.key, place.index, place.attempts, offset=offset, length=length
        )

    def place_at(self, key: SeriesKey, index: int, attempts: ShownAttempts = "last") -> RecordPlace:
        """The record at an index of a series. Raises NotFound for a series or index that does not exist."""
        return record_at(self.data, self.plugin, key, index, attempts)

    def place_in(
        self, table: RecordTable, key: SeriesKey, index: int, attempts: ShownAttempts = "last"
    ) -> RecordPlace:
        """The record at an index of ``records(key, attempts)``, which is not asked for again."""
        return place_in(table, self.plugin, key, index, attempts)

    @abstractmethod
    def place(self, request: Request, attempts: ShownAttempts | None = None) -> RecordPlace:
        """The record that a request names, as ``plugin.http.record_of`` reads it, or with these attempts."""

    @abstractmethod
    def keys(self, request: Request) -> Sequence[SeriesKey]:
        """The series that a request names, as ``plugin.http.series_keys`` reads them."""
