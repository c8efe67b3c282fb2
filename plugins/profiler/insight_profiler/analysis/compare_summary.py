"""Two profiles side by side: steps, memory, communication, advice, and the timelines of one step of each."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from insight_profiler.analysis.compared_steps import ComparedSteps, alike, limits_of, measure_of
from insight_profiler.analysis.memory import peaks
from insight_profiler.analysis.outliers import median_of, middle_of
from insight_profiler.analysis.steps import CATEGORIES, division_of, of_rows
from insight_profiler.derived.steps import exclusive_times
from insight_profiler.model import Category, Profile

_BINS = 600  # of a step
_MOST_LANES = 12
_MOST_NUMBERS = 1000
_MOST_ROWS = 100
_IDLE = len(CATEGORIES)


def summary_of(
    base: ComparedSteps, own: ComparedSteps, base_step: int | None = None, step: int | None = None
) -> dict[str, Any]:
    """``parts``, ``memory`` and ``communication`` are rows with ``base`` and ``value`` (None: not there).

    Times are of a median step (ns). Where one of the profiles has no steps there are no ``parts``, and
    communication is that of the whole profiles (``per``: ``total``), else that of a step (``step``).
    ``timelines`` are those of the named steps, or of the steps nearest to the median. ``limits`` are codes of
    what cannot be compared by the step, for each side.
    """
    both, per = (base, own), measure_of(base, own, "step")
    calls = [_communication(one) for one in both]
    communicating = [evolve(one, has_calls=of.are_placed) for one, of in zip(both, calls, strict=True)]
    pairs = zip(calls, alike(*communicating), strict=True)
    return {
        "per": per,
        "limits": limits_of(communicating[0], communicating[1], "step"),
        "parts": _rows([_parts(one) for one in both]) if per == "step" else [],
        "memory": _rows([_memory(one.profile) for one in both]),
        "communication": _rows([_times(of, one, per) for of, one in pairs])[:_MOST_ROWS],
        "timelines": [timeline(base, base_step), timeline(own, step)],
    }


def compared_advice(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Of two answers of advice, by rule: what only the base has (``gone``), what only the other has
    (``new``), and what both have (``stays``)."""
    titles = {rule["id"]: rule["title"] for answer in (base, own) for rule in answer["rules"]}
    before, after = ({one["rule"] for one in answer["advice"]} for answer in (base, own))

    def of(answer: Mapping[str, Any], rules: Collection[str]) -> list[dict[str, Any]]:
        return [{**one, "title": titles[one["rule"]]} for one in answer["advice"] if one["rule"] in rules]

    return {
        "gone": of(base, before - after),
        "stays": of(own, after & before),
        "new": of(own, after - before),
    }


def _rows(sides: Sequence[Mapping[str, float]]) -> list[dict[str, Any]]:
    before, after = sides
    names = dict.fromkeys([*before, *after])
    return [{"name": name, "base": before.get(name), "value": after.get(name)} for name in names]


def _parts(compared: ComparedSteps) -> dict[str, float]:
    """Medians of the steps that count, by what their time is spent on."""
    steps = compared.profile.tables["steps"]
    counted = of_rows(steps, compared.rows)
    known = [name for name in (*CATEGORIES, "idle") if (steps[name] > 0).any()]
    medians = {name: middle_of(counted[name]) for name in ("duration", *(known or division_of(steps)))}
    return {name: float(value) for name, value in medians.items() if value is not None}


def _memory(profile: Profile) -> dict[str, float]:
    return {" ".join((one["device"], one["label"])).strip(): one["value"] for one in peaks(profile)}


@frozen(eq=False)
class _Communication:
    """Names (-1: none), durations (ns) and rows of steps (-1: none) of its calls."""

    name: NDArray[np.int32]
    time: NDArray[np.int64]
    step: NDArray[np.intp]

    @property
    def are_placed(self) -> bool:
        """Whether the log says in which steps they were; True without calls."""
        return not len(self.step) or bool((self.step >= 0).any())


def _communication(compared: ComparedSteps) -> _Communication:
    tables = compared.profile.tables
    table = tables.get("collectives")
    if table is not None and len(table["name"]):
        numbers = tables["steps"]["number"] if compared.count else np.zeros(0, np.int64)
        is_known = np.isin(table["step"], numbers)
        order = np.argsort(numbers, kind="stable")
        places = np.searchsorted(numbers[order], table["step"][is_known])
        step = np.full(len(is_known), -1)
        step[is_known] = order[places]
        return _Communication(table["name"], table["elapsed"].clip(0), step)
    slices = tables.get("slices")
    if slices is None:
        return _Communication(np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(0, np.intp))
    rows = np.flatnonzero((slices["category"] == Category.COMMUNICATION) & (slices["kernel"] >= 0))
    return _Communication(
        slices["name"][rows], slices["duration"][rows], slices["step"][rows].astype(np.intp)
    )


def _times(communication: _Communication, compared: ComparedSteps, per: str) -> dict[str, float]:
    """By the name of the kernel or operation, in total or of a step (ns), the longest first."""
    counted = compared.rows_of_calls(per)
    name, time = communication.name, communication.time
    if counted is not None:
        is_counted = np.isin(communication.step, counted)
        name, time = name[is_counted], time[is_counted]
    names, inverse = np.unique(name, return_inverse=True)
    sums = np.bincount(inverse.reshape(-1), time, len(names)) / (compared.divisor if per == "step" else 1)
    order = np.argsort(-sums, kind="stable")
    texts = compared.profile.texts
    return {
        texts[place].partition("(")[0] if place >= 0 else "": float(sums[at])
        for at, place in zip(order.tolist(), names[order].tolist(), strict=True)
    }


def timeline(compared: ComparedSteps, number: int | None) -> dict[str, Any] | None:
    """A step as lanes, one for each busy track: what most of the time in each of 600 parts of it was spent
    on, as runs of ``start``, ``end`` (ns from the start of the step) and ``category``. The ``start`` of the
    step counts from that of the profile. ``number`` None: that of the steps that count which is nearest to
    the median. None if no step has a place on the timeline."""
    profile = compared.profile
    steps, slices = profile.tables.get("steps"), profile.tables.get("slices")
    if steps is None or slices is None:
        return None
    rows = np.flatnonzero((steps["start"] >= 0) & (steps["duration"] > 0))
    if not len(rows):
        return None
    numbers, durations = steps["number"][rows], steps["duration"][rows]
    if number is None:
        counts = np.isin(rows, compared.rows)
        counts = counts if counts.any() else np.ones(len(rows), bool)
        away = np.where(counts, np.abs(durations - (median_of(durations[counts]) or 0)), np.inf)
    else:
        away = np.abs(numbers - number)
    row = int(rows[int(np.argmin(away))])
    start, duration = int(steps["start"][row]), int(steps["duration"][row])
    here = (slices["start"] < start + duration) & (slices["start"] + slices["duration"] > start)
    here &= slices["category"] != Category.OTHER
    inside = np.flatnonzero(here)
    busy = np.bincount(slices["track"][inside], slices["self"][inside].clip(0), len(profile.tracks))
    chosen = np.argsort(-busy, kind="stable")[:_MOST_LANES]
    lanes = []
    for track in sorted(chosen[busy[chosen] > 0].tolist(), key=lambda one: _place_of(profile, one)):
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
        "start": start,
        "duration": duration,
        "lanes": lanes,
    }


def _place_of(profile: Profile, track: int) -> tuple[int, ...]:
    """Sorts tracks as the timeline lists them: below their process or device, each in its order."""
    own = profile.tracks[track]
    parent = own.parent if own.parent >= 0 else track
    return profile.tracks[parent].order, parent, own.order, track


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
