"""All series of all runs, their generations, and damage."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain

from insight_core.formats.batch import Batch, Flaw
from insight_core.formats.stored_block import Lost
from insight_core.plugin import CachePolicy, Dialect, Plugin
from insight_core.plugin.data import Changes, Damage, Run, SeriesField, SeriesInfo, SeriesKey, SeriesTable
from insight_core.store.changed_series import Came, Change, Gone, SeriesLog
from insight_core.store.claims import ClaimedBlock, Claims, FileState, assign, whole_field
from insight_core.store.column_memory import ColumnMemory
from insight_core.store.first_files import FirstFile, FirstFiles, LoadedFiles
from insight_core.store.held_file import HeldFile, NamedFile
from insight_core.store.indexed_runs import IndexedRuns, RecalledFiles
from insight_core.store.run_table import RunTable
from insight_core.store.segment import FileOrder
from insight_core.store.series_queries import SeriesQueries
from insight_core.store.session_updates import SessionUpdates
from insight_core.store.sessions import FileSessions, RunsBelow, has_results
from insight_core.store.snapshot import Snapshot

_SERIES_AT_ONCE = 500  # added to without letting readers in


class Store:
    """Written by loaders, read by any thread. One lock, held only briefly.

    Values are kept by claim; a query finds them through the claims of its plugin, whenever that came.
    """

    def __init__(
        self,
        plugins: Iterable[Plugin],
        policies: Mapping[str, CachePolicy],
        memory: ColumnMemory | None = None,
    ) -> None:
        self._lock = threading.Lock()
        self._memory = memory or ColumnMemory()
        self._claims = Claims(plugins, policies)
        self._runs: dict[str, RunTable] = {}
        self._log = SeriesLog(self._named)
        self._below = RunsBelow()
        self._sessions = SessionUpdates(self._runs, self._below, self._log)
        self._indexed = IndexedRuns(
            self._lock, self._runs, self._below, self._claims, self._memory, self._log
        )
        self._first = FirstFiles(self._lock, self._indexed, self._claims, self._memory)
        self._queries = SeriesQueries(self._lock, self._runs, self._indexed, self._log)

    @property
    def number_plugins(self) -> frozenset[str]:
        """Summary plugins whose tensors are read as numbers, at any position of a file."""
        return self._claims.number_plugins

    def admit(self, plugin: Plugin) -> None:
        """Adds a plugin after the start: it gets values that were unclaimed so far. Raises Lost.

        Then some runs are left out; call it again when their files were read.
        """
        claims = plugin.decoder.claims if plugin.decoder is not None else ()
        claimed = {*claims, *map(whole_field, claims)}
        while True:
            self._indexed.make_tables_claimed(claimed)
            with self._lock:
                if not self._indexed.claimed(claimed):  # others may have come meanwhile
                    return self._take_over(plugin)

    def _take_over(self, plugin: Plugin) -> None:
        """Gives a plugin its values in tables. Raises Lost."""
        lost: Lost | None = None
        self._claims.add(plugin)
        for table in self._runs.values():
            try:
                table.take_over(plugin.name)
            except Lost as error:  # see ``infos``
                lost = error
        self._log.add(None)
        if lost is not None:
            raise lost

    # --- the loader's side ------------------------------------------------------------------------

    def add_runs(self, names: Iterable[str]) -> None:
        """Adds those of these runs that are not there."""
        with self._lock:
            new = [name for name in names if name not in self._runs and name not in self._indexed]
            self._indexed.add(new)
            self._below.add(new)
            if new:
                self._log.add((), runs=True)

    def remove_runs(self, names: Iterable[str]) -> None:
        """Removes these runs and their series."""
        with self._lock:
            gone = {name: tags for name in names if (tags := self._removed(name)) is not None}
            if gone:
                self._log.note_gone(gone)

    def _removed(self, name: str) -> Mapping[str, Collection[str]] | None:
        """Removes a run; returns the tags that it had by plugin, None for an unknown run."""
        self._below.remove(name)
        table = self._runs.pop(name, None)
        if table is None:
            return self._indexed.remove(name)
        self._sessions.remove(table)
        return table.tags()

    def set_loaded(self, names: Iterable[str]) -> None:
        """No unread bytes of these runs are known any more."""
        with self._lock:
            loading = [table for name in names if (table := self._runs.get(name)) and table.loading]
            for table in loading:
                table.loading = False
            if self._indexed.loaded(names) or loading:
                self._log.add((), runs=True)

    def set_damage(self, run: str, file: str, flaws: Sequence[Flaw]) -> None:
        """Replaces the damage list of a file."""
        if flaws:
            self._indexed.make_tables((run,))
        with self._lock:
            table = self._runs.get(run)
            if table is None or (not flaws and file not in table.damage):
                return
            damage = tuple(Damage(run, file, f.offset, f.reason, f.skipped) for f in flaws)
            if table.damage.get(file, ()) != damage:
                table.damage[file] = damage
                self._log.add((), runs=True)

    def note_served(self, run: str, order: FileOrder, record: int, flaw: Flaw | None, vanished: int) -> None:
        """Records that the record at an offset was found damaged, or intact, while it was served.

        ``vanished`` is the property of that name from before the lookup: if series disappeared since, the
        record may belong to a replaced file and nothing is noted.
        """
        with self._lock:
            table = self._runs.get(run)
            if table and vanished == self.vanished and table.note_served(order, record, flaw):
                self._log.add((), runs=True)

    def drop_file(self, run: str, file: str, order: FileOrder) -> None:
        """Removes the points of a file."""
        self._indexed.make_tables((run,))
        with self._lock:
            table = self._runs.get(run)
            if table is not None:
                tags = table.tags()
                table.damage.pop(file, None)
                table.drop(order)
                self._log.note_gone({run: tags})
                self._sessions.update(table)

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
        self._indexed.make_tables((run,))
        if batch.session_step is not None:
            self._indexed.make_tables_below(run)
        with self._lock:
            table = self._runs.get(run)
            if table is None:
                return
            held = table.files.get(order)
            is_news = held is None
            if held is None:
                held = table.files[order] = HeldFile(file, dialect)
            if held.dialect is not dialect:  # it may only now be known
                held.dialect, is_news = dialect, True
            is_news |= held.note_times(batch)
            if batch.blocks or batch.metadata:
                tags = (tag for block in batch.blocks for tag in block.tags)
                table.make_series_for(order, chain(batch.metadata, tags))
            table.describe(order, batch.metadata)
            steps = {} if batch.session_step is None else held.sessions.begin(batch.session_step)
            if steps or has_results(batch.metadata):
                self._sessions.take(table, order, steps, {tag: held.metadata[tag] for tag in batch.metadata})
            held.sessions.has_values |= bool(batch.blocks)
            assigned = list(
                self._claims.of_tags(assign(batch, (held.metadata, table.metadata), file.rpartition("/")[2]))
            )
            came, found = table.rest(order, assigned)
            self._log.add([Came(run, claim, block.tags) for claim, block in came], runs=is_news)
        self._add(table, order, held, found, expected)

    def append_first(self, files: Sequence[FirstFile]) -> list[bool]:
        """Adds files of new runs; False for a file that ``append`` has to add."""
        return self._first.add(files)

    def recall(self, groups: Iterable[RecalledFiles]) -> None:
        """Lists runs that an earlier process read. Their files are opened when a client asks for points."""
        self._indexed.recall(groups)

    def compare(
        self,
        same: Iterable[str],
        changed: Iterable[str],
        orders: Callable[[str], Collection[FileOrder]],
    ) -> set[str]:
        """Keeps the recalled files of runs that are the ``same`` now, and drops those of runs that have
        ``changed``; ``orders`` returns the orders of the recalled files of a run.

        Returns the runs of ``same`` of which the store has everything of these files.
        """
        return self._indexed.compare(same, changed, orders)

    def restore(self, run: str, file: str, order: FileOrder, content: FileState) -> bool:
        """Adds the saved state of a file that is new to this process; False if some of it is missing."""
        self._indexed.make_tables((run,))
        if content.sessions:
            self._indexed.make_tables_below(run)
        with self._lock:
            table = self._runs.get(run)
            if table is None:
                return True
            if not self._claims.fits(content):
                return False
            held = table.files[order] = HeldFile(file, content.dialect, content.start_time, content.odd_time)
            tags = (tag for _, block in content.blocks for tag in block.tags)
            table.make_series_for(order, chain(content.metadata, tags))
            held.refused.update(content.refused)
            held.sessions = FileSessions.restored(content.sessions, has_values=bool(content.blocks))
            table.describe(order, content.metadata)
            if held.refused:
                table.list_refused()
            if content.sessions or has_results(content.metadata):
                self._sessions.take(table, order, content.sessions, content.metadata)
            came, found = table.rest(order, content.blocks)
            self._log.add([Came(run, claim, block.tags) for claim, block in came], runs=True)
        self._add(table, order, held, found, 1.0)
        return True

    def _add(
        self,
        table: RunTable,
        order: FileOrder,
        held: HeldFile,
        found: Sequence[ClaimedBlock],
        expected: float,
    ) -> None:
        """Adds blocks tag by tag, and lets readers in now and then."""
        refused = len(held.refused)
        each = [(claim, block, place) for claim, block in found for place in range(len(block.tags))]
        for at in range(0, len(each), _SERIES_AT_ONCE):
            with self._lock:
                if table.files.get(order) is not held:
                    return  # the file went meanwhile
                changed = [table.add(order, *one, expected) for one in each[at : at + _SERIES_AT_ONCE]]
                self._log.add([series for series in changed if series is not None])
        if table.above.starts:  # which count or not depending on its tags
            with self._lock:
                self._sessions.update(table)
        if len(held.refused) > refused or not all(
            self._claims.reader(claim, block.layout) for claim, block in found
        ):
            with self._lock:
                table.list_refused()
                self._log.add((), runs=True)

    def put_file(self, file: NamedFile) -> None:
        """Adds this version of a file that plugins claim by name, and replaces any other version."""
        self._indexed.make_tables((file.run,))
        series = [(plugin, claim, *claim.place_of(file.path_in_run)) for plugin, claim in file.claims]
        with self._lock:
            table = self._runs.get(file.run)
            if table is None:
                return
            held = table.files.setdefault(file.order, HeldFile(file.name, None))
            changed = [
                table.put(file.order, claim, tag, file.columns(step), plugin)
                for plugin, claim, tag, step in series
            ]
            if held.refused:
                table.list_refused()
            self._log.add([series for series in changed if series is not None], runs=bool(held.refused))

    def file_state(self, run: str, order: FileOrder) -> FileState | None:
        """The state of a file; None if it has none. The file must not be appended to meanwhile."""
        if (place := self.loaded_place(run, order)) is not None:
            return place[0].content(place[1])
        self._indexed.make_tables((run,))
        with self._lock:
            table = self._runs.get(run)
            held = table.files.get(order) if table else None
            if table is None or held is None:
                return None
            resting, series = table.blocks(order)
            metadata, refused = held.metadata, dict(held.refused)
            sessions = dict(held.sessions.steps)
        blocks: list[ClaimedBlock] = [(claim, block.loaded()) for claim, block in resting]
        if not (series or refused):  # what rests never changes, and nothing of it was left out
            start = held.dialect, held.start_time
            return FileState(*start, metadata, tuple(blocks), odd_time=held.odd_time, sessions=sessions)
        blocks += [(each.claim, block) for each in series for block in each.blocks(order)]
        with self._lock:
            if self._runs.get(run) is not table or table.files.get(order) is not held:
                return None  # the file went meanwhile
            lossy = {claim for claim, block in blocks if block.totals is not None}
            limits = self._claims.limits(lossy, refused=bool(refused))
        kept = metadata, tuple(blocks), refused, limits
        return FileState(held.dialect, held.start_time, *kept, held.odd_time, sessions)

    def loaded_place(self, run: str, order: FileOrder) -> tuple[LoadedFiles, int] | None:
        """See ``FirstFiles.place_of``."""
        return self._first.place_of(run, order)

    def touch_runs(self) -> None:
        """Reports a change of the run table that only readers see: progress."""
        self._log.add((), runs=True)

    # --- the reader's side ------------------------------------------------------------------------

    @property
    def generation(self) -> int:
        """The current generation."""
        return self._log.generation

    @property
    def vanished(self) -> int:
        """The generation at which series last disappeared."""
        return self._log.gone

    def end(self) -> None:
        """Ends every wait for changes."""
        self._log.end()

    def changes(self, since: int, timeout: float) -> Changes:
        """Changes after generation ``since``; waits up to ``timeout`` seconds for one."""
        return Changes(*self._log.changes(since, timeout))

    def _named(self, change: Change) -> Iterable[tuple[str, SeriesKey]]:
        if isinstance(change, Came):
            name = self._claims.owner(change.claim)
            return ((name, SeriesKey(change.run, tag)) for tag in change.tags)
        if isinstance(change, Gone):
            return ((change.plugin, SeriesKey(change.run, tag)) for tag in change.tags)
        return [(change.reader, change.key)] if change.reader else []

    def runs(self) -> list[Run]:
        """All runs, without those that were read and hold nothing but a run directly below.

        Such a directory has an event file because a writer was opened that wrote elsewhere, as torch's
        ``add_hparams`` does.
        """
        with self._lock:
            runs = [*(table.as_run() for table in self._runs.values()), *self._indexed.as_runs()]
            empty = {name for name, table in self._runs.items() if table.is_empty}
            empty.update(self._indexed.empty())
        if empty:
            empty &= {run.name.rpartition("/")[0] or "." for run in runs if run.name != "."}
        return [run for run in runs if run.name not in empty] if empty else runs

    def damage(self, run: str | None) -> list[Damage]:
        """Damage of one run or of all."""
        with self._lock:
            tables = (
                list(self._runs.values()) if run is None else [self._runs[run]] if run in self._runs else []
            )
            return [entry for table in tables for entry in table.all_damage()]

    def plugins(self) -> set[str]:
        """Plugins that have series; values without a plugin count under their claim."""
        return self._queries.plugins()

    def snapshot(self, plugin: str, key: SeriesKey) -> Snapshot | None:
        """All points that a plugin has under this key; None for an unknown series."""
        self._indexed.make_tables((key.run,))
        with self._lock:
            table = self._runs.get(key.run)
            found = table.find(plugin, key.tag) if table else []
        if table is None or not found:
            return None
        return found[0].snapshot() if len(found) == 1 else table.joined(plugin, found)

    def infos(
        self, plugin: str, runs: Iterable[str] | None, tags: Collection[str] | None = None
    ) -> list[SeriesInfo]:
        """See ``SeriesQueries.infos``."""
        return self._queries.infos(plugin, runs, tags)

    def tables(
        self,
        plugin: str,
        fields: Collection[SeriesField],
        runs: Iterable[str] | None,
        tags: Collection[str] | None = None,
    ) -> list[SeriesTable]:
        """See ``SeriesQueries.tables``."""
        return self._queries.tables(plugin, fields, runs, tags)
