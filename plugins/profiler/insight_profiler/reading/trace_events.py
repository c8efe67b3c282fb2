"""Converts trace events to columns, window by window."""

from __future__ import annotations

import marshal
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_profiler.building import Building
from insight_profiler.model import Category, Counter, FlowKind
from insight_profiler.reading.arguments import packed_offset
from insight_profiler.reading.json_events import Window, readable
from insight_profiler.reading.times import NO_TIME, nanoseconds
from insight_profiler.reading.trace_collectives import COLLECTIVE, TraceCollectives
from insight_profiler.reading.trace_kernels import TraceCopies, TraceKernels
from insight_profiler.reading.trace_kind_table import OPERATOR, STEP, WORK, KindTable
from insight_profiler.reading.trace_kinds import flow_kind
from insight_profiler.reading.trace_known import MOST_CATEGORIES, Columns, KnownRows
from insight_profiler.reading.trace_memory import MemoryEvents
from insight_profiler.reading.trace_rows import PairedSlices, SliceRows, TimedPoints
from insight_profiler.reading.trace_tracks import TraceTracks
from insight_profiler.reading.trace_work import TraceWork

# phases: "S" and "F" are those of asynchronous slices before "b" and "e"
_BEGINS, _ENDS, _ASYNC_INSTANTS, _CLOCK_SYNC = frozenset("BbS"), frozenset("EeF"), frozenset("nTp"), "c"
_MOST_DEVICES = 64
_FAR = 1 << 62
_MOST_FLOWS = 1 << 54  # that one number tells


class TraceEvents:
    """Takes events into a building. ``odd`` counts those that lack what events must have, ``unread`` those of
    each phase that is not read."""

    def __init__(self, building: Building, file: int) -> None:
        self._building = building
        self._file = file
        self._tracks = TraceTracks(building)
        self._kinds = KindTable(building, self._tracks)
        self._kernels = TraceKernels(building)
        self._copies = TraceCopies(building)
        self._collectives = TraceCollectives(building)
        self._memory = MemoryEvents(building)
        self._paired = PairedSlices()
        self._flows: dict[tuple[str, str], int] = {}  # those whose numbers are none
        self._flow_categories: dict[str, int] = {}
        self._flow_kinds: dict[tuple[str, str], tuple[FlowKind, int]] = {}
        self._counters: dict[tuple[Hashable, str, str], int] = {}
        self._steps: set[int] = set()
        self._shapes: dict[bytes, int] = {}  # texts of what was seen
        self._work = TraceWork()
        self.known = KnownRows(self._kinds, self._tracks.threads)
        self.odd = 0
        self.unread: dict[str, int] = {}  # how many events there are of phases that are not read

    # --- events -----------------------------------------------------------------------------------

    def add(self, window: Window) -> None:
        """Adds the events of a window."""
        rows, arrows, points, memory = SliceRows(), TimedPoints(), TimedPoints(), TimedPoints()
        find_track, known_tracks = self._tracks.place, self._tracks.threads
        find_kind, looked_at = self._kinds.known.get, self._kinds.looked_at
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
                        kind = self._kinds.of(process, category, name, event)
                    if kind < 0:
                        continue
                    start = event["ts"]
                    track = known_tracks.get((process, thread))
                    if track is None:
                        track = find_track(process, thread)
                    look = looked_at[kind]
                    if look:
                        said = get("args")
                        if said or look >= WORK:
                            self._look(rows, look, kind, track, event, said if type(said) is dict else {})
                    add_track(track)
                    add_kind(kind)
                    add_start(start)
                    add_duration(get("dur", 0))
                    add_event(at)
                elif phase in ("s", "t", "f"):
                    category, name, number = get("cat", ""), get("name", ""), get("id")
                    known = find_flow_kind((category, name)) or self._flow_kind(category, name)
                    if type(number) is int and 0 <= number < _MOST_FLOWS and known[1] < MOST_CATEGORIES:
                        flow = number * MOST_CATEGORIES + known[1]
                    else:
                        flow = -1 - find_flow.setdefault((category, str(number)), len(find_flow))
                    track = known_tracks.get((process, thread))
                    if track is None:
                        track = find_track(process, thread)
                    add_arrow_time(event["ts"])
                    add_arrow((flow, known[0], phase == "s", track, at))
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
                    self._instant(rows, event, find_track(process, thread), at)
                elif phase in _BEGINS or phase in _ENDS:
                    self._pair(event, phase, window.starts[at], window.ends[at])
                elif phase in _ASYNC_INSTANTS:
                    self._instant(rows, event, self._async_track(process, get("cat", "")), at)
                elif phase != _CLOCK_SYNC:
                    self.unread[str(phase)] = self.unread.get(str(phase), 0) + 1
            except (KeyError, TypeError, AttributeError):
                self.odd += event != {}  # TensorFlow and JAX end their events so
        self._add_slices(rows, window)
        self._add_arrows(arrows, window)
        self._add_points(points, memory)

    @property
    def is_torch(self) -> bool:
        """Whether torch wrote some of the events."""
        return self._kinds.is_torch

    def finish(self) -> None:
        """Adds what can only be told when all events are there."""
        if self._paired.keys:
            columns = {
                name: np.array(column, np.int64)
                for name, column in self._paired.slices(self._building).items()
            }
            kinds = columns.pop("kind")
            self._building.add("slices", **columns, **self._kinds.columns(kinds))
        self._memory.finish()

    def label(self) -> None:
        """Gives tracks their names, as far as they are known."""
        self._tracks.label()

    # --- one event --------------------------------------------------------------------------------

    def _look(
        self,
        rows: SliceRows,
        look: int,
        kind: int,
        track: int,
        event: Mapping[str, Any],
        said: Mapping[str, Any],
    ) -> None:
        row = len(rows.tracks)
        get = said.get
        if look == STEP:
            rows.steps.append((self._kinds.column("step")[kind], row))
            return
        external = get("External id")
        if external is None:
            external = get("external id")
        if type(external) is int and 0 <= external < _FAR:
            rows.external[0].append(row)
            rows.external[1].append(external)
        if look == OPERATOR:
            shapes = get("Input Dims") or get("Input dims")
            if shapes:
                rows.shapes[0].append(row)
                key = marshal.dumps(shapes, 2)  # sooner than a text of it
                text = self._shapes.get(key)
                if text is None:
                    text = self._shapes[key] = self._building.text(str(shapes))
                rows.shapes[1].append(text)
                name = self._kinds.measured.get(kind)
                if name:
                    self._work.look(row, name, shapes, said)
            if get("Fwd thread id") == 0 and get("Sequence number") is not None:
                rows.forward.append(row)
            return
        correlation = get("correlation")
        if type(correlation) is int and 0 <= correlation < _FAR:
            rows.correlation[0].append(row)
            rows.correlation[1].append(correlation)
        if look == WORK:
            number = get("device")
            if type(number) is not int:
                number = self._device_number(event.get("pid"))
            device = self._memory.device(self._kinds.device_kind(kind), number)
            self._tracks.is_stream(track, device)
            category = self._kinds.column("category")[kind]
            if category == Category.MEMCPY:
                self._copies.look(event, said)
            if category in (Category.KERNEL, Category.COMMUNICATION):
                rows.kernel[0].append(row)
                rows.kernel[1].append(self._kernels.row(self._kinds.column("name")[kind], device, said))
                if COLLECTIVE in said:
                    self._collectives.look(row, said)

    def _device_number(self, process: Hashable) -> int:
        """The number of a device that works in a process: it is named so, or numbered as the device."""
        number = self._tracks.device_of(process)[1]
        if number < 0 and type(process) is int and 0 <= process < _MOST_DEVICES:
            number = process
        return max(number, 0)

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

    def _instant(self, rows: SliceRows, event: Mapping[str, Any], track: int, at: int) -> None:
        kind = self._kinds.of_instant(event.get("pid"), event.get("cat", ""), event.get("name", ""), event)
        if kind >= 0:
            rows.starts.append(event["ts"])
            rows.tracks.append(track)
            rows.kinds.append(kind)
            rows.durations.append(0)
            rows.events.append(at)

    def _async_track(self, process: Hashable, category: str) -> int:
        return self._tracks.place(process, f"async {category}".strip())

    def _pair(self, event: Mapping[str, Any], phase: str, start: int, end: int) -> None:
        process, category, name = event.get("pid"), event.get("cat", ""), event.get("name", "")
        if phase in ("B", "E"):
            track = self._tracks.place(process, event.get("tid"))
            key: Hashable = track
        else:
            track = self._async_track(process, category)
            key = track, category, event.get("id"), str(event.get("id2")), name
            hash(key)  # TypeError for what is no identifier
        kind = -1
        if phase in _BEGINS:
            known = self._kinds.known.get((process, category, name))
            kind = self._kinds.of(process, category, name, event) if known is None else known
            if kind < 0:
                return
        offset = packed_offset(self._file, start)
        self._paired.add(key, track, event["ts"], kind, offset, end - start)

    # --- columns ----------------------------------------------------------------------------------

    def _add_slices(self, rows: SliceRows, window: Window) -> None:
        columns = self._read_slices(rows, window)
        order = np.array([window.order[at] for at in rows.events] if window.order else rows.events, np.int64)
        row_of = {at: row for row, at in enumerate(rows.events)}
        self.known.learn(window, columns, row_of, self._flow_kinds)
        good = columns["start"] != NO_TIME
        if not good.all():
            columns, order = {name: column[good] for name, column in columns.items()}, order[good]
        columns = self._merged(columns, order, *self.known.slices(window))
        begin = columns.pop("begin")
        columns["size"] = columns.pop("end") - begin
        columns["offset"] = packed_offset(self._file, 0) + begin
        self._kernels.add()
        self._building.add("slices", **columns)

    def _read_slices(self, rows: SliceRows, window: Window) -> Columns:
        """Columns of the slices that were read one by one, also of those without a time."""
        starts, durations = nanoseconds(rows.starts), nanoseconds(rows.durations)
        events = np.array(rows.events, np.int64)
        columns: Columns = {
            "track": np.array(rows.tracks, np.int32),
            "start": starts,
            "duration": np.maximum(durations, 0),
            "begin": np.array(window.starts, np.int64)[events],
            "end": np.array(window.ends, np.int64)[events],
            "shapes": rows.sparse(rows.shapes),
            **self._work.columns(len(rows.tracks)),
            "forward": rows.marked(rows.forward),
            "correlation": rows.sparse(rows.correlation),
            "external": rows.sparse(rows.external),
            "kernel": rows.sparse(rows.kernel),
            **self._kinds.columns(np.array(rows.kinds, np.int64)),
        }
        good = starts != NO_TIME
        is_timed = good & (durations != NO_TIME)
        self._collectives.add(starts, columns["duration"], is_timed)
        for number, row in rows.steps:
            if is_timed[row] and number not in self._steps:
                self._steps.add(number)
                self._building.add(
                    "steps", number=[number], start=[starts[row]], duration=[columns["duration"][row]]
                )
        self.odd += int((~good | (durations < 0)).sum())  # NO_TIME is negative too
        return columns

    def _add_arrows(self, arrows: TimedPoints, window: Window) -> None:
        times, values, odd = arrows.timed()
        self.odd += odd
        flow, kind, begins, track, at = zip(*values, strict=True) if values else ((),) * 5
        order = np.array([window.order[one] for one in at] if window.order else at, np.int64)
        read: Columns = {
            "flow": np.array(flow, np.int64),
            "kind": np.array(kind, np.uint8),
            "begins": np.array(begins, np.uint8),
            "track": np.array(track, np.int32),
            "time": np.array(times, np.int64),
        }
        known, places = self.known.arrows(window)
        known["flow"] = known.pop("number") * MOST_CATEGORIES + known.pop("place")
        self._building.add("arrows", **self._merged(read, order, known, places))

    def _merged(
        self, columns: Columns, order: NDArray[np.int64], known: Columns, places: NDArray[np.int32]
    ) -> Columns:
        """Both in the order of the events."""
        if not len(order):
            return known
        if not len(places):
            return columns
        in_order = np.argsort(np.concatenate((order, places)), kind="stable")
        return {name: np.concatenate((column, known[name]))[in_order] for name, column in columns.items()}

    def _add_points(self, points: TimedPoints, memory: TimedPoints) -> None:
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
