"""Converts trace events to columns, window by window."""

from __future__ import annotations

import marshal
from array import array
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from attrs import define, field
from numpy.typing import ArrayLike, NDArray

from insight_profiler.arguments import packed_offset
from insight_profiler.building import Building
from insight_profiler.model import Category, Counter, FlowKind
from insight_profiler.reading.json_events import Window, readable
from insight_profiler.reading.times import NO_TIME, nanoseconds
from insight_profiler.reading.trace_collectives import COLLECTIVE, TraceCollectives
from insight_profiler.reading.trace_flops import TraceFlops, is_counted
from insight_profiler.reading.trace_kernels import TraceKernels
from insight_profiler.reading.trace_kinds import Classify, flow_kind, is_torch
from insight_profiler.reading.trace_memory import MemoryEvents
from insight_profiler.reading.trace_pairs import PairedSlices
from insight_profiler.reading.trace_tracks import TraceTracks

_DEVICE = {Category.KERNEL, Category.MEMCPY, Category.MEMSET}
_NOTHING, _OPERATOR, _RUNTIME, _WORK, _STEP = range(5)  # what of the arguments is looked at
_FAR = 1 << 62
_MOST_FLOWS, _MOST_CATEGORIES = 1 << 54, 64  # that one number tells


@define
class _Rows:
    """Slices of a window. Of what few have: places in the window, and values."""

    tracks: list[int] = field(factory=list)
    kinds: list[int] = field(factory=list)
    starts: list[object] = field(factory=list)
    durations: list[object] = field(factory=list)
    events: list[int] = field(factory=list)
    shapes: tuple[list[int], list[int]] = field(factory=lambda: ([], []))
    external: tuple[list[int], list[int]] = field(factory=lambda: ([], []))
    correlation: tuple[list[int], list[int]] = field(factory=lambda: ([], []))
    kernel: tuple[list[int], list[int]] = field(factory=lambda: ([], []))
    steps: list[tuple[int, int]] = field(factory=list)  # number, row

    def sparse(self, which: tuple[list[int], list[int]]) -> NDArray[np.int64]:
        column = np.full(len(self.tracks), -1, np.int64)
        rows, values = which
        column[rows] = values
        return column


@define
class _Points:
    """What has one time, of a window: arrows, counters, memory."""

    times: list[object] = field(factory=list)
    values: list[tuple[Any, ...]] = field(factory=list)

    def timed(self) -> tuple[list[int], list[tuple[Any, ...]], int]:
        """Those that have a time, and how many have none."""
        times = nanoseconds(self.times).tolist()
        if NO_TIME not in times:
            return times, self.values, 0
        good = [row for row, time in enumerate(times) if time != NO_TIME]
        return [times[row] for row in good], [self.values[row] for row in good], len(times) - len(good)


class TraceEvents:
    """Takes events into a building. ``odd`` counts those that lack what events must have."""

    def __init__(self, building: Building, classify: Classify, file: int) -> None:
        self._building = building
        self._classify = classify
        self._file = file
        self._tracks = TraceTracks(building)
        self._kernels = TraceKernels(building)
        self._collectives = TraceCollectives(building)
        self._devices: dict[tuple[bool, int], int] = {}
        self._memory = MemoryEvents(building, self._devices)
        self._paired = PairedSlices()
        self._kinds: dict[tuple[Hashable, str, str], int] = {}
        self._kind_columns: dict[str, array[int]] = {
            name: array("i") for name in ("name", "category", "type", "marker", "looked", "step")
        }
        self._counted: dict[int, str] = {}  # names of operators whose FLOPs are counted
        self._flows: dict[tuple[str, str], int] = {}  # those whose numbers are none
        self._flow_categories: dict[str, int] = {}
        self._flow_kinds: dict[tuple[str, str], tuple[FlowKind, int]] = {}
        self._counters: dict[tuple[Hashable, str, str], int] = {}
        self._steps: set[int] = set()
        self._shapes: dict[bytes, int] = {}  # texts of what was seen
        self._flops = TraceFlops()
        self.odd = 0
        self.is_torch = False

    # --- events -----------------------------------------------------------------------------------

    def add(self, window: Window) -> None:
        """Adds the events of a window."""
        rows, arrows, points, memory = _Rows(), _Points(), _Points(), _Points()
        find_track, known_tracks = self._tracks.place, self._tracks.threads
        find_kind = self._kinds.get
        looked_at = self._kind_columns["looked"]
        add_track, add_kind = rows.tracks.append, rows.kinds.append
        add_start, add_duration, add_event = rows.starts.append, rows.durations.append, rows.events.append
        find_flow, find_flow_kind = self._flows, self._flow_kinds.get
        add_arrow_time, add_arrow = arrows.times.append, arrows.values.append
        for at, event in enumerate(window.events):
            try:
                phase, get = event["ph"], event.get
                process, thread = get("pid"), get("tid")
                if phase == "X":
                    name, category = get("name", ""), get("cat", "")
                    kind = find_kind((process, category, name))
                    if kind is None:
                        kind = self._kind(process, category, name)
                    if kind < 0:
                        continue
                    start = event["ts"]
                    track = known_tracks.get((process, thread))
                    if track is None:
                        track = find_track(process, thread)
                    look = looked_at[kind]
                    if look:
                        said = get("args")
                        if said or look == _STEP:
                            self._look(rows, look, kind, track, said or {})
                    add_track(track)
                    add_kind(kind)
                    add_start(start)
                    add_duration(get("dur", 0))
                    add_event(at)
                elif phase in ("s", "t", "f"):
                    category, name, number = get("cat", ""), get("name", ""), get("id")
                    known = find_flow_kind((category, name)) or self._flow_kind(category, name)
                    if type(number) is int and 0 <= number < _MOST_FLOWS and known[1] < _MOST_CATEGORIES:
                        flow = number * _MOST_CATEGORIES + known[1]
                    else:
                        flow = -1 - find_flow.setdefault((category, str(number)), len(find_flow))
                    track = known_tracks.get((process, thread))
                    if track is None:
                        track = find_track(process, thread)
                    add_arrow_time(event["ts"])
                    add_arrow((flow, known[0], phase == "s", track))
                elif phase == "M":
                    if isinstance(said := get("args"), dict):
                        self._tracks.tell(event["name"], process, thread, said)
                elif phase == "C":
                    for series, value in (get("args") or {}).items():
                        number = _number(value)
                        if number is not None:
                            counter = self._counter(process, get("name", ""), series)
                            points.times.append(event["ts"])
                            points.values.append((counter, number))
                elif phase in ("i", "I", "R"):
                    said = get("args")
                    if get("name") == "[memory]" and isinstance(said, dict):
                        track = known_tracks.get((process, thread))
                        if track is None:
                            track = find_track(process, thread)
                        memory.times.append(event["ts"])
                        memory.values.append((track, said))
                        continue
                    kind = self._instant(process, get("cat", ""), get("name", ""))
                    if kind >= 0:
                        track = find_track(process, thread)
                        add_start(event["ts"])
                        add_track(track)
                        add_kind(kind)
                        add_duration(0)
                        add_event(at)
                elif phase in ("B", "E", "b", "e"):
                    self._pair(event, phase, window.starts[at], window.ends[at])
            except (KeyError, TypeError, AttributeError):
                self.odd += 1
        self._add_slices(rows, window)
        self._add_points(arrows, points, memory)

    def finish(self) -> None:
        """Adds what can only be told when all events are there."""
        if self._paired.keys:
            columns = {
                name: np.array(column, np.int64)
                for name, column in self._paired.slices(self._building).items()
            }
            kinds = columns.pop("kind")
            self._building.add("slices", **columns, **self._of_kinds(kinds))
        self._memory.finish()

    def label(self) -> None:
        """Gives tracks their names, as far as they are known."""
        self._tracks.label()

    # --- one event --------------------------------------------------------------------------------

    def _kind(self, process: Hashable, category: str, name: str) -> int:
        """The place of what events of this name are, -1 when they say nothing."""
        key = process, category, name
        readable_name = readable(str(name))
        kind = self._classify(self._tracks.process_name(process), str(category), readable_name)
        if is_torch(str(category)):
            self.is_torch = True
        if kind is None:
            self._kinds[key] = -1
            return -1
        look = _NOTHING
        if kind.step >= 0:
            look = _STEP
        elif kind.category in _DEVICE or (kind.category is Category.COMMUNICATION and not kind.type):
            look = _WORK
        elif kind.category is Category.RUNTIME:
            look = _RUNTIME
        elif kind.type:
            look = _OPERATOR
        text = self._building.text
        values = (text(readable_name), kind.category, text(kind.type), kind.is_marker, look, kind.step)
        found = len(self._kind_columns["name"])
        if kind.type and is_counted(readable_name):
            self._counted[found] = readable_name
        for column, value in zip(self._kind_columns.values(), values, strict=True):
            column.append(min(int(value), (1 << 31) - 1))
        self._kinds[key] = found
        return found

    def _look(self, rows: _Rows, look: int, kind: int, track: int, said: Mapping[str, Any]) -> None:
        row = len(rows.tracks)
        get = said.get
        if look == _STEP:
            rows.steps.append((self._kind_columns["step"][kind], row))
            return
        external = get("External id")
        if external is None:
            external = get("external id")
        if type(external) is int and 0 <= external < _FAR:
            rows.external[0].append(row)
            rows.external[1].append(external)
        if look == _OPERATOR:
            shapes = get("Input Dims") or get("Input dims")
            if shapes:
                rows.shapes[0].append(row)
                key = marshal.dumps(shapes, 2)  # sooner than a text of it
                text = self._shapes.get(key)
                if text is None:
                    text = self._shapes[key] = self._building.text(str(shapes))
                rows.shapes[1].append(text)
                name = self._counted.get(kind)
                if name:
                    self._flops.look(row, name, shapes, said)
            return
        correlation = get("correlation")
        if type(correlation) is int and 0 <= correlation < _FAR:
            rows.correlation[0].append(row)
            rows.correlation[1].append(correlation)
        if look == _WORK:
            number = get("device")
            device = self._memory.device(1, number if type(number) is int else 0)
            self._tracks.is_stream(track, device)
            if self._kind_columns["category"][kind] in (Category.KERNEL, Category.COMMUNICATION):
                rows.kernel[0].append(row)
                rows.kernel[1].append(self._kernels.row(self._kind_columns["name"][kind], device, said))
                if COLLECTIVE in said:
                    self._collectives.look(row, said)

    def _instant(self, process: Hashable, category: str, name: str) -> int:
        """As of a slice, but that it is never a call of an operator."""
        key = process, category, f"\0{name}"
        found = self._kinds.get(key)
        if found is None:
            found = self._kind(process, category, name)
            if found >= 0:
                columns = self._kind_columns
                for named, column in columns.items():
                    column.append(
                        {"type": -1, "looked": _NOTHING, "category": Category.OTHER}.get(named, column[found])
                    )
                found = len(columns["name"]) - 1
            self._kinds[key] = found
        return found

    def _flow_kind(self, category: str, name: str) -> tuple[FlowKind, int]:
        """What flows of a name are, and the place of their category: numbers count by it."""
        place = self._flow_categories.setdefault(category, len(self._flow_categories))
        found = self._flow_kinds[category, name] = flow_kind(category, name), place
        return found

    def _counter(self, process: Hashable, name: str, series: str) -> int:
        key = process, name, series
        found = self._counters.get(key)
        if found is None:
            label = readable(f"{name}: {series}" if series and series != name else name)
            found = self._counters[key] = self._building.counter(Counter(label, "other"))
        return found

    def _pair(self, event: Mapping[str, Any], phase: str, start: int, end: int) -> None:
        process, category, name = event.get("pid"), event.get("cat", ""), event.get("name", "")
        if phase in ("B", "E"):
            track = self._tracks.place(process, event.get("tid"))
            key: Hashable = track
        else:
            track = self._tracks.place(process, f"async {category}".strip())
            key = track, category, event.get("id"), str(event.get("id2")), name
        kind = -1
        if phase in ("B", "b"):
            known = self._kinds.get((process, category, name))
            kind = self._kind(process, category, name) if known is None else known
            if kind < 0:
                return
        offset = packed_offset(self._file, start)
        self._paired.add(key, track, event["ts"], kind, offset, end - start)

    # --- columns ----------------------------------------------------------------------------------

    def _add_slices(self, rows: _Rows, window: Window) -> None:
        if not rows.tracks:
            return
        starts, durations = nanoseconds(rows.starts), nanoseconds(rows.durations)
        events = np.array(rows.events)
        offsets = np.array(window.starts, np.int64)[events]
        columns: dict[str, NDArray[Any]] = {
            "track": np.array(rows.tracks, np.int32),
            "start": starts,
            "duration": np.maximum(durations, 0),
            "offset": packed_offset(self._file, 0) + offsets,
            "size": np.array(window.ends, np.int64)[events] - offsets,
            "shapes": rows.sparse(rows.shapes),
            **self._flops.columns(len(rows.tracks)),
            "correlation": rows.sparse(rows.correlation),
            "external": rows.sparse(rows.external),
            "kernel": rows.sparse(rows.kernel),
            **self._of_kinds(np.array(rows.kinds)),
        }
        good = (starts != NO_TIME) & (durations != NO_TIME)
        self._collectives.add(starts, columns["duration"], good)
        for number, row in rows.steps:
            if good[row] and number not in self._steps:
                self._steps.add(number)
                self._building.add(
                    "steps", number=[number], start=[starts[row]], duration=[columns["duration"][row]]
                )
        self.odd += int((durations[durations != NO_TIME] < 0).sum())
        if not good.all():
            self.odd += int((~good).sum())
            columns = {name: column[good] for name, column in columns.items()}
        self._kernels.add()
        self._building.add("slices", **columns)

    def _of_kinds(self, kinds: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        return {
            name: np.array(self._kind_columns[name], np.int32)[kinds]
            for name in ("name", "category", "type", "marker")
        }

    def _add_points(self, arrows: _Points, points: _Points, memory: _Points) -> None:
        times, values, odd = arrows.timed()
        self.odd += odd
        if times:
            flow, kind, begins, track = zip(*values, strict=True)
            self._building.add("arrows", flow=flow, kind=_kinds(kind), begins=begins, track=track, time=times)
        times, values, odd = points.timed()
        self.odd += odd
        if times:
            counter, value = zip(*values, strict=True)
            self._building.add("counters", counter=counter, time=times, value=value)
        times, values, odd = memory.timed()
        self.odd += odd
        if times:
            tracks, said = zip(*values, strict=True)
            self._memory.add(times, list(tracks), list(said))


def _kinds(kinds: tuple[FlowKind, ...]) -> ArrayLike:
    return np.array(kinds, np.uint8)


def _number(value: object) -> float | None:
    """Of a counter: whole numbers, and decimals as texts."""
    if isinstance(value, int):
        return value
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return None
    return None
