"""Flatness of landscapes whose rise, area and curvature are known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from insight_landscape.compared import compared_flatness
from insight_landscape.flatness import Flatness, flatness_of, reach_of, rise_at
from insight_landscape.landscape import Landscape
from numpy.typing import NDArray


def _quadratic(
    curvatures: tuple[float, float],
    turned: float = 0.0,
    end: tuple[float, float] = (0.0, 0.0),
    points: int = 40,
    noise: float = 0.0,
) -> Landscape:
    """Half the curvatures times the squared distances along two axes that are turned, above a loss of 0.3."""
    axis = np.linspace(-1, 1, points)
    x, y = np.meshgrid(axis - end[0], axis - end[1])
    u, v = x * math.cos(turned) + y * math.sin(turned), y * math.cos(turned) - x * math.sin(turned)
    z = 0.3 + (curvatures[0] * u**2 + curvatures[1] * v**2) / 2
    z += noise * np.random.default_rng(0).normal(size=z.shape)
    return Landscape(axis, axis, z, convergence=(*end, 0.3), decomposition="Random")


def _measured(landscape: Landscape, radius: float = 0.5, epsilon: float = 0.1) -> Flatness:
    found = flatness_of(landscape, radius, epsilon)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("curvatures", "turned", "end"),
    [((2.0, 8.0), 0.0, (0.0, 0.0)), ((2.0, 8.0), 0.7, (0.0, 0.0)), ((1.0, 3.0), 0.4, (0.21, -0.13))],
)
def test_a_quadratic_has_its_curvatures_rise_and_area(
    curvatures: tuple[float, float], turned: float, end: tuple[float, float]
) -> None:
    found = _measured(_quadratic(curvatures, turned, end))
    small, large = curvatures
    assert found.curvature is not None
    assert found.curvature.largest.value == pytest.approx(large, rel=1e-9)
    assert found.curvature.smallest.value == pytest.approx(small, rel=1e-9)
    assert found.curvature.largest.error == pytest.approx(0, abs=1e-9)
    # The mean of cos² and of sin² on a circle is a half.
    assert found.rise is not None
    assert found.rise.value == pytest.approx((small + large) / 4 * 0.5**2, rel=1e-9)
    assert found.rise.error == pytest.approx(0, abs=1e-9)
    assert found.worst is not None
    assert found.worst.value == pytest.approx(large / 2 * 0.5**2, rel=1e-3)
    assert found.area is not None
    # The smallest point of the grid is not the end, which makes the area slightly larger.
    assert found.area.size.value == pytest.approx(2 * math.pi * 0.1 / math.sqrt(small * large), rel=0.04)
    assert not found.area.edge
    assert found.loss == 0.3
    assert found.normalised


def test_a_saddle_has_a_negative_curvature_and_an_area_to_the_edge() -> None:
    found = _measured(_quadratic((-4.0, 4.0)))
    assert found.curvature is not None
    assert found.curvature.smallest.value == pytest.approx(-4)
    assert found.curvature.largest.value == pytest.approx(4)
    assert found.rise is not None
    assert found.rise.value == pytest.approx(0, abs=1e-9)
    assert found.area is not None
    assert found.area.edge


@pytest.mark.parametrize(
    ("curvatures", "points", "epsilon"), [((1, 1), 21, 0.03), ((20, 5), 41, 0.03), ((3, 7), 33, 0.005)]
)
def test_a_small_area_is_within_the_error_that_is_said(
    curvatures: tuple[float, float], points: int, epsilon: float
) -> None:
    found = _measured(_quadratic(curvatures, points=points), epsilon=epsilon)
    exact = 2 * math.pi * epsilon / math.sqrt(curvatures[0] * curvatures[1])
    assert found.area is not None
    assert found.area.size.value == pytest.approx(exact, rel=0.03)
    assert found.area.size.error is not None
    assert abs(found.area.size.value - exact) < found.area.size.error + 0.01 * exact


def test_an_area_at_the_edge_and_one_of_equal_losses() -> None:
    saddle = _measured(_quadratic((-3.0, 4.0), points=21), epsilon=0.03)
    assert saddle.area is not None
    assert saddle.area.edge
    # Twice the integral over y of how far the loss stays near the one at the edge.
    down = np.linspace(-0.2, 0.2, 100_001)
    room = 1 - np.sqrt(np.clip((1.5 - 0.03 + 2 * down**2) / 1.5, 0, 1))
    exact = 2 * float(room.mean()) * 0.4
    assert saddle.area.size.value == pytest.approx(exact, rel=0.1)
    axis = np.linspace(-1, 1, 21)
    flat = _measured(Landscape(axis, axis, np.full((21, 21), 0.5), convergence=(0, 0, 0.5)), epsilon=0.0)
    assert flat.area is not None
    assert flat.area.size.value == pytest.approx(4)
    assert flat.rise is not None
    assert flat.curvature is not None
    assert (flat.rise.value, flat.curvature.largest.value) == (0, 0)
    assert flat.area.edge


def test_a_run_that_diverged_hides_the_flatness_of_no_other() -> None:
    bowl, axis = _quadratic((2.0, 8.0)), np.linspace(-0.1, 0.1, 21)
    nothing = np.full((21, 21), np.nan)
    ends = ((0.0, 0.0, np.nan), (0.0, 0.0, 1.0), None)
    diverged = [Landscape(axis, axis, nothing, convergence=end) for end in ends]
    alone = compared_flatness({"bowl": ("final", bowl)}, None, None)
    named = {f"d{at}": ("final", one) for at, one in enumerate(diverged)}
    found = compared_flatness({**named, "bowl": ("final", bowl)}, None, None)
    assert found["runs"][0] == alone["runs"][0]
    assert (found["radius"], found["epsilon"]) == (alone["radius"], alone["epsilon"])
    assert [one["rise"] for one in found["runs"][1:]] == [None, None, None]


def test_noise_is_within_the_errors_that_are_said() -> None:
    quiet, noisy = _measured(_quadratic((2.0, 8.0))), _measured(_quadratic((2.0, 8.0), noise=0.01))
    assert quiet.curvature is not None
    assert noisy.curvature is not None
    assert quiet.rise is not None
    assert noisy.rise is not None
    for one, other in (
        (quiet.curvature.largest, noisy.curvature.largest),
        (quiet.curvature.smallest, noisy.curvature.smallest),
        (quiet.rise, noisy.rise),
    ):
        assert other.error is not None
        assert 0 < other.error < 5
        assert abs(one.value - other.value) < 4 * other.error + 0.01


def test_a_surface_that_is_no_quadratic_has_an_error_that_shrinks_with_the_grid() -> None:
    def bumpy(points: int) -> Flatness:
        axis = np.linspace(-1, 1, points)
        x, y = np.meshgrid(axis, axis)
        z = 1 - np.exp(-3 * (x**2 + 2 * y**2)) + 0.05 * np.cos(9 * x)
        return _measured(Landscape(axis, axis, z, convergence=(0, 0, 0.05)))

    coarse, fine = bumpy(21), bumpy(81)
    assert coarse.rise is not None
    assert coarse.rise.error is not None
    assert fine.rise is not None
    assert fine.rise.error is not None
    angles = np.linspace(0, 2 * np.pi, 100_000)
    x, y = 0.5 * np.cos(angles), 0.5 * np.sin(angles)
    exact = float((1 - np.exp(-3 * (x**2 + 2 * y**2)) + 0.05 * np.cos(9 * x) - 0.05).mean())
    assert fine.rise.error < coarse.rise.error / 4
    for found in (coarse.rise, fine.rise):
        assert found.error is not None
        assert abs(found.value - exact) < found.error + 1e-4
    assert not fine.normalised


def test_uneven_axes_count_as_they_are() -> None:
    x, y = np.sort(np.tanh(np.linspace(-1.5, 1.5, 31))), np.linspace(-1, 1, 25)
    across, down = np.meshgrid(x, y)
    found = _measured(Landscape(x, y, across**2 + 3 * down**2, convergence=(0, 0, 0)), radius=0.6)
    assert found.rise is not None
    assert found.rise.value == pytest.approx((2 + 6) / 4 * 0.36, rel=1e-9)
    assert found.curvature is not None
    assert found.curvature.largest.value == pytest.approx(6, rel=1e-9)


def test_what_the_grid_cannot_say_is_none() -> None:
    landscape = _quadratic((2.0, 8.0), end=(0.9, 0.0))
    assert reach_of(landscape) == pytest.approx(0.1)
    assert rise_at(landscape, 0.5) is None
    hole = _quadratic((2.0, 8.0))
    z: NDArray[np.float64] = hole.z.copy()
    z[:, :12] = np.nan
    holed = Landscape(hole.x, hole.y, z, convergence=(0, 0, 0.3))
    found = _measured(holed)
    assert found.rise is None
    assert found.curvature is not None
    assert _measured(holed, radius=0.2).rise is not None
    empty = Landscape(hole.x, hole.y, np.full_like(z, np.nan))
    assert flatness_of(empty, 0.5, 0.1) is None
    tiny = Landscape(np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.eye(2), convergence=(0.5, 0.5, 0.5))
    assert _measured(tiny, radius=0.3).curvature is None


def test_runs_are_ranked_by_the_rise_on_the_same_circle() -> None:
    sharp, flat = _quadratic((8.0, 8.0)), _quadratic((1.0, 1.0), end=(0.2, 0.0))
    outside = Landscape(flat.x, flat.y, flat.z, convergence=(5, 5, 0.1))
    three = {"s": ("final", sharp), "f": ("final", flat), "o": ("final", outside)}
    found = compared_flatness(three, None, None)
    assert [one["run"] for one in found["runs"]] == ["f", "s", "o"]
    assert found["reach"] == pytest.approx(0.8)
    assert found["radius"] == pytest.approx(0.4)
    assert found["runs"][0]["rise"]["value"] == pytest.approx(0.5 * 0.4**2)
    assert found["epsilon"] == pytest.approx(0.04)
    assert found["runs"][0]["area"]["size"]["value"] == pytest.approx(2 * math.pi * 0.04, rel=0.04)
    assert found["runs"][2]["rise"] is None
    given = compared_flatness({"s": ("final", sharp)}, 0.1, 0.02)
    assert (given["radius"], given["epsilon"]) == (0.1, 0.02)
    assert compared_flatness({}, None, None)["runs"] == []


def test_an_end_on_a_slope_has_an_area_of_some_height() -> None:
    axis = np.linspace(-1, 1, 21)
    slope = Landscape(axis, axis, np.tile(axis, (21, 1)), convergence=(0.0, 0.0, 0.1))
    found = compared_flatness({"s": ("final", slope)}, None, None)
    assert found["runs"][0]["rise"]["value"] == pytest.approx(-0.1)
    assert found["epsilon"] == pytest.approx(0.05 * 2)
    assert found["runs"][0]["area"]["edge"]
    assert found["runs"][0]["area"]["size"]["value"] == pytest.approx(0.1 * 2)


def _plane(*slopes: float, level: float = 10.0) -> Landscape:
    """A plane, whose mean rise on every circle and whose curvatures are 0 but for rounding."""
    axis = np.linspace(-1, 1, 41)
    x, y = np.meshgrid(axis, axis)
    return Landscape(axis, axis, slopes[0] * x + slopes[1] * y + level, convergence=(0.0, 0.0, level))


@pytest.mark.parametrize("slopes", [(3.0, 0.0), (0.7, -2.0)])
def test_a_slope_that_rises_by_rounding_alone_sets_no_epsilon(slopes: tuple[float, float]) -> None:
    bowl = _quadratic((4.0, 4.0), points=41)
    alone = compared_flatness({"bowl": ("final", bowl)}, None, None)
    found = compared_flatness({"slope": ("final", _plane(*slopes)), "bowl": ("final", bowl)}, None, None)
    assert found["epsilon"] == alone["epsilon"] == pytest.approx(0.5 * 2 * 0.5**2)
    same, slope = found["runs"]
    assert same == alone["runs"][0]
    assert slope["rise"] == {"value": 0.0, "error": 0.0}
    # The part of the square next to its lowest corner whose loss is at most epsilon above the smallest.
    p, q = (abs(one) for one in slopes)
    exact = 0.25 / p * 2 if q == 0 else 0.25**2 / (2 * p * q)
    assert slope["area"]["size"]["value"] == pytest.approx(exact, rel=0.02)
    assert slope["curvature"] == {one: {"value": 0.0, "error": 0.0} for one in ("largest", "smallest")}


def test_a_rise_within_its_error_sets_no_epsilon() -> None:
    """Noise without a bowl: the grid does not say whether the loss rises."""
    axis = np.linspace(-1, 1, 41)
    noise = Landscape(axis, axis, np.random.default_rng(3).normal(1, 1e-3, (41, 41)), convergence=(0, 0, 1.0))
    rise = rise_at(noise, 0.5)
    assert rise is not None
    assert rise.error is not None
    assert 0 < rise.value < rise.error
    bowl = _quadratic((4.0, 4.0), points=41)
    found = compared_flatness({"noise": ("final", noise), "bowl": ("final", bowl)}, None, None)
    assert found["epsilon"] == pytest.approx(0.25)


def test_a_valley_across_the_axes_is_flat_along_itself() -> None:
    axis = np.linspace(-1, 1, 41)
    x, y = np.meshgrid(axis, axis)
    found = _measured(Landscape(axis, axis, (x + y) ** 2 / 2 + 1, convergence=(0.0, 0.0, 1.0)))
    assert found.curvature is not None
    assert found.curvature.smallest.value == 0
    assert found.curvature.largest.value == pytest.approx(2, rel=1e-9)


def test_a_small_curvature_above_rounding_stays() -> None:
    axis = np.linspace(-1, 1, 41)
    x, y = np.meshgrid(axis, axis)
    z = 100 + 3e-6 * (x**2 + 2 * y**2)
    found = _measured(Landscape(axis, axis, z, convergence=(0.0, 0.0, 100.0)))
    assert found.curvature is not None
    assert found.curvature.smallest.value == pytest.approx(6e-6, rel=0.01)
