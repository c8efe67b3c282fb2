"""The provider that loads in this process."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from insight_core.api import (
    CachePolicy,
    Changes,
    Damage,
    InsightError,
    NotFound,
    Payload,
    Plugin,
    Progress,
    RecordTable,
    Run,
    ScalarColumns,
    ScalarQuery,
    SeriesInfo,
    SeriesKey,
)
from insight_core.loading.event_file import read_payload
from insight_core.loading.loader import Loader
from insight_core.loading.logdir import Logdir
from insight_core.providers.scalars import ViewCache, answer
from insight_core.store.series import Series, Snapshot
from insight_core.store.store import Store

_EVERY_POINT = ScalarQuery()


class LocalProvider:
    """Reads logdirs into memory and answers from there. ``policies`` replace those of plugins, by name."""

    def __init__(
        self,
        logdirs: Sequence[Logdir],
        plugins: Iterable[Plugin],
        *,
        policies: Mapping[str, CachePolicy] | None = None,
        reload_interval: float = 1.0,
    ) -> None:
        self._logdirs = tuple(logdirs)
        plugins = list(plugins)
        self._plugins = {plugin.name for plugin in plugins}
        self._store = Store(plugins, policies or {})
        self._loader = Loader(self._store, self._logdirs, reload_interval)
        self._views = ViewCache()

    def start(self) -> None:
        """Loads in the background, the newest runs first, then follows what is appended."""
        self._loader.start()

    def load(self) -> None:
        """Reads everything that is there now, and returns when that is done."""
        self._loader.load()

    def close(self) -> None:
        self._loader.stop()
        self._store.wake()

    def plugins(self) -> Collection[str]:
        return self._store.plugins()

    def runs(self) -> Sequence[Run]:
        return sorted(
            self._store.runs(), key=lambda r: (np.inf if r.start_time is None else r.start_time, r.name)
        )

    def series(self, plugin: str, *, runs: Collection[str] | None = None) -> Sequence[SeriesInfo]:
        found = (_info(key, series) for key, series in self._store.series(plugin, runs))
        return [info for info in found if info is not None]

    def scalars(
        self, plugin: str, keys: Collection[SeriesKey], query: ScalarQuery = _EVERY_POINT
    ) -> Mapping[SeriesKey, ScalarColumns]:
        self._loader.prefer(frozenset(key.run for key in keys))
        answers: dict[SeriesKey, ScalarColumns] = {}
        for key in keys:
            series = self._store.find(plugin, key)
            if series is None:
                continue
            snapshot = series.snapshot()
            if "values" not in snapshot.columns:
                continue
            view = self._views.view((plugin, key, query.attempts, query.smoothing), snapshot, query)
            answers[key] = answer(snapshot, view, query)
        return answers

    def records(self, plugin: str, key: SeriesKey) -> RecordTable:
        _, snapshot, shown = self._shown_records(plugin, key)
        columns = {name: column[shown] for name, column in snapshot.columns.items()}
        return RecordTable(
            columns["steps"].astype(np.int64),
            columns["wall_times"].astype(np.float64),
            columns["sizes"].astype(np.int64),
        )

    def payload(self, plugin: str, key: SeriesKey, index: int) -> Payload:
        series, snapshot, shown = self._shown_records(plugin, key)
        if not 0 <= index < len(shown):
            raise NotFound(f"{key.tag!r} of run {key.run!r} has no record {index}")
        at = int(shown[index])
        order = snapshot.orders[int(snapshot.files[at])]
        path = self._loader.path_of(key.run, order)
        if path is None:
            raise NotFound(f"the file of {key.tag!r} of run {key.run!r} is gone")
        place = (int(snapshot.columns[name][at]) for name in ("records", "starts", "sizes"))
        try:
            data = read_payload(path, *place)
        except (OSError, ValueError) as error:
            raise InsightError(f"{key.tag!r} of run {key.run!r}, record {index}: {error}") from error
        return Payload(data, series.claims[int(snapshot.columns["claims"][at])])

    def _shown_records(self, plugin: str, key: SeriesKey) -> tuple[Series, Snapshot, NDArray[np.intp]]:
        series = self._store.find(plugin, key)
        snapshot = series.snapshot() if series else None
        if series is None or snapshot is None or "records" not in snapshot.columns:
            raise NotFound(f"plugin {plugin} has no records under {key.tag!r} of run {key.run!r}")
        visible = snapshot.attempts.visible
        return series, snapshot, np.arange(len(snapshot.files)) if visible is None else visible

    def damage(self, run: str | None = None) -> Sequence[Damage]:
        return sorted(self._store.damage(run), key=lambda d: (d.run, d.file, d.offset))

    def unclaimed(self) -> Mapping[str, Mapping[str, int]]:
        """Values that no plugin claims: by run, how many of each claim."""
        found: dict[str, dict[str, int]] = {}
        for name in self._store.plugins() - self._plugins:
            for key, series in self._store.series(name, None):
                counts = found.setdefault(key.run, {})
                counts[name] = counts.get(name, 0) + series.snapshot().total
        return found

    def progress(self) -> Progress:
        return self._loader.progress()

    def location(self) -> str:
        return ",".join(f"{d.name}:{d.path}" if d.name else d.path for d in self._logdirs)

    def generation(self) -> int:
        return self._store.generation

    def changes(self, since: int, *, timeout: float = 0.0) -> Changes:
        return self._store.changes(since, timeout)


def _info(key: SeriesKey, series: Series) -> SeriesInfo | None:
    snapshot = series.snapshot()
    if not len(snapshot.files):  # its files went while we looked
        return None
    attempts = snapshot.attempts
    steps = snapshot.columns["steps"]
    shown = attempts.visible
    first, last = (0, -1) if shown is None else (int(shown[0]), int(shown[-1]))
    values, metadata = snapshot.columns.get("values"), series.metadata
    return SeriesInfo(
        key=key,
        points=snapshot.total,
        kept=len(steps),
        first_step=int(steps[first]),
        last_step=int(steps[last]),
        last_value=None if values is None else float(values[last]),
        attempts=attempts.count,
        display_name=metadata.display_name if metadata else "",
        description=metadata.description if metadata else "",
        claims=series.claims,
        content=metadata.content if metadata else b"",
        data_class=metadata.data_class if metadata else 0,
    )
