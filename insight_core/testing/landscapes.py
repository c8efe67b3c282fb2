"""Bytes of a ``LossLandscape`` as MindSpore writes it, so that tests can also build broken ones.

Numbers of fields: MindSpore's mindspore_summary.proto.
"""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from insight_core.testing.tensors import mindspore_tensor
from insight_core.testing.wire import int_field, message_field

LOSS_LANDSCAPE = 10  # field of a value
_LANDSCAPE, _PATH, _METADATA, _CONVERGENCE = 1, 2, 3, 4


def points(x: ArrayLike, y: ArrayLike, z: ArrayLike) -> bytes:
    """A ``Point``: a tensor for each axis."""
    return b"".join(message_field(axis, mindspore_tensor(values)) for axis, values in enumerate((x, y, z), 1))


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
    encoded = message_field(_LANDSCAPE, surface)
    if at:
        numbers = b"".join(int_field(1, number) for number in at)
        encoded += message_field(_PATH, numbers + (message_field(2, path) if path else b""))
    texts = message_field(1, decomposition.encode()) + message_field(2, unit.encode())
    encoded += message_field(_METADATA, texts + int_field(3, step_per_epoch))
    return encoded + (b"" if convergence is None else message_field(_CONVERGENCE, convergence))
