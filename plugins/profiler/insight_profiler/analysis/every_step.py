"""How long each rank of a job took for every step: tiles for a heat map, ranks that hold the others up.

Steps that a later start of the job repeats count as they were the last time. A rank holds the others up in a
span where it is longer than the median of the ranks by a tenth of a step: whoever waits for it is longer in
another span, and so are most ranks, whose median moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from threading import Lock
from typing import Literal, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.derived.step_runs import StepRuns
from insight_profiler.model import Profile

Statistic: TypeAlias = Literal["max", "median"]
STATISTICS: tuple[Statistic, ...] = ("max", "median")
STEP = "step"  # the span of a whole step
_SLOW = 0.1  # of a step, that a slow rank takes longer than the median of the ranks
_MOSTLY = 0.9  # of the columns since it became slow
_NOTHING = 0.01  # of a span: no rank was slower
_LEAST_STEPS = 20  # for a verdict
_LEAST_RANKS = 3  # of which two are no majority
_COLUMNS = 1600  # of tiles in which slow ranks are looked for


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
    table = profile.tables["step_runs"]
    took = np.bincount(table["span"], table["total"])
    numbers = np.unique(table["span"]).tolist()
    names = [profile.texts[number] for number in sorted(numbers, key=lambda number: -took[number])]
    return sorted(names, key=lambda name: name != STEP)


def tiles(
    profile: Profile, span: str, statistic: Statistic, shape: tuple[int, int], steps: tuple[int, int]
) -> Tiles:
    """A span reduced to at most ``shape`` (rows, columns) of tiles, of the steps from and to (inclusive)."""
    kept = _kept(profile, span, steps)
    if not len(kept.rank):
        empty = np.empty(0, np.int64)
        return Tiles(span, empty, empty, empty, np.empty((0, 0)))
    ranks = np.unique(kept.rank).astype(np.int64)
    low, high = int(kept.first.min()), int(kept.last().max())
    down, across = -(-len(ranks) // shape[0]), -(-(high - low + 1) // shape[1])
    first = low + across * np.arange((high - low) // across + 1)
    begins = np.searchsorted(kept.rank, ranks[::down])
    values = np.full((len(begins), len(first)), np.nan)
    reduce = np.maximum.reduceat if statistic == "max" else _medians
    for row, (begin, end) in enumerate(pairwise([*begins.tolist(), len(kept.rank)])):
        # a row after the other: columns of all ranks together need gigabytes
        runs = kept.chosen(slice(begin, end))
        step, duration = runs.steps(), runs.durations()
        if (np.diff(step) < 0).any():  # several ranks share a row
            order = np.argsort(step, kind="stable")
            step, duration = step[order], duration[order]
        places = np.searchsorted(step, first)
        is_known = np.diff(places, append=len(step)) > 0
        values[row, is_known] = reduce(duration, places[is_known])
    last = np.minimum(first + across - 1, high)
    return Tiles(span, ranks[::down], first, last, values)


def _medians(values: NDArray[np.float32], begins: NDArray[np.intp]) -> NDArray[np.float64]:
    """The median of each stretch."""
    counts = np.diff(begins, append=len(values))
    table = np.full((len(begins), int(counts.max())), np.inf, values.dtype)
    if (counts[:-1] == table.shape[1]).all():  # all are as long, perhaps but the last
        table.reshape(-1)[: len(values) - begins[0]] = values[begins[0] :]
    else:
        row = np.repeat(np.arange(len(begins)), counts)
        table[row, np.arange(len(values)) - begins[row]] = values
    table.sort(axis=1)
    at = np.arange(len(begins))
    lower, upper = (table[at, place].astype(np.float64) for place in ((counts - 1) // 2, counts // 2))
    middle: NDArray[np.float64] = (lower + upper) / 2
    return middle


def _kept(profile: Profile, span: str, steps: tuple[int, int]) -> StepRuns:
    """The runs of a span, by rank and step, without what a later attempt repeats."""
    runs = StepRuns.of(profile)
    attempts = np.unique(runs.attempt)
    # the first step of each attempt, and of any later one
    firsts = np.array([int(runs.first[runs.attempt == one].min()) for one in attempts.tolist()])
    repeated = np.append(np.minimum.accumulate(firsts[::-1])[::-1][1:], np.iinfo(np.int64).max)
    runs = runs.chosen(runs.span == (profile.texts.index(span) if span in profile.texts else -1))
    until = repeated[np.searchsorted(attempts, runs.attempt)] - 1
    return runs.within(steps[0], np.minimum(until, steps[1]))


_slow: WeakKeyDictionary[Profile, list[SlowRank]] = WeakKeyDictionary()
_finding = Lock()  # the page and a rule ask at the same time


def slow_ranks(profile: Profile) -> list[SlowRank]:
    """Ranks that are slow to the last step, the worst first."""
    with _finding:
        if profile not in _slow:
            _slow[profile] = _slow_ranks(profile)
        return _slow[profile]


def _slow_ranks(profile: Profile) -> list[SlowRank]:
    everything = (0, np.iinfo(np.int64).max)
    found: list[SlowRank] = []
    whole = tiles(profile, STEP, "median", (1 << 20, _COLUMNS), everything)
    if len(whole.ranks) < _LEAST_RANKS:
        return []
    usual = float(np.nanmedian(whole.values))
    for span in spans_of(profile):
        there = whole if span == STEP else tiles(profile, span, "median", (1 << 20, _COLUMNS), everything)
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
