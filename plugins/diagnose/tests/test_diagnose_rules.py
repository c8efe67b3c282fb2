"""What single rules say: where a fault begins, which roles they need, and which curves are none."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import insight_diagnose
import numpy as np
import pytest
from insight_diagnose.curves import StepCurve
from insight_diagnose.losses import divergence
from numpy.typing import NDArray

from insight_core.old_findings import CheckedRule
from insight_core.plugin import Plugin, SummaryPlugin
from insight_core.plugin.data import ScalarColumns, ScalarQuery, SeriesKey
from insight_core.plugin.findings import Examined, Finding
from insight_core.plugin.testing import FakeProvider, context_of
from insight_core.registry import Registry
from insight_core.web import Host


def _checked(data: FakeProvider, roles: Mapping[str, str] | None = None) -> list[CheckedRule]:
    host = Host(Registry.of([("diagnose", lambda: insight_diagnose)]), data)
    found = list(host.check_rules([run.name for run in data.runs()], roles or {}).rules)
    assert [(one.rule.id, one.unchecked) for one in found if one.failed] == []
    return found


def _findings(data: FakeProvider, roles: Mapping[str, str] | None = None) -> dict[str, list[Finding]]:
    return {one.rule.id: list(one.findings) for one in _checked(data, roles) if one.findings}


def _loss(values: NDArray[Any], tag: str = "train/loss", every: int = 1) -> FakeProvider:
    data = FakeProvider()
    data.add_scalars("run", tag, values, steps=np.arange(len(values)) * every)
    return data


def _falling(count: int = 400) -> NDArray[np.float64]:
    rng = np.random.default_rng(0)
    return np.asarray(np.exp(-np.linspace(0, 3, count)) * (1 + 0.02 * rng.standard_normal(count)))


def test_the_first_value_that_is_not_finite_is_named_with_tag_and_step() -> None:
    loss, norm = _falling(), np.ones(400)
    loss[200:], norm[198:] = np.nan, np.inf
    data = _loss(loss, every=10)
    data.add_scalars("run", "grad_norm", norm, steps=np.arange(400) * 10)
    [finding] = _findings(data)["nonfinite"]
    assert finding.severity == "error"
    assert (finding.place.tag, finding.saw.details["step"]) == ("grad_norm", 1980)
    assert finding.saw.details["tags"] == ["train/loss"]
    assert "+Inf" in finding.saw


def test_a_loss_that_is_nan_at_one_step_is_a_warning() -> None:
    loss = _falling()
    loss[7] = np.nan
    [finding] = _findings(_loss(loss))["nonfinite"]
    assert (finding.severity, finding.saw.details["step"], finding.saw.details["count"]) == ("warning", 7, 1)


@pytest.mark.parametrize("points", [400, 5000])
def test_only_losses_and_series_that_do_not_end_well_are_read_for_values_that_are_not_finite(
    points: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, fine = FakeProvider(), np.ones(points)
    odd_at_first, odd_at_last = fine.copy(), fine.copy()
    odd_at_first[:9], odd_at_last[-9:] = np.nan, np.nan
    for tag, values in {"a": fine, "b": odd_at_first, "c": odd_at_last, "loss": fine}.items():
        data.add_scalars("run", tag, values)
    data.add_scalars("run", "d", np.append(fine, fine), steps=np.tile(np.arange(points), 2))  # begun again
    read, scalars = set[str](), data.scalars

    def noted(plugin: str, keys: Collection[SeriesKey], *query: ScalarQuery) -> Mapping[Any, Any]:
        read.update(key.tag for key in keys)
        return scalars(plugin, keys, *query)

    monkeypatch.setattr(data, "scalars", noted)
    [rule] = [one for one in insight_diagnose.insight_rules() if one.id == "nonfinite"]
    table = data.series_tables("scalar", ["points", "attempts", "last_value"])[0]
    ctx = context_of(Plugin("diagnose", "Findings"), data)

    def whole(key: SeriesKey) -> ScalarColumns | None:
        return data.scalars("scalar", [key]).get(key)

    [finding] = rule.check(Examined(ctx, ("run",), {}, whole, lambda: table))
    assert finding.place.tag == "c"
    assert read == {"c", "d", "loss"}


def test_the_step_of_a_divergence_is_that_of_the_smallest_loss() -> None:
    loss = _falling(500)
    loss[300:] += np.linspace(0, 5, 200)
    [finding] = _findings(_loss(loss, every=100))["divergence"]
    assert abs(int(str(finding.saw.details["step"])) - 30_000) <= 1500
    assert finding.place.steps is not None
    assert finding.place.steps[1] == 49_900


def _at_one_level(rng: np.random.Generator, count: int, kind: int) -> NDArray[np.float64]:
    """A loss that has stopped to fall, or soon does, with noise of batches that is large or skewed."""
    noise = np.exp((0.35, 0.6, 0.35)[kind % 3] * rng.standard_normal(count))
    if kind == 0:
        return np.abs(1 + 0.3 * rng.standard_normal(count))
    fall = np.exp(-np.linspace(0, 8, count)) if kind == 3 else np.ones(count)
    return np.asarray((0.3 + fall) * noise)


@pytest.mark.parametrize("count", [40, 100, 300, 1000])
def test_one_lucky_batch_is_no_divergence(count: int) -> None:
    rng = np.random.default_rng(count)
    curves = [_at_one_level(rng, count, number % 4) for number in range(1000)]
    steps = np.arange(count)
    assert [place for place, values in enumerate(curves) if divergence(StepCurve(steps, values))] == []


def test_a_divergence_is_found_in_noise_of_batches() -> None:
    """A loss that is thrown to a multiple of its level and stays there."""
    rng = np.random.default_rng(1)
    found = 0
    for number in range(200):
        values = _at_one_level(rng, 200, (0, 2)[number % 2])
        values[int(rng.integers(40, 160)) :] += 3
        found += divergence(StepCurve(np.arange(200), values)) is not None
    assert found >= 190


def test_overfitting_needs_a_training_loss_that_falls() -> None:
    rising = np.concatenate([np.linspace(3, 1, 20), np.linspace(1, 2, 40)])
    fits, fails = np.linspace(3, 0.1, 60), np.concatenate([np.linspace(3, 1, 20), np.linspace(1, 4, 40)])
    for train, is_overfitting in ((fits, True), (fails, False)):
        data = _loss(train)
        data.add_scalars("run", "val/loss", rising)
        found = _findings(data)
        assert ("overfitting" in found) is is_overfitting
        assert ("divergence" in found) is not is_overfitting
    [finding] = _findings(_overfitting())["overfitting"]
    assert abs(int(str(finding.saw.details["step"])) - 19) <= 1
    assert finding.saves is not None
    assert finding.saves.high == pytest.approx(1 - 19 / 60, abs=0.03)


def _overfitting() -> FakeProvider:
    data = _loss(np.linspace(3, 0.1, 60))
    data.add_scalars("run", "val/loss", np.concatenate([np.linspace(3, 1, 20), np.linspace(1, 2, 40)]))
    return data


def test_a_jump_of_the_loss_where_the_learning_rate_jumps_is_no_spike() -> None:
    rng = np.random.default_rng(1)
    loss, rate = _falling(600), np.zeros(600)
    for begin in range(100, 600, 100):
        loss[begin : begin + 8] *= 1 + 2 * np.exp(-np.arange(8) / 3)
    for place in range(600):
        rate[place] = 0.1 * (1 - place % 100 / 100)
    data = _loss(loss * (1 + 0.01 * rng.standard_normal(600)))
    assert "lr_too_high" in _findings(data)
    data.add_scalars("run", "lr", rate)
    assert "lr_too_high" not in _findings(data)


def test_a_role_may_be_given_to_a_tag() -> None:
    loss = _falling(500)
    loss[300:] += np.linspace(0, 5, 200)
    data = _loss(loss, "energy")
    assert _findings(data) == {}
    assert "divergence" in _findings(data, {"energy": "loss"})


def test_a_rule_says_which_role_is_missing() -> None:
    data = FakeProvider()
    data.add_scalars("run", "speed", np.ones(50))
    unchecked = {one.rule.id: one.unchecked for one in _checked(data)}
    assert unchecked["divergence"] == "no tag has the role loss"
    assert unchecked["unchanged_layer"] == "no series is named as weight of layers"
    assert unchecked["dead_layer"] == "no series is named as activation / gradient of layers"
    assert unchecked["nonfinite"] is None


@pytest.mark.parametrize(
    "odd",
    [
        lambda values: values * 0,
        lambda values: values * 1e300,
        lambda values: values * 1e-300,
        lambda values: values * np.nan,
        lambda values: values.astype(np.float32) * np.float32(1e38),
        lambda values: values[:1],
        lambda values: np.where(np.arange(len(values)) % 2, np.finfo(float).max, -np.finfo(float).max),
    ],
    ids=["zeros", "huge", "tiny", "nan", "float32", "one point", "extremes"],
)
def test_odd_values_fail_no_rule(odd: Callable[[NDArray[np.float64]], NDArray[Any]]) -> None:
    data = _loss(odd(_falling()))
    data.add_scalars("run", "val/loss", odd(_falling(40)))
    data.add_scalars("run", "lr", odd(_falling(40)))
    data.add_scalars("run", "grad_norm", odd(_falling(40)))
    data.add_records("histogram", "run", "w/weight", [b"", b"\xff" * 20], claim=SummaryPlugin("histograms"))
    _checked(data)
