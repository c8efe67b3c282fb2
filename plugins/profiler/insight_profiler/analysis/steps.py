"""Duration of steps, by category."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin import InvalidArgument, NotFound, ReasonKind
from insight_profiler.analysis.listing import SortedTable, TableColumn
from insight_profiler.analysis.outliers import middle_of, outliers, warm_up
from insight_profiler.model import Category, Profile, Table

CATEGORIES = tuple(category.name.lower() for category in Category)
_DIVISIONS = (  # ways in which a step is divided, the most telling first
    ("iteration_interval", "forward_backward", "tail"),
    ("computing", "communication_not_overlapped", "receive", "bubble", "free"),
    (*CATEGORIES, "idle"),
)
_OF_HOST = ("host_start", "host_duration")
SLOW = 1.5  # times the median: steps that take longer are slow
_MOST_RANGES = 1000
_MOST_OUTLIERS = 100
_MOST_LANES = 2000
_NO_STEP = ReasonKind("profiler_no_step", "no step {step}")
_BAD_STEPS = ReasonKind("profiler_bad_steps", "steps must be numbers and ranges such as 2-5,9, not {value!r}")


def step_listing(profile: Profile) -> SortedTable:
    """All columns that are times, but for categories on which no time was spent, and times of the host where
    steps are its own."""
    steps = profile.tables["steps"]
    columns = [TableColumn("number", "number", steps["number"], is_signed=True)]
    columns += [
        TableColumn(name, "ns", values)
        for name, values in steps.items()
        if name != "number" and (name not in (*CATEGORIES, *_OF_HOST) or (values > 0).any())
    ]
    return SortedTable(columns)


def division_of(steps: Table) -> list[str]:
    """The columns that divide a step, but for those on which no time was spent."""
    for names in _DIVISIONS:
        if spent := [name for name in names if (steps[name] > 0).any()]:
            return spent
    return []


def average(steps: Table) -> dict[str, float | None]:
    """Mean of what is known of each column."""
    found: dict[str, float | None] = {}
    for name, values in steps.items():
        known = values[values >= 0]
        if name not in ("number", "start"):
            found[name] = float(known.mean()) if len(known) else None
    return found


def slow_steps(steps: Table) -> NDArray[np.bool_]:
    """bool[steps]: those that take more than ``SLOW`` times the median."""
    return np.asarray(steps["duration"] > (middle_of(steps["duration"]) or 0) * SLOW)


def usual_rows(steps: Table) -> NDArray[np.intp]:
    """Rows of the steps whose durations are not outliers: a mean over these is not one of the warm-up."""
    return np.flatnonzero(~outliers(steps["duration"]))


def of_rows(steps: Table, rows: NDArray[np.intp] | None) -> Table:
    """Some of the steps; None for all."""
    return steps if rows is None else {name: column[rows] for name, column in steps.items()}


def summary(steps: Table) -> dict[str, Any] | None:
    """Of the durations of all steps, the mean of those that are not outliers; ``p50`` is the median, ``p95``
    by nearest rank. ``outliers`` are numbers of steps, at most 100 of ``outlier_count``; the first
    ``warm_up`` steps are outliers and longer than the median."""
    is_outlier = outliers(steps["duration"])
    durations = np.sort(steps["duration"][steps["duration"] >= 0])
    usual = steps["duration"][~is_outlier & (steps["duration"] >= 0)]
    if not len(durations):
        return None
    return {
        "count": len(steps["number"]),
        "mean": float((usual if len(usual) else durations).mean()),
        "p50": middle_of(durations),
        "p95": int(durations[int(np.ceil(len(durations) * 0.95)) - 1]),
        "minimum": int(durations[0]),
        "maximum": int(durations[-1]),
        "outliers": steps["number"][is_outlier][:_MOST_OUTLIERS].tolist(),
        "outlier_count": int(is_outlier.sum()),
        "warm_up": warm_up(steps["duration"]),
    }


def rows_of(profile: Profile, text: str | None) -> NDArray[np.intp] | None:
    """The rows of the steps that ``steps=`` names by their numbers (``2-5,9``); None for all."""
    if not text:
        return None
    steps = profile.tables.get("steps")
    numbers = np.zeros(0, np.int64) if steps is None else steps["number"]
    return np.flatnonzero(are_named(numbers, text))


def are_named(numbers: NDArray[np.int64], text: str) -> NDArray[np.bool_]:
    """Which of some numbers of steps ``2-5,9`` names."""
    ranges = text.split(",")
    if len(ranges) > _MOST_RANGES:
        text = f"steps must have at most {_MOST_RANGES} parts"
        raise InvalidArgument(text, code="profiler_many_ranges", most=_MOST_RANGES)
    chosen = np.zeros(len(numbers), bool)
    for part in ranges:
        first, dash, last = part.strip().partition("-")
        low, high = _number(first, text), _number(last if dash else first, text)
        chosen |= (numbers >= low) & (numbers <= high)
    return chosen


def drawn(profile: Profile, number: int | None) -> dict[str, Any]:
    """One step, or the average of those that are not outliers, as lanes: the whole, its parts, and what ran
    at the same time. ``steps`` is how many an average is of."""
    steps = profile.tables["steps"]
    counted = 1
    if number is None:
        rows = usual_rows(steps)
        means, counted = average(of_rows(steps, rows)), len(rows)
        start, duration = 0.0, means.get("duration") or 0.0
        values = {name: value or 0.0 for name, value in means.items()}
        chosen = (
            np.isin(profile.tables["lanes"]["step"], rows) if "lanes" in profile.tables else np.zeros(0, bool)
        )
        shown = None
    else:
        found = np.flatnonzero(steps["number"] == number)
        if not len(found):
            raise NotFound(_NO_STEP(step=number))
        row = int(found[0])
        start, duration = float(steps["start"][row]), float(steps["duration"][row])
        values = {name: float(column[row].clip(0)) for name, column in steps.items()}
        chosen = (
            np.isin(profile.tables["lanes"]["step"], row) if "lanes" in profile.tables else np.zeros(0, bool)
        )
        shown = number
    parts, at = [], 0.0
    names = division_of(steps)
    for name in names:
        length = values.get(name, 0.0)
        parts.append({"name": name, "start": at, "duration": length})
        at += length
    return {
        "number": shown,
        "start": start,
        "duration": duration,
        "steps": counted,
        "parts": parts,
        "lanes": _lanes(profile, chosen, mean=number is None),
    }


def _lanes(profile: Profile, chosen: NDArray[np.bool_], *, mean: bool) -> list[dict[str, Any]]:
    """Work in parallel to a step, relative to its start; averages over steps are by name and position."""
    lanes = profile.tables.get("lanes")
    if lanes is None:
        return []
    if not mean:
        rows = np.flatnonzero(chosen)[:_MOST_LANES]
        return [
            {"name": profile.texts[name], "start": start, "duration": duration}
            for name, start, duration in zip(
                lanes["name"][rows].tolist(),
                lanes["start"][rows].tolist(),
                lanes["duration"][rows].tolist(),
                strict=True,
            )
        ]
    names, inverse, counts = np.unique(lanes["name"][chosen], return_inverse=True, return_counts=True)
    starts = np.bincount(inverse, lanes["start"][chosen]) / counts
    durations = np.bincount(inverse, lanes["duration"][chosen]) / counts
    return [
        {"name": profile.texts[name], "start": start, "duration": duration}
        for name, start, duration in zip(
            names[:_MOST_LANES].tolist(), starts.tolist(), durations.tolist(), strict=False
        )
    ]


def _number(text: str, whole: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 18:
        raise InvalidArgument(_BAD_STEPS(value=whole))
    return int(text)
