"""Readers: every format as it is written, and broken."""

from __future__ import annotations

from pathlib import Path

import insight_graph
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from insight_graph import compute_times, keras, mindspore, tensorflow
from insight_graph.columns import Graph, Kind
from insight_graph.described import notice
from insight_graph.messages import empty
from insight_graph.model import GraphModel

from insight_authoring.testing.wire import int_field, message_field
from tests.graph_samples import chain, edges_of, in_model, node_of, small_network
from tests.recording.collector_reading import decoded, opened
from tests.support.graphs import (
    large_mindspore_graph,
    large_tensorflow_graph,
    mindspore_constant,
    mindspore_node,
    mindspore_parameter,
    tensorflow_node,
)

_SAMPLE = Path(__file__).parents[3] / "examples/logs/torch/lr0.02_seed1"  # written by PyTorch


def _codes(graph: Graph) -> dict[str, int]:
    return {notice.code: notice.count for notice in graph.notices}


def _types(graph: Graph, path: str) -> list[str]:
    return [str(one) for one in graph.output_types[graph.signatures[node_of(graph, path)]]]


def test_a_graph_of_mindspore() -> None:
    graph = mindspore.graph_of_event(small_network())
    assert [graph.type_names[code] for code in graph.types.tolist()].count("MatMul") == 2
    assert np.bincount(graph.kinds).tolist() == [8, 2, 2]
    assert ("2", "3") not in edges_of(graph)
    assert ("Default/net/a-Dense/Load-op2", "Default/net/a-Dense/MatMul-op3") in edges_of(graph)
    assert _types(graph, "Default/net/a-Dense/MatMul-op3") == ["float32[4,8]"]
    assert _types(graph, "w") == ["float32[8,8]"]
    assert int(graph.edges.controls.sum()) == 1
    assert not graph.notices
    details = graph.details(node_of(graph, "Default/net/a-Dense/MatMul-op3"))
    assert [(one.name, one.type, one.value) for one in details.attributes] == [("t", "int64", "1")]
    assert graph.details(node_of(graph, "c1")).value == "1"


def test_a_graph_file_is_a_model_or_a_bare_graph() -> None:
    bare = mindspore.graph_of_file(small_network())
    assert mindspore.graph_of_file(in_model(small_network())).names == bare.names


def test_inputs_may_be_paths_that_end_with_a_number() -> None:
    graph = mindspore.graph_of_event(
        mindspore_node("Default/a/Add-op1", "Add", "Default/a/Add-op1")
        + mindspore_node("Default/b/Mul-op2", "Mul", "Default/b/Mul-op2", ["Default/a/Add-op1"])
    )
    assert edges_of(graph) == {("Default/a/Add-op1", "Default/b/Mul-op2")}


def test_a_summary_is_not_named_by_the_tag_of_the_user() -> None:
    graph = mindspore.graph_of_event(
        mindspore_node("3", "ImageSummary", "Default/net/a/b<x>[:Image]") + mindspore_node("4", "X", "bare")
    )
    assert [graph.path(node) for node in range(2)] == ["Default/net/a/ImageSummary-op3", "bare"]


VALUES: list[tuple[bytes, str, str]] = [
    (int_field(1, 1) + int_field(2, 1), "bool", "True"),
    (int_field(1, 13) + message_field(7, b"NCHW"), "string", "'NCHW'"),
    (int_field(1, 11) + b"\x2d\x00\x00\x00\x3f", "float32", "0.5"),
    (int_field(1, 31), "tuple", "()"),
    (
        int_field(1, 31) + b"".join(message_field(18, int_field(1, 5) + int_field(3, n)) for n in (1, -2)),
        "tuple",
        "(1, -2)",
    ),
    (int_field(1, 31) + message_field(18, int_field(1, 5) + int_field(3, 7)), "tuple", "(7,)"),
    (int_field(1, 32) + message_field(18, int_field(1, 13) + message_field(7, b"a")), "list", "['a']"),
    (
        int_field(1, 33) + message_field(19, message_field(1, b"k") + message_field(2, int_field(3, 4))),
        "dict",
        "{'k': 4}",
    ),
    (int_field(1, 39) + message_field(20, int_field(1, 11)), "type", "float32"),
    (int_field(1, 34), "none", "None"),
    (int_field(1, 20) + int_field(11, 3) + int_field(11, 4), "list[int64]", "[3, 4]"),
    (
        int_field(1, 14)
        + message_field(8, int_field(1, 2) + int_field(2, 11) + message_field(3, b"\0\0\x80?" * 2)),
        "tensor",
        "float32[2] [1, 1]",
    ),
    (int_field(1, 14) + message_field(8, int_field(1, 2000) + int_field(2, 11)), "tensor", "float32[2000]"),
]


@pytest.mark.parametrize(("encoded", "kind", "text"), VALUES)
def test_attributes_of_mindspore(encoded: bytes, kind: str, text: str) -> None:
    attribute = message_field(5, message_field(1, b"a") + message_field(2, encoded))
    node = message_field(1, message_field(2, b"1") + message_field(3, b"Op") + attribute)
    graph = mindspore.graph_of_event(node)
    [found] = graph.details(0).attributes
    assert (found.name, found.type, found.value, found.size) == ("a", kind, text, len(encoded))


def test_a_tuple_gives_out_what_is_in_it() -> None:
    element = message_field(1, int_field(1, 14) + message_field(2, int_field(1, 4)))
    output = message_field(
        6, int_field(1, 31) + message_field(3, element + message_field(1, int_field(1, 1)))
    )
    graph = mindspore.graph_of_event(message_field(1, message_field(2, b"1") + output))
    assert [str(one) for one in graph.output_types[graph.signatures[0]]] == ["int32[]", "bool[]"]


def test_names_that_are_no_utf_8_are_read() -> None:
    graph = mindspore.graph_of_event(
        message_field(1, message_field(2, b"1") + message_field(8, b"a/\xff<b>"))
    )
    assert graph.path(0) == "a/\ufffd<b>"


def test_a_graph_that_is_cut_off_shows_what_is_there() -> None:
    whole = small_network()
    cut = mindspore.graph_of_event(whole[:-10])
    assert len(cut) == 11
    assert _codes(cut) == {"truncated": 1}
    model = in_model(whole)
    assert len(mindspore.graph_of_file(model[:-10])) == 11


def test_a_node_that_is_broken_is_left_out() -> None:
    graph = mindspore.graph_of_event(small_network() + message_field(1, b"\x0a\x7f"))
    assert len(graph) == 12
    assert _codes(graph) == {"unreadable_nodes": 1}


def test_what_is_wrong_with_a_graph_is_told() -> None:
    graph = tensorflow.graph_of_event(
        tensorflow_node("a", "A", ["c", "gone", "^gone too"])
        + tensorflow_node("b", "B", ["a"])
        + tensorflow_node("c", "C", ["b"])
        + tensorflow_node("after", "C", ["b"])
        + tensorflow_node("a", "D")
        + tensorflow_node("", "E")
    )
    assert graph.names == ["a", "b", "c", "after", "a (2)", "(unnamed)"]
    codes = _codes(graph)
    assert codes["missing_inputs"] == 2
    assert codes["cycles"] == 3
    assert codes["unnamed"] == 1
    assert codes["duplicate_names"] == 1
    assert graph.missing == {0: [(1, "gone"), (2, "^gone too")]}
    assert sorted(graph.order.tolist()) == list(range(6))


def test_places_of_problems_have_codes_from_which_they_are_translated() -> None:
    whole = tensorflow_node("a", "A", ["gone"]) + tensorflow_node("", "E") + tensorflow_node("a", "D")
    graph = tensorflow.graph_of_event(whole + message_field(1, b"\x0a\x7f"))
    examples = {one.code: notice(one)["examples"] for one in graph.notices}
    assert examples == {
        "missing_inputs": [
            {"error": "gone (of a)", "code": "graph_input_of", "details": {"name": "gone", "node": "a"}}
        ],
        "unnamed": [
            {"error": "E (node 1)", "code": "graph_unnamed_node", "details": {"type": "E", "number": 1}}
        ],
        "unreadable_nodes": [
            {
                "error": f"node at byte {len(whole)}",
                "code": "graph_node_at",
                "details": {"offset": len(whole)},
            }
        ],
        "duplicate_names": [{"error": "a"}],
    }


def test_modules_that_pytorch_leaves_out_are_no_missing_inputs() -> None:
    names = {"Net/Linear[fc]/weight/fc": "Net/Linear[fc]/weight/weight.3", "Net/raw/self.1": "Net/raw/raw"}
    attributes = [tensorflow_node(name, "prim::GetAttr", [module]) for module, name in names.items()]
    linear = tensorflow_node("Net/Linear[fc]/out", "aten::linear", ["input/x", *names.values(), "Net/gone"])
    graph = tensorflow.graph_of_event(tensorflow_node("input/x", "IO Node") + b"".join(attributes) + linear)
    assert [list(one.examples) for one in graph.notices] == [["Net/gone (of out)"]]
    assert graph.missing == {3: [(3, "Net/gone")]}
    with opened(_SAMPLE) as data:
        model: GraphModel = decoded(data, insight_graph, "__run_graph__", ".")[0]
    assert "prim::GetAttr" in model.graph.type_names
    assert model.graph.notices == ()


def test_an_operator_with_the_name_of_a_scope_is_in_it() -> None:
    graph = tensorflow.graph_of_event(chain("a", "a/b", "a/b/c"))
    assert [graph.path(node) for node in range(3)] == ["a/(a)", "a/b/(b)", "a/b/c"]


def test_outputs_controls_and_devices_of_tensorflow() -> None:
    graph = tensorflow.graph_of_event(
        tensorflow_node("split", "Split", device="/cpu:0", shape=(2, -1))
        + tensorflow_node("use", "Add", ["split:1", "split", "^split"])
        + tensorflow_node("constant", "Const", attributes={"dtype": int_field(6, 3)})
        + tensorflow_node("variable", "VarHandleOp")
    )
    edges = graph.edges
    assert edges.outputs.tolist() == [1, 0, 0]
    assert edges.controls.tolist() == [False, False, True]
    assert edges.slots.tolist() == [0, 1, 2]
    assert _types(graph, "split") == ["float32[2,?]"]
    assert _types(graph, "constant") == ["int32"]
    assert graph.kinds.tolist() == [Kind.OPERATOR, Kind.OPERATOR, Kind.CONSTANT, Kind.PARAMETER]
    assert graph.device_names == ["", "/cpu:0"]


def _function(name: str) -> bytes:
    signature = message_field(1, name.encode()) + message_field(2, message_field(1, b"t") + int_field(3, 1))
    inside = tensorflow_node("neg", "Neg", ["t"]).replace(b"\x0a", b"\x1a", 1)
    returned = message_field(4, message_field(1, b"out") + message_field(2, b"neg:y:0"))
    return message_field(1, message_field(1, signature) + inside + returned)


def test_functions_are_scopes_with_their_arguments() -> None:
    call = {"f": message_field(10, message_field(1, b"inner"))}
    graph = tensorflow.graph_of_event(
        tensorflow_node("x", "Placeholder")
        + tensorflow_node("call", "PartitionedCall", ["x"], attributes=call)
        + message_field(2, _function("inner"))
    )
    assert edges_of(graph) == {("x", "call"), ("inner/t", "inner/neg"), ("inner/neg", "inner/out")}
    assert graph.details(node_of(graph, "call")).calls == "inner"
    assert [graph.type_names[graph.types[node_of(graph, f"inner/{name}")]] for name in ("t", "out")] == [
        "input_arg",
        "output_arg",
    ]


def test_traces_of_several_functions_do_not_mix() -> None:
    graph = message_field(2, chain("a", "b"))
    assert edges_of(tensorflow.graph_of_trace(message_field(4, graph))) == {("a", "b")}
    two = tensorflow.graph_of_trace(message_field(4, graph) * 2)
    assert edges_of(two) == {("graph_1/a", "graph_1/b"), ("graph_2/a", "graph_2/b")}
    assert len(tensorflow.graph_of_trace(b"")) == 0
    assert len(tensorflow.graph_of_meta_graph(message_field(2, chain("a", "b")))) == 2


def test_step_statistics() -> None:
    message = empty("RunMetadata")
    for device, names in (("gpu", ["a", "b:MatMul"]), ("gpu/stream:all", ["a"]), ("cpu", ["b", "gone"])):
        stats = message.step_stats.dev_stats.add(device=device.encode())
        for name in names:
            stats.node_stats.add(node_name=name.encode(), all_start_micros=5, all_end_rel_micros=10)
    rows = compute_times.rows_of(message.SerializeToString())
    graph = tensorflow.graph_of_event(chain("a", "b", "c"))
    times = compute_times.times_of(graph, rows)
    assert times is not None
    np.testing.assert_array_equal(times.micros, [10, 20, np.nan])
    assert times.rows == {0: [("gpu", 5, 10)], 1: [("gpu", 5, 10), ("cpu", 5, 10)]}
    assert compute_times.times_of(graph, {"other": []}) is None


@pytest.mark.parametrize("data", [b"\xff\xff", b"\x0a\x7f", b"\x00\x00"])
def test_bytes_that_are_no_graph_are_refused(data: bytes) -> None:
    for read in (mindspore.graph_of_event, mindspore.graph_of_file, tensorflow.graph_of_event):
        with pytest.raises(ValueError, match="bytes are no"):
            read(data)


_WHOLE = {
    "mindspore": (mindspore.graph_of_event, small_network()),
    "file": (mindspore.graph_of_file, in_model(small_network())),
    "tensorflow": (
        tensorflow.graph_of_event,
        chain("a", "a/b", "c/d", "c/e") + message_field(2, _function("inner")),
    ),
    "trace": (tensorflow.graph_of_trace, message_field(4, message_field(2, chain("a", "b")))),
    "keras": (
        keras.graph_of_model,
        b'{"config": {"layers": [{"class_name": "InputLayer"}, {"class_name": "Dense"}]}}',
    ),
}


def test_a_function_that_names_no_value_for_its_return_is_read() -> None:
    returned = message_field(4, message_field(1, b"out"))
    function = message_field(1, message_field(1, message_field(1, b"f")) + returned)
    graph = tensorflow.graph_of_event(message_field(2, function))
    assert [graph.path(node) for node in range(len(graph))] == ["f/out"]


def test_a_node_and_a_scope_that_look_the_same_are_one_place() -> None:
    node = message_field(1, message_field(1, b"\xe1") + message_field(2, b"ReLU"))
    inner = message_field(1, message_field(1, b"\xe2/d") + message_field(2, b"ReLU"))
    tree = GraphModel(tensorflow.graph_of_event(node + inner)).view(False).tree
    for place in [*range(len(tree)), *(~position for position in range(len(tree.nodes)))]:
        assert tree.find(tree.id(place)) == place


@pytest.mark.parametrize("kind", _WHOLE)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_broken_graph_loads_or_says_that_it_is_none(kind: str, data: st.DataObject) -> None:
    read, whole = _WHOLE[kind]
    broken = bytearray(whole)
    for _ in range(data.draw(st.integers(0, 4))):
        broken[data.draw(st.integers(0, len(broken) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(broken[: data.draw(st.integers(0, len(broken)))])
    try:
        graph = read(cut)
    except ValueError:
        return
    model = GraphModel(graph)
    for is_readable in (False, True):
        tree = model.view(is_readable).tree
        for place in [*range(len(tree)), *(~position for position in range(len(tree.nodes)))]:
            assert tree.find(tree.id(place)) == place
    for node in range(len(graph)):
        graph.details(node)


def test_a_node_whose_origin_cannot_be_read_is_shown_and_says_so() -> None:
    node = message_field(1, b"a") + message_field(2, b"Relu") + message_field(6, b"a")
    graph = tensorflow.graph_of_event(message_field(1, node))
    assert (graph.path(0), graph.details(0).value) == ("a", "unreadable: the bytes are no NodeDef")


@pytest.mark.parametrize("depth", [3, 150])
def test_scopes_may_be_deep(depth: int) -> None:
    path = "/".join(f"s{level}" for level in range(depth)) + "/op"
    graph = tensorflow.graph_of_event(chain(path, "x"))
    assert graph.path(0) == path
    assert len(graph.scopes) <= 102


def test_large_graphs_are_what_benchmarks_say() -> None:
    for graph in (
        mindspore.graph_of_event(large_mindspore_graph(3500)),
        tensorflow.graph_of_event(large_tensorflow_graph(3500)),
    ):
        assert 3400 < len(graph) < 4800
        assert not graph.notices
        sources, targets = graph.order[graph.edges.sources], graph.order[graph.edges.targets]
        operators = graph.placed[graph.edges.sources]
        assert (sources < targets)[operators].all()


def test_parameters_and_constants_without_a_name_are_there() -> None:
    graph = mindspore.graph_of_event(
        mindspore_parameter("") + mindspore_constant("", 3) + mindspore_node("1", "A", "a/A-op1")
    )
    assert len(graph) == 3
    assert _codes(graph) == {"unnamed": 2}


def test_a_name_that_is_given_again_is_not_that_of_a_third_node() -> None:
    names = ["a", "a", "a (2)", "b/a", "a", "a (3)/x"]
    graph = tensorflow.graph_of_event(b"".join(tensorflow_node(name, "A") for name in names))
    assert [graph.path(node) for node in range(6)] == ["a", "a (4)", "a (2)", "b/a", "a (5)", "a (3)/x"]
    assert _codes(graph) == {"duplicate_names": 2}


def test_numbers_that_two_nodes_of_mindspore_have_are_told_once() -> None:
    graph = mindspore.graph_of_event(
        mindspore_node("1", "A", "a/A-op1")
        + mindspore_node("1", "A", "a/A-op1")
        + mindspore_node("1", "B", "B-op1")
    )
    assert _codes(graph) == {"duplicate_names": 2}


def test_pieces_are_read_some_at_a_time() -> None:
    count = 5000
    blob = {"value": message_field(2, b"x" * 3_000_000)}
    parts = [tensorflow_node(f"n{number}", "A", ["n0"]) for number in range(count)]
    parts[10] = tensorflow_node("n10", "Const", attributes=blob)
    parts[11] = message_field(1, b"\x0a\x7f")
    graph = tensorflow.graph_of_event(b"".join(parts))
    assert graph.names == [f"n{number}" for number in range(count) if number != 11]
    assert _codes(graph) == {"unreadable_nodes": 1, "cycles": 1}
    assert graph.details(10).attributes[0].size == 3_000_004 + 1
    assert graph.details(4998).full_name == "n4999"


def test_a_model_that_is_cut_off_between_two_nodes_says_so() -> None:
    last = mindspore_node("9", "A", "a/A-op9")
    whole = in_model(small_network() + last)
    cut = mindspore.graph_of_file(whole[: -len(last)])
    assert len(cut) == 12
    [notice] = cut.notices
    assert notice.code == "file_ends"
    assert notice.values == {"read": len(whole) - len(last), "size": len(whole), "parts": 12}
