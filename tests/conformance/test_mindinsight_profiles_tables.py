"""Tables of which MindInsight's resources have no sample, written here by its columns: ours are its answers.

Those of CPUs are MindSpore 2.10's own, which MindInsight reads when they lie where it looks for them.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.our_profiles import ReadProfile, read_profiles

Oracle = Callable[..., Any]

_GPU = {
    "gpu_op_type_info_0.csv": """op_type,type_occurrences,total_time(us),total_proportion,avg_time(us)
Conv2D,6,1234.567,0.75,205.761
ReLU,4,411.5,0.25,102.875
""",
    "gpu_op_detail_info_0.csv": (
        "op_side,op_type,op_name,op_full_name,op_occurrences,op_total_time(us),op_avg_time(us),"
        "total_proportion,cuda_activity_cost_time(us),cuda_activity_call_count\n"
        "Device,Conv2D,Conv2D-op1,Default/conv1-Conv2d/Conv2D-op1,6,1234.567,205.761,0.75,900.25,12\n"
        "Device,ReLU,ReLU-op2,Default/relu-ReLU/ReLU-op2,4,411.5,102.875,0.25,33.5,4\n"
    ),
    "gpu_activity_data_0.csv": (
        "name,type,op_full_name,stream_id,block_dim,grid_dim,occurrences,total_duration(us),"
        "avg_duration(us),max_duration(us),min_duration(us)\n"
        '"void conv<float, 3>(int)",cuLaunchKernel,Default/conv1-Conv2d/Conv2D-op1,17,"256,1,1","8,4,1",6,'
        "600.5,100.083,120.125,90.5\n"
        'relu,cuLaunchKernel,Default/relu-ReLU/ReLU-op2,17,"1024,1,1","1,1,1",4,33.5,8.375,9.5,8.0\n'
    ),
}
_PYNATIVE = {
    "pynative_op_intermediate_1_type.csv": """op_type,execution_time,execution_frequency,percent
MatMul,1.25,2,62.5
Add,0.75,3,37.5
""",
    "pynative_op_intermediate_1_detail.csv": """full_op_name,execution_time
MatMul-op1,0.75
MatMul-op2,0.5
Add-op1,0.75
""",
}
_MEMORY = {
    "memory_usage_summary_0.json": json.dumps(
        {"capacity": 31.0, "peak_mem": 1.5, "static_mem": 0.25, "allocations": 12, "deallocations": 11}
    ),
    "memory_usage_details_0.json": json.dumps(
        {
            "11": {
                "graph_id": 11,
                "static_mem": 0.25,
                "lines": [0.5, 1.5, 1.0],
                "nodes": [{"name": f"Default/op{place}"} for place in range(3)],
                "breakdowns": [
                    [],
                    [
                        {
                            "tensor_name": "node_1_output_0",
                            "type": "MEMORY_REUSED",
                            "size": 1.25,
                            "shape": [2, 3],
                        },
                        {"tensor_name": "weight", "type": "PARAMETER", "size": 0.25},
                    ],
                    [],
                ],
            }
        }
    ),
}


@pytest.fixture
def profiler(tmp_path: Path) -> Path:
    directory = tmp_path / "run/profiler"
    directory.mkdir(parents=True)
    return directory


def _write(directory: Path, files: dict[str, str]) -> ReadProfile:
    for name, text in files.items():
        (directory / name).write_text(text)
    (found,) = read_profiles(directory.parents[1]).values()
    return found


def _ask(oracle: Oracle, root: Path, *kinds: str, device: int = 0) -> list[list[dict[str, Any]]]:
    requests = [
        (
            "POST",
            "profile/ops/search",
            {"profile": "profiler", "train_id": "./run"},
            {"op_type": kind, "device_id": str(device)},
        )
        for kind in kinds
    ]
    answers = oracle(root, json.dumps(requests))
    return [
        [dict(zip(answer["col_name"], row, strict=True)) for row in answer["object"]] for _, answer in answers
    ]


def test_operators_and_kernels_of_a_gpu(mindinsight_profiles: Oracle, profiler: Path, tmp_path: Path) -> None:
    profile = _write(profiler, _GPU)
    types, operators, kernels = _ask(
        mindinsight_profiles, tmp_path, "gpu_op_type", "gpu_op_info", "gpu_cuda_activity"
    )
    assert profile.profile.platform == "gpu"
    own = profile.operators()
    by_type = profile.by_type()
    assert {row["op_type"]: (row["execution_frequency"], row["total_time"]) for row in types} == {
        kind: (calls, total / 1e3) for kind, (calls, total) in by_type.items()
    }
    for row in operators:
        mine = own[row["op_full_name"]]
        assert (mine["type"], mine["name"], mine["calls"]) == (
            row["op_type"],
            row["op_name"],
            row["op_occurrences"],
        )
        assert mine["total"] / 1e3 == row["op_total_time"]
        assert mine["device_total"] / 1e3 == row["cuda_activity_cost_time"]
        assert json.loads(mine["information"]) == {
            "side": row["op_side"],
            "kernels": row["cuda_activity_call_count"],
        }
    names = list(own)
    for row, mine in zip(kernels, profile.rows("kernels"), strict=True):
        assert (mine["name"], mine["stream"], mine["calls"]) == (
            row["name"],
            row["stream_id"],
            row["occurrences"],
        )
        assert names[mine["operator"]] == row["op_full_name"]
        assert mine["grid"] == row["grid_dim"].replace(",", " x ")
        assert mine["block"] == row["block_dim"].replace(",", " x ")
        for name, label in (("total", "total"), ("minimum", "min"), ("maximum", "max")):
            assert mine[name] / 1e3 == row[f"{label}_duration"]


def test_operators_in_pynative_mode(mindinsight_profiles: Oracle, profiler: Path, tmp_path: Path) -> None:
    profile = _write(profiler, _PYNATIVE)
    types, details = _ask(mindinsight_profiles, tmp_path, "pynative_type", "pynative_detail", device=1)
    own = profile.operators()
    for row in details:
        mine = own[row["op_name"]]
        assert mine["type"] == row["op_type"]
        assert mine["total"] / 1e3 == row["avg_execution_time"]
    assert [note.code for note in profile.profile.notes] == ["counts_unknown"]
    for name in _PYNATIVE:
        if "detail" in name:
            (profiler / name).unlink()
    (profile,) = read_profiles(tmp_path).values()
    assert profile.by_type() == {
        row["op_type"]: (row["execution_frequency"], row["execution_time"] * 1e3) for row in types
    }


def test_memory(mindinsight_profiles: Oracle, profiler: Path, tmp_path: Path) -> None:
    profile = _write(profiler, _MEMORY)
    requests = [
        ("GET", f"profile/memory-{what}", {"dir": "./run", "device_id": "0", **more}, None)
        for what, more in (
            ("summary", {}),
            ("graphics", {}),
            ("breakdowns", {"graph_id": "11", "node_id": "1"}),
        )
    ]
    (_, summary), (_, graphs), (_, held) = mindinsight_profiles(tmp_path, json.dumps(requests))
    own = profile.profile.documents["memory"]
    gib = 1 << 30
    assert own["summary"]["capacity_bytes"] == summary["summary"]["capacity"] * gib
    assert own["summary"]["peak_bytes"] == summary["summary"]["peak_mem"] * gib
    (graph,) = own["graphs"]
    assert graph["bytes"] == [value * gib for value in graphs["11"]["lines"]]
    assert graph["nodes"] == [node["name"] for node in graphs["11"]["nodes"]]
    assert graph["peak_node"] == "Default/op1"
    assert [(one["name"], one["bytes"]) for one in graph["holders"]] == [
        (one["tensor_name"], one["size"] * gib) for one in held["breakdowns"]
    ]


@pytest.mark.parametrize("kind", ["graph_old", "graph_new", "pynative_old", "pynative_new"])
def test_operators_of_a_cpu(
    request: pytest.FixtureRequest, mindinsight_profiles: Oracle, tmp_path: Path, kind: str
) -> None:
    """MindInsight reads the tables when they lie in ``profiler``, we read what MindSpore leaves as it is."""
    source = request.config.rootpath.parent / f"shared/data/mindspore_profile/{kind}"
    if not source.is_dir():
        pytest.skip(f"the profiles of MindSpore at {source} are not on this machine")
    (directory,) = source.glob("*_ascend_ms")
    shutil.copytree(directory / "FRAMEWORK", tmp_path / "theirs/run/profiler", copy_function=shutil.copyfile)
    shutil.copytree(directory, tmp_path / "ours" / directory.name, copy_function=shutil.copyfile)
    (profile,) = read_profiles(tmp_path / "ours").values()
    types, operators = _ask(mindinsight_profiles, tmp_path / "theirs", "cpu_op_type", "cpu_op_info")
    assert profile.profile.notes == ()
    by_type = profile.by_type()
    assert by_type.keys() == {row["op_type"] for row in types}
    whole = sum(total for _, total in by_type.values())
    for row in types:
        calls, total = by_type[row["op_type"]]
        assert calls == row["type_occurrences"]
        # MindSpore writes six digits of ms, and MindInsight has three behind the point of µs
        assert total / 1e3 == pytest.approx(row["total_compute_time"], rel=1e-5, abs=6e-4)
        assert total / whole * 100 == pytest.approx(row["total_time_proportion"], rel=1e-3, abs=6e-4)
    sums: dict[str, tuple[int, int]] = {}
    for mine in profile.rows("operators"):  # one for each shape
        full = "/".join(filter(None, (mine["scope"], mine["name"])))
        calls, total = sums.get(full, (0, 0))
        sums[full] = calls + mine["calls"], total + mine["total"]
    assert len(sums) == len(operators)
    for row in operators:
        calls, total = sums[row["full_op_name"]]
        assert calls == row["op_occurrences"]
        assert total / 1e3 == pytest.approx(row["op_total_time"], rel=1e-5, abs=6e-4)
        # fractions here, which MindInsight calls percent in the table above
        assert total / whole == pytest.approx(row["total_time_proportion"], rel=1e-3, abs=6e-4)
