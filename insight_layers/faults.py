"""Which layers of runs are faulty, since which step, and which of them is the cause."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np
from attrs import Factory, evolve, field, frozen

from insight_layers.dead_layers import DeadLayer, dead_layers, dying_layers
from insight_layers.digests import LASTING
from insight_layers.measured import NAN, NEG_INF, POS_INF
from insight_layers.names import module_of
from insight_layers.sizes import SizedLayer, exploding_layers, vanishing_layers
from insight_layers.table import LayerRow
from insight_layers.tracks import FlagTrack, Tracks

Severity: TypeAlias = Literal["error", "warning", "hint"]  # The worst first.
_SEVERITIES: tuple[Severity, ...] = get_args(Severity)
Fault: TypeAlias = Literal["nonfinite", "dead", "exploding", "vanishing", "unchanged"]

_LEAST_RECORDS = 4  # of weights; fewer tell nothing of a change
_LEAST_SHARE = 0.2  # of the steps in which weights that stopped to change are the same


def _module(fault: LayerFault) -> str:
    return module_of(fault.layer.name)[0]


@frozen
class LayerFault:
    """A layer of a run with a fault.

    ``step`` is the first record that shows it, of those that were read, and ``last`` the last record.
    ``value`` is the number of values that are not finite there, the share of zeros or of dead units, or the
    size of the gradient (in times its weight, where ``usual`` is so). ``word`` says more: "NaN", "+Inf" or
    "-Inf" of values that are not finite; "output", "input", "unreached", "nowhere" or "units" of a dead
    layer; "all" where no weights change. ``follows``: the fault of another layer explains this one.
    ``module`` is what the layer is a parameter or the output of.
    """

    run: str
    layer: LayerRow
    fault: Fault
    severity: Severity
    step: int
    last: int
    value: float
    usual: float = float("nan")  # size that others have, or the layer itself had
    word: str = ""
    follows: bool = False
    module: str = field(default=Factory(_module, takes_self=True))


def layer_faults(tracks: Tracks, runs: Iterable[str]) -> list[LayerFault]:
    """All faulty layers, the most severe and first one first, and of one fault the cause before what follows.

    Values that are not finite come before other faults, and earlier steps before later ones. At the same
    step: activations in the order of the layers, then gradients from the last layer to the first, as they are
    computed, then all others. Of sizes the most extreme one comes first.
    """
    place = {layer: number for number, layer in enumerate(tracks.table.layers)}

    def order(one: LayerFault) -> tuple[int, bool, bool, int, int, int]:
        if one.fault in ("exploding", "vanishing"):
            return _SEVERITIES.index(one.severity), True, one.follows, 0, 0, 0
        kind = one.layer.kind
        stage = ("activation", "gradient").index(kind) if kind in ("activation", "gradient") else 2
        at = place[one.layer] * (-1 if stage == 1 else 1)
        severity = _SEVERITIES.index(one.severity)
        return severity, one.fault != "nonfinite", one.follows, one.step, stage, at

    return sorted((one for run in runs for one in _of_run(tracks, run)), key=order)


def _of_run(tracks: Tracks, run: str) -> Iterator[LayerFault]:
    layers = [layer for layer in tracks.table.layers if tracks.table.of(run, layer)]
    modules = {module_of(layer.name)[0] for layer in layers if layer.kind in ("weight", "gradient")}
    odd = _after_weights(_nonfinite(tracks, run, layers))
    yield from (evolve(one, module=_with_parameters(one.layer, modules)) for one in odd)
    if any(one.severity == "error" for one in odd):
        return  # whatever else shows follows from it
    dead = dead_layers(tracks, run, layers)
    died = [one.step for one in dead if one.how == "output" and not one.is_suspected]
    dead = dead or dying_layers(tracks, run, layers)
    behind = next((one for one in dead if one.layer.kind == "gradient" and one.how == "output"), None)
    for one in dead:
        yield _dead(run, one, modules, behind)
    gone = {one.layer for one in dead}
    left = [layer for layer in layers if layer not in gone]
    exploding = exploding_layers(tracks, run, left)
    for sized in exploding:
        if not died or sized.place[0] < min(died):
            yield _sized(run, "exploding", sized)
    if died:
        return  # weights that stay the same, gradients that hardly arrive or grow follow from it
    vanishing = vanishing_layers(tracks, run, left, {one.layer for one in exploding})
    for sized in vanishing:
        yield _sized(run, "vanishing", sized)
    explained = {module_of(layer.name)[0] for layer in (*gone, *(one.layer for one in vanishing))}
    yield from _unchanged(tracks, run, layers, explained)


def _sized(run: str, fault: Fault, one: SizedLayer) -> LayerFault:
    return LayerFault(run, one.layer, fault, "warning", *one.place, one.value, one.usual)


def _dead(run: str, one: DeadLayer, modules: Collection[str], behind: DeadLayer | None) -> LayerFault:
    """``behind``: the layer whose gradients say that its output is 0."""
    severity: Severity = "error" if one.how == "output" else "warning"
    if one.is_suspected:
        severity = "hint"
    module = _with_parameters(one.layer, modules)
    if module not in modules and one.how == "output" and behind is not None and behind.step == one.step:
        module = module_of(behind.layer.name)[
            0
        ]  # an activation of any name: the gradients know what it is of
    return LayerFault(
        run,
        one.layer,
        "dead",
        severity,
        one.step,
        one.last,
        one.share,
        word=one.how,
        follows=one.follows,
        module=module,
    )


def _with_parameters(layer: LayerRow, modules: Collection[str]) -> str:
    """The module of a layer; of an activation ``3`` of a sequence the one before it with parameters."""
    module = module_of(layer.name)[0]
    head, number = re.fullmatch(r"(.*?)(\d*)", module, re.S).groups()  # type: ignore[union-attr]
    if module in modules or not number:
        return module
    before = [place for place in range(int(number)) if f"{head}{place}" in modules]
    return f"{head}{before[-1]}" if before else module


def _nonfinite(tracks: Tracks, run: str, layers: Sequence[LayerRow]) -> list[LayerFault]:
    """Layers with values that are not finite.

    Gradients that are finite again are a hint: a scaler of losses leaves such steps out. Activations that
    hold -Inf from the beginning, as masked scores of attention do, are not a fault as long as all gradients
    and weights stay finite.
    """
    found = []
    for layer in layers:
        for track in tracks.flags(run, layer):
            if (one := _odd(tracks, run, layer, track)) is not None:
                found.append(one)
                break
    spread = any(one.severity == "error" and one.layer.kind != "activation" for one in found)
    return [one for one in found if spread or not _is_mask(one, tracks)]


def _odd(tracks: Tracks, run: str, layer: LayerRow, track: FlagTrack) -> LayerFault | None:
    odd = np.flatnonzero(track.flags)
    if not len(odd):
        return None
    read = np.arange(len(track.flags)) if track.read is None else np.flatnonzero(track.read)
    finite = read[track.flags[read] == 0]
    begin = int(np.searchsorted(read, finite[-1])) + 1 if len(finite) else 0
    lasting = read[begin:]
    at = int(lasting[0]) if len(lasting) else int(odd[0])
    severity: Severity = "error" if len(lasting) or layer.kind != "gradient" else "hint"
    if layer.kind == "gradient" and len(lasting) == 1 and len(read) > 1:
        severity = "warning"  # the last record alone: it may be a step that is left out
    step, flags = int(track.steps[at]), int(track.flags[at])
    counts = tracks.measure(run, layer, "nonfinite")
    count = 1.0
    if counts is not None:
        count = float(np.nanmax(counts.values[counts.steps == step], initial=1.0))
    word = "NaN" if flags & NAN else "+Inf" if flags & POS_INF else "-Inf" if flags & NEG_INF else "NaN"
    return LayerFault(run, layer, "nonfinite", severity, step, int(track.steps[-1]), count, word=word)


def _after_weights(found: Sequence[LayerFault]) -> list[LayerFault]:
    """Gradients of several modules follow from weights that are the first of one module alone to be so."""
    lasting = [one for one in found if one.severity == "error"]
    step = min((one.step for one in lasting), default=0)
    first = [one for one in lasting if one.step == step]
    weights = {one.module for one in first if one.layer.kind == "weight"}
    gradients = {one.module for one in first if one.layer.kind == "gradient"}
    if len(weights) != 1 or len(gradients) < 2:
        return list(found)
    return [evolve(one, follows=True) if one.layer.kind == "gradient" else one for one in found]


def _is_mask(one: LayerFault, tracks: Tracks) -> bool:
    if one.layer.kind not in ("activation", "other") or one.word != "-Inf":
        return False
    return any(
        len(track.steps) and int(track.steps[0]) == one.step and not (track.flags & (NAN | POS_INF)).any()
        for track in tracks.flags(one.run, one.layer)
    )


def _unchanged(
    tracks: Tracks, run: str, layers: Sequence[LayerRow], explained: Collection[str]
) -> Iterator[LayerFault]:
    """Weights that stay the same, which is a hint unless all do."""
    weights = []
    others_change = False
    for layer in layers:
        if layer.kind != "weight" or (prints := tracks.prints(run, layer)) is None:
            continue
        steps, marks = prints
        if len(steps) < _LEAST_RECORDS:
            continue
        changed = np.flatnonzero(marks != marks[-1])
        begin = int(changed[-1]) + 1 if len(changed) else 0
        share = (steps[-1] - steps[begin]) / max(1, steps[-1] - steps[0])
        is_same = len(steps) - begin >= LASTING and share >= _LEAST_SHARE
        if module_of(layer.name)[1]:
            others_change |= not is_same
        else:
            weights.append((layer, int(steps[begin]), int(steps[-1]), is_same, begin == 0))
    same = [one for one in weights if one[3]]
    if not same:
        return
    if len(same) == len(weights) and not others_change and not explained:
        severity: Severity = "error" if all(one[4] for one in same) else "warning"
        since = max(one[1] for one in same)
        for layer, _, last, *_ in same:
            yield LayerFault(run, layer, "unchanged", severity, since, last, 1.0, word="all")
        return
    for layer, since, last, *_ in same:
        if module_of(layer.name)[0] not in explained:
            yield LayerFault(run, layer, "unchanged", "hint", since, last, len(same) / len(weights))


def causes(faults: Iterable[LayerFault]) -> list[tuple[LayerFault, list[LayerFault]]]:
    """Of each run and fault the first layer, with all layers that have the fault."""
    groups: dict[tuple[str, Fault], list[LayerFault]] = {}
    for one in faults:
        groups.setdefault((one.run, one.fault), []).append(one)
    return [(several[0], several) for several in groups.values()]
