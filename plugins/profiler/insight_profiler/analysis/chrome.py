"""Exports a range of the timeline as a Chrome trace; times start at 0, because viewers store them as
float64.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from insight_profiler.model import Category, Profile

_AT_ONCE = 20_000  # events in a piece


def chrome_trace(profile: Profile, start: int, end: int, tracks: NDArray[np.intp] | None) -> Iterator[bytes]:
    """Every slice and point of a counter that lies in the range or reaches into it, whole; microseconds
    from its start (a slice that began before has a time below 0)."""
    yield b'{"displayTimeUnit":"ns","traceEvents":[\n'
    names = _track_names(profile)
    yield _events(islice(names, _AT_ONCE)) or b'{"ph":"M","pid":0,"name":"process_name","args":{"name":""}}'
    while some := list(islice(names, _AT_ONCE)):
        yield b",\n" + _events(iter(some))
    rows = _slices_in(profile, start, end, tracks)
    for at in range(0, len(rows), _AT_ONCE):
        yield b",\n" + _events(_slices(profile, rows[at : at + _AT_ONCE], start))
    rows = _points_in(profile, start, end)
    for at in range(0, len(rows), _AT_ONCE):
        yield b",\n" + _events(_points(profile, rows[at : at + _AT_ONCE], start))
    yield b"\n]}\n"


def event_count(profile: Profile, start: int, end: int, tracks: NDArray[np.intp] | None) -> int:
    """How many slices and points such a trace has."""
    return len(_slices_in(profile, start, end, tracks)) + len(_points_in(profile, start, end))


def _slices_in(profile: Profile, start: int, end: int, tracks: NDArray[np.intp] | None) -> NDArray[np.intp]:
    slices = profile.tables.get("slices")
    if slices is None:
        return np.zeros(0, np.intp)
    chosen = (slices["start"] <= end) & (slices["start"] + slices["duration"] >= start)
    if tracks is not None:
        chosen &= np.isin(slices["track"], tracks)
    return np.flatnonzero(chosen)


def _points_in(profile: Profile, start: int, end: int) -> NDArray[np.intp]:
    counters = profile.tables.get("counters")
    if counters is None:
        return np.zeros(0, np.intp)
    return np.flatnonzero((counters["time"] >= start) & (counters["time"] <= end))


def _events(events: Iterator[dict[str, object]]) -> bytes:
    return ",\n".join(json.dumps(event, separators=(",", ":")) for event in events).encode("ascii")


def _place(profile: Profile, track: int) -> tuple[int, int]:
    """Process and thread of a track: its parent's place and its own."""
    parent = profile.tracks[track].parent
    return (parent if parent >= 0 else track) + 1, track + 1


def _track_names(profile: Profile) -> Iterator[dict[str, object]]:
    for track, said in enumerate(profile.tracks):
        process, thread = _place(profile, track)
        if said.parent < 0:
            yield {"ph": "M", "pid": process, "name": "process_name", "args": {"name": said.label}}
            sort = {"sort_index": said.order}
            yield {"ph": "M", "pid": process, "name": "process_sort_index", "args": sort}
        names = {"name": said.label}
        yield {"ph": "M", "pid": process, "tid": thread, "name": "thread_name", "args": names}


def _slices(profile: Profile, rows: NDArray[np.intp], zero: int) -> Iterator[dict[str, object]]:
    slices = profile.tables["slices"]
    columns = (slices[name][rows].tolist() for name in ("track", "start", "duration", "name", "category"))
    for track, start, duration, name, category in zip(*columns, strict=True):
        process, thread = _place(profile, track)
        yield {
            "ph": "X",
            "pid": process,
            "tid": thread,
            "ts": (start - zero) / 1000,
            "dur": duration / 1000,
            "name": profile.texts[name] if name >= 0 else "",
            "cat": Category(category).name.lower(),
        }


def _points(profile: Profile, rows: NDArray[np.intp], zero: int) -> Iterator[dict[str, object]]:
    counters = profile.tables["counters"]
    columns = (counters[name][rows].tolist() for name in ("counter", "time", "value"))
    for place, time, value in zip(*columns, strict=True):
        label = profile.counters[place].label
        yield {"ph": "C", "pid": 0, "ts": (time - zero) / 1000, "name": label, "args": {label: value}}
