"""A short soak; `make soak` runs it for minutes."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

from tests.soak.resources import Sample, ends
from tests.soak.soaking import Plan, soak

SHORT = Plan(duration=7.0, warm_up=2.0, runs=40, tags=10)


@pytest.mark.parametrize("load", ["inprocess", "server"])
def test_logs_that_grow_are_shown_to_the_last_value_and_nothing_piles_up(tmp_path: Path, load: str) -> None:
    report = soak(evolve(SHORT, flags=[f"--load={load}"]), tmp_path)
    assert not report.flaws, str(report)


def test_a_host_that_keeps_nothing_is_found_out(tmp_path: Path) -> None:
    plan = evolve(SHORT, duration=4.0, warm_up=1.0, flags=["--samples-per-plugin=scalar=5"])
    report = soak(plan, tmp_path)
    assert any("is not what was written" in flaw for flaw in report.flaws), str(report)


def test_what_grew_is_told_from_what_warmed_up_and_from_what_comes_and_goes() -> None:
    samples = [
        Sample(float(at), memory=min(at, 10), descriptors=at, threads=1 + 9 * (at % 3 > 0))
        for at in range(40)
    ]
    assert ends(samples, 12.0, lambda one: one.memory) == (10, 10)
    assert ends(samples, 12.0, lambda one: one.descriptors) == (12, 33)
    assert ends(samples, 12.0, lambda one: one.threads) == (1, 1)
