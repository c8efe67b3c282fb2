"""A data provider over given columns, for tests of routes without a logdir."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence

import numpy as np
from attrs import evolve, frozen
from numpy.typing import ArrayLike, NDArray

from insight_core.plugin import Claim, Dialect, NotFound, PluginNameEnum, ProviderSettings
from insight_core.plugin.data import (
    Damage,
    Payload,
    Progress,
    ProviderBase,
    RecordTable,
    Run,
    SeriesInfo,
    SeriesKey,
    ShownAttempts,
)
from insight_core.providers.scalar_answers import ScalarAnswers


@frozen(eq=False)
class _Numbers:
    steps: NDArray[np.int64]
    wall_times: NDArray[np.float64]
    values: NDArray[np.float32] | NDArray[np.float64]


@frozen(eq=False)
class _Payloads:
    steps: NDArray[np.int64]
    wall_times: NDArray[np.float64]
    payloads: tuple[Payload, ...]


class FakeProvider(ProviderBase):
    """A DataProvider in memory, with the scalar queries of the host.

    Every addition is a new generation and wakes calls that wait for a change.
    """

    def __init__(self, location: str = "fake") -> None:
        super().__init__(location, ProviderSettings({}, answer_scalars=ScalarAnswers()))
        self._lock = threading.RLock()
        self._runs: dict[str, Run] = {}
        self._series: dict[tuple[str, SeriesKey], _Numbers | _Payloads] = {}
        self._texts: dict[tuple[str, SeriesKey], tuple[str, str]] = {}
        self._damage: list[Damage] = []
        self._progress = Progress(loaded_once=True)

    # --- what a test puts in ----------------------------------------------------------------------

    def add_run(self, run: Run) -> None:
        """Adds a run, or replaces the one of its name."""
        with self._lock:
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
        with self._lock:
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
        with self._lock:
            self._put((plugin, SeriesKey(run, tag)), records, display_name, description)

    def remove_series(self, plugin: str, run: str, tag: str) -> None:
        """Removes a series. Raises KeyError for an unknown one."""
        with self._lock:
            place = (plugin, SeriesKey(run, tag))
            del self._series[place]
            self._grow(place, gone=True)

    def add_damage(self, damage: Damage) -> None:
        """Adds a damaged place, and its run if that is new."""
        with self._lock:
            self._damage.append(damage)
            run = self._runs.get(damage.run, Run(damage.run))
            self._runs[damage.run] = evolve(run, damage=run.damage + 1)
            self._grow(None)

    def set_progress(self, progress: Progress) -> None:
        """Sets the answer of ``progress``."""
        with self._lock:
            self._progress = progress
            self._grow(None)

    # --- what a route asks ------------------------------------------------------------------------

    def runs(self) -> Sequence[Run]:
        """The runs in the order in which the test added them."""
        with self._lock:
            return list(self._runs.values())

    def plugins(self) -> Collection[str]:
        """Sorted names of plugins that have a series."""
        with self._lock:
            return sorted({plugin for plugin, _ in self._series})

    def series(
        self, plugin: str, *, runs: Collection[str] | None = None, tags: Collection[str] | None = None
    ) -> Sequence[SeriesInfo]:
        """The series of a plugin, sorted by run and tag."""
        with self._lock:
            return [
                self._info(place, data)
                for place, data in sorted(self._series.items(), key=lambda item: item[0])
                if place[0] == plugin
                and (runs is None or place[1].run in runs)
                and (tags is None or place[1].tag in tags)
            ]

    def points(self, plugin: str, key: SeriesKey) -> tuple[ArrayLike, ArrayLike, ArrayLike] | None:
        """The points that the test added."""
        with self._lock:
            data = self._series.get((plugin, key))
        return (data.steps, data.wall_times, data.values) if isinstance(data, _Numbers) else None

    def records(self, plugin: str, key: SeriesKey, attempts: ShownAttempts = "last") -> RecordTable:
        """Steps, wall times and sizes in bytes. Raises NotFound for an unknown series."""
        data = self._records_of(plugin, key)
        shown = self.shown(plugin, key, data.steps, data.wall_times, attempts)
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
        shown = self.shown(plugin, key, data.steps, data.wall_times, attempts)
        if not 0 <= index < len(shown):
            raise NotFound(f"{key.tag!r} of run {key.run!r} has no record {index}")
        payload = data.payloads[int(shown[index])]
        return evolve(payload, data=payload.data[:limit])

    def damage(self, run: str | None = None) -> Sequence[Damage]:
        """The damage that the test added, of one run or all."""
        with self._lock:
            return [entry for entry in self._damage if run is None or entry.run == run]

    def progress(self) -> Progress:
        """The progress that the test set."""
        return self._progress

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
            self._grow(None)
        self._grow(place)

    def _grow(self, place: tuple[str, SeriesKey] | None, *, gone: bool = False) -> None:
        self.changed({} if place is None else {place[0]: [place[1]]}, runs=place is None, gone=gone)

    def _records_of(self, plugin: str, key: SeriesKey) -> _Payloads:
        with self._lock:
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
            attempts=1 + int(np.count_nonzero(np.diff(data.steps) < 0)),
            display_name=display_name,
            description=description,
            claims=() if isinstance(data, _Numbers) else tuple(dict.fromkeys(p.claim for p in data.payloads)),
        )
