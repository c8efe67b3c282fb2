"""Writes safetensors files: https://github.com/huggingface/safetensors#format."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Part: TypeAlias = bytes | memoryview

_KINDS = {"f": "F", "i": "I", "u": "U"}


def safetensors_parts(columns: Mapping[str, NDArray[Any]], metadata: Mapping[str, str]) -> list[Part]:
    """A file in parts: the header, then the bytes of each column; contiguous columns are not copied.

    Columns are floats, integers or booleans. Those with larger elements come first, so that each begins at
    a multiple of its elements' size.
    """
    header: dict[str, object] = {"__metadata__": dict(metadata)}
    parts: list[Part] = []
    position = 0
    for name in sorted(columns, key=lambda name: (-columns[name].itemsize, name)):
        column = columns[name]
        stored = np.ascontiguousarray(column, column.dtype.newbyteorder("<"))
        end = position + stored.nbytes
        header[name] = {
            "dtype": _dtype(stored),
            "shape": list(stored.shape),
            "data_offsets": [position, end],
        }
        if stored.size:  # memoryview casts no empty array
            parts.append(stored.data.cast("B"))
        position = end
    text = json.dumps(header).encode("ascii")
    text += b" " * (-len(text) % 8)
    return [struct.pack("<Q", len(text)), text, *parts]


def _dtype(column: NDArray[Any]) -> str:
    kind = column.dtype.kind
    return "BOOL" if kind == "b" else f"{_KINDS[kind]}{column.itemsize * 8}"
