"""Quantiles of Student's t distribution, for 95 % intervals of a mean."""

from __future__ import annotations

import math
from functools import lru_cache

_LARGE = 200  # degrees of freedom from which the expansion has ten correct digits
_NORMAL = 1.959963984540054  # the same quantile of the normal distribution


@lru_cache(4096)
def t_95(degrees: int) -> float:
    """The t that a value exceeds in size with a probability of 5 %, for this many degrees of freedom.

    The same as ``scipy.stats.t.ppf(0.975, degrees)`` to nine digits. Source: Abramowitz and Stegun,
    Handbook of Mathematical Functions, 26.7.3 and 26.7.4 (finite series, solved by bisection), and from 200
    degrees on 26.7.5 (expansion around the normal distribution).
    """
    if degrees >= _LARGE:
        return _expansion(degrees)
    low, high = 0.0, math.pi / 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, degrees) < 0.95 else (low, middle)
    return math.sqrt(degrees) * math.tan(low)


def _within(angle: float, degrees: int) -> float:
    """The probability of a size of at most ``sqrt(degrees) * tan(angle)``."""
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = degrees % 2
    if degrees == 1:
        return 2 * angle / math.pi
    term = total = cosine if odd else 1.0
    for k in range(2 + odd, degrees - 1, 2):
        term *= (k - 1) / k * cosine**2
        total += term
    return 2 / math.pi * (angle + sine * total) if odd else sine * total


def _expansion(degrees: int) -> float:
    z, n = _NORMAL, degrees
    return (
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
        + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * n**4)
    )
