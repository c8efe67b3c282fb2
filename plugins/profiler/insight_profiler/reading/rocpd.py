"""Reads databases of ROCm's profilers: rocprofv3 and rocprof-sys (``rocpd``, ``*_results.db``).

Each process has tables of its own, whose names end with its GUID; merged databases have those of several.

| table | what it has |
|---|---|
| ``rocpd_kernel_dispatch``, ``rocpd_memory_copy`` | work of GPUs, by stream and queue |
| ``rocpd_region`` | calls of HIP, HSA and others, ranges of ROCTX |
| ``rocpd_event`` | category of each of these, and the ``stack_id`` that joins calls and work |
| ``rocpd_info_*``, ``rocpd_string`` | agents, kernels, threads, processes; texts |
| ``rocpd_track`` | since version 4: process, thread, agent, queue and stream of these |

Times are ns of the machine's own clock. Source (versions 3.0.0 to 4.1.0):
https://github.com/ROCm/rocm-systems/tree/develop/projects/rocprofiler-sdk/source/share/rocprofiler-sdk-rocpd
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any

import numpy as np

from insight_profiler.building import Building, Unreadable
from insight_profiler.claims import ROCPD_TABLES
from insight_profiler.files import Files
from insight_profiler.model import Category, Device
from insight_profiler.reading.csv_columns import Integers
from insight_profiler.reading.database_rows import (
    DatabaseKernels,
    DatabaseTracks,
    combinations,
    count_copies,
    joined,
    kernel_category,
    mapped,
    taken,
    timed,
)
from insight_profiler.reading.named_ranges import NamedRanges
from insight_profiler.reading.sqlite_tables import Columns, Declared, Tables, integers, opened, texts
from insight_profiler.reading.trace_kinds import GPU

_PLACE = {name: integers(name) for name in ("pid", "tid", "agent_id", "queue_id", "stream_id")}
_SPAN = {
    "start": integers("start"),
    "end": integers("end"),
    "event": integers("event_id"),
    "track": integers("track_id"),
    **_PLACE,
}
_KERNEL = {
    **_SPAN,
    "kernel": integers("kernel_id"),
    "shared_memory": integers("group_segment_size"),
    **{f"block{axis.upper()}": integers(f"workgroup_size_{axis}") for axis in "xyz"},
    **{f"grid{axis.upper()}": integers(f"grid_size_{axis}") for axis in "xyz"},
}
_COPY = {
    **_SPAN,
    "name": integers("name_id"),
    "size": integers("size"),
    "source": integers("src_agent_id"),
    "target": integers("dst_agent_id"),
}
_EVENT = {"id": integers("id"), "stack": integers("stack_id"), "category": integers("category_id")}
_STACK = 48  # bits below the place of a process
_RUNTIME = re.compile(r"HIP|HSA|RCCL|ROCDECODE|ROCJPEG|OMPT|_API", re.IGNORECASE)
_DIRECTION = re.compile(r"(HOST|DEVICE)_TO_(HOST|DEVICE)")


def read(files: Files, building: Building) -> None:
    """Raises Unreadable for a file that is no such database, or a damaged one."""
    name = next(iter(sorted(files.names(), key=len)))
    with opened(files, name, building) as tables:
        endings = sorted(
            one.removeprefix(ROCPD_TABLES[0]) for one in tables.names if one.startswith(ROCPD_TABLES)
        )
        if not endings:
            raise Unreadable("no_profile_rows", f"{name} has none of the tables of rocpd", file=name)
        reading = _Rocpd(building, tables)
        for place, ending in enumerate(endings):
            _Process(reading, ending, place).read()
        reading.annotations.add_steps()
    if not building.rows("slices"):
        raise Unreadable("no_profile_rows", f"{name} has no rows of a profile", file=name)
    building.platform = GPU if any(device.kind == GPU for device in building.devices) else "cpu"


class _Rocpd:
    """What the processes of a database share."""

    def __init__(self, building: Building, tables: Tables) -> None:
        self.building = building
        self.tables = tables
        self.tracks = DatabaseTracks(building)
        self.kernels = DatabaseKernels(building)
        self.annotations = NamedRanges(building)
        self.devices: dict[tuple[str, int, str], int] = {}  # by host, number and name


class _Process:
    """The tables of one process; ``ending`` is that of their names."""

    def __init__(self, shared: _Rocpd, ending: str, place: int) -> None:
        self._shared = shared
        self._building = shared.building
        self._ending = ending
        self._place = place
        self._text = shared.tables.texts_by_id(f"rocpd_string{ending}", text="string")
        self._events = self._table("event", _EVENT)
        self._categories = self._category_names()
        self._agents = self._info(
            "agent",
            type=texts("type"),
            number=integers("type_index", "logical_index"),
            name=texts("product_name"),
            other=texts("name"),
            more=texts("extdata"),
        )
        self._threads = self._info(
            "thread", number=integers("tid"), name=texts("name"), process=integers("pid")
        )
        self._processes = self._info("process", number=integers("pid"), command=texts("command"))
        self._symbols = self._info(
            "kernel_symbol",
            name=texts("display_name"),
            other=texts("kernel_name"),
            registers=integers("arch_vgpr_count"),
        )
        hosts = self._table("info_node", {"name": texts("hostname")})["name"]
        self._host = str(next(iter(hosts), ""))
        self._building.host = self._building.host or self._host
        self._thread_tracks: dict[tuple[int, int], int] = {}
        self._where = self._table("track", {"id": integers("id"), **_PLACE})

    def read(self) -> None:
        tables = self._shared.tables
        for chunk in tables.chunks(f"rocpd_kernel_dispatch{self._ending}", _KERNEL):
            self._add_kernels(self._placed(timed(chunk)))
        for chunk in tables.chunks(f"rocpd_memory_copy{self._ending}", _COPY):
            self._add_copies(self._placed(timed(chunk)))
        messages = self._messages()
        for chunk in tables.chunks(f"rocpd_region{self._ending}", {**_SPAN, "name": integers("name_id")}):
            self._add_regions(self._placed(timed(chunk)), messages)

    def _table(self, name: str, declared: dict[str, Declared]) -> Columns:
        return self._shared.tables.table(f"rocpd_{name}{self._ending}", declared)

    def _info(self, table: str, /, **declared: Declared) -> dict[int, dict[str, Any]]:
        """The rows of a small table by their numbers."""
        found = self._table(f"info_{table}", {"id": integers("id"), **declared})
        rows = zip(*(found[column].tolist() for column in found), strict=True)
        return {row[0]: dict(zip(found, row, strict=True)) for row in rows}

    def _category_names(self) -> dict[int, str]:
        own = {number: one["name"] for number, one in self._info("category", name=texts("name")).items()}
        numbers = np.unique(self._events["category"]).tolist()
        return own or {number: self._text.of(number) for number in numbers}  # before version 4

    def _messages(self) -> dict[int, str]:
        """What ranges of ROCTX say, by their events: their names are those of functions."""
        marking = [number for number, name in self._categories.items() if "MARKER" in name.upper()]
        found: dict[int, str] = {}
        if not marking:
            return found
        declared = {"id": integers("id"), "category": integers("category_id"), "more": texts("extdata")}
        for chunk in self._shared.tables.chunks(f"rocpd_event{self._ending}", declared):
            rows = np.flatnonzero(np.isin(chunk["category"], marking))
            for number, said in zip(chunk["id"][rows].tolist(), chunk["more"][rows], strict=True):
                message = _object(said).get("message")
                if isinstance(message, str) and message:
                    found[number] = message
        return found

    def _placed(self, rows: Columns) -> Columns:
        """With what tracks and events say of rows."""
        known, at = joined(rows["track"], self._where["id"])
        for name in _PLACE:
            rows[name] = np.where(known & (rows[name] < 0), taken(self._where[name], at), rows[name])
        has_event, event = joined(rows["event"], self._events["id"])
        for name in ("stack", "category"):
            rows[name] = np.where(has_event, taken(self._events[name], event), -1)
        rows["correlation"] = np.where(rows["stack"] > 0, rows["stack"] + (self._place << _STACK), -1)
        return rows

    # --- devices ----------------------------------------------------------------------------------

    def _device(self, agent: int) -> int:
        said = self._agents.get(agent, {})
        if said.get("type", "GPU") != "GPU":
            return -1
        number = max(0, said.get("number", agent))
        name = said.get("name") or said.get("other") or f"GPU {number}"
        key = self._host, number, name
        if key not in self._shared.devices:
            waves = _object(said.get("more", "")).get("wave_front_size")
            facts = {"id": number} | ({"warpSize": waves} if isinstance(waves, int) else {})
            self._shared.devices[key] = self._building.device(Device(name, GPU, facts))
        return self._shared.devices[key]

    def _add_kernels(self, work: Columns) -> None:
        if not len(work["start"]):
            return
        text, symbols = self._building.text, self._symbols

        def name(kernel: int) -> str:
            said = symbols.get(kernel, {})
            return str(said.get("name") or said.get("other") or f"kernel {kernel}")

        names = mapped(work["kernel"], lambda kernel: text(name(kernel)))
        work["name"], work["device"] = names, mapped(work["agent_id"], self._device)
        work["stream"] = mapped(work["stream_id"], lambda number: text(str(number)))
        work["registers"] = mapped(
            work["kernel"], lambda kernel: symbols.get(kernel, {}).get("registers", -1)
        )
        for axis in "XYZ":  # the grid counts threads
            block = np.maximum(work[f"block{axis}"], 1)
            work[f"grid{axis}"] = np.where(work[f"grid{axis}"] >= 0, -(-work[f"grid{axis}"] // block), -1)
        category = mapped(work["kernel"], lambda kernel: kernel_category(name(kernel)))
        self._add_work(work, names, category, self._shared.kernels.rows(work))

    def _add_copies(self, work: Columns) -> None:
        if not len(work["start"]):
            return
        target, source = (mapped(work[name], self._device) for name in ("target", "source"))
        work["device"] = np.where(target >= 0, target, source)
        names = self._text.mapped(work["name"], lambda name: self._building.text(_copy_name(name)))
        count = len(names)
        count_copies(self._building, names, work["size"], work["end"] - work["start"])
        self._add_work(work, names, np.full(count, Category.MEMCPY), np.full(count, -1))

    def _add_work(self, work: Columns, name: Integers, category: Integers, kernel: Integers) -> None:
        distinct, place = combinations([work[one] for one in ("device", "stream_id", "queue_id")])
        tracks: list[int] = []
        for device, stream, queue in distinct:
            process = self._building.devices[device] if device >= 0 else None
            shown = f"GPU {process.facts['id']}" if process is not None else "Copies between hosts"
            where = [f"Stream {stream}"] if stream >= 0 else []
            where += [f"queue {queue}"] if queue >= 0 else []
            label = ", ".join(where) or "Stream"
            tracks.append(self._shared.tracks.track(shown, label, "stream", device, len(tracks)))
        self._building.add(
            "slices",
            track=np.array(tracks)[place],
            start=work["start"],
            duration=work["end"] - work["start"],
            name=name,
            category=category,
            kernel=kernel,
            correlation=work["correlation"],
        )

    # --- the host ---------------------------------------------------------------------------------

    def _add_regions(self, calls: Columns, messages: dict[int, str]) -> None:
        said = self._categories
        kinds = mapped(calls["category"], lambda number: _region_category(said.get(number, "")))
        for is_range in (False, True):
            rows = np.flatnonzero((kinds < 0) == is_range)
            if not len(rows):
                continue
            own = {name: column[rows] for name, column in calls.items()}
            duration = own["end"] - own["start"]
            if is_range:
                names = [
                    messages.get(event) or self._text.of(name)
                    for event, name in zip(own["event"].tolist(), own["name"].tolist(), strict=True)
                ]
                columns = self._shared.annotations.columns(names, own["start"], duration)
            else:
                columns = {"name": self._text.places(own["name"]), "category": kinds[rows]}
                columns["correlation"] = own["correlation"]
            tracks = self._tracks_of(own)
            self._building.add("slices", track=tracks, start=own["start"], duration=duration, **columns)

    def _tracks_of(self, calls: Columns) -> Integers:
        pairs, place = combinations([calls["pid"], calls["tid"]])
        tracks = [self._thread_track(process, thread) for process, thread in pairs]
        return np.array(tracks, np.int64)[place]

    def _thread_track(self, process: int, thread: int) -> int:
        if (process, thread) not in self._thread_tracks:
            said = self._threads.get(thread, {})
            owner = self._processes.get(said.get("process", process), {})
            command = str(owner.get("command", "")).split(" ")[0].rpartition("/")[2]
            number, name = said.get("number", thread), said.get("name")
            label = f"Thread {number} ({name})" if name else f"Thread {number}"
            shown = f"Process {owner.get('number', process)}" + (f" ({command})" if command else "")
            order = len(self._thread_tracks)
            track = self._shared.tracks.track(shown, label, "thread", order=order)
            self._thread_tracks[process, thread] = track
        return self._thread_tracks[process, thread]


def _object(text: str) -> dict[str, Any]:
    with suppress(ValueError, RecursionError):
        found = json.loads(text)
        if isinstance(found, dict):
            return found
    return {}


def _region_category(name: str) -> int:
    """-1: a range that users or frameworks annotate."""
    if "MARKER" in name.upper():
        return -1
    return int(Category.RUNTIME if _RUNTIME.search(name) else Category.OTHER)


def _copy_name(name: str) -> str:
    """As torch names copies, of which their rules know."""
    direction = _DIRECTION.search(name.upper())
    return f"Memcpy {direction[1][0]}to{direction[2][0]}" if direction else f"Memcpy {name}".strip()
