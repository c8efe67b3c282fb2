"""Problems of a graph or pipeline that is shown anyway."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import define, field

from insight_core.plugin import Reason, ReasonKind

_EXAMPLES = 20  # that a notice keeps
_TEXTS = {
    "missing_inputs": "inputs are named that the graph does not have",
    "duplicate_names": "nodes have the name of another",
    "cycles": "nodes lead back to themselves",
    "unnamed": "nodes have no name",
    "truncated": "the graph ends before its end ({reason}); {parts} parts were read",
    "file_ends": "the file ends after {read:,} of at least {size:,} bytes; {parts} parts were read",
    "unreadable_nodes": "nodes cannot be read",
    "unsized_layers": "layers have weights whose size is not in the file",
    "unknown_types": "types of outputs cannot be read",
    "pipeline_cut_off": "the file ends within the record at byte {offset}",
    "pipeline_unreadable": "the record at byte {offset} cannot be read",
    "pipeline_too_long": "the pipeline has more than {limit} steps",
}
_NODE_AT = ReasonKind("graph_node_at", "node at byte {offset}")
_FUNCTION_AT = ReasonKind("graph_function_at", "function at byte {offset}")
_PARAMETER_AT = ReasonKind("graph_parameter_at", "parameter at byte {offset}")
_CONSTANT_AT = ReasonKind("graph_constant_at", "constant at byte {offset}")


def node_at(offset: int) -> Reason:
    """An example: the node that begins at this byte."""
    return _NODE_AT(offset=offset)


def function_at(offset: int) -> Reason:
    """An example: the function that begins at this byte."""
    return _FUNCTION_AT(offset=offset)


def parameter_at(offset: int) -> Reason:
    """An example: the parameter that begins at this byte."""
    return _PARAMETER_AT(offset=offset)


def constant_at(offset: int) -> Reason:
    """An example: the constant that begins at this byte."""
    return _CONSTANT_AT(offset=offset)


@define
class GraphNotice:
    """``code`` says what is wrong, ``values`` what a sentence about it has to name; how often that is so,
    with a few of the places. An example that is more than a name is a Reason."""

    code: str
    values: Mapping[str, str | int] = field(factory=dict)
    count: int = 0
    examples: list[str] = field(factory=list)

    @property
    def text(self) -> str:
        """In English."""
        return _TEXTS[self.code].format(**self.values)

    def add(self, example: str) -> None:
        """Counts one more case and keeps the first examples."""
        self.count += 1
        if len(self.examples) < _EXAMPLES:
            self.examples.append(example)
