"""All series of all runs, which generation changed them last, and what was damaged."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping

import numpy as np
from attrs import Factory, define

from insight_core.api import (
    CachePolicy,
    Changes,
    Claim,
    Damage,
    DataKind,
    Dialect,
    EventField,
    Plugin,
    Run,
    SeriesKey,
    SummaryPlugin,
)
from insight_core.records.batch import Batch, Flaw, ValueColumns
from insight_core.records.wire import Metadata
from insight_core.store.series import Column, FileOrder, Series

_KEEP_ALL = CachePolicy()
_MOST_CHANGES = 2000  # more than these are told as "anything may have changed"
# Events that carry a whole message have no tag; these are TensorBoard's names for them.
_EVENT_TAGS = {"graph_def": "__run_graph__", "meta_graph_def": "__meta_graph__"}


@define
class _RunState:
    """What the store holds of one run."""

    dialects: dict[FileOrder, Dialect] = Factory(dict)
    start_times: dict[FileOrder, float] = Factory(dict)
    metadata: dict[str, Metadata] = Factory(dict)
    series: dict[tuple[str, str], Series] = Factory(dict)  # by plugin and tag
    damage: dict[str, tuple[Damage, ...]] = Factory(dict)  # by file
    refused: dict[str, Damage] = Factory(dict)  # what a cache policy or a wrong type kept out
    loading: bool = True

    def held(self, plugin: str) -> int:
        """How many series of a plugin there are."""
        return sum(name == plugin for name, _ in self.series)


class Store:
    """Written by one loader, read by any thread. One lock; nothing slow is done under it."""

    def __init__(self, plugins: Iterable[Plugin], policies: Mapping[str, CachePolicy]) -> None:
        self._lock = threading.Condition()
        self._claims: dict[Claim, Plugin] = {}
        self._policies: dict[str, CachePolicy] = {}
        for plugin in plugins:
            self._policies[plugin.name] = policies.get(plugin.name, plugin.cache)
            for claim in plugin.decoder.claims if plugin.decoder else ():
                self._claims[claim] = plugin
        self._runs: dict[str, _RunState] = {}
        self._generation = 0
        self._changed: OrderedDict[tuple[str, SeriesKey], int] = OrderedDict()
        self._runs_changed = 0
        self._vanished = 0  # generation at which series last disappeared

    # --- the loader's side ------------------------------------------------------------------------

    def add_run(self, name: str) -> None:
        with self._lock:
            if name not in self._runs:
                self._runs[name] = _RunState()
                self._touch_runs()

    def remove_run(self, name: str) -> None:
        with self._lock:
            if self._runs.pop(name, None) is not None:
                self._touch_runs(vanished=True)
                # told as "anything may have changed" from now on
                self._changed.clear()

    def set_loading(self, name: str, loading: bool) -> None:
        with self._lock:
            run = self._runs.get(name)
            if run is not None and run.loading != loading:
                run.loading = loading
                self._touch_runs()

    def set_damage(self, run: str, file: str, flaws: Iterable[Flaw]) -> None:
        with self._lock:
            state = self._runs.get(run)
            if state is None:
                return
            damage = tuple(Damage(run, file, f.offset, f.reason, f.skipped) for f in flaws)
            if state.damage.get(file, ()) != damage:
                state.damage[file] = damage
                self._touch_runs()

    def drop_file(self, run: str, file: str, order: FileOrder) -> None:
        with self._lock:
            state = self._runs.get(run)
            if state is None:
                return
            state.damage.pop(file, None)
            state.dialects.pop(order, None)
            state.start_times.pop(order, None)
            for key, series in list(state.series.items()):
                series.drop(order)
                if series.empty:
                    del state.series[key]
            self._touch_runs(vanished=True)

    def append(self, run: str, file: str, order: FileOrder, dialect: Dialect, batch: Batch) -> None:
        """Adds what a chunk of a file held."""
        with self._lock:
            state = self._runs.get(run)
            if state is None:
                return
            changed = state.dialects.get(order) is not dialect
            state.dialects[order] = dialect
            first = batch.first_wall_time
            if first is not None and first < state.start_times.get(order, np.inf):
                state.start_times[order] = first
                changed = True
            for tag, metadata in batch.metadata.items():
                state.metadata.setdefault(tag, metadata)
            if changed:
                self._touch_runs()
            self._generation += 1
            for columns in batch.columns:
                self._append_columns(state, run, file, order, dialect, columns)
            self._lock.notify_all()

    def _append_columns(
        self, state: _RunState, run: str, file: str, order: FileOrder, dialect: Dialect, columns: ValueColumns
    ) -> None:
        tag = columns.tag or _EVENT_TAGS.get(columns.field, "")
        metadata = state.metadata.get(tag)
        claim: Claim = EventField(dialect, columns.field)
        if columns.field == "tensor" and metadata is not None:
            claim = SummaryPlugin(metadata.plugin)
        plugin = self._claims.get(claim)
        name = str(claim) if plugin is None else plugin.name
        held: dict[str, Column]
        offset = int(columns.records[0]) if columns.records is not None else 0
        scalar = plugin is not None and plugin.decoder is not None and plugin.decoder.kind is DataKind.SCALAR
        if scalar or columns.records is None or columns.starts is None or columns.sizes is None:
            if columns.values is None:
                self._refuse(
                    state,
                    run,
                    file,
                    tag,
                    offset,
                    f"{tag!r} of plugin {name} is not one number",
                )
                return
            held = {"steps": columns.steps, "wall_times": columns.wall_times, "values": columns.values}
        else:
            held = {
                "steps": columns.steps,
                "wall_times": columns.wall_times,
                "records": columns.records,
                "starts": columns.starts,
                "sizes": columns.sizes,
            }
        policy = self._policies.get(name, _KEEP_ALL)
        series = state.series.get((name, tag))
        if series is None:
            if policy.series and state.held(name) >= policy.series:
                reason = f"{tag!r} is left out: the cache policy keeps {policy.series} tags of {name} a run"
                self._refuse(state, run, file, tag, offset, reason)
                return
            series = state.series[(name, tag)] = Series(policy)
            if metadata is not None:
                series.metadata = metadata
        if claim not in series.claims:
            series.claims = (*series.claims, claim)
        if "records" in held:
            held["claims"] = np.full(len(columns.steps), series.claims.index(claim), np.uint8)
        series.append(order, held)
        key = (name, SeriesKey(run, tag))
        self._changed[key] = self._generation
        self._changed.move_to_end(key)

    def _refuse(self, state: _RunState, run: str, file: str, tag: str, offset: int, reason: str) -> None:
        if tag not in state.refused:
            state.refused[tag] = Damage(run, file, offset, reason)
            self._touch_runs()

    def touch_runs(self) -> None:
        """The run table changed in a way that only its reader sees: progress."""
        with self._lock:
            self._touch_runs()

    def _touch_runs(self, *, vanished: bool = False) -> None:
        self._generation += 1
        self._runs_changed = self._generation
        if vanished:
            self._vanished = self._generation
        self._lock.notify_all()

    # --- the reader's side ------------------------------------------------------------------------

    @property
    def generation(self) -> int:
        return self._generation

    def wake(self) -> None:
        """Ends every wait for changes."""
        with self._lock:
            self._lock.notify_all()

    def changes(self, since: int, timeout: float) -> Changes:
        """What changed after generation ``since``; waits up to ``timeout`` seconds for something to."""
        with self._lock:
            if timeout > 0 and self._generation <= since:
                self._lock.wait(timeout)
            runs = self._runs_changed > since
            if since < self._vanished or since > self._generation:
                return Changes(self._generation, None, True)
            found: dict[str, list[SeriesKey]] = {}
            for count, ((plugin, key), generation) in enumerate(reversed(self._changed.items())):
                if generation <= since:
                    break
                if count == _MOST_CHANGES:
                    return Changes(self._generation, None, runs)
                found.setdefault(plugin, []).append(key)
            return Changes(self._generation, found, runs)

    def runs(self) -> list[Run]:
        with self._lock:
            return [
                Run(
                    name,
                    tuple(sorted(set(state.dialects.values()))),
                    min(state.start_times.values(), default=None),
                    state.loading,
                    sum(map(len, state.damage.values())) + len(state.refused),
                )
                for name, state in self._runs.items()
            ]

    def damage(self, run: str | None) -> list[Damage]:
        with self._lock:
            states = self._runs.values() if run is None else [self._runs[run]] if run in self._runs else []
            found = [entry for state in states for entries in state.damage.values() for entry in entries]
            return found + [entry for state in states for entry in state.refused.values()]

    def plugins(self) -> set[str]:
        """Plugins that have series; values without a plugin by their claim."""
        with self._lock:
            return {plugin for state in self._runs.values() for plugin, _ in state.series}

    def find(self, plugin: str, key: SeriesKey) -> Series | None:
        with self._lock:
            state = self._runs.get(key.run)
            return state.series.get((plugin, key.tag)) if state else None

    def series(self, plugin: str, runs: Iterable[str] | None) -> list[tuple[SeriesKey, Series]]:
        with self._lock:
            names = self._runs if runs is None else [name for name in self._runs if name in set(runs)]
            return [
                (SeriesKey(name, tag), series)
                for name in names
                for (owner, tag), series in self._runs[name].series.items()
                if owner == plugin
            ]
