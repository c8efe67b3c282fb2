"""A node whose constants or inputs differ between two graphs says which, as a person would."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from insight_graph.columns import Attribute, NodeDetails
from insight_graph.difference import KINDS, Difference
from insight_graph.graph_builder import GraphBuilder
from insight_graph.model import GraphModel
from insight_graph.order import topological
from insight_graph.tensorflow import graph_of_event
from insight_graph.torch_arguments import ARGUMENTS, DEFAULTS, argument

from insight_authoring.testing.wire import int_field, message_field
from tests.support.graphs import tensorflow_node

_TRUTH: dict[str, Any] = json.loads(Path(__file__).with_name("exported").joinpath("truth.json").read_text())


def _changes(before: bytes, after: bytes) -> dict[str, list[tuple[str, ...]]]:
    """By node: what changed, and the names of nodes that were added or removed."""
    models = [GraphModel(graph_of_event(data)) for data in (before, after)]
    answer = Difference.of(*models).answer(frozenset(KINDS), "", 0, 100)
    return {
        entry["id"] or entry["other_id"]: [tuple(one.values()) for one in entry["changes"]]
        or [(entry["kind"],)]
        for entry in answer["entries"]
    }


def _constant(name: str, value: object) -> bytes:
    """As PyTorch writes it."""
    text = "{}" if value is None else f"{{ value : {value}}}"
    return tensorflow_node(
        f"Net/{name}", "prim::Constant", attributes={"attr": message_field(2, text.encode())}
    )


def _pooled(kernel: int, first: int = 10, divisor: object = None) -> bytes:
    """A traced pooling, whose constants are numbered from ``first`` and shared where they are equal."""
    constants = {kernel: str(first), 1: str(first + 1), False: "no"} if kernel != 1 else {1: "1", False: "no"}
    nodes = tensorflow_node("input/x", "IO Node") + _constant("divisor", divisor)
    nodes += b"".join(_constant(name, value) for value, name in constants.items())
    for name, value in {"kernel": kernel, "stride": 1, "padding": 1}.items():
        numbers = [f"Net/{constants[value]}"] * 2
        nodes += tensorflow_node(f"Net/{first}{name}", "prim::ListConstruct", numbers)
    lists = [f"Net/{first}{name}" for name in ("kernel", "stride", "padding")]
    others = ["Net/no", "Net/no", "Net/divisor"]
    nodes += tensorflow_node("Net/Pool/pooled", "aten::avg_pool2d", ["input/x", *lists, *others])
    return nodes + tensorflow_node("Net/out", "aten::relu", ["Net/Pool/pooled"])


def test_a_constant_in_a_list_is_an_argument_of_the_operator() -> None:
    expected = [("constant", "kernel_size", "[3, 3]", "[5, 5]")]
    assert _changes(_pooled(3), _pooled(5)) == {"Net/Pool/pooled": expected}
    assert _changes(_pooled(3), _pooled(5, first=70)) == {"Net/Pool/pooled": expected}
    assert _changes(_pooled(3), _pooled(3, first=70)) == {}


def test_lists_that_share_a_constant_are_compared_by_values() -> None:
    """With a kernel of 1 its list takes the constant of the others."""
    assert _changes(_pooled(1), _pooled(2)) == {
        "Net/Pool/pooled": [("constant", "kernel_size", "[1, 1]", "[2, 2]")]
    }


def test_none_is_a_value() -> None:
    assert _changes(_pooled(3), _pooled(3, divisor=4)) == {
        "Net/Pool/pooled": [("constant", "divisor_override", "None", "4")]
    }


def test_constants_of_tensorflow_are_named_by_the_number_of_the_input() -> None:
    def graph(axis: int) -> bytes:
        value = message_field(8, int_field(1, 3) + message_field(2, b"") + int_field(7, axis))
        constant = tensorflow_node("axis", "Const", attributes={"value": value})
        return tensorflow_node("x", "Placeholder") + constant + tensorflow_node("mean", "Mean", ["x", "axis"])

    assert _changes(graph(1), graph(2)) == {"mean": [("constant", "1", "int32[] 1", "int32[] 2")]}


def test_a_constant_of_a_node_that_was_added_is_added_with_it() -> None:
    more = _constant("20", 0.1) + tensorflow_node("Net/drop", "aten::dropout", ["Net/out", "Net/20"])
    assert _changes(_pooled(3), _pooled(3) + more) == {"Net/20": [("added",)], "Net/drop": [("added",)]}


def test_inputs_are_told_apart_and_numbers_have_their_operator() -> None:
    def graph(first: str, second: str) -> bytes:
        nodes = tensorflow_node("a/in", "aten::linear") + tensorflow_node("b/in", "aten::relu")
        nodes += tensorflow_node("Net/7", "aten::gelu")
        return nodes + tensorflow_node("sum", "aten::add", [first, second])

    assert _changes(graph("a/in", "Net/7"), graph("b/in", "Net/7")) == {
        "sum": [("inputs", "", "a/in, aten::gelu 7", "b/in, aten::gelu 7")]
    }


def test_arguments_are_named_as_pytorch_names_them() -> None:
    truth = _TRUTH["arguments"]
    assert ARGUMENTS.keys() == truth.keys()
    for name, overloads in truth.items():
        for names in overloads:
            count = min(len(names), len(ARGUMENTS[name]))
            assert ARGUMENTS[name][:count] == names[:count], name
    assert argument("aten::relu_", 0) == "0"
    assert argument("aten::hardtanh_", 2) == "max_val"


def test_defaults_are_those_of_pytorch() -> None:
    for name, names in ARGUMENTS.items():
        truth = _TRUTH["defaults"].get(name, {})
        known = {key: text for key, text in truth.items() if key in names}
        assert DEFAULTS[name.replace("::", ".")] == known, name


def _exported(**stated: str) -> GraphModel:
    """A convolution as ``torch.export`` writes it, with these arguments."""
    builder = GraphBuilder("torch_export")
    inputs = [builder.node(name, "Input") for name in ("x", "w")]
    conv = builder.node("conv2d", "aten.conv2d")
    for slot, node in enumerate(inputs):
        builder.edge(node, conv, slot)
    details = NodeDetails(attributes=[Attribute(name, "ints", text, 0) for name, text in stated.items()])
    return GraphModel(builder.graph(lambda node: details if node == conv else NodeDetails(), topological, 0))


def _attributes(before: GraphModel, after: GraphModel) -> list[tuple[str, ...]]:
    entries = Difference.of(before, after).answer(frozenset(KINDS), "", 0, 100)["entries"]
    return [(one["name"], one["before"], one["after"]) for entry in entries for one in entry["changes"]]


def test_an_argument_that_is_left_out_equals_its_default() -> None:
    plain = _exported(padding="[1, 1]")
    stated = {"stride": "[1, 1]", "padding": "[1, 1]", "dilation": "[1, 1]"}
    assert _attributes(plain, _exported(**stated, groups="4")) == [("groups", "1", "4")]
    assert _attributes(_exported(**stated), plain) == []
    assert _attributes(plain, _exported(stride="[2, 2]", padding="[1, 1]")) == [
        ("stride", "[1, 1]", "[2, 2]")
    ]


def test_attributes_without_a_known_default_are_shown_as_they_are() -> None:
    assert _attributes(_exported(), _exported(more="3")) == [("more", "", "3")]
