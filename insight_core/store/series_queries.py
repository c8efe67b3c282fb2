"""Lists plugins that have series, and series: those that rest, those of runs without a table, and others."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Collection, Iterable, Mapping

from insight_core.formats.stored_block import Lost
from insight_core.plugin.data import SeriesField, SeriesInfo, SeriesTable
from insight_core.plugin.data.tables import joined_table, tables_of
from insight_core.store.changed_series import SeriesLog
from insight_core.store.indexed_runs import IndexedRuns, is_shared
from insight_core.store.resting import Resting
from insight_core.store.run_table import RunTable
from insight_core.store.series import Series


class SeriesQueries:
    """Reads the runs of a store below its lock. Empty series are omitted."""

    def __init__(
        self, lock: threading.Lock, runs: Mapping[str, RunTable], indexed: IndexedRuns, log: SeriesLog
    ) -> None:
        self._lock, self._runs, self._indexed, self._log = lock, runs, indexed, log
        self._plugins: tuple[int, frozenset[str]] | None = None  # with the generation

    def plugins(self) -> set[str]:
        """Plugins that have series; values without a plugin count under their claim."""
        generation, known = self._log.generation, self._plugins
        if known is None or known[0] != generation:  # kept: rules ask for each run
            with self._lock:
                names = self._indexed.plugins().union(*(table.names() for table in self._runs.values()))
            self._plugins = known = generation, frozenset(names)
        return set(known[1])

    def infos(
        self, plugin: str, runs: Iterable[str] | None, tags: Collection[str] | None = None
    ) -> list[SeriesInfo]:
        """Series of a plugin without their data; empty series are omitted. Raises Lost."""
        runs = None if runs is None else list(runs)
        self._indexed.make_tables_with(plugin, runs, tags)
        infos: list[SeriesInfo] = []
        lost: Lost | None = None
        with self._lock:
            found_tables = self._found(plugin, runs, tags)
        for table, found in found_tables:
            for each in found:
                try:
                    infos += each.infos(tags) if isinstance(each, Resting) else table.infos(plugin, each)
                except Lost as error:  # all that is lost comes to light, to be read again together
                    lost = error
        if lost is not None:
            raise lost
        return infos

    def tables(
        self,
        plugin: str,
        fields: Collection[SeriesField],
        runs: Iterable[str] | None,
        tags: Collection[str] | None = None,
    ) -> list[SeriesTable]:
        """The same by run and column. Of what rests, only these fields are read. Raises Lost."""
        runs = None if runs is None else list(runs)
        if not is_shared(fields):
            self._indexed.make_tables_with(plugin, runs, tags)
        with self._lock:  # both together: a run whose table is made meanwhile must not be missing
            tables = self._indexed.tables(plugin, fields, runs, tags) if is_shared(fields) else []
            found_tables = self._found(plugin, runs, tags)
        lost: Lost | None = None
        for table, found in found_tables:
            try:
                parts = [each.table(fields, tags) for each in found if isinstance(each, Resting)]
                others = (table.infos(plugin, each) for each in found if not isinstance(each, Resting))
                parts += tables_of(itertools.chain.from_iterable(others), fields)
            except Lost as error:  # see ``infos``
                lost = error
                continue
            parts = [part for part in parts if part.tags]
            if parts:
                tables.append(joined_table(parts))
        if lost is not None:
            raise lost
        return tables

    def _found(
        self, plugin: str, runs: Iterable[str] | None, tags: Collection[str] | None
    ) -> list[tuple[RunTable, list[Resting | list[Series]]]]:
        wanted = self._runs if runs is None else dict.fromkeys(runs)
        tables = [table for run in wanted if (table := self._runs.get(run)) is not None]
        return [(table, table.found(plugin, tags)) for table in tables]
