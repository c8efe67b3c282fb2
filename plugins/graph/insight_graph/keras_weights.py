"""Derives the weights of Keras layers from their configuration and input shape.

Source: ``build`` of each class in keras.layers, Keras 3. A layer of another class, or one that the log does
not say the input of, has a weight of unknown size.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from insight_graph.columns import OutputType, Shape

Weights: TypeAlias = Iterator[tuple[bool | None, OutputType]]  # whether it is trained (None: unknown), type
_Config: TypeAlias = Mapping[str, Any]
_Shapes: TypeAlias = Iterator[tuple[bool, Shape]]

_WITHOUT = re.compile(
    r"InputLayer|Activation|(Leaky|Thresholded)?ReLU|ELU|Softmax|\w*Dropout(\dD)?|GaussianNoise|Flatten|Reshape"
    r"|Permute|RepeatVector|(Global)?(Max|Average)Pooling\dD|(Adaptive\w+)?Pooling\dD|Add|Subtract|Multiply|Average"
    r"|Maximum|Minimum|Concatenate|Dot|ZeroPadding\dD|Cropping\dD|UpSampling\dD|Masking|ActivityRegularization"
    r"|UnitNormalization|Identity|Rescaling|Resizing|CenterCrop|CategoryEncoding|Attention|AdditiveAttention"
)
_FUNCTIONS = re.compile(r"keras(\.src)?\.ops(\..*)?")
_GATES = {"SimpleRNN": 1, "GRU": 3, "LSTM": 4}


def weights_of(layer: _Config) -> Weights:
    """The weights of one layer, as ``model.to_json()`` describes it."""
    config = _mapping(layer.get("config"))
    trainable = config.get("trainable") is not False
    if _is_function(layer):
        return
    dtype = _dtype(config.get("dtype"))
    try:
        found = None if _is_custom(layer) else _weights(layer, config, _built(layer))
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError):  # a log may say anything
        found = None
    if found is None:
        yield None, OutputType("", None)
        return
    for learned, shape in found:
        yield learned and trainable, OutputType(dtype, shape)


def _weights(layer: _Config, config: _Config, shape: Sequence[int] | None) -> list[tuple[bool, Shape]] | None:
    """Of a layer of Keras' own; None for a class that is not known here."""
    name = str(layer.get("class_name", ""))
    if _WITHOUT.fullmatch(name):
        return []
    if name in ("Bidirectional", "TimeDistributed"):
        inner = _mapping(config["layer"])
        if shape is not None and name == "TimeDistributed":
            shape = [shape[0], *shape[2:]]
        if _is_custom(inner):
            return None
        inner_config = _mapping(inner.get("config"))
        found = _weights(inner, inner_config, shape)
        if found is None or inner_config.get("trainable") is False:
            return found and [(False, one) for _, one in found]
        return found * 2 if name == "Bidirectional" else found
    rule = next((rule for pattern, rule in _RULES if pattern.fullmatch(name)), None)
    return None if rule is None else list(rule(name, config, shape))


def _dense(name: str, config: _Config, shape: Sequence[int] | None) -> _Shapes:
    units = int(config["units"])
    yield True, None if shape is None else (shape[-1], units)
    if config.get("use_bias", True):
        yield True, (units,)


def _convolution(name: str, config: _Config, shape: Sequence[int] | None) -> _Shapes:
    kernel = tuple(map(int, config["kernel_size"]))
    channels = _channels(config, shape)
    filters = int(config["filters"])
    groups = int(config.get("groups", 1))
    yield True, None if channels is None else (*kernel, channels // groups, filters)
    if config.get("use_bias", True):
        yield True, (filters,)


def _depthwise(name: str, config: _Config, shape: Sequence[int] | None) -> _Shapes:
    kernel = tuple(map(int, config["kernel_size"]))
    channels = _channels(config, shape)
    deep = None if channels is None else channels * int(config.get("depth_multiplier", 1))
    filters = deep
    yield True, None if channels is None or deep is None else (*kernel, channels, deep // channels)
    if name.startswith("Separable"):
        filters = int(config["filters"])
        yield True, None if deep is None else (deep, filters)
    if config.get("use_bias", True):
        yield True, None if filters is None else (filters,)


def _embedding(name: str, config: _Config, shape: Sequence[int] | None) -> _Shapes:
    yield True, (int(config["input_dim"]), int(config["output_dim"]))


def _normalization(name: str, config: _Config, shape: Sequence[int] | None) -> _Shapes:
    axes = config.get("axis", -1)
    chosen = axes if isinstance(axes, list) else [axes]
    size: Shape = None
    if shape is not None:
        sizes = [shape[axis] for axis in chosen]
        size = (math.prod(sizes) if min(sizes) > 0 else -1,)
    if config.get("scale", True):
        yield True, size
    if config.get("center", True) and not config.get("rms_scaling"):
        yield True, size
    if name == "BatchNormalization":
        yield False, size
        yield False, size


def _parametric_relu(name: str, config: _Config, shape: Sequence[int] | None) -> _Shapes:
    shared = config.get("shared_axes") or []
    yield (
        True,
        None
        if shape is None
        else tuple(1 if axis in shared else size for axis, size in enumerate(shape) if axis),
    )


def _recurrent(name: str, config: _Config, shape: Sequence[int] | None) -> _Shapes:
    units, gates = int(config["units"]), _GATES[name]
    yield True, None if shape is None else (shape[-1], gates * units)
    yield True, (units, gates * units)
    if config.get("use_bias", True):
        yield True, (2 if name == "GRU" and config.get("reset_after", True) else 1, gates * units)


_RULES: Sequence[tuple[re.Pattern[str], Callable[[str, _Config, Sequence[int] | None], _Shapes]]] = (
    (re.compile("Dense"), _dense),
    (re.compile(r"Conv\dD(Transpose)?"), _convolution),
    (re.compile(r"(Depthwise|Separable)Conv\dD"), _depthwise),
    (re.compile("Embedding"), _embedding),
    (re.compile("(Batch|Layer|Group)Normalization"), _normalization),
    (re.compile("PReLU"), _parametric_relu),
    (re.compile("|".join(_GATES)), _recurrent),
)


def _channels(config: _Config, shape: Sequence[int] | None) -> int | None:
    return None if shape is None else shape[1 if config.get("data_format") == "channels_first" else -1]


def _built(layer: _Config) -> list[int] | None:
    """The shape that the layer was built with; -1 for a size that is not fixed."""
    shape = _mapping(layer.get("build_config")).get("input_shape")
    if not isinstance(shape, list) or not shape:
        return None
    sizes = [-1 if one is None else one for one in shape]
    return sizes if all(isinstance(one, int) for one in sizes) else None


def _is_custom(layer: _Config) -> bool:
    module = layer.get("module")
    return bool(layer.get("registered_name")) or (
        isinstance(module, str) and not re.match(r"(tf_)?keras\b", module)
    )


def _is_function(layer: _Config) -> bool:
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


def _mapping(value: object) -> _Config:
    return value if isinstance(value, Mapping) else {}
