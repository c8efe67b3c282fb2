"""Reads profiles of Nsight Systems that were exported as SQLite (``nsys export --type sqlite``).

| table | what it has |
|---|---|
| ``CUPTI_ACTIVITY_KIND_KERNEL``, ``_MEMCPY``, ``_MEMSET`` | work of GPUs, by stream |
| ``CUPTI_ACTIVITY_KIND_RUNTIME``, ``_DRIVER`` | calls that launched it, by process and ``correlationId`` |
| ``NVTX_EVENTS`` | ranges of users and frameworks |
| ``TARGET_INFO_*``, ``ThreadNames``, ``ProcessNames`` | GPUs, start of the session, names |

Texts are numbers of StringIds, times ns from the start of the session. Tables that had no rows are missing,
and columns differ between versions. Source:
https://docs.nvidia.com/nsight-systems/UserGuide/index.html (SQLite Schema Reference)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from insight_profiler.building import Building, Unreadable
from insight_profiler.claims import NSIGHT_TABLES
from insight_profiler.files import Files
from insight_profiler.model import Category, Device
from insight_profiler.reading.csv_columns import Integers
from insight_profiler.reading.database_rows import (
    LAUNCH,
    DatabaseKernels,
    DatabaseTracks,
    combinations,
    count_copies,
    kernel_category,
    mapped,
    numbered,
    timed,
)
from insight_profiler.reading.named_ranges import NamedRanges
from insight_profiler.reading.sqlite_tables import Columns, Tables, TextsById, integers, opened, texts
from insight_profiler.reading.trace_kinds import GPU

_ACTIVITY = "CUPTI_ACTIVITY_KIND_"
_SPAN = {"start": integers("start"), "end": integers("end")}
_WORK = {
    **_SPAN,
    "number": integers("deviceId"),
    "process": integers("globalPid"),
    "stream_number": integers("streamId"),
    "correlation": integers("correlationId"),
}
_KERNEL = {
    **_WORK,
    "text": integers("demangledName"),
    "short": integers("shortName"),
    "registers": integers("registersPerThread"),
    "static": integers("staticSharedMemory"),
    "dynamic": integers("dynamicSharedMemory"),
    **{name: integers(name) for name in LAUNCH if name.endswith(("X", "Y", "Z"))},
}
_COPY = {
    **_WORK,
    "kind": integers("copyKind"),
    "source": integers("srcKind"),
    "target": integers("dstKind"),
    "bytes": integers("bytes"),
}
_CALL = {
    **_SPAN,
    "thread": integers("globalTid"),
    "correlation": integers("correlationId"),
    "name": integers("nameId"),
}
_RANGE = {
    **_SPAN,
    "kind": integers("eventType"),
    "thread": integers("globalTid"),
    "number": integers("textId"),
    "text": texts("text"),
}
_MARK, _PUSHED, _STARTED = 34, 59, 60  # of ENUM_NSYS_EVENT_TYPE
# as torch names them, by CUpti_ActivityMemcpyKind
_DIRECTIONS = {
    1: "HtoD",
    2: "DtoH",
    3: "HtoA",
    4: "AtoH",
    5: "AtoA",
    6: "AtoD",
    7: "DtoA",
    8: "DtoD",
    9: "HtoH",
}
_DIRECTIONS[10] = "PtoP"
_VERSION = re.compile(r"_v\d+(?:_ptsz)?$")  # of functions of CUDA, in their names
_PROCESS = 24  # bits of a global thread below those of its process
_CORRELATION = 40  # bits below the place of a process


def read(files: Files, building: Building) -> None:
    """Raises Unreadable for a file that is no such database, or a damaged one."""
    name = next(iter(sorted(files.names(), key=len)))
    with opened(files, name, building) as tables:
        if not any(table.startswith(NSIGHT_TABLES) for table in tables.names):
            text = f"{name} has none of the tables of Nsight Systems"
            raise Unreadable("no_profile_rows", text, file=name)
        _Nsight(building, tables).read()
    if not building.rows("slices"):
        raise Unreadable("no_profile_rows", f"{name} has no rows of a profile", file=name)


class _Nsight:
    def __init__(self, building: Building, tables: Tables) -> None:
        self._building = building
        self._tables = tables
        self._text = tables.texts_by_id("StringIds")
        self._tracks = DatabaseTracks(building)
        self._kernels = DatabaseKernels(building)
        self._processes: dict[int, int] = {}  # place by number
        self._threads: dict[int, int] = {}  # track by global thread
        self._devices: dict[int, int] = {}
        self._names = _names(tables, self._text)

    def read(self) -> None:
        tables, building = self._tables, self._building
        start = tables.table("TARGET_INFO_SESSION_START_TIME", {"start": integers("utcEpochNs")})["start"]
        building.start_ns = max(0, int(start[0])) if len(start) else 0
        self._describe()
        for chunk in tables.chunks(f"{_ACTIVITY}KERNEL", _KERNEL):
            self._add_kernels(timed(chunk))
        for chunk in tables.chunks(f"{_ACTIVITY}MEMCPY", _COPY):
            self._add_copies(timed(chunk))
        for chunk in tables.chunks(f"{_ACTIVITY}MEMSET", _WORK):
            work = timed(chunk)
            name = np.full(len(work["start"]), building.text("Memset (Device)"))
            self._add_work(work, name, np.full(len(name), Category.MEMSET))
        for table in ("RUNTIME", "DRIVER"):
            for chunk in tables.chunks(f"{_ACTIVITY}{table}", _CALL):
                self._add_calls(timed(chunk))
        self._read_ranges()
        building.platform = GPU if self._devices else "cpu"

    def _describe(self) -> None:
        said = self._tables.table("TARGET_INFO_SYSTEM_ENV", {"name": texts("name"), "value": texts("value")})
        for name, value in zip(said["name"], said["value"], strict=True):
            if name == "Hostname":
                self._building.host = value
        declared = {
            "id": integers("id"),
            "name": texts("name"),
            "total_memory": integers("totalMemory"),
            "numSms": integers("smCount"),
            "computeMajor": integers("computeMajor", "smMajor"),
            "computeMinor": integers("computeMinor", "smMinor"),
        }
        gpus = self._tables.table("TARGET_INFO_GPU", declared)
        self._gpus: dict[int, dict[str, Any]] = {
            int(gpus["id"][row]): {
                "name": str(gpus["name"][row]),
                "totalGlobalMem": int(gpus["total_memory"][row]),
                **{fact: int(gpus[fact][row]) for fact in ("numSms", "computeMajor", "computeMinor")},
            }
            for row in range(len(gpus["id"]))
        }

    def _device(self, number: int) -> int:
        if number not in self._devices:
            said = self._gpus.get(number, {})
            facts = {fact: value for fact, value in said.items() if fact != "name" and value >= 0}
            shown = said.get("name") or f"GPU {number}"
            self._devices[number] = self._building.device(Device(shown, GPU, {"id": number, **facts}))
        return self._devices[number]

    # --- devices ----------------------------------------------------------------------------------

    def _add_kernels(self, work: Columns) -> None:
        if not len(work["start"]):
            return
        text = np.where(work["text"] >= 0, work["text"], work["short"])
        name = self._text.places(text)
        category = self._text.mapped(text, kernel_category)
        shared = np.maximum(work["static"], 0) + np.maximum(work["dynamic"], 0)
        is_known = (work["static"] >= 0) | (work["dynamic"] >= 0)
        columns = {
            **work,
            "name": name,
            "device": mapped(work["number"], self._device),
            "stream": numbered(self._building, work["stream_number"]),
            "shared_memory": np.where(is_known, shared, -1),
        }
        self._add_work(work, name, category, kernel=self._kernels.rows(columns))

    def _add_copies(self, work: Columns) -> None:
        count = len(work["start"])
        if not count:
            return
        kinds, place = combinations([work[name] for name in ("kind", "source", "target")])
        labels = _memory_labels(self._tables)
        named = [_copy_name(kind, source, target, labels) for kind, source, target in kinds]
        names = self._building.texts(named).astype(np.int64)[place]
        count_copies(self._building, names, work["bytes"], work["end"] - work["start"])
        self._add_work(work, names, np.full(count, Category.MEMCPY))

    def _add_work(
        self, work: Columns, name: Integers, category: Integers, kernel: Integers | None = None
    ) -> None:
        if not len(name):
            return
        numbers = np.unique(work["number"]).tolist()
        labels = {self._device(number): f"GPU {number}" for number in numbers}
        device = mapped(work["number"], self._device)
        tracks = np.empty(len(name), np.int64)
        for place, label in labels.items():
            mine = device == place
            tracks[mine] = self._tracks.of_numbers(
                label, lambda number: f"Stream {number}", "stream", work["stream_number"][mine], device[mine]
            )
        self._building.add(
            "slices",
            track=tracks,
            start=work["start"],
            duration=work["end"] - work["start"],
            name=name,
            category=category,
            kernel=np.full(len(name), -1) if kernel is None else kernel,
            correlation=self._correlations(work["correlation"], work["process"] >> _PROCESS),
        )

    def _correlations(self, numbers: Integers, process: Integers) -> Integers:
        """Numbers of calls that no two processes share."""
        places = mapped(process, lambda one: self._processes.setdefault(one, len(self._processes)))
        return np.where(numbers >= 0, numbers + (places << _CORRELATION), -1)

    # --- the host ---------------------------------------------------------------------------------

    def _add_calls(self, calls: Columns) -> None:
        if not len(calls["start"]):
            return
        text = self._building.text
        self._building.add(
            "slices",
            track=self._thread_tracks(calls["thread"]),
            start=calls["start"],
            duration=calls["end"] - calls["start"],
            name=self._text.mapped(calls["name"], lambda name: text(_VERSION.sub("", name))),
            category=np.full(len(calls["start"]), Category.RUNTIME),
            correlation=self._correlations(calls["correlation"], calls["thread"] >> _PROCESS),
        )

    def _read_ranges(self) -> None:
        """NVTX_EVENTS: ranges of threads, and those that begin and end anywhere."""
        annotations = NamedRanges(self._building)
        left = 0
        for chunk in self._tables.chunks("NVTX_EVENTS", _RANGE):
            is_timed = chunk["start"] >= 0
            is_mark = is_timed & (chunk["kind"] == _MARK)
            is_range = is_timed & np.isin(chunk["kind"], (_PUSHED, _STARTED))
            is_whole = chunk["end"] >= chunk["start"]
            left += int((is_range & ~is_whole).sum())
            self._add_ranges(
                {name: column[is_mark | (is_range & is_whole)] for name, column in chunk.items()}, annotations
            )
        if left:
            text = f"{left} ranges of NVTX have no end and are left out"
            self._building.note("ranges_without_end", text, count=left)
        annotations.add_steps()

    def _add_ranges(self, ranges: Columns, annotations: NamedRanges) -> None:
        if not len(ranges["start"]):
            return
        names = [
            text or self._text.of(number)
            for text, number in zip(ranges["text"], ranges["number"].tolist(), strict=True)
        ]
        duration = np.where(ranges["kind"] == _MARK, 0, ranges["end"] - ranges["start"])
        columns = annotations.columns(names, ranges["start"], duration)
        tracks = self._thread_tracks(ranges["thread"])
        is_free = ranges["kind"] == _STARTED
        if is_free.any():
            tracks[is_free] = self._tracks.track("NVTX", "Ranges across threads", "scope")
            columns["type"][is_free] = -1
        self._building.add("slices", track=tracks, start=ranges["start"], duration=duration, **columns)

    def _thread_tracks(self, threads: Integers) -> Integers:
        return mapped(threads, self._thread_track)

    def _thread_track(self, thread: int) -> int:
        if thread not in self._threads:
            number = thread & (1 << _PROCESS) - 1
            owner = thread >> _PROCESS & (1 << _PROCESS) - 1
            name = self._names.get(thread, "")
            label = f"Thread {number} ({name})" if name else f"Thread {number}"
            process = self._names.get(thread >> _PROCESS << _PROCESS, "")
            shown = f"Process {owner} ({process})" if process else f"Process {owner}"
            track = self._tracks.track(shown, label, "thread", order=len(self._threads))
            self._threads[thread] = track
        return self._threads[thread]


def _names(tables: Tables, text: TextsById) -> dict[int, str]:
    """Names of threads and processes by their global numbers."""
    found: dict[int, str] = {}
    declared = {"thread": integers("globalTid"), "name": integers("nameId")}
    threads = tables.table("ThreadNames", declared)
    found.update(zip(threads["thread"].tolist(), map(text.of, threads["name"].tolist()), strict=True))
    processes = tables.table("PROCESSES", {"process": integers("globalPid"), "name": texts("name")})
    for process, name in zip(processes["process"].tolist(), processes["name"], strict=True):
        found[process >> _PROCESS << _PROCESS] = name.rpartition("/")[2]
    return found


def _memory_labels(tables: Tables) -> Mapping[int, str]:
    """Kinds of memory; the table is missing in older versions."""
    found = tables.table("ENUM_CUDA_MEM_KIND", {"id": integers("id"), "label": texts("label")})
    return dict(zip(found["id"].tolist(), found["label"], strict=True))


def _copy_name(kind: int, source: int, target: int, labels: Mapping[int, str]) -> str:
    direction = _DIRECTIONS.get(kind, "")
    ends = f"({labels[source]} -> {labels[target]})" if source in labels and target in labels else ""
    return " ".join(filter(None, ("Memcpy", direction, ends)))
