"""The points of many series as one table."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from insight_core.plugin.data import ScalarColumns, SeriesKey
from insight_host.arrow import LogColumn
from insight_host.tables import LogTable


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
