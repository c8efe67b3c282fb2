"""Columns of pieces of bytes, made by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def end_to_end(pieces: Sequence[bytes]) -> tuple[bytes, NDArray[np.int64], NDArray[np.int64]]:
    """Pieces in one string of bytes, and where each begins and ends."""
    ends = np.cumsum([len(piece) for piece in pieces], dtype=np.int64)
    return b"".join(pieces), ends - np.array([len(piece) for piece in pieces], np.int64), ends
