"""Bytes of a ``LossLandscape`` as MindSpore writes it, so that tests can also build broken ones.

Numbers of fields: MindSpore's mindspore_summary.proto.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from insight_record.landscapes import landscape_message, points_message

LOSS_LANDSCAPE = 10  # field of a value


def points(x: ArrayLike, y: ArrayLike, z: ArrayLike) -> bytes:
    """A ``Point``: a tensor for each axis."""
    return b"".join(points_message([np.asarray(values) for values in (x, y, z)]))


def mindspore_landscape(
    surface: bytes,
    *,
    at: Sequence[int] = (),
    path: bytes = b"",
    decomposition: str = "PCA",
    unit: str = "epoch",
    step_per_epoch: int = 32,
    convergence: bytes | None = None,
) -> bytes:
    """``surface``, ``path``, ``convergence``: of ``points``. Without ``at`` it is the final landscape."""
    pieces = landscape_message(
        [surface],
        at,
        [path] if path else None,
        (decomposition, unit, step_per_epoch),
        None if convergence is None else [convergence],
    )
    return b"".join(pieces)
