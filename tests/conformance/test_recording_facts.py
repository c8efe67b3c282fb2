"""Graphs, lineage, pipelines and landscapes of SummaryRecord, as peers and this host read them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import insight_graph
import insight_landscape
import numpy as np
import pytest
from insight_landscape.landscape import Landscape

from insight_core.ingest.logdir import Logdir
from insight_core.providers.local import LocalProvider
from tests.conformance.recorded import AXIS, CUSTOM, DIALECTS, LANDSCAPE, TRAINED, Dialect
from tests.conformance.test_lineage_of_peers import _asked, _rows

Oracle = Callable[..., Any]


def test_a_graph_of_mindspore(recorded: Path, mindinsight_graphs: Oracle) -> None:
    [graphs] = [one for _, one in mindinsight_graphs(recorded / "mindspore_facts").items()]
    [answer] = graphs.values()
    nodes = {node["name"]: node for node in answer["normal"]}
    assert nodes["net/dense/MatMul"]["type"] == "MatMul"
    # it puts parameters where they are used
    assert set(nodes["net/dense/MatMul"]["input"]) == {"net/dense/input", "net/dense/net.dense.weight"}
    assert nodes["net/dense/MatMul"]["attr"].keys() == {"transpose_b", "stride", "note", "alpha", "axis"}
    assert nodes["net/ReLU"]["input"].keys() == {"net/dense/MatMul", "net/input"}
    assert nodes["net/ReLU"]["input"]["net/input"]["edge_type"] == "control"


def test_a_graph_of_tensorboard(recorded: Path, tensorboard_graphs: Oracle) -> None:
    [nodes] = tensorboard_graphs(recorded)["tensorboard_facts"].values()
    assert nodes == [
        ["input", "Parameter", [], ["T", "_output_shapes"], ""],
        ["net/dense/weight", "Parameter", [], ["T", "_output_shapes"], ""],
        [
            "net/dense/MatMul",
            "MatMul",
            ["input", "net/dense/weight"],
            ["T", "_output_shapes", "alpha", "axis", "note", "stride", "transpose_b"],
            "",
        ],
        ["net/ReLU", "ReLU", ["net/dense/MatMul", "^input"], [], ""],
    ]


def test_lineage_of_mindspore(recorded: Path, mindinsight_lineage: Oracle) -> None:
    answer = mindinsight_lineage(recorded, json.dumps({"summary_dir": {"in": ["./mindspore_facts"]}}))
    [found] = answer["object"]
    model = found["model_lineage"]
    assert {name: model[name] for name in TRAINED["hyper_parameters"] if name != "parallel_mode"} == {
        "optimizer": "Momentum",
        "learning_rate": pytest.approx(0.01),
        "loss_function": "MSE",
        "epoch": 4,
        "device_num": 1,
        "batch_size": 32,
    }
    assert (model["network"], model["loss"], model["model_size"]) == ("LeNet5", 0.25, 2**40)
    assert (model["train_dataset_path"], model["train_dataset_count"]) == ("/data/träin", 1024)
    assert (model["test_dataset_path"], model["test_dataset_count"]) == ("/data/test", 64)
    assert model["metric"] == {"Accuracy": 0.5, "top/5": 0.75}
    assert model["user_defined"] == CUSTOM
    graph = found["dataset_graph"]
    assert {name: graph[name] for name in ("op_type", "batch_size", "drop_remainder")} == {
        "op_type": "Batch",
        "batch_size": 32,
        "drop_remainder": True,
    }
    mapped = graph["children"][0]
    mapped["operations"][0].pop("weights")  # which MindInsight takes from the sizes
    assert mapped["input_columns"] == ["image", "label"]
    assert mapped["operations"] == [
        {"tensor_op_name": "Resize", "size": [32, 32]},
        {"tensor_op_name": "Rescale"},
    ]
    assert mapped["children"][0]["sampler"] == {"sampler_name": "Random", "ratio": 0.5}
    assert mapped["children"][0]["num_samples"] is None


def test_lineage_and_hparams_here(recorded: Path) -> None:
    with _asked(recorded) as ask:
        rows = _rows(ask("runs"))
    facts = rows["mindspore_facts"]
    assert facts["optimizer"] == "Momentum"
    assert facts["learning_rate"] == pytest.approx(0.01)
    assert (facts["metric/Accuracy"], facts["metric/top/5"]) == (0.5, 0.75)
    assert {name: facts[f"custom/{name}"] for name in CUSTOM} == CUSTOM
    assert facts["model_path"] == '{"ckpt": null}'
    assert rows["tensorboard_facts"]["metric/eval/Accuracy"] == 0.5
    facts = rows["tensorboard_facts"]
    assert (facts["optimizer"], facts["epoch"], facts["depth"]) == ("Momentum", 4, -3)
    assert facts["hyperparameter/model_size"] == 2**40
    hparams = {"lr": 0.5, "opt": "sgd", "nesterov": True}
    assert {name: rows["tensorboard_hparams"][name] for name in hparams} == hparams
    in_mindspore = {name: rows["mindspore_hparams"][f"custom/{name}"] for name in hparams}
    assert in_mindspore == hparams | {"nesterov": "true"}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_pipelines_and_landscapes_here(recorded: Path, dialect: Dialect) -> None:
    with _asked(recorded) as ask:
        steps = ask("pipeline", run=f"{dialect}_facts")["pipeline"]["nodes"]
    assert [step["name"] for step in steps] == ["Mnist", "Map", "Batch"]
    decoder = insight_landscape.insight_plugin().decoder
    assert decoder is not None
    assert decoder.decode is not None
    data = LocalProvider([Logdir(str(recorded))], [insight_landscape.insight_plugin()], reload_interval=0)
    try:
        data.load()
        keys = [one.key for one in data.series("landscape")]
        [key] = [key for key in keys if "[1, 3]" in key.tag and dialect in key.run]
        found = decoder.decode(data.payload("landscape", key, 0))
    finally:
        data.close()
    assert isinstance(found, Landscape)
    assert found.path is not None
    assert found.flaws == ()
    assert found.interval == (1, 3)
    np.testing.assert_array_equal(found.z, np.arange(20.0).reshape(4, 5))
    np.testing.assert_array_equal(found.x, AXIS)
    np.testing.assert_array_equal(found.path.z, [3.0, 2.0, 1.0])
    assert (found.convergence, found.unit, found.step_per_epoch) == ((0.0, 0.0, 0.5), "epoch", 32)


def test_graphs_here(recorded: Path) -> None:
    for dialect in DIALECTS:
        data = LocalProvider([Logdir(str(recorded))], [insight_graph.insight_plugin()], reload_interval=0)
        try:
            data.load()
            keys = [one.key for one in data.series("graph") if one.key.run == f"{dialect}_facts"]
            [key] = [key for key in keys if not key.tag.endswith("_lineage")]
            decoder = insight_graph.insight_plugin().decoder
            assert decoder is not None
            assert decoder.decode is not None
            graph = decoder.decode(data.payload("graph", key, 0)).graph
        finally:
            data.close()
        names = {graph.path(node) for node in range(len(graph.names))}
        assert {"net/dense/MatMul", "net/ReLU"} <= names


def test_hparams_of_tensorboard(recorded: Path, tensorboard_hparams: Oracle) -> None:
    groups = {
        group["sessions"][0]["name"]: group["hparams"]
        for group in tensorboard_hparams(recorded)["session_groups"]
    }
    assert groups["tensorboard_hparams"] == {"lr": 0.5, "opt": "sgd", "nesterov": True}
    facts = groups["tensorboard_facts"]
    assert {
        name: facts[name] for name in (*CUSTOM, "optimizer", "epoch", "network", "loss", "model_size")
    } == {
        **CUSTOM,
        "optimizer": "Momentum",
        "epoch": 4,
        "network": "LeNet5",
        "loss": 0.25,
        "model_size": 2**40,
    }


def test_landscapes_of_mindspore(recorded: Path, mindinsight_landscapes: Oracle) -> None:
    found = mindinsight_landscapes(recorded)["mindspore_facts"]
    assert found["intervals"] == [[1, 3]]
    one = found["landscapes"]["1-3"]
    assert one["points"]["z"] == LANDSCAPE["landscape"]["z"].tolist()
    assert np.ravel(one["path"]["z"]).tolist() == [3.0, 2.0, 1.0]
    assert np.ravel(one["path"]["x"]).tolist() == AXIS[:3].tolist()
    assert one["metadata"]["step_per_epoch"] == 32
    assert one["convergence_point"] == [0.0, 0.0, 0.5]
