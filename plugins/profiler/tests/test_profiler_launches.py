"""Which call launched what: one answer for trees of calls, tables of operators and advice."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from insight_profiler.advice.timeline_evidence import TimelineEvidence
from insight_profiler.analysis import called_slices
from insight_profiler.analysis.called_slices import call_tree, launchers, work_of
from insight_profiler.building import Building
from insight_profiler.model import Category, Device, FlowKind, Profile, Side, Source, Track

from insight_core.plugin import NotFound
from tests.profiler_routes import asked_about, served_profiles

_HOST, _STREAM, _LAUNCHER = 0, 1, 2
_Slice = tuple[int, int, int, str, Category]  # track, start, duration, name, category


def _profile(slices: Sequence[_Slice], flows: Sequence[tuple[int, int]]) -> Profile:
    """Slices by their rows and flows of launches, as a reader gives them."""
    building = Building(Source.PERFETTO)
    building.device(Device("GPU 0", "gpu"))
    for row in (Track("thread", "main"), Track("stream", "7", device=0), Track("thread", "queue")):
        building.track(row)
    track, start, duration, name, category = zip(*slices, strict=True)
    kinds = ["cpu_op" if one is Category.OPERATOR else "" for one in category]
    building.add(
        "slices",
        track=track,
        start=start,
        duration=duration,
        name=building.texts(name),
        category=category,
        type=building.texts(kinds),
    )
    if flows:
        source, target = zip(*flows, strict=True)
        building.add("flows", source=source, target=target, kind=[FlowKind.LAUNCH] * len(flows))
    return building.finish()


def _called(profile: Profile) -> dict[str, str]:
    """By the name of each work that of its launcher."""
    rows = launchers(profile)
    name = profile.tables["slices"]["name"]
    return {
        profile.texts[name[work]]: profile.texts[name[rows[work]]]
        for work in np.flatnonzero(rows >= 0).tolist()
    }


def _paths(profile: Profile) -> dict[tuple[str, ...], int]:
    tree, names = call_tree(profile, Side.DEVICE, None)
    paths: list[tuple[str, ...]] = []
    for parent, name in zip(tree.parent.tolist(), tree.name.tolist(), strict=True):
        paths.append((*(paths[parent] if parent >= 0 else ()), names[name]))
    return {path: own for path, own in zip(paths, tree.own.tolist(), strict=True) if own}


_GRAPH: list[_Slice] = [
    (_HOST, 0, 50, "aten::replay", Category.OPERATOR),
    (_HOST, 10, 20, "cudaGraphLaunch", Category.RUNTIME),
    (_STREAM, 30, 10, "first", Category.KERNEL),
    (_STREAM, 40, 10, "second", Category.KERNEL),
    (_STREAM, 50, 10, "third", Category.KERNEL),
]


def test_all_work_of_a_cuda_graph_is_launched_by_the_call_of_the_graph() -> None:
    """As traces have it: one flow, from the call to the first kernel and on to the others."""
    profile = _profile(_GRAPH, [(1, 2), (2, 3), (3, 4)])
    assert _called(profile) == dict.fromkeys(("first", "second", "third"), "cudaGraphLaunch")
    expected = {("aten::replay", one): 10 for one in ("first", "second", "third")}
    assert _paths(profile) == expected
    (operator,) = np.flatnonzero(profile.tables["operators"]["device_total"] > 0)
    assert profile.tables["operators"]["device_total"][operator] == 30


@pytest.mark.parametrize("flows", [[(1, 2), (0, 2)], [(0, 2), (1, 2)]])
def test_of_two_flows_that_of_the_runtime_counts_in_either_order(flows: list[tuple[int, int]]) -> None:
    assert _called(_profile(_GRAPH[:3], flows)) == {"first": "cudaGraphLaunch"}


@pytest.mark.parametrize("is_first", [True, False])
def test_a_call_before_the_work_counts_rather_than_one_behind_it(is_first: bool) -> None:
    late = (_HOST, 60, 5, "cudaLaunchKernel", Category.RUNTIME)
    flows = [(3, 2), (1, 2)] if is_first else [(1, 2), (3, 2)]
    assert _called(_profile([*_GRAPH[:3], late], flows)) == {"first": "cudaGraphLaunch"}


def test_only_work_of_devices_is_launched() -> None:
    """Arrows between threads of the host say who woke whom."""
    slices = [*_GRAPH[:3], (_LAUNCHER, 5, 50, "loop", Category.OPERATOR)]
    assert _called(_profile(slices, [(0, 3), (1, 2)])) == {"first": "cudaGraphLaunch"}


def test_work_that_another_thread_launches_is_below_the_operator_that_asked_for_it() -> None:
    """A queue of CANN: the operator has a flow, and the call on the thread of the queue another one."""
    slices = [
        (_HOST, 0, 10, "aten::matmul", Category.OPERATOR),
        (_LAUNCHER, 20, 5, "Node@launch", Category.RUNTIME),
        (_STREAM, 30, 40, "MatMul", Category.KERNEL),
    ]
    profile = _profile(slices, [(0, 2), (1, 2)])
    assert _called(profile) == {"MatMul": "Node@launch"}, "this is when it was launched"
    assert _paths(profile) == {("aten::matmul", "MatMul"): 40}
    operators = profile.tables["operators"]
    assert operators["device_total"].tolist() == [40], "as the table of operators has it"


def test_communication_is_work_where_it_is_on_a_track_of_a_device() -> None:
    slices = [
        (_HOST, 0, 90, "c10d::allreduce_", Category.OPERATOR),
        (_LAUNCHER, 10, 50, "gloo:all_reduce", Category.COMMUNICATION),
        (_STREAM, 20, 60, "ncclDevKernel_AllReduce", Category.COMMUNICATION),
    ]
    profile = _profile(slices, [(0, 1), (0, 2)])
    names = [profile.texts[one] for one in profile.tables["slices"]["name"][work_of(profile)].tolist()]
    assert names == ["ncclDevKernel_AllReduce"]
    assert _called(profile) == {"ncclDevKernel_AllReduce": "c10d::allreduce_"}
    assert profile.tables["operators"]["device_total"].tolist() == [60]
    evidence = TimelineEvidence(profile)
    assert evidence.is_work.tolist() == work_of(profile).tolist()
    assert evidence.is_host_communication.sum() == 1


def test_flows_in_a_circle_end() -> None:
    """A file can say anything: work that launches each other, and a call within the work that it launches."""
    within = (_STREAM, 31, 5, "cudaLaunchKernel", Category.RUNTIME)
    profile = _profile([*_GRAPH[2:], within], [(0, 1), (1, 0), (3, 0)])
    rows = launchers(profile)
    assert (rows >= 0).sum() == 2, "what the call in the work launches, and what that work does"
    tree, _ = call_tree(profile, Side.DEVICE, None)
    assert tree.total == 30
    alone = _profile([_GRAPH[2], _GRAPH[3]], [(0, 1), (1, 0)])
    assert (launchers(alone) < 0).all()
    assert call_tree(alone, Side.DEVICE, None)[0].total == 20


def test_a_tree_is_grown_once_for_all_questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[dict[str, Any]] = [
        {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": start, "dur": duration}
        for name, start, duration in (("aten::linear", 0, 9), ("aten::mm", 1, 5), ("aten::relu", 20, 3))
    ]
    grown = []

    def counted(profile: Profile, side: Side, steps: Any) -> Any:  # noqa: ANN401 - as it is
        grown.append(side)
        return called_slices.call_tree(profile, side, steps)

    monkeypatch.setattr("insight_profiler.views.calls.call_tree", counted)
    with asked_about(tmp_path, "a.pt.trace.json", events) as get:
        first = get("call_tree", of="host").get_json()
        again = get("call_tree", of="host").get_json()
        up = get("call_tree", of="host", up=1).get_json()
    assert again == first
    assert grown == [Side.HOST] * 2, "one from the outermost call, one from the innermost"
    assert up["total"] == first["total"] == 12_000


def test_two_files_of_stacks_are_compared_by_what_was_measured(tmp_path: Path) -> None:
    """Of the measure that is asked for, though the other file has it in another place."""
    frames = [{"name": "main"}, {"name": "step"}]
    profiles = [
        {"type": "sampled", "name": unit, "unit": unit, "samples": [[0, 1]], "weights": [value]}
        for unit, value in (("bytes", 5), ("none", 3))
    ]
    now, before = tmp_path / "now", tmp_path / "before"
    for run, some in ((now, profiles), (before, profiles[::-1])):
        run.mkdir()
        held = {"shared": {"frames": frames}, "profiles": some}
        (run / "a.speedscope.json").write_text(json.dumps(held), encoding="utf-8")
    (before / "b.folded").write_text("main;step 4\nmain;load 1\n", encoding="utf-8")
    with served_profiles() as opened:
        get = opened(tmp_path)
        own = {"run": "now", "profile": "a.speedscope.json"}
        assert get("profile", **own)["views"] == ["calls"]
        asked = {**own, "of": "samples", "base_run": "before"}
        same = get("call_tree", **asked, measure="count", base_profile="a.speedscope.json")
        assert (same["total"], same["before"], same["measure"]) == (3, [3, 3], 1)
        first = get("call_tree", **asked, base_profile="a.speedscope.json")
        assert (first["total"], first["before"], first["measure"]) == (5, [5, 5], 0)
        other = get("call_tree", **asked, measure="count", base_profile="b.folded")
        told = {other["names"][name]: was for name, was in zip(other["name"], other["before"], strict=True)}
        assert told == {"main": 5, "step": 4, "load": 1}
        with pytest.raises(NotFound):
            get("call_tree", **asked, measure="bytes", base_profile="b.folded")
