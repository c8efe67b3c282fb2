"""How long each rank of a job took for every step: tiles for a heat map, ranks that hold the others up.

Steps that a later start of the job repeats count as they were the last time. A rank holds the others up in a
span where it is longer than the median of the ranks by a tenth of a step: whoever waits for it is longer in
another span, and so are most ranks, whose median moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.model import Profile

Statistic: TypeAlias = Literal["max", "median"]
STATISTICS: tuple[Statistic, ...] = ("max", "median")
STEP = "step"  # the span of a whole step
_SLOW = 0.1  # of a step, that a slow rank takes longer than the median of the ranks
_MOSTLY = 0.9  # of the columns since it became slow
_NOTHING = 0.01  # of a span: no rank was slower
_LEAST_STEPS = 20  # for a verdict
_LEAST_RANKS = 3  # of which two are no majority


@frozen(eq=False)
class Tiles:
    """A span by rank and stretch of steps: ``values`` in ns, float64 of shape (rows, columns), NaN where
    nothing was recorded. ``first`` and ``last`` are the steps of each column, ``ranks`` the first of each
    row."""

    span: str
    ranks: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    values: NDArray[np.float64]


@frozen
class SlowRank:
    """A rank that takes longer than the median since a step, to the last: ``more`` ns a step, ``share`` of
    the median step, in ``steps`` steps."""

    rank: int
    span: str
    since: int
    steps: int
    more: float
    share: float


def spans_of(profile: Profile) -> list[str]:
    """The names of spans: the whole step first, the others by the time they took."""
    table = profile.tables["step_spans"]
    took = np.bincount(table["span"], table["duration"])
    numbers = _values(table["span"]).tolist()
    names = [profile.texts[number] for number in sorted(numbers, key=lambda number: -took[number])]
    return sorted(names, key=lambda name: name != STEP)


def tiles(
    profile: Profile, span: str, statistic: Statistic, shape: tuple[int, int], steps: tuple[int, int]
) -> Tiles:
    """A span reduced to at most ``shape`` (rows, columns) of tiles, of the steps from and to (inclusive)."""
    rank, step, duration = _kept(profile, span, steps)
    if not len(rank):
        empty = np.empty(0, np.int64)
        return Tiles(span, empty, empty, empty, np.empty((0, 0)))
    ranks = _values(rank)
    low, high = int(step.min()), int(step.max())
    down, across = -(-len(ranks) // shape[0]), -(-(high - low + 1) // shape[1])
    rows, columns = -(-len(ranks) // down), (high - low) // across + 1
    begin = np.zeros(int(ranks[-1]) + 1, np.int64)  # of each rank the first cell of its row
    begin[ranks] = np.arange(len(ranks)) // down * columns
    cell = begin[rank] + (step - low) // across
    if down > 1:  # several ranks share a row
        order = np.argsort(cell, kind="stable")
        cell, duration = cell[order], duration[order]
    begins = np.flatnonzero(np.diff(cell, prepend=-1))
    values = np.full(rows * columns, np.nan)
    reduce = np.maximum.reduceat if statistic == "max" else _medians
    values[cell[begins]] = reduce(duration, begins)
    first = low + across * np.arange(columns)
    last = np.minimum(first + across - 1, high)
    return Tiles(span, ranks[::down], first, last, values.reshape(rows, columns))


def _values(numbers: NDArray[np.int32]) -> NDArray[np.int64]:
    """The different ones of many small numbers, without sorting them."""
    return np.flatnonzero(np.bincount(numbers)).astype(np.int64)


def _medians(values: NDArray[np.int64], begins: NDArray[np.intp]) -> NDArray[np.float64]:
    """The median of each stretch."""
    counts = np.diff(begins, append=len(values))
    table = np.full((len(begins), int(counts.max())), np.inf)
    row = np.repeat(np.arange(len(begins)), counts)
    table[row, np.arange(len(values)) - begins[row]] = values
    table.sort(axis=1)
    at = np.arange(len(begins))
    middle: NDArray[np.float64] = (table[at, (counts - 1) // 2] + table[at, counts // 2]) / 2
    return middle


def _kept(
    profile: Profile, span: str, steps: tuple[int, int]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Rank, step and duration of a span, by rank and step, without what a later attempt repeats."""
    table = profile.tables["step_spans"]
    kept = (table["span"] == profile.texts.index(span)) if span in profile.texts else np.zeros(0, bool)
    if not len(kept):
        none = np.empty(0, np.int64)
        return none.astype(np.int32), none, none
    attempts = _values(table["attempt"])
    if len(attempts) > 1:
        firsts = [int(table["step"][table["attempt"] == one].min()) for one in attempts.tolist()]
        # the first step of any later attempt
        repeated = np.append(np.minimum.accumulate(np.array(firsts)[::-1])[::-1][1:], np.iinfo(np.int64).max)
        kept &= table["step"] < repeated[np.searchsorted(attempts, table["attempt"])]
    if steps[0] > 0 or steps[1] < np.iinfo(np.int64).max:
        kept &= (table["step"] >= steps[0]) & (table["step"] <= steps[1])
    rank, step, duration = (table[name][kept] for name in ("rank", "step", "duration"))
    number = rank.astype(np.int64) * (int(step.max(initial=0)) + 1) + step
    if len(number) and (np.diff(number) < 0).any():
        order = np.argsort(number, kind="stable")
        rank, step, duration = rank[order], step[order], duration[order]
    return rank, step, duration


def slow_ranks(profile: Profile, columns: int = 1600) -> list[SlowRank]:
    """Ranks that are slow to the last step, the worst first."""
    everything = (0, np.iinfo(np.int64).max)
    found: list[SlowRank] = []
    whole = tiles(profile, STEP, "median", (1 << 20, columns), everything)
    if len(whole.ranks) < _LEAST_RANKS:
        return []
    usual = float(np.nanmedian(whole.values))
    for span in spans_of(profile):
        there = whole if span == STEP else tiles(profile, span, "median", (1 << 20, columns), everything)
        found += _slow_in(there, usual)
    worst: dict[int, SlowRank] = {}
    for one in sorted(found, key=lambda one: -one.more):
        worst.setdefault(one.rank, one)
    return list(worst.values())


def _slow_in(there: Tiles, usual: float) -> list[SlowRank]:
    if len(there.ranks) < _LEAST_RANKS or not usual > 0:
        return []
    lag = lags(there)
    is_slow = lag > _SLOW * usual
    found = []
    for row in np.flatnonzero(is_slow.any(axis=1)).tolist():
        known = np.flatnonzero(~np.isnan(there.values[row]))
        slow = is_slow[row, known]
        after = np.cumsum(slow[::-1])[::-1] / np.arange(len(slow), 0, -1)
        since = np.flatnonzero(slow & (after >= _MOSTLY))
        if not len(since):
            continue
        columns = known[since[0] :]
        steps = int((there.last[columns] - there.first[columns] + 1).sum())
        if steps < _LEAST_STEPS:
            continue
        more = float(np.median(lag[row, columns]))
        first = int(there.first[columns[0]])
        found.append(SlowRank(int(there.ranks[row]), there.span, first, steps, more, more / usual))
    return found


def lags(there: Tiles) -> NDArray[np.float64]:
    """How much longer than the median of the ranks each was, ns; NaN where nothing was recorded."""
    with np.errstate(invalid="ignore"):
        is_known = ~np.isnan(there.values).all(axis=0)
        middle = np.full(there.values.shape[1], np.nan)
        middle[is_known] = np.nanmedian(there.values[:, is_known], axis=0)
        late: NDArray[np.float64] = there.values - middle
        return late


def slowest(there: Tiles, stretches: int = 60) -> Sequence[Mapping[str, float]]:
    """Over time the rank that was longest most often: ``first`` and ``last`` step of each stretch, the
    ``rank``, in which ``share`` of its columns, and how much ``more`` than the median it took, ns. Stretches
    in which it took as long as the others are left out."""
    if len(there.ranks) < 2 or not there.values.size:
        return ()
    lag = lags(there)
    known = np.flatnonzero(~np.isnan(lag).all(axis=0))
    row = np.nanargmax(lag[:, known], axis=0)
    found = []
    for part in np.array_split(np.arange(len(known)), min(stretches, len(known))):
        rows, counts = np.unique(row[part], return_counts=True)
        worst = int(rows[np.argmax(counts)])
        columns = known[part]
        more = float(np.nanmedian(lag[worst, columns]))
        if more <= _NOTHING * float(np.nanmedian(there.values[:, columns])):
            continue
        found.append(
            {
                "first": int(there.first[columns[0]]),
                "last": int(there.last[columns[-1]]),
                "rank": int(there.ranks[worst]),
                "share": float(counts.max() / len(part)),
                "more": more,
            }
        )
    return found
