"""The first step where something happens, against a plain loop, on planted cases and on healthy series."""

from __future__ import annotations

import math
import tracemalloc

import insight_scalar
import numpy as np
import pytest
from insight_scalar.first_steps import LEAST, first_beyond, first_jump, first_nonfinite
from numpy.typing import NDArray
from werkzeug.test import Client

from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host

NOISE = np.random.default_rng(7)


def _oracle(values: NDArray[np.float64], sigma: float, window: int) -> int | None:
    """As the documentation says it, value by value."""
    before: list[float] = []
    for at, value in enumerate(values.tolist()):
        if not math.isfinite(value):
            continue
        last = before[-window:]
        if len(last) >= min(LEAST, window):
            mean = math.fsum(last) / len(last)
            deviation = math.sqrt(math.fsum((each - mean) ** 2 for each in last) / (len(last) - 1))
            if abs(value - mean) > max(sigma * deviation, 1e-6 * abs(mean)):
                return at
        before.append(value)
    return None


@pytest.mark.parametrize("window", [2, 30, 50, 100])
@pytest.mark.parametrize("sigma", [2.5, 3.0, 5.0])
def test_jumps_are_those_of_a_plain_loop(window: int, sigma: float) -> None:
    for seed in range(8):
        rng = np.random.default_rng(seed)
        values = 3.0 + rng.normal(size=400)
        values[rng.integers(0, 400, 12)] = rng.choice([np.nan, np.inf, -np.inf], 12)
        values[rng.integers(250, 400)] += 40.0
        assert first_jump(values, sigma, window) == _oracle(values, sigma, window)


def test_memory_does_not_grow_with_the_window() -> None:
    values = np.random.default_rng(0).normal(size=12_000)
    tracemalloc.start()
    assert first_jump(values, 50.0, 5000) is None
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40e6


@pytest.mark.parametrize("at", [31, 99, 100, 101, 8291, 8292, 8293, 19_999])
def test_a_planted_jump_is_found_at_its_place(at: int) -> None:
    values = 1.0 + 0.1 * np.random.default_rng(3).normal(size=20_000)
    assert first_jump(values) is None
    values[at] += 2.0
    assert first_jump(values) == at
    values[at] -= 4.0
    assert first_jump(values) == at


@pytest.mark.parametrize(
    "values",
    [
        2.3 * np.exp(-np.arange(5000) / 400) + 0.02 * NOISE.normal(size=5000),
        np.linspace(5, 0, 5000),
        0.5 + 0.05 * NOISE.normal(size=20_000),
        np.full(5000, 0.1),
        0.1 + 1e-9 * NOISE.integers(0, 2, 5000),
        np.sin(np.arange(5000) / 50),
        1e8 + NOISE.normal(size=5000),
        np.array([]),
        np.array([1.0, 1e9, np.nan]),
    ],
    ids=["decay", "line", "noise", "constant", "rounding", "wave", "far", "empty", "short"],
)
def test_a_healthy_series_has_no_jump(values: NDArray[np.float64]) -> None:
    assert first_jump(values) is None
    assert _oracle(values, 5.0, 100) is None


def test_values_beyond_a_limit_and_values_that_are_no_numbers() -> None:
    values = np.array([1.0, 10.0, np.nan, 11.0, np.inf, -np.inf])
    assert first_beyond(values, 10.0, above=True) == 3
    assert first_beyond(values, 12.0, above=True) == 4
    assert first_beyond(values, 1.0, above=False) == 5
    assert first_nonfinite(values) == 2
    assert first_nonfinite(values[:2]) is None


@pytest.fixture
def client() -> Client:
    provider = FakeProvider("logs")
    values = [1.0] * 5000
    provider.add_scalars("healthy", "loss", values)
    provider.add_scalars("late", "loss", [*values[:4000], float("nan"), *values[4001:]])
    provider.add_scalars("early", "loss", [*values[:1742], 50.0, *values[1743:]])
    return Client(Host(Registry.of([("scalar", lambda: insight_scalar)]), provider))


def test_the_route_looks_at_every_point_of_every_run(client: Client) -> None:
    def first(**query: object) -> list[tuple[str, int]]:
        answer = client.get("/data/plugin/scalar/first", query_string={"tag": "loss", **query}).json or {}
        assert (answer["series"], answer["points"]) == (3, 15_000)
        return [(point["run"], point["step"]) for point in answer["found"]]

    assert first(when="nonfinite") == [("late", 4000)]
    assert first(when="above", value=49) == [("early", 1742)]
    assert first(when="below", value=1) == []
    assert first(when="jump") == [("early", 1742)]
    assert first(when="jump", sigma=3, window=50) == [("early", 1742)]
    refused = client.get("/data/plugin/scalar/first", query_string={"tag": "loss", "when": "above"})
    assert (refused.status_code, (refused.json or {})["code"]) == (400, "missing_parameter")
