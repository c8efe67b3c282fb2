"""Pictures, histograms and tensors as JSON that can be compared: run in the peers' environments too."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from PIL import Image


def image_value(width: int, height: int, encoded: Sequence[bytes]) -> list[Any]:
    """Width and height as written, and of each picture mode, size and a digest of its pixels."""
    return [width, height, [_pixels(one) for one in encoded]]


def _pixels(encoded: bytes) -> list[Any]:
    with Image.open(io.BytesIO(encoded)) as picture:
        picture.load()
        return [picture.mode, *picture.size, hashlib.sha256(picture.tobytes()).hexdigest()]


def histogram_value(lefts: Sequence[float], rights: Sequence[float], counts: Sequence[float]) -> list[Any]:
    """[left, right, count] of the buckets that hold something, ascending, as hexadecimal text."""
    rows = sorted(
        (float(left), float(right), float(count))
        for left, right, count in zip(lefts, rights, counts, strict=True)
        if count
    )
    return [[number.hex() for number in row] for row in rows]


def tensor_value(array: Any) -> list[Any]:  # noqa: ANN401
    """Type, shape and values: numbers as a digest of their bytes, strings as hexadecimal text."""
    if array.dtype.kind in "OSU":
        return ["string", list(array.shape), [bytes(text).hex() for text in array.ravel().tolist()]]
    ordered = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    return [array.dtype.name, list(array.shape), hashlib.sha256(ordered.tobytes()).hexdigest()]
