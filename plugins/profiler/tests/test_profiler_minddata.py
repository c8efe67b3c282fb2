"""Preparation of data: pipelines, processors, queues."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from insight_profiler.model import Source

from tests.conformance.our_profiles import ReadProfile, read_directory


@pytest.fixture
def repository(pytestconfig: pytest.Config) -> Path:
    return pytestconfig.rootpath


def _read(directory: Path, **files: object) -> ReadProfile:
    for name, content in files.items():
        file = directory / name.replace("__", ".")
        file.write_text(content if isinstance(content, str) else json.dumps(content))
    return read_directory(directory, Source.MINDINSIGHT)


def _pipeline(profile: ReadProfile) -> dict[str, Any]:
    found: dict[str, Any] = profile.profile.documents["pipeline"]
    return found


def test_operators_know_their_parents(tmp_path: Path) -> None:
    queue = {"output_queue": {"length": 4, "size": [1, 3]}}
    operators = [
        {"op_id": 2, "op_type": "GeneratorOp", "num_workers": 1, "metrics": queue},
        {"op_id": 0, "op_type": "BatchOp", "num_workers": 2, "metrics": None, "children": [1]},
        {"op_id": 1, "op_type": "MapOp", "num_workers": 8, "metrics": queue, "children": [2, 9]},
    ]
    pipeline = _pipeline(
        _read(tmp_path, pipeline_profiling_0__json={"op_info": operators, "sampling_interval": 10})
    )
    batch, mapped, source = pipeline["operators"]
    assert [one["id"] for one in pipeline["operators"]] == [0, 1, 2]
    assert [one["parent"] for one in pipeline["operators"]] == [None, 0, 1]
    assert [one["type"] for one in pipeline["operators"]] == ["Batch", "Map", "Generator"]
    assert batch["queue"] is None
    assert (
        mapped["queue"] == source["queue"] == {"capacity": 4, "average": 2.0, "usage": 0.5, "samples": [1, 3]}
    )
    assert pipeline["interval_ms"] == 10


def test_processors_by_operator(tmp_path: Path) -> None:
    operators = [
        {"op_id": number, "op_type": "MapOp", "num_workers": 1, "metrics": None} for number in (0, 1)
    ]
    used = {
        "cpu_processor_num": 2,
        "sampling_interval": 1000,
        "time_stamp": [5, 1005],
        "device_info": {"user_utilization": [10, 20], "context_switch_count": []},
        "process_memory_info": {"rss_mbytes": [1.5]},
        "op_info": [
            {"op_id": -1, "metrics": {"user_utilization": [99]}},
            {"op_id": 1, "metrics": {"user_utilization": [10, 30], "sys_utilization": []}},
        ],
    }
    profile = _read(
        tmp_path, pipeline_profiling_0__json={"op_info": operators}, minddata_cpu_utilization_0__json=used
    )
    pipeline = _pipeline(profile)
    assert [one["cpu"] for one in pipeline["operators"]] == [None, {"user": 20.0, "system": None}]
    assert pipeline["cpu"]["times_ms"] == [5, 1005]
    assert [
        (one["group"], one["label"], one["unit"], one["average"]) for one in pipeline["cpu"]["series"]
    ] == [
        ("device", "user_utilization", "percent", 15.0),
        ("device", "context_switch_count", "count", None),
        ("process_memory", "rss_mbytes", "megabytes", 1.5),
    ]


def test_batches_of_the_real_iterator(repository: Path) -> None:
    source = repository.parent / "shared/data/mindspore_profile/minddata"
    if not source.is_dir():
        pytest.skip(f"the profile of a pipeline at {source} is not on this machine")
    profile = read_directory(source, Source.MINDINSIGHT)
    rows = profile.rows("batches")
    assert [row["number"] for row in rows] == list(range(1, 33))
    assert {row["queue"] for row in rows} == {"dataset_iterator"}
    first, last = rows[0], rows[-1]
    assert (first["get"], first["total"], first["queue_size"], first["queue_capacity"]) == (
        46_000_000,
        46_000_000,
        0,
        16,
    )
    assert (last["push"], last["queue_size"], last["time"]) == (0, 2, 751_981_000_000)
    assert [one["type"] for one in _pipeline(profile)["operators"]] == [
        "Batch",
        "Shuffle",
        "Map",
        "Map",
        "Generator",
    ]


def test_suggestions_of_mindspore(repository: Path) -> None:
    source = repository.parent / "shared/data/mindspore_profile/minddata_view"
    if not source.is_dir():
        pytest.skip(f"the profile of a pipeline at {source} is not on this machine")
    pipeline = _pipeline(read_directory(source, Source.MINDINSIGHT))
    assert pipeline["suggestions"][0].startswith("Batch(id=0) has low CPU utilization")
    assert [one["queue"]["usage"] for one in pipeline["operators"]] == [0.0, 0.0, 0.0, 1.0, 1.0]


def test_waits_in_their_units(tmp_path: Path) -> None:
    profile = _read(
        tmp_path,
        minddata_aicpu_0__txt="else\nGetNext_dequeue_wait 154907895305 154907895306 3\nGetNext_x 9 5 1\n",
        minddata_getnext_profiling_0__txt="GetNext 1600695893269618200 1600695893269618321 0\n",
    )
    rows = profile.rows("batches")
    assert [(row["get"], row["time"], row["queue_size"]) for row in rows] == [
        (1000, 154_907_895_305_000, 3),
        (121, 1_600_695_893_269_618_200, 0),
    ]
    assert [note.code for note in profile.profile.notes] == ["lines_cut"]


def test_lines_that_are_cut(tmp_path: Path) -> None:
    profile = _read(
        tmp_path, device_queue_profiling_0__txt="0 0 1 4 10\n1 64 1 2 10\n1 64 2\n0 2 x 1 1\n1 64 3 5"
    )
    rows = profile.rows("batches")
    assert [(row["number"], row["get"], row["queue_size"], row["time"]) for row in rows] == [
        (1, 4_000_000, 2, 10_000_000),
        (3, -1, 5, -1),
    ]
    (note,) = profile.profile.notes
    assert (note.code, note.values["count"]) == ("lines_cut", 2)


def test_stages_of_operations(tmp_path: Path) -> None:
    text = "Operation,Stage,Occurrences,Avg. time (us),Custom Info\nMap,Process,3,1.5,workers=2\n"
    pipeline = _pipeline(_read(tmp_path, dataset__csv=text))
    assert pipeline["operations"] == [
        {"operation": "Map", "stage": "Process", "calls": 3, "average": 1500, "information": "workers=2"}
    ]
