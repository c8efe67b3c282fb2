"""Encodes graphs as MindSpore's ``GraphProto`` or TensorFlow's ``GraphDef``, from bytes or a list of nodes.

Formats: MindSpore's mindinsight_anf_ir.proto; TensorFlow's graph.proto, node_def.proto, attr_value.proto.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from insight_record.argument_checks import INT64, known, mapping_of, text_of, whole_number_of
from insight_record.formats.dtypes import MINDSPORE_NUMBERS, TENSORFLOW_NUMBERS
from insight_record.formats.protobuf import (
    LENGTH_DELIMITED,
    VARINT,
    double_field,
    fields,
    float_field,
    int_field,
    message_field,
    text_field,
)

Attribute: TypeAlias = str | bool | int | float | list[str | bool | int | float]

PARAMETER = "Parameter"  # ops of parameters and of inputs
_LAST_FIELD = 5  # of GraphProto and GraphDef
_TRAINABLE = 100  # extension field of MindSpore's ParameterProto
_TENSOR, _LIST = 14, 32  # of MindSpore's DataType
_MINDSPORE_VALUES = {bool: (1, 2), int: (5, 3), float: (12, 6), str: (13, 7)}  # DataType and field


class Node(NamedTuple):
    """``name`` is a path whose parts are scopes; ``inputs`` and ``control`` are names of nodes."""

    name: str
    op: str
    inputs: tuple[str, ...]
    control: tuple[str, ...]
    shape: tuple[int, ...] | None  # of the output; -1: any
    dtype: str
    attributes: Mapping[str, Attribute]


def nodes_of(value: object) -> list[Node]:
    """The nodes of a list of mappings. Raises TypeError and ValueError for invalid nodes.

    ``{"name", "op"}``, optionally with ``"inputs"`` and ``"control"`` (names of nodes in the list),
    ``"shape"`` and ``"dtype"`` (float32) of the output, and ``"attributes"``: text, booleans, numbers and
    lists of these. The attribute ``"trainable"`` of a ``Parameter`` is a boolean.
    """
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"a graph is bytes or a list of nodes, not {type(value).__name__}")
    if not value:
        raise ValueError("the graph has no nodes")
    nodes = [_node(one) for one in value]
    names = {node.name for node in nodes}
    if len(names) < len(nodes):
        twice, _ = Counter(node.name for node in nodes).most_common(1)[0]
        raise ValueError(f"more than one node has the name {twice!r}")
    for node in nodes:
        for name in (*node.inputs, *node.control):
            if name not in names:
                raise ValueError(f"the node {node.name!r} has an unknown input {name!r}")
    return nodes


def graph_proto(nodes: Sequence[Node]) -> bytes:
    """MindSpore's message; nodes with the op "Parameter" become its parameters.

    As MindInsight requires, operators are identified by numbers, and parameter names have dots instead of
    slashes.
    """
    ids = {
        node.name: node.name.replace("/", ".") if node.op == PARAMETER else str(number)
        for number, node in enumerate(nodes, 1)
    }
    if len(set(ids.values())) < len(ids):
        raise ValueError("parameter names must differ in more than slashes and dots, and not be numbers")
    return b"".join(
        mindspore_parameter(ids[node.name], node.shape or (), node.dtype, _trainable(node))
        if node.op == PARAMETER
        else mindspore_node(
            ids[node.name],
            node.op,
            node.name,
            [ids[name] for name in node.inputs],
            control=[ids[name] for name in node.control],
            shape=node.shape,
            dtype=node.dtype,
            attributes=node.attributes,
        )
        for node in nodes
    )


def graph_def(nodes: Sequence[Node]) -> bytes:
    """TensorFlow's message."""
    return b"".join(
        tensorflow_node(
            node.name,
            node.op,
            (*node.inputs, *(f"^{name}" for name in node.control)),
            shape=node.shape,
            dtype=node.dtype,
            attributes={name: tensorflow_value(one) for name, one in node.attributes.items()},
        )
        for node in nodes
    )


def checked_graph(data: bytes) -> bytes:
    """``data``, if it looks like a graph message. Raises ValueError otherwise."""
    if not data:
        raise ValueError("the bytes are not a graph: empty")
    try:
        for number, kind, *_ in fields(data):
            if kind not in (VARINT, LENGTH_DELIMITED) or number > _LAST_FIELD:
                raise ValueError(f"unexpected field {number} of wire type {kind}")
    except ValueError as error:
        raise ValueError(f"the bytes are not a graph: {error}") from None
    return data


def mindspore_type(shape: Sequence[int], dtype: str = "float32") -> bytes:
    """The TypeProto of a tensor."""
    sizes = b"".join(message_field(1, int_field(1, size)) for size in shape)
    return int_field(1, _TENSOR) + message_field(
        2, int_field(1, MINDSPORE_NUMBERS[dtype]) + message_field(2, sizes)
    )


def mindspore_node(
    name: str,
    op_type: str,
    full_name: str,
    inputs: Sequence[str] = (),
    *,
    control: Sequence[str] = (),
    shape: Sequence[int] | None = (),
    dtype: str = "float32",
    attributes: Mapping[str, Attribute] | None = None,
) -> bytes:
    """The ``node`` field of a GraphProto. With ``shape`` None its type is omitted."""
    content = b"".join(message_field(1, text_field(1, one) + int_field(2, 0)) for one in inputs)
    content += b"".join(message_field(1, text_field(1, one) + int_field(2, 1)) for one in control)
    content += text_field(2, name) + text_field(3, op_type) + text_field(4, full_name.rpartition("/")[0])
    for key, value in (attributes or {}).items():
        content += message_field(5, text_field(1, key) + message_field(2, mindspore_value(value)))
    if shape is not None:
        content += message_field(6, mindspore_type(shape, dtype))
    return message_field(1, content + text_field(8, full_name))


def mindspore_parameter(
    name: str, shape: Sequence[int] = (), dtype: str = "float32", trainable: bool | None = None
) -> bytes:
    """The ``parameters`` field of a GraphProto.

    ``trainable`` is an extension field that other readers skip; None omits it.
    """
    content = text_field(1, name) + message_field(2, mindspore_type(shape, dtype))
    return message_field(3, content if trainable is None else content + int_field(_TRAINABLE, trainable))


def _trainable(node: Node) -> bool | None:
    value = node.attributes.get("trainable")
    return value if isinstance(value, bool) else None


def mindspore_constant(name: str, number: int) -> bytes:
    """The ``const_vals`` field of a GraphProto: an integer."""
    return message_field(5, text_field(1, name) + message_field(2, mindspore_value(number)))


def mindspore_value(value: Attribute) -> bytes:
    """A ValueProto."""
    if isinstance(value, list):
        return int_field(1, _LIST) + b"".join(message_field(18, mindspore_value(one)) for one in value)
    dtype, number = _MINDSPORE_VALUES[type(value)]
    return int_field(1, dtype) + (
        text_field(number, value)
        if isinstance(value, str)
        else double_field(number, value)
        if isinstance(value, float)
        else int_field(number, value)
    )


def tensorflow_node(
    name: str,
    op: str,
    inputs: Sequence[str] = (),
    *,
    device: str = "",
    shape: Sequence[int] | None = None,
    dtype: str = "float32",
    attributes: Mapping[str, bytes] | None = None,
) -> bytes:
    """The ``node`` field of a GraphDef. ``attributes`` are encoded AttrValues, ``shape`` is that of the
    output.
    """
    content = text_field(1, name) + text_field(2, op)
    content += b"".join(text_field(3, one) for one in inputs)
    if device:
        content += text_field(4, device)
    encoded = dict(attributes or {})
    if shape is not None:
        sizes = b"".join(message_field(2, int_field(1, size)) for size in shape)
        encoded["_output_shapes"] = message_field(1, message_field(7, sizes))
        encoded.setdefault("T", int_field(6, TENSORFLOW_NUMBERS[dtype]))
    for key, value in encoded.items():
        content += message_field(5, text_field(1, key) + message_field(2, value))
    return message_field(1, content)


def tensorflow_value(value: Attribute) -> bytes:
    """An AttrValue: text, integer, float32, boolean, or a list of these."""
    if isinstance(value, list):
        return message_field(1, b"".join(tensorflow_value(one) for one in value))
    if isinstance(value, str):
        return text_field(2, value)
    if isinstance(value, bool):
        return int_field(5, value)
    return int_field(3, value) if isinstance(value, int) else float_field(4, value)


def _node(value: object) -> Node:
    node = mapping_of("a node", value)
    known("a node", node, "name", "op", "inputs", "control", "shape", "dtype", "attributes")
    name = text_of("the name of a node", node.get("name"))
    if not name:
        raise ValueError("the name of a node is empty")
    dtype = text_of("dtype", node.get("dtype", "float32"))
    if dtype not in MINDSPORE_NUMBERS or dtype not in TENSORFLOW_NUMBERS:
        raise ValueError(f"the node {name!r} has an unknown dtype {dtype!r}")
    shape = node.get("shape")
    attributes = mapping_of("attributes", node.get("attributes") or {})
    return Node(
        name,
        text_of(f"the op of {name!r}", node.get("op")),
        _texts(f"inputs of {name!r}", node.get("inputs", ())),
        _texts(f"control of {name!r}", node.get("control", ())),
        None if shape is None else _sizes(f"shape of {name!r}", shape),
        dtype,
        {key: _attribute(f"{key!r} of {name!r}", one) for key, one in attributes.items()},
    )


def _texts(name: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"{name} are a list of names, not {type(value).__name__}")
    return tuple(text_of(f"one of the {name}", one) for one in value)


def _sizes(name: str, value: object) -> tuple[int, ...]:
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"the {name} is a list of sizes, not {type(value).__name__}")
    return tuple(whole_number_of(f"the {name}", one, range(-1, 2**63)) for one in value)


def _attribute(name: str, value: object) -> Attribute:
    if isinstance(value, (list, tuple)):
        return [_single(name, one) for one in value]
    return _single(name, value)


def _single(name: str, value: object) -> str | bool | int | float:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str):
        return text_of(name, value)
    if isinstance(value, int) and not isinstance(value, bool):
        return whole_number_of(name, value, INT64)
    if isinstance(value, (bool, float)):
        return value
    raise TypeError(f"the attribute {name} is text, a number or a list of these, not {type(value).__name__}")
