"""Formats types and values of MindSpore's graphs as text.

Source: mindinsight_anf_ir.proto.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from insight_core.plugin import Dialect, EventField
from insight_core.plugin.data import Payload
from insight_core.plugin.payloads import tensor_header, tensor_of
from insight_graph.columns import Attribute, OutputType
from insight_graph.messages import is_set, parsed
from insight_graph.texts import text_of
from insight_record.formats.dtypes import MINDSPORE_TYPES

MAX_TEXT = 4096  # letters of a value that are shown
MOST_BYTES = 5 * MAX_TEXT  # of a text: more letters than are shown
_MAX_ITEMS = 256  # of a list that are written out
_MAX_VALUES = 64  # of a tensor
_SMALL = 1 << 16  # bytes of a tensor whose values are looked at

_ELEMENTS = (*(name for number, name in MINDSPORE_TYPES.items() if number <= 13), "tensor", "graph")
_NAMES = {
    **MINDSPORE_TYPES,
    **dict(enumerate(_ELEMENTS, 1)),
    **{number: f"list[{name}]" for number, name in enumerate(_ELEMENTS, 16)},
    31: "tuple",
    32: "list",
    33: "dict",
    34: "none",
    35: "symbolic key",
    36: "int",
    37: "uint",
    38: "float",
    39: "type",
    40: "anything",
    41: "ref key",
    42: "ref",
}
_STRING, _TENSOR, _TUPLE, _LIST, _DICT, _NONE, _TYPE = 13, 14, 31, 32, 33, 34, 39
_SINGLE = ("bool_val", "int_val", "uint_val", "float_val", "double_val", "str_val", "tensor_val", "graph")
_REPEATED = (
    "bool_vals",
    "int_vals",
    "uint_vals",
    "float_vals",
    "double_vals",
    "str_vals",
    "tensor_vals",
    "graphs",
)
_CLAIM = EventField(Dialect.MINDSPORE, "tensor")


def type_name(number: int) -> str:
    """The name of a MindSpore data type number; empty for 0."""
    return _NAMES.get(number, f"type {number}" if number else "")


def output_types(data: bytes) -> tuple[OutputType, ...]:
    """What a TypeProto says; the elements of a tuple one by one. Raises ValueError."""
    if not data:
        return ()
    found = []
    waiting = [parsed("MindSporeType", data)]
    while waiting:
        one = waiting.pop()
        if is_set(one, "tensor_type"):
            sizes = tuple(dimension.size for dimension in one.tensor_type.shape.dim)
            found.append(OutputType(type_name(one.tensor_type.elem_type), sizes))
        elif is_set(one, "sequence_type"):
            waiting.extend(reversed(one.sequence_type.elem_types))
        elif one.data_type not in (_TUPLE, _LIST):
            found.append(OutputType(type_name(one.data_type), () if one.data_type < _TENSOR else None))
    return tuple(found)


def attribute(data: bytes) -> Attribute:
    """One attribute, or why it cannot be read."""
    try:
        message = parsed("MindSporeAttribute", data)
    except ValueError as error:
        return Attribute("?", "", str(error), len(data))
    size = message.value.ByteSize()
    return Attribute(text_of(message.name), value_type(message.value), value_text(message.value), size)


def value_of(data: bytes) -> Any:  # noqa: ANN401  a message made at run time
    """Raises ValueError for bytes that are not a ValueProto."""
    return parsed("MindSporeValue", data)


def constant_type(value: Any) -> OutputType:  # noqa: ANN401
    """Type and shape of a constant's ``ValueProto``."""
    if is_set(value, "tensor_val"):
        try:
            head = parsed("MindSporeTensor", value.tensor_val)
        except ValueError:
            return OutputType("tensor", None)
        return OutputType(type_name(head.data_type) or "tensor", tuple(head.dims))
    return OutputType(value_type(value), ())


def whole_number(value: Any) -> int | None:  # noqa: ANN401
    """The integer of a ``ValueProto``; None if it holds no integer."""
    for field in ("int_val", "uint_val"):
        if is_set(value, field):
            return int(getattr(value, field))
    return None


def value_type(value: Any) -> str:  # noqa: ANN401
    """The type name of a ``ValueProto``; empty if unknown."""
    if value.dtype:
        return type_name(value.dtype)
    return next((field.partition("_")[0] for field in _SINGLE if is_set(value, field)), "")


def value_text(value: Any, depth: int = 0) -> str:  # noqa: ANN401
    """What a ValueProto holds, as Python would write it."""
    if depth > 20:
        return "…"
    for field in _SINGLE:
        if is_set(value, field):
            return _single(field, getattr(value, field))
    if is_set(value, "type_val"):
        types = output_types(value.type_val.SerializeToString())
        return ", ".join(str(one) if one.shape else one.dtype for one in types)
    if value.values or value.dtype in (_TUPLE, _LIST):
        items = [value_text(item, depth + 1) for item in value.values[:_MAX_ITEMS]]
        return _bracketed(items, len(value.values), "()" if value.dtype != _LIST else "[]")
    if value.dict_val or value.dtype == _DICT:
        shown = value.dict_val[:_MAX_ITEMS]
        items = [f"{text_of(entry.key)!r}: {value_text(entry.value, depth + 1)}" for entry in shown]
        return _bracketed(items, len(value.dict_val), "{}")
    for field in _REPEATED:
        if items := getattr(value, field):
            single = field.removesuffix("s")
            return _bracketed([_single(single, item) for item in items[:_MAX_ITEMS]], len(items), "[]")
    return "None" if value.dtype == _NONE else ""


def _single(field: str, content: Any) -> str:  # noqa: ANN401
    if field == "str_val":
        return repr(text_of(content[:MOST_BYTES]))
    if field == "tensor_val":
        return tensor_text(Payload(content, _CLAIM))
    if field.startswith("graph"):
        return "graph"
    if field == "float_val":
        return f"{content:.9g}"
    return str(content)


def tensor_text(payload: Payload) -> str:
    """Type and shape of a tensor, and its values if they are few."""
    named = ""
    try:
        head = tensor_header(payload)
        named = str(OutputType(head.dtype, head.shape))
        if head.count > _MAX_VALUES or len(payload.data) > _SMALL:
            return named
        values = tensor_of(payload).values
        if values.dtype == object:
            items = [repr(text_of(item)) for item in values.ravel().tolist()]
        else:
            items = [
                f"{item:.9g}" if isinstance(item, float) else str(item) for item in values.ravel().tolist()
            ]
        return f"{named} {_bracketed(items, len(items), '[]')}" if head.shape else f"{named} {items[0]}"
    except ValueError as error:  # MindSpore often leaves the values out
        return named or f"unreadable: {error}"


def _bracketed(items: Iterable[str], count: int, brackets: str) -> str:
    shown = list(items)
    more = [f"… {count} in all"] if count > len(shown) else []
    comma = "," if brackets == "()" and count == 1 else ""
    return f"{brackets[0]}{', '.join(shown + more)}{comma}{brackets[1]}"
