"""Routes that compare two profiles: advice on jobs of ranks, and the steps that a request names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from insight_profiler import rules
from insight_profiler.profiles.jobs import Job, job_of
from insight_profiler.profiles.opened import Asked, Opened
from werkzeug import Request

from benchmarks.cluster_traces import job, write_job
from tests.profiler_routes import Get, served_profiles

_PATH = "rank1.1.pt.trace.json"
_SIDES = {"run": "well", "profile": _PATH, "base_run": "ill", "base_profile": _PATH}


@pytest.fixture
def serve() -> Iterator[Callable[[Path], Get]]:
    with served_profiles() as opened:
        yield opened


@pytest.fixture
def get(tmp_path: Path, serve: Callable[[Path], Get]) -> Get:
    write_job(tmp_path / "ill", job(3, 12, seed=1, slow_rank=2))
    write_job(tmp_path / "well", job(3, 12, seed=2))
    found = serve(tmp_path)
    for run in ("ill", "well"):
        found("cluster", run=run, profile=_PATH)  # all are read now
    return found


def _rules(answer: dict[str, Any], *kinds: str) -> list[str]:
    return sorted(one["rule"] for kind in kinds for one in answer["advice"][kind])


def test_advice_before_and_after_is_what_the_view_of_advice_says(get: Get) -> None:
    answer = get("comparison", **_SIDES)
    assert answer["ranks"]["unread"] == 0
    assert answer["ranks"]["shown"] == 6
    views = {run: get("advice", run=run, profile=_PATH)["advice"] for run in ("ill", "well")}
    assert _rules(answer, "gone", "stays") == sorted(one["rule"] for one in views["ill"])
    assert _rules(answer, "new", "stays") == sorted(one["rule"] for one in views["well"])
    (slow,) = [one for one in answer["advice"]["gone"] if one["rule"] == "slow_rank"]
    assert slow["saw"]["details"]["rank"] == 2
    assert slow["title"]["code"] == "profiler_slow_rank_title"


def test_two_ranks_of_a_job_are_of_one_job(get: Get) -> None:
    answer = get("comparison", **{**_SIDES, "base_run": "well", "base_profile": "rank0.1.pt.trace.json"})
    assert answer["ranks"]["shown"] == 3


def test_rules_about_ranks_wait_until_the_ranks_of_both_are_read(
    get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    def partly(asked: Asked, run: str, path: str | None = None, *, reads: bool = True) -> Job:
        found = job_of(asked, run, path, reads=reads)
        others = [{"profile": "rank3.1.pt.trace.json", "state": "reading", "failure": None}]
        return found if run == "ill" else evolve(found, others=others, version=(found.version, 1))

    monkeypatch.setattr(rules, "job_of", partly)
    answer = get("comparison", **_SIDES)
    assert answer["ranks"]["unread"] == 1
    assert "slow_rank" not in _rules(answer, "gone", "stays", "new")
    monkeypatch.undo()
    assert "slow_rank" in _rules(get("comparison", **_SIDES), "gone")


def test_there_is_no_advice_while_one_of_the_profiles_is_read(
    get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Asked.opened

    def partly(asked: Asked, request: Request, prefix: str = "") -> Opened:
        return evolve(opened(asked, request, prefix), is_final=prefix == "")

    monkeypatch.setattr(Asked, "opened", partly)
    answer = get("comparison", **_SIDES)
    assert (answer["advice"], answer["ranks"]["unread"]) == (None, 0)


def test_the_steps_that_a_request_names_are_compared(get: Get) -> None:
    for route in ("comparison", "compare"):
        whole = get(route, **_SIDES, table="kernels")
        some = get(route, **_SIDES, table="kernels", steps="3-5")
        assert (whole["steps"]["count"], some["steps"]["count"], some["base_steps"]["count"]) == (12, 3, 3)
        none = get(route, **_SIDES, table="kernels", steps="99", per="step")
        assert none["limits"] == {"base": "none_chosen", "own": "none_chosen"}
        assert none["per"] == "total"
