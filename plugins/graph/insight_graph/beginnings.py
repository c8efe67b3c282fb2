"""Detects whether a ``.pb`` or ``.ir`` file is a graph, from its first bytes.

Sources: mindinsight_anf_ir.proto, TensorFlow's graph.proto and node_def.proto.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from insight_core.plugin.lab import Malformed, varint
from insight_core.plugin.payloads import LENGTH_DELIMITED, VARINT, fields

MINDSPORE, TENSORFLOW = "mindspore", "tensorboard"

_LONGEST_NAME = 1024  # bytes
_IR = re.compile(
    rb"\s*#\s*(?:IR entry\s*:|1\.This file shows the parsed IR info)|\s*subgraph (?:attr|instance)\s*:"
)


def graph_format(data: bytes) -> str | None:
    """MINDSPORE (a graph, or a model with one), TENSORFLOW (a GraphDef), or None: no graph. The first
    ``insight_core.plugin.BEGINNING`` bytes are enough."""
    of_model = ((1, VARINT), (2, LENGTH_DELIMITED), (3, VARINT))  # version, domain, version
    is_model = False
    for number, wire_type, start, end in _complete(data):
        if is_model and (number, wire_type) == (4, LENGTH_DELIMITED):
            return MINDSPORE if _of_graph(data, start, end) == MINDSPORE else None
        is_model = is_model or wire_type == VARINT
        if (number, wire_type) not in of_model:
            break
    return _of_graph(data, 0, len(data))


def begins_as_graph(data: bytes) -> bool:
    """Whether the first bytes of a file look like a graph in a supported format."""
    return graph_format(data) is not None


def begins_as_ir(beginning: bytes) -> bool:
    """Whether a file that begins so is a graph of MindSpore as text."""
    return _IR.match(beginning) is not None


def _complete(data: bytes, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int, int, int]]:
    """``(number, wire type, start, end)`` of the fields of a message that may be cut off; the last may end
    beyond what is there."""
    stop = len(data) if end is None else min(end, len(data))
    try:
        position = start
        while position < stop:
            key, at = varint(data, position, stop)
            if key & 7 == LENGTH_DELIMITED:
                size, at = varint(data, at, stop)
                yield key >> 3, LENGTH_DELIMITED, at, at + size
                position = at + size
                continue
            for number, wire_type, first, last, _ in fields(data, position, stop):
                yield number, wire_type, first, last
                position = last
                break
    except Malformed:
        return


def _of_graph(data: bytes, start: int, end: int) -> str | None:
    """Whose graph it is, by its first node or parameter. MindSpore's: 1 nodes, 2 name, 3 parameters,
    4 outputs, 5 constants. TensorFlow's: 1 nodes, 2 functions."""
    for number, wire_type, first, last in _complete(data, start, end):
        if wire_type != LENGTH_DELIMITED or number > 5:
            break
        if number == 1:
            return _of_node(data, first, last)
        if number == 3:
            return MINDSPORE if _is_parameter(data, first, last) else None
    return None


def _of_node(data: bytes, start: int, end: int) -> str | None:
    """Whose node it is. MindSpore's: 1 inputs (1 name, 2 type), 2 name, 3 type. TensorFlow's: 1 name,
    2 operation, 3 inputs, 4 device."""
    names: dict[int, bool] = {}
    for number, wire_type, first, last in _complete(data, start, end):
        if wire_type != LENGTH_DELIMITED or number > 4:
            break
        if number == 1 and number not in names and _is_input(data, first, last):
            return MINDSPORE
        names.setdefault(number, _is_text(data[first : min(last, first + _LONGEST_NAME)]))
    known = tuple(names.get(number) for number in (1, 2, 3))
    if known[0] is None and known[1] and known[2]:
        return MINDSPORE  # a node without inputs
    return TENSORFLOW if known[0] and known[1] and False not in names.values() else None


def _is_input(data: bytes, start: int, end: int) -> bool:
    """Of a node of MindSpore: 1 name, 2 type."""
    found = list(_complete(data, start, end))
    kinds = [(number, wire_type) for number, wire_type, _, _ in found]
    is_one = kinds in ([(1, LENGTH_DELIMITED)], [(1, LENGTH_DELIMITED), (2, VARINT)])
    return is_one and _is_text(data[slice(*found[0][2:])])


def _is_parameter(data: bytes, start: int, end: int) -> bool:
    """Of MindSpore: 1 name, 2 type, which begins with the number of a type."""
    found = list(_complete(data, start, end))
    kinds = [(number, wire_type) for number, wire_type, _, _ in found]
    if kinds[:2] != [(1, LENGTH_DELIMITED), (2, LENGTH_DELIMITED)]:
        return False
    of_type = next(_complete(data, *found[1][2:]), (0, 0))
    return _is_text(data[slice(*found[0][2:])]) and of_type[:2] == (1, VARINT)


def _is_text(data: bytes) -> bool:
    """Whether a name may be so; one that is cut off within a letter is."""
    text = data.decode("utf-8", "replace").removesuffix("\ufffd")
    return bool(text) and text.isprintable()
