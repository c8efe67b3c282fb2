"""The rows of an SQLite database as runs, scalars and pictures."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin import Dialect, EventField, NotFound, ProviderSettings
from insight_core.plugin.data import (
    Payload,
    ProviderBase,
    RecordTable,
    Run,
    SeriesInfo,
    SeriesKey,
    ShownAttempts,
)
from insight_core.plugin.payloads import image_payload

Columns: TypeAlias = tuple[Any, ...]

_IMAGE = EventField(Dialect.TENSORBOARD, "image")  # what the Images tab reads: a picture in a small message
_TABLES = {"scalar": ("points", "value"), "image": ("pictures", "NULL")}  # table and last value, by plugin
_RUNS = """
SELECT run, MIN(seconds) FROM (SELECT run, seconds FROM points UNION ALL SELECT run, seconds FROM pictures)
GROUP BY run
"""
_SERIES = """
WITH numbered AS (
    SELECT rowid AS place, *, LAG(step) OVER (PARTITION BY run, tag ORDER BY rowid) AS before FROM {table}
    WHERE (:runs IS NULL OR run IN (SELECT value FROM json_each(:runs)))
    AND (:tags IS NULL OR tag IN (SELECT value FROM json_each(:tags)))
), counted AS (
    SELECT COUNT(*) AS points, 1 + CAST(TOTAL(step < before) AS INTEGER) AS attempts, MIN(step) AS first,
    MAX(place) AS last FROM numbered GROUP BY run, tag
)
SELECT run, tag, points, first, step, {value}, seconds, attempts FROM counted JOIN {table} ON rowid = last
"""


class SqliteProvider(ProviderBase):
    """Answers every question from the database, and keeps no copy of its rows."""

    def __init__(self, path: str, settings: ProviderSettings) -> None:
        super().__init__(f"sqlite:{path}", settings)
        self._uri = f"{Path(path).absolute().as_uri()}?mode=ro"
        self._ended = threading.Event()

    def runs(self) -> Sequence[Run]:
        return [Run(name, start_time=start) for name, start in self._rows(_RUNS)]

    def series(
        self, plugin: str, *, runs: Collection[str] | None = None, tags: Collection[str] | None = None
    ) -> Sequence[SeriesInfo]:
        if plugin not in _TABLES:
            return []
        table, value = _TABLES[plugin]
        names = {"runs": _as_json(runs), "tags": _as_json(tags)}
        claims = (_IMAGE,) if plugin == "image" else ()
        return [
            SeriesInfo(
                SeriesKey(run, tag), points, points, first, last, number, seconds, attempts, claims=claims
            )
            for run, tag, points, first, last, number, seconds, attempts in self._rows(
                _SERIES.format(table=table, value=value), names
            )
        ]

    def points(self, plugin: str, key: SeriesKey) -> Columns | None:
        return self._columns("points", "step, seconds, value", key) if plugin == "scalar" else None

    def records(self, plugin: str, key: SeriesKey, attempts: ShownAttempts = "last") -> RecordTable:
        steps, seconds, _, shown = self._pictures(plugin, key, attempts)
        unread = np.full(len(shown), -1)  # the size of a payload is known when it is read
        return RecordTable(
            steps[shown], seconds[shown], unread, len(steps), len(steps), hidden=len(steps) - len(shown)
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
        _, _, places, shown = self._pictures(plugin, key, attempts)
        if not 0 <= index < len(shown):
            raise NotFound(f"{key.tag!r} of run {key.run!r} has no record {index}")
        [[png]] = self._rows("SELECT png FROM pictures WHERE rowid = ?", [int(places[shown[index]])])
        whole = image_payload(png)
        return Payload(whole.data[:limit], whole.claim)

    def start(self) -> None:
        if self.settings.reload_interval:
            database = self._connected()
            known = _version(database)
            threading.Thread(target=self._follow, args=(database, known), daemon=True).start()

    def close(self) -> None:
        self._ended.set()
        super().close()

    def _follow(self, database: sqlite3.Connection, known: int) -> None:
        with closing(database):
            while not self._ended.wait(self.settings.reload_interval):
                before, known = known, _version(database)
                if known != before:
                    self.changed()  # anything may have changed

    def _pictures(self, plugin: str, key: SeriesKey, attempts: ShownAttempts) -> tuple[NDArray[Any], ...]:
        """Steps, seconds and places of all pictures, and the indices of those that are shown."""
        found = self._columns("pictures", "step, seconds, rowid", key) if plugin == "image" else None
        if found is None:
            raise NotFound(f"run {key.run!r} has no {plugin} {key.tag!r}", code="unknown_series")
        steps, seconds, places = (np.array(column) for column in found)
        return steps, seconds, places, self.shown(plugin, key, steps, seconds, attempts)

    def _columns(self, table: str, names: str, key: SeriesKey) -> Columns | None:
        query = f"SELECT {names} FROM {table} WHERE run = ? AND tag = ? ORDER BY rowid"
        rows = self._rows(query, [key.run, key.tag])
        return tuple(zip(*rows, strict=True)) if rows else None

    def _rows(self, query: str, values: Sequence[object] | Mapping[str, object] = ()) -> list[Columns]:
        with closing(self._connected()) as database:
            return database.execute(query, values).fetchall()

    def _connected(self) -> sqlite3.Connection:
        return sqlite3.connect(self._uri, uri=True, check_same_thread=False)


def _version(database: sqlite3.Connection) -> int:
    """Another number after each commit of others."""
    [version] = database.execute("PRAGMA data_version").fetchone()
    return int(version)


def _as_json(names: Collection[str] | None) -> str | None:
    return None if names is None else json.dumps(list(names))
