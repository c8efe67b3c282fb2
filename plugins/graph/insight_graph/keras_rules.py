"""Shapes of the weights of Keras' own layers, by class: from configurations and the shapes of inputs.

Source: ``build`` of each class in keras.layers, Keras 3.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from insight_graph.columns import Shape

Config: TypeAlias = Mapping[str, Any]
Built: TypeAlias = Mapping[str, Sequence[int]]  # shapes by the argument of ``build``; -1: not fixed
Rule: TypeAlias = Callable[[str, Config, Built], Iterator[tuple[bool, Shape]]]  # whether it is trained, shape

GATES = {"SimpleRNN": 1, "GRU": 3, "LSTM": 4}
WITHOUT = re.compile(
    r"InputLayer|Activation|(Leaky|Thresholded)?ReLU|ELU|Softmax|\w*Dropout(\dD)?|GaussianNoise|Flatten|Reshape"
    r"|Permute|RepeatVector|(Global)?(Max|Average)Pooling\dD|(Adaptive\w+)?Pooling\dD|Add|Subtract|Multiply|Average"
    r"|Maximum|Minimum|Concatenate|Dot|ZeroPadding\dD|Cropping\dD|UpSampling\dD|Masking|ActivityRegularization"
    r"|UnitNormalization|Identity|Rescaling|Resizing|CenterCrop|CategoryEncoding|Discretization|Hashing"
    r"|HashedCrossing|(String|Integer)Lookup|TextVectorization|MelSpectrogram|Random[A-Z]\w+|AugMix|AutoContrast"
    r"|CutMix|MixUp|RandAugment|Equalization|Solarization"
)


def _input(built: Built) -> Sequence[int] | None:
    return built.get("input_shape", built.get("sequences_shape"))


def _last(shape: Sequence[int] | None) -> int:
    return -1 if shape is None else shape[-1]


def _dense(name: str, config: Config, built: Built) -> Iterator[tuple[bool, Shape]]:
    units = int(config["units"])
    yield True, (_last(_input(built)), units)
    if config.get("use_bias", True):
        yield True, (units,)


def _convolution(name: str, config: Config, built: Built) -> Iterator[tuple[bool, Shape]]:
    kernel = tuple(map(int, config["kernel_size"]))
    channels = _channels(config, _input(built))
    filters = int(config["filters"])
    groups = int(config.get("groups", 1))
    yield True, None if channels is None else (*kernel, channels // groups, filters)
    if config.get("use_bias", True):
        yield True, (filters,)


def _depthwise(name: str, config: Config, built: Built) -> Iterator[tuple[bool, Shape]]:
    kernel = tuple(map(int, config["kernel_size"]))
    channels = _channels(config, _input(built))
    deep = None if channels is None else channels * int(config.get("depth_multiplier", 1))
    filters = deep
    yield True, None if channels is None or deep is None else (*kernel, channels, deep // channels)
    if name.startswith("Separable"):
        filters = int(config["filters"])
        yield True, None if deep is None else (*(1 for _ in kernel), deep, filters)
    if config.get("use_bias", True):
        yield True, None if filters is None else (filters,)


def _recurrent_convolution(name: str, config: Config, built: Built) -> Iterator[tuple[bool, Shape]]:
    """ConvLSTM, whose input has an axis of time after that of the batch."""
    shape = _input(built)
    kernel = tuple(map(int, config["kernel_size"]))
    channels = _channels(config, None if shape is None else [shape[0], *shape[2:]])
    filters = int(config["filters"])
    yield True, None if channels is None else (*kernel, channels, 4 * filters)
    yield True, (*kernel, filters, 4 * filters)
    if config.get("use_bias", True):
        yield True, (4 * filters,)


def _embedding(name: str, config: Config, built: Built) -> Iterator[tuple[bool, Shape]]:
    shape = int(config["input_dim"]), int(config["output_dim"])
    yield True, shape
    if name == "ReversibleEmbedding" and not config.get("tie_weights", True):
        yield True, shape[::-1]


def _normalization(name: str, config: Config, built: Built) -> Iterator[tuple[bool, Shape]]:
    size = _along_axes(config, _input(built))
    if name == "RMSNormalization":
        yield True, size
        return
    if name == "Normalization":  # of inputs, by what it saw of the data
        if config.get("mean") is None:
            yield from ((False, size), (False, size), (False, ()))
        return
    if config.get("scale", True):
        yield True, size
    if config.get("center", True) and not config.get("rms_scaling"):
        yield True, size
    if name == "BatchNormalization":
        yield False, size
        yield False, size


def _parametric_relu(name: str, config: Config, built: Built) -> Iterator[tuple[bool, Shape]]:
    shared = config.get("shared_axes") or []
    shape = _input(built)
    if shape is None:
        yield True, None
    else:
        yield True, tuple(1 if axis in shared else size for axis, size in enumerate(shape) if axis)


def _recurrent(name: str, config: Config, built: Built) -> Iterator[tuple[bool, Shape]]:
    kind = name.removesuffix("Cell")
    units, gates = int(config["units"]), GATES[kind]
    yield True, (_last(_input(built)), gates * units)
    yield True, (units, gates * units)
    if config.get("use_bias", True):
        yield True, (2 if kind == "GRU" and config.get("reset_after", True) else 1, gates * units)


def _attention(name: str, config: Config, built: Built) -> Iterator[tuple[bool, Shape]]:
    if name == "AdditiveAttention":
        if config.get("use_scale", True):
            yield True, (_last(_input(built)),)
        return
    if config.get("use_scale"):
        yield True, ()
    if config.get("score_mode") == "concat":
        yield True, ()


def _heads(name: str, config: Config, built: Built) -> Iterator[tuple[bool, Shape]]:
    """Attention with projections of query, key, value and output, and maybe a gate."""
    query, value = _last(built.get("query_shape")), _last(built.get("value_shape"))
    key = _last(built["key_shape"]) if "key_shape" in built else value
    if name == "MultiHeadAttention":
        heads = others = int(config["num_heads"])
        size = int(config["key_dim"])
        size_of_values = int(config.get("value_dim") or size)
    else:
        heads, others = int(config["num_query_heads"]), int(config["num_key_value_heads"])
        size = size_of_values = int(config["head_dim"])
    given = config.get("output_shape") or [query]
    output = tuple(map(int, given if isinstance(given, list) else [given]))
    projections: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
        ((query,), (heads, size)),
        ((key,), (others, size)),
        ((value,), (others, size_of_values)),
        ((heads, size_of_values), output),
    ]
    if config.get("use_gate"):
        projections.append(((query,), (heads, size_of_values)))
    for taken, made in projections:
        yield True, taken + made
        if config.get("use_bias", True):
            yield True, made


def _einsum(name: str, config: Config, built: Built) -> Iterator[tuple[bool, Shape]]:
    """``equation`` names the axes of input, kernel and output by letters, maybe with an ellipsis."""
    match = re.fullmatch(r"(\.\.\.)?([A-Za-z]+)(?:\.\.\.)?,([A-Za-z]+)->(?:\.\.\.)?([A-Za-z]+)(?:\.\.\.)?",
                         str(config["equation"]))  # fmt: skip
    if match is None:
        raise ValueError
    of_input, of_kernel, of_output = match[2], match[3], match[4]
    given = config["output_shape"]
    stated = [-1 if one is None else int(one) for one in (given if isinstance(given, list) else [given])]
    shape = list(_input(built) or [-1] * len(of_input))
    is_behind = bool(match[1]) and len(shape) > len(of_input)  # axes before those that have letters
    sizes = dict(zip(of_input, shape[len(shape) - len(of_input) :] if is_behind else shape, strict=False))
    made = dict(zip(of_output if is_behind else of_output[1:], stated, strict=False))
    # an axis of the output that is not stated is one of the input
    made = {letter: sizes.get(letter, -1) if size < 0 else size for letter, size in made.items()}
    sizes |= made
    yield True, tuple(sizes.get(letter, -1) for letter in of_kernel)
    if config.get("bias_axes") is not None:
        yield True, tuple(sizes.get(letter, -1) for letter in str(config["bias_axes"]))


RULES: Sequence[tuple[re.Pattern[str], Rule]] = (
    (re.compile("Dense"), _dense),
    (re.compile(r"Conv\dD(Transpose)?"), _convolution),
    (re.compile(r"(Depthwise|Separable)Conv\dD"), _depthwise),
    (re.compile(r"ConvLSTM\dD"), _recurrent_convolution),
    (re.compile("(Reversible)?Embedding"), _embedding),
    (re.compile("(Batch|Layer|Group|RMS)?Normalization"), _normalization),
    (re.compile("PReLU"), _parametric_relu),
    (re.compile(f"({'|'.join(GATES)})(Cell)?"), _recurrent),
    (re.compile("(Additive)?Attention"), _attention),
    (re.compile("MultiHeadAttention|GroupQueryAttention"), _heads),
    (re.compile("EinsumDense"), _einsum),
)


def _along_axes(config: Config, shape: Sequence[int] | None) -> Shape:
    axes = config.get("axis", -1)
    chosen = axes if isinstance(axes, list) else [] if axes is None else [axes]
    if not chosen:
        return ()
    if shape is None:
        return None
    sizes = [shape[axis] for axis in chosen]
    return (math.prod(sizes) if min(sizes) > 0 else -1,)


def _channels(config: Config, shape: Sequence[int] | None) -> int | None:
    return None if shape is None else shape[1 if config.get("data_format") == "channels_first" else -1]
