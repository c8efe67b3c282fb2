"""How much of a step the ranks of a job wait for the slowest of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.analysis.changes import LEAST_STEPS
from insight_profiler.analysis.outliers import outliers
from insight_profiler.analysis.stragglers import (
    RankSteps,
    division_of_ranks,
    median_of_others,
    stages_of,
    sum_of_columns,
    summed,
)

_ALWAYS, _NEVER = np.iinfo(np.int64).min, np.iinfo(np.int64).max  # numbers of steps
Matrix = NDArray[np.float64]


@frozen
class WaitingInTurn:
    """Ranks of a stage wait in each step for another of them. ``share`` of the time of the steps, from 0 to
    1, would go if all worked alike; ``ranks`` of them were the slowest in some of ``steps``."""

    share: float
    ranks: int
    steps: int


def saved_by_repair(ranks: Sequence[RankSteps], slow: Mapping[int, int | None]) -> tuple[float, float]:
    """The share of the time of the steps, from 0 to 1, that goes if the ranks ``slow`` work as long as the
    median of the others of their stage, in the stage in which it is the largest: of all steps, and of those
    since the last of these ranks became slow.

    ``slow`` has the number of the first slow step of each rank, None where all are. In each step all ranks of
    a stage take as long as the one that works longest: the difference is that between the longest work with
    and without the repair. Idle time of a rank that waits less than the others in a step is work of its host,
    as for ``stragglers``.
    """
    best = (0.0, 0.0)
    for stage in stages_of(ranks):
        division = division_of_ranks([rank.steps for rank in stage])
        duration = _durations(stage)
        if len(stage) < 2 or division is None or not duration.sum():
            continue
        number = stage[0].steps["number"]
        since = np.array([_first(slow.get(rank.rank, _NEVER)) for rank in stage])
        is_slow = number >= since[:, None]
        waiting = summed(stage, division.waiting)
        late = is_slow[is_slow.any(axis=1)].all(axis=0) if is_slow.any() else np.zeros(len(number), bool)
        for names, chosen in (
            (division.work, is_slow),
            (division.work + division.idle, is_slow & (waiting < median_of_others(waiting))),
        ):
            own = summed(stage, names)
            repaired = np.where(chosen, np.minimum(own, median_of_others(own)), own)
            saved = own.max(axis=0) - repaired.max(axis=0)
            part = float(saved[late].sum() / max(1.0, duration[late].sum()))
            best = max(best, (float(saved.sum() / duration.sum()), part))
    return best


def _first(step: int | None) -> int:
    return _ALWAYS if step is None else step


def waiting_in_turn(ranks: Sequence[RankSteps]) -> WaitingInTurn | None:
    """How long the ranks of a stage wait for whichever works longest in each step, of the stage that loses
    most; None if no stage tells.

    The work of a step is divided by the mean of its ranks, and that by the median of each rank over the
    steps: a rank that always works longer (a straggler) is another matter and counts as one that does not.
    The time lost in a step is what the longest work then is above the mean. It is at most the time that the
    ranks wait. A step that is an outlier does not count, nor a rank that costs less than a quarter of what
    it would if all cost the same.
    """
    found: list[WaitingInTurn] = []
    for stage in stages_of(ranks):
        work, duration = _work(stage), _durations(stage)
        waiting = None if work is None else _waiting(stage)
        if work is None or waiting is None:
            continue
        usual_steps = np.flatnonzero(~outliers(duration))
        work, waiting, duration = work[:, usual_steps], waiting[:, usual_steps], duration[usual_steps]
        if work.shape[1] < LEAST_STEPS or not duration.sum():
            continue
        usual = np.maximum(work.mean(axis=0), 1)
        relative = work / usual
        relative /= np.maximum(np.median(relative, axis=1, keepdims=True), 1e-9)
        lost = (relative.max(axis=0) - relative.mean(axis=0)) * usual
        share = min(float(lost.sum()), float(waiting.mean(axis=0).sum())) / float(duration.sum())
        lost_by = np.bincount(relative.argmax(axis=0), lost, len(stage))
        slowest = int((lost_by > lost.sum() / (4 * len(stage))).sum())
        found.append(WaitingInTurn(share, slowest, work.shape[1]))
    return max(found, key=lambda one: one.share, default=None)


def waiting_for_slower(ranks: Sequence[RankSteps]) -> dict[str, float]:
    """The share of the time of its steps, from 0 to 1, that each rank waits in communication for slower
    ranks, of its stage or of another one, by profile.

    In each step the rank that comes last waits least: its time is what the communication takes. The others
    have waited for the rest of theirs. Ranks of several stages wait for the slowest stage: all that the ranks
    of a stage wait longer than those of that one. Ranks that nothing is known of are left out.
    """
    found: dict[str, float] = {}
    known = [(stage, waiting) for stage in stages_of(ranks) if (waiting := _told_waiting(stage)) is not None]
    numbers = [stage[0].steps["number"] for stage, _ in known]
    is_one_pace = all(np.array_equal(one, numbers[0]) for one in numbers)
    least = np.min([waiting.min(axis=0) for _, waiting in known], axis=0) if known and is_one_pace else None
    for stage, waiting in known:
        shortest = waiting.min(axis=0) if least is None else least
        awaited = (waiting - shortest).sum(axis=1)
        for rank, time in zip(stage, awaited.tolist(), strict=True):
            whole = float(sum_of_columns(rank.steps, ("duration",)).sum())
            if whole:
                found[rank.profile] = min(1.0, time / whole)
    return found


def _told_waiting(stage: Sequence[RankSteps]) -> Matrix | None:
    """``_waiting`` of a stage of several ranks with steps enough, else None."""
    waiting = _waiting(stage) if stage else None
    return None if waiting is None or waiting.shape[1] < LEAST_STEPS else waiting


def _work(stage: Sequence[RankSteps]) -> Matrix | None:
    """[rank, step]: time in which the ranks of a stage work (ns); None if fewer than two or unknown."""
    if len(stage) < 2:
        return None
    division = division_of_ranks([rank.steps for rank in stage])
    return None if division is None else summed(stage, division.work)


def _waiting(stage: Sequence[RankSteps]) -> Matrix | None:
    """[rank, step]: time in which they wait for others (ns); None if the steps do not tell."""
    division = division_of_ranks([rank.steps for rank in stage])
    if division is None or not division.waiting:
        return None
    return summed(stage, division.waiting)


def _durations(stage: Sequence[RankSteps]) -> Matrix:
    """Of the steps, ns: the longest of the ranks."""
    if not stage:
        return np.zeros(0)
    found: Matrix = summed(stage, ("duration",)).max(axis=0)
    return found
