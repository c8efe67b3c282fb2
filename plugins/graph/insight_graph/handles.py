"""What handles of variables refer to, which TensorFlow notes where it optimises a function.

Source: tensorflow/core/common_runtime/function_utils (``_handle_dtypes``, ``_handle_shapes``).
"""

from __future__ import annotations

from collections.abc import Mapping

from insight_core.plugin.lab import Malformed
from insight_core.plugin.payloads import LENGTH_DELIMITED, fields
from insight_graph.columns import OutputType
from insight_graph.messages import parsed
from insight_graph.tensorflow_values import shape_of, type_name

_NODE = 1  # of a GraphDef
_TYPES, _SHAPES = b"_handle_dtypes", b"_handle_shapes"


def handles_in(data: bytes, start: int, end: int) -> Mapping[bytes, OutputType]:
    """By name of a node of the GraphDef that lies there: type and shape of the variable behind its output."""
    found: dict[bytes, OutputType] = {}
    if data.find(_SHAPES, start, end) < 0:
        return found
    try:
        for number, wire_type, first, last, _ in fields(data, start, end):
            if number == _NODE and wire_type == LENGTH_DELIMITED and data.find(_SHAPES, first, last) >= 0:
                name, one = _handle(data[first:last])
                if one is not None:
                    found[name] = one
    except Malformed:  # what was found before stays true
        pass
    return found


def _handle(data: bytes) -> tuple[bytes, OutputType | None]:
    try:
        node = parsed("NodeDef", data)
        values = {entry.key: entry.value for entry in (parsed("AttrEntry", one) for one in node.attr)}
    except ValueError:
        return b"", None
    if _TYPES not in values or _SHAPES not in values:
        return b"", None
    types, shapes = values[_TYPES].list.type, values[_SHAPES].list.shape
    # a handle of several values is not a variable
    known = len(types) == 1 and len(shapes) == 1
    return node.name, OutputType(type_name(types[0]), shape_of(shapes[0])) if known else None
