"""Applies what files say of sessions to the series of their runs, and to runs of ``add_scalars`` below."""

from __future__ import annotations

from collections.abc import Mapping

from insight_core.formats.event import Metadata
from insight_core.store.changed_series import SeriesLog
from insight_core.store.run_table import RunTable
from insight_core.store.segment import FileOrder
from insight_core.store.sessions import NO_SESSIONS, RunsBelow, RunSessions, has_results


class SessionUpdates:
    """Guarded by the store's lock. Whatever makes series of points that were stored may raise Lost."""

    def __init__(self, runs: Mapping[str, RunTable], below: RunsBelow, log: SeriesLog) -> None:
        self._runs, self._below, self._log = runs, below, log

    def update(self, table: RunTable) -> None:
        """Reads the sessions of the files of a run again."""
        before = table.sessions
        self._note(table, before, table.update_sessions())

    def take(
        self, table: RunTable, order: FileOrder, steps: Mapping[int, int], found: Mapping[str, Metadata]
    ) -> None:
        """Adds sessions of a file, as ``FileSessions.steps``, and the metadata ``found`` in it."""
        before = table.sessions
        own = before.with_file(order, steps, has_results=has_results(found))
        self._note(table, before, table.set_sessions(own))

    def _note(self, table: RunTable, before: RunSessions, is_shown_otherwise: bool) -> None:
        if is_shown_otherwise:
            self._log.note_gone({table.name: table.tags()})
        if table.sessions.starts != before.starts:
            self._spread(table.name, table.sessions)

    def remove(self, table: RunTable) -> None:
        """The sessions of a run that was removed count no more in the runs below."""
        if table.sessions.starts:
            self._spread(table.name, NO_SESSIONS)

    def _spread(self, run: str, sessions: RunSessions) -> None:
        for name in self._below.of(run):
            table = self._runs.get(name)
            if table is not None and table.update_sessions(sessions):
                self._log.note_gone({name: table.tags()})
