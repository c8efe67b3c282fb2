"""Exports of Nsight Systems, made by hand from the published tables
(https://docs.nvidia.com/nsight-systems/UserGuide/index.html, SQLite Schema Reference)."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from insight_profiler.advice.evidence import Evidence
from insight_profiler.building import Unreadable
from insight_profiler.claims import is_nsight
from insight_profiler.model import Category, FlowKind, Source, StepOrigin
from insight_profiler.rules import _checked

from insight_core.ingest.beginnings import Beginnings
from tests.conformance.our_profiles import ReadProfile, read_directory, read_profiles

_PROCESS = 1 << 48 | 77 << 24
_MAIN = _PROCESS | 78
_START = 1_795_221_433_795_769_000
_TABLES = {
    "StringIds": "id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL",
    "CUPTI_ACTIVITY_KIND_KERNEL": "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
    "contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, "
    "demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, launchType INTEGER, "
    "cacheConfig INTEGER, registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, "
    "gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, "
    "blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL, "
    "dynamicSharedMemory INTEGER NOT NULL",
    "CUPTI_ACTIVITY_KIND_MEMCPY": "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
    "contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, "
    "bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, srcKind INTEGER, dstKind INTEGER",
    "CUPTI_ACTIVITY_KIND_MEMSET": "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
    "contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, "
    "value INTEGER NOT NULL, bytes INTEGER NOT NULL",
    "CUPTI_ACTIVITY_KIND_RUNTIME": "start INTEGER NOT NULL, end INTEGER NOT NULL, "
    "eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, "
    "nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL",
    "NVTX_EVENTS": "start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, "
    "category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, "
    "domainId INTEGER",
    "TARGET_INFO_GPU": "id INTEGER NOT NULL, name TEXT NOT NULL, totalMemory INTEGER NOT NULL, "
    "smCount INTEGER NOT NULL, computeMajor INTEGER NOT NULL, computeMinor INTEGER NOT NULL",
    "TARGET_INFO_SESSION_START_TIME": "utcEpochNs INTEGER, utcTime TEXT, localTime TEXT",
    "TARGET_INFO_SYSTEM_ENV": "globalVid INTEGER, devStateName TEXT, name TEXT, nameEnum INTEGER, value TEXT",
    "ThreadNames": "nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER",
    "PROCESSES": "globalPid INTEGER, pid INTEGER, name TEXT",
    "ENUM_CUDA_MEM_KIND": "id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT",
}
_GEMM, _RED = "void gemm<float, 128>(float*)", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)"
_TEXTS = [
    _GEMM,
    "gemm",
    _RED,
    "cudaLaunchKernel_v7000",
    "cudaMemcpyAsync_v3020",
    "step 1",
    "step 2",
    "python",
]


def _kernel(start: int, end: int, name: int = 0, correlation: int = 1, **more: object) -> dict[str, object]:
    return {
        "start": start,
        "end": end,
        "deviceId": 0,
        "contextId": 1,
        "streamId": 7,
        "correlationId": correlation,
        "globalPid": _PROCESS,
        "demangledName": name,
        "shortName": 1,
        "registersPerThread": 32,
        **dict.fromkeys(("gridX", "blockX"), 8),
        **dict.fromkeys(("gridY", "gridZ", "blockY", "blockZ"), 1),
        "staticSharedMemory": 1024,
        "dynamicSharedMemory": 48,
        **more,
    }


def _call(start: int, end: int, name: int, correlation: int, thread: int = _MAIN) -> dict[str, object]:
    return {
        "start": start,
        "end": end,
        "eventClass": 0,
        "globalTid": thread,
        "correlationId": correlation,
        "nameId": name,
        "returnValue": 0,
    }


def _range(start: int, end: int | None, text: object, kind: int = 59) -> dict[str, object]:
    named = {"textId": text} if isinstance(text, int) else {"text": text}
    return {"start": start, "end": end, "eventType": kind, "globalTid": _MAIN, "domainId": 0, **named}


_ROWS: Mapping[str, Sequence[Mapping[str, object]]] = {
    "StringIds": [{"id": number, "value": text} for number, text in enumerate(_TEXTS)],
    "CUPTI_ACTIVITY_KIND_KERNEL": [
        _kernel(200, 300),
        _kernel(400, 450, correlation=2),
        _kernel(500, 900, 2, 3),
    ],
    "CUPTI_ACTIVITY_KIND_MEMCPY": [
        {
            "start": 100,
            "end": 150,
            "deviceId": 0,
            "contextId": 1,
            "streamId": 7,
            "correlationId": 4,
            "globalPid": _PROCESS,
            "bytes": 4096,
            "copyKind": 1,
            "srcKind": 0,
            "dstKind": 2,
        }
    ],
    "CUPTI_ACTIVITY_KIND_MEMSET": [
        {
            "start": 160,
            "end": 170,
            "deviceId": 0,
            "contextId": 1,
            "streamId": 7,
            "value": 0,
            "bytes": 64,
            "globalPid": _PROCESS,
        }
    ],
    "CUPTI_ACTIVITY_KIND_RUNTIME": [
        _call(40, 60, 4, 4),
        _call(80, 90, 3, 1),
        _call(180, 190, 3, 2),
        _call(191, 195, 3, 3),
    ],
    "NVTX_EVENTS": [
        _range(0, None, None, kind=75),
        _range(10, 175, 5),
        _range(176, 600, 6),
        _range(70, 95, "aten::mm, op_id = 5, sizes = [[32, 64], [64, 10]]"),
        _range(177, 196, "loss"),
        _range(178, None, "cut"),
        _range(20, 30, "across", kind=60),
        _range(25, None, "a mark", kind=34),
    ],
    "TARGET_INFO_GPU": [
        {
            "id": 0,
            "name": "NVIDIA H200",
            "totalMemory": 1 << 37,
            "smCount": 132,
            "computeMajor": 9,
            "computeMinor": 0,
        }
    ],
    "TARGET_INFO_SESSION_START_TIME": [{"utcEpochNs": _START}],
    "TARGET_INFO_SYSTEM_ENV": [{"name": "Hostname", "value": "node7"}],
    "ThreadNames": [{"nameId": 7, "globalTid": _MAIN}],
    "PROCESSES": [{"globalPid": _PROCESS, "pid": 77, "name": "/usr/bin/python3.11"}],
    "ENUM_CUDA_MEM_KIND": [{"id": 0, "label": "Pageable"}, {"id": 2, "label": "Device"}],
}


def _write(path: Path, rows: Mapping[str, Sequence[Mapping[str, object]]] = _ROWS, more: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        for table, lines in rows.items():
            connection.execute(f"CREATE TABLE {table} ({_TABLES[table]})")
            for line in lines:
                marks = ", ".join("?" * len(line))
                connection.execute(
                    f"INSERT INTO {table} ({', '.join(line)}) VALUES ({marks})", list(line.values())
                )
        for number in range(more):
            connection.execute(f"CREATE TABLE OTHER_{number} (id INTEGER, {'x' * 60} TEXT)")
        connection.commit()
    return path


@pytest.fixture
def profile(tmp_path: Path) -> ReadProfile:
    _write(tmp_path / "report1.sqlite")
    return read_directory(tmp_path, Source.NSIGHT)


def _by_name(profile: ReadProfile) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in profile.rows("slices")}


def test_work_of_the_gpu(profile: ReadProfile) -> None:
    tracks = profile.profile.tracks
    rows = [row for row in profile.rows("slices") if tracks[row["track"]].kind == "stream"]
    assert [(row["start"], row["duration"], row["name"], row["category"]) for row in rows] == [
        (90, 50, "Memcpy HtoD (Pageable -> Device)", Category.MEMCPY),
        (150, 10, "Memset (Device)", Category.MEMSET),
        (190, 100, _GEMM, Category.KERNEL),
        (390, 50, _GEMM, Category.KERNEL),
        (490, 400, _RED, Category.COMMUNICATION),
    ]
    assert {(tracks[row["track"]].label, tracks[row["track"]].device) for row in rows} == {("Stream 7", 0)}
    first, _ = profile.rows("kernels")[:2]
    assert (first["name"], first["grid"], first["block"]) == (_GEMM, "8 x 1 x 1", "8 x 1 x 1")
    assert (first["registers"], first["shared_memory"], first["stream"]) == (32, 1072, "7")
    assert profile.profile.documents["copies"] == {
        "Memcpy HtoD (Pageable -> Device)": {"count": 1, "bytes": 4096, "time": 50.0}
    }


def test_work_is_linked_to_its_calls_and_operators(profile: ReadProfile) -> None:
    rows, flows = profile.rows("slices"), profile.profile.tables["flows"]
    assert set(flows["kind"].tolist()) == {FlowKind.LAUNCH}
    found = {
        (rows[source]["start"], rows[target]["start"])
        for source, target in zip(flows["source"].tolist(), flows["target"].tolist(), strict=True)
    }
    assert found == {(30, 90), (70, 190), (170, 390), (181, 490)}
    names = [rows[source]["name"] for source in flows["source"].tolist()]
    assert sorted(names) == ["cudaLaunchKernel"] * 3 + ["cudaMemcpyAsync"]
    (operator,) = [row for row in profile.rows("operators") if row["name"] == "aten::mm"]
    assert (operator["calls"], operator["shapes"], operator["device_total"]) == (
        1,
        "[[32, 64], [64, 10]]",
        100,
    )


def test_ranges_and_steps(profile: ReadProfile) -> None:
    assert profile.profile.step_origin is StepOrigin.RECORDED
    steps = profile.rows("steps")
    assert [(row["number"], row["start"], row["duration"]) for row in steps] == [(1, 0, 165), (2, 166, 424)]
    assert [(row["kernel"], row["memcpy"], row["memset"]) for row in steps] == [(0, 50, 10), (150, 0, 0)]
    found, tracks = _by_name(profile), profile.profile.tracks
    assert tracks[found["loss"]["track"]].label == "Thread 78 (python)"
    assert tracks[tracks[found["loss"]["track"]].parent].label == "Process 77 (python3.11)"
    assert tracks[found["across"]["track"]].label == "Ranges across threads"
    assert found["a mark"]["duration"] == 0
    assert "cut" not in found
    assert [note.code for note in profile.profile.notes] == ["ranges_without_end"]


def test_facts_of_the_session(profile: ReadProfile) -> None:
    found = profile.profile
    assert (found.start_ns, found.host, found.platform) == (_START + 10, "node7", "gpu")
    (device,) = found.devices
    assert (device.name, device.kind) == ("NVIDIA H200", "gpu")
    assert device.facts == {
        "id": 0,
        "totalGlobalMem": 1 << 37,
        "numSms": 132,
        "computeMajor": 9,
        "computeMinor": 0,
    }


def test_processes_with_the_same_numbers_of_calls(tmp_path: Path) -> None:
    other = _PROCESS + (1 << 24)
    rows = {
        "StringIds": _ROWS["StringIds"],
        "CUPTI_ACTIVITY_KIND_KERNEL": [_kernel(200, 300), _kernel(210, 320, deviceId=1, globalPid=other)],
        "CUPTI_ACTIVITY_KIND_RUNTIME": [_call(10, 20, 3, 1), _call(15, 25, 3, 1, thread=other | 5)],
    }
    _write(tmp_path / "two.sqlite", rows)
    profile = read_directory(tmp_path, Source.NSIGHT)
    slices, flows = profile.rows("slices"), profile.profile.tables["flows"]
    pairs = {
        (slices[source]["start"], slices[target]["start"])
        for source, target in zip(flows["source"].tolist(), flows["target"].tolist(), strict=True)
    }
    assert pairs == {(0, 190), (5, 200)}
    assert [device.name for device in profile.profile.devices] == ["GPU 0", "GPU 1"]


@pytest.mark.parametrize("has_calls", [True, False])
def test_only_a_host_that_was_recorded_is_accused(tmp_path: Path, has_calls: bool) -> None:
    """A GPU that mostly waits: without calls of the host nothing says for what."""
    kernels, calls, ranges = [], [], []
    for step in range(8):
        begin = step * 10_000_000
        ranges.append(_range(begin, begin + 9_000_000, f"step {step}"))
        for number in range(20):
            start, call = begin + number * 450_000, step * 20 + number
            calls.append(_call(start, start + 10_000, 3, call))
            kernels.append(_kernel(start + 20_000, start + 120_000, correlation=call))
    rows = {
        "StringIds": _ROWS["StringIds"],
        "CUPTI_ACTIVITY_KIND_KERNEL": kernels,
        "CUPTI_ACTIVITY_KIND_RUNTIME": calls if has_calls else [],
        "NVTX_EVENTS": ranges,
    }
    _write(tmp_path / "logs/run/report.sqlite", rows)
    profile = read_profiles(tmp_path / "logs")["run:report.sqlite"]
    assert profile.rows("steps")[0]["kernel"] == 2_000_000
    found = {rule for rule, findings in _checked(Evidence(profile.profile)).items() if findings}
    assert found == {"mixed_precision"} | ({"host_bound"} if has_calls else set())


@pytest.mark.parametrize("page", [512, 4096, 65536])
@pytest.mark.parametrize("more", [1, 60, 400])
def test_databases_are_claimed_by_their_tables_however_many_there_are(
    tmp_path: Path, page: int, more: int
) -> None:
    for name, rows in (("own", _ROWS), ("other", {})):
        path = _write(tmp_path / f"{name}.sqlite", rows, more)
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA page_size={page}")
            connection.execute("VACUUM")
        assert Beginnings().say(str(path), path.stat(), is_nsight) is (name == "own")
        cut = tmp_path / "cut.sqlite"
        for size in (50, 100, 101, 512, 5000):
            cut.write_bytes(path.read_bytes()[:size])
            Beginnings().say(str(cut), cut.stat(), is_nsight)  # whatever it says
    assert not is_nsight(b"text")


@pytest.mark.parametrize("more", [1, 60])
def test_another_database_is_named(tmp_path: Path, more: int) -> None:
    _write(tmp_path / "other.sqlite", {}, more=more)
    with pytest.raises(Unreadable, match=r"other\.sqlite has none of the tables of Nsight Systems") as raised:
        read_directory(tmp_path, Source.NSIGHT)
    assert raised.value.note.code == "no_profile_rows"


def test_an_export_without_rows(tmp_path: Path) -> None:
    _write(tmp_path / "empty.sqlite", dict.fromkeys(_TABLES, ()))
    with pytest.raises(Unreadable, match=r"empty\.sqlite has no rows") as raised:
        read_directory(tmp_path, Source.NSIGHT)
    assert raised.value.note.code == "no_profile_rows"


def test_an_older_export_without_some_columns(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "old.sqlite")) as connection:
        connection.execute("CREATE TABLE StringIds (id INTEGER, value TEXT)")
        connection.execute("INSERT INTO StringIds VALUES (1, 'gemm')")
        connection.execute(
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL "
            "(start INT, end INT, deviceId INT, streamId INT, shortName INT)"
        )
        connection.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (5, 9, 0, 7, 1)")
        connection.commit()
    profile = read_directory(tmp_path, Source.NSIGHT)
    (row,) = profile.rows("slices")
    assert (row["name"], row["duration"]) == ("gemm", 4)
    (kernel,) = profile.rows("kernels")
    assert (kernel["grid"], kernel["registers"], kernel["shared_memory"]) == ("", -1, -1)
