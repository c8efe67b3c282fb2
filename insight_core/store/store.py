"""All series of all runs, which generation changed them last, and what was damaged."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence

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
from insight_core.store.column_memory import Column, ColumnMemory
from insight_core.store.file_state import FileState, PartState
from insight_core.store.held import FileHeld, Owner, RunState
from insight_core.store.segment import FileOrder
from insight_core.store.series import Series

_KEEP_ALL = CachePolicy()
_COLUMNS_AT_ONCE = 500  # added without letting readers in
_MOST_CHANGES = 2000  # more than these are told as "anything may have changed"
# Events that carry a whole message have no tag; these are TensorBoard's names for them.
_EVENT_TAGS = {"graph_def": "__run_graph__", "meta_graph_def": "__meta_graph__"}
_NAMED_BY_METADATA = (
    "tensor",
    "metadata",
)  # fields whose values belong to the plugin that the metadata names


class Store:
    """Written by loaders, read by any thread. One lock; nothing slow is done under it."""

    def __init__(
        self,
        plugins: Iterable[Plugin],
        policies: Mapping[str, CachePolicy],
        memory: ColumnMemory | None = None,
    ) -> None:
        self._lock = threading.Condition()
        self._memory = memory or ColumnMemory()
        self._owners: dict[Claim, Owner] = {}
        self._policies = dict(policies)
        for plugin in plugins:
            policy = self._policies.setdefault(plugin.name, plugin.cache)
            for claim in plugin.decoder.claims if plugin.decoder else ():
                scalar = plugin.decoder is not None and plugin.decoder.kind is DataKind.SCALAR
                self._owners[claim] = Owner((claim,), plugin.name, scalar, policy)
        self._fingerprint = _fingerprint(self._owners.values(), self._policies)
        self._runs: dict[str, RunState] = {}
        self._generation = 0
        self._changed: OrderedDict[Series, int] = OrderedDict()
        self._runs_changed = 0
        self._vanished = 0  # generation at which series last disappeared

    def fingerprint(self) -> str:
        """Changes with anything that decides what is kept of a file: claims, kinds, cache policies."""
        return self._fingerprint

    # --- the loader's side ------------------------------------------------------------------------

    def add_run(self, name: str) -> None:
        with self._lock:
            if name not in self._runs:
                self._runs[name] = RunState()
                self._touch_runs()

    def remove_run(self, name: str) -> None:
        with self._lock:
            state = self._runs.pop(name, None)
            if state is None:
                return
            for series in state.series.values():
                series.release()
            self._touch_runs(vanished=True)
            # told as "anything may have changed" from now on
            self._changed.clear()

    def set_loading(self, name: str, loading: bool) -> None:
        with self._lock:
            run = self._runs.get(name)
            if run is not None and run.loading != loading:
                run.loading = loading
                self._touch_runs()

    def set_damage(self, run: str, file: str, flaws: Sequence[Flaw]) -> None:
        with self._lock:
            state = self._runs.get(run)
            if state is None or (not flaws and file not in state.damage):
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
            held = state.files.pop(order, None)
            for series in held.series if held else ():
                series.drop(order)
                if series.empty:
                    del state.series[(series.plugin, series.key.tag)]
                    self._changed.pop(series, None)
            state.metadata = {}
            for _, other in sorted(state.files.items()):
                state.metadata = {**other.metadata, **state.metadata}
            for series in state.series.values():
                metadata = state.metadata.get(series.key.tag)
                if series.metadata is not metadata:
                    series.metadata = metadata
            state.list_refused(run)
            self._touch_runs(vanished=True)

    def append(
        self, run: str, file: str, order: FileOrder, dialect: Dialect, batch: Batch, expected: float = 1.0
    ) -> None:
        """Adds what a stretch of a file held; the whole file holds about ``expected`` times as much."""
        with self._lock:
            state = self._runs.get(run)
            if state is None:
                return
            held = self._held(state, file, order, dialect)
            first = batch.first_wall_time
            if first is not None and (held.start_time is None or first < held.start_time):
                held.start_time = first
                self._touch_runs()
            for tag, metadata in batch.metadata.items():
                held.metadata.setdefault(tag, metadata)
                state.metadata.setdefault(tag, metadata)
        refused = len(held.refused)
        for at in range(0, max(1, len(batch.columns)), _COLUMNS_AT_ONCE):
            with self._lock:
                self._generation += 1
                for columns in batch.columns[at : at + _COLUMNS_AT_ONCE]:
                    self._append_columns(state, held, run, order, columns, expected)
                self._lock.notify_all()
        if len(held.refused) > refused:
            with self._lock:
                state.list_refused(run)
                self._touch_runs()

    def _held(self, state: RunState, file: str, order: FileOrder, dialect: Dialect) -> FileHeld:
        """What is held of a file, whose dialect may only now be known."""
        held = state.files.get(order)
        if held is None:
            held = state.files[order] = FileHeld(file, dialect)
            self._touch_runs()
        elif held.dialect is not dialect:
            held.dialect = dialect
            held.owners.clear()
            self._touch_runs()
        return held

    def restore(self, run: str, file: str, order: FileOrder, content: FileState) -> None:
        """Takes over what an earlier process held of a file that is new to this one."""
        with self._lock:
            state = self._runs.get(run)
            if state is None:
                return
            held = FileHeld(file, content.dialect, content.start_time, dict(content.metadata))
            state.files[order] = held
            state.metadata = {**held.metadata, **state.metadata}
            held.refused.update(content.refused)
            self._generation += 1
            for part in content.parts:
                policy = self._policies.get(part.plugin, _KEEP_ALL)
                series = self._series_of(state, held, run, part.plugin, part.tag, policy, 0)
                if series is not None:
                    series.restore(order, part)
                    held.series.append(series)
                    self._note_change(series)
            if held.refused:
                state.list_refused(run)
            self._touch_runs()

    def file_state(self, run: str, order: FileOrder) -> FileState | None:
        """What is held of a file; None when that is nothing. The file must not be appended meanwhile."""
        with self._lock:
            state = self._runs.get(run)
            held = state.files.get(order) if state else None
            if held is None:
                return None
            dialect, start_time, metadata = held.dialect, held.start_time, dict(held.metadata)
            held_series, refused = list(held.series), dict(held.refused)
        parts: list[PartState] = []
        for series in held_series:
            part = series.part(order)
            if part is None:  # the file went meanwhile
                return None
            parts.append(part)
        return FileState(dialect, start_time, metadata, tuple(parts), refused)

    def _append_columns(
        self,
        state: RunState,
        held: FileHeld,
        run: str,
        order: FileOrder,
        columns: ValueColumns,
        expected: float,
    ) -> None:
        tag = columns.tag or _EVENT_TAGS.get(columns.field, "")
        field, metadata = columns.field, None
        if field in _NAMED_BY_METADATA:
            metadata = held.metadata.get(tag) or state.metadata.get(tag)
        owner = held.owners.get(field) if metadata is None else None
        if owner is None:
            owner = self._owner(held, field, metadata)
        steps, wall_times, records = columns.steps, columns.wall_times, columns.records
        offset = 0 if records is None else int(records[0])
        taken: dict[str, Column]
        if owner.holds_numbers or records is None or columns.starts is None or columns.sizes is None:
            if columns.values is None:
                held.refused.setdefault(
                    tag, Flaw(offset, f"{tag!r} of plugin {owner.name} is not one number")
                )
                return
            taken = {"steps": steps, "wall_times": wall_times, "values": columns.values}
        else:
            taken = {
                "steps": steps,
                "wall_times": wall_times,
                "records": records,
                "starts": columns.starts,
                "sizes": columns.sizes,
            }
        series = self._series_of(state, held, run, owner.name, tag, owner.policy, offset)
        if series is not None:
            if series.append(order, taken, owner.claims, expected):
                held.series.append(series)
            self._note_change(series)

    def _owner(self, held: FileHeld, field: str, metadata: Metadata | None) -> Owner:
        """Who takes a field of a file, or of that what the metadata says."""
        claim = EventField(held.dialect, field) if metadata is None else SummaryPlugin(metadata.plugin)
        owner = self._owners.get(claim)
        if owner is None:
            name = str(claim)
            owner = self._owners[claim] = Owner((claim,), name, False, self._policies.get(name, _KEEP_ALL))
        if metadata is None:
            held.owners[field] = owner
        return owner

    def _series_of(
        self,
        state: RunState,
        held: FileHeld,
        run: str,
        plugin: str,
        tag: str,
        policy: CachePolicy,
        offset: int,
    ) -> Series | None:
        """The series of a plugin under a tag; None when the policy allows no further one."""
        series = state.series.get((plugin, tag))
        if series is None:
            if policy.series and sum(name == plugin for name, _ in state.series) >= policy.series:
                reason = f"{tag!r} is left out: the cache policy keeps {policy.series} tags of {plugin} a run"
                held.refused.setdefault(tag, Flaw(offset, reason))
                return None
            series = Series(policy, self._memory, plugin, SeriesKey(run, tag))
            state.series[(plugin, tag)] = series
        if series.metadata is None and tag in state.metadata:
            series.metadata = state.metadata[tag]
        return series

    def _note_change(self, series: Series) -> None:
        self._changed.pop(series, None)  # so that it goes to the end
        self._changed[series] = self._generation

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
            for count, (series, generation) in enumerate(reversed(self._changed.items())):
                if generation <= since:
                    break
                if count == _MOST_CHANGES:
                    return Changes(self._generation, None, runs)
                found.setdefault(series.plugin, []).append(series.key)
            return Changes(self._generation, found, runs)

    def runs(self) -> list[Run]:
        with self._lock:
            return [
                Run(
                    name,
                    tuple(sorted({held.dialect for held in state.files.values()})),
                    state.start_time(),
                    state.loading,
                    sum(map(len, state.damage.values())) + len(state.refused),
                )
                for name, state in self._runs.items()
            ]

    def damage(self, run: str | None) -> list[Damage]:
        with self._lock:
            states = self._runs.values() if run is None else [self._runs[run]] if run in self._runs else []
            found = [entry for state in states for entries in state.damage.values() for entry in entries]
            return found + [entry for state in states for entry in state.refused]

    def plugins(self) -> set[str]:
        """Plugins that have series; values without a plugin by their claim."""
        with self._lock:
            return {plugin for state in self._runs.values() for plugin, _ in state.series}

    def find(self, plugin: str, key: SeriesKey) -> Series | None:
        with self._lock:
            state = self._runs.get(key.run)
            return state.series.get((plugin, key.tag)) if state else None

    def series(self, plugin: str, runs: Iterable[str] | None) -> list[tuple[SeriesKey, Series]]:
        wanted = None if runs is None else set(runs)
        with self._lock:
            return [
                (series.key, series)
                for name, state in self._runs.items()
                if wanted is None or name in wanted
                for series in state.series.values()
                if series.plugin == plugin
            ]


def _fingerprint(owners: Iterable[Owner], policies: Mapping[str, CachePolicy]) -> str:
    facts = [repr((o.claims, o.name, o.holds_numbers)) for o in owners]
    facts += [repr((name, policy)) for name, policy in policies.items()]
    return hashlib.sha256("\n".join(sorted(facts)).encode()).hexdigest()
