"""What a tag says: the layer, what of the layer the values are, and for scalars which measure."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, TypeAlias, get_args

from attrs import frozen

Kind: TypeAlias = Literal["weight", "gradient", "activation", "update", "other"]  # What the values are.
KINDS: tuple[Kind, ...] = get_args(Kind)
Measure: TypeAlias = Literal["nonfinite", "mean", "std", "size", "zeros", "dead", "ratio"]
MEASURES: tuple[Measure, ...] = get_args(Measure)

_KIND_WORDS: dict[Kind, frozenset[str]] = {  # the first kind of which a tag has a word
    "gradient": frozenset({"grad", "grads", "gradient", "gradients"}),
    "update": frozenset({"update", "updates"}),
    "activation": frozenset(
        {"activation", "activations", "act", "acts", "output", "outputs", "relu", "gelu", "silu", "logits"}
    ),
    "weight": frozenset(
        {"weight", "weights", "kernel", "bias", "param", "params", "parameter", "parameters"}
        | {"w", "b", "gamma", "beta", "embedding", "embeddings"}
    ),
}
_MEASURE_NAMES: dict[Measure, str] = {
    "nonfinite": r"(?:num_|n_)?(?:nans?|infs?|non_?finite|nan_inf)(?:_count|s_count)?",
    "mean": r"mean|avg|average",
    "std": r"std|stddev|stdev|std_dev",
    "size": r"(?:l2_)?norm|l2|rms",
    "zeros": r"zeros|sparsity|zero_(?:fraction|frac|share)|(?:fraction|frac)_(?:of_)?zeros?",
    "dead": r"dead(?:_(?:units|neurons|fraction|frac|share|ratio))?",
    "ratio": r"(?:grad(?:ient)?_)?(?:to_)?(?:weight_|param_|data_)?ratio|grad(?:ient)?_to_(?:weight|param)",
}
_MEASURE = re.compile(
    r"(?:^|(?<=[._]))(?:" + "|".join(f"(?P<{name}>{form})" for name, form in _MEASURE_NAMES.items()) + r")$"
)
_WORDS = re.compile(r"[a-z]+")
_MODULE_LIKE = re.compile(r"[0-9.]")
# segments of a tag that say what the values are, apart from the name of the layer
_DROPPED = frozenset(
    {"grad", "grads", "gradient", "gradients", "update", "updates", "weights", "param", "params", "parameter"}
    | {"parameters", "act", "acts", "activation", "activations", "output", "outputs"}
    | {"hist", "histogram", "histograms", "auto", "values", "value", "monitor", "health", "stats"}
)
_ENDING = re.compile(r"[._](?:grads?|gradients?|acts?|activations?|outputs?|updates?)$")
_NO_LAYER = frozenset(
    {"", "train", "training", "val", "valid", "validation", "eval", "test", "total", "global", "all", "model"}
    | {"optim", "optimizer", "loss", "metrics"}
)
# a parameter within its module: "weight" of "fc.weight", "lstm.weight_ih_l0", "dense/kernel:0", "W1"
_PART = re.compile(
    r"(?:^|(?<=[./_]))(?:(?P<bias>bias(?:es)?|beta|b)|weights?|kernel|gamma|scale|w)(?=$|[./_:]|\d+$)", re.I
)


@frozen
class Name:
    """What a tag names. ``measure`` is None where the values themselves are recorded."""

    layer: str
    kind: Kind
    measure: Measure | None = None
    is_norm: bool = False  # the size is a norm, which grows with the number of values, not a mean


def natural(name: str) -> tuple[tuple[int, int | str], ...]:
    """A key that sorts names with numbers as people do: ``layer.2`` before ``layer.10``."""
    parts = re.split(r"([0-9]+)", name)
    return tuple((0, int(part)) if part.isdecimal() else (1, part) for part in parts)


@lru_cache(maxsize=100_000)
def module_of(layer: str) -> tuple[str, bool]:
    """The module that a layer is a parameter of, and whether that is a bias, which may begin at 0.

    ``fc.weight`` and ``fc.bias`` are of ``fc``; any other layer is its own module.
    """
    parts = [*_PART.finditer(layer)]
    if not parts:
        return layer, False
    found = parts[-1]
    before, after = layer[: found.start()].rstrip("./_"), layer[found.end() :].lstrip("./_:")
    if after == "0":  # which TensorFlow appends
        after = ""
    return ".".join(part for part in (before, after) if part) or layer, found["bias"] is not None


def is_bias(layer: str) -> bool:
    """Whether the values of a layer are biases, which may begin at 0."""
    return module_of(layer)[1]


@lru_cache(maxsize=100_000)
def values_name(tag: str) -> Name:
    """The name of a tag of histograms or tensors: every tag is a layer."""
    return Name(_layer(tag.split("/")) or tag, _kind(tag))


@lru_cache(maxsize=100_000)
def scalar_name(tag: str) -> Name | None:
    """The name of a scalar that measures a layer; None for all other scalars, such as a loss.

    It has a segment that is a measure or ends in one (``grad_norm``), and what is left names a layer. A tag
    says what it measures (``gradient``, ``activation``, ...), or counts values that are not finite.
    """
    segments = tag.split("/")
    for place in reversed(range(len(segments))):
        segment = segments[place].lower().replace("-", "_")
        match = _MEASURE.search(segment)
        if match is None:
            continue
        measure = next(one for one in MEASURES if match[one])
        rest = [*segments[:place], segments[place][: match.start()].rstrip("._"), *segments[place + 1 :]]
        layer = _layer([one for one in rest if one])
        kind = _kind(tag)
        if layer.lower() in _NO_LAYER:
            return None
        if kind == "other" and not (measure in ("nonfinite", "dead") and _MODULE_LIKE.search(layer)):
            return None
        return Name(layer, kind, measure, is_norm=measure == "size" and match[0] != "rms")
    return None


def _kind(tag: str) -> Kind:
    words = set(_WORDS.findall(tag.lower()))
    return next((kind for kind, known in _KIND_WORDS.items() if words & known), "other")


def _layer(segments: list[str]) -> str:
    """What is left of a tag without the segments and endings that say what the values are."""
    left = []
    for place, segment in enumerate(segments):
        small = segment.lower()
        if small in _DROPPED or (place == 0 and small == "weight" and len(segments) > 1):
            continue
        left.append(_ENDING.sub("", segment, count=1) if _ENDING.search(small) else segment)
    return "/".join(left)
