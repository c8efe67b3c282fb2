"""Rules about layers by their histograms: dead, unchanged, gradients that vanish or explode."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from insight_core.plugin import PluginNameEnum, Reason, ReasonKind
from insight_core.plugin.data import SeriesKey
from insight_core.plugin.findings import Examined, Finding, FindingPlace, NotChecked
from insight_diagnose.curves import curve_of, short
from insight_diagnose.layers import Layer, LayerKind, is_bias, layers_of, of_kind

_HISTOGRAM = PluginNameEnum.HISTOGRAM
_RECORDS = 4  # records of a series; fewer tell nothing of a change
_VANISHED = 1e-4  # of the gradients of others: smaller ones hardly move a layer
_EXPLODED = 100.0  # times the gradients of the first third of the run
_NAMED = 20  # tags among the details
_FEW_HISTOGRAMS = ReasonKind("diagnose_few_histograms", "no weights have {least} histograms")
_FEW_GRADIENTS = ReasonKind("diagnose_few_gradients", "fewer than 3 layers have gradients", "least")


def layers_are_alive(examined: Examined) -> Iterator[Finding]:
    """Activations or gradients of a layer that are all zero to the end.

    Biases are left out: before a normalisation their gradients are 0, and a dead layer has dead weights too.
    """
    layers = [layer for layer in _layers(examined, "activation", "gradient") if not is_bias(layer.tag)]
    dead = [(layer, since) for layer in layers if (since := layer.zero_since()) is not None]
    if not dead:
        return
    layer, since = min(dead, key=lambda one: (one[0].kind != "activation", layers.index(one[0])))
    details = _details(layer, since, [one.tag for one, _ in dead])
    yield Finding(
        examined.run,
        "error",
        Reason(
            f"all values of {layer.tag} are 0 since step {since}; {len(dead)} tags are so",
            "diagnose_dead",
            **details,
        ),
        Reason(
            "lower the learning rate; initialise biases with 0 and weights by He's rule; use leaky ReLU or "
            "GELU; normalise the input of the layer",
            "diagnose_dead_change",
        ),
        _place(layer, since),
    )


def layers_change(examined: Examined) -> Iterator[Finding]:
    """Weights of a layer that stay the same while others change, or all of them.

    Biases are left out: before a normalisation nothing moves them.
    """
    layers = [
        layer
        for layer in _layers(examined, "weight")
        if len(layer.records) >= _RECORDS and not is_bias(layer.tag)
    ]
    if not layers:
        raise NotChecked(_FEW_HISTOGRAMS(least=_RECORDS))
    same = [layer for layer in layers if len({record.digest for record in layer.records}) == 1]
    if not same:
        return
    layer = same[0]
    details = _details(layer, layer.records[0].step, [one.tag for one in same])
    if len(same) == len(layers):
        saw = Reason("no weights change in the whole run", "diagnose_all_unchanged", **details)
    else:
        saw = Reason(
            f"{layer.tag} does not change in the whole run; {len(same)} of {len(layers)} weights are so",
            "diagnose_unchanged",
            **details,
            layers=len(layers),
        )
    yield Finding(
        examined.run,
        "error" if len(same) == len(layers) else "warning",
        saw,
        Reason(
            "if the layer is not frozen on purpose, give its parameters to the optimiser, and check "
            "requires_grad (PyTorch) or trainable (Keras, MindSpore), detach() and the learning rate "
            "of its group",
            "diagnose_unchanged_change",
        ),
        _place(layer, layer.records[0].step),
    )


def gradients_arrive(examined: Examined) -> Iterator[Finding]:
    """Gradients of layers that are smaller than those of others by orders of magnitude.

    Layers are compared with the second largest, so that no single layer decides about all others, and layers
    that explode are another rule's. Biases are left out: before a normalisation theirs are 0.
    """
    layers = [layer for layer in _layers(examined, "gradient") if layer.zero_since() is None]
    scales = {layer.tag: layer.scale(layer.records[len(layer.records) // 2 :]) for layer in layers}
    known = [
        layer
        for layer in layers
        if 0 < scales[layer.tag] < np.inf and not is_bias(layer.tag) and _growth(layer) is None
    ]
    if len(known) < 3:
        raise NotChecked(_FEW_GRADIENTS(least=3))
    large = sorted(known, key=lambda layer: scales[layer.tag])[-2]
    vanished = [layer for layer in known if scales[layer.tag] < _VANISHED * scales[large.tag]]
    if not vanished:
        return
    layer = min(vanished, key=lambda one: scales[one.tag])
    yield Finding(
        examined.run,
        "warning",
        Reason(
            f"the gradients of {layer.tag} are {scales[layer.tag]:.2g} (root mean square), those of "
            f"{large.tag} {scales[large.tag]:.2g}; {len(vanished)} of {len(known)} layers get "
            "almost none",
            "diagnose_vanishing",
            **_details(layer, layer.records[0].step, [one.tag for one in vanished]),
            layers=len(known),
            scale=short(scales[layer.tag]),
            largest=large.tag,
            largest_scale=short(scales[large.tag]),
        ),
        Reason(
            "use residual connections and normalisation, ReLU or GELU instead of sigmoid or tanh, and an "
            "initialisation that keeps the scale (He, Glorot)",
            "diagnose_vanishing_change",
        ),
        _place(layer, layer.records[0].step),
    )


def gradients_stay_small(examined: Examined) -> Iterator[Finding]:
    """Gradients that grow a hundredfold to the end, by histograms or by a norm that is logged."""
    for key, columns in examined.scalars("grad_norm"):
        curve = curve_of(columns.steps, columns.values)
        third = len(curve) // 3
        if third < 3:
            continue
        before = float(np.median(curve.values[:third]))
        end = float(np.median(curve.values[-max(2, third // 3) :]))
        if before > 0 and end > _EXPLODED * before:
            place = FindingPlace(PluginNameEnum.SCALAR, key.tag, (curve.step(third), int(curve.steps[-1])))
            yield _explodes(key, before, end, [key.tag], place)
    exploded = []
    layers = of_kind(layers_of(examined.ctx.data, examined.run), "gradient")
    if not layers and not examined.keys("grad_norm"):
        raise NotChecked(Reason("no gradients are logged", "diagnose_no_gradients"))
    for layer in layers:
        if (growth := _growth(layer)) is not None:
            exploded.append((layer, *growth))
    if exploded:
        layer, before, end = max(exploded, key=lambda one: one[2] / one[1])
        tags = [one.tag for one, _, _ in exploded]
        yield _explodes(
            SeriesKey(examined.run, layer.tag), before, end, tags, _place(layer, layer.records[0].step)
        )


def _growth(layer: Layer) -> tuple[float, float] | None:
    """The sizes of gradients before and at the end, if they explode."""
    if len(layer.records) < _RECORDS:
        return None
    before = layer.scale(layer.records[: max(2, len(layer.records) // 3)])
    end = layer.scale(layer.records[-2:])
    return (before, end) if before > 0 and end > _EXPLODED * before else None


def _explodes(key: SeriesKey, before: float, end: float, tags: Sequence[str], place: FindingPlace) -> Finding:
    return Finding(
        key.run,
        "warning",
        Reason(
            f"the gradients of {key.tag} have grown from {before:.2g} to {end:.2g}",
            "diagnose_exploding",
            tag=key.tag,
            before=short(before),
            end=short(end),
            count=len(tags),
            tags=list(tags[:_NAMED]),
        ),
        Reason(
            "clip gradients by their norm, lower the learning rate, and check the data since the "
            "growth began",
            "diagnose_exploding_change",
        ),
        place,
    )


def _layers(examined: Examined, *kinds: LayerKind) -> list[Layer]:
    """The layers of these kinds. Raises NotChecked if there are none."""
    found = layers_of(examined.ctx.data, examined.run)
    wanted = [layer for layer in found if layer.kind in kinds and layer.records]
    if not wanted:
        raise NotChecked(
            Reason(
                f"no histogram is named as {' or '.join(kinds)}",
                "diagnose_no_layers",
                kinds=" / ".join(kinds),
            )
        )
    return wanted


def _details(layer: Layer, step: int, tags: Sequence[str]) -> dict[str, object]:
    return {"tag": layer.tag, "step": step, "count": len(tags), "tags": list(tags[:_NAMED])}


def _place(layer: Layer, step: int) -> FindingPlace:
    return FindingPlace(_HISTOGRAM, layer.tag, (step, layer.records[-1].step))
