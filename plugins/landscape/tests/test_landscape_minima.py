"""Whether training ended in a minimum: analytic landscapes of many shapes, whose answer is known."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import insight_landscape
import numpy as np
import pytest
from insight_landscape.claims import LANDSCAPE_FIELD
from insight_landscape.compared import compared_flatness
from insight_landscape.flatness import flatness_of
from insight_landscape.landscape import Landscape
from insight_landscape.quadratic import Minimum
from numpy.random import Generator
from numpy.typing import NDArray

from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host
from tests.support.landscapes import mindspore_landscape, points

Floats: TypeAlias = NDArray[np.float64]
Shape: TypeAlias = Callable[[Floats, Floats], Floats]
_SEEDS = range(900, 940)  # thresholds were set on seeds below 100


def _grid(
    rng: Generator, shape: Shape, end: tuple[float, float] = (0.0, 0.0), noise: float = 0.0
) -> Landscape:
    """A surface of a random size, spacing and level; ``noise`` is a share of its range."""
    columns, rows = (int(one) for one in rng.integers(15, 60, 2))
    half = rng.uniform(0.5, 2)
    x, y = np.linspace(-half, half, columns), np.linspace(-half, half, rows)
    across, down = np.meshgrid(x / half, y / half)
    z = shape(across - end[0], down - end[1]) * 10 ** rng.uniform(-2, 1)
    z = z + rng.uniform(0, 3) + noise * np.ptp(z) * rng.normal(size=z.shape)
    if rng.random() < 0.5:
        z = z.astype(np.float32).astype(np.float64)
    return Landscape(x, y, z, convergence=(0.0, 0.0, _at_end(x, y, z)), decomposition="Random")


def _at_end(x: Floats, y: Floats, z: Floats) -> float:
    row = np.array([np.interp(0.0, x, line) for line in z])
    return float(np.interp(0.0, y, row))


def _turned(rng: Generator, along: float, across: float) -> Shape:
    turn = rng.uniform(0, 2 * math.pi)

    def shape(x: Floats, y: Floats) -> Floats:
        u, v = x * math.cos(turn) + y * math.sin(turn), y * math.cos(turn) - x * math.sin(turn)
        return np.asarray((along * u**2 + across * v**2) / 2)

    return shape


def _minimum(landscape: Landscape, radius: float | None = None) -> Minimum:
    half = float(landscape.x[-1])
    found = flatness_of(landscape, 0.5 * half if radius is None else radius * half, 0.1)
    assert found is not None
    assert found.minimum is not None
    return found.minimum


def _healthy(rng: Generator, kind: int) -> Landscape:
    flat = float(10 ** rng.uniform(-2, 0))
    bowl = _turned(rng, 1, flat)
    small = rng.uniform(0, 0.1) * np.array([math.cos(kind), math.sin(kind)])
    match kind:
        case 0:
            return _grid(rng, bowl)
        case 1:  # the end is a little beside the smallest point
            return _grid(rng, _turned(rng, 1, rng.uniform(0.3, 1)), (float(small[0]), float(small[1])))
        case 2:
            return _grid(rng, bowl, noise=rng.uniform(0.001, 0.05))
        case 3:  # ripples
            waves = rng.uniform(15, 40)
            return _grid(rng, lambda x, y: bowl(x, y) + 0.02 * (2 - np.cos(waves * x) - np.cos(waves * y)))
        case 4:
            return _grid(rng, lambda x, y: 1 - np.exp(-3 * bowl(x, y)))
        case 5:
            return _grid(rng, lambda x, y: bowl(x, y) ** 2)
        case _:  # a cross entropy of a net in two directions
            return _grid(rng, lambda x, y: np.log(1 + np.exp(4 * np.hypot(x, flat * y) - 2)))


@pytest.mark.parametrize("kind", range(7))
def test_a_minimum_is_one_with_noise_ripples_and_valleys(kind: int) -> None:
    found = [_minimum(_healthy(np.random.default_rng([seed, kind]), kind)).kind for seed in _SEEDS]
    assert found == ["minimum"] * len(found)


@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_a_saddle_is_none(noise: float) -> None:
    found = []
    for seed in _SEEDS:
        rng = np.random.default_rng([seed, 20])
        shape = _turned(rng, 1, -float(10 ** rng.uniform(-0.9, 0.5)))
        found.append(_minimum(_grid(rng, shape, noise=noise)))
    assert [one.kind for one in found] == ["saddle"] * len(found)
    assert all(len(one.falls) == 2 for one in found)


@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_an_end_on_a_slope_is_none_and_falls_towards_the_smallest_point(noise: float) -> None:
    names = ("e", "ne", "n", "nw", "w", "sw", "s", "se")
    for seed in _SEEDS:
        rng = np.random.default_rng([seed, 30])
        away, angle = rng.uniform(0.3, 1.5), rng.uniform(0, 2 * math.pi)
        low = away * math.cos(angle), away * math.sin(angle)
        # round bowls, and bowls that are flat far away
        bowl = _turned(rng, 1, 1)
        shape = bowl if seed % 2 else (lambda x, y: 1 - np.exp(-bowl(x, y)))  # noqa: B023
        found = _minimum(_grid(rng, shape, low, noise))
        assert found.kind == "slope"
        near = {names[(round(angle / (math.pi / 4)) + turn) % 8] for turn in (-1, 0, 1)}
        assert found.falls[0] in near
        assert found.drop > 0


def test_runs_that_did_not_end_in_a_minimum_are_not_ranked() -> None:
    for seed in _SEEDS:
        rng = np.random.default_rng([seed, 40])
        runs = {
            "slope": _grid(rng, _turned(rng, 0.1, 0.1), (0.6, 0.1)),
            "saddle": _grid(rng, _turned(rng, 0.1, -0.1)),
            "sharp": _grid(rng, lambda x, y: 9e4 * (x**2 + y**2)),
            "flat": _grid(rng, lambda x, y: x**2 + y**2),
        }
        found = compared_flatness({run: ("final", one) for run, one in runs.items()}, None, None)["runs"]
        assert [one["run"] for one in found][:2] == ["flat", "sharp"]
        assert [one["minimum"]["kind"] for one in found[2:]] == ["slope", "saddle"]
        assert [one["tie"] for one in found] == [False] * 4


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_runs_that_differ_by_the_rounding_of_losses_are_a_tie(
    kind: type[np.floating[Any]],
) -> None:
    axis = np.linspace(-1, 1, 41)
    x, y = np.meshgrid(axis, axis)
    for seed in _SEEDS:
        rng = np.random.default_rng([seed, 50])
        level, bend = rng.uniform(0.1, 5), rng.uniform(0.5, 2)
        runs = {}
        for number, step in enumerate((0.0, float(np.finfo(kind).eps) * level, 0.01 * bend)):
            z = (level + (bend + step) * (x**2 + y**2)).astype(kind).astype(np.float64)
            runs[f"model-{number}"] = "final", Landscape(axis, axis, z, convergence=(0, 0, float(z[20, 20])))
        found = compared_flatness(runs, None, None)["runs"]
        assert {found[0]["run"], found[1]["run"]} == {"model-0", "model-1"}
        assert [one["tie"] for one in found] == [False, True, False]


def test_ripples_have_a_curvature_of_their_own_and_that_of_the_bowl_below() -> None:
    for seed in _SEEDS:
        rng = np.random.default_rng([seed, 60])
        small, large, waves = rng.uniform(0.2, 0.5), rng.uniform(0.5, 1), rng.uniform(25, 40)
        bowl = _turned(rng, large, small)
        axis = np.linspace(-1, 1, 81)
        x, y = np.meshgrid(axis, axis)
        z = 1 + bowl(x, y) + 0.005 * (np.cos(waves * x) + np.cos(waves * y) - 2)
        found = flatness_of(Landscape(axis, axis, z, convergence=(0.0, 0.0, 1.0)), 0.5, 0.1)
        assert found is not None
        assert found.curvature is not None
        assert found.wide_curvature is not None
        assert found.curvature.smallest.value < -1  # the end is the top of a ripple
        assert found.wide_curvature.largest.value == pytest.approx(large, abs=0.15)
        assert found.wide_curvature.smallest.value == pytest.approx(small, abs=0.15)
        assert found.minimum == Minimum("minimum")


def test_a_landscape_without_a_minimum_is_a_finding_of_its_run() -> None:
    rng = np.random.default_rng(5)
    shapes = {"minimum": _turned(rng, 1, 1), "saddle": _turned(rng, 1, -1), "slope": lambda x, y: x + 0 * y}
    fake = FakeProvider()
    for run, shape in shapes.items():
        found = _grid(rng, shape)
        surface, end = points(found.x, found.y, found.z), points([0], [0], [found.z.min()])
        payload = mindspore_landscape(surface, decomposition="Random", convergence=end)
        between = mindspore_landscape(
            surface, at=[1, 2], path=points([0, 0], [0, 0], [1, 1]), convergence=end
        )
        fake.add_records("landscape", run, "landscape_[2]", [payload], claim=LANDSCAPE_FIELD)
        fake.add_records("landscape", run, "landscape_[1, 2]", [between], claim=LANDSCAPE_FIELD)
    answer = Host(Registry.of([("landscape", lambda: insight_landscape)]), fake).findings()
    assert [one.reason for one in answer.unchecked if one.failed] == []
    assert {one.runs: one.saw.code for one in answer.findings[0].each} == {
        ("saddle",): "landscape_saddle",
        ("slope",): "landscape_slope",
    }
    assert answer.findings[0].severity == "hint"
