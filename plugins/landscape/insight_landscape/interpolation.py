"""The loss between the points of a landscape.

A bicubic Hermite surface whose slopes are those of parabolas: exact for quadratics, on uneven axes too.
"""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_landscape.landscape import Floats, Landscape


@frozen(eq=False)
class LossSurface:
    """Losses between the points: cubic where the points around are finite, else bilinear."""

    x: Floats
    y: Floats
    z: Floats
    slopes: tuple[Floats, Floats, Floats]  # by x, by y, by both

    @classmethod
    def of(cls, landscape: Landscape) -> LossSurface:
        """The surface through the points of a landscape."""
        x, y, z = landscape.x, landscape.y, landscape.z
        with np.errstate(invalid="ignore", over="ignore"):
            by_x, by_y = _slopes(z, x, 1), _slopes(z, y, 0)
            return cls(x, y, z, (by_x, by_y, _slopes(by_x, y, 0)))

    def at(self, across: Floats, down: Floats) -> Floats:
        """The losses at places within the grid."""
        column, u, wide = _interval(self.x, across)
        row, v, high = _interval(self.y, down)
        ends = ((0, 0), (0, 1), (1, 0), (1, 1))
        with np.errstate(invalid="ignore", over="ignore"):
            (ku, su), (kv, sv) = _hermite(u), _hermite(v)
            cubic, linear = np.zeros_like(across), np.zeros_like(across)
            for right, up in ends:
                place = row + up, column + right
                by_x, by_y, by_both = (one[place] for one in self.slopes)
                cubic += self.z[place] * ku[right] * kv[up] + by_x * wide * su[right] * kv[up]
                cubic += by_y * high * ku[right] * sv[up] + by_both * wide * high * su[right] * sv[up]
                weight = np.where(right, u, 1 - u) * np.where(up, v, 1 - v)
                linear += np.where(weight > 0, weight * self.z[place], 0.0)
        return np.where(np.isfinite(cubic), cubic, linear)


def _slopes(values: Floats, axis: Floats, along: int) -> Floats:
    """Returns the slopes of the parabola through each point and its neighbours."""
    if len(axis) > 2:
        return np.asarray(np.gradient(values, axis, axis=along, edge_order=2), np.float64)
    return np.asarray(np.gradient(values, axis, axis=along), np.float64)


def _interval(axis: Floats, values: Floats) -> tuple[NDArray[np.intp], Floats, Floats]:
    """The interval of each value, how far in it, and its width."""
    place = np.clip(np.searchsorted(axis, values, side="right") - 1, 0, len(axis) - 2)
    width = axis[place + 1] - axis[place]
    return place, (values - axis[place]) / width, width


def _hermite(t: Floats) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """Weights of the values at both ends, and of the slopes."""
    values = (1 + 2 * t) * (1 - t) ** 2, t * t * (3 - 2 * t)
    return values, (t * (1 - t) ** 2, t * t * (t - 1))
