"""How many values a graph trains, keeps and is given, against counts that the frameworks gave."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import insight_graph
import pytest
from insight_graph import keras, mindspore, tensorflow
from insight_graph.columns import Graph
from insight_graph.details import details_of
from insight_graph.model import GraphModel, place_of
from insight_graph.statistics import statistics_of
from insight_graph.stored import summed
from insight_graph.tensors import tensors_of

from insight_authoring.testing.wire import int_field, message_field
from insight_record.graphs import graph_def, graph_proto, nodes_of
from tests.recording.collector_reading import decoded, opened, tags
from tests.support.graphs import mindspore_node, mindspore_parameter, tensorflow_node

_KERAS_LAYERS = Path(__file__).parent / "keras_layers/layers.json"
SAMPLE_LOGS = Path(__file__).parents[3] / "examples/logs"

_LENET = 61_684  # 5x5 convolutions 1-6 and 6-16 without bias, 400-120, 120-84 and 84-10 with
_TRANSFORMER = 205_155  # the values in the checkpoint that MindSpore wrote of this run
_HANDLE, _FLOAT = int_field(6, 20), int_field(6, 1)


def values(graph: Graph) -> dict[str, int]:
    return {role: row["values"] for role, row in summed(tensors_of(graph)).items()}


def unsized(graph: Graph) -> dict[str, int]:
    return {role: row["unsized"] for role, row in summed(tensors_of(graph)).items() if row["unsized"]}


@pytest.mark.parametrize(
    ("run", "trainable", "state", "inputs"),
    [
        (
            "lenet_lr0.01",
            _LENET,
            _LENET + 3,
            32 * (32 * 32 + 1),
        ),  # momenta, momentum, learning rate, global step
        ("lenet_lr0.002", _LENET, _LENET + 3, 32 * (32 * 32 + 1)),  # images and labels
        (
            "transformer24",
            _TRANSFORMER,
            2 * _TRANSFORMER + 4,
            16 * (8 * 32 + 1),
        ),  # moments, 2 powers of beta, rate, step
    ],
)
def test_mindspore_counts_weights_state_and_inputs_apart(
    run: str, trainable: int, state: int, inputs: int
) -> None:
    with opened(SAMPLE_LOGS / "mindspore" / run) as data:
        [tag] = [one for one in tags(data, "graph", ".") if one.endswith("_MS")]
        model: GraphModel = decoded(data, insight_graph, tag, ".")[0]
    stored = summed(model.tensors())
    assert set(stored) == {"trainable", "optimizer", "input", "constant"}
    assert stored["input"]["values"] == inputs
    assert (stored["trainable"]["values"], stored["trainable"]["bytes"]) == (trainable, 4 * trainable)
    assert (stored["optimizer"]["values"], stored["optimizer"]["unsized"]) == (state, 0)
    for is_readable in (False, True):
        view = model.view(is_readable)
        answer = statistics_of(view, None, model.tensors())
        assert answer["stored"] == stored
        assert {one["role"] for one in answer["largest_parameters"]} == {"trainable"}


def test_a_scope_counts_what_it_uses_once_and_borrowers_count_nothing() -> None:
    with opened(SAMPLE_LOGS / "mindspore/lenet_lr0.01") as data:
        [tag] = [one for one in tags(data, "graph", ".") if one.endswith("_MS")]
        model: GraphModel = decoded(data, insight_graph, tag, ".")[0]
    view = model.view(False)

    def in_scope(id_: str) -> dict[str, int]:
        stored = details_of(view, place_of(view, id_), None, model.tensors())["stored"]
        return {role: row["values"] for role, row in stored.items() if role in ("trainable", "optimizer")}

    network = "Default/network-WithLossCell"
    both = {"trainable": _LENET, "optimizer": _LENET + 3}
    assert in_scope("Default") == both
    assert in_scope(network) == in_scope(f"{network}/_backbone-LeNet5") == {"trainable": _LENET}
    assert in_scope("Default/optimizer-Momentum") == {"optimizer": _LENET + 3}
    assert in_scope("Gradients") == {}
    assert in_scope(f"{network}/_backbone-LeNet5/fc3-Dense/fc3.bias") == {"trainable": 10}


def _mindspore_layer(weight: str, *, loads: bool = True, trains: bool = True) -> bytes:
    nodes = mindspore_node("1", "Load", "Default/net/Load-op1", [weight], shape=(8, 8)) if loads else b""
    nodes += mindspore_node("2", "MatMul", "Default/net/MatMul-op2", ["x", "1" if loads else weight])
    nodes += mindspore_node("3", "MatMul", "Default/net/MatMul-op3", ["2", "1" if loads else weight])
    if trains:
        nodes += mindspore_node("4", "MatMul", "Gradients/Default/net/MatMul-op4", ["3", weight])
        nodes += mindspore_node("5", "SGD", "Default/optimizer-SGD/SGD-op5", [weight, "4", "learning_rate"])
    return nodes


def test_a_weight_that_several_nodes_and_gradients_use_counts_once() -> None:
    graph = mindspore_parameter("x", (4, 8)) + mindspore_parameter("w", (8, 8))
    graph += mindspore_parameter("learning_rate", ()) + _mindspore_layer("w")
    assert values(mindspore.graph_of_event(graph)) == {"trainable": 64, "optimizer": 1, "input": 32}


def test_frozen_parameters_and_buffers_of_mindspore_are_not_trainable() -> None:
    graph = mindspore_parameter("x", (4, 8)) + mindspore_parameter("net.frozen", (8, 2))
    graph += mindspore_parameter("net.w", (8, 8)) + mindspore_parameter("learning_rate", ())
    graph += mindspore_parameter("net.bn.moving_mean", (8,)) + _mindspore_layer("net.w")
    graph += mindspore_node("6", "BatchNorm", "Default/net/BatchNorm-op6", ["3", "net.bn.moving_mean"])
    graph += mindspore_node("7", "MatMul", "Default/net/MatMul-op7", ["6", "net.frozen"])
    found = values(mindspore.graph_of_event(graph))
    assert found == {"trainable": 64, "other": 24, "optimizer": 1, "input": 32}


def test_an_optimizer_of_assignments_trains_what_the_model_reads() -> None:
    graph = mindspore_parameter("x", (4, 8)) + mindspore_parameter("w", (8, 8))
    graph += mindspore_parameter("adam_m.w", (8, 8)) + _mindspore_layer("w", trains=False)
    graph += mindspore_node("8", "Mul", "Default/optimizer-AdamWeightDecay/Mul-op8", ["adam_m.w", "3"])
    graph += mindspore_node("9", "Assign", "Default/optimizer-AdamWeightDecay/Assign-op9", ["adam_m.w", "8"])
    graph += mindspore_node("10", "Assign", "Default/optimizer-AdamWeightDecay/Assign-op10", ["w", "8"])
    assert values(mindspore.graph_of_event(graph)) == {"trainable": 64, "optimizer": 64, "input": 32}


@pytest.mark.parametrize(
    ("weight", "loads", "expected"),
    [
        ("net.w", True, {"parameter": 64, "input": 32}),
        ("w", True, {"parameter": 64, "input": 32}),
        ("net.w", False, {"parameter": 64, "unknown": 32}),
        ("w", False, {"unknown": 96}),  # an argument may have such a name too
    ],
)
def test_without_an_optimizer_nothing_is_called_trainable(
    weight: str, loads: bool, expected: dict[str, int]
) -> None:
    graph = mindspore_parameter("x", (4, 8)) + mindspore_parameter(weight, (8, 8))
    graph += _mindspore_layer(weight, loads=loads, trains=False)
    assert values(mindspore.graph_of_event(graph)) == expected


def _variable(name: str, *sizes: int) -> bytes:
    """As TensorFlow 2.21 writes it: the output is a handle, a scalar, and the shape an attribute."""
    shape = message_field(7, b"".join(message_field(2, int_field(1, size)) for size in sizes))
    return tensorflow_node(name, "VarHandleOp", shape=(), attributes={"shape": shape, "dtype": _FLOAT})


def _tensorflow_training() -> bytes:
    """After a graph of tf.compat.v1: a layer, a frozen one, an average that is kept, Adam, a saver."""
    nodes = tensorflow_node("x", "Placeholder", shape=(-1, 8))
    for name, sizes in {"kernel": (8, 4), "frozen": (4, 3), "average": (4,), "global_step": ()}.items():
        nodes += _variable(name, *sizes) + tensorflow_node(f"{name}/Assign", "AssignVariableOp", [name])
        nodes += tensorflow_node(f"{name}/Read", "ReadVariableOp", [name], shape=sizes)
    for name in ("m", "v"):
        nodes += _variable(f"kernel/{name}", 8, 4) + tensorflow_node(
            f"{name}/Read", "ReadVariableOp", [f"kernel/{name}"]
        )
    nodes += _variable("beta1_power") + tensorflow_node("beta1_power/Read", "ReadVariableOp", ["beta1_power"])
    nodes += tensorflow_node("MatMul", "MatMul", ["x", "kernel/Read"])
    nodes += tensorflow_node("out", "MatMul", ["MatMul", "frozen/Read"])
    nodes += tensorflow_node("gradients/MatMul", "MatMul", ["x", "kernel/Read"])
    nodes += tensorflow_node("moving", "AssignSubVariableOp", ["average", "MatMul"])
    nodes += tensorflow_node("Adam", "AssignAddVariableOp", ["global_step"])
    inputs = ["kernel", "kernel/m", "kernel/v", "beta1_power/Read", "gradients/MatMul"]
    nodes += tensorflow_node("Adam/update/ResourceApplyAdam", "ResourceApplyAdam", inputs)
    nodes += tensorflow_node("Adam/mul", "Mul", ["beta1_power/Read"])
    nodes += tensorflow_node("Adam/Assign", "AssignVariableOp", ["beta1_power", "Adam/mul"])
    saved = [f"{name}/Read" for name in ("kernel", "frozen", "m", "v", "average", "beta1_power")]
    return nodes + tensorflow_node("save/SaveV2", "SaveV2", saved)


def test_tensorflow_variables_by_what_updates_them() -> None:
    graph = tensorflow.graph_of_event(_tensorflow_training())
    assert values(graph) == {"trainable": 32, "other": 12 + 4 + 1, "optimizer": 65, "input": 0}
    assert unsized(graph) == {"input": 1}  # a batch of any size


def test_variables_of_tensorflow_without_an_optimizer_are_of_unknown_use() -> None:
    nodes = _variable("kernel", 8, 4) + tensorflow_node("Read", "ReadVariableOp", ["kernel"], shape=(8, 4))
    nodes += tensorflow_node("relu", "Relu", ["Read"])
    assert values(tensorflow.graph_of_event(nodes)) == {"parameter": 32}


def test_a_variable_that_functions_train_is_trainable() -> None:
    """Handed through two functions; the argument of a function has no size of its own."""

    def function(name: str, body: bytes) -> bytes:
        argument = message_field(2, b"\x0a\x01w" + int_field(3, 20))
        head = message_field(1, message_field(1, name.encode()) + argument)
        return message_field(2, message_field(1, head + body))

    def call(name: str, of: str) -> bytes:
        target = message_field(10, message_field(1, of.encode()))
        return tensorflow_node(name, "StatefulPartitionedCall", ["w"], attributes={"f": target})

    update = tensorflow_node("apply", "ResourceApplyGradientDescent", ["w"])
    inner = function("inner", b"\x1a" + update[1:])
    outer = function("outer", b"\x1a" + call("again", "inner")[1:])
    graph = tensorflow.graph_of_event(_variable("w", 8, 4) + call("call", "outer") + inner + outer)
    assert values(graph) == {"trainable": 32}
    assert unsized(graph) == {}


def test_a_handle_from_outside_has_the_size_of_what_is_read_through_it() -> None:
    nodes = tensorflow_node("w", "Placeholder", shape=(), attributes={"dtype": _HANDLE, "T": _HANDLE})
    other = tensorflow_node("v", "Placeholder", shape=(), attributes={"dtype": _HANDLE, "T": _HANDLE})
    read = tensorflow_node("read", "ReadVariableOp", ["w"], shape=(8, 2))
    graph = tensorflow.graph_of_event(nodes + read + tensorflow_node("relu", "Relu", ["read"]) + other)
    assert values(graph) == {"parameter": 16}
    assert unsized(graph) == {"parameter": 1}


def _function_trace() -> bytes:
    """A step of Adam as Keras 3 traces it: variables come as handles, sizes are in the optimised graph."""
    handles = {"w": (1, (5, 3)), "q": (1, (3,)), "m": (1, (5, 3)), "rate": (1, ()), "steps": (9, ())}
    before, after = tensorflow_node("x", "_Arg", shape=(2, 5)), b""
    for name, (dtype, sizes) in handles.items():
        before += tensorflow_node(name, "_Arg", attributes={"T": _HANDLE})
        before += tensorflow_node(f"{name}/read", "ReadVariableOp", [name])
        shape = message_field(7, b"".join(message_field(2, int_field(1, size)) for size in sizes))
        attributes = {
            "T": _HANDLE,
            "_handle_dtypes": message_field(1, int_field(6, dtype)),
            "_handle_shapes": message_field(1, shape),
        }
        after += tensorflow_node(name, "_Arg", attributes=attributes)
    value = message_field(8, int_field(1, 1) + message_field(2, message_field(2, int_field(1, 2))))
    before += tensorflow_node("two", "Const", attributes={"dtype": _FLOAT, "value": value})
    before += tensorflow_node("MatMul", "MatMul", ["x", "w/read"])
    before += tensorflow_node("add", "AddV2", ["MatMul", "q/read"])
    before += tensorflow_node("adam_5/Mul", "Mul", ["rate/read", "add"])
    before += tensorflow_node("adam_5/AssignAddVariableOp", "AssignAddVariableOp", ["m", "adam_5/Mul"])
    before += tensorflow_node("adam_5/AssignSubVariableOp", "AssignSubVariableOp", ["w", "adam_5/Mul"])
    before += tensorflow_node("adam_5/Pow", "Pow", ["steps/read", "two"])
    before += tensorflow_node("Add_1", "AddV2", ["steps/read", "two"])
    before += tensorflow_node("AssignVariableOp", "AssignVariableOp", ["steps", "Add_1"])
    return message_field(4, message_field(2, before) + message_field(3, after))


def test_a_trace_of_a_function_has_the_sizes_of_its_variables() -> None:
    graph = tensorflow.graph_of_trace(_function_trace())
    expected = {"trainable": 15, "other": 3, "optimizer": 15 + 1 + 1, "input": 10, "constant": 2}
    assert values(graph) == expected
    assert unsized(graph) == {}


def test_pytorch_does_not_record_sizes_and_shared_tensors_count_once() -> None:
    with opened(SAMPLE_LOGS / "torch/lr0.02_seed0") as data:
        [model] = decoded(data, insight_graph, "__run_graph__", ".")
    assert values(model.graph) == {"parameter": 0, "input": 256}
    assert unsized(model.graph) == {"parameter": 6}  # weight and bias of three layers
    nodes = b"".join(
        tensorflow_node(f"Net/Linear[a]/weight/weight.{number}", "prim::GetAttr") for number in (1, 2)
    )
    assert unsized(tensorflow.graph_of_event(nodes)) == {"parameter": 1}


def test_recorded_graphs_say_what_is_trainable() -> None:
    nodes: list[dict[str, Any]] = [
        {"name": "x", "op": "Input", "shape": [5, 8]},
        {"name": "net/w", "op": "Parameter", "shape": [8, 4], "attributes": {"trainable": True}},
        {"name": "net/frozen", "op": "Parameter", "shape": [4, 3], "attributes": {"trainable": False}},
        {"name": "net/mean", "op": "Buffer", "shape": [3]},
        {"name": "net/Linear", "op": "Linear", "inputs": ["x", "net/w", "net/frozen", "net/mean"]},
    ]
    expected = {"trainable": 32, "other": 12, "buffer": 3, "input": 40}
    assert values(tensorflow.graph_of_event(graph_def(nodes_of(nodes)))) == expected
    assert values(mindspore.graph_of_event(graph_proto(nodes_of(nodes)))) == expected
    del nodes[1]["attributes"]
    for graph in (
        tensorflow.graph_of_event(graph_def(nodes_of(nodes))),
        mindspore.graph_of_event(graph_proto(nodes_of(nodes))),
    ):
        assert "trainable" not in values(graph)


def _keras(*layers: dict[str, Any]) -> Graph:
    model = {"class_name": "Sequential", "config": {"name": "net", "layers": list(layers)}}
    return keras.graph_of_model(json.dumps(model).encode())


def _layers() -> Iterator[Any]:
    """``keras_layers/write.py`` wrote them, with what Keras counts."""
    for row in json.loads(_KERAS_LAYERS.read_text()):
        yield pytest.param(row, id=row["layer"]["config"]["name"])


@pytest.mark.parametrize("row", list(_layers()))
def test_layers_of_keras_have_as_many_weights_as_keras_counts(row: dict[str, Any]) -> None:
    graph = _keras(row["layer"])
    found = values(graph)
    assert (found.get("trainable", 0), found.get("other", 0)) == (row["trainable"], row["other"])
    assert unsized(graph) == {}
    assert not graph.notices


def test_the_keras_sample_has_the_count_of_its_model() -> None:
    with opened(SAMPLE_LOGS / "keras/fit/train") as data:
        [model] = decoded(data, insight_graph, "keras", ".")
    assert values(model.graph) == {"trainable": 40 + 802, "input": 0}  # Conv2D of 4 3x3 filters, Dense 400-2


@pytest.mark.parametrize(
    "layer",
    [
        {"class_name": "Dense", "registered_name": "Mine>Dense", "config": {"units": 3}},
        {"class_name": "Dense", "module": "mine", "config": {"units": 3}},
        {"class_name": "MultiHeadAttention", "module": "keras.layers", "config": {"num_heads": 2}},
        {"class_name": "Dense", "module": "keras.layers", "config": {"units": 3, "lora_rank": 2}},
        {"class_name": "EinsumDense", "module": "keras.layers", "config": {"equation": "ab"}},
        {"class_name": "Dense", "module": "keras.layers", "config": {"units": "many"}},
        {"class_name": "Dense", "module": "keras.layers", "config": {"units": float("inf")}},
        {"class_name": "Dense", "module": "keras.layers", "config": []},
    ],
)
def test_weights_of_layers_that_are_not_known_are_of_unknown_number(layer: dict[str, Any]) -> None:
    graph = _keras({**layer, "build_config": {"input_shape": [None, 4]}})
    assert values(graph) == {"parameter": 0}
    assert unsized(graph) == {"parameter": 1}
    [notice] = graph.notices
    assert (notice.code, notice.count) == ("unsized_layers", 1)


def test_layers_that_were_not_built_have_weights_of_unknown_size() -> None:
    graph = _keras({"class_name": "Dense", "module": "keras.layers", "config": {"units": 3}})
    assert values(graph) == {"trainable": 3}
    assert unsized(graph) == {"trainable": 1}
    dense = {"class_name": "Dense", "module": "keras.layers"}
    both = _keras(
        {**dense, "config": {"units": 3, "name": "a"}},
        {"class_name": "GRU", "config": {"units": 2, "name": "b"}},
    )
    assert summed(tensors_of(both))["trainable"]["unsized_nodes"] == 2
    assert [one.examples for one in both.notices] == [["net/a (Dense)", "net/b (GRU)"]]


def test_a_normalization_over_sizes_that_are_not_fixed_has_weights_of_unknown_size() -> None:
    layer = {"class_name": "LayerNormalization", "config": {"axis": [1, 2]}}
    graph = _keras({**layer, "build_config": {"input_shape": [None, None, None]}})
    assert (values(graph), unsized(graph)) == ({"trainable": 0}, {"trainable": 2})


def test_a_frozen_model_within_a_model_is_not_trainable() -> None:
    dense = {
        "class_name": "Dense",
        "config": {"name": "d", "units": 3},
        "build_config": {"input_shape": [1, 4]},
    }
    inner = {"class_name": "Sequential", "config": {"name": "in", "trainable": False, "layers": [dense]}}
    assert values(_keras(inner, dense)) == {"trainable": 15, "other": 15}


def test_running_statistics_of_batch_normalization_are_buffers() -> None:
    attributes = ("weight", "bias", "running_mean", "running_var")
    nodes = tensorflow_node("input/x", "IO Node", shape=(2, 3))
    names = [f"Net/BatchNorm2d[bn]/{name}/{name}" for name in attributes]
    nodes += b"".join(tensorflow_node(name, "prim::GetAttr") for name in names)
    nodes += tensorflow_node("Net/BatchNorm2d[bn]/out", "aten::batch_norm", ["input/x", *names])
    stored = summed(tensors_of(tensorflow.graph_of_event(nodes)))
    assert {role: row["tensors"] for role, row in stored.items()} == {"buffer": 2, "parameter": 2, "input": 1}


def test_arguments_of_branches_and_functions_are_not_inputs() -> None:
    nodes = [tensorflow_node("x", "Input", shape=(4, 8)), tensorflow_node("y", "Relu", ["x"])]
    inner = tensorflow_node("branch/x", "input_arg", shape=(4, 8))
    assert values(tensorflow.graph_of_event(b"".join((*nodes, inner)))) == {"input": 32}
