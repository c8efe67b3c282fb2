"""Finds groups of ranks whose collectives are slower than those of other groups, or than they were."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.analysis.changes import LEAST_STEPS
from insight_profiler.analysis.rank_summary import REDUCTIONS
from insight_profiler.analysis.slow_links import SLOW, slower_since
from insight_profiler.model import Profile

_LEAST_BYTES = 16e6  # of a step: less is bound by latency
_ALIKE = 2.0  # times as many bytes as other groups


@frozen(eq=False)
class _Groups:
    """``bandwidth`` and ``spent`` are [groups, steps]: bytes a second, and ns, of the rank of each group that
    spends least, for that one waits for no other."""

    ranks: Sequence[Sequence[int]]
    numbers: NDArray[np.int64]
    bandwidth: NDArray[np.float64]
    spent: NDArray[np.float64]
    bytes: NDArray[np.float64]  # of a step, by group


def slow_groups(ranks: Sequence[Profile], stages: Mapping[int, Any]) -> list[dict[str, Any]]:
    """Stages whose ranks reduce slower than those of other stages (below ``SLOW`` times the median of these)
    or than before some step, the slowest first.

    Links within a stage have no rows of their own in traces of NCCL: its ranks are a ring, as slow as its
    slowest link. Groups with little to reduce, or with much less or more than others, are not compared.
    """
    groups = _groups(ranks, stages)
    if groups is None:
        return []
    found: dict[int, dict[str, Any]] = {}
    usual_of_each = np.median(groups.bandwidth, axis=1)
    for row, own in enumerate(usual_of_each.tolist()):
        ratio = groups.bytes / groups.bytes[row]
        others = (np.arange(len(ratio)) != row) & (ratio <= _ALIKE) & (ratio >= 1 / _ALIKE)
        if others.any() and own < SLOW * (usual := float(np.median(usual_of_each[others]))):
            lost = float(groups.spent[row].sum()) * (1 - own / usual)
            found[row] = {"bandwidth": own, "usual": usual, "since": None, "lost": lost}
    found.update(slower_since(groups.bandwidth, groups.spent, groups.numbers))
    told = [{"ranks": list(groups.ranks[row]), **one} for row, one in found.items()]
    return sorted(told, key=lambda one: one["bandwidth"] / one["usual"])


def _groups(ranks: Sequence[Profile], stages: Mapping[int, Any]) -> _Groups | None:
    """The collectives of each stage by step, of the steps in which all ranks have some."""
    known = [rank for rank in ranks if REDUCTIONS in rank.tables and len(rank.tables[REDUCTIONS]["step"])]
    members: dict[Any, list[Profile]] = {}
    for rank in known:
        members.setdefault(stages.get(rank.rank), []).append(rank)
    if len(known) != len(ranks) or any(len(group) < 2 for group in members.values()):
        return None
    numbers = known[0].tables[REDUCTIONS]["step"].astype(np.int64)
    for rank in known[1:]:
        numbers = np.intersect1d(numbers, rank.tables[REDUCTIONS]["step"])
    if len(numbers) < LEAST_STEPS:
        return None
    spent, size = [], []
    for group in members.values():
        tables = [rank.tables[REDUCTIONS] for rank in group]
        rows = [np.searchsorted(table["step"], numbers) for table in tables]
        times = [table["transit"][at] for table, at in zip(tables, rows, strict=True)]
        spent.append(np.min(times, axis=0))
        size.append(tables[0]["bytes"][rows[0]])
    time, amount = np.array(spent, np.float64), np.array(size, np.float64)
    if (time <= 0).any() or not (np.median(amount, axis=1) >= _LEAST_BYTES).all():
        return None
    named = [sorted(rank.rank for rank in group) for group in members.values()]
    return _Groups(named, numbers, amount / time * 1e9, time, np.median(amount, axis=1))
