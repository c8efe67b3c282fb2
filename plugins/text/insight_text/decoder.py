"""Decodes text summaries: tensors of strings, of any shape."""

from __future__ import annotations

from attrs import frozen

from insight_core.plugin import ReasonKind
from insight_core.plugin.data import Payload
from insight_core.plugin.payloads import tensor_of

_NOT_STRINGS = ReasonKind("text_not_strings", "the tensor holds values of type {type}, not strings")


@frozen
class StringTensor:
    """The strings of one record in row-major order, and the shape of their tensor: ``()`` for one text."""

    shape: tuple[int, ...]
    strings: tuple[str, ...]


def texts_of(payload: Payload) -> StringTensor:
    """The strings of a ``TensorProto``; bytes that are not UTF-8 become U+FFFD.

    Raises ValueError for bytes that are not a tensor, and for a tensor of another type.
    """
    tensor = tensor_of(payload)
    if tensor.values.dtype != object:
        raise ValueError(_NOT_STRINGS(type=str(tensor.dtype)))
    return StringTensor(tensor.shape, tuple(text.decode("utf-8", "replace") for text in tensor.values.flat))
