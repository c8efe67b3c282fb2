"""Two profiles side by side: steps, memory, communication, advice, and the timelines of one step of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_profiler.advice.answer import in_order, texts, told
from insight_profiler.advice.checking import check
from insight_profiler.analysis.memory import peaks
from insight_profiler.analysis.outliers import median_of
from insight_profiler.analysis.steps import CATEGORIES, division_of, of_rows, usual_rows
from insight_profiler.derived_steps import exclusive_times
from insight_profiler.model import Category, Profile

_BINS = 600  # of a step
_MOST_LANES = 12
_MOST_NUMBERS = 1000
_MOST_ROWS = 100
_IDLE = len(CATEGORIES)


def summary_of(
    base: Profile, profile: Profile, base_step: int | None = None, step: int | None = None
) -> dict[str, Any]:
    """``parts``, ``memory`` and ``communication`` are rows with ``base`` and ``value`` (None: not there).

    Times are of a median step (ns) and of communication of a step. ``timelines`` are those of the named
    steps, or of the steps nearest to the median. ``advice`` has what only the base has (``gone``), what only
    the other has (``new``), and what both have, by rule.
    """
    both = (base, profile)
    return {
        "parts": _rows([_parts(one) for one in both]),
        "memory": _rows([_memory(one) for one in both]),
        "communication": _rows([_communication(one) for one in both])[:_MOST_ROWS],
        "advice": _advice(base, profile),
        "messages": {messages.locale: dict(messages.texts) for messages in texts()},
        "timelines": [timeline(base, base_step), timeline(profile, step)],
    }


def _rows(sides: Sequence[Mapping[str, float]]) -> list[dict[str, Any]]:
    before, after = sides
    names = dict.fromkeys([*before, *after])
    return [{"name": name, "base": before.get(name), "value": after.get(name)} for name in names]


def _parts(profile: Profile) -> dict[str, float]:
    """Medians of the steps that are not outliers, by what their time is spent on."""
    steps = profile.tables.get("steps")
    if steps is None or not len(steps["number"]):
        return {}
    usual = of_rows(steps, usual_rows(steps))
    known = [name for name in (*CATEGORIES, "idle") if (steps[name] > 0).any()]
    medians = {name: median_of(usual[name]) for name in ("duration", *(known or division_of(steps)))}
    return {name: float(value) for name, value in medians.items() if value is not None}


def _memory(profile: Profile) -> dict[str, float]:
    return {" ".join((one["device"], one["label"])).strip(): one["value"] for one in peaks(profile)}


def _communication(profile: Profile) -> dict[str, float]:
    """Time of communication in a step (ns) by the name of its kernel or operation, the longest first."""
    steps = profile.tables.get("steps")
    count = 1 if steps is None else max(1, len(steps["number"]))
    table, time = profile.tables.get("collectives"), "elapsed"
    if table is None or not len(table["name"]):
        slices = profile.tables.get("slices")
        if slices is None:
            return {}
        rows = np.flatnonzero((slices["category"] == Category.COMMUNICATION) & (slices["kernel"] >= 0))
        table, time = {"name": slices["name"][rows], "duration": slices["duration"][rows]}, "duration"
    names, inverse = np.unique(table["name"], return_inverse=True)
    sums = np.bincount(inverse.reshape(-1), table[time].clip(0), len(names)) / count
    order = np.argsort(-sums, kind="stable")
    return {
        profile.texts[name].partition("(")[0] if name >= 0 else "": float(sums[at])
        for at, name in zip(order.tolist(), names[order].tolist(), strict=True)
    }


def _advice(base: Profile, profile: Profile) -> dict[str, list[dict[str, Any]]]:
    checked = [check(side) for side in (base, profile)]
    before, after = (
        {one.rule.id: [told(one.rule.id, advice) for advice in one.found] for one in side if one.found}
        for side in checked
    )
    titles = {one.rule.id: one.rule.title.fields() for one in checked[0]}
    return {
        "gone": in_order(_titled(before, titles, [rule for rule in before if rule not in after])),
        "stays": in_order(_titled(after, titles, [rule for rule in after if rule in before])),
        "new": in_order(_titled(after, titles, [rule for rule in after if rule not in before])),
    }


def _titled(
    found: Mapping[str, list[dict[str, Any]]], titles: Mapping[str, object], rules: Sequence[str]
) -> list[dict[str, Any]]:
    return [{**one, "title": titles[rule]} for rule in rules for one in found[rule]]


def timeline(profile: Profile, number: int | None) -> dict[str, Any] | None:
    """A step as lanes, one for each busy track: what most of the time in each of 600 parts of it was spent
    on, as runs of ``start``, ``end`` (ns from the start of the step) and ``category``. ``number`` None: the
    step nearest to the median. None where no step has a place on the timeline."""
    steps, slices = profile.tables.get("steps"), profile.tables.get("slices")
    if steps is None or slices is None:
        return None
    rows = np.flatnonzero((steps["start"] >= 0) & (steps["duration"] > 0))
    if not len(rows):
        return None
    numbers, durations = steps["number"][rows], steps["duration"][rows]
    away = np.abs(durations - (median_of(durations) or 0)) if number is None else np.abs(numbers - number)
    row = int(rows[int(np.argmin(away))])
    start, duration = int(steps["start"][row]), int(steps["duration"][row])
    here = (slices["start"] < start + duration) & (slices["start"] + slices["duration"] > start)
    here &= slices["category"] != Category.OTHER
    inside = np.flatnonzero(here)
    busy = np.bincount(slices["track"][inside], slices["self"][inside].clip(0), len(profile.tracks))
    chosen = np.argsort(-busy, kind="stable")[:_MOST_LANES]
    lanes = []
    for track in np.sort(chosen[busy[chosen] > 0]).tolist():
        mine = inside[slices["track"][inside] == track]
        edges = start + (np.arange(_BINS + 1) * duration) // _BINS
        lane = profile.tracks[track]
        times = exclusive_times(
            slices["category"][mine],
            slices["start"][mine],
            slices["duration"][mine],
            edges[:-1],
            np.diff(edges),
        )
        if not (runs := _runs(times, edges - start)):
            continue
        lanes.append({"label": lane.label, "kind": lane.kind, "runs": runs})
    return {
        "number": int(steps["number"][row]),
        "numbers": numbers[:_MOST_NUMBERS].tolist(),
        "duration": duration,
        "lanes": lanes,
    }


def _runs(times: Mapping[str, NDArray[np.int64]], edges: NDArray[np.int64]) -> list[dict[str, Any]]:
    names = [*CATEGORIES, "idle"]
    most = np.argmax(np.stack([times[name] for name in names]), axis=0)
    begins = np.flatnonzero(np.diff(most, prepend=-1))
    ends = np.append(begins[1:], len(most))
    return [
        {"start": int(edges[begin]), "end": int(edges[end]), "category": names[int(most[begin])]}
        for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)
        if most[begin] != _IDLE
    ]
