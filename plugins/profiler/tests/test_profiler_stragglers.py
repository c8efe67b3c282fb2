"""Which ranks hold up the others: jobs with a planted culprit, and healthy ones."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from insight_profiler import insight_plugin
from insight_profiler.analysis.outliers import outliers, warm_up
from insight_profiler.analysis.stragglers import RankSteps, stragglers, warm_up_of
from insight_profiler.building import Building
from insight_profiler.model import Profile, Source
from insight_profiler.reading.trace_head import describe
from insight_profiler.views.routes import routes
from numpy.typing import NDArray
from werkzeug import Request
from werkzeug.test import EnvironBuilder

from insight_core.ingest.logdir import Logdir
from insight_core.plugin.testing import context_of
from insight_core.providers.local import LocalProvider

MS = 1_000_000
STEPS = 9
Own = NDArray[np.float64]
Ask = Callable[[Callable[[Path], None]], dict[str, Any]]


def _own(seed: int, ranks: int, stages: int, noise: float = 0.02, steps: int = STEPS) -> Own:
    """How long each rank works in each step: all of stage k about (k + 1) * 100 ms."""
    random = np.random.default_rng(seed)
    stage = np.arange(ranks) * stages // ranks
    found: Own = (stage + 1)[:, None] * 100 * MS * random.normal(1, noise, (ranks, steps)).clip(0.2)
    return found


def _lock_step(own: Own, stages: int, first: Mapping[int, float] | None = None) -> list[RankSteps]:
    """Ranks that wait in each step for the slowest of the job. ``first``: extra work of step 1."""
    ranks, steps = own.shape
    computing = own.astype(np.int64)
    for rank, more in (first or {}).items():
        computing[rank, 0] += int(more)
    whole = computing.max(axis=0) + 5 * MS
    return [
        RankSteps(
            rank,
            f"p#{rank}",
            rank * stages // ranks,
            {
                "number": np.arange(1, steps + 1),
                "duration": whole,
                "computing": computing[rank],
                "communication_not_overlapped": whole - computing[rank],
                "free": np.zeros(steps, np.int64),
            },
        )
        for rank in range(ranks)
    ]


@pytest.mark.parametrize("culprit", range(8))
def test_the_slow_rank_is_named_and_not_those_that_wait_for_it(culprit: int) -> None:
    own = _own(culprit, 8, 2)
    own[culprit] *= 1.4
    (found,) = stragglers(_lock_step(own, 2))
    assert (found["rank"], found["stage"], found["time"]) == (culprit, culprit // 4, "computing")
    mates = [rank for rank in range(8) if rank // 4 == culprit // 4 and rank != culprit]
    medians = {rank: statistics.median(int(value) for value in own[rank]) for rank in (culprit, *mates)}
    assert found["work"] == medians[culprit]
    assert found["usual"] == statistics.median(medians[mate] for mate in mates)
    assert found["wait"] < found["usual_wait"]
    assert found["steps"] == STEPS


def test_slow_ranks_of_several_stages_are_all_named() -> None:
    own = _own(1, 12, 3)
    for culprit in (2, 9):
        own[culprit] *= 1.3
    assert sorted(one["rank"] for one in stragglers(_lock_step(own, 3))) == [2, 9]


def test_of_two_ranks_the_one_that_works_longer_is_named() -> None:
    own = _own(3, 2, 1)
    own[1] *= 1.25
    assert [one["rank"] for one in stragglers(_lock_step(own, 1))] == [1]


@pytest.mark.parametrize("ranks", [2, 3, 4, 8, 16])
@pytest.mark.parametrize("noise", [0.0, 0.02, 0.05])
def test_of_healthy_ranks_none_is_named(ranks: int, noise: float) -> None:
    for seed in range(20):
        for stages in (1, 2) if ranks >= 4 else (1,):
            assert stragglers(_lock_step(_own(seed, ranks, stages, noise), stages)) == []


def test_of_very_noisy_healthy_ranks_one_is_named_as_rarely_as_chance_allows() -> None:
    named = sum(bool(stragglers(_lock_step(_own(seed, 8, 1, 0.3), 1))) for seed in range(100))
    assert named <= 8


def test_steps_of_very_different_length_hide_no_straggler() -> None:
    own = np.full((4, STEPS), 10.0 * MS) * np.arange(1.0, STEPS + 1)
    own[2] *= 1.3
    assert [one["rank"] for one in stragglers(_lock_step(own, 1))] == [2]


def test_stages_with_different_loads_are_not_compared() -> None:
    own = np.full((4, STEPS), 100.0 * MS)
    own[2:] *= 3
    assert stragglers(_lock_step(own, 2)) == []
    assert [one["rank"] for one in stragglers(_lock_step(own, 1))] == [2, 3]


def test_a_rank_that_waits_long_is_not_blamed_although_it_computes_a_little_more() -> None:
    ranks = _lock_step(np.full((4, STEPS), 100.0 * MS), 1)
    ranks[3].steps["computing"][:] += 15 * MS
    ranks[3].steps["communication_not_overlapped"][:] += 80 * MS
    assert stragglers(ranks) == []


def test_a_slow_host_is_blamed_only_if_the_others_wait_for_it() -> None:
    for others_wait, expected in ((True, [1]), (False, [])):
        ranks = _lock_step(np.full((4, STEPS), 100.0 * MS), 1)
        ranks[1].steps["free"][:] += 50 * MS
        for one in ranks if others_wait else ():
            if one.rank != 1:
                one.steps["communication_not_overlapped"][:] += 50 * MS
        found = stragglers(ranks)
        assert [one["rank"] for one in found] == expected
        assert [one["time"] for one in found] == ["free"] * len(expected)


def test_too_few_steps_name_nobody() -> None:
    own = np.full((4, 2), 100.0 * MS)
    own[1] *= 2
    assert stragglers(_lock_step(own, 1)) == []
    assert stragglers([]) == []


def test_ranks_without_common_steps_are_not_compared() -> None:
    own = np.full((2, STEPS), 100.0 * MS)
    own[1] *= 2
    ranks = _lock_step(own, 1)
    ranks[1].steps["number"][:] += 100
    assert stragglers(ranks) == []


def _planted(first: Mapping[int, float]) -> list[Profile]:
    found = []
    for one in _lock_step(_own(5, 4, 2, 0.01), 2, first):
        building = Building(Source.MINDINSIGHT)
        building.rank = one.rank
        building.add("steps", **one.steps, start=np.full(STEPS, -1))
        found.append(building.finish())
    return found


def test_warm_up_of_one_rank_is_left_out_of_all() -> None:
    assert warm_up_of(_planted({3: 2200.0 * MS})) == {1}
    assert warm_up_of(_planted({})) == set()


@pytest.mark.parametrize(
    ("values", "expected", "first"),
    [
        ([2376, 181, 179, 178, 179], [0], 1),
        ([900, 500, 100, 101, 99, 100, 102, 98], [0, 1], 2),
        ([100, 100, 100, 100, 180], [4], 0),  # MAD is 0
        ([100, 100, 100, 100, 104], [], 0),  # less than a tenth
        ([10, 20, 30], [], 0),
        ([100, 1], [], 0),
        ([100, -1, 101, 99, 100, 700], [5], 0),
        ([35, 72, 95, 96, 95], [0, 1], 0),  # fast steps are not warm-up
    ],
)
def test_outliers_have_a_modified_z_score_above_three_and_a_half(
    values: list[int], expected: list[int], first: int
) -> None:
    found = outliers(np.array(values))
    assert np.flatnonzero(found).tolist() == expected
    assert warm_up(np.array(values)) == first
    known = [value for value in values if value >= 0]
    deviation = statistics.median(abs(value - statistics.median(known)) for value in known)
    if deviation and len(known) > 2:
        for value, is_outlier in zip(values, found, strict=True):
            score = 0.6745 * (value - statistics.median(known)) / deviation
            is_far = abs(value - statistics.median(known)) >= 0.1 * statistics.median(known)
            assert is_outlier == (value >= 0 and abs(score) > 3.5 and is_far)


def _write_cluster(place: Path, own: Own, first: Mapping[int, float]) -> None:
    """Files of a job of two pipeline stages, as MindSpore wrote them for MindInsight."""
    place.mkdir(parents=True)
    for one in _lock_step(own, 2, first):
        at, steps, cluster = 1_000_000, [], []
        waits = one.steps["communication_not_overlapped"]
        for place_of, (computing, wait) in enumerate(zip(one.steps["computing"], waits, strict=True)):
            ticks = int(computing + wait) // 10
            steps.append(
                f"{place_of + 1},{at},{at + ticks},{ticks},{at + 10},{at + ticks - 10},10,{ticks - 20},10"
            )
            cluster.append(f"{computing / 1e6},{wait / 1e6},{computing / 1e6},0,{wait / 1e6}")
            at += ticks
        head = "step_num,start_point,end_point,total,fp_point,bp_point,iteration_interval,fp_and_bp,tail"
        mean = "-" + steps[-1][steps[-1].index(",") :]
        (place / f"step_trace_raw_{one.rank}_detail_time.csv").write_text(
            "\n".join([head, *steps, mean]) + "\n"
        )
        head = (
            "computation_time,communication_alone_time,stage_time,receive_alone_time,"
            "collective_communication_alone_time"
        )
        name = f"ascend_cluster_analyse_pipeline-parallel_2_{len(own)}_{one.rank}.csv"
        (place / name).write_text("\n".join([head, *cluster, cluster[-1]]) + "\n")


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Ask]:
    providers: list[LocalProvider] = []

    def answer(write: Callable[[Path], None]) -> dict[str, Any]:
        write(tmp_path / "job/profiler")
        provider = LocalProvider([Logdir(str(tmp_path))], [insight_plugin()], watch=False)
        providers.append(provider)
        provider.load()
        made = routes(context_of(insight_plugin(), provider))
        views = {route.path.removeprefix("/"): route.view for route in made}
        end = time.monotonic() + 60
        while time.monotonic() < end:
            request = Request(EnvironBuilder(query_string={"run": "job/profiler"}).get_environ())
            found: dict[str, Any] = json.loads(views["cluster"](request).get_data())
            if not any(one["state"] == "reading" for one in found["others"]):
                return found
            time.sleep(0.02)
        raise AssertionError("not all ranks were read")

    yield answer
    for provider in providers:
        provider.close()


def test_a_long_first_step_blames_nobody(ask: Ask) -> None:
    own = _own(7, 4, 2, 0.01, steps=5)
    said = ask(lambda place: _write_cluster(place, own, {3: 2200.0 * MS}))
    assert said["stragglers"] == []
    assert said["warm_up"] == [1]
    for row in said["ranks"]:
        usual = statistics.median_low(int(value) for value in own[row["rank"], 1:])
        assert row["times"]["computing"] == pytest.approx(usual, abs=10)
        assert row["steps"]["count"] == 4


def test_behind_a_long_first_step_the_slow_rank_is_named(
    ask: Ask,
) -> None:
    own = _own(8, 4, 2, 0.005, steps=8)
    own[0] *= 1.5
    said = ask(lambda place: _write_cluster(place, own, {3: 2200.0 * MS}))
    assert [(one["rank"], one["stage"], one["time"]) for one in said["stragglers"]] == [(0, 0, "computing")]


def test_ranks_of_different_data_parallel_groups_are_not_compared() -> None:
    own = np.full((4, STEPS), 100.0 * MS)
    own[[1, 3]] *= (
        2  # ranks 1 and 3 hold the last layers: another pipeline stage, which the log does not name
    )
    ranks = _lock_step(own, 1)
    assert [one["rank"] for one in stragglers(ranks)] == [1, 3]
    grouped = [evolve(one, group=("0,2", "1,3")[one.rank % 2]) for one in ranks]
    assert stragglers(grouped) == []
    own[3] *= 1.5
    grouped = [evolve(one, group=("0,2", "1,3")[one.rank % 2]) for one in _lock_step(own, 1)]
    assert [one["rank"] for one in stragglers(grouped)] == [3]


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ([{"pg_desc": "default_pg", "ranks": [0, 1, 2, 3]}, {"pg_desc": "mesh_dp", "ranks": [1, 3]}], "1,3"),
        (
            [{"pg_desc": "DATA_PARALLEL_GROUP", "ranks": [3, 1]}, {"pg_desc": "mesh_tp", "ranks": [0, 1]}],
            "1,3",
        ),
        ([{"pg_desc": "mesh_dp", "ranks": [0, 2]}], None),
        ([{"pg_desc": "default_pg", "ranks": [0, 1]}], None),
        ("odd", None),
    ],
)
def test_the_data_parallel_group_is_read_from_a_trace(groups: object, expected: str | None) -> None:
    building = Building(Source.TORCH)
    describe(building, {"distributedInfo": {"rank": 1, "world_size": 4, "pg_config": groups}})
    assert building.facts.get("data_parallel") == expected


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ([{"pg_desc": "default_pg", "ranks": [0, 1, 2, 3]}, {"pg_desc": "mesh_pp", "ranks": [3, 1]}], 1),
        ([{"pg_desc": "PIPELINE_MODEL_PARALLEL_GROUP", "ranks": [1, 5, 9]}], 0),
        ([{"pg_name": "pipeline_1", "pg_desc": "", "ranks": [0, 1]}], 1),
        ([{"pg_desc": "mesh_dp_pp", "ranks": [0, 1]}, {"pg_desc": "mesh_tp", "ranks": [0, 1]}], None),
        ([{"pg_desc": "wrapper of apps", "ranks": [0, 1]}, {"pg_desc": "mesh_pp", "ranks": [1]}], None),
    ],
)
def test_the_pipeline_stage_is_read_from_a_trace(groups: object, expected: int | None) -> None:
    building = Building(Source.TORCH)
    describe(building, {"distributedInfo": {"rank": 1, "world_size": 4, "pg_config": groups}})
    assert building.facts.get("stage") == expected
