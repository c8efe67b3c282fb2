"""Changes of logs as they come, and the points that are appended to scalar series."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

import numpy as np
from attrs import evolve

from insight_core.plugin import Unavailable
from insight_core.plugin.data import Changes, DataProvider, ScalarColumns, ScalarQuery, SeriesKey, SeriesTable
from insight_host.arrow import LogColumn
from insight_host.tables import LogTable

_WAIT = 1.0  # seconds of one wait for changes
Known = dict[SeriesKey, tuple[int, int]]  # number of points that were given, and the last step


def points_table(found: Iterable[tuple[SeriesKey, ScalarColumns]], *, has_attempts: bool = False) -> LogTable:
    """``run``, ``tag``, ``step``, ``wall_time`` and ``value`` of every point, one series after the other, and
    with ``has_attempts`` its ``attempt``, of columns with all attempts. The columns are copied once.
    """
    series = list(found)
    runs: dict[str, int] = {}
    tags: dict[str, int] = {}
    of_run = np.array([runs.setdefault(key.run, len(runs)) for key, _ in series], np.int32)
    of_tag = np.array([tags.setdefault(key.tag, len(tags)) for key, _ in series], np.int32)
    counts = np.array([len(columns.steps) for _, columns in series], np.int64)
    total = int(counts.sum())
    steps, wall_times = np.empty(total, np.int64), np.empty(total, np.float64)
    values = np.empty(total, np.float64)
    attempts = np.ones(total if has_attempts else 0, np.int32)
    begin = 0
    for _, columns in series:
        end = begin + len(columns.steps)
        steps[begin:end] = columns.steps
        wall_times[begin:end] = columns.wall_times
        values[begin:end] = columns.values
        for later in columns.breaks.tolist():
            attempts[begin + later : end] += 1
        begin = end
    return LogTable(
        {
            "run": LogColumn(np.repeat(of_run, counts), list(runs)),
            "tag": LogColumn(np.repeat(of_tag, counts), list(tags)),
            "step": LogColumn(steps),
            "wall_time": LogColumn(wall_times),
            "value": LogColumn(values),
            **({"attempt": LogColumn(attempts)} if has_attempts else {}),
        }
    )


def changes_from(provider: DataProvider, generation: int, is_closed: Callable[[], bool]) -> Iterator[Changes]:
    """What changed after a generation, and then what changes, until ``is_closed``."""
    while not is_closed():
        changes = provider.changes(generation, timeout=_WAIT)
        if changes.generation != generation and not is_closed():
            generation = changes.generation
            yield changes


def new_points(
    provider: DataProvider,
    plugin: str,
    listed: Callable[[], Sequence[SeriesTable]],
    is_closed: Callable[[], bool],
) -> Iterator[LogTable]:
    """Tables of the points that come from now on.

    ``listed`` gives the series with their points and last step. Ends when ``is_closed``. A
    server that does not answer is waited for.
    """
    generation = provider.generation()
    known = _summaries(listed())
    return _following(provider, plugin, listed, is_closed, generation, known)


def _following(
    provider: DataProvider,
    plugin: str,
    listed: Callable[[], Sequence[SeriesTable]],
    is_closed: Callable[[], bool],
    generation: int,
    known: Known,
) -> Iterator[LogTable]:
    while not is_closed():
        changes = provider.changes(generation, timeout=_WAIT)
        if changes.generation == generation or is_closed():
            continue
        try:
            now = _summaries(listed())
            grown = [key for key in sorted(now) if now[key][0] > known.get(key, (0, 0))[0]]
            came = [(key, _new(provider, plugin, key, known.get(key))) for key in grown]
        except Unavailable:
            continue
        generation = changes.generation
        known = {key: now[key] for key in now.keys() & known.keys()}
        found = []
        for key, columns in came:
            if columns is not None:
                known[key] = columns.total, now[key][1]
                if len(columns.steps):
                    found.append((key, columns))
        if found:
            yield points_table(found, has_attempts=True)


def _summaries(tables: Collection[SeriesTable]) -> Known:
    return {
        SeriesKey(table.run, tag): (int(str(points)), int(str(last)))
        for table in tables
        for tag, points, last in zip(
            table.tags, table.column("points"), table.column("last_step"), strict=True
        )
    }


def _new(
    provider: DataProvider, plugin: str, key: SeriesKey, known: tuple[int, int] | None
) -> ScalarColumns | None:
    """The points after the first ``known`` ones; None of a series that is gone."""
    given, last = (0, None) if known is None else known
    if last is not None:  # usually all later steps: the host need not send what was there
        query = ScalarQuery(window=(last + 1, None), attempts="all")
        columns = provider.scalars(plugin, [key], query).get(key)
        if columns is None:
            return None
        if columns.total - given == len(columns.steps) and not len(columns.restarts):
            return columns
    columns = provider.scalars(plugin, [key], ScalarQuery(attempts="all")).get(key)
    if columns is None:
        return None
    first = max(0, len(columns.steps) - (columns.total - given))
    return evolve(
        columns,
        steps=columns.steps[first:],
        wall_times=columns.wall_times[first:],
        values=columns.values[first:],
        breaks=np.maximum(columns.breaks - first, 0),
    )
