"""Gradients that explode, and gradients that hardly arrive, by their sizes."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_layers.dead_layers import lasts
from insight_layers.digests import GROWN
from insight_layers.names import is_bias
from insight_layers.table import LayerRow
from insight_layers.tracks import Tracks

_LARGE = 1.0  # times the size of the weights, or 1 where they are not recorded: such gradients explode,
_ABOVE_OTHERS = (
    10.0  # and those that are so much larger than, and have grown so much more than the middle one
)
_VANISHED = 1e-4  # of the second largest gradient: smaller ones hardly move a layer
_LEAST_RECORDS = 4
_LEAST_LAYERS = 3  # that are compared


@frozen
class SizedLayer:
    """A layer whose gradients are of another size than ``usual``; ``place``: since which step to which."""

    layer: LayerRow
    place: tuple[int, int]
    value: float
    usual: float


@frozen(eq=False)
class _Sizes:
    """Root mean squares of the gradients of a layer that are not 0."""

    layer: LayerRow
    steps: NDArray[np.int64]
    values: NDArray[np.float64]
    weight: float  # the usual size of the weights, NaN if not recorded

    @property
    def late(self) -> float:
        return float(np.median(self.values[len(self.values) // 2 :]))

    @property
    def early(self) -> float:
        return float(np.quantile(self.values[: max(2, len(self.values) // 3)], 0.25))


def exploding_layers(tracks: Tracks, run: str, layers: Sequence[LayerRow]) -> list[SizedLayer]:
    """Layers whose gradients have grown a hundredfold to the end, the one that has grown most first.

    They are also larger than their weights, or far larger than other layers, which have not grown so much:
    gradients that are small at first, as before a first reward or of an adapter that begins at 0, are none.
    """
    sizes = _sizes(tracks, run, layers)
    level = growth = np.inf
    if len(sizes) >= _LEAST_LAYERS:
        level = float(np.median([one.late for one in sizes]))
        growth = float(np.median([one.late / one.early for one in sizes]))
    found = []
    for one in sizes:
        usual = one.early
        large = _LARGE * (one.weight if one.weight > 0 else 1.0)
        others = _ABOVE_OTHERS * max(level, growth * usual)
        since = lasts(one.values.astype(np.float32), one.values >= max(GROWN * usual, min(large, others)))
        if since is not None and since > 0:
            value = float(one.values[since])
            found.append(SizedLayer(one.layer, (int(one.steps[since]), int(one.steps[-1])), value, usual))
    return sorted(found, key=lambda one: one.usual / one.value)


def vanishing_layers(
    tracks: Tracks, run: str, layers: Sequence[LayerRow], but: Collection[LayerRow]
) -> list[SizedLayer]:
    """Layers whose gradients are a ten-thousandth of the second largest or less, the smallest first.

    The second largest, so that no single layer decides about all others; ``but`` are those that explode.
    """
    sizes = [one for one in _sizes(tracks, run, layers) if one.layer not in but]
    if len(sizes) < _LEAST_LAYERS:
        return []
    usual = sorted(one.late for one in sizes)[-2]
    found = []
    for one in sizes:
        since = lasts(one.values.astype(np.float32), one.values <= _VANISHED * usual)
        if one.late <= _VANISHED * usual and since is not None:
            found.append(SizedLayer(one.layer, (int(one.steps[since]), int(one.steps[-1])), one.late, usual))
    return sorted(found, key=lambda one: one.value)


def _sizes(tracks: Tracks, run: str, layers: Sequence[LayerRow]) -> list[_Sizes]:
    """Biases are left out: before a normalisation their gradients are only rounding."""
    found = []
    for layer in layers:
        if layer.kind != "gradient" or is_bias(layer.name):
            continue
        track = tracks.measure(run, layer, "size")
        if track is None:
            continue
        values = track.values.astype(np.float64)
        known = np.isfinite(values) & (values > 0)
        if np.count_nonzero(known) < _LEAST_RECORDS:
            continue
        zeros = tracks.measure(run, layer, "zeros")
        if zeros is not None and len(zeros.values) == len(values):  # rows of a table that were not used
            with np.errstate(invalid="ignore"):
                counted = np.where(zeros.values < 1, 1 - zeros.values, 1.0)
            values = values / np.sqrt(counted)
        weight = tracks.measure(run, LayerRow(layer.name, "weight"), "size")
        size = (
            np.nan if weight is None or np.isnan(weight.values).all() else float(np.nanmedian(weight.values))
        )
        found.append(_Sizes(layer, track.steps[known], values[known], size))
    return found
