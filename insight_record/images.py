"""Pixels of arrays, as pictures show them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_record.arrays import numbers_of

_CHANNELS = (1, 2, 3, 4)
_COLUMNS = 8  # of a batch, as MindSpore lays it out


def pixels_of(value: object) -> NDArray[Any]:
    """[height, width, channels] of an image, or of a batch laid out in rows of eight.

    Accepts [height, width], [height, width, channels] and [channels, height, width], and batches of the
    latter two; channels (1 grey, 2 grey and alpha, 3 RGB, 4 RGBA) are first if both are possible, as in
    MindSpore and PyTorch. Raises ValueError for other shapes, TypeError for values that are not numbers.
    """
    array = numbers_of(value)
    shape = array.shape
    if 0 in shape:
        raise ValueError(f"a picture of shape {list(shape)} has no pixels")
    if array.ndim == 2:
        return array[:, :, None]
    if array.ndim in (3, 4):
        if shape[-3] in _CHANNELS:
            array = np.moveaxis(array, -3, -1)
        if array.shape[-1] in _CHANNELS:
            return array if array.ndim == 3 else _grid(array)
    raise ValueError(
        f"a picture is [height, width], or [height, width, channels] or [channels, height, width] with "
        f"1 to 4 channels, or a batch of these, not {list(shape)}"
    )


def _grid(batch: NDArray[Any]) -> NDArray[Any]:
    count, height, width, channels = batch.shape
    columns = min(count, _COLUMNS)
    rows = -(-count // columns)
    grid = np.zeros((rows * columns, height, width, channels), batch.dtype)
    grid[:count] = batch
    laid = grid.reshape(rows, columns, height, width, channels).swapaxes(1, 2)
    return laid.reshape(rows * height, columns * width, channels)


def bytes_of_pixels(pixels: NDArray[Any]) -> NDArray[np.uint8]:
    """Scales pixels to uint8: uint8 unchanged, 0 to 1 to 0 to 255, other values from minimum to maximum, as
    MindSpore.

    Non-finite values become black, +Inf white.
    """
    if pixels.dtype == np.uint8:
        return pixels
    if pixels.dtype == np.bool_:
        return pixels.astype(np.uint8) * np.uint8(255)
    numbers = pixels.astype(np.float64)
    finite = numbers[np.isfinite(numbers)]
    least, largest = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    if least < 0 or largest > 1:
        extent = largest / 2 - least / 2  # which may be more than there are numbers for
        numbers = (numbers / 2 - least / 2) / (extent or 1.0)
    clipped = np.clip(np.nan_to_num(numbers, nan=0.0, posinf=1.0, neginf=0.0), 0.0, 1.0)
    return (clipped * 255).astype(np.uint8)
