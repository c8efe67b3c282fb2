"""Encodes columns of numbers as packed protobuf fields."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def packed_varints(numbers: NDArray[np.int64]) -> bytes:
    """The elements of a packed ``repeated int64`` field."""
    if not len(numbers):
        return b""
    bits = numbers.astype(np.int64).view(np.uint64)
    widest = max(1, -(-int(bits.max()).bit_length() // 7))
    groups = np.empty((len(bits), widest), np.uint8)
    written = np.empty((len(bits), widest), bool)
    for place in range(widest):
        rest = bits >> np.uint64(7 * place)
        more = rest >> np.uint64(7) != 0
        groups[:, place] = (rest & np.uint64(0x7F)).astype(np.uint8) | (more.astype(np.uint8) << 7)
        written[:, place] = rest != 0 if place else True
    return groups[written].tobytes()
