"""Ranks of one job: which profiles they are, and their steps side by side."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from insight_profiler.analysis.cluster import nearest_of_ranks, processes_of
from insight_profiler.model import Profile, Source
from insight_profiler.profiles.discovery import ProfileFiles

from insight_core.plugin import InvalidArgument, NotFound
from tests.profiler_routes import Get, served_profiles


def _write(path: Path, rank: int | None, *, slow: int = 1, begin: int = 1000, size: int = 2) -> None:
    """Three steps that take 10, 20 and ``slow`` times 30 ms, of which a tenth is an operator."""
    path.parent.mkdir(parents=True, exist_ok=True)
    events, at = [], begin
    for step in (1, 2, 3):
        duration = step * 10_000 * (slow if step == 3 else 1)
        common = {"ph": "X", "pid": 1, "tid": 1, "ts": at}
        events.append({**common, "cat": "user_annotation", "name": f"ProfilerStep#{step}", "dur": duration})
        events.append({**common, "cat": "cpu_op", "name": "aten::mm", "dur": duration // 10})
        at += duration
    told = {} if rank is None else {"distributedInfo": {"rank": rank, "world_size": size}}
    path.write_text(json.dumps({"schemaVersion": 1, **told, "traceEvents": events}))


@pytest.fixture
def serve() -> Iterator[Callable[[Path], Get]]:
    with served_profiles() as opened:
        yield opened


def test_ranks_of_a_job_step_by_step(tmp_path: Path, serve: Callable[[Path], Get]) -> None:
    _write(tmp_path / "job/a_1.1.pt.trace.json", 0)
    _write(tmp_path / "job/b_2.1.pt.trace.json", 1, slow=2)
    get = serve(tmp_path)
    named = {"run": "job", "profile": "a_1.1.pt.trace.json"}
    assert "cluster" in get("profile", **named)["views"]

    said = get("cluster", **named)
    assert [(row["rank"], row["profile"]) for row in said["ranks"]] == [
        (0, "a_1.1.pt.trace.json"),
        (1, "b_2.1.pt.trace.json"),
    ]
    assert [row["times"]["duration"] for row in said["ranks"]] == [20_000_000, 20_000_000]
    assert (said["stragglers"], said["warm_up"]) == ([], [])
    of_two = get("cluster", **named, steps="1-2")
    assert [row["times"]["duration"] for row in of_two["ranks"]] == [10_000_000, 10_000_000]
    assert of_two["stragglers"] == []
    assert [row["times"] for row in get("cluster", **named, steps="9")["ranks"]] == [{}, {}]

    lines = get("rank_steps", **named)
    assert (lines["time"], lines["times"][0]) == ("duration", "duration")
    assert [(line["rank"], line["number"], line["value"], line["count"]) for line in lines["ranks"]] == [
        (0, [1, 2, 3], [10_000_000, 20_000_000, 30_000_000], 3),
        (1, [1, 2, 3], [10_000_000, 20_000_000, 60_000_000], 3),
    ]
    idle = get("rank_steps", **named, time="idle")
    assert [line["value"][2] for line in idle["ranks"]] == [27_000_000, 54_000_000]
    with pytest.raises(InvalidArgument, match="time must be"):
        get("rank_steps", **named, time="tail")
    with pytest.raises(NotFound):
        get("cluster", run="job", profile="c")


def test_spans_of_one_process_are_no_ranks(tmp_path: Path, serve: Callable[[Path], Get]) -> None:
    _write(tmp_path / "job/a_1.1.pt.trace.json", 0)
    _write(tmp_path / "job/a_1.2.pt.trace.json", 0, begin=900_000)
    get = serve(tmp_path)
    assert "cluster" not in get("profile", run="job", profile="a_1.1.pt.trace.json")["views"]


def test_profiles_without_ranks_are_no_job(tmp_path: Path, serve: Callable[[Path], Get]) -> None:
    _write(tmp_path / "job/a_1.1.pt.trace.json", None)
    _write(tmp_path / "job/b_2.1.pt.trace.json", None)
    _write(tmp_path / "alone/c_1.1.pt.trace.json", 0, size=1)
    _write(tmp_path / "alone/d_1.1.pt.trace.json", 0, size=1)
    get = serve(tmp_path)
    assert "cluster" not in get("profile", run="job", profile="a_1.1.pt.trace.json")["views"]
    assert get("cluster", run="job", profile="a_1.1.pt.trace.json")["ranks"] == []
    assert "cluster" not in get("profile", run="alone", profile="c_1.1.pt.trace.json")["views"]


def test_the_same_rank_of_another_process_is_no_second_rank(
    tmp_path: Path, serve: Callable[[Path], Get]
) -> None:
    _write(tmp_path / "job/a_1.1.pt.trace.json", 0)
    _write(tmp_path / "job/b_2.1.pt.trace.json", 0, begin=900_000)
    get = serve(tmp_path)
    get("profile", run="job", profile="b_2.1.pt.trace.json")
    assert "cluster" not in get("profile", run="job", profile="a_1.1.pt.trace.json")["views"]


def test_of_several_spans_those_that_go_together_are_compared(
    tmp_path: Path, serve: Callable[[Path], Get]
) -> None:
    for rank, worker in enumerate(("a_1", "b_2")):
        _write(tmp_path / f"job/{worker}.1.pt.trace.json", rank)
        _write(tmp_path / f"job/{worker}.2.pt.trace.json", rank, begin=900_000)
    (tmp_path / "job/trace.json").write_text("[]")  # of another source
    times = {"a_1.1": 1000, "b_2.1": 1001, "a_1.2": 2000, "b_2.2": 2001}
    for name, wall_time in times.items():
        os.utime(tmp_path / f"job/{name}.pt.trace.json", (wall_time, wall_time))
    get = serve(tmp_path)
    for span in ("1", "2"):
        said = get("cluster", run="job", profile=f"a_1.{span}.pt.trace.json")
        assert [row["profile"] for row in said["ranks"]] == [
            f"a_1.{span}.pt.trace.json",
            f"b_2.{span}.pt.trace.json",
        ]
        assert said["others"] == []


def test_sums_of_all_steps_stay_so_whatever_steps_are_asked(
    tmp_path: Path, serve: Callable[[Path], Get]
) -> None:
    place = tmp_path / "job/profiler"
    place.mkdir(parents=True)
    (place / "aicore_intermediate_0_type.csv").write_text(
        "kernel_type,total_time,execution_frequency,percent\nMatMul,2.5,4,100\n"
    )
    names = "step_num,start_point,end_point,total,fp_point,bp_point,iteration_interval,fp_and_bp,tail"
    rows = [
        f"{step},{step}00000,{step}90000,90000,{step}10000,{step}50000,10000,40000,40000" for step in (1, 2)
    ]
    (place / "step_trace_raw_0_detail_time.csv").write_text("\n".join([names, *rows]) + "\n")
    get = serve(tmp_path)
    (listed,) = get("profiles")["profiles"]
    named = {"run": listed["run"], "profile": listed["profile"], "steps": "1"}
    assert get("profile", **named)["counts"].get("slices", 0) == 0
    answer = get("operators", **named, columns="type,calls,total")
    assert answer["rows"] == [["MatMul", 4, 2_500_000]]
    said = get("overview", **named)
    assert said["steps"]["count"] == 1
    assert sum(share["time"] for share in said["shares"]) == 900_000
    assert len(said["biggest"]["device"]["rows"]) == 1


def test_a_rank_that_cannot_be_read_is_told(tmp_path: Path, serve: Callable[[Path], Get]) -> None:
    _write(tmp_path / "job/a_1.1.pt.trace.json", 0)
    (tmp_path / "job/b_2.1.pt.trace.json").write_text("no trace")
    (other,) = serve(tmp_path)("cluster", run="job", profile="a_1.1.pt.trace.json")["others"]
    assert (other["profile"], other["state"]) == ("b_2.1.pt.trace.json", "failed")
    assert "b_2.1.pt.trace.json" in other["failure"]["text"]


def test_of_two_profiles_of_one_rank_at_a_time_the_one_that_is_not_compared_is_named(
    tmp_path: Path, serve: Callable[[Path], Get]
) -> None:
    begin = 1_700_000_000_000_000  # µs since the epoch
    for name, rank in (("a_1", 0), ("b_2", 1), ("d_4", 1), ("c_3", 1)):
        _write(tmp_path / f"job/{name}.1.pt.trace.json", rank, begin=begin, size=4)
    _write(tmp_path / "job/e_5.1.pt.trace.json", 1, begin=begin + 900_000, size=4)  # a restart
    get = serve(tmp_path)
    for asked, used in (("a_1", "b_2"), ("b_2", "b_2"), ("d_4", "d_4")):
        said = get("cluster", run="job", profile=f"{asked}.1.pt.trace.json")
        assert [row["profile"] for row in said["ranks"]] == ["a_1.1.pt.trace.json", f"{used}.1.pt.trace.json"]
        assert said["same_ranks"] == [
            {"profile": f"{other}.1.pt.trace.json", "rank": 1, "used": f"{used}.1.pt.trace.json"}
            for other in ("b_2", "c_3", "d_4")
            if other != used
        ]
        assert said["others"] == []


def test_which_of_two_equal_profiles_counts_does_not_depend_on_their_order() -> None:
    profiles = {
        path: Profile(source=Source.TORCH, rank=rank) for path, rank in (("a", 0), ("b", 1), ("c", 1))
    }
    for paths in itertools.permutations(profiles):
        assert nearest_of_ranks({path: profiles[path] for path in paths}, "a") == ["a", "b"]
    spans = [
        ProfileFiles("run", f"{name}.pt.trace.json", Source.TORCH) for name in ("a_1.1", "a_1.2", "b_2.1")
    ]
    for listed in itertools.permutations(spans):
        found = processes_of(listed, spans[2])
        assert [one.path for one in found] == ["b_2.1.pt.trace.json", "a_1.1.pt.trace.json"]
