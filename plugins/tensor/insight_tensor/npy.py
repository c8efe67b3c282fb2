"""Streams arrays as .npy files without a second copy in memory.

Format: numpy.lib.format, version 1.0.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

_PORTION = 1 << 17  # values


def npy_size(values: NDArray[Any]) -> int:
    """Bytes of the file."""
    return len(_header(values)) + values.nbytes


def npy_parts(values: NDArray[Any]) -> Iterator[bytes]:
    """The file, in portions."""
    yield _header(values)
    if values.size:
        flags: Any = ["external_loop", "buffered"]
        for portion in np.nditer(values, flags, order="C", buffersize=_PORTION):
            yield np.asarray(portion).tobytes()


def _header(values: NDArray[Any]) -> bytes:
    head = io.BytesIO()
    described = {
        "descr": npy_format.dtype_to_descr(values.dtype),
        "fortran_order": False,
        "shape": values.shape,
    }
    npy_format.write_array_header_1_0(head, described)
    return head.getvalue()
