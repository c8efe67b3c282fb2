"""NPUs, as MindSpore 2.4+ and torch_npu write them; files made by hand from their headers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from insight_profiler.arguments import arguments_at, place_of
from insight_profiler.model import Category, FlowKind, Side, Source, StepOrigin

from tests.conformance.our_profiles import ReadProfile, read_directory

_EPOCH = "1795221433795769"  # µs

_KERNELS = "\n".join(
    [
        "Step ID,Model Name,Model ID,Task ID,Stream ID,Name,Type,Accelerator Core,"
        "Start Time(us),Duration(us),Wait Time(us),"
        "Block Num,Mix Block Num,HF32 Eligible,Input Shapes,Input Data Types,Input Formats,"
        "Output Shapes,Output Data Types,Output Formats,Context ID,aicore_time(us)",
        *(
            f"1,N/A,4294967295,12,2,MatMulV2-op1,MatMulV2,AI_CORE,{start}\t,{duration},0,24,0,NO,"
            '"32,64;64,10",FLOAT16;FLOAT16,ND;ND,"32,10",FLOAT16,ND,N/A,9.1'
            for start, duration in ((f"{_EPOCH}.100", "10.5"), ("1795221433795800.900", "11.5"))
        ),
        "2,N/A,4294967295,14,3,hcom_allReduce_1,hcom_allReduce_,HCCL,1795221433796000.000\t,100.25,0,0,0,NO,"
        "N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A",
        "2,N/A,4294967295,15,2,Add-op3,Add,AI_VECTOR_CORE,N/A,1,0,24,0,NO,32,FLOAT,ND,32,FLOAT,ND,N/A,N/A",
    ]
)

_STEPS = """Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,\
Bubble,Communication(Not Overlapped and Exclude Receive),Preparing
0,1,22.0,100.25,0,100.25,50.5,172.75,0,90.25,3.5
0,2,1.5,0,0,0,8.5,10,0,0,N/A
"""

_MEMORY = f"""Name,Size(KB),Allocation Time(us),Release Time(us),Active Release Time(us),Duration(us),\
Active Duration(us),Allocation Total Allocated(MB),Allocation Total Reserved(MB),Stream Ptr,Device Type
MatMulV2,2.5,{_EPOCH}.000,{_EPOCH}.500,N/A,0.5,N/A,1,2,0,NPU:0
Weights,1024,{_EPOCH}.250,N/A,N/A,N/A,N/A,1,2,0,NPU:0
before,-16,{_EPOCH}.300,{_EPOCH}.400,N/A,N/A,N/A,1,2,0,NPU:0
"""

_RECORD = f"""Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Total Active(MB),Device Type
PTA,{_EPOCH}.000,1.5,2,N/A,NPU:0
GE,{_EPOCH}.100,0.5,1,N/A,NPU:0
PTA,{_EPOCH}.200,3,4,N/A,NPU:0
"""

_COMMUNICATION = {
    "step1": {
        "p2p": {},
        "collective": {
            "hcom_allReduce__123_0_1@5678": {
                "Communication Time Info": {
                    "Start Timestamp(us)": f"{_EPOCH}.500",
                    "Elapse Time(ms)": 0.10025,
                    "Transit Time(ms)": 0.06,
                    "Wait Time(ms)": 0.04,
                    "Synchronization Time(ms)": 0.03,
                    "Idle Time(ms)": 0.00025,
                    "Wait Time Ratio": 0.4,
                },
                "Communication Bandwidth Info": {
                    "HCCS": {"Transit Size(MB)": 1.5, "Transit Time(ms)": 0.05, "Bandwidth(GB/s)": 30.0},
                    "SDMA": {"Transit Size(MB)": 0.5, "Transit Time(ms)": 0.01, "Bandwidth(GB/s)": 50.0},
                },
            },
            "Total Op Info": {"Communication Time Info": {"Elapse Time(ms)": 0.10025}},
        },
    }
}
_MATRIX = {
    "step1": {
        "collective": {
            "allReduce-top1@5678": {
                "0-1": {
                    "Transport Type": "HCCS",
                    "Transit Size(MB)": 1.5,
                    "Transit Time(ms)": 0.05,
                    "Bandwidth(GB/s)": 7,
                },
                "1-1": {
                    "Transport Type": "LOCAL",
                    "Transit Size(MB)": 0,
                    "Transit Time(ms)": 0,
                    "Bandwidth(GB/s)": 0,
                },
            }
        }
    }
}


def _layer(pid: int, name: str, order: int) -> list[dict[str, Any]]:
    return [
        {"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}},
        {"ph": "M", "name": "process_sort_index", "pid": pid, "tid": 0, "args": {"sort_index": order}},
    ]


def _thread(pid: int, tid: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": name}}


def _slice(pid: int, tid: int, name: str, start: str, duration: float, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": start, "dur": duration, **more}


def _flow(phase: str, pid: int, tid: int, time: str, kind: str) -> dict[str, Any]:
    return {"ph": phase, "name": kind, "cat": kind, "id": "77", "pid": pid, "tid": tid, "ts": time}


_TRACE = [
    *_layer(1, "Python", 1),
    _slice(1, 9, "ProfilerStep#1", f"{_EPOCH}.000", 200),
    _slice(1, 9, "aten::matmul", f"{_EPOCH}.010", 20, cat="cpu_op"),
    *_layer(2, "CANN", 2),
    _slice(2, 5, "Node@launch", f"{_EPOCH}.015", 0.005),
    _flow("s", 2, 5, f"{_EPOCH}.015", "HostToDevice"),
    *_layer(3, "Ascend Hardware", 3),
    _thread(3, 2, "Stream 2"),
    _slice(3, 2, "MatMulV2-op1", f"{_EPOCH}.100", 10.5, args={"Task Type": "AI_CORE"}),
    _flow("f", 3, 2, f"{_EPOCH}.100", "HostToDevice"),
    _slice(3, 2, "MatMulV2-op1", "1795221433795800.900", 11.5, args={"Task Type": "AI_CORE"}),
    _slice(3, 2, "EVENT_WAIT", "1795221433795830.000", 5, args={"Task Type": "EVENT_WAIT"}),
    _slice(3, 2, "MEMCPY_ASYNC", "1795221433795836.000", 2, args={"Task Type": "MEMCPY_ASYNC"}),
    *_layer(4, "HCCL", 4),
    _thread(4, 1, "Plane 0"),
    _slice(4, 1, "Reduce_Inline", "1795221433796000.000", 100, args={"task type": "Reduce_Inline"}),
    *_layer(5, "Overlap Analysis", 5),
    _slice(5, 0, "Computing", f"{_EPOCH}.100", 22),
    *_layer(6, "Scope Layer", 6),
    _slice(6, 0, "Default", f"{_EPOCH}.000", 150),
    *_layer(7, "CPU OP", 7),
    _slice(7, 0, "Default/net/Cast-op2", f"{_EPOCH}.050", 1, args={"type": "HostCpuOps"}),
    {"ph": "C", "name": "AI Core Freq", "pid": 8, "ts": f"{_EPOCH}.000", "args": {"MHz": "1850"}},
]


@pytest.fixture
def output(tmp_path: Path) -> Path:
    directory = tmp_path / "host_1_20261121003708047_ascend_ms/ASCEND_PROFILER_OUTPUT"
    directory.mkdir(parents=True)
    (directory.parent / "profiler_info_3.json").write_text(
        json.dumps({"rank_id": 3, "rank_size": 8, "parallel_mode": "data_parallel", "ms_version": "2.5.0"})
    )
    return directory


def _read(output: Path, source: Source = Source.MINDSPORE, **files: str) -> ReadProfile:
    for name, text in files.items():
        (output / name.replace("__", ".")).write_text(text)
    return read_directory(output.parent, source)


def _codes(profile: ReadProfile) -> list[str]:
    return [note.code for note in profile.profile.notes]


@pytest.mark.parametrize("source", [Source.MINDSPORE, Source.ASCEND])
def test_operators_and_kernels(output: Path, source: Source) -> None:
    profile = _read(output, source, kernel_details__csv=_KERNELS)
    assert (profile.profile.rank, profile.profile.world_size, profile.profile.platform) == (3, 8, "npu")
    assert profile.profile.facts["parallel_mode"] == "data_parallel"
    (device,) = profile.profile.devices
    assert (device.name, device.kind) == ("NPU 3", "npu")
    matmul, reduce = profile.rows("operators")
    assert (matmul["name"], matmul["type"], matmul["core"], matmul["side"]) == (
        "MatMulV2-op1",
        "MatMulV2",
        "AI_CORE",
        Side.DEVICE,
    )
    assert (matmul["calls"], matmul["total"], matmul["minimum"], matmul["maximum"]) == (
        2,
        22_000,
        10_500,
        11_500,
    )
    assert matmul["shapes"] == "32,64;64,10"
    assert json.loads(matmul["information"])["input_formats"] == "ND;ND"
    assert (reduce["name"], reduce["shapes"], reduce["total"]) == ("hcom_allReduce_1", "", 100_250)
    kernels = profile.rows("kernels")
    assert [(row["name"], row["stream"], row["block"], row["calls"], row["operator"]) for row in kernels] == [
        ("MatMulV2-op1", "2", "24", 2, 0),
        ("hcom_allReduce_1", "3", "0", 1, 1),
    ]
    assert _codes(profile) == ["cells_without_value"], "one kernel has no time"
    # without a timeline the runs make one
    slices = profile.rows("slices")
    assert [(row["start"], row["duration"], row["operator"], row["kernel"]) for row in slices] == [
        (0, 10_500, 0, 0),
        (31_800, 11_500, 0, 0),
        (230_900, 100_250, 1, 1),
    ]
    assert profile.profile.start_ns == 1_795_221_433_795_769_100
    assert [row["category"] for row in slices] == [Category.KERNEL, Category.KERNEL, Category.COMMUNICATION]
    assert {track.label for track in profile.profile.tracks if track.kind == "stream"} == {
        "Stream 2",
        "Stream 3",
    }


def test_headers_of_another_version(output: Path) -> None:
    header = "Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us),Block Dim\n"
    profile = _read(output, kernel_details__csv=header + "Add-op1,Add,AIV,5.000,2,8\n")
    (operator,) = profile.rows("operators")
    assert (operator["name"], operator["core"], operator["total"]) == ("Add-op1", "AIV", 2_000)
    assert profile.rows("kernels")[0]["block"] == "8"


def test_the_timeline_is_linked_to_the_tables(output: Path) -> None:
    profile = _read(output, kernel_details__csv=_KERNELS, trace_view__json=json.dumps(_TRACE))
    rows = profile.rows("slices")
    by_name: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_name.setdefault(row["name"], []).append(row)
    operators = profile.rows("operators")
    assert [operators[row["operator"]]["type"] for row in by_name["MatMulV2-op1"]] == ["MatMulV2"] * 2
    assert [row["kernel"] for row in by_name["MatMulV2-op1"]] == [0, 0]
    categories = {name: Category(group[0]["category"]) for name, group in by_name.items()}
    assert categories == {
        "ProfilerStep#1": Category.OTHER,
        "aten::matmul": Category.OPERATOR,
        "Node@launch": Category.RUNTIME,
        "MatMulV2-op1": Category.KERNEL,
        "EVENT_WAIT": Category.OTHER,
        "MEMCPY_ASYNC": Category.MEMCPY,
        "Reduce_Inline": Category.COMMUNICATION,
        "Computing": Category.OTHER,
        "Default": Category.OTHER,
        "Cast-op2": Category.OPERATOR,
    }
    hosts = {row["name"]: row for row in operators if row["side"] == Side.HOST}
    assert hosts.keys() == {"aten::matmul", "Cast-op2"}
    assert (hosts["Cast-op2"]["type"], hosts["Cast-op2"]["scope"]) == ("Cast", "Default/net")
    assert sum(row["side"] == Side.DEVICE for row in operators) == 2, "the timeline adds none to the table"
    ((source, target),) = [
        (rows[row["source"]]["name"], rows[row["target"]]["name"])
        for row in _flows(profile)
        if row["kind"] == FlowKind.LAUNCH
    ]
    assert (source, target) == ("Node@launch", "MatMulV2-op1")
    kinds = {track.label: track.kind for track in profile.profile.tracks if track.kind != "process"}
    assert kinds["Stream 2"] == "stream"
    assert kinds["Plane 0"] == "communication"
    assert [track.label for track in profile.profile.tracks if track.kind == "process"][:3] == [
        "Python",
        "CANN",
        "Ascend Hardware",
    ]
    (counter,) = profile.profile.counters
    assert counter.label == "AI Core Freq MHz"
    assert profile.column("counters", "value").tolist() == [1850.0]


def test_kernels_with_scopes_in_their_names(output: Path) -> None:
    name = "Default/net/conv-Conv2d/Conv2D-op7"
    header = "Name,Type,Accelerator Core,Stream ID,Start Time(us),Duration(us)\n"
    table = f"{header}{name},Conv2D,AI_CORE,2,{_EPOCH}.000,3\n"
    trace = [*_layer(3, "Ascend Hardware", 3), _slice(3, 2, name, f"{_EPOCH}.000", 3)]
    profile = _read(output, kernel_details__csv=table, trace_view__json=json.dumps(trace))
    (operator,) = profile.rows("operators")
    assert (operator["name"], operator["scope"]) == ("Conv2D-op7", "Default/net/conv-Conv2d")
    (row,) = profile.rows("slices")
    assert (row["name"], row["operator"], row["kernel"]) == ("Conv2D-op7", 0, 0)


def test_arguments_are_found_again(output: Path) -> None:
    profile = _read(output, kernel_details__csv=_KERNELS, trace_view__json=json.dumps(_TRACE))
    (name,) = profile.profile.documents["traces"]
    said: dict[str, list[object]] = {}
    for row in profile.rows("slices"):
        found = None
        if row["offset"] >= 0:
            place, offset = place_of(row["offset"])
            assert place == 0
            with (output.parent / name).open("rb") as stream:
                found = arguments_at(stream, offset, row["size"])
        said.setdefault(row["name"], []).append(found)
    assert said["MatMulV2-op1"] == [{"Task Type": "AI_CORE"}] * 2
    assert said["Reduce_Inline"] == [{"task type": "Reduce_Inline"}]
    assert said["Default"] == [None]


def _flows(profile: ReadProfile) -> list[dict[str, int]]:
    table = profile.profile.tables["flows"]
    return [
        {"source": source, "target": target, "kind": kind}
        for source, target, kind in zip(
            *(table[name].tolist() for name in ("source", "target", "kind")), strict=True
        )
    ]


def test_steps_as_the_device_divides_them(output: Path) -> None:
    profile = _read(output, step_trace_time__csv=_STEPS, trace_view__json=json.dumps(_TRACE))
    assert profile.profile.step_origin is StepOrigin.RECORDED
    steps = {row["number"]: row for row in profile.rows("steps")}
    assert (steps[1]["start"], steps[1]["duration"]) == (0, 200_000), "when it was is told by the timeline"
    assert (steps[2]["start"], steps[2]["duration"]) == (-1, 10_000), (
        "what the timeline does not mark has no beginning"
    )
    divided = {
        name: steps[1][name] for name in ("computing", "free", "stage", "collective", "receive", "preparing")
    }
    assert divided == {
        "computing": 22_000,
        "free": 50_500,
        "stage": 172_750,
        "collective": 90_250,
        "receive": 10_000,
        "preparing": 3_500,
    }
    assert steps[1]["communication_not_overlapped"] == 100_250
    assert steps[2]["preparing"] == -1
    assert _codes(profile) == ["cells_without_value"]


def test_steps_of_the_timeline_alone(output: Path) -> None:
    profile = _read(output, trace_view__json=json.dumps({"traceEvents": _TRACE}))
    (step,) = profile.rows("steps")
    assert (step["number"], step["start"], step["duration"]) == (1, 0, 200_000)
    assert step["kernel"] == 22_000
    assert step["memcpy"] == 2_000


def test_memory(output: Path) -> None:
    profile = _read(output, operator_memory__csv=_MEMORY, memory_record__csv=_RECORD)
    rows = profile.rows("allocations")
    assert [(row["name"], row["bytes"], row["start"], row["end"]) for row in rows] == [
        ("MatMulV2", 2560, 0, 500),
        ("Weights", 1 << 20, 250, -1),
    ], "what is only freed here was taken before"
    labels = [counter.label for counter in profile.profile.counters]
    assert labels == ["allocated (GE)", "allocated (PTA)", "reserved (GE)", "reserved (PTA)"]
    table = profile.profile.tables["counters"]
    assert table["value"][table["counter"] == 1].tolist() == [1.5 * (1 << 20), 3.0 * (1 << 20)]


def test_communication(output: Path) -> None:
    profile = _read(
        output, communication__json=json.dumps(_COMMUNICATION), communication_matrix__json=json.dumps(_MATRIX)
    )
    (row,) = profile.rows("collectives")
    assert (row["step"], row["name"], row["kind"]) == (1, "hcom_allReduce__123_0_1", "collective")
    assert (row["elapsed"], row["transit"], row["wait"], row["bytes"]) == (100_250, 60_000, 40_000, 2e6)
    links = profile.rows("links")
    assert [(one["source"], one["target"], one["kind"], one["elapsed"], one["bytes"]) for one in links] == [
        (0, 1, "HCCS", 50_000, 1.5e6),
        (1, 1, "LOCAL", 0, 0.0),
    ]
    assert links[0]["bandwidth"] == pytest.approx(30e9), "of size and time, whatever the file says"
    assert np.isnan(links[1]["bandwidth"])


def test_types_alone(output: Path) -> None:
    text = (
        "Device_id,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)\n"
    )
    profile = _read(output, op_statistic__csv=text + "0,MatMulV2,AI_CORE,2,22.0,10.5,11,11.5,100\n")
    (row,) = profile.rows("operators")
    assert (row["type"], row["calls"], row["total"], row["minimum"], row["maximum"]) == (
        "MatMulV2",
        2,
        22_000,
        10_500,
        11_500,
    )
    assert _codes(profile) == ["types_only"]


def test_operators_of_the_host(output: Path) -> None:
    header = (
        "Name,Input Shapes,Call Stack,Host Self Duration(us),Host Total Duration(us),"
        "Device Self Duration(us),Device Total Duration(us)\n"
    )
    rows = (
        'aten::mm,"32,64;64,10",,1.5,2,10,11\naten::mm,"32,64;64,10",,2.5,4,20,21\naten::mm,"1,1",,1,1,0,0\n'
    )
    profile = _read(output, Source.ASCEND, operator_details__csv=header + rows)
    first, second = profile.rows("operators")
    assert (first["side"], first["calls"], first["total"], first["self"]) == (Side.HOST, 2, 6_000, 4_000)
    assert (first["device_total"], first["device_self"]) == (32_000, 30_000)
    assert (first["minimum"], first["maximum"]) == (2_000, 4_000)
    assert (second["shapes"], second["calls"]) == ("1,1", 1)


def test_operators_of_the_host_without_times(output: Path) -> None:
    """As MindSpore writes them."""
    profile = _read(output, kernel_details__csv=_KERNELS, operator_details__csv="Name,Input Shapes\nAdd,32\n")
    assert {row["side"] for row in profile.rows("operators")} == {Side.DEVICE}


def test_a_cut_timeline_and_a_broken_table(output: Path) -> None:
    profile = _read(
        output,
        trace_view__json=json.dumps(_TRACE)[:-400],
        step_trace_time__csv="Step,Computing\n",
        communication__json="{",
        memory_record__csv=_RECORD,
    )
    assert set(_codes(profile)) == {"truncated", "file_unreadable", "cells_without_value"}
    assert sum(note.code == "file_unreadable" for note in profile.profile.notes) == 2
    assert len(profile.rows("slices")) > 5
    assert [row["number"] for row in profile.rows("steps")] == [1]
