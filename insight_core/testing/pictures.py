"""Small pictures for tests: PNG files, encoded here so that no other library need agree."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import ArrayLike

_COLOUR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}  # by the number of channels


def png(pixels: ArrayLike) -> bytes:
    """A PNG file of uint8[height, width], or of [height, width, channels]: grey (and alpha), RGB, RGBA."""
    array = np.ascontiguousarray(pixels, np.uint8)
    if array.ndim == 2:
        array = array[:, :, None]
    height, width, channels = array.shape
    rows = array.reshape(height, width * channels)
    filtered = np.concatenate((np.zeros((height, 1), np.uint8), rows), axis=1)
    head = struct.pack(">IIBBBBB", width, height, 8, _COLOUR_TYPES[channels], 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(filtered.tobytes())), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, content) for name, content in chunks)


def _chunk(name: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(content, zlib.crc32(name))
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", checksum)
