"""Rules about layers: values that are not finite, dead, unchanged, gradients that vanish or explode."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from insight_core.plugin import PluginNameEnum, Reason, ReasonKind
from insight_core.plugin.findings import Examined, Finding, FindingPlace, NotChecked
from insight_diagnose.curves import curve_of, median, short
from insight_layers import Kind, LayerFault, LayerPlugins, LayerReader, Tracks, causes, is_bias

_PLUGINS = LayerPlugins(PluginNameEnum.HISTOGRAM, PluginNameEnum.TENSOR, PluginNameEnum.SCALAR)
_RECORDS = 32  # of a series that are read
_SECONDS = 5.0
_EXPLODED = 100.0  # times the gradient norm of the first third of the run
_NAMED = 20  # tags among the details
_SUSPECTED = {"unreached", "nowhere", "together"}  # what is recorded does not tell the cause

_READING = ReasonKind("diagnose_layers_reading", "the layers are still being read")
_NO_LAYERS = ReasonKind("diagnose_no_layers", "no series is named as {kinds} of layers")
_DETAILS = frozenset(
    {"tag", "layer", "kind", "module", "step", "count", "layers", "tags", "word", "value", "usual", "percent"}
)


def _kind(code: str, text: str) -> ReasonKind:
    """A text that may name any of the details, and has all of them."""
    return ReasonKind(code, text, *_DETAILS)


_SAW: Mapping[tuple[str, str], ReasonKind] = {
    ("nonfinite", ""): _kind(
        "diagnose_layer_nonfinite",
        "{layer} ({kind}) is {word} first, at step {step}; series of layers that are so: {count}",
    ),
    ("nonfinite", "together"): _kind(
        "diagnose_layers_nonfinite",
        "{count} series of layers are {word} since step {step}, {layer} ({kind}) among them: which of them "
        "was the first is not recorded",
    ),
    ("nonfinite", "passing"): _kind(
        "diagnose_layer_overflow",
        "gradients of {layer} are {word} at step {step} and finite later; series that are so: {count}",
    ),
    ("dead", "output"): _kind(
        "diagnose_dead_output",
        "the output of layer {module} is 0 since step {step} ({tag}); series that are 0: {count}",
    ),
    ("dead", "input"): _kind(
        "diagnose_dead_input",
        "the input of layer {module} is 0 since step {step}: its weights have no gradient, its bias has one",
    ),
    ("dead", "unreached"): _kind(
        "diagnose_dead_unreached",
        "no gradient reaches layer {module} since step {step}; series that are 0: {count}",
    ),
    ("dead", "nowhere"): _kind(
        "diagnose_dead_nowhere",
        "no layer has a gradient since step {step}: suspected is the output of layer {module}, or the loss",
    ),
    ("dead", "units"): _kind(
        "diagnose_dead_units", "{percent:g} % of the outputs of layer {module} are 0 since step {step}"
    ),
    ("unchanged", ""): _kind(
        "diagnose_unchanged", "{tag} does not change since step {step}; {count} of {layers} weights are so"
    ),
    ("unchanged", "all"): _kind("diagnose_all_unchanged", "no weights change since step {step}"),
    ("vanishing", ""): _kind(
        "diagnose_vanishing",
        "the gradients of layer {module} are {value:.2g} (root mean square), those of the second largest "
        "{usual:.2g}; layers that get almost none: {count}",
    ),
    ("exploding", ""): _kind(
        "diagnose_exploding",
        "the gradients of {layer} have grown from {usual:.3g} to {value:.3g} since step {step}; layers "
        "whose gradients have: {count}",
    ),
}
_NORM_EXPLODES = ReasonKind(
    "diagnose_norm_explodes", "{tag} has grown from {usual:.3g} to {value:.3g} since step {step}"
)
_REVIVE = Reason(
    "lower the learning rate; initialise biases with 0 and weights by He's rule; use leaky ReLU or "
    "GELU; normalise the input of the layer",
    "diagnose_dead_change",
)
_CHANGE: Mapping[str, Reason] = {
    "nonfinite": Reason(
        "look at what this layer computes just before that step: logarithms, divisions, roots and "
        "exponentials; lower the learning rate, clip gradients",
        "diagnose_layer_nonfinite_change",
    ),
    "passing": Reason(
        "nothing, if losses are scaled; else clip gradients and look at the data of these steps",
        "diagnose_layer_overflow_change",
    ),
    "dead": _REVIVE,
    "units": _REVIVE,
    "input": Reason("look at the data and at what feeds this layer", "diagnose_dead_input_change"),
    "unreached": Reason(
        "if the layer is not frozen on purpose, check requires_grad (PyTorch) or trainable (Keras, "
        "MindSpore), detach() and stop_gradient, and the scale of the loss in mixed precision",
        "diagnose_dead_unreached_change",
    ),
    "nowhere": Reason(
        "check that the loss is computed from the output of the model, without detach(), and the last "
        "activation",
        "diagnose_dead_nowhere_change",
    ),
    "unchanged": Reason(
        "if the layer is not frozen on purpose, give its parameters to the optimiser, and check "
        "requires_grad (PyTorch) or trainable (Keras, MindSpore), detach() and the learning rate "
        "of its group",
        "diagnose_unchanged_change",
    ),
    "all": Reason(
        "check that the optimiser has the parameters of the model, that its step is called, and that the "
        "learning rate is not 0",
        "diagnose_all_unchanged_change",
    ),
    "vanishing": Reason(
        "use residual connections and normalisation, ReLU or GELU instead of sigmoid or tanh, and an "
        "initialisation that keeps the scale (He, Glorot)",
        "diagnose_vanishing_change",
    ),
    "exploding": Reason(
        "clip gradients by their norm, lower the learning rate, and check the data since the growth began",
        "diagnose_exploding_change",
    ),
}


def layers_are_finite(examined: Examined) -> Iterator[Finding]:
    """Values of layers that are NaN or infinite: the first layer is named."""
    yield from _found(examined, "nonfinite", ("weight", "gradient", "activation"))


def layers_are_alive(examined: Examined) -> Iterator[Finding]:
    """Layers whose output is 0 to the end, or which no gradient reaches."""
    yield from _found(examined, "dead", ("activation", "gradient"))


def layers_change(examined: Examined) -> Iterator[Finding]:
    """Weights that stay the same: a hint, unless all do."""
    yield from _found(examined, "unchanged", ("weight",))


def gradients_arrive(examined: Examined) -> Iterator[Finding]:
    """Gradients of layers that are smaller than those of others by orders of magnitude."""
    yield from _found(examined, "vanishing", ("gradient",))


def gradients_stay_small(examined: Examined) -> Iterator[Finding]:
    """Gradients that grow a hundredfold to the end, of layers or by a norm that is logged."""
    norms = examined.keys("grad_norm")
    for key, columns in examined.scalars("grad_norm"):
        curve = curve_of(columns.steps, columns.values)
        third = len(curve) // 3
        if third < 3:
            continue
        before = median(curve.values[:third])
        end = median(curve.values[-max(2, third // 3) :])
        if before > 0 and end > _EXPLODED * before:
            since = int(np.flatnonzero(curve.values <= _EXPLODED * before)[-1]) + 1
            step = curve.step(since)
            saw = _NORM_EXPLODES(tag=key.tag, usual=short(before), value=short(end), step=step)
            place = FindingPlace(PluginNameEnum.SCALAR, key.tag, (step, int(curve.steps[-1])))
            yield Finding(key.run, "warning", saw, _CHANGE["exploding"], place)
    try:
        yield from _found(examined, "exploding", ("gradient",))
    except NotChecked as error:
        if not norms or error.may_change:
            raise


def _found(examined: Examined, fault: str, kinds: Sequence[Kind]) -> Iterator[Finding]:
    """The finding about one kind of fault. Raises NotChecked without such layers, and while they are read."""
    settled = LayerReader.of(examined.ctx.data, _PLUGINS).settled(
        examined.run, seconds=_SECONDS, most=_RECORDS
    )
    if settled is None:
        raise NotChecked(_READING(), may_change=True)
    tracks, faults = settled
    if not any(layer.kind in kinds for layer in tracks.table.layers):
        raise NotChecked(_NO_LAYERS(kinds=" / ".join(kinds)))
    for first, several in causes(faults):
        if first.fault == fault:
            yield _finding(tracks, first, several)


def _is_together(first: LayerFault, several: Sequence[LayerFault]) -> bool:
    """Whether weights of several modules are so in the first record: an update had spread it by then."""
    weights = {one.module for one in several if one.layer.kind == "weight" and one.step == first.step}
    return len(weights) > 1


def _finding(tracks: Tracks, first: LayerFault, several: Sequence[LayerFault]) -> Finding:
    tags = [tracks.table.of(one.run, one.layer)[0].tag for one in several]
    how = {"dead": first.word, "unchanged": first.word}.get(first.fault, "")
    text = {"output": "dead", "": first.fault}.get(how, how)
    if first.fault == "nonfinite" and first.severity == "hint":
        how = text = "passing"
    elif first.fault == "nonfinite" and _is_together(first, several):
        how, text = "together", "nonfinite"
        several = [one for one in several if one.step == first.step]
    compared = "weight" if first.fault == "unchanged" else first.layer.kind
    layers = sum(layer.kind == compared and not is_bias(layer.name) for layer in tracks.table.layers)
    saw = _SAW[first.fault, how](
        tag=tags[0],
        layer=first.layer.name,
        kind=first.layer.kind,
        module=first.module,
        step=first.step,
        count=len(several),
        layers=layers,
        tags=tags[:_NAMED],
        word=first.word,
        value=short(first.value),
        usual=short(first.usual),
        percent=round(100 * first.value),
    )
    plugin = tracks.table.of(first.run, first.layer)[0].plugin
    place = FindingPlace(plugin, tags[0], (first.step, first.last))
    is_suspected = how in _SUSPECTED or (first.fault == "dead" and first.severity == "hint")
    return Finding(
        first.run,
        first.severity,
        saw,
        _CHANGE[text],
        place,
        confidence="suspected" if is_suspected else "measured",
    )
