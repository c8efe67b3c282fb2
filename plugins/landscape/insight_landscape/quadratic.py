"""The quadratic that fits the losses around the end of training: its curvature, and where it falls."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_landscape.landscape import Floats, Landscape

Direction: TypeAlias = Literal["e", "ne", "n", "nw", "w", "sw", "s", "se"]
_COMPASS: tuple[Direction, ...] = (
    "e",
    "ne",
    "n",
    "nw",
    "w",
    "sw",
    "s",
    "se",
)  # anticlockwise from x

# Of the largest loss: smaller differences are only rounding; so is a mean rise below this share of the range.
ROUNDING = 1e-12
_SINGLE = 2.0**-24  # the same of losses that were computed in float32
_MANTISSA = 29  # bits that float64 has beyond float32
_NEAR = 13  # points of a fit: two more than twice what a quadratic has coefficients
_MOST = 4096  # points of a fit
_CERTAIN = 3.0  # standard errors
_FALLS = 0.1  # of the usual rise: a smaller fall is that of an end next to its minimum
_BENDS = 0.02  # of the largest curvature
_PLACES = 72  # of a circle on which the fit is searched for its lowest point
_RINGS = 8


@frozen
class Measured:
    """A value, and how far it may be off; None where the grid cannot say."""

    value: float
    error: float | None


@frozen
class Curvature:
    """The largest and the smallest second derivative at the end, of all directions in the plane."""

    largest: Measured
    smallest: Measured


@frozen
class Minimum:
    """Whether training ended in a minimum of the plane.

    A ``saddle`` falls to opposite sides, a ``slope`` to one. ``falls`` are these directions: ``n`` is that of
    the axis y, ``e`` that of x. ``drop`` is by how much, within the radius.
    """

    kind: Literal["minimum", "saddle", "slope"]
    falls: tuple[Direction, ...] = ()
    drop: float = 0.0


def rounding_of(landscape: Landscape) -> float:
    """Bounds the difference of losses that are equal but for rounding, in the type of their computation."""
    known = landscape.z[np.isfinite(landscape.z)]
    size = float(np.abs(known).max(initial=0.0))
    with np.errstate(over="ignore"):
        is_single = bool((known.astype(np.float32) == known).all())
    # whole numbers and such are exact in any type
    exact = ((known.view(np.int64) & ((1 << (_MANTISSA + 12)) - 1)) == 0).mean() if len(known) else 1.0
    return size * (_SINGLE if is_single and exact < 0.5 else ROUNDING)


@frozen(eq=False)
class QuadraticFit:
    """A quadratic around the end of training, in units of the grid's spacing.

    ``terms`` are its value, two slopes, and the second derivatives by x, by both and by y; ``covariance`` is
    that of their errors. ``rest`` is the deviation of the losses from the fit.
    """

    terms: Floats
    covariance: Floats
    spacing: tuple[float, float]
    rest: float
    rounding: float

    @classmethod
    def near(cls, landscape: Landscape, end: tuple[float, float]) -> QuadraticFit | None:
        """Through the points nearest to the end; None if too few are finite."""
        spacing = float(np.diff(landscape.x).mean()), float(np.diff(landscape.y).mean())
        distance = _distances(landscape, end, spacing)
        places = np.argsort(distance, kind="stable")
        reach = max(2.0, distance[places[min(_NEAR, len(places)) - 1]]) + 1e-9
        return cls._through(landscape, end, spacing, places[distance[places] <= reach])

    @classmethod
    def within(cls, landscape: Landscape, end: tuple[float, float], radius: float) -> QuadraticFit | None:
        """Through all points within a radius; None if no point is added to those that are near."""
        spacing = float(np.diff(landscape.x).mean()), float(np.diff(landscape.y).mean())
        places = np.flatnonzero(_distances(landscape, end, (1.0, 1.0)) <= radius * (1 + 1e-9))
        stride = max(1, len(places) // _MOST)
        return cls._through(landscape, end, spacing, places[::stride])

    @classmethod
    def _through(
        cls,
        landscape: Landscape,
        end: tuple[float, float],
        spacing: tuple[float, float],
        places: NDArray[np.intp],
    ) -> QuadraticFit | None:
        across, down = np.meshgrid(landscape.x - end[0], landscape.y - end[1])
        places = places[np.isfinite(landscape.z.ravel()[places])]
        u, v = across.ravel()[places] / spacing[0], down.ravel()[places] / spacing[1]
        terms = np.stack([np.ones_like(u), u, v, u * u / 2, u * v, v * v / 2], axis=1)
        if len(places) < _NEAR or np.linalg.matrix_rank(terms) < terms.shape[1]:
            return None
        losses = landscape.z.ravel()[places]
        losses = losses - losses.mean()
        largest = ROUNDING * float(np.abs(landscape.z[np.isfinite(landscape.z)]).max(initial=0.0))
        losses = np.where(np.abs(losses) <= largest, 0.0, losses)
        found: Floats = np.linalg.lstsq(terms, losses, rcond=None)[0].astype(np.float64)
        rest = losses - terms @ found
        noise = float(rest @ rest) / (len(places) - terms.shape[1])
        return cls(found, noise * np.linalg.inv(terms.T @ terms), spacing, float(np.sqrt(noise)), largest)

    def curvature(self) -> Curvature:
        """The curvature of the fit, with its errors; those that are only the rounding of losses are 0."""
        wide, high = self.spacing
        scaled = np.array([wide * wide, wide * high, high * high])
        second = self.terms[3:] / scaled
        spread = self.covariance[3:, 3:] / np.outer(scaled, scaled)
        values, vectors = np.linalg.eigh([[second[0], second[1]], [second[1], second[2]]])
        rounding = self.rounding / scaled
        measured = []
        for value, (p, q) in zip(values.tolist(), vectors.T.tolist(), strict=True):
            slope = np.array([p * p, 2 * p * q, q * q])  # of the eigenvalue, by each term
            error, least = float(np.sqrt(slope @ spread @ slope)), float(np.abs(slope) @ rounding)
            measured.append(Measured(above(least, value), above(least, error)))
        return Curvature(measured[1], measured[0])

    def minimum(self, radius: float, rise: float) -> Minimum:
        """Whether the end is a minimum within a radius, where the loss rises by ``rise`` as a rule.

        The fit is judged and not its points: noise and ripples have many low points.
        """
        angles = np.linspace(0, 2 * np.pi, _PLACES, endpoint=False)
        rings = radius * np.arange(1, _RINGS + 1)[:, None] / _RINGS
        u, v = rings * np.cos(angles) / self.spacing[0], rings * np.sin(angles) / self.spacing[1]
        basis = np.stack([u, v, u * u / 2, u * v, v * v / 2], axis=-1)
        change = basis @ self.terms[1:]
        spread = np.sqrt(np.maximum(np.einsum("abi,ij,abj->ab", basis, self.covariance[1:, 1:], basis), 0))
        ring, at = np.unravel_index(int(change.argmin()), change.shape)
        drop = -float(change[ring, at])
        is_sure = drop > max(_CERTAIN * float(spread[ring, at]), self.rest, self.rounding)
        curvature = self.curvature()
        low, high = curvature.smallest, curvature.largest
        bends = low.value < -max(_CERTAIN * (low.error or 0.0), _BENDS * abs(high.value))
        usual = max(abs(rise), float(np.abs(change[-1]).mean()))
        if not is_sure or (drop <= _FALLS * usual and not bends):
            return Minimum("minimum")
        opposite = float(change[-1, (at + _PLACES // 2) % _PLACES])
        if bends and opposite < 0:
            falls = tuple(_direction(angles[(at + turn) % _PLACES]) for turn in (0, _PLACES // 2))
            return Minimum("saddle", falls, drop)
        return Minimum("slope", (_direction(float(angles[at])),), drop)


def above(least: float, value: float) -> float:
    """The value, or 0 where it is only rounding."""
    return value if abs(value) > least else 0.0


def _direction(angle: float) -> Direction:
    return _COMPASS[round(angle / (np.pi / 4)) % len(_COMPASS)]


def _distances(landscape: Landscape, end: tuple[float, float], units: tuple[float, float]) -> Floats:
    across, down = np.meshgrid((landscape.x - end[0]) / units[0], (landscape.y - end[1]) / units[1])
    return np.hypot(across, down).ravel()
