"""Applies what files say of sessions to the series of their runs, and to runs of ``add_scalars`` below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from insight_core.store.changed_series import SeriesLog
from insight_core.store.run_table import RunTable
from insight_core.store.sessions import NO_SESSIONS, RunSessions, run_above


class SessionUpdates:
    """Guarded by the store's lock. Whatever makes series of points that were stored may raise Lost."""

    def __init__(self, runs: Mapping[str, RunTable], log: SeriesLog) -> None:
        self._runs, self._log = runs, log

    def add(self, names: Iterable[str]) -> None:
        """Gives new runs the sessions of the runs above them."""
        for name in names:
            above = self._runs.get(run_above(name))
            if above is not None and above.sessions.starts:
                self._runs[name].update_sessions(above.sessions)

    def update(self, table: RunTable) -> None:
        """Reads the sessions of the files of a run again."""
        before = table.sessions.starts
        if table.update_sessions():
            self._log.note_gone({table.name: table.tags()})
        if table.sessions.starts != before:
            self._spread(table.name, table.sessions)

    def remove(self, table: RunTable) -> None:
        """The sessions of a run that was removed count no more in the runs below."""
        if table.sessions.starts:
            self._spread(table.name, NO_SESSIONS)

    def _spread(self, run: str, sessions: RunSessions) -> None:
        for name, table in self._runs.items():
            if name != run and run_above(name) == run and table.update_sessions(sessions):
                self._log.note_gone({name: table.tags()})
