"""Rules about the ranks of a job: jobs with planted faults, healthy ones, and repaired ones as the oracle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from insight_profiler.advice.exposed_rules import without_waiting
from insight_profiler.advice.findings import finding, promised
from insight_profiler.advice.job_evidence import JobEvidence
from insight_profiler.advice.places import places_of
from insight_profiler.advice.words import said
from insight_profiler.analysis.rank_summary import summary_of
from insight_profiler.building import Building
from insight_profiler.model import Profile, Source
from insight_profiler.rules import RANK_RULES

from benchmarks.cluster_traces import MESSAGE, Job, job, write_job
from insight_core.plugin.findings import Finding
from tests.profile_rules import check_job, saves
from tests.profiler_routes import served_profiles

STEPS = 12
TIMES = ("kernel", "memcpy", "memset", "runtime", "data", "operator", "other", "idle")
IDS = {rule.id for rule in RANK_RULES}


def _profile(done: Job, rank: int, stages: int) -> Profile:
    """What a reader makes of the traces of ``write_job``."""
    building = Building(Source.TORCH, rank=rank)
    durations = np.diff(done.begins)
    if stages > 1:
        building.facts["stage"] = rank * stages // done.ranks
    building.add(
        "steps",
        number=np.arange(len(durations)),
        start=done.begins[:-1],
        duration=durations,
        computing=done.compute[rank],
        communication_not_overlapped=durations - done.compute[rank],
        free=np.zeros(len(durations), np.int64),
    )
    building.add(
        "links",
        step=np.arange(len(durations)),
        source=np.full(len(durations), rank),
        target=np.full(len(durations), (rank + 1) % done.ranks),
        kind=np.full(len(durations), building.text("p2p")),
        group=np.full(len(durations), -1),
        elapsed=done.transfer[rank],
        bytes=np.full(len(durations), 4 * MESSAGE),
    )
    return summary_of(building.finish())


def _evidence(done: Job, stages: int = 1) -> JobEvidence:
    return JobEvidence({f"rank{rank}": _profile(done, rank, stages) for rank in range(done.ranks)})


def _found(done: Job, stages: int = 1) -> dict[str, Finding]:
    checked = check_job(_evidence(done, stages))
    return {one.rule.id: advice for one in checked for advice in one.found}


def _saved(broken: Job, repaired: Job) -> float:
    return 1 - float(np.ptp(repaired.begins) / np.ptp(broken.begins))


@pytest.mark.parametrize("ranks", [2, 4, 16, 64])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_slow_rank_is_named_and_what_its_repair_saves(ranks: int, seed: int) -> None:
    slow = ranks // 3
    broken = job(ranks, STEPS, seed, slow_rank=slow)
    found = _found(broken)
    assert found.keys() == {"slow_rank"}
    assert found["slow_rank"].saw.details["rank"] == slow
    assert saves(found["slow_rank"]) == pytest.approx(_saved(broken, job(ranks, STEPS, seed)), abs=0.03)
    figure, timeline = places_of(found["slow_rank"])
    assert (figure.view, figure.state["figure"]) == ("cluster", "rank-map")
    assert (timeline.view, timeline.text, timeline.state["profile"]) == ("timeline", str(slow), f"rank{slow}")
    extra = broken.compute[slow] - np.median(np.delete(broken.compute, slow, axis=0), axis=0)
    assert timeline.state["steps"] == str(extra.argmax())


def test_what_ranks_wait_for_slower_ones_is_known_of_each() -> None:
    done = job(6, STEPS, 2, slow_rank=4)
    awaited = (done.compute.max(axis=0) - done.compute).sum(axis=1) / np.ptp(done.begins)
    assert _evidence(done).waiting == pytest.approx({f"rank{rank}": awaited[rank] for rank in range(6)})
    assert JobEvidence(_evidence(done).summaries, unread=1).waiting == {}


def test_communication_does_not_count_waiting_for_slower_ranks() -> None:
    saw = said("exposed", share=40, name="all_reduce")
    advice = finding(JobEvidence(), saw, said("exposed_change"))
    left = without_waiting(evolve(advice, saves=promised(0.35)), 0.25)
    assert left is not None
    assert saves(left) == pytest.approx(0.1)
    assert left.saves is not None
    assert left.saves.assumes is not None
    assert left.saves.assumes.details == {"waiting": 25, "share": 40}
    assert without_waiting(advice, 0.0) is advice
    assert without_waiting(advice, 0.32) is None


@pytest.mark.parametrize(
    ("longer", "code"),
    [
        ("kernel", "profiler_slow_rank_change"),
        ("data", "profiler_slow_rank_data_change"),
        ("other", "profiler_slow_rank_host_change"),
    ],
)
def test_what_to_change_depends_on_what_the_slow_rank_does_longer(longer: str, code: str) -> None:
    [advice] = _advice(JobEvidence(_ranks({longer: 40_000_000})))
    assert advice.change is not None
    assert (advice.change.code, advice.change.details) == (code, {"rank": "1"})


@pytest.mark.parametrize(("host", "device"), [(40, 0), (20, 15), (0, 40)])
def test_what_a_slow_rank_costs_is_its_time_on_the_host_and_on_the_device(host: int, device: int) -> None:
    longer = {"idle": host * 1_000_000, "kernel": device * 1_000_000}
    [advice] = _advice(JobEvidence(_ranks(longer)))
    assert saves(advice) == pytest.approx((host + device) / 150, abs=0.01)
    assert advice.saw.details["percent"] == pytest.approx(100 * (host + device) / 80, abs=2)


def test_one_stall_of_one_rank_is_no_matter_of_all_ranks() -> None:
    done = job(4, STEPS, 8)
    compute = done.compute.copy()
    compute[2, 7] *= 3
    stalled = Job(compute, done.transfer)
    assert _found(stalled) == {}
    assert max(_evidence(stalled).waiting.values()) > 0.1  # not communication that could be overlapped


def test_of_a_part_of_the_ranks_nothing_found_is_no_verdict() -> None:
    healthy, slow = job(4, STEPS, 1), job(4, STEPS, 1, slow_rank=2)
    known = _evidence(healthy).summaries
    part = check_job(JobEvidence({path: known[path] for path in list(known)[:3]}, missing=1))
    checked = {one.rule.id: one.unchecked for one in part}
    for rule in ("slow_rank", "waiting_ranks", "slow_link"):
        reason = checked[rule]
        assert reason is not None
        assert (reason.code, reason.details) == ("profiler_ranks_missing", {"known": 3, "count": 4})
    [advice] = _advice(JobEvidence(_evidence(slow).summaries, missing=1))
    assert advice.saw.details["rank"] == 2


def test_two_steps_are_too_few_to_call_ranks_equal() -> None:
    checked = {one.rule.id: one.unchecked for one in check_job(_evidence(job(4, 2, 1, slow_rank=2)))}
    reason = checked["slow_rank"]
    assert reason is not None
    assert reason.code == "profiler_needs_more_steps"


def _advice(evidence: JobEvidence) -> list[Finding]:
    return [one for checked in check_job(evidence) for one in checked.found]


def _ranks(longer: dict[str, int]) -> dict[str, Profile]:
    """Four ranks of 150 ms a step, of which 80 are work and idle time; rank 1 takes some longer, ns."""
    random = np.random.default_rng(5)
    ranks = {}
    for rank in range(4):
        building = Building(Source.TORCH, rank=rank)
        columns = {name: random.integers(9_900_000, 10_100_000, STEPS) for name in TIMES}
        for name, time in longer.items():
            columns[name] = columns[name] + time * (rank == 1)
        whole = np.full(STEPS, 150_000_000)
        waited = whole - sum(columns.values())
        building.add("steps", number=np.arange(STEPS), duration=whole, communication=waited, **columns)
        ranks[f"rank{rank}"] = summary_of(building.finish())
    return ranks


def test_slow_ranks_are_one_finding_with_the_saving_of_repairing_all() -> None:
    whole = job(16, STEPS, 5)
    compute = whole.compute.copy()
    compute[[3, 11]] = compute[[3, 11]] * 3 // 2
    broken = Job(compute, whole.transfer)
    found = _found(broken)["slow_rank"]
    assert set(str(found.saw.details["names"]).split(", ")) == {"3", "11"}
    assert saves(found) == pytest.approx(_saved(broken, whole), abs=0.03)


@pytest.mark.parametrize("ranks", [4, 16, 64])
def test_a_slow_link_is_named_and_saves_at_most_what_it_takes_more(ranks: int) -> None:
    broken = job(ranks, STEPS, 4, slow_link=ranks // 2)
    found = _found(broken)
    assert found.keys() == {"slow_link"}
    details = found["slow_link"].saw.details
    assert (details["source"], details["target"]) == (ranks // 2, ranks // 2 + 1)
    assert details["usual"] == pytest.approx(20, rel=0.05)
    repaired = job(ranks, STEPS, 4)
    assert 0.02 < saves(found["slow_link"]) >= _saved(broken, repaired)
    even = np.full_like(broken.compute, 90_000_000)  # no work that could hide the link
    broken, repaired = (Job(even, one.transfer) for one in (broken, repaired))
    assert saves(_found(broken)["slow_link"]) == pytest.approx(_saved(broken, repaired), abs=0.005)


def test_links_that_share_an_end_lead_to_its_machine() -> None:
    whole = job(16, STEPS, 6)
    transfer = whole.transfer.copy()
    transfer[[6, 7]] *= 3  # to rank 7 and from it
    found = _found(Job(whole.compute, transfer))["slow_link"]
    assert found.change is not None
    assert found.change.details == {"rank": 7}


@pytest.mark.parametrize("stages", [2, 4])
def test_the_stage_with_most_work_is_named(stages: int) -> None:
    whole = job(8, STEPS, 7)
    compute = whole.compute.copy()
    heavy = np.arange(8) * stages // 8 == 1
    compute[heavy] = compute[heavy] * 3 // 2
    found = _found(Job(compute, whole.transfer), stages)
    assert found.keys() == {"unbalanced_stages"}
    details = found["unbalanced_stages"].saw.details
    assert (details["stage"], details["count"]) == ("1", stages)
    assert details["percent"] == pytest.approx(100 * (1.5 / (1 + 0.5 / stages) - 1), abs=3)
    even = np.broadcast_to(compute.mean(axis=0).astype(np.int64), compute.shape)
    saved = _saved(Job(compute, whole.transfer), Job(even, whole.transfer))
    assert saves(found["unbalanced_stages"]) == pytest.approx(saved, abs=0.05)


@pytest.mark.parametrize("ranks", [4, 16, 64])
def test_another_slow_rank_in_each_step_is_waiting_in_turn(ranks: int) -> None:
    whole = job(ranks, STEPS, 8)
    compute = whole.compute.copy()
    chosen = np.random.default_rng(3).integers(0, ranks, STEPS)
    compute[chosen, np.arange(STEPS)] = compute[chosen, np.arange(STEPS)] * 3 // 2
    broken = Job(compute, whole.transfer)
    found = _found(broken)
    assert found.keys() == {"waiting_ranks"}
    assert found["waiting_ranks"].saw.details["ranks"] == len(set(chosen.tolist()))
    even = np.broadcast_to(compute.mean(axis=0).astype(np.int64), compute.shape)
    saved = _saved(broken, Job(even, whole.transfer))
    assert saves(found["waiting_ranks"]) == pytest.approx(saved, abs=0.04)


@pytest.mark.parametrize("ranks", [2, 4, 16, 64])
def test_healthy_jobs_have_no_finding(ranks: int) -> None:
    for seed in range(20):
        stages = 1 + seed % 2
        evidence = _evidence(job(ranks, STEPS, seed), stages)
        assert [one.found for one in check_job(evidence) if one.found] == [], seed


def test_ranks_that_do_not_wait_for_each_other_wait_for_no_one() -> None:
    compute = job(4, STEPS, 9).compute
    compute[np.arange(STEPS) % 4, np.arange(STEPS)] *= 2
    ranks = {}
    for rank in range(4):
        building = Building(Source.TORCH, rank=rank)
        building.add("steps", number=np.arange(STEPS), duration=compute[rank], computing=compute[rank])
        ranks[f"rank{rank}"] = summary_of(building.finish())
    assert not [one for one in check_job(JobEvidence(ranks)) if one.found]


def test_what_a_job_lacks_is_said() -> None:
    alone = _evidence(job(2, STEPS, 1))
    first = dict(list(alone.summaries.items())[:1])
    bare = {
        path: evolve(profile, tables={"steps": profile.tables["steps"]})
        for path, profile in alone.summaries.items()
    }
    none = {path: evolve(profile, tables={}) for path, profile in alone.summaries.items()}
    codes: dict[str, dict[str, Any]] = {}
    for name, evidence in {
        "alone": JobEvidence(first),
        "unread": JobEvidence(first, 3),
        "bare": JobEvidence(bare),
        "none": JobEvidence(none),
    }.items():
        checked = check_job(evidence)
        codes[name] = {one.rule.id: one.unchecked and one.unchecked.code for one in checked}
        assert {one.may_change for one in checked} == {name == "unread"}
    assert codes["alone"] == dict.fromkeys(IDS, "profiler_one_rank")
    assert codes["unread"] == dict.fromkeys(IDS, "profiler_ranks_unread")
    assert codes["bare"]["slow_link"] == codes["none"]["slow_link"] == "profiler_needs_links"
    assert codes["none"]["slow_rank"] == "profiler_needs_rank_steps"
    assert codes["bare"]["unbalanced_stages"] == "profiler_no_stages"


def test_the_advice_of_a_rank_has_that_about_its_job(tmp_path: Path) -> None:
    ill = job(6, STEPS, seed=1, slow_rank=2, slow_link=4)
    write_job(tmp_path / "ill", ill)
    write_job(tmp_path / "well", job(6, STEPS, seed=2))
    with served_profiles() as open_logs:
        get = open_logs(tmp_path)
        for run, expected in (("ill", {"slow_rank", "slow_link"}), ("well", set())):
            path = "rank5.1.pt.trace.json"
            unread = get("advice", run=run, profile=path, ranks="known")
            assert unread["ranks"]["unread"] == 5
            assert {one["id"] for one in unread["rules"] if one["may_change"]} == IDS
            alone = {one["rule"] for one in unread["advice"]}
            assert run == "well" or "communication" in alone
            get("cluster", run=run, profile=path)
            for asked in ({}, {"ranks": "known"}):
                answer = get("advice", run=run, profile=path, **asked)
                assert answer["ranks"]["unread"] == 0
                found = {one["rule"] for one in answer["advice"]}
                assert found & IDS == expected
                assert "slower_ranks" in answer["figures"]
                if run == "ill":
                    awaited = (ill.compute.max(axis=0) - ill.compute[5]).sum() / np.ptp(ill.begins)
                    assert answer["figures"]["slower_ranks"] == pytest.approx(awaited, abs=0.01)
                # waiting for the slow rank does not count as communication to overlap
                figures = answer["figures"]
                left = figures["exposed_communication"] - figures["slower_ranks"]
                assert ("communication" in found) == ("communication" in alone and left > 0.1)
                states = {one["id"]: one["state"] for one in answer["rules"]}
                assert states.keys() >= IDS
                assert {name for name in IDS if states[name] == "found"} == expected


@pytest.mark.parametrize("how", ["removed", "empty"])
def test_a_slow_rank_without_a_profile_is_missed_and_its_waiting_blames_nobody(
    tmp_path: Path, how: str
) -> None:
    write_job(tmp_path / "ill", job(4, STEPS, seed=1, slow_rank=2))
    lost = tmp_path / "ill" / "rank2.1.pt.trace.json"
    lost.unlink()
    if how == "empty":
        lost.touch()
    with served_profiles() as open_logs:
        get = open_logs(tmp_path)
        path = "rank0.1.pt.trace.json"
        cluster = get("cluster", run="ill", profile=path)
        assert (cluster["missing"], cluster["stragglers"]) == (1, [])
        answer = get("advice", run="ill", profile=path)
        states = {one["id"]: one["state"] for one in answer["rules"]}
        assert states["slow_rank"] == states["waiting_ranks"] == "unchecked"
        assert [one["basis"] for one in answer["advice"] if one["rule"] == "communication"] == ["share"]
