"""Derives the weights of Keras layers from their configuration.

A layer of another class, or one whose input the log does not state, has a weight of unknown size.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from insight_graph.columns import OutputType, Shape
from insight_graph.keras_rules import RULES, WITHOUT, Built, Config

Weights: TypeAlias = Iterator[tuple[bool | None, OutputType]]  # whether it is trained (None: unknown), type
_Found: TypeAlias = list[tuple[bool, Shape]]

_FUNCTIONS = re.compile(r"keras(\.src)?\.ops(\..*)?")
_DEEPEST = 10  # layers in each other


def weights_of(layer: Config) -> Weights:
    """The weights of one layer, as ``model.to_json()`` describes it."""
    config = _mapping(layer.get("config"))
    trainable = config.get("trainable") is not False
    if _is_function(layer):
        return
    dtype = _dtype(config.get("dtype"))
    try:
        found = _weights(layer, _built(layer), 0)
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError):  # a log may say anything
        found = None
    if found is None:
        yield None, OutputType("", None)
        return
    for learned, shape in found:
        yield learned and trainable, OutputType(dtype, shape)


def _weights(layer: Config, built: Built, depth: int) -> _Found | None:
    """Of a layer of Keras' own; None for a class that is not known here, or one that was changed after."""
    name, config = str(layer.get("class_name", "")), _mapping(layer.get("config"))
    if _is_custom(layer) or _is_rewritten(config) or depth > _DEEPEST:
        return None
    if WITHOUT.fullmatch(name):
        return []
    if name in _WRAPPERS:
        return _of_wrapper(name, config, built, depth + 1)
    rule = next((rule for pattern, rule in RULES if pattern.fullmatch(name)), None)
    return None if rule is None else list(rule(name, config, built))


_WRAPPERS = {"Bidirectional", "TimeDistributed", "SpectralNormalization", "RNN", "StackedRNNCells"}


def _of_wrapper(name: str, config: Config, built: Built, depth: int) -> _Found | None:
    """Of a layer of layers: their weights, and for a spectral norm the vector that it estimates."""
    if name in ("TimeDistributed", "RNN"):  # the input has an axis of time
        built = {key: [shape[0], *shape[2:]] for key, shape in built.items()}
    if name == "StackedRNNCells":
        return _all_of([_inner(cell, _built(cell), depth) for cell in config["cells"]])
    layers = [config["cell" if name == "RNN" else "layer"]]
    if name == "Bidirectional":
        layers.append(config.get("backward_layer") or config["layer"])
    found = _all_of([_inner(one, built, depth) for one in layers])
    if found and name == "SpectralNormalization":
        kernel = found[0][1]
        found.append((False, kernel and (1, kernel[-1])))
    return found


def _inner(layer: Any, built: Built, depth: int) -> _Found | None:  # noqa: ANN401
    inner = _mapping(layer)
    found = _weights(inner, built, depth)
    if found and _mapping(inner.get("config")).get("trainable") is False:
        return [(False, shape) for _, shape in found]
    return found


def _all_of(found: Sequence[_Found | None]) -> _Found | None:
    known = [one for one in found if one is not None]
    return [weight for one in known for weight in one] if len(known) == len(found) else None


def _built(layer: Config) -> Built:
    """The shapes that the layer was built with, by argument: of several inputs the first; -1: not fixed."""
    config = _mapping(layer.get("build_config"))
    found = {}
    for name, shape in {**config, **_mapping(config.get("shapes_dict"))}.items():
        if isinstance(shape, list) and shape and all(isinstance(one, list) for one in shape):
            shape = shape[0]
        if isinstance(shape, list) and shape and all(one is None or isinstance(one, int) for one in shape):
            found[str(name)] = [-1 if one is None else one for one in shape]
    return found


def _is_custom(layer: Config) -> bool:
    module = layer.get("module")
    return bool(layer.get("registered_name")) or (
        isinstance(module, str) and not re.match(r"(tf_)?keras\b", module)
    )


def _is_rewritten(config: Config) -> bool:
    """Whether the layer was quantised, or has weights of a low rank in addition to its own."""
    policy = str(_mapping(config.get("dtype")).get("class_name", ""))
    return bool(config.get("lora_rank")) or policy.startswith("Quantized")


def _is_function(layer: Config) -> bool:
    module = layer.get("module")
    return layer.get("class_name") in ("TFOpLambda", "SlicingOpLambda") or (
        isinstance(module, str) and _FUNCTIONS.fullmatch(module) is not None
    )


def _dtype(policy: object) -> str:
    """The dtype of weights: that of a mixed policy is float32."""
    if isinstance(policy, Mapping):
        policy = _mapping(policy.get("config")).get("name")
    name = policy if isinstance(policy, str) else "float32"
    return "float32" if name.startswith("mixed_") else name


def _mapping(value: object) -> Config:
    return value if isinstance(value, Mapping) else {}
