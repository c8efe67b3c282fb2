"""Ranks of a cluster are those that MindInsight's REST API answers, value for value, step by step."""

from __future__ import annotations

import csv
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conformance.our_profiles import ReadProfile, read_profiles

Ask = Callable[..., Any]

_RANKS = range(4)


@pytest.fixture(scope="module")
def logs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = request.config.rootpath.parent / "shared/data/mindinsight_fixtures/cluster_propose"
    if not source.is_dir():
        pytest.skip(f"MindInsight's test resources at {source} are not on this machine")
    root = tmp_path_factory.mktemp("mindinsight")
    shutil.copytree(source, root / "run/profiler", copy_function=shutil.copyfile)
    return root


@pytest.fixture(scope="module")
def ours(logs: Path) -> list[ReadProfile]:
    found = read_profiles(logs)
    return [found[f"run/profiler:.#{rank}"] for rank in _RANKS]


@pytest.fixture
def ask(logs: Path, mindinsight_profiles: Callable[..., Any]) -> Ask:
    def answers(route: str, steps: range) -> list[Any]:
        """Of each step; MindInsight calls the means step 0."""
        requests = [
            ("POST", f"profile/{route}", {"train_id": "./run"}, {"filter_condition": {"step_id": step}})
            for step in steps
        ]
        found = mindinsight_profiles(logs, json.dumps(requests))
        return [body if status == 200 else status for status, body in found]

    return answers


_COLUMNS = (
    "iteration_interval",
    "computing",
    "communication_not_overlapped",
    "stage",
    "receive",
    "collective",
)


def test_steps_of_ranks(ask: Ask, ours: list[ReadProfile]) -> None:
    answers = ask("cluster-step-trace-summary", range(1, 6))
    for step, answer in enumerate(answers, 1):
        assert answer["total_step_num"] == "5"
        for info in answer["info"]:
            profile = ours[info["rank_id"]]
            assert profile.profile.facts["parallel_mode"] == answer["parallel-mode"] == "pipeline-parallel"
            assert profile.profile.facts["stages"] == answer["stage_num"]
            assert profile.profile.world_size == answer["size"]
            row = profile.rows("steps")[step - 1]
            assert row["number"] == step
            for name, value in zip(_COLUMNS, info["step_bottleneck_info"], strict=True):
                if (step, name) != (1, "iteration_interval"):  # before the first step there was none
                    assert row[name] / 1e6 == pytest.approx(value, abs=1e-4), name


def test_stages_of_ranks(
    mindinsight_profiles: Callable[..., Any], logs: Path, ours: list[ReadProfile]
) -> None:
    requests = [
        (
            "POST",
            "profile/cluster-step-trace-summary",
            {"train_id": "./run"},
            {"filter_condition": {"stage_id": stage}},
        )
        for stage in (1, 2)
    ]
    for stage, (_, answer) in enumerate(mindinsight_profiles(logs, json.dumps(requests))):
        ranks = {profile.profile.rank for profile in ours if profile.profile.facts["stage"] == stage}
        assert ranks == {info["rank_id"] for info in answer["info"]}


def test_means_of_steps_are_those_of_the_steps(ask: Ask, ours: list[ReadProfile]) -> None:
    """MindInsight shows the last row of shortened files: means over steps that were removed from the file.
    Ours are means over the steps in the file, so they differ for shortened files."""
    (answer,) = ask("cluster-step-trace-summary", range(1))
    interval = {info["rank_id"]: info["step_bottleneck_info"][0] for info in answer["info"]}
    for profile in ours[:2]:
        own = profile.column("steps", "iteration_interval")[1:]
        assert own.max() / 1e6 < interval[profile.profile.rank], "no step has an interval as long as the mean"


def test_communication_of_ranks(ask: Ask, ours: list[ReadProfile]) -> None:
    for step, answer in enumerate(ask("search-cluster-communication", range(1, 3)), 1):
        for info in answer["communication"]:
            cost, wait, links, operators = info["communication_info"]
            profile = ours[info["rank_id"]]
            rows = {row["name"]: row for row in profile.rows("collectives") if row["step"] == step}
            assert sum(row["transit"] for row in rows.values()) / 1e6 == pytest.approx(cost, abs=1e-5)
            assert sum(row["wait"] for row in rows.values()) / 1e6 == pytest.approx(wait, abs=1e-4)
            assert rows.keys() == operators.keys()
            for name, (_, transit, waited, pairs) in operators.items():
                row = rows[name]
                assert row["transit"] / 1e6 == pytest.approx(transit, abs=1e-6)
                assert row["wait"] / 1e6 == pytest.approx(waited, abs=1e-6)
                assert row["elapsed"] == row["transit"] + row["wait"]
                sizes = [size for kinds in pairs.values() for _, size, _ in kinds.values()]
                assert row["bytes"] / 1e3 == pytest.approx(sum(sizes))
                assert row["kind"] == ("p2p" if "Receive" in name or "Send" in name else "collective")
            assert links.keys() == {
                f"{row['source']}-{row['target']}" for row in profile.rows("links") if row["step"] == step
            }


def test_links_between_ranks(ask: Ask, ours: list[ReadProfile]) -> None:
    (answer,) = ask("search-cluster-link", range(1, 2))
    own = {
        (f"{row['source']}-{row['target']}", row["kind"], rank): row
        for rank, profile in enumerate(ours)
        for row in profile.rows("links")
        if row["step"] == 1
    }
    assert len(own) == answer["size"] == len(answer["cluster_link_info"])
    rank = 0
    seen: set[str] = set()
    for ends, kind, cost, size, bandwidth in answer["cluster_link_info"]:
        if ends in seen or len(seen) == 2:  # links of one rank follow those of another
            rank, seen = rank + 1, set()
        seen.add(ends)
        row = own[ends, kind, rank]
        assert row["elapsed"] / 1e6 == pytest.approx(cost, abs=1e-6)
        assert row["bytes"] / 1e3 == pytest.approx(size)
        # MindInsight adds up the bandwidths of all operators: a hundred times what the link did
        assert row["bandwidth"] / 1e3 == pytest.approx(size / cost * 1e3, rel=1e-4)
        assert bandwidth > 10 * row["bandwidth"] / 1e3


def test_sums_are_of_rows_not_of_means(logs: Path, ours: list[ReadProfile]) -> None:
    """The row of means does not count as a step."""
    csv.field_size_limit(sys.maxsize)
    for rank, profile in enumerate(ours):
        with (logs / f"run/profiler/hccl_raw_{rank}.csv").open() as file:
            steps = [row["step_num"] for row in csv.DictReader(file)]
        assert steps[-1] == "-"
        assert np.unique(profile.column("collectives", "step")).tolist() == list(map(int, steps[:-1]))


def test_floating_point_operations_of_ranks(
    mindinsight_profiles: Callable[..., Any], logs: Path, ours: list[ReadProfile]
) -> None:
    request = ("GET", "profile/cluster-flops", {"train_id": "./run"}, None)
    ((_, answer),) = mindinsight_profiles(logs, json.dumps([request]))
    for row in answer:
        own = ours[row["rank_id"]].profile.documents["flops"]["summary"]
        assert own["flops"] / 1e6 == pytest.approx(row["FLOPs"])
        assert own["flops_per_second"] / 1e9 == pytest.approx(row["FLOPS"])
        assert own["utilization"] * 100 == pytest.approx(row["FLOPS_Utilization"])
