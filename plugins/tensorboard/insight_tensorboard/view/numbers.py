"""Reads the points of many scalar series of the catalog."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin.data import DataProvider, ScalarColumns, SeriesKey
from insight_tensorboard.view.catalog import TensorBoardSeries
from insight_tensorboard.view.records import RecordReader, joined_by_step
from insight_tensorboard.view.translation import number_of

_POINTS = 4 << 20  # points that are held at a time


@frozen(eq=False)
class Numbers:
    """The points of a scalar series by step; columns of equal length, values in their written precision."""

    steps: NDArray[np.int64]
    wall_times: NDArray[np.float64]
    values: NDArray[np.float32] | NDArray[np.float64]


class NumberReader:
    """Reads columns from scalar series, and single numbers from record series."""

    def __init__(self, provider: DataProvider, records: RecordReader) -> None:
        self._provider = provider
        self._records = records

    def read(self, entries: Sequence[TensorBoardSeries]) -> Iterator[tuple[TensorBoardSeries, Numbers]]:
        """All points of each series that is still there, in the order of ``entries``."""
        for portion in _portions(entries):
            columns = self._columns(portion)
            for entry in portion:
                read = [columns[place] for place in _places(entry) if place in columns]
                parts: list[tuple[NDArray[Any], ...]] = [
                    (part.steps, part.wall_times, part.values) for part in read
                ]
                if len(parts) < len(entry.sources):
                    parts.append(self._decoded(entry))
                yield entry, Numbers(*joined_by_step(parts))

    def _columns(self, entries: Sequence[TensorBoardSeries]) -> dict[tuple[str, SeriesKey], ScalarColumns]:
        by_plugin: dict[str, list[SeriesKey]] = {}
        for entry in entries:
            for plugin, key in _places(entry):
                by_plugin.setdefault(plugin, []).append(key)
        return {
            (plugin, key): columns
            for plugin, keys in by_plugin.items()
            for key, columns in self._provider.scalars(plugin, keys).items()
        }

    def _decoded(self, entry: TensorBoardSeries) -> tuple[NDArray[Any], ...]:
        rows = self._records.rows(entry)
        found = list(self._records.values(entry, rows, range(len(rows.steps)), number_of))
        chosen = [row for row, _ in found]
        values = np.array([number for _, number in found], np.float64)
        return rows.steps[chosen], rows.wall_times[chosen], values


def _places(entry: TensorBoardSeries) -> list[tuple[str, SeriesKey]]:
    """The series of the provider that have columns of numbers."""
    return [
        (source.plugin, entry.key) for source in entry.sources.values() if source.info.last_value is not None
    ]


def _portions(entries: Sequence[TensorBoardSeries]) -> Iterator[Sequence[TensorBoardSeries]]:
    """Groups series so that about ``_POINTS`` points are in memory at a time."""
    portion: list[TensorBoardSeries] = []
    points = 0
    for entry in entries:
        portion.append(entry)
        points += sum(source.info.kept for source in entry.sources.values())
        if points >= _POINTS:
            yield portion
            portion, points = [], 0
    if portion:
        yield portion


@functools.lru_cache(maxsize=32)
def downsampled(count: int, limit: int) -> NDArray[np.intp]:
    """Indices, ascending, of at most ``limit`` of ``count`` points: a uniform sample and the last point.

    The result depends only on both numbers, so that series written in parallel keep the same steps.
    """
    if limit >= count:
        chosen = np.arange(count)
    elif not limit:
        chosen = np.zeros(0, np.intp)
    else:
        draw = np.random.Generator(np.random.PCG64(0))
        drawn = draw.choice(count - 1, limit - 1, replace=False, shuffle=False)
        chosen = np.append(np.sort(drawn), count - 1)
    chosen.setflags(write=False)
    return chosen
