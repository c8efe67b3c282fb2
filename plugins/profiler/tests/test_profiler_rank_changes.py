"""Ranks and links that become slow in the middle of a profile, stages by peers, equal work by kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest
from attrs import evolve
from insight_profiler.advice.job_evidence import JobEvidence
from insight_profiler.analysis.changes import rising_since
from insight_profiler.analysis.rank_stages import stages_of_job
from insight_profiler.analysis.rank_summary import REDUCTIONS, summary_of
from insight_profiler.building import Building
from insight_profiler.model import Category, Source, Track
from numpy.typing import NDArray

from insight_core.plugin.findings import Finding
from tests.profile_rules import check_job, saves

MS = 1_000_000
Times = NDArray[np.int64]
Pairs = Mapping[
    tuple[int, int], NDArray[np.float64]
]  # bytes a second of a link by step, by source and target


def _job(
    compute: Times, links: Pairs | None = None, kernels: Callable[[int], int] = lambda _: 0
) -> JobEvidence:
    """Ranks that wait in each step for the slowest; ``kernels`` is how many each launches in a step."""
    ranks, steps = compute.shape
    whole = compute.max(axis=0) + 20 * MS
    begins = np.concatenate(([0], np.cumsum(whole)[:-1]))
    found = {}
    for rank in range(ranks):
        building = Building(Source.TORCH, rank=rank)
        building.add(
            "steps",
            number=np.arange(steps),
            start=begins,
            duration=whole,
            computing=compute[rank],
            communication_not_overlapped=whole - compute[rank],
            free=np.zeros(steps, np.int64),
        )
        for (source, target), bandwidth in (links or {}).items():
            if rank not in (source, target):
                continue
            building.add(
                "links",
                step=np.arange(steps),
                source=np.full(steps, source),
                target=np.full(steps, target),
                kind=np.full(steps, building.text("NCCL")),
                group=np.full(steps, -1),
                elapsed=(1e9 * 8e6 / bandwidth).astype(np.int64),
                bytes=np.full(steps, 8e6),
            )
        if count := kernels(rank):
            stream = building.track(Track("stream", "stream 7"))
            starts = (begins[:, None] + 1000 * np.arange(count)).ravel()
            building.add(
                "slices",
                track=np.full(len(starts), stream),
                start=starts,
                duration=np.full(len(starts), 900),
                name=np.full(len(starts), building.text("gemm")),
                category=np.full(len(starts), Category.KERNEL),
            )
        found[f"rank{rank}"] = summary_of(building.finish())
    return JobEvidence(found)


def _compute(ranks: int, steps: int, seed: int = 0, noise: float = 0.02) -> Times:
    random = np.random.default_rng(seed)
    return (100 * MS * random.normal(1, noise, (ranks, steps)).clip(0.5, 1.5)).astype(np.int64)


def _found(job: JobEvidence) -> dict[str, Finding]:
    return {one.rule.id: each for one in check_job(job) for each in one.found}


@pytest.mark.parametrize(("steps", "first"), [(7, 4), (8, 4), (8, 5), (12, 9), (60, 42)])
@pytest.mark.parametrize("seed", range(4))
def test_a_rank_that_becomes_slow_is_named_since_when(steps: int, first: int, seed: int) -> None:
    compute = _compute(8, steps, seed)
    healthy = compute.copy()
    compute[5, first:] = compute[5, first:] * 3 // 2
    [(rule, one)] = _found(_job(compute)).items()
    assert (rule, one.saw.code, one.saw.details["step"]) == ("slow_rank", "profiler_since_step", first)
    assert one.saw.details["saw"].details["rank"] == 5  # type: ignore[attr-defined]
    took, takes = (times.max(axis=0) + 20 * MS for times in (compute, healthy))
    assert one.saves is not None
    assert one.saves.low == pytest.approx(1 - takes.sum() / took.sum(), abs=0.02)
    assert one.saves.high == pytest.approx(1 - takes[first:].sum() / took[first:].sum(), abs=0.03)


@pytest.mark.parametrize("noise", [0.0, 0.02, 0.1, 0.3])
def test_ranks_that_only_vary_have_not_changed(noise: float) -> None:
    changed = 0
    for seed in range(50):
        random = np.random.default_rng(seed)
        changed += int((rising_since(random.normal(1, noise, (8, 8 + seed))) > 0).any())
    assert changed <= 1


def test_a_rank_that_is_slow_now_and_then_has_not_changed() -> None:
    ratios = np.random.default_rng(1).normal(1, 0.01, (4, 12))
    ratios[2, [6, 8, 10, 11]] += 0.5
    assert rising_since(ratios).tolist() == [0, 0, 0, 0]


def test_a_rank_that_was_slow_until_some_step_is_slow_no_more_and_has_no_since() -> None:
    compute = _compute(8, 12)
    compute[5, :4] = compute[5, :4] * 3 // 2
    assert _found(_job(compute)) == {}


@pytest.mark.parametrize(
    ("more", "code"), [(0, "slow_rank_same"), (2, "slow_rank_same"), (120, "slow_rank_more")]
)
def test_the_same_work_is_claimed_only_of_as_many_kernels(more: int, code: str) -> None:
    compute = _compute(4, 8)
    compute[1] = compute[1] * 3 // 2
    one = _found(_job(compute, kernels=lambda rank: 113 + more * (rank == 1)))["slow_rank"]
    assert one.saw.code == f"profiler_{code}"
    assert one.saw.details["kernels"] == 113 + more
    assert one.change is not None
    assert (one.change.code == "profiler_slow_rank_more_change") == (more > 100)
    unknown = _found(_job(compute))["slow_rank"]
    assert "kernels" not in unknown.saw.details


def _pipeline(
    stages: int, width: int, steps: int, seed: int = 0
) -> dict[tuple[int, int], NDArray[np.float64]]:
    """Links forward with 97 GB/s and back with 33, between ranks that are ``width`` apart."""
    random = np.random.default_rng(seed)
    found = {}
    for rank in range((stages - 1) * width):
        for ends, usual in (((rank, rank + width), 97e9), ((rank + width, rank), 33e9)):
            found[ends] = usual * random.normal(1, 0.02, steps).clip(0.9, 1.1)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_a_slow_link_of_a_pipeline_is_found_in_both_directions(seed: int) -> None:
    links = _pipeline(2, 4, 8, seed)
    for ends in ((3, 7), (7, 3)):
        links[ends] = links[ends] * 0.2
    one = _found(_job(_compute(8, 8, seed), links))["slow_link"]
    assert set(str(one.saw.details["names"]).split(", ")) == {"3 → 7", "7 → 3"}
    assert one.change is not None
    assert one.change.code == "profiler_slow_link_change"  # both ends are the same two: no end is to blame
    assert saves(one) > 0


def test_links_of_different_bandwidth_by_direction_are_healthy() -> None:
    for seed in range(20):
        assert _found(_job(_compute(8, 8, seed), _pipeline(2, 4, 8, seed))) == {}


@pytest.mark.parametrize("width", [2, 4])
def test_a_link_that_becomes_slow_is_found_by_its_own_earlier_steps(width: int) -> None:
    links = _pipeline(2, width, 12)
    links[1, 1 + width][7:] *= 0.4
    one = _found(_job(_compute(2 * width, 12), links))["slow_link"]
    assert (one.saw.code, one.saw.details["step"]) == ("profiler_since_step", 7)
    link = one.saw.details["saw"].details  # type: ignore[attr-defined]
    assert (link["source"], link["target"]) == (1, 1 + width)
    assert link["usual"] == pytest.approx(97, rel=0.05)


def test_links_that_wait_for_a_rank_that_becomes_slow_are_not_blamed() -> None:
    compute = _compute(8, 12)
    compute[5, 7:] *= 2
    links = _pipeline(2, 4, 12)
    for ends in ((1, 5), (5, 1)):
        links[ends][7:] *= 0.3
    assert _found(_job(compute, links)).keys() == {"slow_rank"}


def test_stages_are_known_from_the_peers_of_sends_and_receives() -> None:
    def stages(pairs: Mapping[tuple[int, int], object], ranks: int) -> list[object]:
        steady = {ends: np.full(4, 50e9) for ends in pairs}
        found = stages_of_job(list(_job(_compute(ranks, 4), steady).summaries.values()))
        return [found.get(rank) for rank in range(ranks)]

    assert stages(_pipeline(2, 4, 4), 8) == [0, 0, 0, 0, 1, 1, 1, 1]
    assert stages(_pipeline(4, 2, 4), 8) == [0, 0, 1, 1, 2, 2, 3, 3]
    ring = {(rank, (rank + 1) % 4): 0 for rank in range(4)}
    assert stages(ring, 4) == [None] * 4
    neighbours = {(0, 1): 0, (1, 0): 0, (2, 3): 0, (3, 2): 0}  # pairs that may share a batch
    assert stages(neighbours, 4) == [None] * 4
    assert stages({(0, 1): 0, (1, 0): 0}, 2) == [None, None]
    assert stages({}, 4) == [None] * 4


def test_unequal_stages_are_found_by_the_peers_of_sends_and_receives() -> None:
    compute = _compute(8, 8)
    compute[4:] = compute[4:] * 3 // 2
    [(rule, one)] = _found(_job(compute, _pipeline(2, 4, 8))).items()
    assert (rule, one.saw.details["stage"]) == ("unbalanced_stages", "1")


def test_ranks_of_a_stage_with_less_work_wait_for_the_other_stage() -> None:
    compute = _compute(8, 8, noise=0.0)
    compute[4:] = compute[4:] * 3 // 2
    waiting = _job(compute, _pipeline(2, 4, 8)).waiting
    assert waiting["rank0"] == pytest.approx(50 / 170, abs=0.01)
    assert waiting["rank5"] == pytest.approx(0.0, abs=0.01)


def _reducing(job: JobEvidence, bandwidth: NDArray[np.float64]) -> JobEvidence:
    """The same with collectives of 64 MB: [rank, step] is what each rank reaches when it waits for none."""
    tables = {}
    for rank, (path, summary) in enumerate(job.summaries.items()):
        own = {"step": np.arange(len(bandwidth[rank])), "bytes": np.full(len(bandwidth[rank]), 64e6)}
        table = {**own, "transit": (64e6 / bandwidth[rank] * 1e9).astype(np.int64)}
        tables[path] = evolve(summary, tables={**summary.tables, REDUCTIONS: table})
    return JobEvidence(tables)


def test_a_stage_whose_collectives_are_slow_is_found_and_a_rank_that_waits_in_them_is_not() -> None:
    random = np.random.default_rng(3)
    job = _job(_compute(8, 8), _pipeline(2, 4, 8))
    usual = 97e9 * random.normal(1, 0.03, (8, 8))
    usual[2] /= 3  # it waits for the others of its stage
    assert _found(_reducing(job, usual)) == {}
    slow = usual.copy()
    slow[4:] *= 0.3
    one = _found(_reducing(job, slow))["slow_link"]
    assert (one.saw.code, one.saw.details["ranks"]) == ("profiler_slow_group", "4, 5, 6, 7")
    later = usual.copy()
    later[:4, 5:] *= 0.3
    one = _found(_reducing(job, later))["slow_link"]
    assert (one.saw.code, one.saw.details["step"]) == ("profiler_since_step", 5)


def test_collectives_of_all_ranks_that_become_slow_are_found_without_stages_or_peers() -> None:
    bandwidth = 97e9 * np.random.default_rng(4).normal(1, 0.03, (4, 12))
    job = _job(_compute(4, 12))
    assert _found(_reducing(job, bandwidth)) == {}
    bandwidth[:, 8:] *= 0.4
    one = _found(_reducing(job, bandwidth))["slow_link"]
    assert (one.saw.code, one.saw.details["step"]) == ("profiler_since_step", 8)
