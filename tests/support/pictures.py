"""Encodes small PNG files, with no library of the code under test."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from insight_record.formats import image_messages


def png(pixels: ArrayLike) -> bytes:
    """A PNG file of uint8[height, width], or of [height, width, channels]: grey (and alpha), RGB, RGBA."""
    array = np.ascontiguousarray(pixels, np.uint8)
    return image_messages.png(array if array.ndim == 3 else array[:, :, None])
