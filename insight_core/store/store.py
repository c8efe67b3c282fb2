"""All series of all runs, their generations, and damage."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from insight_core.formats.batch import Batch, Flaw
from insight_core.plugin import CachePolicy, Changes, Damage, Dialect, Plugin, Run, SeriesInfo, SeriesKey
from insight_core.store.changes import changes_after
from insight_core.store.claimed_file import NamedFile
from insight_core.store.claims import Owners, Taken
from insight_core.store.column_memory import ColumnMemory
from insight_core.store.file_state import FileState, SeriesGroup
from insight_core.store.late_claims import LateClaims, infos_of
from insight_core.store.resting import RestingGroup
from insight_core.store.run_state import FileHeld, RunState
from insight_core.store.segment import FileOrder
from insight_core.store.series import Series
from insight_core.store.series_table import SeriesTable, may_rest

_SERIES_AT_ONCE = 500  # added to without letting readers in


class Store:
    """Written by loaders, read by any thread. One lock, held only briefly."""

    def __init__(
        self,
        plugins: Iterable[Plugin],
        policies: Mapping[str, CachePolicy],
        memory: ColumnMemory | None = None,
    ) -> None:
        self._lock = threading.Condition()
        self._memory = memory or ColumnMemory()
        self._owners = Owners(plugins, policies)
        self._runs: dict[str, RunState] = {}
        self._generation = 0
        self._changed: OrderedDict[Series, int] = OrderedDict()
        self._came = 0  # generation at which a run last had its first series
        self._runs_changed = 0
        self._vanished = 0  # generation at which series last disappeared
        self._late = LateClaims()

    def fingerprint(self) -> str:
        """A hash of claims, kinds and cache policies, which decide what is kept of a file."""
        return self._owners.fingerprint

    @property
    def number_plugins(self) -> frozenset[str]:
        """Summary plugins whose tensors are read as numbers, at any position of a file."""
        return self._owners.number_plugins

    def admit(self, plugin: Plugin) -> None:
        """Adds a plugin after the start: it gets values that were unclaimed so far; all of them are kept."""
        with self._lock:
            self._late.add(plugin)
            self._touch_runs(vanished=True)

    # --- the loader's side ------------------------------------------------------------------------

    def add_run(self, name: str) -> None:
        """Adds a run."""
        with self._lock:
            if name not in self._runs:
                self._runs[name] = RunState(SeriesTable(name, self._memory))
                self._touch_runs()

    def remove_run(self, name: str) -> None:
        """Removes a run and its series."""
        with self._lock:
            state = self._runs.pop(name, None)
            if state is None:
                return
            state.series.release()
            self._touch_runs(vanished=True)
            # told as "anything may have changed" from now on
            self._changed.clear()

    def set_loading(self, name: str, loading: bool) -> None:
        """Sets whether unread bytes of the run are known."""
        with self._lock:
            run = self._runs.get(name)
            if run is not None and run.loading != loading:
                run.loading = loading
                self._touch_runs()

    def set_damage(self, run: str, file: str, flaws: Sequence[Flaw]) -> None:
        """Replaces the damage list of a file."""
        with self._lock:
            state = self._runs.get(run)
            if state is None or (not flaws and file not in state.damage):
                return
            damage = tuple(Damage(run, file, f.offset, f.reason, f.skipped) for f in flaws)
            if state.damage.get(file, ()) != damage:
                state.damage[file] = damage
                self._touch_runs()

    def note_served(self, run: str, order: FileOrder, record: int, flaw: Flaw | None, vanished: int) -> None:
        """Records that the record at an offset was found damaged, or intact, while it was served.

        ``vanished`` is the property of that name from before the lookup: if series disappeared since, the
        record may belong to a replaced file and nothing is noted.
        """
        with self._lock:
            state = self._runs.get(run)
            if state and vanished == self._vanished and state.note_served(order, record, flaw):
                self._touch_runs()

    def drop_file(self, run: str, file: str, order: FileOrder) -> None:
        """Removes the points of a file."""
        with self._lock:
            state = self._runs.get(run)
            if state is None:
                return
            state.damage.pop(file, None)
            state.files.pop(order, None)
            state.series.wake()
            for series in state.series.awake():
                series.drop(order)
                if series.empty:
                    state.series.remove(series)
                    self._changed.pop(series, None)
            state.join_metadata()
            for series in state.series.awake():
                metadata = state.metadata.get(series.key.tag)
                if series.metadata is not metadata:
                    series.metadata = metadata
            state.list_refused(run)
            self._touch_runs(vanished=True)

    def append(
        self,
        run: str,
        file: str,
        order: FileOrder,
        dialect: Dialect | None,
        batch: Batch,
        expected: float = 1.0,
    ) -> None:
        """Adds a batch of a file; the whole file has about ``expected`` times as many points."""
        with self._lock:
            state = self._runs.get(run)
            if state is None:
                return
            held = state.files.get(order)
            if held is None:
                held = state.files[order] = FileHeld(file, dialect)
                self._runs_changed = self._generation + 1
            elif held.dialect is not dialect:  # it may only now be known
                held.dialect = dialect
                self._runs_changed = self._generation + 1
            first = batch.first_wall_time
            if first is not None and (held.start_time is None or first < held.start_time):
                held.start_time = first
                self._runs_changed = self._generation + 1
            if batch.columns or batch.metadata:
                state.series.wake()
            for tag, metadata in batch.metadata.items():
                held.metadata.setdefault(tag, metadata)
                state.metadata.setdefault(tag, metadata)
            taken = self._owners.taken(
                batch.columns, batch.dialect, (held.metadata, state.metadata), file.rpartition("/")[2]
            )
            self._generation += 1
            if state.series.has_no_events:
                taken = self._rest_taken(state, order, taken)
            self._lock.notify_all()
        refused = len(held.refused)
        places = [(each, place) for each in taken for place in range(len(each.tags))]
        for at in range(0, len(places), _SERIES_AT_ONCE):
            with self._lock:
                self._generation += 1
                for each, place in places[at : at + _SERIES_AT_ONCE]:
                    self._append_columns(state, held, order, each, place, expected)
                self._lock.notify_all()
        if len(held.refused) > refused:
            with self._lock:
                state.list_refused(run)
                self._touch_runs()

    def put_file(self, file: NamedFile) -> None:
        """Adds this version of a file that plugins claim by name, and replaces any other version."""
        columns = file.columns()
        with self._lock:
            state = self._runs.get(file.run)
            if state is None:
                return
            held = state.files.setdefault(file.order, FileHeld(file.name, None))
            self._generation += 1
            for plugin, claim in file.claims:
                state.series.wake_of_file(plugin, file.tag)
                policy = self._owners.policy(plugin)
                series = state.series_of(held, plugin, file.tag, policy, 0, is_file=True)
                if series is not None:
                    series.replace(file.order, columns, (claim,))
                    self._note_change(series)
            if held.refused:
                state.list_refused(file.run)
                self._touch_runs()
            self._lock.notify_all()

    def restore(self, run: str, file: str, order: FileOrder, content: FileState) -> None:
        """Adds the saved state of a file that is new to this process."""
        with self._lock:
            state = self._runs.get(run)
            if state is None:
                return
            state.series.wake()
            held = FileHeld(file, content.dialect, content.start_time, dict(content.metadata))
            state.files[order] = held
            state.metadata = {**held.metadata, **state.metadata}
            held.refused.update(content.refused)
            self._generation += 1
            is_first = state.series.has_no_events
            for group in content.groups:
                policy = self._owners.policy(group.plugin)
                if is_first and may_rest(policy) and state.series.may_rest(group.plugin, group.tags):
                    self._rest(state, order, group, policy)
                else:
                    self._restore_each(state, held, order, group, policy)
            if held.refused:
                state.list_refused(run)
            self._touch_runs()

    def _restore_each(
        self,
        state: RunState,
        held: FileHeld,
        order: FileOrder,
        group: SeriesGroup,
        policy: CachePolicy,
    ) -> None:
        for place, tag in enumerate(group.tags):
            series = state.series_of(held, group.plugin, tag, policy, 0)
            if series is not None:
                series.restore(order, group, place)
                self._note_change(series)

    def _rest(self, state: RunState, order: FileOrder, group: SeriesGroup, policy: CachePolicy) -> None:
        state.series.rest(order, group, state.metadata, policy)
        state.series.came = self._came = self._generation

    def _rest_taken(self, state: RunState, order: FileOrder, taken: list[Taken]) -> list[Taken]:
        """Stores the first series of a run in compact groups if possible; returns the values to be appended
        one by one.
        """
        if len(taken) == 1:
            names: set[object] = set(taken[0].tags)
        else:
            names = {(each.owner.name, tag) for each in taken for tag in each.tags}
        if len(names) < sum(len(each.tags) for each in taken):
            return taken  # a tag whose values change their form
        left = []
        for each in taken:
            if (
                each.columns
                and may_rest(each.owner.policy)
                and state.series.may_rest(each.owner.name, each.tags)
            ):
                self._rest(state, order, each.group(), each.owner.policy)
            else:
                left.append(each)
        return left

    def file_state(self, run: str, order: FileOrder) -> FileState | None:
        """The state of a file; None if it has none. The file must not be appended to meanwhile."""
        with self._lock:
            state = self._runs.get(run)
            held = state.files.get(order) if state else None
            if state is None or held is None:
                return None
            dialect, start_time, metadata = held.dialect, held.start_time, dict(held.metadata)
            refused = dict(held.refused)
            groups = [resting.group for resting in state.series.resting(order)]
            awake = state.series.awake()
        parts = (series.part(order) for series in awake)
        groups += [part for part in parts if part is not None]
        with self._lock:
            if self._runs.get(run) is not state or state.files.get(order) is not held:
                return None  # the file went meanwhile
        return FileState(dialect, start_time, metadata, tuple(groups), refused)

    def _append_columns(
        self,
        state: RunState,
        held: FileHeld,
        order: FileOrder,
        taken: Taken,
        place: int,
        expected: float,
    ) -> None:
        tag, owner = taken.tags[place], taken.owner
        if not taken.columns:
            held.refused.setdefault(tag, taken.refusal(place))
            return
        offset = taken.offset_of(place)
        series = state.series_of(held, owner.name, tag, owner.policy, offset)
        if series is not None:
            series.append(order, taken.columns_of(place), owner.claims, expected)
            self._note_change(series)

    def _note_change(self, series: Series) -> None:
        self._changed.pop(series, None)  # so that it goes to the end
        self._changed[series] = self._generation

    def touch_runs(self) -> None:
        """Reports a change of the run table that only readers see: progress."""
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
        """The current generation."""
        return self._generation

    @property
    def vanished(self) -> int:
        """The generation at which series last disappeared."""
        return self._vanished

    def wake(self) -> None:
        """Ends every wait for changes."""
        with self._lock:
            self._lock.notify_all()

    def changes(self, since: int, timeout: float) -> Changes:
        """Changes after generation ``since``; waits up to ``timeout`` seconds for one."""
        with self._lock:
            if timeout > 0 and self._generation <= since:
                self._lock.wait(timeout)
            return changes_after(
                since,
                self._generation,
                runs=self._runs_changed,
                everything=self._vanished,
                series=self._changed_since(since),
            )

    def _changed_since(self, since: int) -> Iterator[tuple[str, SeriesKey]]:
        """Plugins and keys of changed series, possibly with duplicates."""
        for series, generation in reversed(self._changed.items()):
            if generation <= since:
                break
            yield self._late.owner(series.plugin), series.key
        if self._came <= since:
            return
        for run, state in self._runs.items():
            if state.series.came > since:
                for name, tags in state.series.names_of_events():
                    yield from ((self._late.owner(name), SeriesKey(run, tag)) for tag in tags)

    def runs(self) -> list[Run]:
        """All runs."""
        with self._lock:
            return [state.as_run(name) for name, state in self._runs.items()]

    def damage(self, run: str | None) -> list[Damage]:
        """Damage of one run or of all."""
        with self._lock:
            states = (
                self._runs.items() if run is None else [(run, self._runs[run])] if run in self._runs else []
            )
            return [entry for name, state in states for entry in state.all_damage(name)]

    def plugins(self) -> set[str]:
        """Plugins that have series; values without a plugin count under their claim."""
        with self._lock:
            return {self._late.owner(name) for run in self._runs.values() for name, _ in run.series.names()}

    def find(self, plugin: str, key: SeriesKey) -> Series | None:
        """The series of a plugin with this key; None if it does not exist."""
        with self._lock:
            state = self._runs.get(key.run)
            return state.series.first(self._late.names(plugin), key.tag) if state else None

    def infos(self, plugin: str, runs: Iterable[str] | None) -> list[SeriesInfo]:
        """All series of a plugin without their data; empty series are omitted."""
        wanted = None if runs is None else set(runs)
        found: list[RestingGroup | Series] = []
        names = self._late.names(plugin)
        with self._lock:
            for run, state in self._runs.items():
                if wanted is None or run in wanted:
                    found += state.series.of(names)
        return infos_of(found, distinct=len(names) > 1)
