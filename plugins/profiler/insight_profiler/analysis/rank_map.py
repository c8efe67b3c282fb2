"""Rank x step: one time of every step of every rank, for a heat map."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.analysis.cluster import known_times
from insight_profiler.analysis.stragglers import division_of_ranks, sum_of_columns
from insight_profiler.model import Profile, Table

COMPUTE, WAIT, BANDWIDTH = "compute", "wait", "bandwidth"
SCALES = ("absolute", "relative")
_MOST_CELLS = 400_000
_MOST_COLUMNS = 2000

Matrix = NDArray[np.float64]


@frozen(eq=False)
class RankMap:
    """``values[rank, step]`` of the steps with these numbers; NaN: not known."""

    numbers: NDArray[np.int64]
    values: Matrix
    is_low_bad: bool = False  # of bandwidth the small values are of interest


def measures_of(ranks: Sequence[Profile]) -> list[str]:
    """What ranks can be compared by step for step: ``compute``, ``wait``, ``bandwidth``, then times of
    steps."""
    stepped = [rank for rank in ranks if "steps" in rank.tables]
    division = division_of_ranks([rank.tables["steps"] for rank in stepped]) if stepped else None
    found = []
    if division is not None and division.waiting:
        found += [COMPUTE, WAIT]
    if any(_has_bandwidth(rank) for rank in ranks):
        found.append(BANDWIDTH)
    return found + known_times(ranks)


def rank_map(ranks: Sequence[Profile], measure: str) -> RankMap:
    """A measure of all steps of ranks.

    ``compute`` is the time in which a rank works, ``wait`` the communication that no work covers, both as
    the verdict about stragglers counts them (``stragglers.py``), in ns. ``bandwidth`` is what a rank sent
    in the collectives and transfers of a step over the time that these took, in bytes a second. Any other
    measure is a column of the steps (ns).
    """
    if measure == BANDWIDTH:
        return _filled([_bandwidths(rank) for rank in ranks], is_low_bad=True)
    tables = [rank.tables.get("steps") for rank in ranks]
    division = division_of_ranks([table for table in tables if table is not None])
    columns: Callable[[Table], Matrix]
    if measure in (COMPUTE, WAIT) and division is not None:
        names = division.work if measure == COMPUTE else division.waiting

        def columns(table: Table) -> Matrix:
            return sum_of_columns(table, names)
    else:

        def columns(table: Table) -> Matrix:
            return np.where(table[measure] >= 0, table[measure], np.nan)

    nothing = np.empty(0, np.int64), np.empty(0)
    return _filled(
        [nothing if table is None else (table["number"], columns(table)) for table in tables],
        is_low_bad=False,
    )


def relative_to_stage(found: RankMap, stages: Sequence[Any]) -> RankMap:
    """By how much each value differs from the median of its stage in the same step: 0.1 is a tenth more."""
    values = np.full_like(found.values, np.nan)
    for stage in set(stages):
        rows = np.array([place for place, own in enumerate(stages) if own == stage])
        known = found.values[rows]
        has_some = ~np.isnan(known).all(axis=0)
        usual = np.full(known.shape[1], np.nan)
        usual[has_some] = np.nanmedian(known[:, has_some], axis=0)
        usual[usual <= 0] = np.nan
        values[rows] = known / usual - 1
    return RankMap(found.numbers, values, found.is_low_bad)


def shown(found: RankMap, width: int) -> dict[str, Any]:
    """The map in at most ``width`` columns: where these are fewer than the steps, each holds several steps
    and shows the worst one, the largest value or the smallest bandwidth; ``at`` has the number of that
    step."""
    ranks, steps = found.values.shape
    columns = max(1, min(width, _MOST_COLUMNS, _MOST_CELLS // max(1, ranks)))
    if steps <= columns:
        return {
            "first": found.numbers,
            "last": found.numbers,
            "at": None,
            "values": _rows(found.values),
            "steps": steps,
        }
    edges = np.linspace(0, steps, columns + 1).astype(np.intp)
    values, at = np.full((ranks, columns), np.nan), np.zeros((ranks, columns), np.int64)
    filler = np.inf if found.is_low_bad else -np.inf
    filled = np.where(np.isnan(found.values), filler, found.values)
    every = np.arange(ranks)
    for column in range(columns):
        part = filled[:, edges[column] : edges[column + 1]]
        place = part.argmin(axis=1) if found.is_low_bad else part.argmax(axis=1)
        values[:, column] = part[every, place]
        at[:, column] = found.numbers[edges[column] + place]
    values[~np.isfinite(values)] = np.nan
    return {
        "first": found.numbers[edges[:-1]],
        "last": found.numbers[edges[1:] - 1],
        "at": at,
        "values": _rows(values),
        "steps": steps,
    }


def _filled(columns: Sequence[tuple[NDArray[np.int64], Matrix]], *, is_low_bad: bool) -> RankMap:
    numbers = np.unique(np.concatenate([steps for steps, _ in columns])) if columns else np.empty(0, np.int64)
    values = np.full((len(columns), len(numbers)), np.nan)
    for row, (steps, own) in enumerate(columns):
        values[row, np.searchsorted(numbers, steps)] = own
    return RankMap(numbers, values, is_low_bad)


def _has_bandwidth(rank: Profile) -> bool:
    return bool(len(_bandwidths(rank)[0]))


def _bandwidths(rank: Profile) -> tuple[NDArray[np.int64], Matrix]:
    """Steps and bytes a second, of the collectives, or where these have no sizes, of the links to other
    ranks."""
    table = rank.tables.get("collectives")
    if table is not None:
        rows = np.flatnonzero((table["step"] >= 0) & (table["bytes"] > 0) & (table["transit"] > 0))
        if len(rows):
            return table["step"][rows], table["bytes"][rows] / table["transit"][rows] * 1e9
    table = rank.tables.get("links")
    if table is None:
        return np.empty(0, np.int64), np.empty(0)
    rows = np.flatnonzero(
        (table["step"] >= 0)
        & (table["source"] != table["target"])
        & (table["bytes"] > 0)
        & (table["elapsed"] > 0)
    )
    steps, places = np.unique(table["step"][rows], return_inverse=True)
    sizes = np.bincount(places, table["bytes"][rows], len(steps))
    times = np.bincount(places, table["elapsed"][rows], len(steps))
    return steps, sizes / np.maximum(times, 1) * 1e9


def _rows(values: Matrix) -> Matrix:
    """Four digits after the point are enough of shares, and none is needed of the rest."""
    found: Matrix = np.where(np.abs(values) < 100, np.round(values, 4), np.round(values))
    return found
