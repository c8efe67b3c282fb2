"""The timeline: tracks, details of a slice, search by name, and range summaries."""

from __future__ import annotations

import threading
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin import NotFound, ReasonKind
from insight_core.plugin.http import matcher_of
from insight_profiler.analysis.listing import SortedTable, TableColumn
from insight_profiler.analysis.sums import ratio
from insight_profiler.model import Category, FlowKind, Profile, Side

_points: WeakKeyDictionary[Profile, tuple[NDArray[np.intp], NDArray[np.intp]]] = WeakKeyDictionary()
_lock = threading.Lock()
_MOST_STEPS = 2000
_MOST_FLOWS = 200
_MOST_NAMES = 200
_MOST_TRACKS = 20_000  # and as many counters
_MOST_PARENTS = 1000
_NO_SLICE = ReasonKind("profiler_no_slice", "no slice {slice}")


def tracks(profile: Profile) -> dict[str, Any]:
    """Tracks and counters with how much is on each, and the steps; places count from 0. Of very many only the
    first: ``track_count`` and ``counter_count`` are of all."""
    slices = profile.tables.get("slices")
    count = len(profile.tracks)
    sizes, deepest = np.zeros(count, np.int64), np.full(count, -1)
    starts, ends = np.full(count, np.iinfo(np.int64).max), np.full(count, -1)
    if slices is not None:
        firsts = np.flatnonzero(np.diff(slices["track"], prepend=-1))  # by track and start they are sorted
        owners = slices["track"][firsts]
        sizes[owners] = np.diff(firsts, append=len(slices["track"]))
        deepest[owners] = np.maximum.reduceat(slices["depth"], firsts)
        starts[owners] = slices["start"][firsts]
        ends[owners] = np.maximum.reduceat(slices["start"] + slices["duration"], firsts)
    return {
        "tracks": [
            {
                "id": place,
                "kind": track.kind,
                "label": track.label,
                "parent": track.parent if track.parent >= 0 else None,
                "device": profile.devices[track.device].name if track.device >= 0 else None,
                "order": track.order,
                "slices": int(sizes[place]),
                "levels": int(deepest[place]) + 1,
                "start": int(starts[place]) if sizes[place] else None,
                "end": int(ends[place]) if sizes[place] else None,
            }
            for place, track in enumerate(profile.tracks[:_MOST_TRACKS])
        ],
        "track_count": count,
        "counters": [
            {
                "id": place,
                "label": counter.label,
                "group": counter.group,
                "unit": counter.unit,
                "device": profile.devices[counter.device].name if counter.device >= 0 else None,
                **_extent(profile, place),
            }
            for place, counter in enumerate(profile.counters[:_MOST_TRACKS])
        ],
        "counter_count": len(profile.counters),
        "steps": _steps(profile),
    }


def slice_of(profile: Profile, row: int) -> dict[str, Any]:
    """One slice, those it lies in from the outermost (of very many the nearest), and the flows that begin or
    end at it."""
    slices = profile.tables.get("slices")
    if slices is None or not 0 <= row < len(slices["start"]):
        raise NotFound(_NO_SLICE(slice=row))
    said = brief(profile, np.array([row]))[0]
    around: list[dict[str, Any]] = []
    above = int(slices["parent"][row])
    while above >= 0 and len(around) < _MOST_PARENTS:
        around.append({"id": above, "name": _name(profile, above)})
        above = int(slices["parent"][above])
    number = int(slices["step"][row])
    operator, kernel = int(slices["operator"][row]), int(slices["kernel"][row])
    return {
        **said,
        "self": int(slices["self"][row]),
        "step": int(profile.tables["steps"]["number"][number]) if number >= 0 else None,
        "operator": _operator(profile, operator),
        "kernel": _kernel(profile, kernel),
        "parents": around[::-1],
        "flows": _flows(profile, row),
    }


def brief(profile: Profile, rows: NDArray[np.intp]) -> list[dict[str, Any]]:
    """Slices as JSON objects: id, name, track, start and duration in nanoseconds, depth and category."""
    slices = profile.tables["slices"]
    names = ("track", "start", "duration", "depth", "category", "name")
    columns = (slices[name][rows].tolist() for name in names)
    return [
        {
            "id": row,
            "name": profile.texts[name] if name >= 0 else "",
            "track": track,
            "start": start,
            "duration": duration,
            "depth": depth,
            "category": Category(category).name.lower(),
        }
        for row, track, start, duration, depth, category, name in zip(rows.tolist(), *columns, strict=True)
    ]


def found(profile: Profile, text: str, *, is_regex: bool) -> NDArray[np.intp]:
    """Slices whose names match, by their beginnings."""
    slices = profile.tables["slices"]
    rows = np.flatnonzero(
        TableColumn("name", "text", slices["name"], profile.texts).matching(
            matcher_of(text, is_regex=is_regex)
        )
    )
    return rows[np.argsort(slices["start"][rows], kind="stable")]


def by_name(profile: Profile, rows: NDArray[np.intp], start: int, end: int) -> SortedTable:
    """Slices by name and category: how many, and how much of their time lies in the range."""
    slices = profile.tables["slices"]
    kinds = len(Category)
    keys = (slices["name"][rows] + 1) * np.int64(kinds) + slices["category"][rows]
    size = (len(profile.texts) + 1) * kinds
    counts = np.bincount(keys, minlength=size)
    found = np.flatnonzero(counts)
    starts, durations = slices["start"][rows], slices["duration"][rows]
    inside = (starts + durations).clip(start, end) - starts.clip(start, end)
    # of a slice that is cut, its own time is cut in proportion
    own = np.rint(slices["self"][rows] * (inside / np.maximum(durations, 1)))
    total = np.bincount(keys, inside, size)[found].astype(np.int64)
    alone = np.bincount(keys, own, size)[found].astype(np.int64)
    labels = [category.name.lower() for category in Category]
    return SortedTable(
        [
            TableColumn("name", "text", found // kinds - 1, profile.texts),
            TableColumn("category", "text", found % kinds, labels),
            TableColumn("count", "count", counts[found]),
            TableColumn("total", "ns", total),
            TableColumn("self", "ns", alone),
            TableColumn("share", "share", ratio(alone, int(alone.sum()))),
        ]
    )


def busy(profile: Profile, rows: NDArray[np.intp], start: int, end: int) -> int:
    """How long at least one of the slices ran within the range (ns)."""
    slices = profile.tables["slices"]
    begins = slices["start"][rows].clip(start, end)
    ends = (slices["start"][rows] + slices["duration"][rows]).clip(start, end)
    order = np.argsort(begins, kind="stable")
    begins, ends = begins[order], ends[order]
    before = np.concatenate(([start], np.maximum.accumulate(ends)[:-1])) if len(ends) else ends
    return int((ends - np.maximum(begins, before)).clip(0).sum())


def places_of(profile: Profile, rows: NDArray[np.intp]) -> list[int]:
    """Places among the texts of the profile that the names of these slices have, in ascending order."""
    has = np.zeros(len(profile.texts), np.bool_)
    names = profile.tables["slices"]["name"][rows]
    has[names[names >= 0]] = True
    return np.flatnonzero(has).tolist()


def names_of(profile: Profile, rows: NDArray[np.intp]) -> list[dict[str, Any]]:
    """How often each name was found, the longest in all first."""
    slices = profile.tables["slices"]
    names, inverse, counts = np.unique(slices["name"][rows], return_inverse=True, return_counts=True)
    totals = np.zeros(len(names), np.int64)
    np.add.at(totals, inverse, slices["duration"][rows])
    return [
        {"name": profile.texts[names[place]], "count": int(counts[place]), "total": int(totals[place])}
        for place in np.argsort(-totals, kind="stable")[:_MOST_NAMES].tolist()
    ]


def points_of(profile: Profile, place: int) -> NDArray[np.intp]:
    """Rows of the points of a counter, in the order of time."""
    with _lock:
        found = _points.get(profile)
        if found is None:
            counters = profile.tables["counters"]
            order = np.lexsort((counters["time"], counters["counter"]))
            borders = np.searchsorted(counters["counter"][order], np.arange(len(profile.counters) + 1))
            found = _points[profile] = (order, borders)
    order, borders = found
    return order[borders[place] : borders[place + 1]]


def _extent(profile: Profile, place: int) -> dict[str, Any]:
    counters = profile.tables.get("counters")
    values = counters["value"][points_of(profile, place)] if counters is not None else np.zeros(0)
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if len(values) else (None, None)
    return {"points": len(values), "minimum": low, "maximum": high}


def _steps(profile: Profile) -> list[dict[str, int]]:
    steps = profile.tables.get("steps")
    if steps is None:
        return []
    rows = np.flatnonzero(steps["start"] >= 0)[:_MOST_STEPS]
    columns = (steps[name][rows].tolist() for name in ("number", "start", "duration"))
    return [
        {"number": number, "start": start, "duration": duration}
        for number, start, duration in zip(*columns, strict=True)
    ]


def _name(profile: Profile, row: int) -> str:
    place = int(profile.tables["slices"]["name"][row])
    return profile.texts[place] if place >= 0 else ""


def _operator(profile: Profile, row: int) -> dict[str, Any] | None:
    if row < 0:
        return None
    operators = profile.tables["operators"]
    names = ("name", "type", "scope", "shapes")
    said = {name: _text(profile, operators[name][row]) for name in names}
    return {**said, "side": Side(int(operators["side"][row])).name.lower()}


def _kernel(profile: Profile, row: int) -> dict[str, Any] | None:
    if row < 0:
        return None
    kernels = profile.tables["kernels"]
    said = {name: _text(profile, kernels[name][row]) for name in ("name", "stream", "grid", "block", "core")}
    return {**said, "operator": _operator(profile, int(kernels["operator"][row]))}


def _text(profile: Profile, place: int) -> str | None:
    return profile.texts[int(place)] if place >= 0 else None


def _flows(profile: Profile, row: int) -> list[dict[str, Any]]:
    flows = profile.tables.get("flows")
    if flows is None:
        return []
    listed = []
    for direction, near, far in (("out", "source", "target"), ("in", "target", "source")):
        at = np.flatnonzero(flows[near] == row)[:_MOST_FLOWS]
        others = brief(profile, flows[far][at].astype(np.intp))
        listed += [
            {"direction": direction, "kind": FlowKind(kind).name.lower(), "slice": other}
            for kind, other in zip(flows["kind"][at].tolist(), others, strict=True)
        ]
    return listed
