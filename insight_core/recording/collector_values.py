"""Converts losses and batches of a training loop to values for summaries."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_core.recording.argument_checks import check_one, number_of
from insight_core.recording.arrays import array_of

_CHANNELS = (1, 3, 4)


def held(value: Any) -> Any:  # noqa: ANN401
    """The number, to keep for later; a number on a device stays there as a tensor.

    A PyTorch tensor is copied without its gradient graph. Raises TypeError for other values, ValueError for
    more than one number.
    """
    shape = getattr(value, "shape", None)
    if shape is None or isinstance(value, np.ndarray | np.generic):
        return number_of(value)
    check_one(shape)
    alone = value.detach() if hasattr(value, "detach") else value
    return alone.clone() if hasattr(alone, "clone") else alone


def pictures_of(batch: Any, most: int) -> NDArray[Any] | None:  # noqa: ANN401
    """The first images of a batch, [n, height, width, channels] or channels first; None for other batches."""
    if len(getattr(batch, "shape", ())) not in (3, 4):
        return None
    first = array_of(batch[:most])  # before it is fetched from its device
    if first.dtype.kind not in "buif" or not first.size:
        return None
    if first.ndim == 3:
        return (
            first[..., None] if min(first.shape[1:]) > 4 else None
        )  # otherwise it is a batch of short sequences
    return first if first.shape[-1] in _CHANNELS or first.shape[1] in _CHANNELS else None
