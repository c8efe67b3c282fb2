"""TensorBoard's debiased exponential moving average, by whole columns."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

_BLOCK = 64


@functools.lru_cache(maxsize=64)
def _block_response(weight: float) -> NDArray[np.float64]:
    """float64[_BLOCK, _BLOCK]: weight**(row - column) on and below the diagonal."""
    power = np.arange(_BLOCK)[:, None] - np.arange(_BLOCK)[None, :]
    return np.where(power >= 0, weight ** np.maximum(power, 0), 0.0)


def _recur(x: NDArray[np.float64], weight: float) -> NDArray[np.float64]:
    """y[n] = weight * y[n - 1] + x[n], with y[-1] = 0: a block at a time, the carries likewise."""
    if len(x) <= _BLOCK:
        return _block_response(weight)[: len(x), : len(x)] @ x
    blocks = np.zeros((-(-len(x) // _BLOCK), _BLOCK))
    blocks.reshape(-1)[: len(x)] = x
    inside = blocks @ _block_response(weight).T
    carries = _recur(inside[:, -1], weight**_BLOCK)
    inside[1:] += carries[:-1, None] * weight ** np.arange(1, _BLOCK + 1)
    result: NDArray[np.float64] = inside.reshape(-1)[: len(x)]
    return result


def smooth(values: NDArray[np.float32] | NDArray[np.float64], weight: float) -> NDArray[np.float64]:
    """The average after each value, float64[n]; 0 <= ``weight`` < 1.

    last = weight * last + (1 - weight) * value, shown as last / (1 - weight**count); values that are
    not finite stay as they are and are not counted; a constant series stays constant. Source: the
    ``resmoothDataset`` of TensorBoard's line chart.
    """
    exact = values.astype(np.float64)
    if weight <= 0 or len(exact) == 0 or (exact == exact[0]).all():
        return exact
    finite = np.isfinite(exact)
    numbers = exact if finite.all() else exact[finite]
    averages = _recur((1.0 - weight) * numbers, weight)
    averages /= 1.0 - weight ** np.arange(1, len(numbers) + 1)
    if len(numbers) == len(exact):
        return averages
    exact[finite] = averages
    return exact
