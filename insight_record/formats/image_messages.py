"""Encodes pixels as PNG files, and picture files as ``Image`` messages."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

from insight_record.formats.protobuf import int_field, message_field

_COLOUR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}  # of PNG, by the number of channels
_LEVEL = 1  # compression level: on few processors the training waits for it
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def png(pixels: NDArray[np.uint8]) -> bytes:
    """A PNG file of uint8[height, width, channels]: grey (and alpha), RGB, RGBA."""
    height, width, channels = pixels.shape
    filtered = np.zeros((height, 1 + width * channels), np.uint8)
    filtered[:, 1:] = pixels.reshape(height, width * channels)
    head = struct.pack(">IIBBBBB", width, height, 8, _COLOUR_TYPES[channels], 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(filtered.data, _LEVEL)), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(name, content) for name, content in chunks)


def image_message(file: bytes, width: int, height: int, channels: int) -> bytes:
    """An ``Image`` with an encoded file, equal in both dialects; width and height are in pixels."""
    size = int_field(1, height) + int_field(2, width) + int_field(3, channels)
    return size + message_field(4, file)


def _chunk(name: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(content, zlib.crc32(name))
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", checksum)
