"""NPUs, as MindSpore 2.4+ and torch_npu write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from insight_profiler.model import Category, FlowKind, Side, Source, StepOrigin
from insight_profiler.reading.arguments import arguments_at, place_of

from tests.ascend_samples import (
    COMMUNICATION,
    EPOCH,
    KERNELS,
    MATRIX,
    MEMORY,
    RECORD,
    STEPS,
    TRACE,
    layer,
    timed,
)
from tests.conformance.our_profiles import ReadProfile, read_directory


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
    profile = _read(output, source, kernel_details__csv=KERNELS)
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
    profile = _read(output, kernel_details__csv=KERNELS, trace_view__json=json.dumps(TRACE))
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
    table = f"{header}{name},Conv2D,AI_CORE,2,{EPOCH}.000,3\n"
    trace = [*layer(3, "Ascend Hardware", 3), timed(3, 2, name, f"{EPOCH}.000", 3)]
    profile = _read(output, kernel_details__csv=table, trace_view__json=json.dumps(trace))
    (operator,) = profile.rows("operators")
    assert (operator["name"], operator["scope"]) == ("Conv2D-op7", "Default/net/conv-Conv2d")
    (row,) = profile.rows("slices")
    assert (row["name"], row["operator"], row["kernel"]) == ("Conv2D-op7", 0, 0)


def test_arguments_are_found_again(output: Path) -> None:
    profile = _read(output, kernel_details__csv=KERNELS, trace_view__json=json.dumps(TRACE))
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
    profile = _read(output, step_trace_time__csv=STEPS, trace_view__json=json.dumps(TRACE))
    assert profile.profile.step_origin is StepOrigin.RECORDED
    steps = {row["number"]: row for row in profile.rows("steps")}
    assert (steps[1]["start"], steps[1]["duration"]) == (0, 200_000), (
        "start and duration come from the timeline"
    )
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
    profile = _read(output, trace_view__json=json.dumps({"traceEvents": TRACE}))
    (step,) = profile.rows("steps")
    assert (step["number"], step["start"], step["duration"]) == (1, 0, 200_000)
    assert step["kernel"] == 22_000
    assert step["memcpy"] == 2_000


def test_memory(output: Path) -> None:
    profile = _read(output, operator_memory__csv=MEMORY, memory_record__csv=RECORD)
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
        output, communication__json=json.dumps(COMMUNICATION), communication_matrix__json=json.dumps(MATRIX)
    )
    (row,) = profile.rows("collectives")
    assert (row["step"], row["name"], row["kind"]) == (1, "hcom_allReduce__123_0_1", "collective")
    assert (row["elapsed"], row["transit"], row["wait"], row["bytes"]) == (100_250, 60_000, 40_000, 1.5e6)
    links = profile.rows("links")
    assert [(one["source"], one["target"], one["kind"], one["elapsed"], one["bytes"]) for one in links] == [
        (0, 1, "HCCS", 50_000, 1.5e6),
        (1, 1, "LOCAL", 0, 0.0),
    ]
    assert links[0]["bandwidth"] == pytest.approx(30e9), "of size and time, whatever the file says"
    assert np.isnan(links[1]["bandwidth"])


def test_single_calls_are_not_added_to_the_sum_that_has_them(output: Path) -> None:
    """As msprof-analyze 26.2.0 adds the links of a step: ``-total``, not the calls that it has too."""

    def link(size: float, spent: float) -> dict[str, object]:
        return {"0-1": {"Transport Type": "HCCS", "Transit Size(MB)": size, "Transit Time(ms)": spent}}

    of_step = {
        "hcom_allReduce_-top1@5678": link(16, 4),
        "hcom_allReduce_-middle@5678": link(16, 3),
        "hcom_allReduce_-bottom1@5678": link(16, 1),
        "hcom_allReduce_-total@5678": link(48, 8),
        "hcom_allReduce_-top1@99": link(5, 1),  # a group without a sum
    }
    profile = _read(output, communication_matrix__json=json.dumps({"step3": {"collective": of_step}}))
    links = profile.rows("links")
    assert [(one["bytes"], one["elapsed"]) for one in links] == [(48e6, 8_000_000), (5e6, 1_000_000)]


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
    profile = _read(output, kernel_details__csv=KERNELS, operator_details__csv="Name,Input Shapes\nAdd,32\n")
    assert {row["side"] for row in profile.rows("operators")} == {Side.DEVICE}


def test_a_cut_timeline_and_a_broken_table(output: Path) -> None:
    profile = _read(
        output,
        trace_view__json=json.dumps(TRACE)[:-400],
        step_trace_time__csv="Step,Computing\n",
        communication__json="{",
        memory_record__csv=RECORD,
    )
    assert set(_codes(profile)) == {"truncated", "file_unreadable", "cells_without_value"}
    assert sum(note.code == "file_unreadable" for note in profile.profile.notes) == 2
    assert len(profile.rows("slices")) > 5
    assert [row["number"] for row in profile.rows("steps")] == [1]


def test_text_is_read_rather_than_a_database_next_to_it(output: Path) -> None:
    profile = _read(output, kernel_details__csv=KERNELS, ascend_pytorch_profiler_3__db="SQLite format 3")
    assert _codes(profile) == ["cells_without_value"]
