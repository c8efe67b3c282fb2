"""Which layers are bad, since which step, and which was first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_health.columns import NAN, NEG_INF, POS_INF
from insight_health.layers import LayerRow
from insight_health.names import Kind, Measure, is_bias
from insight_health.tracks import MeasureTrack, Tracks

Fault: TypeAlias = Literal["nonfinite", "dead", "exploding", "vanishing"]

_LASTING = 3  # records at the end that are to show a fault, so that one alone is none
_DEAD: Mapping[
    Kind, Sequence[tuple[Measure, float]]
] = {  # shares; half of the outputs of a healthy ReLU are 0
    "activation": (("dead", 0.5), ("zeros", 0.95)),
    "gradient": (("zeros", 1.0),),  # those of embeddings are mostly 0
}
_EXPLODED = 100.0  # times the ratio of the first third of the same layer, and
_ABOVE_OTHERS = 10.0  # times that of the middle layer
_VANISHED = 1e-4  # of the ratio of the middle layer
_LEAST_RECORDS = 6  # of a ratio
_LEAST_LAYERS = 3  # that are compared


@frozen
class BadLayer:
    """A layer of a run with a fault.

    ``step`` is the first record that shows it, of those that were read. ``value`` is the number of values
    that are not finite there, the share of dead units or zeros, or the ratio of gradient and weight.
    ``value_word`` is "NaN", "+Inf" or "-Inf" for values that are not finite.
    """

    run: str
    layer: LayerRow
    fault: Fault
    step: int
    last: int  # step of the last record
    value: float
    usual: float = float("nan")  # ratio that others or the layer itself has
    word: str = ""


def bad_layers(tracks: Tracks, runs: Iterable[str]) -> list[BadLayer]:
    """All bad layers, the first bad one first.

    Values that are not finite come before other faults, and earlier steps before later ones. At the same
    step: activations in the order of the layers, then gradients from the last layer to the first, as they are
    computed, then all others.
    """
    place = {layer: number for number, layer in enumerate(tracks.table.layers)}

    def order(one: BadLayer) -> tuple[bool, int, int, int]:
        kind = one.layer.kind
        stage = ("activation", "gradient").index(kind) if kind in ("activation", "gradient") else 2
        return one.fault != "nonfinite", one.step, stage, place[one.layer] * (-1 if stage == 1 else 1)

    found = [one for run in runs for one in _of_run(tracks, run, tracks.table.layers)]
    return sorted(found, key=order)


def _of_run(tracks: Tracks, run: str, layers: Sequence[LayerRow]) -> Iterator[BadLayer]:
    for layer in layers:
        bad = _nonfinite(tracks, run, layer) or _dead(tracks, run, layer)
        if bad is not None:
            yield bad
    yield from _ratios(tracks, run, layers)


def _nonfinite(tracks: Tracks, run: str, layer: LayerRow) -> BadLayer | None:
    first: tuple[int, int, int] | None = None
    for track in tracks.flags(run, layer):
        odd = np.flatnonzero(track.flags)
        if len(odd) and (first is None or track.steps[odd[0]] < first[0]):
            first = int(track.steps[odd[0]]), int(track.flags[odd[0]]), int(track.steps[-1])
    if first is None:
        return None
    step, flags, last = first
    counts = tracks.measure(run, layer, "nonfinite")
    count = 1.0
    if counts is not None:
        here = counts.values[counts.steps == step]
        count = float(np.nanmax(here, initial=1.0))
    word = "NaN" if flags & NAN else "+Inf" if flags & POS_INF else "-Inf" if flags & NEG_INF else "NaN"
    return BadLayer(run, layer, "nonfinite", step, last, count, word=word)


def _dead(tracks: Tracks, run: str, layer: LayerRow) -> BadLayer | None:
    """Units that are dead, or zeros, in all records since a step, to the end.

    Biases are left out: before a normalisation their gradients are 0, and a dead layer has dead weights too.
    """
    if is_bias(layer.name):
        return None
    for measure, limit in _DEAD.get(layer.kind, ()):
        track = tracks.measure(run, layer, measure)
        if track is None or not (track.values <= 1).any() or (track.values > 1).any():  # counts are no shares
            continue
        since = _lasts(track.values, track.values >= limit)
        if since is not None:
            value = float(track.values[since])
            return BadLayer(run, layer, "dead", int(track.steps[since]), int(track.steps[-1]), value)
    return None


def _ratios(tracks: Tracks, run: str, layers: Sequence[LayerRow]) -> Iterator[BadLayer]:
    """Layers whose gradients became far larger for their weights, or are far smaller than those of others.

    Biases are left out: they begin at 0, so that their ratio means little.
    """
    compared = []
    for layer in layers:
        track = None if is_bias(layer.name) else tracks.measure(run, layer, "ratio")
        if track is None:
            continue
        known = track.values > 0  # a gradient of 0 is a dead one
        if np.count_nonzero(known) >= _LEAST_RECORDS:
            compared.append((layer, MeasureTrack(track.steps[known], track.values[known])))
    if len(compared) < _LEAST_LAYERS:
        return
    middle = float(np.median([np.median(track.values[len(track.values) // 2 :]) for _, track in compared]))
    for layer, track in compared:
        values = track.values
        before = float(np.median(values[: len(values) // 3]))
        vanished = _VANISHED * middle
        fault: Fault = "exploding"
        usual = before
        since = _lasts(values, values >= max(_EXPLODED * before, _ABOVE_OTHERS * middle))
        if since is None and float(np.median(values[len(values) // 2 :])) <= vanished:
            since = _lasts(values, values <= vanished)
            fault, usual = "vanishing", middle
        if since is not None:
            value, step, last = float(values[since]), int(track.steps[since]), int(track.steps[-1])
            yield BadLayer(run, layer, fault, step, last, value, usual)


def _lasts(values: NDArray[np.float32], bad: NDArray[np.bool_]) -> int | None:
    """The place since which all known values are bad, of three at least; None if there is none."""
    known = np.flatnonzero(~np.isnan(values))
    healthy = np.flatnonzero(~bad[known])
    begin = int(healthy[-1]) + 1 if len(healthy) else 0
    return int(known[begin]) if len(known) - begin >= _LASTING else None
