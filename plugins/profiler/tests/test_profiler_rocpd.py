"""Databases of ROCm's profilers, made by hand from the published tables of versions 3 and 4
(https://github.com/ROCm/rocm-systems, projects/rocprofiler-sdk/source/share/rocprofiler-sdk-rocpd)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from insight_profiler.building import Unreadable
from insight_profiler.claims import is_rocpd
from insight_profiler.model import Category, FlowKind, Source, StepOrigin

from tests.conformance.our_profiles import ReadProfile, read_directory, read_profiles

_GUID = "_0190a0d0_1234_7abc"
_PLACES = "nid INTEGER NOT NULL, pid INTEGER NOT NULL, tid INTEGER"
_DEVICE = "agent_id INTEGER, queue_id INTEGER, stream_id INTEGER"
_SIZES = ", ".join(f"{what}_size_{axis} INTEGER NOT NULL" for what in ("workgroup", "grid") for axis in "xyz")
_COMMON = "id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT DEFAULT '0190' NOT NULL"
_SPAN = "start BIGINT NOT NULL, end BIGINT NOT NULL, event_id INTEGER, extdata JSONB DEFAULT '{}' NOT NULL"
_INFO = {
    "string": f"{_COMMON}, string TEXT NOT NULL UNIQUE ON CONFLICT ABORT",
    "info_node": f"{_COMMON}, hash BIGINT, machine_id TEXT, system_name TEXT, hostname TEXT",
    "info_process": f"{_COMMON}, nid INTEGER NOT NULL, ppid INTEGER, pid INTEGER NOT NULL, command TEXT",
    "info_thread": f"{_COMMON}, nid INTEGER, ppid INTEGER, pid INTEGER NOT NULL, tid INTEGER, name TEXT",
    "info_agent": f"{_COMMON}, nid INTEGER, pid INTEGER, type TEXT, absolute_index INTEGER, "
    "logical_index INTEGER, type_index INTEGER, uuid INTEGER, name TEXT, model_name TEXT, "
    "vendor_name TEXT, product_name TEXT, extdata JSONB DEFAULT '{}' NOT NULL",
    "info_kernel_symbol": f"{_COMMON}, kernel_name TEXT, display_name TEXT, arch_vgpr_count INTEGER",
    "event": f"{_COMMON}, category_id INTEGER, stack_id INTEGER, parent_stack_id INTEGER, "
    "correlation_id INTEGER, extdata JSONB DEFAULT '{}' NOT NULL",
}
_VERSION_3 = {
    **_INFO,
    "region": f"{_COMMON}, {_PLACES}, name_id INTEGER NOT NULL, {_SPAN}",
    "kernel_dispatch": f"{_COMMON}, {_PLACES}, {_DEVICE}, kernel_id INTEGER, dispatch_id INTEGER, "
    f"group_segment_size INTEGER, {_SIZES}, {_SPAN}",
    "memory_copy": f"{_COMMON}, {_PLACES}, name_id INTEGER, dst_agent_id INTEGER, src_agent_id INTEGER, "
    f"size INTEGER NOT NULL, queue_id INTEGER, stream_id INTEGER, {_SPAN}",
}
_VERSION_4 = {
    **_INFO,
    "info_category": f"{_COMMON}, name TEXT NOT NULL",
    "track": f"{_COMMON}, {_PLACES}, {_DEVICE}",
    "region": f"{_COMMON}, track_id INTEGER NOT NULL, name_id INTEGER NOT NULL, {_SPAN}",
    "kernel_dispatch": f"{_COMMON}, track_id INTEGER NOT NULL, kernel_id INTEGER, dispatch_id INTEGER, "
    f"group_segment_size INTEGER, {_SIZES}, {_SPAN}",
    "memory_copy": f"{_COMMON}, track_id INTEGER, name_id INTEGER, dst_agent_id INTEGER, "
    f"src_agent_id INTEGER, size INTEGER NOT NULL, {_SPAN}",
}
_TEXTS = ["HIP_RUNTIME_API_EXT", "MARKER_CORE_RANGE_API", "KERNEL_DISPATCH", "MEMORY_COPY", "hipLaunchKernel"]
_TEXTS += ["roctxThreadRangeA", "MEMORY_COPY_HOST_TO_DEVICE", "hipMemcpyAsync"]
_HIP, _MARKER, _DISPATCH, _MEMORY, _LAUNCH, _ROCTX, _TO_DEVICE, _COPIES = range(1, 9)
_GEMM, _RED = "Cijk_Ailk_Bljk_SB_MT64x64", "ncclDevKernel_Generic_4(ncclDevKernelArgsStorage)"
Rows = dict[str, list[dict[str, object]]]


def _rows(version: int) -> Rows:
    """Two steps, each with a launch and its kernel, a copy and a collective."""
    events: list[dict[str, object]] = []
    rows: Rows = {
        "string": [{"string": text} for text in _TEXTS],
        "info_node": [{"hash": 1, "machine_id": "m", "hostname": "node7"}],
        "info_process": [{"nid": 1, "ppid": 1, "pid": 77, "command": "/usr/bin/python3 train.py"}],
        "info_thread": [{"nid": 1, "pid": 1, "tid": 78, "name": "main"}],
        "info_agent": [
            {"nid": 1, "pid": 1, "type": "CPU", "absolute_index": 0, "type_index": 0, "name": "EPYC"},
            {
                "nid": 1,
                "pid": 1,
                "type": "GPU",
                "absolute_index": 1,
                "type_index": 0,
                "name": "gfx942",
                "product_name": "AMD Instinct MI300X",
                "extdata": json.dumps({"wave_front_size": 64}),
            },
        ],
        "info_kernel_symbol": [
            {"display_name": _GEMM, "arch_vgpr_count": 128},
            {"kernel_name": _RED, "arch_vgpr_count": 32},
        ],
        "event": events,
        "region": [],
        "kernel_dispatch": [],
        "memory_copy": [],
    }
    host: dict[str, object] = {"nid": 1, "pid": 1, "tid": 1}
    device: dict[str, object] = {**host, "agent_id": 2, "queue_id": 1, "stream_id": 1}
    if version == 4:
        rows["info_category"] = [{"name": text} for text in _TEXTS[:4]]
        rows["track"] = [host, device]
        host, device = {"track_id": 1}, {"track_id": 2}

    def event(category: int, stack: int, message: str = "") -> int:
        more = json.dumps({"message": message}) if message else "{}"
        events.append({"category_id": category, "stack_id": stack, "correlation_id": 0, "extdata": more})
        return len(events)

    def timed(start: int, end: int, at: int) -> dict[str, object]:
        return {"start": start, "end": end, "event_id": at}

    for step in range(2):
        begin, stack = 1000 + step * 1000, step * 10
        rows["region"] += [
            {
                **host,
                "name_id": _ROCTX,
                **timed(begin, begin + 900, event(_MARKER, stack + 1, f"step {step}")),
            },
            {**host, "name_id": _LAUNCH, **timed(begin + 10, begin + 20, event(_HIP, stack + 2))},
            {**host, "name_id": _COPIES, **timed(begin + 30, begin + 40, event(_HIP, stack + 3))},
        ]
        for kernel, start, end in ((1, 50, 350), (2, 400, 600)):
            sizes = {f"workgroup_size_{axis}": size for axis, size in zip("xyz", (256, 1, 1), strict=True)}
            sizes |= {f"grid_size_{axis}": size for axis, size in zip("xyz", (1000, 2, 1), strict=True)}
            at = event(_DISPATCH, stack + 2 if kernel == 1 else 0)
            shape = {"kernel_id": kernel, "dispatch_id": 1, "group_segment_size": 2048, **sizes}
            rows["kernel_dispatch"].append({**device, **shape, **timed(begin + start, begin + end, at)})
        copied = {"name_id": _TO_DEVICE, "dst_agent_id": 2, "src_agent_id": 1, "size": 4096}
        where = {name: value for name, value in device.items() if name != "agent_id"}
        at = event(_MEMORY, stack + 3)
        rows["memory_copy"].append({**where, **copied, **timed(begin + 360, begin + 390, at)})
    return rows


def _write(
    path: Path, version: int, rows: Mapping[str, Sequence[Mapping[str, object]]], ending: str = _GUID
) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    tables = _VERSION_3 if version == 3 else _VERSION_4
    with closing(sqlite3.connect(path)) as connection:
        for table, columns in tables.items():
            connection.execute(f'CREATE TABLE "rocpd_{table}{ending}" ({columns})')
            view = f'rocpd_{table} AS SELECT * FROM "rocpd_{table}{ending}"'
            connection.execute(f"CREATE VIEW IF NOT EXISTS {view}")
        for table in tables:
            for line in rows.get(table, ()):
                marks = ", ".join("?" * len(line))
                connection.execute(
                    f'INSERT INTO "rocpd_{table}{ending}" ({", ".join(line)}) VALUES ({marks})',
                    list(line.values()),
                )
        connection.commit()
    return path


@pytest.fixture(params=[3, 4])
def profile(request: pytest.FixtureRequest, tmp_path: Path) -> ReadProfile:
    _write(tmp_path / "77_results.db", request.param, _rows(request.param))
    return read_directory(tmp_path, Source.ROCPD)


def test_work_of_the_gpu(profile: ReadProfile) -> None:
    tracks = profile.profile.tracks
    rows = [row for row in profile.rows("slices") if tracks[row["track"]].kind == "stream"]
    assert [(row["start"], row["duration"], row["name"], row["category"]) for row in rows[:3]] == [
        (50, 300, _GEMM, Category.KERNEL),
        (360, 30, "Memcpy HtoD", Category.MEMCPY),
        (400, 200, _RED, Category.COMMUNICATION),
    ]
    assert {(tracks[row["track"]].label, tracks[row["track"]].device) for row in rows} == {
        ("Stream 1, queue 1", 0)
    }
    kernels = {row["name"]: row for row in profile.rows("kernels")}
    gemm = kernels[_GEMM]
    assert (gemm["grid"], gemm["block"], gemm["calls"]) == ("4 x 2 x 1", "256 x 1 x 1", 2), (
        "grids count threads"
    )
    assert (gemm["registers"], gemm["shared_memory"], gemm["stream"]) == (128, 2048, "1")
    assert profile.profile.documents["copies"] == {"Memcpy HtoD": {"count": 2, "bytes": 8192, "time": 60.0}}


def test_calls_ranges_and_steps(profile: ReadProfile) -> None:
    rows, flows = profile.rows("slices"), profile.profile.tables["flows"]
    found = {
        (rows[source]["name"], rows[target]["name"])
        for source, target in zip(flows["source"].tolist(), flows["target"].tolist(), strict=True)
    }
    assert found == {("hipLaunchKernel", _GEMM), ("hipMemcpyAsync", "Memcpy HtoD")}
    assert flows["kind"].tolist() == [FlowKind.LAUNCH] * 4
    assert profile.profile.step_origin is StepOrigin.RECORDED
    steps = [(row["number"], row["start"], row["duration"], row["kernel"]) for row in profile.rows("steps")]
    assert steps == [(0, 0, 900, 300), (1, 1000, 900, 300)]
    calls = [row for row in rows if row["name"] == "hipLaunchKernel"]
    assert {row["category"] for row in calls} == {Category.RUNTIME}
    track = profile.profile.tracks[calls[0]["track"]]
    assert track.label == "Thread 78 (main)"
    assert profile.profile.tracks[track.parent].label == "Process 77 (python3)"


def test_facts(profile: ReadProfile) -> None:
    found = profile.profile
    assert (found.host, found.platform, found.start_ns, found.notes) == ("node7", "gpu", 0, ())
    assert [(device.name, device.kind) for device in found.devices] == [("AMD Instinct MI300X", "gpu")]
    assert found.devices[0].facts == {"id": 0, "warpSize": 64}


def test_a_merged_database_of_two_processes(tmp_path: Path) -> None:
    path = tmp_path / "logs/run/merged_results.db"
    rows = _rows(3)
    rows["info_agent"][1]["type_index"] = 1
    _write(path, 3, _rows(3))
    _write(path, 3, rows, "_0190ffff_1")
    profile = read_profiles(tmp_path / "logs")["run:merged_results.db"]
    assert [device.facts["id"] for device in profile.profile.devices] == [0, 1]
    slices, flows = profile.rows("slices"), profile.profile.tables["flows"]
    assert len(slices) == 24
    assert len(flows["source"]) == 8, "calls have numbers of their own process"


def test_no_view_is_read_in_the_place_of_a_table(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "view_results.db")) as connection:
        connection.execute("CREATE TABLE rocpd_string (id INTEGER, string TEXT)")
        endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS start FROM n"
        connection.execute(f"CREATE VIEW rocpd_region AS {endless}")
        connection.commit()
    with pytest.raises(Unreadable) as raised:
        read_directory(tmp_path, Source.ROCPD)
    assert raised.value.note.code == "no_profile_rows"


@pytest.mark.parametrize("name", ["rocpd_event", "other"])  # without its texts nothing is read
def test_another_database_is_named(tmp_path: Path, name: str) -> None:
    with closing(sqlite3.connect(tmp_path / "x_results.db")) as connection:
        connection.execute(f"CREATE TABLE {name} (id INTEGER)")
        connection.commit()
    assert not is_rocpd((tmp_path / "x_results.db").read_bytes()[:4096])
    with pytest.raises(Unreadable, match=r"x_results\.db has none of the tables of rocpd") as raised:
        read_directory(tmp_path, Source.ROCPD)
    assert raised.value.note.code == "no_profile_rows"


def test_a_truncated_database(tmp_path: Path) -> None:
    rows: dict[str, Any] = _rows(3)
    region = rows["region"][1]
    rows["region"] += [{**region, "start": 5000 + at, "end": 5001 + at} for at in range(5000)]
    path = _write(tmp_path / "cut_results.db", 3, rows)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    profile = read_directory(tmp_path, Source.ROCPD)
    assert "truncated" in [note.code for note in profile.profile.notes]
    assert 0 < len(profile.rows("slices")) < 5000
