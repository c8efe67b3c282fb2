"""MindSpore 2.x on CPUs: runs, scopes, shapes, memory, steps; files that are cut or do not go together."""

from __future__ import annotations

import csv
import json
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from insight_profiler.building import Unreadable
from insight_profiler.model import Category, Source, StepOrigin
from insight_profiler.reading.mindspore_files import host_of

from tests.conformance.our_profiles import ReadProfile, read_directory

_KINDS = ["graph_old", "graph_new", "pynative_old", "pynative_new"]
_STEPS = {"graph_old": 32, "graph_new": 4, "pynative_old": 32, "pynative_new": 4}


@pytest.fixture
def repository(pytestconfig: pytest.Config) -> Path:
    return pytestconfig.rootpath


@pytest.fixture(params=_KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def _directory(repository: Path, kind: str) -> Path:
    source = repository.parent / "shared/data/mindspore_profile" / kind
    if not source.is_dir():
        pytest.skip(f"the profiles of MindSpore at {source} are not on this machine")
    (directory,) = source.glob("*_ascend_ms")
    return directory


@pytest.fixture
def real(repository: Path, kind: str) -> Path:
    return _directory(repository, kind)


@pytest.fixture
def copy(repository: Path, tmp_path: Path) -> Path:
    """Of a profile, to be changed."""
    source = _directory(repository, "graph_new")
    return Path(shutil.copytree(source, tmp_path / source.name, copy_function=shutil.copyfile))


def _codes(profile: ReadProfile) -> list[str]:
    return [note.code for note in profile.profile.notes]


def _traced(directory: Path, layer: str) -> list[tuple[int, int, str, int]]:
    """Start, duration (ns, as exactly as the file has them), name and thread of the events of a layer."""
    events = json.loads((directory / "ASCEND_PROFILER_OUTPUT/trace_view.json").read_text())
    (pid,) = (
        event["pid"] for event in events if event["name"] == "process_name" and event["args"]["name"] == layer
    )
    return [
        (int(event["ts"].replace(".", "")), round(float(event["dur"]) * 1e3), event["name"], event["tid"])
        for event in events
        if event["ph"] == "X" and event["pid"] == pid
    ]


def test_runs_are_those_of_the_log(real: Path, kind: str) -> None:
    profile = read_directory(real, Source.MINDSPORE)
    assert profile.profile.notes == ()
    assert profile.profile.platform == "cpu"
    runs = [row for row in profile.rows("slices") if row["category"] == Category.OPERATOR]
    traced = _traced(real, "CPU OP")
    assert len(runs) == len(traced) == {"graph_old": 1376, "pynative_old": 1472}.get(kind, len(runs))
    # the trace went through float64: it is 41 ns off, or as far as 0.3 µs
    own = sorted((row["start"] + profile.profile.start_ns, row["duration"]) for row in runs)
    theirs = sorted(one[:2] for one in traced)
    np.testing.assert_allclose(np.array(own)[:, 0] - np.array(theirs)[:, 0], 0, atol=500)
    np.testing.assert_allclose([two for _, two in own], [two for _, two in theirs], atol=1)
    operators = profile.rows("operators")
    assert {profile.profile.tracks[row["track"]].label for row in runs} == {"Thread 0"}
    assert Counter(row["operator"] for row in runs) == {
        place: row["calls"] for place, row in enumerate(operators)
    }


def test_sums_are_those_of_the_tables(real: Path) -> None:
    profile = read_directory(real, Source.MINDSPORE)
    with (real / "FRAMEWORK/cpu_op_type_info_0.csv").open() as file:
        types = {row["op_type"]: row for row in csv.DictReader(file)}
    own = profile.by_type()
    assert own.keys() == types.keys()
    for name, row in types.items():
        calls, total = own[name]
        assert calls == int(row["type_occurrences"])
        assert total / 1e6 == pytest.approx(float(row["total_compute_time"]), rel=1e-5)
        assert total / sum(time for _, time in own.values()) == pytest.approx(float(row["percent"]), rel=1e-4)


def test_conv2d_of_the_oracle(repository: Path) -> None:
    profile = read_directory(_directory(repository, "graph_old"), Source.MINDSPORE)
    calls, total = profile.by_type()["Conv2D"]
    assert calls == 64
    assert round(total / 1e6, 3) == 1056.366
    assert len(profile.rows("operators")) == 43
    assert len(profile.by_type()) == 13


def test_steps_are_inferred(real: Path, kind: str) -> None:
    profile = read_directory(real, Source.MINDSPORE)
    assert profile.profile.step_origin is StepOrigin.INFERRED
    steps = profile.rows("steps")
    assert len(steps) == _STEPS[kind]
    ends = [row["start"] + row["duration"] for row in steps]
    assert all(end <= row["start"] for end, row in zip(ends, steps[1:], strict=False))
    assert all(0 < row["operator"] <= row["duration"] for row in steps)
    assert all(row["operator"] + row["idle"] == row["duration"] for row in steps), (
        "scopes do not count as work"
    )


def test_scopes_are_those_of_the_log(real: Path) -> None:
    profile = read_directory(real, Source.MINDSPORE)
    (track,) = (place for place, one in enumerate(profile.profile.tracks) if one.kind == "scope")
    own = sorted(
        (row["start"] + profile.profile.start_ns, row["depth"], row["name"], row["duration"])
        for row in profile.rows("slices")
        if row["track"] == track
    )
    traced = sorted((start, tid, name, time) for start, time, name, tid in _traced(real, "Scope Layer"))
    assert [row[1:3] for row in sorted(own, key=lambda row: row[1:])] == [
        row[1:3] for row in sorted(traced, key=lambda row: row[1:])
    ]
    near = [
        min(abs(start - other) for other, *rest in traced if rest[:2] == [depth, name])
        for start, depth, name, _ in own
    ]
    assert max(near) < 500


def test_shapes_are_those_of_the_runs(repository: Path) -> None:
    profile = read_directory(_directory(repository, "graph_new"), Source.MINDSPORE)
    shapes = {full: row["shapes"] for full, row in profile.operators().items()}
    network = "Default/network-WithLossCell/_backbone-Net"
    assert shapes[f"{network}/conv1-Conv2d/Conv2D-op0"] == "[32, 1, 32, 32]; [6, 1, 5, 5]"
    assert shapes[f"{network}/conv2-Conv2d/Conv2D-op0"] == "[32, 6, 14, 14]; [16, 6, 5, 5]", "also op0"
    momentum = shapes["Default/optimizer-Momentum/ApplyMomentum-op4"]
    assert momentum == "[120]; [120]; []; [120]; []", "what has no shape is left out, a number has one"


def test_operators_differ_by_their_shapes(repository: Path) -> None:
    """In PyNative mode one name stands for several, and some lines have neither name nor shapes."""
    profile = read_directory(_directory(repository, "pynative_new"), Source.MINDSPORE)
    rows = profile.rows("operators")
    grads = [row for row in rows if row["name"] == "BiasAddGrad-op0"]
    assert {row["shapes"] for row in grads} == {"[32, 10]", "[32, 84]", "[32, 120]"}
    assert {row["calls"] for row in grads} == {4}
    (matmul,) = (row for row in rows if row["name"] == "MatMul")
    assert (matmul["calls"], matmul["shapes"], matmul["scope"]) == (36, "", "")


def test_memory_over_time(real: Path) -> None:
    profile = read_directory(real, Source.MINDSPORE)
    with (real / "FRAMEWORK/cpu_ms_memory_record_0.txt").open() as file:
        rows = list(csv.reader(file))[1:]
    assert [(one.label, one.unit, one.group) for one in profile.profile.counters] == [
        (label, "bytes", "memory") for label in ("allocated", "reserved", "active")
    ]
    table = profile.profile.tables["counters"]
    for place in range(3):
        chosen = table["counter"] == place
        assert table["value"][chosen].tolist() == [float(row[place + 1]) for row in rows]
        assert (table["time"][chosen] + profile.profile.start_ns).tolist() == [int(row[0]) for row in rows]


def test_a_cut_file_loses_its_last_run(copy: Path) -> None:
    file = copy / "FRAMEWORK/cpu_op_execute_timestamp_0.txt"
    data = file.read_bytes().rstrip()
    file.write_bytes(data[: data.rindex(b",")])
    profile = read_directory(copy, Source.MINDSPORE)
    assert "lines_cut" in _codes(profile)
    assert sum(row["calls"] for row in profile.rows("operators")) == 171
    # so that sums and shapes no longer go with it, which is said as well
    assert {"totals_differ", "shapes_not_joined"} <= set(_codes(profile))
    assert {row["shapes"] for row in profile.rows("operators")} == {""}


def test_tables_alone(copy: Path) -> None:
    (copy / "FRAMEWORK/cpu_op_execute_timestamp_0.txt").unlink()
    profile = read_directory(copy, Source.MINDSPORE)
    assert _codes(profile) == []
    calls, total = profile.by_type()["MatMul"]
    assert calls == 36
    assert total == pytest.approx(1_560_130, rel=1e-4)
    assert "slices" not in profile.profile.tables
    (copy / "FRAMEWORK/cpu_op_detail_info_0.csv").unlink()
    profile = read_directory(copy, Source.MINDSPORE)
    assert _codes(profile) == ["types_only"]
    assert profile.by_type()["MatMul"] == (36, 1_560_130)


def test_a_broken_file_does_not_end_the_rest(copy: Path) -> None:
    (copy / "FRAMEWORK/cpu_op_detail_info_0.csv").write_bytes(b"\xff\xfe\0\0")
    (copy / "FRAMEWORK/cpu_ms_memory_record_0.txt").write_text(
        "Timestamp(ns),Total Allocated(Byte)\nN/A,1\n5,x\n7,8\n"
    )
    profile = read_directory(copy, Source.MINDSPORE)
    notes = {note.code: note for note in profile.profile.notes}
    assert notes["cells_without_value"].values["count"] == 2
    assert profile.column("counters", "value").tolist() == [8.0]
    assert sum(row["calls"] for row in profile.rows("operators")) == 172


@pytest.mark.parametrize(
    ("directory", "host"),
    [
        ("vm_17738_20261121003708047_ascend_ms", "vm"),
        ("node_1_9_20261121003708047_ascend_pt", "node_1"),
        ("profiler", ""),
    ],
)
def test_hosts_in_names(directory: str, host: str) -> None:
    assert host_of(directory) == host


def test_nothing_to_read(tmp_path: Path) -> None:
    (tmp_path / "FRAMEWORK").mkdir()
    (tmp_path / "FRAMEWORK/cpu_op_execute_timestamp_0.txt").write_bytes(b"")
    with pytest.raises(Unreadable) as caught:
        read_directory(tmp_path, Source.MINDSPORE)
    assert caught.value.note.code == "nothing_readable"
