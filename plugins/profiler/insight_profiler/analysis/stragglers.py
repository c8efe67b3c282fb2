"""Finds ranks that delay the other ranks of their pipeline stage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from insight_profiler.analysis.changes import LEAST_STEPS, margin, rising_since
from insight_profiler.analysis.outliers import median_of, warm_up
from insight_profiler.model import Profile, Table

SPREAD = 0.1  # a rank that works at least so much longer than the others of its stage may be a straggler
KERNELS = "kernels"  # a column of the steps of a summary: how many kernels a step launches
_CHANCE = 0.01  # about, that noise alone makes one of the ranks of a stage a straggler


@frozen
class Division:
    """Columns of a step: what a rank works, how long it waits for others, and what may be either."""

    work: tuple[str, ...]
    waiting: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()


_DIVISIONS = (  # the most telling first
    Division(("computing",), ("communication_not_overlapped",), ("free",)),
    Division(("forward_backward",), ("tail",), ("iteration_interval",)),
    Division(
        ("kernel", "memcpy", "memset", "runtime", "data", "operator"), ("communication",), ("other", "idle")
    ),
    Division(("duration",)),
)


@frozen(eq=False)
class RankSteps:
    """The steps of one rank that count."""

    rank: int
    profile: str
    stage: Any
    steps: Table
    group: Any = None
    """Its data-parallel group, where the profile says it."""


def warm_up_of(profiles: Sequence[Profile]) -> set[int]:
    """Numbers of the steps that are warm-up of at least one rank. The ranks of a job wait for each other, so
    these count for none of them."""
    found: set[int] = set()
    for profile in profiles:
        if (steps := profile.tables.get("steps")) is not None:
            count = warm_up(steps["duration"])
            found.update(steps["number"][:count].tolist())
    return found


def stragglers(ranks: Sequence[RankSteps], spread: float = SPREAD) -> list[dict[str, Any]]:
    """Ranks that work longer than the others of their stage, and so make these wait.

    Ranks of one stage, and of one data-parallel group where that is known, are compared by their medians over
    the steps that all of them have. A rank is a straggler if all of this holds:

    - It works more than ``spread`` longer than the median of the other ranks.
    - The difference is larger than chance explains (``margin`` of the ratio to the others). Fewer than three
      steps tell nothing of chance: no rank is named.
    - It waits no longer than the others: the others of a straggler wait for it. A rank that waits long is the
      victim.

    Idle time may be work of the host or waiting. It counts as work only if the rank waits clearly less than
    the others. A rank that works longer than before since some step (``rising_since``) is judged by the steps
    since then: ``since`` is the number of the first of them, None for all steps. ``kernels`` are those that
    it launches in a step, ``usual_kernels`` those of the others.
    """
    return [one for stage in stages_of(ranks) for one in _of_stage(stage, spread)]


def stages_of(ranks: Sequence[RankSteps]) -> list[list[RankSteps]]:
    """Ranks that do the same work: those of one stage, and of one data-parallel group where that is known.
    Each has the steps that all of its stage have, in the order of their numbers."""
    stages: dict[Any, list[RankSteps]] = {}
    for rank in ranks:
        stages.setdefault((rank.stage, rank.group), []).append(rank)
    return [_with_common_steps(stage) for stage in stages.values()]


def _with_common_steps(ranks: Sequence[RankSteps]) -> list[RankSteps]:
    """The ranks with the steps that all of them have, in the order of their numbers."""
    ranks = [one for one in ranks if len(one.steps["number"])]
    if not ranks:
        return []
    common = ranks[0].steps["number"]
    for one in ranks[1:]:
        common = np.intersect1d(common, one.steps["number"])
    found = []
    for one in ranks:
        numbers, rows = np.unique(one.steps["number"], return_index=True)
        rows = rows[np.isin(numbers, common)]
        steps = {name: column[rows] for name, column in one.steps.items()}
        found.append(RankSteps(one.rank, one.profile, one.stage, steps, one.group))
    return found if len(common) else []


def _of_stage(ranks: Sequence[RankSteps], spread: float) -> list[dict[str, Any]]:
    if len(ranks) < 2 or len(ranks[0].steps["number"]) < LEAST_STEPS:
        return []
    division = division_of_ranks([rank.steps for rank in ranks])
    if division is None:
        return []
    found: dict[int, dict[str, Any]] = {}
    # of certain work a straggler must not wait longer; with idle time counted it must wait less than others
    for names, limit in ((division.work, 0.5), (division.work + division.idle, -0.5)):
        whole = summed(ranks, names)
        since = rising_since(whole / np.maximum(median_of_others(whole), 1))
        for first in np.unique(since).tolist():  # few: most ranks do not change
            part = [_from_step(rank, first) for rank in ranks]
            for one in _slow_of(part, division, names, limit, spread):
                row = one.pop("row")
                known = found.get(row)
                if since[row] != first or (
                    known and one["work"] - one["usual"] <= known["work"] - known["usual"]
                ):
                    continue
                found[row] = {**one, "since": int(part[row].steps["number"][0]) if first else None}
    return sorted(found.values(), key=lambda one: one["usual"] - one["work"])


def _slow_of(
    ranks: Sequence[RankSteps], division: Division, names: Sequence[str], limit: float, spread: float
) -> Iterator[dict[str, Any]]:
    """Ranks that work longer in these steps and wait no longer; ``row`` is a place in ``ranks``."""
    waiting, own = summed(ranks, division.waiting), summed(ranks, names)
    usual_wait, usual = median_of_others(medians(waiting)), median_of_others(medians(own))
    extra_wait, extra = medians(waiting) - usual_wait, medians(own) - usual
    is_longer = (extra > max(spread, _noise(own)) * usual) & (extra_wait <= limit * extra)
    for row in np.flatnonzero(is_longer).tolist():
        yield {
            "row": row,
            "rank": ranks[row].rank,
            "profile": ranks[row].profile,
            "stage": ranks[row].stage,
            "time": _largest_part(ranks, row, names),
            "work": int(medians(own)[row]),
            "usual": float(usual[row]),
            "wait": int(medians(waiting)[row]) if division.waiting else None,
            "usual_wait": float(usual_wait[row]) if division.waiting else None,
            "steps": own.shape[1],
            "at": int(ranks[row].steps["number"][np.argmax(own[row] - median_of_others(own)[row])]),
            **_kernels(ranks, row),
        }


def _kernels(ranks: Sequence[RankSteps], row: int) -> dict[str, Any]:
    """How many kernels a rank and the others launch in a step, by medians; None where it is not known."""
    if any(KERNELS not in rank.steps or (rank.steps[KERNELS] < 0).any() for rank in ranks):
        return {"kernels": None, "usual_kernels": None}
    counts = medians(summed(ranks, (KERNELS,)))
    return {"kernels": int(counts[row]), "usual_kernels": float(median_of_others(counts)[row])}


def _from_step(rank: RankSteps, first: int) -> RankSteps:
    return (
        evolve(rank, steps={name: column[first:] for name, column in rank.steps.items()}) if first else rank
    )


def division_of_ranks(steps: Sequence[Table]) -> Division | None:
    """The most telling way in which the steps of all ranks divide; None if they do not even have
    durations."""
    return next((one for one in _DIVISIONS if all(_is_known(table, one) for table in steps)), None)


def _is_known(steps: Mapping[str, NDArray[Any]], division: Division) -> bool:
    return bool((sum_of_columns(steps, division.work) > 0).any())


def sum_of_columns(steps: Mapping[str, NDArray[Any]], names: Sequence[str]) -> NDArray[np.float64]:
    """Sum of some times of each step (ns); unknown ones count as 0."""
    whole = np.zeros(len(steps["number"]))
    for name in names:
        whole += steps[name].clip(0)
    return whole


def summed(ranks: Sequence[RankSteps], names: Sequence[str]) -> NDArray[np.float64]:
    """[rank, step]: the sum of some times of ranks that have the same steps, ns."""
    return np.array([sum_of_columns(rank.steps, names) for rank in ranks])


def medians(times: NDArray[np.float64]) -> NDArray[np.float64]:
    """[rank]: the median of each row of [rank, step], of an even number the lower of the middle two."""
    return np.array([median_of(row) for row in times], np.float64)


def median_of_others(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each row of [ranks] or [ranks, steps] the median of the other rows."""
    in_order = np.sort(values, axis=0)
    places = np.argsort(np.argsort(values, axis=0, kind="stable"), axis=0)
    low, high = (len(values) - 2) // 2, (len(values) - 1) // 2
    found: NDArray[np.float64] = (
        np.where(places > low, in_order[low], in_order[low + 1])
        + np.where(places > high, in_order[high], in_order[high + 1])
    ) / 2
    return found


def _noise(own: NDArray[np.float64]) -> float:
    """By how much of the others' time a rank may differ from them by chance."""
    ranks, steps = own.shape
    return margin(own / np.maximum(median_of_others(own), 1), _CHANCE / ranks) / float(np.sqrt(steps))


def _largest_part(ranks: Sequence[RankSteps], row: int, names: Sequence[str]) -> str:
    """The column that makes most of the difference."""
    extra = {}
    for name in names:
        found = medians(summed(ranks, (name,)))
        extra[name] = found[row] - median_of_others(found)[row]
    return max(extra, key=lambda name: float(extra[name]))
