"""A data provider over given columns, for tests of routes without a logdir."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from attrs import evolve, frozen
from numpy.typing import ArrayLike, NDArray

from insight_core.formats.wall_times import origin_of
from insight_core.plugin import (
    Changes,
    Claim,
    Damage,
    Dialect,
    NotFound,
    Payload,
    PayloadStream,
    PluginNameEnum,
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
    tables_of,
)
from insight_core.providers.payload_streams import stream_of_payload

_FULL = ScalarQuery()


@frozen(eq=False)
class _Numbers:
    steps: NDArray[np.int64]
    wall_times: NDArray[np.float64]
    values: NDArray[np.float32] | NDArray[np.float64]

    def take(self, which: slice | NDArray[np.intp] | NDArray[np.bool_]) -> _Numbers:
        return _Numbers(self.steps[which], self.wall_times[which], self.values[which])


@frozen(eq=False)
class _Payloads:
    steps: NDArray[np.int64]
    wall_times: NDArray[np.float64]
    payloads: tuple[Payload, ...]


class FakeProvider:
    """A DataProvider in memory. Every addition is a new generation and wakes calls that wait for a change.

    It leaves out no points: ``width`` of a scalar query is ignored.
    """

    def __init__(self, location: str = "fake") -> None:
        self._location = location
        self._changed = threading.Condition()
        self._generation = 0
        self._log: list[tuple[str, SeriesKey] | None] = []  # of each generation; None: the run table
        self._runs: dict[str, Run] = {}
        self._series: dict[tuple[str, SeriesKey], _Numbers | _Payloads] = {}
        self._texts: dict[tuple[str, SeriesKey], tuple[str, str]] = {}
        self._damage: list[Damage] = []
        self._progress = Progress(loaded_once=True)

    # --- what a test puts in ----------------------------------------------------------------------

    def add_run(self, run: Run) -> None:
        """Adds a run, or replaces the one of its name."""
        with self._changed:
            self._runs[run.name] = run
            self._grow(None)

    def add_scalars(
        self,
        run: str,
        tag: str,
        values: ArrayLike,
        *,
        steps: ArrayLike | None = None,
        wall_times: ArrayLike | None = None,
        plugin: str = PluginNameEnum.SCALAR,
        display_name: str = "",
        description: str = "",
    ) -> None:
        """Appends points. Steps count from 0 and wall times are a second apart unless given.

        Values keep the type float32 if they have it and become float64 otherwise.
        """
        column = np.atleast_1d(np.asarray(values))
        if column.dtype != np.float32:
            column = column.astype(np.float64)
        count = np.arange(len(column))
        added = _Numbers(
            np.atleast_1d(np.asarray(count if steps is None else steps, np.int64)),
            np.atleast_1d(np.asarray(1.0e9 + count if wall_times is None else wall_times, np.float64)),
            column,
        )
        if not len(added.steps) == len(added.wall_times) == len(column):
            raise ValueError("steps, wall_times and values differ in length")
        place = (plugin, SeriesKey(run, tag))
        with self._changed:
            before = self._series.get(place)
            if isinstance(before, _Numbers):
                added = _Numbers(
                    np.concatenate([before.steps, added.steps]),
                    np.concatenate([before.wall_times, added.wall_times]),
                    np.concatenate([before.values, added.values]),
                )
            self._put(place, added, display_name, description)

    def add_records(
        self,
        plugin: str,
        run: str,
        tag: str,
        payloads: Sequence[bytes],
        *,
        claim: Claim,
        steps: ArrayLike | None = None,
        wall_times: ArrayLike | None = None,
        display_name: str = "",
        description: str = "",
    ) -> None:
        """Sets the payloads of a series, all of one claim."""
        count = np.arange(len(payloads))
        records = _Payloads(
            np.asarray(count if steps is None else steps, np.int64),
            np.asarray(1.0e9 + count if wall_times is None else wall_times, np.float64),
            tuple(Payload(data, claim) for data in payloads),
        )
        with self._changed:
            self._put((plugin, SeriesKey(run, tag)), records, display_name, description)

    def remove_series(self, plugin: str, run: str, tag: str) -> None:
        """Removes a series. Raises KeyError for an unknown one."""
        with self._changed:
            place = (plugin, SeriesKey(run, tag))
            del self._series[place]
            self._grow(place)

    def add_damage(self, damage: Damage) -> None:
        """Adds a damaged place, and its run if that is new."""
        with self._changed:
            self._damage.append(damage)
            run = self._runs.get(damage.run, Run(damage.run))
            self._runs[damage.run] = evolve(run, damage=run.damage + 1)
            self._grow(None)

    def set_progress(self, progress: Progress) -> None:
        """Sets the answer of ``progress``."""
        with self._changed:
            self._progress = progress
            self._grow(None)

    # --- what a route asks ------------------------------------------------------------------------

    def runs(self) -> Sequence[Run]:
        """The runs in the order in which the test added them."""
        with self._changed:
            return list(self._runs.values())

    def plugins(self) -> Collection[str]:
        """Sorted names of plugins that have a series."""
        with self._changed:
            return sorted({plugin for plugin, _ in self._series})

    def series(
        self, plugin: str, *, runs: Collection[str] | None = None, tags: Collection[str] | None = None
    ) -> Sequence[SeriesInfo]:
        """The series of a plugin, sorted by run and tag."""
        with self._changed:
            return [
                self._info(place, data)
                for place, data in sorted(self._series.items(), key=lambda item: item[0])
                if place[0] == plugin
                and (runs is None or place[1].run in runs)
                and (tags is None or place[1].tag in tags)
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
        return tables_of(self.series(plugin, runs=runs, tags=tags), fields)

    def scalars(
        self, plugin: str, keys: Collection[SeriesKey], query: ScalarQuery = _FULL
    ) -> Mapping[SeriesKey, ScalarColumns]:
        """Scalars with attempts and window applied; unknown keys are omitted."""
        with self._changed:
            found = {key: self._series.get((plugin, key)) for key in keys}
        return {key: _answer(data, query) for key, data in found.items() if isinstance(data, _Numbers)}

    def records(self, plugin: str, key: SeriesKey, attempts: ShownAttempts = "last") -> RecordTable:
        """Steps, wall times and sizes in bytes. Raises NotFound for an unknown series."""
        data = self._records_of(plugin, key)
        shown = _shown(data.steps, attempts)
        sizes = np.array([len(payload.data) for payload in data.payloads], np.int64)
        total = len(data.steps)
        return RecordTable(
            data.steps[shown],
            data.wall_times[shown],
            sizes[shown],
            total=total,
            kept=total,
            hidden=total - len(shown),
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
        """The bytes of a record, at most ``limit`` of them. Raises NotFound."""
        data = self._records_of(plugin, key)
        shown = _shown(data.steps, attempts)
        if not 0 <= index < len(shown):
            raise NotFound(f"{key.tag!r} of run {key.run!r} has no record {index}")
        payload = data.payloads[int(shown[index])]
        return evolve(payload, data=payload.data[:limit])

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
        """The bytes of a record as a stream. Raises NotFound."""
        return stream_of_payload(self.payload(plugin, key, index, attempts), offset, length)

    def damage(self, run: str | None = None) -> Sequence[Damage]:
        """The damage that the test added, of one run or all."""
        with self._changed:
            return [entry for entry in self._damage if run is None or entry.run == run]

    def progress(self) -> Progress:
        """The progress that the test set."""
        return self._progress

    def location(self) -> str:
        """The location given to the constructor."""
        return self._location

    def generation(self) -> int:
        """The number of changes so far."""
        return self._generation

    def changes(self, since: int, *, timeout: float = 0.0) -> Changes:
        """Changes after ``since``; waits up to ``timeout`` seconds for one."""
        with self._changed:
            self._changed.wait_for(lambda: self._generation > since, timeout)
            series: dict[str, set[SeriesKey]] = {}
            news = self._log[since:]
            for entry in news:
                if entry is not None:
                    series.setdefault(entry[0], set()).add(entry[1])
            return Changes(self._generation, series, runs=None in news)

    def close(self) -> None:
        """Nothing is held."""

    # --- inside -----------------------------------------------------------------------------------

    def _put(
        self, place: tuple[str, SeriesKey], data: _Numbers | _Payloads, display_name: str, description: str
    ) -> None:
        run = self._runs.get(place[1].run)
        self._series[place] = data
        if display_name or description:
            self._texts[place] = (display_name, description)
        if run is None:
            start = float(data.wall_times.min()) if len(data.wall_times) else None
            self._runs[place[1].run] = Run(place[1].run, (Dialect.TENSORBOARD,), start)
            self._log.append(None)
            self._generation += 1
        self._grow(place)

    def _grow(self, entry: tuple[str, SeriesKey] | None) -> None:
        self._log.append(entry)
        self._generation += 1
        self._changed.notify_all()

    def _records_of(self, plugin: str, key: SeriesKey) -> _Payloads:
        with self._changed:
            data = self._series.get((plugin, key))
        if not isinstance(data, _Payloads):
            raise NotFound(f"run {key.run!r} has no {plugin} {key.tag!r}")
        return data

    def _info(self, place: tuple[str, SeriesKey], data: _Numbers | _Payloads) -> SeriesInfo:
        count = len(data.steps)
        display_name, description = self._texts.get(place, ("", ""))
        return SeriesInfo(
            key=place[1],
            points=count,
            kept=count,
            first_step=int(data.steps.min()) if count else 0,
            last_step=int(data.steps[-1]) if count else 0,
            last_value=float(data.values[-1]) if isinstance(data, _Numbers) and count else None,
            last_wall_time=float(data.wall_times[-1]) if count else 0.0,
            attempts=1 + len(_restarts(data.steps)),
            display_name=display_name,
            description=description,
            claims=() if isinstance(data, _Numbers) else tuple(dict.fromkeys(p.claim for p in data.payloads)),
        )


def _restarts(steps: NDArray[np.int64]) -> NDArray[np.intp]:
    """Where a step is smaller than the one before it."""
    return np.flatnonzero(np.diff(steps) < 0) + 1


def _shown(steps: NDArray[np.int64], attempts: ShownAttempts) -> NDArray[np.intp]:
    """Indices of the points that no later attempt overwrote, or of all points."""
    shown = np.ones(len(steps), bool)
    if attempts == "last":
        for begin in _restarts(steps):
            shown[:begin] &= steps[:begin] < steps[begin]
    return np.flatnonzero(shown)


def _answer(data: _Numbers, query: ScalarQuery) -> ScalarColumns:
    total = len(data.steps)
    begins = _restarts(data.steps)
    kept = _shown(data.steps, query.attempts)
    visible = data.take(kept)
    origin = origin_of(visible.wall_times)
    x = {
        "step": visible.steps.astype(np.float64),
        "relative": visible.wall_times - origin,
        "wall": visible.wall_times,
    }[query.x]
    low, high = query.window
    inside = np.ones(len(x), bool)
    if low is not None:
        inside &= x >= low
    if high is not None:
        inside &= x <= high
    raw = visible.values[inside]
    smooth = _smoothed(visible.values, query.smoothing) if query.smoothing else visible.values
    numbers = _Numbers(visible.steps, visible.wall_times, smooth).take(inside)
    points = len(numbers.steps)
    places = np.flatnonzero(inside)
    if query.nearest is not None and points:
        nearest = np.argmin(np.abs(x[inside] - query.nearest))
        numbers, places = numbers.take(slice(nearest, nearest + 1)), places[nearest : nearest + 1]
    return ScalarColumns(
        steps=numbers.steps,
        wall_times=numbers.wall_times,
        values=numbers.values,
        points=points,
        total=total,
        hidden=total - len(kept),
        kept=total,
        origin=origin,
        extent=(float(np.min(x)), float(np.max(x))) if len(x) else (0.0, 0.0),
        restarts=data.steps[begins],
        breaks=np.searchsorted(kept[places], begins).astype(np.int64),
        nonfinite=(int(np.isnan(raw).sum()), int(np.isposinf(raw).sum()), int(np.isneginf(raw).sum())),
    )


def _smoothed(values: NDArray[np.float32] | NDArray[np.float64], weight: float) -> NDArray[np.float64]:
    """TensorBoard's debiased exponential moving average; what is not finite stays and is skipped."""
    out = values.astype(np.float64)
    last, count = 0.0, 0
    for index, value in enumerate(out.tolist()):
        if np.isfinite(value):
            last = last * weight + (1 - weight) * value
            count += 1
            out[index] = last / (1 - weight**count)
    return out
