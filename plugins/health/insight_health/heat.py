"""The map of an answer: rows of layers or runs, columns of steps or runs, as many as the page can show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_layers import FlagTrack, LayerRow, Measure, MeasureTrack, Tracks

View: TypeAlias = Literal["layers", "ranks", "matrix"]
VIEWS: tuple[View, ...] = ("layers", "ranks", "matrix")  # Layers by steps, ranks by steps, layers by ranks.

Steps = NDArray[np.int64]


@frozen(eq=False)
class StepAxis:
    """The steps that one of the rows has, and the part of them that the columns show.

    ``edges`` int64[columns + 1] are places among ``steps``: column i has those from edges[i] on.
    """

    steps: Steps
    edges: Steps

    @classmethod
    def of(cls, steps: Steps, begin: int, end: int | None, columns: int) -> StepAxis:
        """The steps of the places from ``begin`` to ``end`` (None: all), in at most so many columns."""
        begin = min(begin, len(steps))
        end = len(steps) if end is None else max(begin, min(end, len(steps)))
        count = min(columns, end - begin)
        return cls(steps, begin + np.arange(count + 1, dtype=np.int64) * (end - begin) // max(count, 1))

    @property
    def columns(self) -> int:
        """How many there are."""
        return len(self.edges) - 1

    @property
    def firsts(self) -> Steps:
        """The first step of each column."""
        return self.steps[self.edges[:-1]]

    @property
    def lasts(self) -> Steps:
        """The last step of each column."""
        return self.steps[self.edges[1:] - 1] if self.columns else np.empty(0, np.int64)

    @property
    def window(self) -> tuple[int, int]:
        """The first and the last step of all columns; (0, -1) without any."""
        return (int(self.firsts[0]), int(self.lasts[-1])) if self.columns else (0, -1)


@frozen(eq=False)
class HeatMap:
    """Numbers and flags of [rows, columns].

    ``numbers`` is float32: of all records of a cell the number that is farthest from 0, NaN without one.
    ``flags`` is uint8. ``whose`` is uint16: the place of the run that has the number, from 1; 0 without
    one.
    """

    numbers: NDArray[np.float32]
    flags: NDArray[np.uint8]
    whose: NDArray[np.uint16]


def union(tracks: Iterable[MeasureTrack | FlagTrack]) -> Steps:
    """The steps that one of the tracks has, rising."""
    distinct = {id(track.steps): track.steps for track in tracks}  # most share theirs
    if len(distinct) == 1:
        return np.unique(next(iter(distinct.values())))
    return np.unique(np.concatenate([np.empty(0, np.int64), *distinct.values()]))


def heat_map(
    tracks: Tracks,
    measure: Measure,
    layers: Sequence[LayerRow],
    runs: Sequence[str],
    view: View,
    axis: StepAxis,
) -> HeatMap:
    """The map of these layers and runs. Where a cell stands for several numbers, the extreme one counts."""
    rows = len(runs) if view == "ranks" else len(layers)
    columns = len(runs) if view == "matrix" else axis.columns
    found = HeatMap(
        np.full((rows, columns), np.nan, np.float32),
        np.zeros((rows, columns), np.uint8),
        np.zeros((rows, columns), np.uint16),
    )
    places: dict[int, tuple[Steps, int]] = {}
    bounds = axis if view != "matrix" else StepAxis(axis.steps, axis.edges[[0, -1]])
    if not bounds.columns:
        return found
    for number, run in enumerate(runs):
        for place, layer in enumerate(layers):
            row = number if view == "ranks" else place
            part = (row, slice(number, number + 1)) if view == "matrix" else (row, slice(None))
            for track in (one.filled() for one in tracks.flags(run, layer)):
                found.flags[part] |= _flagged(track, *_known(places, track.steps, bounds))
            measured = tracks.measure(run, layer, measure)
            if measured is None:
                continue
            measured = measured.filled()
            values = _extremes(measured, *_known(places, measured.steps, bounds))
            before = found.numbers[part]
            with np.errstate(invalid="ignore"):
                more = ~np.isnan(values) & (np.isnan(before) | (np.abs(values) > np.abs(before)))
            found.numbers[part] = np.where(more, values, before)
            found.whose[part] = np.where(more, number + 1, found.whose[part])
    return found


def _known(places: dict[int, tuple[Steps, int]], steps: Steps, axis: StepAxis) -> tuple[Steps, int]:
    if id(steps) not in places:
        places[id(steps)] = _places(steps, axis)
    return places[id(steps)]


def _places(steps: Steps, axis: StepAxis) -> tuple[Steps, int]:
    """Where the records of each column begin, and where those of the last end."""
    return np.searchsorted(steps, axis.firsts), int(np.searchsorted(steps, axis.window[1], "right"))


def _some(starts: Steps, end: int) -> NDArray[np.bool_]:
    """Which columns have a record."""
    return np.append(starts[1:], end) > starts


def _extremes(track: MeasureTrack, starts: Steps, end: int) -> NDArray[np.float32]:
    """Of each column the number that is farthest from 0; NaN without one."""
    found = np.full(len(starts), np.nan, np.float32)
    some = _some(starts, end)
    if some.any():
        values, begin = track.values[:end], starts[some]
        high, low = np.fmax.reduceat(values, begin), np.fmin.reduceat(values, begin)
        found[some] = np.where(np.abs(low) > np.abs(high), low, high)
    return found


def _flagged(track: FlagTrack, starts: Steps, end: int) -> NDArray[np.uint8]:
    found = np.zeros(len(starts), np.uint8)
    some = _some(starts, end)
    if some.any():
        found[some] = np.bitwise_or.reduceat(track.flags[:end], starts[some])
    return found
