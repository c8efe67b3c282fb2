"""Writes layers as ``model.to_json()`` describes them, and how many weights Keras counts (``layers.json``).

pip install keras==3.15.1 torch==2.13.0
KERAS_BACKEND=torch python write.py
"""

# mypy: disable-error-code="import-not-found,import-untyped,no-any-return"

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import keras
from keras import layers

_NO_WEIGHT = ("initializer", "regularizer", "constraint", "activation")
_IMAGE, _SEQUENCE, _VIDEO, _ROW = (8, 8, 6), (7, 6), (3, 8, 8, 2), (6,)


def examples() -> Iterator[tuple[layers.Layer, list[tuple[int | None, ...]]]]:
    """Layers, and the shapes of what each is called with."""
    yield layers.Dense(5), [_ROW]
    yield layers.Dense(5, use_bias=False, trainable=False), [_SEQUENCE]
    for groups in (1, 2):
        yield layers.Conv2D(4, 3, groups=groups), [_IMAGE]
    yield layers.Conv1D(4, 3, dtype="mixed_float16"), [_SEQUENCE]
    yield layers.Conv2DTranspose(4, (2, 3)), [_IMAGE]
    yield layers.Conv3D(4, 2), [_VIDEO]
    yield layers.DepthwiseConv2D(3, depth_multiplier=2), [_IMAGE]
    yield layers.SeparableConv1D(4, 3, depth_multiplier=2), [_SEQUENCE]
    yield layers.SeparableConv2D(4, 3, use_bias=False), [_IMAGE]
    yield layers.ConvLSTM1D(3, 2), [(4, 7, 2)]
    yield layers.ConvLSTM2D(3, (2, 3), use_bias=False), [(4, 7, 7, 2)]
    yield layers.ConvLSTM2D(3, 2, data_format="channels_first"), [(4, 2, 7, 7)]
    yield layers.ConvLSTM3D(2, 2), [(3, 4, 4, 4, 2)]
    yield layers.Embedding(11, 4), [_ROW]
    yield layers.ReversibleEmbedding(11, 4), [_ROW]
    yield layers.ReversibleEmbedding(11, 4, tie_weights=False), [_ROW]
    yield layers.BatchNormalization(), [_IMAGE]
    yield layers.BatchNormalization(scale=False, trainable=False), [_IMAGE]
    yield layers.LayerNormalization(axis=[1, 2]), [_SEQUENCE]
    yield layers.LayerNormalization(center=False), [_SEQUENCE]
    yield layers.GroupNormalization(3), [_IMAGE]
    yield layers.RMSNormalization(), [_SEQUENCE]
    yield layers.RMSNormalization(axis=[1, 2]), [_SEQUENCE]
    yield layers.Normalization(), [_ROW]
    yield layers.Normalization(axis=(1, 3)), [_IMAGE]
    yield layers.Normalization(axis=None), [_ROW]
    yield layers.Normalization(mean=1.0, variance=2.0), [_ROW]
    yield layers.UnitNormalization(), [_ROW]
    yield layers.PReLU(), [_SEQUENCE]
    yield layers.PReLU(shared_axes=[1, 2]), [_IMAGE]
    yield layers.SimpleRNN(5), [_SEQUENCE]
    yield layers.LSTM(5, use_bias=False), [_SEQUENCE]
    yield layers.LSTM(5), [_SEQUENCE]
    for after in (True, False):
        yield layers.GRU(5, reset_after=after), [_SEQUENCE]
    yield layers.RNN(layers.GRUCell(5)), [_SEQUENCE]
    yield layers.RNN([layers.LSTMCell(5), layers.SimpleRNNCell(3)]), [_SEQUENCE]
    yield layers.Bidirectional(layers.LSTM(4)), [_SEQUENCE]
    backward = layers.GRU(3, go_backwards=True)
    yield layers.Bidirectional(layers.LSTM(4), backward_layer=backward, merge_mode="concat"), [_SEQUENCE]
    yield layers.TimeDistributed(layers.Conv2D(3, 2)), [_VIDEO]
    yield layers.TimeDistributed(layers.Dense(3, trainable=False)), [_SEQUENCE]
    for inner in (layers.Conv2D(4, 3), layers.Dense(5)):
        yield layers.SpectralNormalization(inner), [_IMAGE]
    yield layers.Attention(), [_SEQUENCE, _SEQUENCE]
    yield layers.Attention(use_scale=True, score_mode="concat"), [_SEQUENCE, _SEQUENCE]
    yield layers.AdditiveAttention(), [_SEQUENCE, _SEQUENCE]
    yield layers.AdditiveAttention(use_scale=False), [_SEQUENCE, _SEQUENCE]
    yield layers.MultiHeadAttention(2, 8), [_SEQUENCE, _SEQUENCE]
    yield layers.MultiHeadAttention(2, 8, value_dim=3, output_shape=5), [_SEQUENCE, (7, 4)]
    yield layers.MultiHeadAttention(3, 4, use_bias=False), [_SEQUENCE, (9, 5), (9, 4)]
    yield layers.MultiHeadAttention(3, 4, output_shape=(2, 3)), [_SEQUENCE, _SEQUENCE]
    yield layers.MultiHeadAttention(2, 4, attention_axes=(2, 3), trainable=False), [_VIDEO, _VIDEO]
    yield layers.MultiHeadAttention(2, 4, value_dim=3, use_gate=True), [_SEQUENCE, _SEQUENCE]
    yield layers.GroupQueryAttention(4, 6, 2), [_SEQUENCE, (9, 6), (9, 5)]
    yield layers.GroupQueryAttention(4, 6, 3, use_bias=False, use_gate=True), [_SEQUENCE, _SEQUENCE]
    yield layers.EinsumDense("ab,bc->ac", output_shape=5, bias_axes="c"), [_ROW]
    yield layers.EinsumDense("abc,cd->abd", output_shape=(None, 5), bias_axes="d"), [_SEQUENCE]
    yield layers.EinsumDense("abc,cde->abde", output_shape=(None, 5, 2), bias_axes="de"), [_SEQUENCE]
    yield layers.EinsumDense("...x,xy->...y", output_shape=5, bias_axes="y"), [_IMAGE]
    yield layers.EinsumDense("...bc,cd->...bd", output_shape=(None, 5)), [_IMAGE]
    yield layers.EinsumDense("ab...,bc->ac...", output_shape=5, bias_axes="c"), [_IMAGE]
    yield layers.EinsumDense("abcd,bce->ade", output_shape=(6, 4), bias_axes="d"), [_IMAGE]
    for layer in (
        layers.Dropout(0.1), layers.SpatialDropout2D(0.1), layers.GaussianNoise(0.1), layers.ReLU(),
        layers.MaxPooling2D(), layers.GlobalAveragePooling2D(), layers.Flatten(), layers.Rescaling(0.5),
        layers.RandomFlip(), layers.RandomRotation(0.1), layers.Resizing(4, 4), layers.ZeroPadding2D(),
    ):  # fmt: skip
        yield layer, [_IMAGE]
    yield layers.Discretization(bin_boundaries=[0.0, 1.0]), [_ROW]
    yield layers.CategoryEncoding(4), [_ROW]


def described(layer: dict[str, Any]) -> dict[str, Any]:
    """Without what does not change the weights."""
    found: dict[str, Any] = {}
    for key, value in layer.items():
        if key == "inbound_nodes" or key.endswith(_NO_WEIGHT):
            continue
        if isinstance(value, dict):
            found[key] = described(value)
        elif isinstance(value, list):
            found[key] = [described(one) if isinstance(one, dict) else one for one in value]
        else:
            found[key] = value
    return found


def main() -> None:
    rows = []
    for layer, shapes in examples():
        inputs = [keras.Input(shape) for shape in shapes]
        together = isinstance(layer, (layers.Attention, layers.AdditiveAttention))
        result = layer(inputs) if together else layer(*inputs)
        # also for parts that the layer made since: the text does not tell whether it was frozen before
        layer.trainable = layer.trainable
        model = keras.Model(inputs, result)
        counts = [
            sum(math.prod(weight.shape) for weight in weights)
            for weights in (model.trainable_weights, model.non_trainable_weights)
        ]
        if sum(counts) != model.count_params():
            raise ValueError(layer)
        written = json.loads(model.to_json())["config"]["layers"]
        [one] = [each for each in written if each["config"]["name"] == layer.name]
        rows.append({"layer": described(one), "trainable": counts[0], "other": counts[1]})
    with open("layers.json", "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")


if __name__ == "__main__":
    main()
