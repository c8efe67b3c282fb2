"""Operators and steps of MindInsight's own profiles are those that its REST API answers, value for value.

Where they are not, the test says why MindInsight's answer is wrong.
"""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conformance.our_profiles import ReadProfile, read_profiles

Oracle = Callable[..., Any]
Ask = Callable[..., Any]

_RUNS = {"new": "run_1/normal_run/profiler", "old": "run_2/normal_run/profiler", "mixed": "profiler"}
_TICK = 1e-5  # ms


@pytest.fixture(scope="module")
def logs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copies in the layout that MindInsight wants: a directory ``profiler`` in each run."""
    source = request.config.rootpath.parent / "shared/data/mindinsight_fixtures"
    if not source.is_dir():
        pytest.skip(f"MindInsight's test resources at {source} are not on this machine")
    root = tmp_path_factory.mktemp("mindinsight")
    for run, place in _RUNS.items():
        shutil.copytree(source / place, root / run / "profiler", copy_function=shutil.copyfile)
    return root


@pytest.fixture(scope="module")
def ours(logs: Path) -> dict[str, ReadProfile]:
    return read_profiles(logs)


@pytest.fixture
def ask(logs: Path, mindinsight_profiles: Oracle) -> Ask:
    """Answers to ``(method, route, parameters, body)``, of which all must be given at once."""

    def answers(*requests: tuple[str, str, dict[str, Any], Any]) -> list[Any]:
        found = mindinsight_profiles(logs, json.dumps(requests))
        return [body if status == 200 else status for status, body in found]

    return answers


def _table(run: str, kind: str, device: int = 1) -> tuple[str, str, dict[str, Any], Any]:
    return (
        "POST",
        "profile/ops/search",
        {"profile": "profiler", "train_id": f"./{run}"},
        {"op_type": kind, "device_id": str(device)},
    )


def _rows(answer: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (dict(zip(answer["col_name"], row, strict=True)) for row in answer["object"])


@pytest.mark.parametrize(("run", "path", "count"), [("new", ".", 69), ("mixed", ".#1", 10)])
def test_operators_of_the_ai_core(
    ask: Ask, ours: dict[str, ReadProfile], run: str, path: str, count: int
) -> None:
    (answer,) = ask(_table(run, "aicore_detail"))
    operators = ours[f"{run}/profiler:{path}"].operators()
    assert len(operators) == answer["size"] == count
    for row in _rows(answer):
        own = operators[row["op_name"]]
        assert own["name"] == row["kernel_name"]
        assert own["type"] == row["kernel_type"]
        assert own["calls"] == row["execution_frequency"]
        assert own["total"] / own["calls"] / 1e3 == pytest.approx(row["avg_execution_time"], abs=6e-4)
        # MindInsight names the numbers of the file by their places: what it calls operations of vectors is
        # the share of what cubes can do, and what it calls their rate the operations of vectors, if any
        shown = [row["MFLOPs(10^6 cube)"], row["GFLOPS(10^9 vector)"] if run == "mixed" else "-"]
        known = [number for number in shown if number != "-"]
        if known:
            assert own["flops"] == pytest.approx(sum(known) * 1e6 * own["calls"])
        else:
            assert np.isnan(own["flops"])
        described = json.loads(own["information"])
        assert {key: described[key] for key in row["op_info"]} == row["op_info"]


def test_operators_of_the_older_files(ask: Ask, ours: dict[str, ReadProfile], logs: Path) -> None:
    """MindInsight answers 500: it takes columns by their places, and these are others."""
    (answer,) = ask(_table("old", "aicore_detail"))
    assert answer == 500
    operators = ours["old/profiler:."].operators()
    with (logs / "old/profiler/aicore_intermediate_1_detail.csv").open() as file:
        for name, time in list(csv.reader(file))[1:]:
            assert operators[name]["core"] == "AI_CORE"
            assert operators[name]["total"] == round(float(time) * 1e6)
            assert operators[name]["information"]


@pytest.mark.parametrize("run", ["new", "old"])
def test_types_of_operators(ask: Ask, ours: dict[str, ReadProfile], run: str) -> None:
    (answer,) = ask(_table(run, "aicore_type"))
    types = ours[f"{run}/profiler:."].by_type()
    for row in _rows(answer):
        calls, total = types[row["kernel_type"]]
        assert calls == row["execution_frequency"]
        # details have six digits behind the point, of ms, and so have sums
        assert total / 1e3 == pytest.approx(row["total_time"], abs=0.002 * calls, rel=2e-3)
    # shares are not MindInsight's: it takes percent for fractions, and of the time of `new` 5760 % are MatMul
    assert max(row["total_percent"] for row in _rows(answer)) > 100


@pytest.mark.parametrize("run", list(_RUNS))
def test_types_of_operators_without_details(ask: Ask, logs: Path, run: str, tmp_path: Path) -> None:
    (answer,) = ask(_table(run, "aicore_type"))
    (tmp_path / "run").mkdir()
    shutil.copyfile(
        logs / run / "profiler/aicore_intermediate_1_type.csv",
        tmp_path / "run/aicore_intermediate_1_type.csv",
    )
    (profile,) = read_profiles(tmp_path).values()
    assert [note.code for note in profile.profile.notes] == ["types_only"]
    types = profile.by_type()
    assert len(types) == answer["size"]
    for row in _rows(answer):
        calls, total = types[row["kernel_type"]]
        assert calls == row["execution_frequency"]
        assert total / 1e3 == pytest.approx(row["total_time"], abs=1e-3)


def test_operators_of_the_ai_cpu(ask: Ask, ours: dict[str, ReadProfile]) -> None:
    types, details = ask(_table("old", "aicpu_type"), _table("old", "aicpu_detail"))
    profile = ours["old/profiler:."]
    rows = {row["name"]: row for row in profile.rows("operators") if row["core"] == "AI_CPU"}
    assert len(rows) == types["size"] == details["size"] == 3
    whole = sum(row["total"] for row in rows.values())
    for row in _rows(types):
        own = rows[row["kernel_type"]]
        assert own["calls"] == row["execution_frequency"]
        assert own["total"] == row["total_time"] * 1e3
        assert own["total"] / whole * 100 == pytest.approx(row["percent"], abs=0.005)
    for row in _rows(details):
        own = rows[row["kernel_name"]]
        assert own["type"] == row["kernel_type"]
        assert own["total"] / own["calls"] / 1e3 == pytest.approx(row["avg_execution_time"])
        dispatched = json.loads(own["information"])["dispatch_ns"]
        assert dispatched / own["calls"] / 1e3 == pytest.approx(row["dispatch_time"])


_TRACES = [("new", ".", 1, 322), ("old", ".", 1, 1), ("mixed", ".#0", 0, 20), ("mixed", ".#10", 10, 40)]
_PARTS = {"iteration_interval": "iteration_interval", "fp_and_bp": "forward_backward", "tail": "tail"}


@pytest.mark.parametrize(("run", "path", "device", "count"), _TRACES)
def test_times_of_steps(
    ask: Ask, ours: dict[str, ReadProfile], run: str, path: str, device: int, count: int
) -> None:
    answers = ask(
        *(
            ("GET", "profile/training-trace/target-time-info", _at(run, device, name), None)
            for name in ("iteration_interval", "fp_and_bp", "tail")
        )
    )
    profile = ours[f"{run}/profiler:{path}"]
    assert len(profile.column("steps", "number")) == count
    for answer, (name, column) in zip(answers, _PARTS.items(), strict=True):
        assert answer["size"] == count
        own = profile.column("steps", column).copy()
        if column == "iteration_interval":
            assert own[0] == -1, "the first step has no interval before it"
            own[0] = 0
        np.testing.assert_allclose(own / 1e6, answer["info"][name], atol=_TICK * 6)


@pytest.mark.parametrize(("run", "path", "device", "count"), [one for one in _TRACES if one[0] != "old"])
def test_means_of_steps(
    ask: Ask, ours: dict[str, ReadProfile], run: str, path: str, device: int, count: int
) -> None:
    """MindInsight's means are those of the last row of the file: of all steps but the first."""
    (answer,) = ask(("GET", "profile/training-trace/target-time-info", _at(run, device, "tail"), None))
    profile = ours[f"{run}/profiler:{path}"]
    summary = answer["summary"]
    for name, column in {**_PARTS, "total_time": "duration"}.items():
        mean = profile.column("steps", column)[1:].mean() / 1e6
        assert mean == pytest.approx(summary[name], abs=2e-4), name


def test_a_last_row_that_holds_no_means(ask: Ask, ours: dict[str, ReadProfile]) -> None:
    """It is not taken for a step either; MindInsight shows its zeros as means."""
    (answer,) = ask(("GET", "profile/training-trace/target-time-info", _at("old", 1, "tail"), None))
    assert answer["summary"]["total_time"] == 0
    steps = ours["old/profiler:."].rows("steps")
    assert [(row["number"], row["duration"]) for row in steps] == [(1, 23_709_050)]


@pytest.mark.parametrize(("run", "path", "device", "count"), _TRACES)
def test_drawn_steps(
    ask: Ask, ours: dict[str, ReadProfile], run: str, path: str, device: int, count: int
) -> None:
    """The steps and the stretches of communication next to them, as they are drawn."""
    if (run, device) == ("mixed", 0):
        pytest.skip("MindInsight draws no steps if a run has a file of dynamic shapes")
    numbers = sorted({1, 2, count // 2, count} - {0})[:count]
    answers = ask(
        *(("GET", "profile/training-trace/graph", _at(run, device, str(number)), None) for number in numbers)
    )
    profile = ours[f"{run}/profiler:{path}"]
    lanes = profile.rows("lanes")
    for number, answer in zip(numbers, answers, strict=True):
        row = profile.rows("steps")[number - 1]
        (whole,), parts, *drawn_lanes = answer["training_trace_graph"]
        assert row["duration"] / 1e6 == pytest.approx(whole["duration"], abs=1e-4)
        drawn = {part["name"]: part for part in parts}
        assert row["forward_start"] / 1e6 == pytest.approx(drawn["fp_and_bp"]["start"], abs=2e-4)
        assert row["backward_end"] / 1e6 == pytest.approx(drawn["tail"]["start"], abs=2e-4)
        theirs = {part["name"]: part for lane in drawn_lanes for part in lane if part.get("name")}
        own = {lane["name"]: lane for lane in lanes if lane["step"] == number - 1}
        assert own.keys() == theirs.keys()
        for name, part in theirs.items():
            assert own[name]["start"] / 1e6 == pytest.approx(part["start"], abs=2e-4)
            assert own[name]["duration"] / 1e6 == pytest.approx(part["duration"], abs=1e-4)
        assert {key: profile.profile.facts.get(key) for key in answer["point_info"]} == answer["point_info"]


def _at(run: str, device: int, kind: str) -> dict[str, str]:
    return {"dir": f"./{run}", "type": kind, "device_id": str(device)}


@pytest.mark.parametrize(("run", "path", "device"), [("old", ".", 1)])
def test_timelines(ask: Ask, ours: dict[str, ReadProfile], run: str, path: str, device: int) -> None:
    events, summary = ask(
        ("GET", "profile/timeline", {"dir": f"./{run}", "device_id": str(device)}, None),
        ("GET", "profile/timeline-summary", {"dir": f"./{run}", "device_id": str(device)}, None),
    )
    profile = ours[f"{run}/profiler:{path}"]
    slices = profile.rows("slices")
    assert len(slices) == len(events) == summary["op_exe_times"]
    own = sorted((row["start"], row["duration"], row["name"]) for row in slices)
    theirs = sorted((round(one["ts"] * 1e3), round(one["dur"] * 1e3), one["name"]) for one in events)
    assert [name for *_, name in own] == [name for *_, name in theirs]
    np.testing.assert_allclose([row[:2] for row in own], [row[:2] for row in theirs], atol=1)
    tracks = profile.profile.tracks
    assert len({tracks[row["track"]].label for row in slices}) == summary["num_of_streams"]
    named = {row["name"]: row for row in slices if row["operator"] >= 0}
    assert len(named) == len({row["name"] for row in slices}), "every slice is a run of an operator"


def test_timelines_of_the_first_name(ask: Ask, ours: dict[str, ReadProfile], logs: Path) -> None:
    """MindInsight answers nothing: it knows the file by its second name only."""
    (events,) = ask(("GET", "profile/timeline", {"dir": "./new", "device_id": "1"}, None))
    assert events == []
    raw = json.loads((logs / "new/profiler/timeline_display_1.json").read_text())
    profile = ours["new/profiler:."]
    assert len(profile.rows("slices")) == len(raw)
    # the offset of the step clock follows from communication that is in both files: 8955 ticks, as in
    # min_cycle_counter_1.txt
    assert profile.column("steps", "start")[0] == 89_550


def test_merged_timelines(
    mindinsight_profiles: Oracle, ours: dict[str, ReadProfile], logs: Path, tmp_path: Path
) -> None:
    """MindInsight wants the files of msprof elsewhere, and of those that it finds reads only the ones whose
    number comes last in the order of letters: one iteration of ten."""
    for place in (logs / "mixed/profiler").glob("PROF_*"):
        shutil.copytree(place, tmp_path / "run/profiler" / place.name)
        for device in (tmp_path / "run/profiler" / place.name).glob("device_*"):
            (device / "timeline").rename(device.parent / "mindstudio_profiler_output")
    request = ("GET", "profile/msprof_timeline", {"dir": "./run", "kind": "detail"}, None)
    ((status, answer),) = mindinsight_profiles(tmp_path, json.dumps([request]))
    assert status == 200
    theirs: dict[int, set[tuple[str, int]]] = {}
    for event in answer:
        if event.get("ph") == "X" and str(event["pid"]).startswith(("4", "5", "2", "7")):
            rank = int(str(event["pid"])[1:])
            theirs.setdefault(rank, set()).add(
                (event["name"].rpartition("/")[2], round(float(event["dur"]) * 1e3))
            )
    moved = read_profiles(tmp_path)
    for rank in (0, 1):
        direct, other = ours[f"mixed/profiler:.#{rank}"], moved[f"run/profiler:.#{rank}"]
        found = {(row["name"].rpartition("/")[2], row["duration"]) for row in direct.rows("slices")}
        missing = {
            one for one in theirs[rank] if not any((one[0], one[1] + by) in found for by in (-1, 0, 1))
        }
        assert not missing
        assert len(theirs[rank]) < len(found) / 4
        for name in ("start", "duration", "track"):
            assert np.array_equal(direct.column("slices", name), other.column("slices", name)), (
                "both layouts say the same"
            )
    labels = {track.label for track in moved["run/profiler:.#0"].profile.tracks if track.kind == "process"}
    assert labels == {"Ascend Hardware", "CANN", "HCCL", "Overlap Analysis"}
    steps = moved["run/profiler:.#0"].rows("steps")
    assert [row["number"] for row in steps] == list(range(1, 11))
    assert steps[0]["duration"] == 47_587_810
    assert steps[0]["forward_backward"] == round((56635868894.72 - 56635864658.62) * 1e3)
