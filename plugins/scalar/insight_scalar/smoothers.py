"""Ways to smooth a series other than the one of TensorBoard that every provider has."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Smoother: TypeAlias = Literal["ema", "twema", "gaussian", "mean"]

_TAILS = 4.0  # standard deviations of a Gaussian kernel on each side
_DIRECT = 1 << 20  # products of values and weights up to which a sum of them is faster than transforms
_PRECISION = 1e-9  # of a Gaussian mean, as a share of the same mean of absolute values
_GAPS = 100  # points whose distances say what one step of time is: later points do not change it


def smoothed(values: Floats, x: Floats, smoother: Smoother, weight: float) -> Floats:
    """``values`` at ascending ``x``, smoothed with a ``weight`` from 0 (not at all) to 1.

    The weight has about the same effect in all of them:

    - ``ema``: TensorBoard's debiased exponential moving average,
      ``s[i] = Σ w^(i-j) v[j] / Σ w^(i-j)`` over j <= i
    - ``twema``: the same with ``w^(|x[i] - x[j]| / d)``, where d is the median distance of the first 100
      points: equal to ``ema`` for points at equal distances; long gaps forget more
    - ``gaussian``: mean weighted by a Gaussian of the distance in points; its standard deviation is that of
      the weights of ``ema``, ``sqrt(w) / (1 - w)`` points, and it ends after four of them. Long series are
      exact to a billionth of the same mean of their absolute values
    - ``mean``: mean of the nearest points, as many on each side; there are ``2 r + 1`` of them with
      ``r = round((1 + w) / (1 - w)) // 2``

    A value that is not finite stays as it is and has no influence on others.
    """
    if not len(values):
        return values
    finite = np.isfinite(values)
    known = np.where(finite, values, 0.0)
    if smoother in ("ema", "twema"):
        sums = _decayed(np.stack([known, finite.astype(np.float64)]), _decays(x, finite, smoother, weight))
    elif smoother == "gaussian":
        kernel = _kernel(weight)
        sums = np.stack([_convolved(known, kernel), _convolved(finite.astype(np.float64), kernel)])
    else:
        sums = _windows(np.stack([known, finite.astype(np.float64)]), weight)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums[0] / sums[1]
    if smoother == "gaussian" and finite.any():  # rounding must not make a constant vary
        means = np.clip(means, known[finite].min(), known[finite].max())
    return np.where(finite, means, values)


def _decays(x: Floats, finite: NDArray[np.bool_], smoother: Smoother, weight: float) -> Floats:
    """By how much what came before each point counts less at the point."""
    if smoother == "ema":
        return np.where(finite, weight, 1.0)  # a point that is left out takes no time
    distances = np.nan_to_num(np.abs(np.diff(x, prepend=x[:1])))
    gaps = distances[1 : _GAPS + 1]
    unit = float(np.median(gaps[gaps > 0])) if np.any(gaps > 0) else 1.0
    return np.asarray(weight ** (distances / unit), np.float64)


def _decayed(sums: Floats, decays: Floats) -> Floats:
    """``s[i] = decays[i] * s[i - 1] + sums[i]`` along the last axis, by doubling (a prefix scan)."""
    shift, factors = 1, decays.copy()
    while shift < len(factors) and factors[shift:].any():
        sums[:, shift:] = sums[:, shift:] + factors[shift:] * sums[:, :-shift]
        factors[shift:] = factors[shift:] * factors[:-shift]
        shift *= 2
    return sums


def _kernel(weight: float) -> Floats:
    """Weights of the neighbours of a point; their sum is 1."""
    deviation = math.sqrt(weight) / (1 - weight)
    reach = math.ceil(_TAILS * deviation)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / max(deviation, 1e-9)) ** 2)
    return np.asarray(kernel / kernel.sum(), np.float64)


def _convolved(values: Floats, kernel: Floats) -> Floats:
    """The weighted sums around each value: in one go, or in blocks by Fourier transforms."""
    reach = len(kernel) // 2
    if len(values) * len(kernel) <= _DIRECT:
        return np.convolve(values, kernel)[reach : reach + len(values)]
    size = 1 << (4 * len(kernel)).bit_length()
    padded, transformed = np.pad(values, reach), np.fft.rfft(kernel, size)
    bound = np.finfo(np.float64).eps * size.bit_length() * _length(kernel)
    sums = np.empty(len(values))
    for start in range(0, len(values), size - len(kernel) + 1):
        block = padded[start : start + size]
        peak = float(np.abs(block).max()) or 1.0
        block = block / peak  # squares of values must not overflow
        part, magnitudes = (
            np.fft.irfft(np.fft.rfft(one, size) * transformed, size)[len(kernel) - 1 : len(block)]
            for one in (block, np.abs(block))
        )
        # where values are much smaller than others of their block, transforms round too coarsely
        coarse = np.flatnonzero(magnitudes < bound / _PRECISION * _length(block))
        for places in np.split(coarse, np.flatnonzero(np.diff(coarse) > 1) + 1) if len(coarse) else ():
            around = block[places[0] : places[-1] + len(kernel)]
            part[places] = np.convolve(around, kernel, "valid")
        sums[start : start + len(part)] = part * peak
    return sums


def _length(vector: Floats) -> float:
    """The Euclidean norm; ``np.linalg.norm`` would start the threads of BLAS for it."""
    return math.sqrt(float(np.square(vector).sum()))


def _windows(sums: Floats, weight: float) -> Floats:
    """Sums over windows around each point, built by doubling: no cancellation as of running totals."""
    reach = round((1 + weight) / (1 - weight)) // 2
    length, size = 2 * reach + 1, sums.shape[1]
    part = np.pad(sums, ((0, 0), (reach, reach)))  # part[i]: the sum of `span` values from i on
    total = np.zeros_like(sums)
    offset, span = 0, 1
    while True:
        if length & span:
            total += part[:, offset : offset + size]
            offset += span
        if 2 * span > length:
            return total
        part = part[:, : part.shape[1] - span] + part[:, span:]
        span *= 2
