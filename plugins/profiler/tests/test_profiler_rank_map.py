"""Heat maps of ranks and links between them, compared with plain readings of the same traces."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from insight_profiler.analysis.rank_links import RankLinks
from insight_profiler.analysis.rank_map import RankMap, relative_to_stage, shown
from insight_profiler.analysis.slow_links import slow_links
from numpy.typing import NDArray

from benchmarks.cluster_traces import job, write_job
from insight_core.plugin import InvalidArgument
from tests.profiler_routes import Get, served_profiles

RANKS, STEPS, SLOW_RANK, SLOW_LINK = 8, 6, 3, 5
_BYTES = {"Float": 4}
Matrix = NDArray[np.float64]


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("jobs")
    write_job(place / "ill", job(RANKS, STEPS, seed=1, slow_rank=SLOW_RANK, slow_link=SLOW_LINK))
    write_job(place / "well", job(RANKS, STEPS, seed=2))
    return place


@pytest.fixture(scope="module")
def get(logdir: Path) -> Iterator[Get]:
    with served_profiles() as open_logs:
        yield open_logs(logdir)


# --- the oracle: json and numpy ----------------------------------------------------------------------


def _trace(logdir: Path, run: str, rank: int) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = json.loads((logdir / run / f"rank{rank}.1.pt.trace.json").read_text())[
        "traceEvents"
    ]
    return events


def _steps(events: list[dict[str, Any]]) -> list[tuple[float, float]]:
    marks = [event for event in events if event["name"].startswith("ProfilerStep#")]
    return [(mark["ts"], mark["ts"] + mark["dur"]) for mark in marks]


def _covered(events: list[dict[str, Any]], begin: float, end: float) -> float:
    """Microseconds of a stretch in which at least one of the events goes on."""
    spans = sorted((max(begin, one["ts"]), min(end, one["ts"] + one["dur"])) for one in events)
    reached, found = begin, 0.0
    for start, stop in spans:
        if stop > max(start, reached):
            found += stop - max(start, reached)
            reached = stop
    return found


def _matrices(logdir: Path, run: str) -> dict[str, Matrix]:
    found = {name: np.full((RANKS, STEPS), np.nan) for name in ("compute", "wait", "bandwidth")}
    for rank in range(RANKS):
        events = _trace(logdir, run, rank)
        collectives = [event for event in events if event["name"].startswith("nccl")]
        kernels = [one for one in events if one.get("cat") == "kernel" and one not in collectives]
        for step, (begin, end) in enumerate(_steps(events)):
            compute = _covered(kernels, begin, end)
            both = _covered([*kernels, *collectives], begin, end)
            inside = [one for one in collectives if begin <= one["ts"] < end]
            size = sum(
                _BYTES[one["args"]["dtype"]]
                * max(one["args"]["In msg nelems"], one["args"]["Out msg nelems"])
                for one in inside
            )
            found["compute"][rank, step] = compute * 1000
            found["wait"][rank, step] = (both - compute) * 1000
            found["bandwidth"][rank, step] = size / (sum(one["dur"] for one in inside) * 1e-6)
    return found


@pytest.mark.parametrize("run", ["ill", "well"])
@pytest.mark.parametrize("measure", ["compute", "wait", "bandwidth"])
def test_the_map_says_what_the_traces_say(logdir: Path, get: Get, run: str, measure: str) -> None:
    said = get("rank_map", run=run, measure=measure)
    assert said["measures"][:3] == ["compute", "wait", "bandwidth"]
    assert [one["rank"] for one in said["ranks"]] == list(range(RANKS))
    assert said["first"] == said["last"] == list(range(STEPS))
    np.testing.assert_allclose(np.array(said["values"], float), _matrices(logdir, run)[measure], rtol=1e-6)
    changes = np.array(get("rank_map", run=run, measure=measure, scale="relative")["values"], float)
    wanted = _matrices(logdir, run)[measure]
    np.testing.assert_allclose(changes, wanted / np.median(wanted, axis=0) - 1, atol=1e-4)


def test_the_slow_rank_stands_out_and_nothing_does_in_a_healthy_job(get: Get) -> None:
    ill = np.array(get("rank_map", run="ill", measure="compute", scale="relative")["values"])
    assert (ill[SLOW_RANK] > 0.25).all()
    assert np.abs(np.delete(ill, SLOW_RANK, axis=0)).max() < 0.15
    assert [one["rank"] for one in get("cluster", run="ill")["stragglers"]] == [SLOW_RANK]
    well = np.array(get("rank_map", run="well", measure="compute", scale="relative")["values"])
    assert np.abs(well).max() < 0.15
    assert get("cluster", run="well")["stragglers"] == []


def test_links_are_what_the_senders_say(logdir: Path, get: Get) -> None:
    said = get("rank_links", run="ill")
    found = {
        (source, target): (elapsed, size, bandwidth)
        for source, target, elapsed, size, bandwidth in zip(
            said["source"], said["target"], said["elapsed"], said["bytes"], said["bandwidth"], strict=True
        )
    }
    wanted = {}
    for rank in range(RANKS):
        sent = [one for one in _trace(logdir, "ill", rank) if "Dst Rank" in one.get("args", {})]
        elapsed = sum(one["dur"] for one in sent) * 1000
        size = sum(one["args"]["In msg nelems"] * 4 for one in sent)
        wanted[rank, sent[0]["args"]["Dst Rank"]] = (elapsed, size, size / elapsed * 1e9)
    assert found.keys() == wanted.keys()
    for link, values in wanted.items():
        assert found[link] == pytest.approx(values, rel=1e-6)
    (slow,) = said["slow"]
    assert (slow["source"], slow["target"], slow["kind"]) == (SLOW_LINK, SLOW_LINK + 1, "NCCL")
    assert get("rank_links", run="well")["slow"] == []
    of_one = get("rank_links", run="ill", steps="2")
    assert sum(of_one["bytes"]) == pytest.approx(sum(said["bytes"]) / STEPS)


def test_what_cannot_be_shown_is_told(get: Get) -> None:
    with pytest.raises(InvalidArgument, match="measure must be"):
        get("rank_map", run="ill", measure="tail")
    with pytest.raises(InvalidArgument, match="scale must be"):
        get("rank_map", run="ill", scale="log")


# --- the parts by themselves -------------------------------------------------------------------------


@pytest.mark.parametrize("is_low_bad", [False, True])
def test_columns_of_several_steps_show_the_worst_one(is_low_bad: bool) -> None:
    values = np.random.default_rng(0).normal(100, 5, (3, 1000))
    values[1, 501] = 1.0 if is_low_bad else 900.0
    values[2, :100] = np.nan
    said = shown(RankMap(np.arange(5, 1005), values, is_low_bad), 100)
    worst = np.nanmin if is_low_bad else np.nanmax
    assert (said["first"][50], said["last"][50], said["steps"]) == (505, 514, 1000)
    assert (said["values"][1][50], said["at"][1][50]) == (1.0 if is_low_bad else 900.0, 506)
    assert np.isnan(said["values"][2][:10]).all()
    np.testing.assert_allclose(said["values"][0], worst(values[0].reshape(100, 10), axis=1), rtol=0.01)


def test_stages_are_compared_each_with_itself() -> None:
    values = np.array([[10.0, 10], [10, 20], [100, 100], [100, np.nan]])
    found = relative_to_stage(RankMap(np.arange(2), values), [0, 0, 1, 1]).values
    np.testing.assert_allclose(found, np.array([[0, -1 / 3], [0, 1 / 3], [0, 0], [0, np.nan]]))


def _links(bandwidth: Matrix) -> RankLinks:
    count = len(bandwidth)
    zero = np.zeros(count, np.int64)
    size = np.full(count, 1e9)
    return RankLinks(np.arange(count), np.arange(count) + 1, zero, size / bandwidth * 1e9, size, ("HCCS",))


def test_a_slow_link_is_found_among_noisy_ones_and_none_among_healthy_ones() -> None:
    random = np.random.default_rng(3)
    found = 0
    for count in (8, 64, 1024):
        for noise in (0.0, 0.02, 0.1):
            bandwidth = 20e9 * random.normal(1, noise, count).clip(0.5)
            found += len(slow_links(_links(bandwidth)))
            bandwidth[count // 2] *= 0.4
            assert [one["source"] for one in slow_links(_links(bandwidth))] == [count // 2]
    assert found == 0
