"""Checks and copies values of the kinds that both dialects have."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_core.recording.arrays import numbers_of, snapshot
from insight_core.recording.images import (
    EncodedImage,
    bytes_of_pixels,
    encoded_image,
    image_message,
    pixels_of,
    png,
)

Encode = Callable[[], bytes]


def number_of(value: object) -> float:
    """The number of a scalar. Raises TypeError for other values, ValueError for more than one."""
    if isinstance(value, (str, bytes, bytearray)):
        raise TypeError(f"a scalar is a number, not {type(value).__name__}")
    if isinstance(value, (int, float)):
        return _float_of(value)
    array = numbers_of(value)
    check_one(array.shape)
    return _float_of(array.reshape(-1)[0])


def check_one(shape: Iterable[int]) -> None:
    """Raises ValueError unless an array of this shape has exactly one element."""
    if any(size != 1 for size in shape):
        raise ValueError(f"a scalar is one number, not an array of shape {list(shape)}")


def named(error: Exception, kind: str, name: object) -> Exception:
    """The TypeError or ValueError of a value, with its kind and name added."""
    return (TypeError if isinstance(error, TypeError) else ValueError)(f"{kind} {name!r}: {error}")


def _float_of(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer beyond the range of floats
        return float("inf") if value > 0 else float("-inf")


def image_of(value: object) -> tuple[int, Encode]:
    """Memory size, and a function that creates the ``Image`` from pixels or from an encoded file."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        image = encoded_image(bytes(value))
        return len(image.data), lambda: image_message(image)
    pixels = snapshot(pixels_of(value))

    def encode() -> bytes:
        height, width, channels = pixels.shape
        return image_message(EncodedImage(png(bytes_of_pixels(pixels)), width, height, channels))

    return pixels.nbytes, encode


def histogram_of(value: object, message: Callable[[NDArray[Any]], bytes]) -> tuple[int, Encode]:
    """Memory size, and a function that counts the numbers of the array."""
    array = snapshot(numbers_of(value))
    if array.dtype.kind == "V":
        array = array.astype(np.float32)
    return array.nbytes, lambda: message(array)
