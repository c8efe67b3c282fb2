"""Measures how flat a landscape is around the end of training, with what the grid leaves uncertain.

Flat filter-normalised landscapes go with generalisation: Li et al., NeurIPS 2018 (arXiv:1712.09913). How far
a value may be off is how far it is from the one that every second point of the grid gives.
"""

from __future__ import annotations

import numpy as np
from attrs import frozen

from insight_landscape.interpolation import LossSurface
from insight_landscape.landscape import Floats, Landscape
from insight_landscape.quadratic import (
    ROUNDING,
    Curvature,
    Measured,
    Minimum,
    QuadraticFit,
    above,
    rounding_of,
)

_ANGLES = 180  # points of a circle
_FINE = 4  # parts of an interval of the grid, for areas
_FINEST = 400  # parts of an axis
_LEAST = 6  # points of an axis of which every second one still says something
_KNOWN = 0.9  # share of a circle that must be finite


@frozen
class Area:
    """The part of the plane whose loss is at most ``epsilon`` above the smallest; ``edge``: it goes on."""

    size: Measured
    edge: bool


@frozen
class Flatness:
    """``loss`` is that of the end; all others are None where the grid has too few finite numbers there.

    ``rise`` is the mean loss on the circle of ``radius`` around the end, above the loss there; ``worst`` the
    largest. ``curvature`` is that of the points next to the end, ``wide_curvature`` of all within the radius:
    they differ where the loss ripples. ``rounding`` is how far equal losses may be apart. ``normalised``: the
    directions are filter-normalised, so that models can be compared.
    """

    loss: float
    radius: float
    epsilon: float
    rise: Measured | None
    worst: Measured | None
    area: Area | None
    curvature: Curvature | None
    wide_curvature: Curvature | None
    minimum: Minimum | None
    rounding: float
    normalised: bool


def end_of(landscape: Landscape) -> tuple[float, float]:
    """Returns where training ended in the plane; the place of the smallest loss if the file does not say."""
    if landscape.convergence is not None:
        return landscape.convergence[0], landscape.convergence[1]
    finite = np.where(np.isfinite(landscape.z), landscape.z, np.inf)
    row, column = np.unravel_index(int(finite.argmin()), finite.shape)
    return float(landscape.x[column]), float(landscape.y[row])


def reach_of(landscape: Landscape) -> float:
    """The radius of the largest circle around the end within the grid, 0 if the end is outside."""
    x, y = end_of(landscape)
    sides = (x - landscape.x[0], landscape.x[-1] - x, y - landscape.y[0], landscape.y[-1] - y)
    return max(0.0, float(min(sides)))


def rise_at(landscape: Landscape, radius: float) -> Measured | None:
    """The mean rise of the loss on a circle around the end."""
    found = _circle(landscape, radius)
    return None if found is None else found[0]


def flatness_of(landscape: Landscape, radius: float, epsilon: float) -> Flatness | None:
    """None without a finite loss at the end."""
    loss = _loss_at_end(landscape)
    if not np.isfinite(loss):
        return None
    circle = _circle(landscape, radius)
    rise, worst = circle or (None, None)
    near = QuadraticFit.near(landscape, end_of(landscape))
    wide = None if circle is None else QuadraticFit.within(landscape, end_of(landscape), radius) or near
    return Flatness(
        loss,
        radius,
        epsilon,
        rise,
        worst,
        _area(landscape, epsilon),
        None if near is None else near.curvature(),
        None if wide is None else wide.curvature(),
        None if wide is None or rise is None else wide.minimum(radius, rise.value),
        rounding_of(landscape),
        landscape.decomposition.lower() == "random",
    )


def _loss_at_end(landscape: Landscape) -> float:
    if landscape.convergence is not None and np.isfinite(landscape.convergence[2]):
        return landscape.convergence[2]
    return float(LossSurface.of(landscape).at(*(np.array([place]) for place in end_of(landscape)))[0])


def _circle(landscape: Landscape, radius: float) -> tuple[Measured, Measured] | None:
    """The mean and the largest rise on it; None where it is not on the grid or too little of it is finite."""
    if not 0 < radius <= reach_of(landscape) * (1 + 1e-9):
        return None
    angles = np.linspace(0, 2 * np.pi, _ANGLES, endpoint=False)
    x, y = end_of(landscape)
    across = np.clip(x + radius * np.cos(angles), landscape.x[0], landscape.x[-1])
    down = np.clip(y + radius * np.sin(angles), landscape.y[0], landscape.y[-1])
    losses = _rounded(LossSurface.of(landscape).at(across, down) - _loss_at_end(landscape), landscape)
    known = np.isfinite(losses)
    if known.mean() < _KNOWN:
        return None
    error = worst_error = None
    if (coarse := _halved(landscape)) is not None:
        inside = (across >= coarse.x[0]) & (across <= coarse.x[-1])
        inside &= (down >= coarse.y[0]) & (down <= coarse.y[-1])
        others = _rounded(LossSurface.of(coarse).at(across, down) - _loss_at_end(landscape), landscape)
        both = known & inside & np.isfinite(others)
        if both.mean() >= _KNOWN:
            error = abs(float((losses[both] - others[both]).mean()))
            worst_error = abs(float(losses[both].max() - others[both].max()))
    rise = float(losses[known].mean())
    least = ROUNDING * float(np.ptp(landscape.z[np.isfinite(landscape.z)]))
    error = None if error is None else above(least, error)
    mean = Measured(above(least, rise), error)
    return mean, Measured(float(losses[known].max()), worst_error)


def _rounded(differences: Floats, landscape: Landscape) -> Floats:
    """Differences of losses; those that are only rounding are 0."""
    return np.where(np.abs(differences) <= ROUNDING * _largest(landscape), 0.0, differences)


def _largest(landscape: Landscape) -> float:
    """The largest size of a loss, by which rounding is judged."""
    return float(np.abs(landscape.z[np.isfinite(landscape.z)]).max(initial=0.0))


def _area(landscape: Landscape, epsilon: float) -> Area | None:
    fine = _below(landscape, epsilon)
    if fine is None:
        return None
    coarse = _halved(landscape)
    other = None if coarse is None else _below(coarse, epsilon)
    return Area(Measured(fine[0], None if other is None else abs(fine[0] - other[0])), fine[1])


def _below(landscape: Landscape, epsilon: float) -> tuple[float, bool] | None:
    """The area that is at most ``epsilon`` above the smallest loss, and whether it is at an edge."""
    if not np.isfinite(landscape.z).any():
        return None
    across, wide = _finer(landscape.x)
    down, high = _finer(landscape.y)
    grid_x, grid_y = np.meshgrid(across, down)
    losses = LossSurface.of(landscape).at(grid_x.ravel(), grid_y.ravel()).reshape(grid_x.shape)
    lowest = float(landscape.z[np.isfinite(landscape.z)].min())
    # Losses that are equal but for rounding are equally low.
    level = lowest + epsilon + ROUNDING * max(abs(lowest), abs(epsilon))
    shares = _shares_below(losses, level)
    ends = (landscape.z[[0, -1]], landscape.z[:, [0, -1]])
    return float((shares * np.outer(high, wide)).sum()), any(bool((one <= level).any()) for one in ends)


def _shares_below(losses: Floats, level: float) -> Floats:
    """Returns the share of each part of the plane at or below a level: within a part, losses are a plane."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        slopes = [np.abs(np.gradient(losses, axis=axis)) / 2 for axis in (0, 1)]
        steep, gentle = np.maximum(*slopes), np.minimum(*slopes)
        above, reach = losses - level, steep + gentle
        # The distribution of a sum of two even ones.
        squares = [
            np.maximum(corner - above, 0) ** 2 for corner in (reach, steep - gentle, gentle - steep, -reach)
        ]
        both = (squares[0] - squares[1] - squares[2] + squares[3]) / (8 * steep * gentle)
        shares = np.where(gentle > 1e-6 * steep, both, (steep - above) / (2 * steep))
        crossed = np.isfinite(shares) & (np.abs(above) < reach)
    return np.where(crossed, np.clip(shares, 0, 1), above <= 0)


def _finer(axis: Floats) -> tuple[Floats, Floats]:
    """Middles of the parts of each interval, and how wide they are."""
    parts = max(1, min(_FINE, _FINEST // len(axis)))
    widths = np.diff(axis) / parts
    middles = axis[:-1, None] + widths[:, None] * (np.arange(parts) + 0.5)
    return middles.ravel(), np.repeat(widths, parts)


def _halved(landscape: Landscape) -> Landscape | None:
    """Every second point; None of small grids."""
    if min(len(landscape.x), len(landscape.y)) < _LEAST:
        return None
    return Landscape(
        landscape.x[::2], landscape.y[::2], landscape.z[::2, ::2], convergence=landscape.convergence
    )
