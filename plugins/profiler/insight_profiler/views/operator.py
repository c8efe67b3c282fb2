"""Details of one operator or group of operators."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin import NotFound, ReasonKind
from insight_profiler.analysis.listing import Wanted
from insight_profiler.analysis.operators import Grouped, grouped, run_rows
from insight_profiler.model import Profile, Side

_BINS = 40
_LONGEST = 10
_MEMBERS = 200
_MOST_STEPS = 10_000
_NO_OPERATOR = ReasonKind("profiler_no_operator", "no operator {keys}")


def detail(
    profile: Profile,
    found: Grouped,
    by: str,
    side: Side,
    keys: dict[str, str],
    steps: NDArray[np.intp] | None,
) -> dict[str, Any]:
    """The row that ``keys`` name among the groups ``found``, how its durations spread, how it did by step,
    what belongs to it, and its longest calls. Raises NotFound."""
    listing = found.listing
    matches = np.ones(len(listing), bool)
    for name, text in keys.items():
        if name in listing.columns:
            matches &= listing.columns[name].equal_to(text)
    rows = np.flatnonzero(matches)
    if not len(rows):
        raise NotFound(_NO_OPERATOR(keys=str(keys)))
    group = int(rows[0])
    page = listing.page(rows[:1], Wanted())
    runs = run_rows(profile, found.groups, group)
    if steps is not None:
        runs = runs[np.isin(profile.tables["slices"]["step"][runs], steps)]
    return {
        "row": dict(zip((column["name"] for column in page["columns"]), page["rows"][0], strict=True)),
        "columns": page["columns"],
        "histogram": _histogram(profile, runs),
        "by_step": _by_step(profile, runs),
        "members": _members(profile, by, side, found.groups == group, steps),
        "slices": _longest(profile, runs),
    }


def _histogram(profile: Profile, runs: NDArray[np.intp]) -> dict[str, Any] | None:
    """Durations in bins that are equal in log space: they spread over decades."""
    if not len(runs):
        return None
    durations = profile.tables["slices"]["duration"][runs].clip(1)
    low, high = int(durations.min()), int(durations.max())
    if low == high:
        return {"edges": [low, high], "counts": [len(runs)]}
    edges = np.geomspace(low, high, min(_BINS, len(runs)) + 1)
    edges[0], edges[-1] = low, high
    counts, _ = np.histogram(durations, edges)
    return {"edges": edges, "counts": counts}


def _by_step(profile: Profile, runs: NDArray[np.intp]) -> dict[str, Any] | None:
    steps = profile.tables.get("steps")
    if steps is None or not len(runs):
        return None
    slices = profile.tables["slices"]
    inside = runs[slices["step"][runs] >= 0]
    count = len(steps["number"])
    total = np.zeros(count, np.int64)
    np.add.at(total, slices["step"][inside], slices["duration"][inside])
    calls = np.bincount(slices["step"][inside], minlength=count)
    shown = np.unique(np.linspace(0, count - 1, min(count, _MOST_STEPS)).astype(np.intp))
    return {"number": steps["number"][shown], "total": total[shown], "calls": calls[shown], "count": count}


def _members(
    profile: Profile, by: str, side: Side, mine: NDArray[np.bool_], steps: NDArray[np.intp] | None
) -> dict[str, Any] | None:
    """The members of a group: operators of a type or scope, shapes of an operator."""
    finer = {"type": "name", "scope": "name", "name": "shape"}.get(by)
    if finer is None:
        return None
    inner = grouped(profile, finer, side, steps)
    rows = np.unique(inner.groups[mine & (inner.groups >= 0)])
    wanted = Wanted(limit=_MEMBERS)
    ranking = inner.listing.columns["self" if inner.listing.columns["self"].known.any() else "total"].values
    return inner.listing.page(rows[np.argsort(-ranking[rows], kind="stable")], wanted)


def _longest(profile: Profile, runs: NDArray[np.intp]) -> list[dict[str, Any]]:
    if not len(runs):
        return []
    slices = profile.tables["slices"]
    rows = runs[np.argsort(-slices["duration"][runs], kind="stable")[:_LONGEST]]
    columns = (slices[name][rows].tolist() for name in ("track", "start", "duration", "step"))
    return [
        {"id": row, "track": track, "start": start, "duration": duration, "step": _number(profile, step)}
        for row, track, start, duration, step in zip(rows.tolist(), *columns, strict=True)
    ]


def _number(profile: Profile, step: int) -> int | None:
    return int(profile.tables["steps"]["number"][step]) if step >= 0 else None
