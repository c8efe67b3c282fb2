"""Formats attributes of TensorFlow and PyTorch graphs as text.

Source: attr_value.proto, types.proto, tensor_shape.proto.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from insight_core.plugin import Dialect, EventField
from insight_core.plugin.data import Payload
from insight_graph.columns import Attribute, OutputType, Shape
from insight_graph.messages import is_set, parsed
from insight_graph.mindspore_values import MOST_BYTES, tensor_text
from insight_graph.texts import text_of
from insight_record.formats.dtypes import tensorflow_type_name

_MAX_ITEMS = 256  # of a list that are written out
_VALUE_OF_PYTORCH = re.compile(r"\{\s*value\s*:\s*(.*?)\s*\}", re.DOTALL)
_EMPTY = re.compile(r"\{\s*\}")
_CLAIM = EventField(Dialect.TENSORBOARD, "tensor")
_FIELDS = {
    "s": "string",
    "i": "int",
    "f": "float",
    "b": "bool",
    "type": "type",
    "shape": "shape",
    "tensor": "tensor",
    "func": "function",
}


def type_name(number: int) -> str:
    """The name of a ``DataType``; empty for none."""
    return tensorflow_type_name(number) if number else ""


def shape_of(message: Any) -> Shape:  # noqa: ANN401
    """The shape of a ``TensorShapeProto``; None for unknown rank."""
    return None if message.unknown_rank else tuple(one.size for one in message.dim)


def attribute(data: bytes) -> Attribute:
    """One attribute, or why it cannot be read."""
    try:
        entry = parsed("AttrEntry", data)
    except ValueError as error:
        return Attribute("?", "", str(error), len(data))
    kind, text = _described(entry.value)
    return Attribute(text_of(entry.key), kind, text, entry.value.ByteSize())


def value_of(attributes: Mapping[str, str]) -> str:
    """The value of a constant, from the texts of its attributes; PyTorch writes them all as one text."""
    if "value" in attributes or "attr" not in attributes:
        return attributes.get("value", "")
    if _EMPTY.fullmatch(attributes["attr"]):
        return "None"
    found = _VALUE_OF_PYTORCH.fullmatch(attributes["attr"])
    return found[1] if found else ""


def _described(value: Any) -> tuple[str, str]:  # noqa: ANN401
    for field, kind in _FIELDS.items():
        if is_set(value, field):
            return kind, _text(field, getattr(value, field))
    if is_set(value, "list"):
        for field, kind in _FIELDS.items():
            if items := getattr(value.list, field):
                texts = (_text(field, item) for item in items[:_MAX_ITEMS])
                return f"list[{kind}]", _listed(texts, len(items))
        return "list", "[]"
    if is_set(value, "placeholder"):
        return "placeholder", text_of(value.placeholder)
    return "", ""


def _text(field: str, item: Any) -> str:  # noqa: ANN401
    if field == "s":
        return text_of(item[:MOST_BYTES])
    if field == "f":
        return f"{item:.9g}"
    if field == "type":
        return type_name(item)
    if field == "shape":
        shape = shape_of(item)
        return "?" if shape is None else str(OutputType("", shape))
    if field == "tensor":
        return tensor_text(Payload(item, _CLAIM))
    if field == "func":
        return text_of(item.name)
    return str(item)


def _listed(items: Iterable[str], count: int) -> str:
    shown = list(items)
    more = [f"… {count} in all"] if count > len(shown) else []
    return f"[{', '.join(shown + more)}]"
