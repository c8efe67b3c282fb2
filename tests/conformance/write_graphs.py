"""Run by the Python of an environment with TensorBoard: graphs that the sample logs lack.

Written with its own messages: a graph with functions, control edges, shapes and devices; its step
statistics; traces of one and of two functions; Keras models within each other, as Keras 3 writes them.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from tensorboard.compat.proto.config_pb2 import RunMetadata
from tensorboard.compat.proto.event_pb2 import Event, TaggedRunMetadata
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
from tensorboard.compat.proto.types_pb2 import DT_FLOAT, DT_INT32
from tensorboard.summary.writer.event_file_writer import EventFileWriter
from tensorboard.util.tensor_util import make_tensor_proto


def main() -> None:
    run = f"{sys.argv[1]}/generated"
    graph = _with_functions()
    metadata = RunMetadata()
    for device, names in (("/device:CPU:0", ["a/x", "a/y"]), ("/device:GPU:0", ["a/y:MatMul", "a/b/z"])):
        stats = metadata.step_stats.dev_stats.add(device=device)
        for place, name in enumerate(names):
            stats.node_stats.add(node_name=name, all_start_micros=100 * place, all_end_rel_micros=10 + place)
    one, two = RunMetadata(), RunMetadata()
    one.function_graphs.add().pre_optimization_graph.CopyFrom(graph)
    for _ in range(2):
        two.function_graphs.add().pre_optimization_graph.CopyFrom(graph)
    two.step_stats.CopyFrom(metadata.step_stats)
    writer = EventFileWriter(run)
    writer.add_event(Event(wall_time=1.0, graph_def=graph.SerializeToString()))
    tagged = TaggedRunMetadata(tag="step1", run_metadata=metadata.SerializeToString())
    writer.add_event(Event(wall_time=2.0, tagged_run_metadata=tagged))
    values = {
        ("one", "graph_run_metadata_graph"): one.SerializeToString(),
        ("two", "graph_run_metadata"): two.SerializeToString(),
        ("functional", "graph_keras_model"): json.dumps(_functional()).encode(),
    }
    for (tag, plugin), content in values.items():
        about = SummaryMetadata()
        about.plugin_data.plugin_name, about.plugin_data.content = plugin, b"1"
        value = Summary.Value(tag=tag, metadata=about, tensor=make_tensor_proto(content))
        writer.add_event(Event(wall_time=3.0, step=1, summary=Summary(value=[value])))
    writer.close()


def _with_functions() -> Any:  # noqa: ANN401
    graph = GraphDef()
    graph.versions.producer = 1
    x = graph.node.add(name="a/x", op="Placeholder", device="/device:CPU:0")
    x.attr["dtype"].type = DT_FLOAT
    x.attr["shape"].shape.dim.add(size=-1)
    x.attr["shape"].shape.dim.add(size=3)
    constant = graph.node.add(name="a/c", op="Const", device="/device:CPU:0")
    constant.attr["value"].tensor.CopyFrom(make_tensor_proto(2.5))
    constant.attr["dtype"].type = DT_FLOAT
    split = graph.node.add(name="a/split", op="Split", input=["a/c", "a/x"])
    split.attr["num_split"].i = 2
    split.attr["T"].type = DT_FLOAT
    for size in (1, 2):
        shape = split.attr["_output_shapes"].list.shape.add()
        shape.dim.add(size=-1)
        shape.dim.add(size=size)
    graph.node.add(name="a/y", op="MatMul", input=["a/split", "a/split:1", "^a/x"], device="/device:GPU:0")
    graph.node.add(name="a/b/z", op="Relu", input=["a/y"], device="/device:GPU:0")
    call = graph.node.add(name="a/call", op="PartitionedCall", input=["a/b/z", "^a/c"])
    call.attr["f"].func.name = "inner"
    graph.node.add(name="a", op="Identity", input=["a/call:0"])
    for number in range(6):
        graph.node.add(
            name=f"tail/add_{number}", op="AddV2", input=["a", f"tail/add_{number - 1}" if number else "a/x"]
        )
    function = graph.library.function.add()
    function.signature.name = "inner"
    function.signature.input_arg.add(name="t", type=DT_FLOAT)
    function.signature.output_arg.add(name="out", type=DT_INT32)
    function.node_def.add(name="unique", op="Unique", input=["t"])
    function.node_def.add(name="deep/neg", op="Neg", input=["unique:idx:0", "^unique"])
    function.ret["out"] = "deep/neg:y:0"
    return graph


def _functional() -> dict[str, Any]:
    """Two inputs, of which one goes through a Sequential model, joined and put through a functional one."""

    def layer(name: str, kind: str, *sources: str, **config: object) -> dict[str, Any]:
        history = [
            {"class_name": "__keras_tensor__", "config": {"keras_history": [one, 0, 0]}} for one in sources
        ]
        args: list[Any] = [history] if len(history) > 1 else history
        return {
            "class_name": kind,
            "name": name,
            "config": {"name": name, "dtype": "float32", **config},
            "inbound_nodes": [{"args": args, "kwargs": {}}] if sources else [],
        }

    def model(name: str, layers: list[Any], ends: list[str], *sources: str) -> dict[str, Any]:
        inputs = [[one["name"], 0, 0] for one in layers if one["class_name"] == "InputLayer"]
        outputs = [[one, 0, 0] for one in ends]
        single: list[Any] = [
            one[0] if len(one) == 1 else one for one in (inputs, outputs)
        ]  # as Keras 3 has it
        return layer(
            name, "Functional", *sources, layers=layers, input_layers=single[0], output_layers=single[1]
        )

    inner = model("inner", [layer("in", "InputLayer"), layer("dense", "Dense", "in")], ["dense"], "join")
    sequence = layer(
        "chain", "Sequential", "right", layers=[_bare("first", "Dense"), _bare("second", "ReLU")]
    )
    layers = [
        layer("left", "InputLayer", batch_shape=[None, 4]),
        layer("right", "InputLayer", batch_shape=[None, 4]),
        sequence,
        layer("join", "Add", "left", "chain"),
        inner,
        layer("head", "Dense", "inner"),
    ]
    return model("outer", layers, ["head"])


def _bare(name: str, kind: str) -> dict[str, Any]:
    return {"class_name": kind, "config": {"name": name, "dtype": "float32"}}


if __name__ == "__main__":
    main()
