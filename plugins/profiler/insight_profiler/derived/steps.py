"""Infers steps if none are recorded, and splits their time into categories."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from insight_profiler.model import Category, Column, Table

CATEGORY_COLUMNS = tuple(category.name.lower() for category in Category)


def inferred_steps(
    operator: NDArray[np.int32], start: NDArray[np.int64], duration: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Starts and durations of steps, from the operators that ran equally often.

    Of the number of runs that most operators have, k, the n-th step goes from the first beginning of an
    n-th run of such an operator to the last end of one. Nothing is inferred from k = 1, and nothing
    where the steps that come out overlap.
    """
    nothing = np.empty(0, np.int64), np.empty(0, np.int64)
    rows = np.flatnonzero(operator >= 0)
    if not len(rows):
        return nothing
    rows = rows[np.lexsort((start[rows], operator[rows]))]
    runs = np.bincount(operator[rows])
    how_often = np.bincount(runs[runs > 0])
    often = len(how_often) - 1 - int(np.argmax(how_often[::-1]))  # the larger of two that are as frequent
    if often < 2:
        return nothing
    first = np.concatenate(([0], np.cumsum(runs)[:-1]))
    number = np.arange(len(rows)) - first[operator[rows]]
    counted = runs[operator[rows]] == often
    rows, number = rows[counted], number[counted]
    begins = np.full(often, np.iinfo(np.int64).max)
    ends = np.full(often, np.iinfo(np.int64).min)
    np.minimum.at(begins, number, start[rows])
    np.maximum.at(ends, number, start[rows] + duration[rows])
    if np.any(begins[1:] < ends[:-1]):
        return nothing
    return begins, ends - begins


def step_of(
    times: NDArray[np.int64], start: NDArray[np.int64], duration: NDArray[np.int64]
) -> NDArray[np.int32]:
    """The row of the step in which each time lies, or -1. Where steps overlap, the one that began last."""
    found = np.full(len(times), -1, np.int32)
    known = np.flatnonzero((start >= 0) & (duration >= 0))
    if not len(known):
        return found
    known = known[np.argsort(start[known], kind="stable")]
    places = np.searchsorted(start[known], times, "right") - 1
    rows = known[np.maximum(places, 0)]
    inside = (places >= 0) & (times < start[rows] + duration[rows])
    found[inside] = rows[inside]
    return found


def exclusive_times(
    category: NDArray[np.uint8],
    start: NDArray[np.int64],
    duration: NDArray[np.int64],
    begins: NDArray[np.int64],
    durations: NDArray[np.int64],
) -> dict[str, Column]:
    """By step: the time in which a slice of each category goes on and none of a smaller one, and "idle".

    ``begins`` and ``durations`` are those of steps; the others are columns of the slices that count.
    """
    ends = begins + durations
    columns: dict[str, Column] = {}
    covered = np.zeros(len(begins), np.int64)
    in_order = np.argsort(start, kind="stable")
    starts, stops, categories = start[in_order], (start + duration)[in_order], category[in_order]
    present = set(np.unique(categories).tolist())
    for kind, name in zip(Category, CATEGORY_COLUMNS, strict=True):
        if int(kind) not in present:
            columns[name] = np.zeros(len(begins), np.int64)
            continue
        chosen = categories <= kind
        now = _covered(starts[chosen], stops[chosen], begins, ends)
        columns[name], covered = now - covered, now
    columns["idle"] = durations - covered
    return columns


def _covered(
    starts: NDArray[np.int64], stops: NDArray[np.int64], begins: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.int64]:
    """How much of each stretch lies in at least one slice; slices are in the order of their starts."""
    reach = np.maximum.accumulate(stops)
    fresh = np.flatnonzero(starts[1:] > reach[:-1]) + 1  # where something begins after all before has ended
    first = np.concatenate(([0], fresh))
    low, high = starts[first], reach[np.concatenate((fresh - 1, [len(starts) - 1]))]
    before = np.concatenate(([0], np.cumsum(high - low)))

    def until(times: NDArray[np.int64]) -> NDArray[np.int64]:
        places = np.searchsorted(low, times, "right") - 1
        inside = np.maximum(places, 0)
        part = np.clip(times - low[inside], 0, high[inside] - low[inside])
        found: NDArray[np.int64] = np.where(places >= 0, before[inside] + part, 0)
        return found

    return until(ends) - until(begins)


def needs_shares(steps: Table) -> bool:
    """Whether nobody said what the time of steps was spent on."""
    return all(bool((steps[name] < 0).all()) for name in CATEGORY_COLUMNS)
