"""Reads torch's memory snapshots (``torch.cuda.memory._dump_snapshot``, that of ``torch.npu`` the same): what
the caching allocator took and gave, and the calls that asked for it.

A snapshot is a pickle. It is decoded as data (``_pickled``): what would import or call something is refused.

``device_traces`` holds the last events of each device, ``segments`` what there is at the end. What was there
before the first event is known by the end and by what is freed. Events of one microsecond follow each
other by a nanosecond, so that sums at any moment are those of the events up to it.
"""

from __future__ import annotations

from pickletools import opcodes
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin.lab import NotCompiled
from insight_profiler.building import Building, Unreadable
from insight_profiler.files import Files
from insight_profiler.model import Counter, Device
from insight_profiler.reading.snapshot_owners import StackOwners

try:
    from insight_profiler.reading._pickled import Reader
except ImportError as error:
    raise NotCompiled("insight_profiler.reading._pickled") from error

_PIECE = 8 << 20  # bytes read at once
_OPERATIONS = {0x93: "STACK_GLOBAL", 0x52: "REDUCE", 0x62: "BUILD", 0x63: "GLOBAL", 0x81: "NEWOBJ"}
_KNOWN = {ord(one.code) for one in opcodes}
_TAKES, _FREES = ("alloc",), ("free_requested", "free")
_ENDS = ("free_requested", "free", "free_completed")
_ADDS, _REMOVES = ("segment_alloc", "segment_map"), ("segment_free", "segment_unmap")
_LIVE = ("active_allocated", "allocated")
_OUT_OF_MEMORY = "oom"
_MICROSECOND = 1000

Cells = dict[str, NDArray[np.int64]]


def read(files: Files, building: Building) -> None:
    """Fills a profile from a snapshot. Raises Unreadable for what is none, and for what would run code."""
    (name,) = files.names()
    reader, held = decoded(files, name)
    if not {"segments", "device_traces"} & held.keys():
        raise Unreadable("no_snapshot", f"{name} is a pickle, but no memory snapshot", file=name)
    _Snapshot(reader, held, building).fill()


def decoded(files: Files, name: str) -> tuple[Reader, dict[str, Any]]:
    """A pickle that was read as data, and the dict that it holds. Raises Unreadable."""
    reader = Reader()
    with files.open(name) as stream:
        while piece := stream.read(_PIECE):
            try:
                if not reader.feed(piece):
                    break
            except ValueError as error:
                raise _refused(name, *error.args[0]) from None
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


@frozen(eq=False)
class _Change:
    """What one device took and gave, in the order of its events: ``take`` is 1, -1 or 0."""

    time: NDArray[np.int64]
    size: NDArray[np.int64]
    take: NDArray[np.int8]


class _Snapshot:
    def __init__(self, reader: Reader, held: dict[str, Any], building: Building) -> None:
        self._building = building
        self._held = held
        self._names: list[str] = reader.names()
        self._numbers = {name: number for number, name in enumerate(self._names)}
        self._columns: dict[str, Cells] = reader.columns()
        self._frames: NDArray[np.int32] = reader.frame_table()
        self._stack_frames, self._ends = reader.stack_frames()
        self._devices: dict[int, int] = {}

    def fill(self) -> None:
        """Adds everything of the snapshot to the profile."""
        building = self._building
        self._add_stacks()
        traces = self._held.get("device_traces") or []
        if not isinstance(traces, list) or any(rows and not isinstance(rows, int) for rows in traces):
            text = "the events of the snapshot are not like torch's: it is damaged, or of another version"
            raise Unreadable("snapshot_events", text)
        with_events = {number for number, rows in enumerate(traces) if rows}
        segments = self._columns["segments"]
        for number in sorted(with_events | set(np.unique(segments["device"]).tolist())):
            self._devices[number] = building.device(Device(f"GPU {number}", "gpu", {"id": number}))
        for number in self._devices:
            rows = traces[number] if number in with_events else -1
            self._add_device(number, _where(self._columns["events"], "list", rows))
        self._add_annotations()
        building.platform = "gpu"
        settings = self._held.get("allocator_settings")
        said = settings.get("PYTORCH_CUDA_ALLOC_CONF") if isinstance(settings, dict) else None
        if isinstance(said, str) and said:
            building.facts["allocator"] = said

    def _add_stacks(self) -> None:
        building = self._building
        used = np.unique(self._frames[:, :2])
        places = np.full(len(self._names) + 1, -1, np.int32)
        places[used] = building.texts(self._names[number] for number in used.tolist())
        building.add(
            "frames",
            name=places[self._frames[:, 0]],
            file=places[self._frames[:, 1]],
            line=self._frames[:, 2],
        )
        building.add("stack_frames", frame=self._stack_frames)
        building.add("stacks", end=self._ends)
        owners = StackOwners(
            [self._names[number] for number in self._frames[:, 0].tolist()],
            [self._names[number] for number in self._frames[:, 1].tolist()],
            self._frames[:, 2],
        ).of(self._stack_frames, self._ends)
        self._owner = {
            name: np.append(building.texts(getattr(owners, name)), np.int32(-1))
            for name in ("name", "module", "purpose")
        }

    def _is(self, column: NDArray[np.int64], names: tuple[str, ...]) -> NDArray[np.bool_]:
        return np.isin(column, [self._numbers[name] for name in names if name in self._numbers])

    def _add_device(self, number: int, events: Cells) -> None:
        time = _increasing(events["time_us"])
        size = np.maximum(events["size"], 0)
        action = events["action"]
        takes = self._is(action, _TAKES).astype(np.int8) - self._is(action, _FREES)
        reserves = self._is(action, _ADDS).astype(np.int8) - self._is(action, _REMOVES)
        segments = _where(self._columns["segments"], "device", number)
        blocks = self._live_blocks(segments)
        self._add_allocations(number, events, time, size, blocks)
        self._add_segments(number, events["addr"], _Change(time, size, reserves), segments)
        self._add_curve(number, "Total Allocated", _Change(time, size, takes), blocks["bytes"])
        self._add_curve(number, "Total Reserved", _Change(time, size, reserves), segments["total_size"])
        failures = np.flatnonzero(self._is(action, (_OUT_OF_MEMORY,)))
        for row in failures[:10].tolist():
            wanted, free = int(size[row]), int(events["device_free"][row])
            text = f"GPU {number} ran out of memory: {wanted} bytes were asked for, {free} were free"
            self._building.note("ran_out_of_memory", text, device=number, wanted=wanted, free=free)
        if len(time) and time[0] >= 0 and len(np.unique(events["time_us"])) == 1 and len(time) > 1:
            self._building.note("no_times", "the snapshot has no times: events stand in their order")

    def _live_blocks(self, segments: Cells) -> Cells:
        """Address, bytes and stack of what is allocated at the end; bytes are those that were asked for."""
        blocks = self._columns["blocks"]
        mine = np.isin(blocks["list"], segments["blocks"]) & self._is(blocks["state"], _LIVE)
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

    def _add_allocations(
        self, number: int, events: Cells, time: NDArray[np.int64], size: NDArray[np.int64], blocks: Cells
    ) -> None:
        takes = self._is(events["action"], _TAKES)
        rows = np.flatnonzero(takes | self._is(events["action"], _ENDS))
        rows = rows[np.lexsort((rows, events["addr"][rows]))]
        address, is_take = events["addr"][rows], takes[rows]
        is_same = np.append(address[1:] == address[:-1], False)
        begins = np.flatnonzero(is_take)
        after = np.minimum(begins + 1, len(rows) - 1)
        end = np.where(is_same[begins], time[rows[after]], -1)
        # freed here, and taken before the first event; that it was asked for and done are two events
        is_first = np.append(True, address[1:] != address[:-1])[: len(rows)]
        early = rows[is_first & ~is_take]
        taken = rows[begins]
        left = np.flatnonzero(~np.isin(blocks["address"], events["addr"][taken[end < 0]]))
        start = int(time[0]) - 1 if len(time) else 0
        stack = np.concatenate([events["frames"][taken], np.full(len(early), -1), blocks["stack"][left]])
        self._building.add(
            "allocations",
            device=np.full(len(stack), self._devices[number]),
            bytes=np.concatenate([size[taken], size[early], blocks["bytes"][left]]),
            start=np.concatenate([time[taken], np.full(len(early) + len(left), start)]),
            end=np.concatenate([end, time[early], np.full(len(left), -1)]),
            stack=stack,
            address=np.concatenate([events["addr"][taken], events["addr"][early], blocks["address"][left]]),
            **{name: column[stack] for name, column in self._owner.items()},
        )

    def _add_segments(
        self, number: int, address: NDArray[np.int64], change: _Change, segments: Cells
    ) -> None:
        """Each stretch of reserved memory from when until when. What is mapped and unmapped in parts
        (expandable segments) is as large as its parts."""
        rows = np.flatnonzero(change.take)
        rows = rows[np.lexsort((rows, address[rows]))]
        is_take = change.take[rows] > 0
        place = address[rows]
        is_same = np.append(place[1:] == place[:-1], False)
        begins = np.flatnonzero(is_take)
        after = np.minimum(begins + 1, len(rows) - 1)
        end = np.where(is_same[begins], change.time[rows[after]], -1)
        is_first = np.append(True, place[1:] != place[:-1])[: len(rows)]
        early = rows[is_first & ~is_take]
        taken = rows[begins]
        left = np.flatnonzero(~np.isin(segments["address"], address[taken[end < 0]]))
        start = int(change.time[0]) - 1 if len(change.time) else 0
        self._building.add(
            "segments",
            device=np.full(len(taken) + len(early) + len(left), self._devices[number]),
            address=np.concatenate([address[taken], address[early], segments["address"][left]]),
            bytes=np.concatenate([change.size[taken], change.size[early], segments["total_size"][left]]),
            start=np.concatenate([change.time[taken], np.full(len(early) + len(left), start)]),
            end=np.concatenate([end, change.time[early], np.full(len(left), -1)]),
        )

    def _add_curve(self, number: int, label: str, change: _Change, at_end: NDArray[np.int64]) -> None:
        """How much there was after each event, from what there is at the end."""
        rows = np.flatnonzero(change.take)
        level = np.cumsum(change.take[rows] * change.size[rows])
        held = int(at_end.sum())
        first = held - int(level[-1]) if len(level) else held
        if len(level):
            first = max(first, -int(level.min()))
        start = int(change.time[0]) - 1 if len(change.time) else 0
        counter = self._building.counter(Counter(label, "memory", "bytes", self._devices[number]))
        self._building.add(
            "counters",
            counter=np.full(len(rows) + 1, counter),
            time=np.append(start, change.time[rows]),
            value=np.append(first, first + level),
        )

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


def _where(cells: Cells, column: str, value: int) -> Cells:
    rows = np.flatnonzero(cells[column] == value)
    return {name: held[rows] for name, held in cells.items()}


def _increasing(microseconds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Nanoseconds that grow from event to event, though several have one microsecond."""
    places = np.arange(len(microseconds), dtype=np.int64)
    return np.maximum.accumulate(np.maximum(microseconds, 0) * _MICROSECOND - places) + places
