"""Pipelines of data, queues, dynamic shapes, floating-point operations and strategies are MindInsight's."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.our_profiles import ReadProfile, read_profiles

Ask = Callable[..., Any]

_RUNS = {
    "new": "mindinsight_fixtures/run_1/normal_run/profiler",
    "old": "mindinsight_fixtures/run_2/normal_run/profiler",
    "mixed": "mindinsight_fixtures/profiler",
    "strategy": "mindinsight_fixtures/parallel_strategy",
    "real": "mindspore_profile/minddata",
}


@pytest.fixture(scope="module")
def logs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = request.config.rootpath.parent / "shared/data"
    if not (source / "mindinsight_fixtures").is_dir():
        pytest.skip(f"MindInsight's test resources below {source} are not on this machine")
    root = tmp_path_factory.mktemp("mindinsight")
    for run, place in _RUNS.items():
        shutil.copytree(source / place, root / run / "profiler", copy_function=shutil.copyfile)
        if run in ("new", "mixed"):  # where the table is not that of the other file
            shutil.copytree(root / run, root / f"{run} table")
            for file in (root / f"{run} table/profiler").glob("pipeline_profiling_*"):
                file.unlink()
    # MindInsight reads only the table that MindSpore made of it elsewhere
    view = source / "mindspore_profile/minddata_view/minddata_pipeline_raw_0.csv"
    shutil.copyfile(view, root / "real/profiler" / view.name)
    return root


@pytest.fixture(scope="module")
def ours(logs: Path) -> dict[str, ReadProfile]:
    return read_profiles(logs)


@pytest.fixture
def ask(logs: Path, mindinsight_profiles: Callable[..., Any]) -> Ask:
    def answers(*requests: tuple[str, str, dict[str, Any], Any]) -> list[Any]:
        found = mindinsight_profiles(logs, json.dumps(requests))
        return [body if status == 200 else status for status, body in found]

    return answers


def _of(run: str, device: int, **more: object) -> dict[str, Any]:
    return {"profile": "profiler", "train_id": f"./{run}", "device_id": str(device), **more}


_PIPELINES = [("new table", ".", 1), ("old", ".", 1), ("mixed table", ".#0", 0), ("real", ".", 0)]


@pytest.mark.parametrize(("run", "path", "device"), _PIPELINES)
def test_operators_of_the_pipeline(
    ask: Ask, ours: dict[str, ReadProfile], run: str, path: str, device: int
) -> None:
    """MindInsight reads ``minddata_pipeline_raw``; ours are of ``pipeline_profiling``, where it is there."""
    detailed = {"device_id": str(device), "filter_condition": {"is_display_op_detail": True}}
    (answer,) = ask(("POST", "profile/minddata-pipeline/op-queue", _of(run, device), detailed))
    pipeline = ours[f"{run}/profiler:{path}"].profile.documents["pipeline"]
    own = {operator["id"]: operator for operator in pipeline["operators"]}
    rows = [dict(zip(answer["col_name"], row, strict=True)) for row in answer["object"]]
    assert len(own) - len(rows) == (1 if run == "old" else 0), "EpochCtrlOp has no queue, and no row there"
    for row in rows:
        operator = own[row["op_id"]]
        assert operator["type"] == row["op_type"].removesuffix("Op")
        assert operator["workers"] == row["num_workers"]
        assert operator["children"] == (row["children_id"] or [])
        if run == "old" and row["parent_id"] is None:
            assert own[operator["parent"]]["type"] == "EpochCtrl"
        else:
            assert operator["parent"] == row["parent_id"]
        queue = operator["queue"] or {"samples": None, "average": None, "capacity": None, "usage": 0}
        assert queue["samples"] == row["output_queue_size"]
        assert queue["average"] == row["output_queue_average_size"]
        assert queue["capacity"] == row["output_queue_length"]
        assert queue["usage"] == row["output_queue_usage_rate"]
        assert pipeline["interval_ms"] == row["sample_interval"]


@pytest.mark.parametrize(("run", "path", "device"), [("old", ".", 1), ("mixed", ".#0", 0), ("real", ".", 0)])
def test_queues(ask: Ask, ours: dict[str, ReadProfile], run: str, path: str, device: int) -> None:
    answers = ask(
        *(
            ("GET", f"profile/{route}", _of(run, device, type=queue), None)
            for queue in ("device_queue", "get_next")
            for route in ("queue_info", "minddata_op")
        ),
        ("GET", "profile/process_summary", _of(run, device), None),
    )
    device_queue, device_times, get_next, next_times, summary = answers
    batches: dict[str, list[dict[str, Any]]] = {}
    for row in ours[f"{run}/profiler:{path}"].rows("batches"):
        batches.setdefault(row["queue"], []).append(row)
    # a device's queue where there is one, else the iterator over the data; both are ours
    rows = batches.get("device_queue") or batches["dataset_iterator"]
    assert [row["queue_size"] for row in rows] == device_queue["info"]["queue"]
    for name in ("get", "push", "total"):
        assert [row[name] / 1e6 for row in rows] == device_times["info"][f"{name}_cost"]
    empty = sum(row["queue_size"] == 0 for row in rows)
    full = sum(row["queue_size"] == row["queue_capacity"] for row in rows)
    assert (empty, full) == tuple(
        device_queue["summary"]["queue_summary"][f"{kind}_queue"] for kind in ("empty", "full")
    )
    assert summary["device_queue_info"]["summary"] == {
        "empty_batch_count": empty,
        "full_batch_count": full,
        "total_batch": len(rows),
    }
    assert [row["queue_size"] for row in batches.get("get_next", [])] == get_next.get("info", {}).get(
        "queue", []
    )
    assert [row["get"] / 1e6 for row in batches.get("get_next", [])] == pytest.approx(
        next_times.get("info", {}).get("get_next", [])
    )


@pytest.mark.parametrize(("run", "path", "device"), [("old", ".", 1), ("mixed", ".#0", 0)])
def test_processors(ask: Ask, ours: dict[str, ReadProfile], run: str, path: str, device: int) -> None:
    """MindInsight drops what was measured after the last batch, and rounds its means; ours are all."""
    (answer,) = ask(
        ("POST", "profile/minddata-cpu-utilization-summary", _of(run, device), {"device_id": str(device)})
    )
    cpu = ours[f"{run}/profiler:{path}"].profile.documents["pipeline"]["cpu"]
    assert cpu["processors"] == answer["cpu_processor_num"]
    assert cpu["interval_ms"] == answer["sampling_interval"]
    for group in ("device", "process"):
        own = {one["label"]: one for one in cpu["series"] if one["group"] == group}
        assert own.keys() == answer[f"{group}_info"].keys()
        for label, series in answer[f"{group}_info"].items():
            values = own[label]["values"]
            assert values[: len(series["metrics"])] == series["metrics"]
            assert sum(values[: len(series["metrics"])]) / len(series["metrics"]) == pytest.approx(
                series["avg_value"], abs=0.5
            )
            assert own[label]["average"] == sum(values) / len(values)


def test_real_processors(ours: dict[str, ReadProfile]) -> None:
    """Of MindSpore 2.10, whose names of series are others."""
    cpu = ours["real/profiler:."].profile.documents["pipeline"]["cpu"]
    assert {(one["group"], one["label"]) for one in cpu["series"]} >= {
        ("device", "runnable_process"),
        ("process_memory", "rss_mbytes"),
        ("system_memory", "available_sys_memory_mbytes"),
    }


def test_floating_point_operations(ask: Ask, ours: dict[str, ReadProfile]) -> None:
    summary, scopes = ask(
        ("GET", "profile/flops-summary", {"train_id": "./mixed"}, None),
        ("GET", "profile/flops-scope", {"train_id": "./mixed"}, None),
    )
    own = ours["mixed/profiler:.#0"].profile.documents["flops"]
    assert own["summary"]["flops"] / 1e6 == pytest.approx(summary["FLOPs"])
    assert own["summary"]["flops_per_second"] / 1e9 == pytest.approx(summary["FLOPS"])
    assert own["summary"]["utilization"] * 100 == pytest.approx(summary["FLOPS_Utilization"])
    assert own["nodes"] == [node["name"] for node in scopes["data"]["nodes"]]
    assert [(one["source"], one["target"]) for one in own["links"]] == [
        (one["source"], one["target"]) for one in scopes["data"]["links"]
    ]
    assert [one["flops"] / 1e6 for one in own["links"]] == pytest.approx(
        [one["value"] for one in scopes["data"]["links"]]
    )


def test_dynamic_shapes(ask: Ask, ours: dict[str, ReadProfile]) -> None:
    (answer,) = ask(("POST", "profile/dynamic-shape-detail", {}, {"dir": "./mixed", "device_id": "0"}))
    rows = ours["mixed/profiler:.#0"].rows("shape_runs")
    for kind in ("operator", "kernel"):
        theirs = [run for step in answer[kind].values() for run in step]
        own = [row for row in rows if row["kind"] == kind]
        assert [(row["step"], row["type"], row["name"]) for row in own] == [
            (run["step"], run["op_type"], run["op_name"]) for run in theirs
        ]
        assert [row["duration"] / 1e3 for row in own] == pytest.approx(
            [run["dur"] for run in theirs], abs=5e-4
        )
        assert [row["shapes"] for row in own] == ["; ".join(run.get("shape_info", [])) for run in theirs]
    # sums by type are MindInsight's own, of the same runs
    for kind, sums in (("operator", answer["operator_type"]), ("kernel", answer["kernel_type"])):
        for step, types in sums.items():
            for name, (total, calls, *_) in types.items():
                key = "type" if kind == "operator" else "name"
                mine = [
                    row for row in rows if (row["kind"], row["step"], row[key]) == (kind, int(step), name)
                ]
                assert len(mine) == calls
                assert sum(row["duration"] for row in mine) / 1e3 == pytest.approx(total, abs=5e-4)


def test_strategies(ask: Ask, ours: dict[str, ReadProfile]) -> None:
    """MindInsight merges the ranks of a stage, keeps of most the first one's, and loses ``gen_strategy``: how
    an operator is cut, of which it looks for other names only."""
    metadata, stage = ask(
        *(
            ("GET", "profile/parallel-strategy/graphs", {"train_id": "./strategy", "stage_id": one}, None)
            for one in ("metadata", "0")
        )
    )
    assert stage["status"] == "finish"
    for rank in (0, 1):
        profile = ours[f"strategy/profiler:.#{rank}"].profile
        (own,) = profile.documents["strategy"]["stages"]
        assert own["rank"] == rank
        assert own["type"] == metadata["data"]["parallel_type"]
        assert (
            own["devices"]
            == metadata["data"]["stage_devices"][str(own["stage"])]
            == stage["data"]["rank_ids"]
        )
        theirs = {node["node_id"]: node for node in stage["data"]["op_nodes"]}
        assert {operator["name"] for operator in own["operators"]} == theirs.keys()
        for operator in own["operators"]:
            node = theirs[operator["name"]]
            assert (operator["full_name"], operator["type"], operator["scope"]) == (
                node["name"],
                node["type"],
                node["scope"],
            )
            assert set(node["input"]) <= set(operator["inputs"])
            attributes = {name: text.replace("'", "") for name, text in node["attr"].items()}
            own_attributes = {
                name: text for name, text in operator["attributes"].items() if name != "gen_strategy"
            }
            assert own_attributes == attributes | ({"group": "1"} if rank and "group" in attributes else {})
        strategies = [one["attributes"].get("gen_strategy") for one in own["operators"]]
        assert strategies == [None, "[[2, 1, 1, 1], [1, 1, 1, 1]]"]
        assert not any(node["parallel_shard"] for node in theirs.values())
        (weight,) = profile.documents["strategy"]["parameters"]
        assert weight == {"name": "conv1.weight", "data_type": "DT_FLOAT32", "shape": [64, 3, 7, 7]}
