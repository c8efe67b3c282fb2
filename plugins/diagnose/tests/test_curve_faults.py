"""Rules name planted faults of curves with run and step, and are silent about healthy look-alikes."""

from __future__ import annotations

from collections.abc import Mapping

import insight_diagnose
import numpy as np
import pytest
from numpy.typing import ArrayLike

from insight_core.plugin.findings import Finding
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host
from tests import healthy_curves, planted_curves
from tests.curve_verdicts import tally
from tests.support.curves import falling, noisy

_SEED = 40  # another one than those of the docs, and than 1 to 9, which were used to tune


def test_planted_faults_are_named_with_their_run_and_step() -> None:
    found = [tally([kind], [_SEED], 8) for kind in planted_curves.KINDS]
    wrong = [text for one in found for text in one.wrong]
    named = [one.verdicts["named"] for one in found]
    assert min(named) >= 6, wrong  # of 8
    assert sum(named) >= 0.95 * 8 * len(found), wrong  # docs/reference/accuracy.md: 99 %
    assert sum(one.alarms for one in found) == 0, wrong


def test_healthy_look_alikes_raise_no_alarm() -> None:
    resting = tally(healthy_curves.RESTING, [_SEED], 4)
    assert resting.alarms == 0, resting.wrong
    moving = [kind for kind in healthy_curves.KINDS if kind not in healthy_curves.RESTING]
    found = tally(moving, [_SEED], 4)
    assert found.alarms == 0, found.wrong
    assert found.others.total() <= 1, found.wrong  # hints


def _found(tags: Mapping[str, ArrayLike], run: str = "run") -> dict[str, Finding]:
    data = FakeProvider()
    for tag, values in tags.items():
        data.add_scalars(run, tag, values)
    return _of(data)


def _of(data: FakeProvider) -> dict[str, Finding]:
    host = Host(Registry.of([("diagnose", lambda: insight_diagnose)]), data)
    rules = host.check_rules([run.name for run in data.runs()]).rules
    assert [(one.rule.id, one.unchecked) for one in rules if one.failed] == []
    return {one.rule.id: finding for one in rules for finding in one.findings}


def _loss(count: int = 600, seed: int = 0) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    rng = np.random.default_rng(seed)
    return np.exp(-np.linspace(0, 3, count)) * (1 + 0.02 * rng.standard_normal(count))


def test_a_constant_loss_names_its_first_step_and_is_no_plateau() -> None:
    loss = _loss()
    loss[400:] = loss[400]
    found = _found({"loss": loss, "val/loss": _loss(60)})
    assert set(found) == {"constant_loss"}
    assert (found["constant_loss"].severity, found["constant_loss"].saw.details["step"]) == ("error", 400)
    assert "very same number" in found["constant_loss"].saw


def test_a_descent_that_ends_at_the_limit_of_its_numbers_is_a_hint() -> None:
    loss = (0.5 + np.exp(-np.linspace(0, 60, 800))).astype(np.float32)
    found = _found({"loss": loss})
    assert found["constant_loss"].severity == "hint"


def test_a_rate_of_zero_is_named_only_if_every_group_has_it() -> None:
    rate = np.where(np.arange(600) < 400, 1e-3, 0.0)
    found = _found({"loss": _loss(), "lr/a": rate, "lr/b": rate})
    assert (found["rate_zero"].severity, found["rate_zero"].saw.details["step"]) == ("error", 400)
    assert "rate_zero" not in _found({"loss": _loss(), "lr/a": rate, "lr/b": np.full(600, 1e-4)})


def test_a_plateau_is_looked_for_where_the_held_out_loss_has_stopped_too() -> None:
    """Both fall until step 250; a begin that is named too early would find the held-out loss falling."""
    rng = np.random.default_rng(3)
    curve = 1 + (1 - np.arange(600) / 250).clip(0)
    found = _found(
        {"loss": curve + 0.05 * rng.standard_normal(600), "val/loss": 1.1 * curve[::10].repeat(10)}
    )
    step = found["no_improvement"].saw.details["step"]
    assert isinstance(step, int)
    assert 200 <= step <= 300
    assert "less than" in found["no_improvement"].saw


def test_a_small_loss_that_still_becomes_smaller_by_ratio_is_no_plateau() -> None:
    rng = np.random.default_rng(4)
    loss = 2.3 * np.exp(-np.arange(600) / 12) + 0.022 * np.exp(-np.arange(600) / 220)
    assert _found({"loss": loss * np.exp(0.25 * rng.standard_normal(600))}) == {}


def test_the_training_loss_of_a_sibling_run_decides_about_overfitting() -> None:
    held = np.concatenate([np.linspace(3, 1, 20), np.linspace(1, 2, 40)])
    for train, is_overfitting in ((np.linspace(3, 0.1, 60), True), (held + 1, False)):
        data = FakeProvider()
        data.add_scalars("fit/train", "epoch_loss", train)
        data.add_scalars("fit/validation", "epoch_loss", held)
        found = _of(data)
        assert ("overfitting" in found) is is_overfitting
    assert "no training loss is logged" in _found({"val_loss": held})["overfitting"].saw


@pytest.mark.parametrize("name", ["rollout/ep_rew_mean", "charts/episodic_return", "episode_reward"])
def test_losses_of_reinforcement_learning_need_not_fall(name: str) -> None:
    rng = np.random.default_rng(5)
    loss = np.geomspace(0.1, 8, 500) * np.exp(0.4 * rng.standard_normal(500))
    assert "divergence" in _found({"train/loss": loss})
    assert _found({"train/loss": loss, name: np.linspace(0, 100, 500)}) == {}


def test_a_period_of_an_epoch_names_the_order_of_the_data_and_any_other_both_causes() -> None:
    rng = np.random.default_rng(6)
    place = np.arange(1200)
    loss = noisy(rng, falling(rng, 1200) * (1 + 0.4 * np.sin(2 * np.pi * place / 40)), 0.03)
    change = str(_found({"loss": loss})["lr_too_high"].change)
    assert "shuffle" in change
    assert "learning rate" in change
    change = str(_found({"loss": loss, "epoch": place // 40})["lr_too_high"].change)
    assert "shuffle" in change.lower()
    assert "learning rate" not in change
    rate = 1e-3 * (1 + np.sin(2 * np.pi * place / 40))
    assert "lr_too_high" not in _found({"loss": loss, "lr": rate})


def test_two_writers_are_named_and_their_curves_are_judged_one_by_one() -> None:
    data = FakeProvider()
    for seed, begin in ((0, 1e9), (1, 1e9 + 0.4)):
        data.add_scalars("run", "loss", (1 + seed) * _loss(400, seed), wall_times=begin + np.arange(400))
    found = _of(data)
    assert set(found) == {"two_writers"}
    assert found["two_writers"].saw.details["writers"] == 2
    assert found["two_writers"].saw.details["points"] == 800


def test_a_restart_says_when_and_how_much_it_overwrote() -> None:
    data = FakeProvider()
    loss = _loss()
    data.add_scalars("run", "loss", loss[:300], wall_times=1.7e9 + np.arange(300))
    data.add_scalars(
        "run", "loss", loss[250:], steps=np.arange(250, 600), wall_times=1.7e9 + 400 + np.arange(350)
    )
    [finding] = _of(data).values()
    details = finding.saw.details
    assert (finding.severity, details["step"], details["hidden"]) == ("hint", 250, 50)
    assert details["time"] == "2023-11-14 22:20 UTC"
