"""Speeds of trainings that fall, planted with many seeds, and healthy ones that look alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import insight_diagnose
import numpy as np
import pytest
from insight_diagnose.curves import StepCurve
from insight_diagnose.speed_rules import is_speed
from insight_diagnose.throughput import slowdown
from numpy.typing import NDArray

from insight_core.plugin.findings import Finding
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host

_Floats = NDArray[np.float64]
_SEEDS = range(12)


def _speed(rng: np.random.Generator, count: int, noise: float = 0.02) -> _Floats:
    return np.asarray(50_000 * (1 + noise * rng.standard_normal(count)))


def _found(values: _Floats) -> int | None:
    found = slowdown(StepCurve(np.arange(len(values)), values))
    return None if found is None else found.at


# --- faults -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", _SEEDS)
@pytest.mark.parametrize(
    ("fall", "noise", "count"), [(0.15, 0.02, 400), (0.3, 0.1, 2000), (0.6, 0.05, 150), (0.5, 0.2, 20_000)]
)
def test_a_fall_is_found_where_it_begins(seed: int, fall: float, noise: float, count: int) -> None:
    rng = np.random.default_rng(seed)
    values = _speed(rng, count, noise)
    at = int(rng.uniform(0.3, 0.8) * count)
    values[at:] *= 1 - fall
    found = _found(values)
    assert found is not None
    assert abs(found - at) <= max(3, 0.02 * count)


@pytest.mark.parametrize("seed", _SEEDS)
def test_a_fall_is_found_between_pauses_for_evaluation_and_after_a_warm_up(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = _speed(rng, 3000)
    values[:150] *= np.linspace(0.2, 1, 150)
    values[1800:] *= 0.75
    values[::100] *= 0.1
    found = _found(values)
    assert found is not None
    assert abs(found - 1800) <= 40


@pytest.mark.parametrize("seed", _SEEDS)
def test_a_speed_that_falls_slowly_is_found(seed: int) -> None:
    values = _speed(np.random.default_rng(seed), 2000)
    values[600:] *= np.linspace(1, 0.6, 1400)
    found = _found(values)
    assert found is not None
    assert 900 <= found <= 1700


# --- healthy ------------------------------------------------------------------------------------------


def _noisy(rng: np.random.Generator) -> _Floats:
    return _speed(rng, 1000, 0.25)


def _warm_up(rng: np.random.Generator) -> _Floats:
    values = _speed(rng, 1000)
    values[:60] *= np.linspace(0.05, 1, 60)  # compilation
    return values


def _fast_start(rng: np.random.Generator) -> _Floats:
    values = _speed(rng, 1000)
    values[:60] *= 1.5  # batches that waited in the queue
    return values


def _evaluations(rng: np.random.Generator) -> _Floats:
    values = _speed(rng, 2000)
    values[np.arange(100, 2000, 100)] *= 0.05
    return values


def _long_evaluations(rng: np.random.Generator) -> _Floats:
    values = _speed(rng, 2000)
    for begin in range(250, 2000, 500):
        values[begin : begin + 40] *= 0.3
    return values


def _epochs(rng: np.random.Generator) -> _Floats:
    period = np.arange(2000) % 200
    return np.asarray(_speed(rng, 2000) * np.where(period < 20, 0.5, 1.0))


def _slow_hour(rng: np.random.Generator) -> _Floats:
    values = _speed(rng, 2000)
    values[900:1200] *= 0.6  # somebody else used the storage, and left
    return values


def _resume(rng: np.random.Generator) -> _Floats:
    values = _speed(rng, 2000)
    values[1000:1030] *= np.linspace(0.05, 1, 30)
    return values


def _last_checkpoint(rng: np.random.Generator) -> _Floats:
    values = _speed(rng, 1000)
    values[-20:] *= 0.3
    return values


def _small_fall(rng: np.random.Generator) -> _Floats:
    values = _speed(rng, 1000)
    values[500:] *= 0.95
    return values


def _faster(rng: np.random.Generator) -> _Floats:
    values = _speed(rng, 1000)
    values[400:] *= 1.4
    return values


def _wanders(rng: np.random.Generator) -> _Floats:
    slow = np.convolve(rng.standard_normal(2400), np.ones(60) / 60, "same")[:2000]
    return np.asarray(_speed(rng, 2000) * (1 + 0.3 * slow))


def _two_levels(rng: np.random.Generator) -> _Floats:
    """Batches of two lengths in turn."""
    return np.asarray(_speed(rng, 1500) * rng.choice([0.7, 1.0], 1500))


def _short(rng: np.random.Generator) -> _Floats:
    values = _speed(rng, 60)
    values[30:] *= 0.6
    return values


_HEALTHY = (
    *(_noisy, _warm_up, _fast_start, _evaluations, _long_evaluations, _epochs, _slow_hour, _resume),
    *(_last_checkpoint, _small_fall, _faster, _wanders, _two_levels, _short),
)


@pytest.mark.parametrize("make", _HEALTHY)
def test_healthy_speeds_are_left_alone(make: Callable[[np.random.Generator], _Floats]) -> None:
    assert [seed for seed in range(40) if _found(make(np.random.default_rng(seed))) is not None] == []


# --- the rule -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        *(
            (tag, True)
            for tag in ("mfu", "train/MFU", "perf/mfu_percent", "tokens_per_sec", "tokens/s", "tps")
        ),
        *((tag, True) for tag in ("throughput/tokens", "tokensPerSecond", "train/tok_per_sec_per_gpu")),
        *((tag, False) for tag in ("train/loss", "tokens", "total_tokens", "eval/tokens_per_second", "lr")),
        *((tag, False) for tag in ("samples_per_second", "token_accuracy", "num_tokens")),
        *((tag, False) for tag in ("train/seconds_per_token", "sec/token", "dev/tokens_per_second")),
    ],
)
def test_tags_of_speed_are_known_by_their_words(tag: str, expected: bool) -> None:
    assert is_speed(tag) is expected
    assert not is_speed(tag, "run/validation")


def _rule(data: FakeProvider) -> tuple[list[Finding], bool]:
    """What the rule found, and whether it could look."""
    host = Host(Registry.of([("diagnose", lambda: insight_diagnose)]), data)
    checked = host.check_rules([run.name for run in data.runs()], {}).rules
    (one,) = [one for one in checked if one.rule.id == "mfu_falls"]
    assert not one.failed
    return list(one.findings), not one.unchecked


def _run(tag: str, values: _Floats) -> FakeProvider:
    data = FakeProvider()
    steps = np.arange(len(values)) * 10
    data.add_scalars("run", tag, values, steps=steps)
    return data


def _fallen() -> _Floats:
    values = _speed(np.random.default_rng(1), 1000)
    values[500:] *= 0.7
    return values


def test_the_finding_names_levels_step_and_the_time_that_is_lost() -> None:
    ([finding], is_checked) = _rule(_run("tokens_per_sec", _fallen()))
    assert is_checked
    assert finding.severity == "warning"
    details: Mapping[str, Any] = finding.saw.details
    assert details["percent"] == 30
    assert abs(details["step"] - 5000) <= 30
    assert details["before"] == pytest.approx(50_000, rel=0.01)
    assert details["after"] == pytest.approx(35_000, rel=0.01)
    assert finding.place.tag == "tokens_per_sec"
    assert finding.place.steps == (details["step"], 9990)
    assert finding.saves is not None
    assert finding.saves.high == pytest.approx(0.3 * 0.5, rel=0.1)


def test_mfu_counts_where_a_run_logs_it_too() -> None:
    data = _run("tokens_per_sec", _fallen())
    data.add_scalars("run", "mfu", np.full(1000, 0.4), steps=np.arange(1000) * 10)
    assert _rule(data) == ([], True)


def test_a_run_without_speeds_is_not_checked() -> None:
    assert _rule(_run("train/loss", _fallen())) == ([], False)
