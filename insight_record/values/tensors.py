"""Tensors, and texts as tensors, with the plugin that shows them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_record.encoders.encoder import EncodedValue
from insight_record.encoders.tensorboard import metadata
from insight_record.formats.protobuf import message_field, pieces_field
from insight_record.formats.tensor_messages import string_tensor, tensorflow_tensor

_TENSOR = 8  # of a value
_TEXT_TAG = "text_summary"  # added to a tag, as in torch


def tensor_value(tag: str, array: NDArray[Any], plugin: str, *, content: bytes = b"") -> EncodedValue:
    """A tensor that the training no longer changes; ``content`` is the data of the plugin."""
    return EncodedValue(
        tag,
        "summary",
        array.nbytes,
        lambda: pieces_field(_TENSOR, tensorflow_tensor(array)),
        metadata(plugin, content=content),
    )


def number_value(tag: str, number: float, *, double: bool) -> EncodedValue:
    """A number as a tensor of rank 0, which TensorBoard's newer writers record."""
    return tensor_value(tag, np.array(number, np.float64 if double else np.float32), "scalars")


def text_value(tag: str, text: str) -> EncodedValue:
    """A text as TensorBoard's text plugin expects it."""
    return strings_value(f"{tag}/{_TEXT_TAG}", [text.encode()], "text", shape=[1])


def strings_value(tag: str, strings: list[bytes], plugin: str, *, shape: list[int]) -> EncodedValue:
    """A tensor of strings."""
    content = message_field(_TENSOR, string_tensor(strings, shape))
    return EncodedValue(tag, "summary", len(content), lambda: [content], metadata(plugin))
