"""Makes tracks and slices of the events of a trace of Perfetto: pairs begins and ends, and names them."""

from __future__ import annotations

import re

import numpy as np
from attrs import define, frozen
from numpy.typing import NDArray

from insight_profiler.building import Building
from insight_profiler.derived.operators import groups
from insight_profiler.model import Category, Counter, Device, FlowKind, Track
from insight_profiler.reading.annotations import Annotations
from insight_profiler.reading.trace_kinds import GPU, torch_kind
from insight_profiler.reading.wire_columns import Bytes, FieldColumns, Integers, decode

_BEGIN, _END, _INSTANT, _COUNTER = 1, 2, 3, 4
# fields of TrackDescriptor
_UUID, _NAME, _PROCESS, _THREAD, _PARENT, _COUNTED, _STATIC = 1, 2, 3, 4, 5, 8, 10
_BYTES, _TIME_UNIT = 3, 1  # of CounterDescriptor.unit
# categories of rocprofv3 and rocprof-sys
_WORK = (
    (re.compile(r"kernel_dispatch", re.IGNORECASE), "kernel"),
    (re.compile(r"memory_copy", re.IGNORECASE), "gpu_memcpy"),
    (re.compile(r"(hip|hsa|rccl|rocdecode|rocjpeg)\w*_api", re.IGNORECASE), "hip_runtime"),
)
_DEVICE = re.compile(r"(?:AGENT|GPU|device)\W*(\d{1,3})", re.IGNORECASE)


@frozen(eq=False)
class EventColumns:
    """Events of a chunk, in the order of the stream; ``order`` counts those of the whole."""

    track: Integers  # uuid
    time: Integers
    kind: NDArray[np.int8]
    name: NDArray[np.int32]
    category: NDArray[np.int32]
    order: Integers
    value: NDArray[np.float64]  # of counters


@define(eq=False)
class _Described:
    """What is said of a track."""

    name: str = ""
    parent: int = 0
    process: int = -1
    thread: int = -1
    owner: str = ""  # name of the process
    unit: str = ""
    factor: int = 1
    is_incremental: bool = False


class PerfettoTracks:
    """Takes the events of a trace, and makes slices of them."""

    def __init__(self, building: Building) -> None:
        self._building = building
        self._described: dict[int, _Described] = {}
        self._chunks: list[EventColumns] = []
        self._flows: list[tuple[Integers, Integers]] = []  # and the orders of their events
        self._processes: dict[int, int] = {}  # track by number of the process

    def describe(self, data: Bytes, packed: bytes, columns: FieldColumns) -> None:
        """Reads descriptors of tracks; a later one of the same track adds to it."""
        fields, _ = decode(
            data, columns.begin, columns.end, (_UUID, _NAME, _PROCESS, _THREAD, _PARENT, _COUNTED, _STATIC)
        )
        count = len(columns)
        uuids, parents = fields[_UUID].last(count, 0).tolist(), fields[_PARENT].last(count, 0).tolist()
        for uuid, parent in zip(uuids, parents, strict=True):
            found = self._described.setdefault(uuid, _Described())
            found.parent = parent or found.parent
        for number in (_STATIC, _NAME):
            for row, text in _texts(packed, fields[number]):
                self._described[uuids[row]].name = text or self._described[uuids[row]].name
        for number, parts in ((_PROCESS, (1, 6)), (_THREAD, (1, 2, 5)), (_COUNTED, (1, 3, 4, 5, 6))):
            inner, _ = decode(data, fields[number].begin, fields[number].end, parts)
            for part, values in inner.items():
                owners = fields[number].message[values.message].tolist()
                texts = dict(_texts(packed, values))
                for place, (row, value) in enumerate(zip(owners, values.value.tolist(), strict=True)):
                    text = texts.get(int(values.message[place]), "")
                    self._set(self._described[uuids[row]], number, part, value, text)

    @staticmethod
    def _set(track: _Described, number: int, part: int, value: int, text: str) -> None:
        if (number, part) in ((_PROCESS, 1), (_THREAD, 1)):
            track.process = value
        elif (number, part) == (_PROCESS, 6):
            track.owner = text
        elif (number, part) == (_THREAD, 2):
            track.thread = value
        elif (number, part) == (_THREAD, 5):
            track.name = track.name or text
        elif (number, part) == (_COUNTED, 3):
            track.unit = {_BYTES: "bytes", _TIME_UNIT: "ns"}.get(value, "")
        elif (number, part) == (_COUNTED, 4):
            track.factor = value or 1
        elif (number, part) == (_COUNTED, 5):
            track.is_incremental = bool(value)
        elif (number, part) == (_COUNTED, 6):
            track.unit = text

    def add(self, events: EventColumns) -> None:
        """Appends events of a chunk."""
        self._chunks.append(events)

    def add_flows(self, flow: Integers, order: Integers) -> None:
        """Appends flows, and the events that they go through."""
        self._flows.append((flow, order))

    # --- at the end -------------------------------------------------------------------------------

    def finish(self) -> None:
        """Adds tracks, slices, counters and flows."""
        if not self._chunks:
            return
        names = ("track", "time", "kind", "name", "category", "order", "value")
        events = EventColumns(
            *(np.concatenate([getattr(one, name) for one in self._chunks]) for name in names)
        )
        self._chunks.clear()
        uuids, place = np.unique(events.track, return_inverse=True)
        self._add_counters(events, uuids.tolist(), place)
        slices = self._paired(events, place)
        if len(slices["place"]):
            self._add_slices(events, uuids.tolist(), slices)

    def _paired(self, events: EventColumns, place: NDArray[np.intp]) -> dict[str, Integers]:
        """Slices: the event that begins each, its duration, and the place of its track."""
        rows = np.flatnonzero((events.kind == _BEGIN) | (events.kind == _END))
        rows = rows[np.lexsort((events.order[rows], events.time[rows], place[rows]))]
        is_begin = events.kind[rows] == _BEGIN
        track = place[rows]
        # an end without a beginning takes the running sum of its track below all before
        is_first = np.concatenate(([True], track[1:] != track[:-1])) if len(rows) else np.zeros(0, bool)
        step = np.where(is_begin, 1, -1)
        depth = _cumulated(step, is_first)
        headless = ~is_begin & (depth < _least_before(depth, is_first))
        if headless.any():
            count = int(headless.sum())
            self._building.note(
                "ends_without_beginnings", f"{count} slices end that never began", count=count
            )
            keep = ~headless
            rows, is_begin, track, step = rows[keep], is_begin[keep], track[keep], step[keep]
            is_first = np.concatenate(([True], track[1:] != track[:-1])) if len(rows) else np.zeros(0, bool)
            depth = _cumulated(step, is_first)
        level = np.where(is_begin, depth, depth + 1)
        order = np.lexsort((np.arange(len(rows)), level, track))
        begins = np.flatnonzero(is_begin[order])
        following = np.minimum(begins + 1, len(order) - 1)
        one, other = order[begins], order[following]
        has_end = (
            (begins + 1 < len(order))
            & ~is_begin[other]
            & (track[one] == track[other])
            & (level[one] == level[other])
        )
        last = int(events.time.max())
        end = np.where(has_end, events.time[rows[other]], last)
        if not has_end.all():
            count = int((~has_end).sum())
            text = f"{count} slices have no end; they last until the last event"
            self._building.note("slices_without_end", text, count=count)
        start = rows[one]
        instants = np.flatnonzero(events.kind == _INSTANT)
        event = np.concatenate((start, instants))
        duration = np.concatenate((end - events.time[start], np.zeros(len(instants), np.int64)))
        return {"event": event, "duration": duration, "place": place[event].astype(np.int64)}

    def _add_slices(self, events: EventColumns, uuids: list[int], slices: dict[str, Integers]) -> None:
        building, event = self._building, slices["event"]
        name, category = events.name[event].astype(np.int64), events.category[event].astype(np.int64)
        texts = building.all_texts()
        first, kind = groups([category, name])
        pairs = zip(category[first].tolist(), name[first].tolist(), strict=True)
        known = [
            _known(texts[one] if one >= 0 else "", texts[other] if other >= 0 else "") for one, other in pairs
        ]
        is_known = np.array([one is not None for one in known])[kind]
        columns = {column: np.full(len(event), -1) for column in ("type", "shapes")}
        columns["marker"] = np.zeros(len(event), np.int64)
        columns["name"] = name
        columns["category"] = np.array([-1 if one is None else one for one in known], np.int64)[kind]
        others = np.flatnonzero(~is_known)
        annotations = Annotations(building)
        if len(others):
            shown = [texts[one] if one >= 0 else "" for one in name[others].tolist()]
            found = annotations.columns(shown, events.time[event[others]], slices["duration"][others])
            for column, values in found.items():
                columns[column][others] = values
        works = np.isin(columns["category"], (Category.KERNEL, Category.MEMCPY, Category.MEMSET))
        tracks = self._tracks_of(uuids, np.unique(slices["place"]), set(slices["place"][works].tolist()))
        track = np.array([tracks.get(place, -1) for place in range(len(uuids))], np.int64)
        building.add(
            "slices",
            track=track[slices["place"]],
            start=events.time[event],
            duration=slices["duration"],
            **columns,
        )
        annotations.add_steps()
        self._join_flows(events, track[np.unique(events.track, return_inverse=True)[1]])

    def _join_flows(self, events: EventColumns, track: Integers) -> None:
        if not self._flows:
            return
        flow, order = (np.concatenate(one) for one in zip(*self._flows, strict=True))
        at = np.minimum(np.searchsorted(events.order, order), len(events.order) - 1)
        fine = (events.order[at] == order) & (track[at] >= 0)
        flow, at = flow[fine], at[fine]
        device = np.array([one.device >= 0 for one in self._building.tracks] or [False])
        launched = np.unique(flow[device[track[at]]])
        kinds = np.where(np.isin(flow, launched), FlowKind.LAUNCH, FlowKind.OTHER)
        self._building.add(
            "arrows",
            flow=flow,
            kind=kinds,
            begins=np.zeros(len(flow), np.int64),
            track=track[at],
            time=events.time[at],
        )

    def _add_counters(self, events: EventColumns, uuids: list[int], place: NDArray[np.intp]) -> None:
        rows = np.flatnonzero(events.kind == _COUNTER)
        for at in np.unique(place[rows]).tolist():
            said = self._described.get(uuids[at], _Described())
            own = rows[place[rows] == at]
            value = events.value[own] * said.factor
            group = "memory" if said.unit == "bytes" else "other"
            label = said.name or f"Counter {uuids[at]}"
            counter = self._building.counter(Counter(label, group, said.unit))
            value = np.cumsum(value) if said.is_incremental else value
            count = np.full(len(own), counter)
            self._building.add("counters", counter=count, time=events.time[own], value=value)

    # --- tracks -----------------------------------------------------------------------------------

    def _tracks_of(self, uuids: list[int], used: NDArray[np.int64], working: set[int]) -> dict[int, int]:
        """The building's tracks of those with slices, by place; on those in ``working`` a device works."""
        found: dict[int, int] = {}
        devices: dict[int, int] = {}
        for order, place in enumerate(used.tolist()):
            uuid = uuids[place]
            said = self._described.get(uuid, _Described())
            process, owner = self._process_of(uuid)
            label = said.name or (f"Thread {said.thread}" if said.thread >= 0 else owner or f"Track {order}")
            if said.thread >= 0 and said.name:
                label = f"{said.name} ({said.thread})"
            device = -1
            if place in working:
                number = int(named[1]) if (named := _DEVICE.search(label)) else 0
                if number not in devices:
                    devices[number] = self._building.device(Device(f"GPU {number}", GPU, {"id": number}))
                device = devices[number]
            kind = "stream" if place in working else "thread"
            outer = self._process_track(process, owner)
            found[place] = self._building.track(Track(kind, label, outer, device, order))
        self._building.platform = GPU if devices else "cpu"
        return found

    def _process_of(self, uuid: int) -> tuple[int, str]:
        """Number and name of the process that a track, or one above it, belongs to."""
        process, owner = -1, ""
        seen: set[int] = set()
        while uuid not in seen and (said := self._described.get(uuid)) is not None:
            seen.add(uuid)
            process = process if process >= 0 else said.process
            owner = owner or said.owner
            uuid = said.parent
        owners = (one.owner for one in self._described.values() if one.process == process and one.owner)
        return process, owner or (next(owners, "") if process >= 0 else "")

    def _process_track(self, process: int, owner: str) -> int:
        if process not in self._processes:
            shown = owner or (f"Process {process}" if process >= 0 else "Tracks")
            self._processes[process] = self._building.track(Track("process", shown))
        return self._processes[process]


def _known(category: str, name: str) -> int | None:
    """What an event of torch, or of ROCm's profilers, is; None for others, which are named by those who
    annotate."""
    kind = next((one for pattern, one in _WORK if pattern.search(category)), category)
    if kind == category and not category.lower().startswith(
        ("kernel", "gpu_mem", "cuda_", "hip_", "memcpy", "memset")
    ):
        return None
    found = torch_kind(kind, name)
    return None if found is None or found.category is Category.OPERATOR else int(found.category)


def _texts(packed: bytes, columns: FieldColumns) -> list[tuple[int, str]]:
    return [
        (message, packed[begin:end].decode("utf-8", "replace"))
        for message, begin, end in zip(
            columns.message.tolist(), columns.begin.tolist(), columns.end.tolist(), strict=True
        )
        if begin >= 0
    ]


def _cumulated(step: NDArray[np.int64], is_first: NDArray[np.bool_]) -> Integers:
    """Running sums, from zero at each first."""
    sums = np.cumsum(step)
    starts = np.flatnonzero(is_first)
    before = np.concatenate(([0], sums[:-1]))[starts] if len(starts) else np.zeros(0, np.int64)
    lengths = np.diff(np.concatenate((starts, [len(step)])))
    found: Integers = sums - np.repeat(before, lengths)
    return found


def _least_before(depth: Integers, is_first: NDArray[np.bool_]) -> Integers:
    """The least of zero and all running sums before, within each part."""
    if not len(depth):
        return depth
    part = np.cumsum(is_first) - 1
    width = int(np.abs(depth).max()) + 2
    before = np.where(is_first, 0, np.concatenate(([0], depth[:-1])))
    # parts go downwards by more than any sum, so that one running minimum serves all
    shifted = np.minimum(before, 0) - part * 2 * width
    found: Integers = np.minimum.accumulate(shifted) + part * 2 * width
    return found
