"""Reads torch's memory snapshots (``torch.cuda.memory._dump_snapshot``, that of ``torch.npu`` the same): what
the caching allocator took and gave, and the calls that asked for it.

A snapshot is a pickle. It is decoded as data (``_pickled``): what would import or call something is refused.

``device_traces`` holds the last events of each device, ``segments`` what there is at the end. What was there
before the first event is known by the end and by what is freed. Events become allocations while the file is
read: no more than some of them are held at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pickletools import opcodes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin.lab import NotCompiled
from insight_profiler.analysis.pool import OUT_OF_MEMORY
from insight_profiler.building import Building, Unreadable
from insight_profiler.files import Files
from insight_profiler.model import Counter, Device
from insight_profiler.reading.snapshot_events import Cells, DeviceEvents, where
from insight_profiler.reading.snapshot_owners import StackOwners
from insight_profiler.reading.snapshot_pools import ALLOCATED, pools_of
from insight_profiler.sizes import size_text

try:
    from insight_profiler.reading._pickled import Reader
except ImportError as error:
    raise NotCompiled("insight_profiler.reading._pickled") from error

_PIECE = 8 << 20  # bytes read at once
_OPERATIONS = {0x93: "STACK_GLOBAL", 0x52: "REDUCE", 0x62: "BUILD", 0x63: "GLOBAL", 0x81: "NEWOBJ"}
_MOST_FAILURES = 10
_EVENTS = 1 << 19  # that become allocations at once
_KNOWN = {ord(one.code) for one in opcodes}
_MICROSECOND = 1000
_NPU = "/torch_npu/"  # in the paths of files: nothing else says which device it was


def read(files: Files, building: Building) -> None:
    """Fills a profile from a snapshot. Raises Unreadable for what is none, and for what would run code."""
    (name,) = files.names()
    snapshot = _Snapshot(building)
    reader, held = decoded(files, name, snapshot.take)
    if not {"segments", "device_traces"} & held.keys():
        raise Unreadable("no_snapshot", f"{name} is a pickle, but no memory snapshot", file=name)
    snapshot.fill(reader, held)


def decoded(
    files: Files, name: str, reached: Callable[[Reader], None] = lambda _: None
) -> tuple[Reader, dict[str, Any]]:
    """A pickle that was read as data, and the dict that it holds. ``reached`` is called after each piece.
    Raises Unreadable."""
    reader = Reader()
    with files.open(name) as stream:
        while piece := stream.read(_PIECE):
            try:
                if not reader.feed(piece):
                    break
            except ValueError as error:
                raise _refused(name, *error.args[0]) from None
            reached(reader)
    if not reader.is_whole:
        files.cut.setdefault(name, "the file ends before its data do")
        raise Unreadable(
            "snapshot_cut", f"{name} ends before its data do: it was not written whole", file=name
        )
    try:
        held = reader.root
    except ValueError as error:
        raise _refused(name, *error.args[0]) from None
    if not isinstance(held, dict):
        raise Unreadable("no_snapshot", f"{name} is a pickle, but no memory snapshot", file=name)
    return reader, held


def _refused(name: str, what: str, operation: int, place: int, named: str) -> Unreadable:
    called = _OPERATIONS.get(operation, f"0x{operation:02x}")
    if what == "forbidden" and operation in _KNOWN:  # others are of no pickle
        says = f"{called} {named}".strip()
        text = f"{name} is refused: at byte {place} it would run code ({says}); nothing of it was run"
        return Unreadable("snapshot_runs_code", text, file=name, place=place, operation=says)
    text = f"{name} is damaged, or no memory snapshot: {called} at byte {place} has no place there ({what})"
    return Unreadable("snapshot_damaged", text, file=name, place=place, operation=called)


class _Snapshot:
    _names: Sequence[str]
    _columns: dict[str, Cells]

    def __init__(self, building: Building) -> None:
        self._building = building
        self._traces: dict[int, DeviceEvents] = {}  # by the number of the list that their events stand in
        self._devices: dict[int, int] = {}

    def take(self, reader: Reader, least: int = _EVENTS) -> None:
        """Takes the events that were read so far, if they are as many."""
        events = reader.take_events(least)
        if events is None or not len(events["list"]):
            return
        names = reader.names()
        lists = events.pop("list")
        starts = np.flatnonzero(np.diff(lists, prepend=-1))
        for start, end in pairwise([*starts.tolist(), len(lists)]):
            mine = {name: column[start:end] for name, column in events.items()}
            self._traces.setdefault(int(lists[start]), DeviceEvents()).add(mine, names)

    def fill(self, reader: Reader, held: dict[str, Any]) -> None:
        """Adds everything of the snapshot to the profile."""
        building = self._building
        self.take(reader, 0)
        self._names, self._columns = reader.names(), reader.columns()
        self._add_stacks(reader)
        reader.close()
        traces = held.get("device_traces") or []
        if not isinstance(traces, list) or any(rows and not isinstance(rows, int) for rows in traces):
            text = "the events of the snapshot are not like torch's: it is damaged, or of another version"
            raise Unreadable("snapshot_events", text)
        with_events = {
            number: self._traces[rows] for number, rows in enumerate(traces) if rows and rows in self._traces
        }
        segments = self._columns["segments"]
        kind = "npu" if any(_NPU in name for name in self._names) else "gpu"
        for number in sorted(with_events.keys() | set(np.unique(segments["device"]).tolist())):
            self._devices[number] = building.device(Device(f"{kind.upper()} {number}", kind, {"id": number}))
        for number in self._devices:
            self._add_device(number, with_events.get(number, DeviceEvents()))
        self._add_annotations()
        building.platform = kind
        settings = held.get("allocator_settings")
        said = settings.get("PYTORCH_CUDA_ALLOC_CONF") if isinstance(settings, dict) else None
        if isinstance(said, str) and said:
            building.facts["allocator"] = said

    def _add_stacks(self, reader: Reader) -> None:
        building, table = self._building, reader.frame_table()
        stack_frames, ends = reader.stack_frames()
        used = np.unique(table[:, :2])
        places = np.full(len(self._names) + 1, -1, np.int32)
        places[used] = building.texts(self._names[number] for number in used.tolist())
        building.add(
            "frames",
            name=places[table[:, 0]],
            file=places[table[:, 1]],
            line=table[:, 2],
        )
        building.add("stack_frames", frame=stack_frames)
        building.add("stacks", end=ends)
        owners = StackOwners(
            [self._names[number] for number in table[:, 0].tolist()],
            [self._names[number] for number in table[:, 1].tolist()],
            table[:, 2],
        ).of(stack_frames, ends)
        self._owner = {
            name: np.append(building.texts(getattr(owners, name)), np.int32(-1))
            for name in ("name", "module", "purpose")
        }

    def _is(self, column: NDArray[np.int64], names: tuple[str, ...]) -> NDArray[np.bool_]:
        return np.isin(column, [number for number, name in enumerate(self._names) if name in names])

    def _add_device(self, number: int, events: DeviceEvents) -> None:
        building, device = self._building, self._devices[number]
        segments = where(self._columns["segments"], self._columns["segments"]["device"] == number)
        blocks = self._live_blocks(segments)
        every = where(self._columns["blocks"], np.isin(self._columns["blocks"]["list"], segments["blocks"]))
        states = [self._names[one] if one >= 0 else "" for one in every["state"].tolist()]
        found = [{"device": device, **one} for one in pools_of(segments, every, states)]
        building.documents.setdefault("pools", []).extend(found)
        held = int(blocks["bytes"].sum())
        for part in events.allocated.stretches(blocks, events.before):
            owners = {name: column[part["stack"]] for name, column in self._owner.items()}
            building.add("allocations", device=_alike(device, part), **part, **owners)
        reserved = {"address": segments["address"], "bytes": segments["total_size"]}
        for part in events.reserved.stretches(reserved, events.before):
            part.pop("stack", None)
            building.add("segments", device=_alike(device, part), **part)
        self._add_curve(device, "Total Allocated", events.allocated.curve(held, events.before))
        whole = int(reserved["bytes"].sum())
        self._add_curve(device, "Total Reserved", events.reserved.curve(whole, events.before))
        self._add_failures(number, events)
        if events.count > 1 and not events.has_times:
            building.note("no_times", "the snapshot has no times: events stand in their order")

    def _add_failures(self, number: int, events: DeviceEvents) -> None:
        building, device = self._building, self._devices[number]
        for at, wanted, free in events.failures[-_MOST_FAILURES:]:
            sizes = {"wanted": size_text(wanted), "free": size_text(free)}
            name = building.devices[device].name
            text = f"{name} ran out of memory: {{wanted}} were asked for, {{free}} were free"
            building.note("ran_out_of_memory", text.format(**sizes), device=name, **sizes)
            building.documents.setdefault("failures", []).append(
                {"device": device, "wanted": wanted, "free": free}
            )
            mark = building.text(OUT_OF_MEMORY)
            building.add("annotations", name=[mark], device=[device], start=[at], duration=[0])

    def _add_curve(
        self, device: int, label: str, parts: Iterable[tuple[NDArray[np.int64], NDArray[np.int64]]]
    ) -> None:
        counter = self._building.counter(Counter(label, "memory", "bytes", device))
        for times, values in parts:
            counters = np.full(len(times), counter, np.int32)
            self._building.add("counters", counter=counters, time=times, value=values)

    def _live_blocks(self, segments: Cells) -> Cells:
        """Address, bytes and stack of what is allocated at the end; bytes are those that were asked for."""
        blocks = self._columns["blocks"]
        mine = np.isin(blocks["list"], segments["blocks"]) & self._is(blocks["state"], ALLOCATED)
        rows = np.flatnonzero(mine)
        asked, size = blocks["requested_size"][rows], blocks["size"][rows]
        stack = np.where(blocks["frames"][rows] >= 0, blocks["frames"][rows], blocks["history"][rows])
        address = blocks["address"][rows]
        if len(rows) and (address < 0).any():  # older: blocks lie one behind the other
            first = dict(zip(segments["blocks"].tolist(), segments["address"].tolist(), strict=True))
            every = np.flatnonzero(np.isin(blocks["list"], segments["blocks"]))
            before = np.cumsum(blocks["size"][every]) - blocks["size"][every]
            starts = np.flatnonzero(np.diff(blocks["list"][every], prepend=-2))
            base = np.repeat(before[starts], np.diff(np.append(starts, len(every))))
            places = np.array([first[one] for one in blocks["list"][every].tolist()]) + before - base
            address = places[mine[every]]
        return {"address": address, "bytes": np.where(asked >= 0, asked, size), "stack": stack}

    def _add_annotations(self) -> None:
        marks = self._columns["annotations"]
        if not len(marks["time_us"]):
            return
        order = np.lexsort((np.arange(len(marks["name"])), marks["name"], marks["device"]))
        marks = {name: column[order] for name, column in marks.items()}
        begins = self._is(marks["stage"][:-1], ("START",)) & self._is(marks["stage"][1:], ("END",))
        rows = np.flatnonzero(begins & (marks["name"][1:] == marks["name"][:-1]))
        if not len(rows):
            return
        start, end = marks["time_us"][rows] * _MICROSECOND, marks["time_us"][rows + 1] * _MICROSECOND
        self._building.add(
            "annotations",
            name=self._building.texts(self._names[number] for number in marks["name"][rows].tolist()),
            device=np.array([self._devices.get(number, -1) for number in marks["device"][rows].tolist()]),
            start=start,
            duration=end - start,
        )


def _alike(device: int, part: Cells) -> NDArray[np.int32]:
    return np.full(len(part["start"]), device, np.int32)
