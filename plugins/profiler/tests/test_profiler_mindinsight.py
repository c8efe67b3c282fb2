"""What MindSpore wrote for MindInsight: both generations, ranks, clocks, and files that are broken.

tests/conformance compares the numbers with MindInsight's own.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from insight_profiler.building import Unreadable
from insight_profiler.model import Category, Side, Source, StepOrigin
from insight_profiler.profiles.discovery import profiles_of

from insight_core.plugin.data import SeriesInfo, SeriesKey
from tests.conformance.our_profiles import ReadProfile, read_directory

_FULL = "Default/network/conv1-Conv2d"


@pytest.fixture(scope="module")
def fixtures(pytestconfig: pytest.Config) -> Path:
    directory = pytestconfig.rootpath.parent / "shared/data/mindinsight_fixtures"
    if not directory.is_dir():
        pytest.skip(f"MindInsight's test resources at {directory} are not on this machine")
    return directory


def _read(directory: Path, rank: int = 1, /, **files: object) -> ReadProfile:
    for name, content in files.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (directory / name.replace("__", ".")).write_text(text)
    return read_directory(directory, Source.MINDINSIGHT, rank)


def _codes(profile: ReadProfile) -> list[str]:
    return [note.code for note in profile.profile.notes]


_INFORMATION = json.dumps(
    {"input_0": {"shape": "2,3"}, "input_1": {"shape": [4]}, "output_0": {"shape": "9"}}
)
_QUOTED = '"' + _INFORMATION.replace('"', '""') + '"'
_NEW = {
    "aicore_intermediate_1_detail__csv": (
        "full_kernel_time,execution_time(ms),execution_frequency\n"
        f"{_FULL}/Conv2D-op1,0.5,3\nDefault/Add-op2,1e-05,1\n"
    ),
    "framework_raw_1__csv": (
        "task_id,stream_id,block_dim,full_kernel_name,op_name,kernel_name,kernel_type,subgraph,op_info,graph_id\n"
        f"1,7,32,{_FULL}/Conv2D-op1,{_FULL}/Conv2D-op1,Conv2D-op1,FusedConv,Default,{_QUOTED},11\n"
    ),
    "flops_1__txt": (
        "full_kernel_name, MFLOPs(10^6 cube), GFLOPS(10^9 cube), FLOPS utilization(cube), "
        "MFLOPs(10^6 vector), GFLOPS(10^9 vector), FLOPS utilization(vec)\n"
        f"{_FULL}/Conv2D-op1, 1.5, 9, 9, 0.25, 9, 9\n"
    ),
}
_OLD = {
    "aicore_intermediate_1_detail__csv": (
        f"full_op_name,execution_time\n{_FULL}/Conv2D-op1,0.5\nDefault/Add-op2,0.00001\n"
    ),
    "framework_raw_1__csv": (
        "task_id,stream_id,block_dim,full_op_name,op_name,op_type,subgraph,op_info\n"
        f"1,7,32,{_FULL}/Conv2D-op1,Conv2D-op1,FusedConv,Default,{_QUOTED}\n"
    ),
}


@pytest.mark.parametrize(("files", "calls"), [(_NEW, 3), (_OLD, 1)], ids=["new", "old"])
def test_both_generations_of_headers(tmp_path: Path, files: dict[str, str], calls: int) -> None:
    profile = _read(tmp_path, **files)
    convolution, add = profile.rows("operators")
    assert (convolution["name"], convolution["scope"], convolution["type"]) == (
        "Conv2D-op1",
        _FULL,
        "FusedConv",
    )
    assert (convolution["calls"], convolution["total"]) == (calls, 500_000 * calls)
    assert (convolution["side"], convolution["core"], convolution["shapes"]) == (
        Side.DEVICE,
        "AI_CORE",
        "[2, 3]; [4]",
    )
    described = json.loads(convolution["information"])
    assert (described["stream"], described["blocks"], described["output_0"]) == ("7", "32", {"shape": "9"})
    assert (add["type"], add["total"]) == ("Add", 10), "its name tells its type"
    if files is _NEW:
        assert convolution["flops"] == 1.75e6 * 3
        assert np.isnan(add["flops"])
        assert _codes(profile) == ["operators_not_described"]
    else:
        assert _codes(profile) == ["counts_unknown", "operators_not_described"]


def test_a_timeline_links_to_the_table_and_adds_nothing(tmp_path: Path) -> None:
    events = [
        {
            "name": "Conv2D-op1",
            "ph": "X",
            "tid": "7",
            "pid": 1,
            "ts": "0.5",
            "dur": 2,
            "args": {"fullname": f"{_FULL}/Conv2D-op1"},
        },
        {
            "name": "Other-op9",
            "ph": "X",
            "tid": 7,
            "pid": 1,
            "ts": 3.25,
            "dur": 1.0,
            "args": {"fullname": "Default/Other-op9"},
        },
        {"name": "Default", "ph": "X", "tid": 100001, "pid": 1, "ts": 0, "dur": 9, "scope_level": 0},
        {"name": "1", "ph": "X", "tid": 100000, "pid": 1, "ts": 0, "dur": 10},
        {"name": "stream_5_parallel_0", "ph": "X", "tid": 5, "pid": 10000, "ts": 4, "dur": 1},
        {"name": "bad", "ph": "X", "tid": 5, "pid": 1, "ts": "N/A", "dur": 1},
        {"name": "GetNext", "ph": "X", "tid": "0", "pid": 9000, "ts": 6, "dur": 1},
    ]
    profile = _read(tmp_path, **_NEW, ascend_timeline_display_1__json=events)
    rows = {row["name"]: row for row in profile.rows("slices")}
    assert len(profile.rows("operators")) == 2
    assert rows["Conv2D-op1"]["operator"] == 0
    assert rows["Conv2D-op1"]["start"] == 500
    assert rows["Other-op9"]["operator"] == -1
    assert "bad" not in rows
    tracks = profile.profile.tracks
    assert {name: (tracks[row["track"]].kind, tracks[row["track"]].label) for name, row in rows.items()} == {
        "Conv2D-op1": ("stream", "Stream 7"),
        "Other-op9": ("stream", "Stream 7"),
        "Default": ("scope", "Scope Layer"),
        "1": ("scope", "Steps"),
        "stream_5_parallel_0": ("communication", "Stream 5"),
        "GetNext": ("stream", "Stream 0"),
    }
    assert rows["stream_5_parallel_0"]["category"] == Category.COMMUNICATION
    assert rows["Default"]["category"] == Category.OTHER


def test_a_timeline_alone_makes_operators(tmp_path: Path) -> None:
    arguments = {"type": "FusedConv", "fullname": f"{_FULL}/Conv2D-op1"}
    events = [
        {"name": "Conv2D-op1", "ph": "X", "tid": "7", "pid": 1, "ts": at, "dur": 2, "args": arguments}
        for at in (0, 5)
    ]
    (row,) = _read(tmp_path, ascend_timeline_display_1__json=events).rows("operators")
    assert (row["name"], row["type"], row["scope"], row["side"]) == (
        "Conv2D-op1",
        "FusedConv",
        _FULL,
        Side.DEVICE,
    )
    assert (row["calls"], row["total"]) == (2, 4_000)


def test_kernels_of_a_gpu_on_a_timeline(tmp_path: Path) -> None:
    kernel = {"type": "cuLaunchKernel", "op_full_name": "Default/Add-op1", "block_dim": "1,1,1"}
    events = [
        {"name": "Default/Add-op1", "ph": "X", "tid": "Ops", "pid": 0, "ts": 1600695893269618.2, "dur": 3},
        {
            "name": "add<float>(int)",
            "ph": "X",
            "tid": "17",
            "pid": 0,
            "ts": 1600695893269619,
            "dur": 2,
            "args": kernel,
        },
    ]
    table = (
        "name,type,op_full_name,stream_id,block_dim,grid_dim,occurrences,total_duration(us),avg_duration(us),"
        'max_duration(us),min_duration(us)\nadd<float>(int),cuLaunchKernel,Default/Add-op1,17,"1,1,1","1,1,1",1,2,2,2,2\n'
    )
    profile = _read(tmp_path, 0, gpu_timeline_display_0__json=events, gpu_activity_data_0__csv=table)
    assert profile.profile.platform == "gpu"
    own = {row["name"]: row for row in profile.rows("slices")}
    assert own["Add-op1"]["category"] == Category.OPERATOR
    assert own["add<float>(int)"]["kernel"] == 0
    assert profile.profile.start_ns == 1_600_695_893_269_618_200
    (operator,) = profile.rows("operators")
    assert (operator["name"], operator["side"]) == ("Add-op1", Side.HOST)


_TRACE = """step_num,start_point,end_point,total,fp_point,bp_point,iteration_interval,fp_and_bp,tail,\
stream_5_parallel_0_start_point,stream_5_parallel_0_end_point,stream_5_parallel_0
1,1000,1500,500,1000,1300,0,300,200,1100,1200,100
2,1500,2100,600,1600,1900,100,300,200,0,0,0
-,1500,2100,600,1600,1900,100,300,200,1100,1200,100
"""


def _steps(profile: ReadProfile, *names: str) -> list[tuple[int, ...]]:
    return [tuple(row[name] for name in names) for row in profile.rows("steps")]


def test_steps_in_ticks(tmp_path: Path) -> None:
    profile = _read(tmp_path, step_trace_raw_1_detail_time__csv=_TRACE)
    assert profile.profile.step_origin is StepOrigin.RECORDED
    assert _steps(
        profile, "number", "start", "duration", "iteration_interval", "forward_backward", "tail"
    ) == [
        (1, 0, 5_000, -1, 3_000, 2_000),
        (2, 5_000, 6_000, 1_000, 3_000, 2_000),
    ]
    assert _steps(profile, "forward_start", "backward_end") == [(0, 3_000), (1_000, 4_000)]
    (lane,) = profile.rows("lanes")
    assert (lane["step"], lane["name"], lane["start"], lane["duration"]) == (
        0,
        "stream_5_parallel_0",
        1_000,
        1_000,
    )
    assert _codes(profile) == []


@pytest.mark.parametrize(
    ("event", "start"),
    [
        ({"name": "stream_5_parallel_0", "pid": 10000, "tid": 5, "ts": 4, "dur": 1}, 3_000),
        ({"name": "1", "pid": 1, "tid": 100000, "ts": 2, "dur": 5}, 2_000),
        ({"name": "GetNext", "pid": 9000, "tid": "0", "ts": 1, "dur": 1}, 5_000),
    ],
    ids=["communication", "numbers", "AI CPU"],
)
def test_the_clock_of_steps(tmp_path: Path, event: dict[str, object], start: int) -> None:
    profile = _read(
        tmp_path,
        step_trace_raw_1_detail_time__csv=_TRACE,
        aicpu_intermediate_1__csv="serial_number,kernel_type,total_time,dispatch_time,run_start,run_end\n1,GetNext,1,1,6,7\n",
        ascend_timeline_display_1__json=[
            {"name": "first", "ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 20},
            {"ph": "X", **event},
        ],
    )
    assert _steps(profile, "start") == [(start,), (start + 5_000,)]


def test_steps_that_nothing_aligns(tmp_path: Path) -> None:
    events = [{"name": "first", "ph": "X", "pid": 1, "tid": 1, "ts": 900, "dur": 20}]
    profile = _read(
        tmp_path, step_trace_raw_1_detail_time__csv=_TRACE, ascend_timeline_display_1__json=events
    )
    assert _steps(profile, "start", "duration") == [(-1, 5_000), (-1, 6_000)]
    assert _codes(profile) == ["steps_not_aligned"]


def test_steps_of_inference(tmp_path: Path) -> None:
    header = "step_num,start_point,end_point,total,fp_point,bp_point,iteration_interval,fp\n"
    profile = _read(
        tmp_path, step_trace_raw_1_detail_time__csv=header + "5,10,30,20,12,30,2,18\n-,1,1,1,1,1,1,1\n"
    )
    assert _steps(profile, "number", "duration", "iteration_interval", "forward_backward", "tail") == [
        (5, 200, 20, 180, -1)
    ]


def test_columns_of_a_cluster(tmp_path: Path) -> None:
    name = "ascend_cluster_analyse_model-parallel_2_8_5__csv"
    table = "computation_time,communication_alone_time\n1.5,0.5\n2.5,0.25\n2,0.4\n"
    profile = _read(tmp_path, 5, **{name: table}, step_trace_raw_5_detail_time__csv=_TRACE)
    assert _steps(profile, "computing", "communication_not_overlapped") == [
        (1_500_000, 500_000),
        (2_500_000, 250_000),
    ]
    assert profile.profile.facts == {"parallel_mode": "model-parallel", "stages": 2, "stage": 1}
    assert profile.profile.world_size == 8
    (tmp_path / name.replace("__", ".")).write_text(table + "3,3\n")
    profile = _read(tmp_path, 5)
    assert set(_steps(profile, "computing")) == {(-1,)}
    assert _codes(profile) == ["steps_differ", "steps_differ"]


def test_communication_without_operators(tmp_path: Path) -> None:
    links = json.dumps({"1-0": {"HCCS": [0.5, 2.0, 99]}}).replace('"', '""')
    profile = _read(
        tmp_path,
        hccl_raw_1__csv=f'step_num,communication_cost,wait_cost,link_info\n3,0.5,0.25,"{links}"\n-,9,9,""\n',
    )
    (row,) = profile.rows("collectives")
    assert (row["step"], row["name"], row["transit"], row["wait"], row["elapsed"]) == (
        3,
        "",
        500_000,
        250_000,
        750_000,
    )
    (link,) = profile.rows("links")
    assert (link["source"], link["target"], link["kind"], link["bytes"]) == (1, 0, "HCCS", 2000.0)
    assert link["bandwidth"] == pytest.approx(2000 / 0.5e-3)


def test_flops_of_cubes_and_vectors(tmp_path: Path) -> None:
    summary = {
        "cube_FLOPs": 3.0,
        "cube_FLOPS": 2.0,
        "cube_FLOPS_Utilization": 50,
        "vec_FLOPs": 1.0,
        "vec_FLOPS": 0.5,
        "vec_FLOPS_Utilization": 25,
    }
    flops = _read(tmp_path, flops_summary_1__json=summary).profile.documents["flops"]["summary"]
    assert (flops["flops"], flops["flops_per_second"], flops["utilization"]) == (4e6, 2.5e9, None)
    assert flops["cube"] == {"flops": 3e6, "flops_per_second": 2e9, "utilization": 0.5}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("flops_summary_1__json", "{"),
        ("flops_scope_1__json", "[]"),
        ("memory_usage_details_1__json", '{"1": 5}'),
        ("parallel_strategy_1__json", '{"config": {}}'),
        ("dynamic_shape_info_1__json", '{"operator": {"1": [{}]}}'),
        ("hccl_raw_1__csv", 'step_num,link_info\n1,"{"\n'),
        ("pipeline_profiling_1__json", '{"op_info": [{}]}'),
        ("minddata_cpu_utilization_1__json", '{"device_info": {"x": ["y"]}}'),
        ("ascend_timeline_display_1__json", "nothing"),
        ("ascend_cluster_analyse_x__csv", "a\n1\n"),
    ],
)
def test_broken_files_do_not_end_the_rest(tmp_path: Path, name: str, content: str) -> None:
    profile = _read(tmp_path, **_NEW, **{name: content})
    (note,) = (note for note in profile.profile.notes if note.code == "file_unreadable")
    assert note.values["file"] == name.replace("__", ".")
    assert len(profile.rows("operators")) == 2


def test_nothing_but_a_broken_file(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="nothing of the profile"):
        _read(tmp_path, flops_summary_1__json="{")


def test_every_fixture_is_found_and_read(fixtures: Path) -> None:
    """Of seven directories MindInsight itself lists one."""
    found: dict[str, int] = {}
    series = [
        SeriesInfo(SeriesKey("run", path.relative_to(fixtures).as_posix()), 1, 1, 0, 0)
        for path in sorted(fixtures.rglob("*"))
        if path.is_file()
    ]
    for profile in profiles_of(series):
        found[profile.path] = len(profile.files)
    assert found.keys() >= {
        *(f"cluster_propose#{rank}" for rank in range(4)),
        *(f"parallel_strategy#{rank}" for rank in range(2)),
        *(f"profiler#{rank}" for rank in (0, 1, 10)),
        "run_1/normal_run/profiler",
        "run_2/normal_run/profiler",
    }


def test_iterations_of_the_merged_timeline(fixtures: Path, tmp_path: Path) -> None:
    for place in (fixtures / "profiler").glob("PROF_*322*"):
        for file in place.glob("device_0/timeline/msprof_*"):
            target = tmp_path / place.name / "device_0/timeline" / file.name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes())
    profile = read_directory(tmp_path, Source.MINDINSIGHT, 0)
    assert len(profile.rows("slices")) == 10_838
    steps = profile.rows("steps")
    assert len(steps) == 10
    for row in steps:
        assert row["iteration_interval"] + row["forward_backward"] + row["tail"] == row["duration"]
        assert 0 < row["kernel"] + row["communication"] < row["duration"]
    types = profile.by_type()
    assert types["Cast"][0] % 10 == 0
    assert {row["side"] for row in profile.rows("operators")} == {Side.DEVICE}
    assert _codes(profile) == []
