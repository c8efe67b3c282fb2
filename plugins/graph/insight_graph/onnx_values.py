"""Types, attributes and metadata of ONNX models as text.

Source: onnx.proto. Metadata: torch/onnx/_internal/exporter.
"""

from __future__ import annotations

import ast
import struct
from collections.abc import Iterable, Mapping

import numpy as np

from insight_core.plugin.lab import EIGHT_BYTES, Malformed
from insight_core.plugin.payloads import FOUR_BYTES, LENGTH_DELIMITED, VARINT, fields, signed, varints
from insight_graph.columns import Attribute, OutputType, Shape
from insight_graph.mindspore_values import MOST_BYTES
from insight_graph.texts import text_of

_TYPES = (
    "", "float32", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool", "float16",
    "float64", "uint32", "uint64", "complex64", "complex128", "bfloat16", "float8_e4m3fn",
    "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "uint4", "int4", "float4_e2m1fn",
    "float8_e8m0fnu", "uint2", "int2", "float6_e2m3fn", "float6_e3m2fn",
)  # fmt: skip
_KINDS = {1: "float", 2: "int", 3: "string", 4: "tensor", 5: "graph", 6: "list[float]", 7: "list[int]"}
_KINDS |= {8: "list[string]", 9: "list[tensor]", 10: "list[graph]", 11: "sparse tensor", 13: "type"}
# Types of what a Constant gives out: by field of a single value, and by kind of attribute for lists
_SINGLE_VALUES = {2: "float32", 3: "int64", 4: "string"}
_LISTS = {6: "float32", 7: "int64", 8: "string"}
_MAX_ITEMS = 256  # of a list that are written out
_MAX_RANK = 64
_MOST_NUMBERS = 10_000  # of a packed list
_MOST_SCOPES = 1 << 16  # bytes of a list of modules


def dtype_of(number: int) -> str:
    """The name of a TensorProto.DataType; empty for none."""
    return _TYPES[number] if 0 <= number < len(_TYPES) else f"type {number}"


def tensor_head(data: bytes, start: int, end: int) -> tuple[bytes, OutputType]:
    """Name and type of a TensorProto; its values are skipped."""
    name, dtype = b"", 0
    dims: list[int] = []
    try:
        for number, wire_type, first, last, value in fields(data, start, end):
            if number == 8 and wire_type == LENGTH_DELIMITED:
                name = data[first:last]
            elif number == 2 and wire_type == VARINT:
                dtype = value
            elif number == 1 and len(dims) < _MAX_RANK:
                dims += _whole_numbers(data, wire_type, first, last, value)
    except Malformed:
        pass
    return name, OutputType(dtype_of(dtype), tuple(size if size >= 0 else -1 for size in dims))


def input_type(data: bytes, start: int, end: int) -> tuple[bytes, OutputType]:
    """Name and type of a ValueInfoProto."""
    name, found = b"", OutputType("", None)
    try:
        for number, wire_type, first, last, _ in fields(data, start, end):
            if wire_type != LENGTH_DELIMITED:
                continue
            if number == 1:
                name = data[first:last]
            elif number == 2:
                found = _type(data, first, last)
    except Malformed:
        pass
    return name, found


def _type(data: bytes, start: int, end: int) -> OutputType:
    names = {4: "sequence", 5: "map", 7: "opaque", 9: "optional"}
    for number, wire_type, first, last, _ in fields(data, start, end):
        if number in (1, 8) and wire_type == LENGTH_DELIMITED:
            dtype, shape = 0, None
            for inner, kind, begin, stop, value in fields(data, first, last):
                if inner == 1 and kind == VARINT:
                    dtype = value
                elif inner == 2 and kind == LENGTH_DELIMITED:
                    shape = _shape(data, begin, stop)
            return OutputType(dtype_of(dtype), shape)
        if number in names:
            return OutputType(names[number], None)
    return OutputType("", None)


def _shape(data: bytes, start: int, end: int) -> Shape:
    sizes = []
    for number, _, first, last, _ in fields(data, start, end):
        if number == 1:
            size = -1  # a name, or nothing
            for inner, kind, _, _, value in fields(data, first, last):
                if inner == 1 and kind == VARINT:
                    size = max(-1, signed(value))
            sizes.append(size)
    return tuple(sizes)


def constant_type(data: bytes, start: int, end: int) -> OutputType | None:
    """The type of what a Constant gives out, from one of its attributes; None if that does not say it.

    Source: the operator Constant in Operators.md of ONNX.
    """
    single, kind, count = None, 0, 0
    try:
        for number, wire_type, first, last, value in fields(data, start, end):
            if number == 1 and not data.startswith((b"value", b"sparse_value"), first):
                return None
            if number == 20:
                kind = value
            elif number == 5:
                return tensor_head(data, first, last)[1]
            elif number == 22:
                return _sparse_type(data, first, last)
            elif number in _SINGLE_VALUES:
                single = OutputType(_SINGLE_VALUES[number], ())
            elif number in (7, 8, 9):
                count += _length(data, number, wire_type, first, last)
    except Malformed:
        return None
    return OutputType(_LISTS[kind], (count,)) if kind in _LISTS else single


def _length(data: bytes, number: int, wire_type: int, first: int, last: int) -> int:
    """How many numbers or texts a field adds to a list; numbers may be packed."""
    if number == 9 or wire_type != LENGTH_DELIMITED:
        return 1
    return (last - first) // 4 if number == 7 else len(varints(data, first, last))


def _sparse_type(data: bytes, start: int, end: int) -> OutputType:
    """The type of a SparseTensorProto: that of its values, in the shape of the whole."""
    dtype, dims = "", list[int]()
    for number, wire_type, first, last, value in fields(data, start, end):
        if number == 1 and wire_type == LENGTH_DELIMITED:
            dtype = tensor_head(data, first, last)[1].dtype
        elif number == 3:
            dims += _whole_numbers(data, wire_type, first, last, value)
    return OutputType(dtype, tuple(dims))


def attribute_at(data: bytes, start: int, end: int) -> Attribute:
    """An AttributeProto, or why it cannot be read."""
    name, kind, count = "", 0, 0
    texts: list[str] = []
    try:
        for number, wire_type, first, last, value in fields(data, start, end):
            if number == 1:
                name = text_of(data[first:last])
            elif number == 20:
                kind = value
            elif number in _READ:
                found = _READ[number](data, wire_type, first, last, value)
                count += len(found)
                texts += found[: _MAX_ITEMS - len(texts)]
    except (Malformed, ValueError) as error:
        return Attribute(name or "?", "", str(error), end - start)
    text = ", ".join(texts) + (f", … {count} in all" if count > len(texts) else "")
    kind_name = _KINDS.get(kind, "")
    return Attribute(name, kind_name, f"[{text}]" if kind_name.startswith("list") else text, end - start)


def _whole_numbers(data: bytes, wire_type: int, first: int, last: int, value: int) -> list[int]:
    """Those of a repeated field, packed or not."""
    if wire_type == VARINT:
        return [signed(value)]
    found: list[int] = varints(data, first, last).view(np.int64)[:_MOST_NUMBERS].tolist()
    return found


def _ints(data: bytes, wire_type: int, first: int, last: int, value: int) -> list[str]:
    return [str(one) for one in _whole_numbers(data, wire_type, first, last, value)]


def _floats(data: bytes, wire_type: int, first: int, last: int, _: int) -> list[str]:
    if wire_type in (FOUR_BYTES, LENGTH_DELIMITED):
        return [f"{one:.9g}" for (one,) in struct.iter_unpack("<f", data[first:last])]
    return ["?"] if wire_type == EIGHT_BYTES else []


def _strings(data: bytes, _: int, first: int, last: int, __: int) -> list[str]:
    return [text_of(data[first : min(last, first + MOST_BYTES)])]


def _tensors(data: bytes, _: int, first: int, last: int, __: int) -> list[str]:
    return [str(tensor_head(data, first, last)[1])]


def _graphs(data: bytes, _: int, first: int, last: int, __: int) -> list[str]:
    return ["graph"]


_READ = {
    2: _floats, 3: _ints, 4: _strings, 5: _tensors, 6: _graphs, 7: _floats, 8: _ints, 9: _strings,
    10: _tensors, 11: _graphs,
}  # fmt: skip


def metadata_of(data: bytes, spans: Iterable[tuple[int, int]]) -> dict[str, str]:
    """The entries of a list of StringStringEntryProto."""
    found = {}
    for start, end in spans:
        parts = {number: (first, last) for number, _, first, last, _ in fields(data, start, end)}
        if 1 in parts and 2 in parts:
            found[text_of(data[slice(*parts[1])])] = text_of(data[slice(*parts[2])])
    return found


def module_of(metadata: Mapping[str, str]) -> str:
    """The scope of a node: the path of the innermost module around it, as PyTorch's exporter writes it.

    ``pkg.torch.onnx.name_scopes`` is a list of paths from the outside in; the last is the node itself.
    """
    text = metadata.get("pkg.torch.onnx.name_scopes", "")
    if not text or len(text) > _MOST_SCOPES:
        return ""
    try:
        scopes = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return ""
    if not isinstance(scopes, list) or len(scopes) < 2 or not isinstance(scopes[-2], str):
        return ""
    return scopes[-2].replace(".", "/")
