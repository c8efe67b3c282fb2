"""A data provider of which its author writes what only the author knows: the rest is derived."""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from insight_core.change_log import ChangeLog
from insight_core.errors import NotFound, Unavailable
from insight_core.plugin.data.computations import NotComputed
from insight_core.plugin.data.files import PayloadPlaces, RunFile
from insight_core.plugin.data.provider import (
    Changes,
    Damage,
    Payload,
    PayloadStream,
    Progress,
    RecordTable,
    Run,
    ScalarColumns,
    ScalarQuery,
    SeriesInfo,
    SeriesKey,
    ShownAttempts,
)
from insight_core.plugin.data.series_tables import SeriesField, SeriesTable
from insight_core.plugin.data.tables import tables_of
from insight_core.summaries import ScalarSummaries
from insight_record.formats.reason import Reason

if TYPE_CHECKING:  # the context of plugins imports this package
    from insight_core.plugin.contract import Plugin
    from insight_core.plugin.extensions import ProviderSettings

PointColumns: TypeAlias = tuple[ArrayLike, ArrayLike, ArrayLike]  # Steps, wall times in seconds, values.

_EVERY_POINT = ScalarQuery()


class ProviderBase(ABC):
    """A ``DataProvider`` for authors. Every method can be overridden.

    Write ``runs`` and ``series``; ``points`` for scalars; ``records`` and ``payload`` for everything else.
    Call ``changed`` whenever the data has changed. Methods are called from several threads at a time.

    Parameters
    ----------
    location : str
        Where the data comes from, for the user.
    settings : ProviderSettings
        What ``insight_open_provider`` was given.
    """

    def __init__(self, location: str, settings: ProviderSettings) -> None:
        self.settings = settings
        # authors have names of their own: these cannot be the same
        self._base_location = location
        self._base_log = ChangeLog()
        self._base_known = set(settings.plugins)
        self._base_having: tuple[int, Sequence[str]] = (-1, ())  # generation, and plugins that have series

    # --- what an author writes ---------------------------------------------------------------------

    @abstractmethod
    def runs(self) -> Sequence[Run]:
        """Every run, in any order."""

    @abstractmethod
    def series(
        self, plugin: str, *, runs: Collection[str] | None = None, tags: Collection[str] | None = None
    ) -> Sequence[SeriesInfo]:
        """The series of a plugin without their data: all, or those of the given runs and tags."""

    def points(self, plugin: str, key: SeriesKey) -> PointColumns | None:
        """Steps, wall times and values of all attempts, in the order of recording; None: no such series.

        A step that is smaller than the one before it begins a new attempt. Values keep float32 and become
        float64 otherwise. Answer the same arrays while the series is the same, and do not write to them: what
        was computed from them is kept.
        """
        return None

    def records(self, plugin: str, key: SeriesKey, attempts: ShownAttempts = "last") -> RecordTable:
        """See ``DataProvider.records``: of what is not scalars. ``shown`` helps."""
        raise _unknown(plugin, key)

    def payload(
        self,
        plugin: str,
        key: SeriesKey,
        index: int,
        attempts: ShownAttempts = "last",
        *,
        limit: int | None = None,
    ) -> Payload:
        """See ``DataProvider.payload``: of what is not scalars."""
        raise _unknown(plugin, key)

    def shown(
        self, plugin: str, key: SeriesKey, steps: ArrayLike, wall_times: ArrayLike, attempts: ShownAttempts
    ) -> NDArray[np.intp]:
        """Indices of the records that ``records`` has for these ``attempts``, and ``payload`` counts.

        ``steps`` and ``wall_times`` are those of all records, in the order of recording.
        """
        count = np.arange(len(np.asarray(steps)), dtype=np.float64)
        columns = self._answer(
            "shown", plugin, key, (steps, wall_times, count), ScalarQuery(attempts=attempts)
        )
        return columns.values.astype(np.intp)

    def changed(
        self,
        series: Mapping[str, Collection[SeriesKey]] | None = None,
        *,
        runs: bool = False,
        gone: bool = False,
        at_least: int = 0,
    ) -> None:
        """Begins a new generation, and wakes all who wait for a change.

        Parameters
        ----------
        series : mapping of str to collection of SeriesKey, optional
            The series that changed, by plugin. None: anything may have changed.
        runs : bool
            Whether the run table changed: runs, damage, loading state.
        gone : bool
            Whether series may have disappeared.
        at_least : int
            The least number of the generation, where several hosts of the same data are to agree.
        """
        self._base_log.note(series, runs=runs, gone=gone, at_least=at_least)

    # --- what follows from it ----------------------------------------------------------------------

    def plugins(self) -> Collection[str]:
        """Names of the plugins of the host that have series, sorted; asked again in each generation."""
        generation = self.generation()
        known, having = self._base_having
        if known != generation:
            having = [name for name in sorted(self._base_known) if self.series(name)]
            self._base_having = generation, having
        return having

    def series_tables(
        self,
        plugin: str,
        fields: Collection[SeriesField],
        *,
        runs: Collection[str] | None = None,
        tags: Collection[str] | None = None,
    ) -> Sequence[SeriesTable]:
        """What ``series`` answers, as one table for each run."""
        return tables_of(self.series(plugin, runs=runs, tags=tags), fields)

    def scalars(
        self, plugin: str, keys: Collection[SeriesKey], query: ScalarQuery = _EVERY_POINT
    ) -> Mapping[SeriesKey, ScalarColumns]:
        """What ``points`` answers, reduced as the host does it for its own data.

        Raises InvalidArgument for a window that ends before it begins.
        """
        return {
            key: self._answer("points", plugin, key, columns, query)
            for key in keys
            if (columns := self.points(plugin, key)) is not None
        }

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
        """What ``payload`` answers, or a part of it, as a stream."""
        payload = self.payload(plugin, key, index, attempts)
        file = io.BytesIO(payload.data if length is None else payload.data[: offset + length])
        file.seek(offset)
        return PayloadStream(file, len(payload.data), payload.claim)

    def damage(self, run: str | None = None) -> Sequence[Damage]:
        """Places that could not be read: none, unless a provider knows some."""
        return ()

    def progress(self) -> Progress:
        """How far loading is: everything was read, unless a provider says otherwise."""
        return Progress(loaded_once=True)

    def location(self) -> str:
        """Where the data comes from, for the user."""
        return self._base_location

    def generation(self) -> int:
        """A number that grows whenever the data changes."""
        return self._base_log.generation

    def changes(self, since: int, *, timeout: float = 0.0) -> Changes:
        """Changes after the generation ``since``; waits up to ``timeout`` seconds for a change."""
        return Changes(*self._base_log.changes(since, timeout))

    def close(self) -> None:
        """Wakes all who wait for a change. Override it to release more, and call this."""
        self._base_log.end()

    # --- what few providers have -------------------------------------------------------------------

    def start(self) -> None:  # noqa: B027
        """Begins to follow the data in the background: called once, before the host listens."""

    def admit(self, plugin: Plugin) -> None:
        """Adds a plugin that was loaded after the start."""
        self._base_known.add(plugin.name)
        self.changed()

    def notices(self) -> Sequence[Reason]:
        """What users should know of the data as a whole; see ``DataProvider.notices``."""
        return ()

    def compute(self, plugin: str, name: str, request: bytes) -> Iterator[bytes]:
        """Raises NotComputed: the data is in this process."""
        raise NotComputed(f"{self.location()} computes nothing")

    def payload_places(self, plugin: str, key: SeriesKey) -> PayloadPlaces | None:
        """Where in files the payloads of a series are: not known."""
        return None

    def scalar_summaries(
        self, plugin: str, *, runs: Collection[str] | None = None
    ) -> Sequence[ScalarSummaries] | None:
        """Counts and extremes of scalar series: not known without reading the points."""
        return None

    def run_files(self) -> Sequence[RunFile] | None:
        """Every file of every run: None, for runs are not files that this provider reads."""
        return None

    def _answer(
        self, what: str, plugin: str, key: SeriesKey, points: PointColumns, query: ScalarQuery
    ) -> ScalarColumns:
        answer = self.settings.answer_scalars
        if answer is None:
            raise Unavailable("the settings of this data provider have no 'answer_scalars'")
        steps, wall_times, values = points
        steps, wall_times = np.asarray(steps, np.int64), np.asarray(wall_times, np.float64)
        return answer((what, plugin, key), steps, wall_times, _floats(values), query)


def _floats(values: ArrayLike) -> NDArray[np.float32] | NDArray[np.float64]:
    column = np.asarray(values)
    return column if column.dtype == np.float32 else column.astype(np.float64, copy=False)


def _unknown(plugin: str, key: SeriesKey) -> NotFound:
    text = f"plugin {plugin} has no records under {key.tag!r} of run {key.run!r}"
    return NotFound(text, code="unknown_series", run=key.run, tag=key.tag)
