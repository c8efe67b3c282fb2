"""Which layer is dead: the one whose output is 0, or which no gradient reaches, by what runs record.

A layer whose output is 0 gets no gradient, and passes none on to those before it. In the layer after it the
gradient of the weights is 0 too, as that is a product with the input, but the gradient of the bias is not. So
where several layers in a row have no gradient of weights, the last of them has one of its bias, and the dead
layer is the one before it.
A bias before a normalisation has a gradient that is only rounding, and is not 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from insight_layers.digests import LASTING
from insight_layers.names import module_of
from insight_layers.table import LayerRow
from insight_layers.tracks import Tracks

How: TypeAlias = Literal["output", "input", "unreached", "nowhere", "units"]

_DEAD_UNITS = 0.5  # of an activation, by tensors
_MOST_ZEROS = 0.95  # of an activation, by histograms: half of the outputs of a healthy ReLU are 0
_LEAST_SHARE = 0.2  # of the steps, in which a layer gets no gradient
_BEFORE = 0.8  # zeros in the first third of a run in which units die
_ZERO_GRADIENTS = 0.5  # share of a gradient: units that are seldom active, but live, have fewer zeros


@frozen
class DeadLayer:
    """A layer that is dead from ``step`` on, to the end.

    ``how``: its output is 0; its input is 0; no gradient reaches it although its output is not 0; no layer
    gets a gradient; many of its units are dead. ``share`` of values are 0. ``follows``: another layer is the
    cause. ``is_suspected``: by what is recorded, the layer may be frozen, or seldom active.
    """

    layer: LayerRow
    how: How
    step: int
    last: int
    share: float = 1.0
    follows: bool = False
    is_suspected: bool = False


@frozen
class _Zeros:
    """Since when all values of a layer are 0 to the end; None if they are not."""

    since: int | None
    first: int
    last: int


@frozen
class _Module:
    """The gradients of a module, and since when that of the bias is 0: never is inf, None is not recorded."""

    row: LayerRow
    weight: _Zeros
    bias: float | None

    @property
    def since(self) -> float:
        return float("inf") if self.weight.since is None else self.weight.since


def dead_layers(tracks: Tracks, run: str, layers: Sequence[LayerRow]) -> list[DeadLayer]:
    """Layers without any output or gradient, the cause first."""
    activations = [
        (zeros.since, place, layer, zeros.last)
        for place, layer in enumerate(layers)
        if layer.kind == "activation"
        and (zeros := _zeros(tracks, run, layer)) is not None
        and zeros.since is not None
    ]
    found = [
        DeadLayer(layer, "output", since, last, follows=number > 0)
        for number, (since, _, layer, last) in enumerate(sorted(activations))
    ]
    for one in _by_gradients(_modules(tracks, run, layers)):
        is_first = not any(not other.follows for other in found)
        found.append(one if is_first else evolve(one, follows=True))
    return sorted(found, key=lambda one: one.follows)


def dying_layers(tracks: Tracks, run: str, layers: Sequence[LayerRow]) -> list[DeadLayer]:
    """Activations many of whose units are dead to the end.

    Histograms do not tell units that are dead from those that are seldom active, so that a layer counts whose
    share of zeros has grown, and whose gradients have many zeros too. Without gradients it is suspected.
    """
    found = []
    for layer in layers:
        if layer.kind != "activation":
            continue
        units = tracks.measure(run, layer, "dead")
        if units is not None and (units.values <= 1).any() and not (units.values > 1).any():
            since = lasts(units.values, units.values >= _DEAD_UNITS)
            if since is not None:
                share = float(units.values[since])
                step, last = int(units.steps[since]), int(units.steps[-1])
                found.append(DeadLayer(layer, "units", step, last, share))
            continue
        zeros = tracks.measure(run, layer, "zeros")
        if zeros is None or (zeros.values > 1).any():
            continue
        known = zeros.values[~np.isnan(zeros.values)]
        since = lasts(zeros.values, zeros.values >= _MOST_ZEROS)
        if since is None or float(np.median(known[: max(1, len(known) // 3)])) > _BEFORE:
            continue
        empty = _empty_gradients(tracks, run, layer, layers)
        if empty is None or empty >= _ZERO_GRADIENTS:
            step, last, share = int(zeros.steps[since]), int(zeros.steps[-1]), float(zeros.values[since])
            found.append(DeadLayer(layer, "units", step, last, share, is_suspected=empty is None))
    return found


def lasts(values: NDArray[np.float32], bad: NDArray[np.bool_]) -> int | None:
    """The first place from which all known values are bad; None if these are fewer than three."""
    known = np.flatnonzero(~np.isnan(values))
    healthy = np.flatnonzero(~bad[known])
    begin = int(healthy[-1]) + 1 if len(healthy) else 0
    return int(known[begin]) if len(known) - begin >= LASTING else None


def _zeros(tracks: Tracks, run: str, layer: LayerRow) -> _Zeros | None:
    """Since when a layer is 0, by its share of zeros, or by its size where buckets do not tell."""
    zeros, size = tracks.measure(run, layer, "zeros"), tracks.measure(run, layer, "size")
    if zeros is not None and (zeros.values > 1).any():  # counts, not shares
        zeros = None
    track = size if zeros is None else zeros
    if track is None or not len(track.steps):
        return None
    values = np.full(len(track.steps), np.nan, np.float32)
    if zeros is not None:
        values = (zeros.values >= 1).astype(np.float32)
        values[np.isnan(zeros.values)] = np.nan
    if size is not None and np.array_equal(size.steps, track.steps):
        is_known = ~np.isnan(size.values)
        values[is_known & (size.values > 0)] = 0
        if zeros is None or np.isnan(zeros.values).all():
            values[is_known & (size.values == 0)] = 1
    known = np.flatnonzero(~np.isnan(values))
    if not len(known):
        return None
    since = lasts(values, values >= 1)
    return _Zeros(
        None if since is None else int(track.steps[since]), int(track.steps[known[0]]), int(track.steps[-1])
    )


def _modules(tracks: Tracks, run: str, layers: Sequence[LayerRow]) -> list[_Module]:
    """The modules whose weights have gradients, in their order."""
    rows: dict[str, list[tuple[LayerRow, _Zeros]]] = {}
    biases: dict[str, list[_Zeros]] = {}
    for layer in layers:
        if layer.kind != "gradient" or (zeros := _zeros(tracks, run, layer)) is None:
            continue
        module, is_bias = module_of(layer.name)
        if is_bias:
            biases.setdefault(module, []).append(zeros)
        else:
            rows.setdefault(module, []).append((layer, zeros))
    found = []
    for module, several in rows.items():
        layer, zeros = max(several, key=lambda one: float("inf") if one[1].since is None else one[1].since)
        of_bias = biases.get(module)
        bias = None
        if of_bias is not None:
            bias = max(float("inf") if one.since is None else one.since for one in of_bias)
        found.append(_Module(layer, zeros, bias))
    return found


def _by_gradients(modules: Sequence[_Module]) -> Iterator[DeadLayer]:
    """The dead layer of each row of neighbours that get no gradient, then the other ones of the row."""
    begin = 0
    while begin < len(modules):
        end = begin
        while end < len(modules) and modules[end].weight.since is not None:
            end += 1
        row = modules[begin:end]
        causes = []
        for step in sorted({one.since for one in row}):  # others may have died later
            size = max(place for place, one in enumerate(row) if one.since <= step) + 1
            if (one := _cause(modules, begin, begin + size, step)) is not None:
                causes.append(one)
        if causes:
            first = min(causes, key=lambda one: one.is_suspected)
            yield first
            for other in row:
                if other.row != first.layer and other.weight.since is not None:
                    step, last = other.weight.since, other.weight.last
                    yield evolve(first, layer=other.row, step=step, last=last, follows=True)
        begin = end + 1


def _cause(modules: Sequence[_Module], begin: int, end: int, step: float) -> DeadLayer | None:
    """Which of the modules without gradients at a step is dead, and how; None if that is by design."""
    last = modules[end - 1]
    before = [one for one in modules[begin : end - 1] if one.since <= step]
    if last.bias is not None and last.bias > step:  # a gradient arrives, and its product with the input is 0
        dead = [one for one in before if one.bias is not None and one.bias <= step]
        dead = dead or [one for one in before if one.bias is None]
        if dead:
            return _dead(dead[-1], "output")
        # an input that was never used, such as the first state of a recurrent network, is not a fault
        first = modules[begin]
        return None if first.weight.since == first.weight.first else _dead(first, "input")
    # for a short time that is also a loss whose margin holds
    is_short = (last.weight.last - last.since) < _LEAST_SHARE * (last.weight.last - last.weight.first)
    if begin == 0 and end == len(modules):
        # without its bias nothing says that a gradient arrives at the last one
        likely = before[-1] if last.bias is None and before else last
        return evolve(_dead(likely, "nowhere"), is_suspected=is_short)
    since_first = last.weight.since == last.weight.first
    if last.bias is None and before and end < len(modules):  # the one after it gets an input that is not 0
        return evolve(_dead(before[-1], "output"), is_suspected=since_first)
    return evolve(_dead(last, "unreached"), is_suspected=since_first or is_short)


def _dead(module: _Module, how: How) -> DeadLayer:
    assert module.weight.since is not None
    return DeadLayer(module.row, how, module.weight.since, module.weight.last)


def _empty_gradients(tracks: Tracks, run: str, layer: LayerRow, layers: Sequence[LayerRow]) -> float | None:
    """The usual share of zeros of the gradients of a layer's module at the end; None if not recorded."""
    module = module_of(layer.name)[0]
    for other in layers:
        if other.kind == "gradient" and module_of(other.name) == (module, False):
            track = tracks.measure(run, other, "zeros")
            if track is not None and len(known := track.values[~np.isnan(track.values)]):
                return float(np.median(known[-max(LASTING, len(known) // 4) :]))
    return None
