"""What SummaryRecord writes is read back value for value by MindInsight, by TensorBoard and by this host."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import insight_graph
import insight_landscape
import numpy as np
import pytest
from insight_landscape.landscape import Landscape
from PIL import Image

from insight_core.loading.logdir import Logdir
from insight_core.providers.local import LocalProvider
from insight_core.summary import SummaryRecord
from insight_core.values.histogram_messages import decoded_histogram
from tests.conformance.our_payloads import plugins_over
from tests.conformance.payload_values import image_value, tensor_value
from tests.conformance.test_lineage_of_peers import _asked, _rows

Oracle = Callable[..., Any]
Dialect = Literal["mindspore", "tensorboard"]
DIALECTS: tuple[Dialect, ...] = ("mindspore", "tensorboard")
BOTH = pytest.mark.parametrize("dialect", DIALECTS)

NUMBERS = [0.0, -0.0, 0.1, 1e-45, 3.4e38, np.nan, np.inf, -np.inf, -1.5, 16777217]
STEPS = [0, 1, 127, 128, 300, 2**31 - 1, 2**31, 2**33 + 1, 2**53 + 1, 2**63 - 1]
TAGS = ["loss", "läß/損失 値", "a b\tc", "epoch/🙂"]
IMAGE = np.random.default_rng(1).integers(0, 256, (5, 7, 3), np.uint8)
FLOATS = ("float16", "float32", "float64")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool")
TENSORS: dict[str, np.ndarray[Any, Any]] = {
    **{name: (np.arange(12).reshape(3, 1, 4) % 2).astype(name) for name in (*FLOATS, *INTEGERS)},
    "odd": np.array([np.nan, np.inf, -np.inf, -0.0, 1e-45], np.float32),
    "empty": np.zeros((0, 3), np.float32),
    "single": np.array(2.5, np.float32),
    "backwards": np.arange(6, dtype=">f4").reshape(2, 3)[:, ::-1],
}
VALUES = np.random.default_rng(2).normal(0, 3, 1000)
HISTOGRAMS = {
    "normal": VALUES,
    "equal": np.full(7, 2.5),
    "none": np.zeros(0),
    "odd": np.array([np.nan, np.inf, -np.inf, -np.inf, 1.0, 2.0, 4.0]),
    "whole": np.arange(40, dtype=np.int32),
    "only nan": np.array([np.nan]),
    "huge": np.array([-1e299, 1e299]),
    "near": np.array([1.0, np.nextafter(1.0, 2.0)]),
}
NODES = [
    {"name": "input", "op": "Parameter", "shape": [-1, 8]},
    {"name": "net/dense/weight", "op": "Parameter", "shape": [8, 4]},
    {"name": "net/dense/MatMul", "op": "MatMul", "inputs": ["input", "net/dense/weight"], "shape": [-1, 4],
     "attributes": {"transpose_b": True, "stride": [1, 2], "note": "ü", "alpha": 0.5, "axis": 1}},
    {"name": "net/ReLU", "op": "ReLU", "inputs": ["net/dense/MatMul"], "control": ["input"]},
]  # fmt: skip
TRAINED = {
    "hyper_parameters": {
        "optimizer": "Momentum",
        "learning_rate": 0.01,
        "loss_function": "MSE",
        "epoch": 4,
        "parallel_mode": "stand_alone",
        "device_num": 1,
        "batch_size": 32,
    },
    "train_dataset": {"train_dataset_path": "/data/träin", "train_dataset_size": 1024},
    "algorithm": {"network": "LeNet5", "loss": 0.25},
    "model": {"path": {"ckpt": None}, "size": 2**40},
}
TESTED = {
    "metric": {"Accuracy": 0.5, "top/5": np.float32(0.75)},
    "valid_dataset": {"valid_dataset_path": "/data/test", "valid_dataset_size": 64},
}
CUSTOM = {"dropout": 0.5, "git": "abc", "depth": -3}
PIPELINE = {
    "op_type": "Batch",
    "batch_size": 32,
    "drop_remainder": True,
    "children": [
        {
            "op_type": "Map",
            "input_columns": ["image", "label"],
            "operations": [{"tensor_op_name": "Resize", "size": [32, 32]}, {"tensor_op_name": "Rescale"}],
            "children": [
                {"op_type": "Mnist", "num_samples": None, "sampler": {"sampler_name": "Random", "ratio": 0.5}}
            ],
        }
    ],
}
AXIS = np.linspace(-1, 1, 5)
LANDSCAPE: dict[str, Any] = {
    "landscape": {"x": AXIS, "y": AXIS[:4], "z": np.arange(20.0).reshape(4, 5)},
    "loss_path": {"intervals": [1, 2, 3], "points": {"x": AXIS[:3], "y": AXIS[1:4], "z": [3.0, 2.0, 1.0]}},
    "metadata": {"decomposition": "PCA", "unit": "epoch", "step_per_epoch": 32},
    "convergence_point": {"x": 0.0, "y": 0.0, "z": 0.5},
}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every kind in both dialects, each in a run."""
    logs = tmp_path_factory.mktemp("recorded")
    for dialect in DIALECTS:
        with SummaryRecord(logs / dialect, dialect=dialect) as record:
            for step, number in zip(STEPS, NUMBERS, strict=True):
                for tag in TAGS:
                    record.add_value("scalar", tag, number)
                record.record(step, wall_time=1e9 + step % 1000)
        with SummaryRecord(logs / f"{dialect}_payloads", dialect=dialect) as record:
            for step in (3, 2**40):
                record.add_value("image", "picture", IMAGE)
                record.add_value("image", "encoded ü", _jpeg())
                for name, array in TENSORS.items():
                    record.add_value("tensor", name, array)
                for name, values in HISTOGRAMS.items():
                    record.add_value("histogram", name, values)
                record.record(step, wall_time=5.5)
        with SummaryRecord(logs / f"{dialect}_facts", dialect=dialect) as record:
            record.add_value("scalar", "loss", 1.0)
            record.add_value("graph", "graph", NODES)
            record.add_value("train_lineage", "train", TRAINED)
            record.add_value("custom_lineage_data", "custom", CUSTOM)
            record.add_value("dataset_graph", "data", PIPELINE)
            record.add_value("loss_landscape", "landscape_[1, 3]", LANDSCAPE)
            record.record(0)
            record.add_value("eval_lineage", "eval", TESTED)
            record.record(4)
        with SummaryRecord(logs / f"{dialect}_hparams", dialect=dialect) as record:
            record.add_value("scalar", "loss", 1.0)
            record.add_value("hparams", "hparams", {"lr": 0.5, "opt": "sgd", "nesterov": True})
            record.record(0)
    return logs


def _jpeg() -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(IMAGE).save(buffer, "JPEG")
    return buffer.getvalue()


def _expected_scalars() -> dict[str, list[list[Any]]]:
    with np.errstate(over="ignore"):
        rows = [
            [step, float(1e9 + step % 1000).hex(), float(np.float32(number)).hex()]
            for step, number in zip(STEPS, NUMBERS, strict=True)
        ]
    return dict.fromkeys(TAGS, rows)


def test_scalars(recorded: Path, tensorboard: Oracle, mindinsight: Oracle, insight: Oracle) -> None:
    assert tensorboard(recorded)["tensorboard"] == _expected_scalars()
    assert mindinsight(recorded, "read")["mindspore"] == _expected_scalars()
    ours = insight(recorded)
    assert ours["tensorboard"] == ours["mindspore"] == _expected_scalars()


def _expected(dialect: Dialect) -> dict[str, dict[str, Any]]:
    encoded = _jpeg()
    with np.errstate(over="ignore"):
        tensors = {
            name: tensor_value(np.array(array, np.float32 if dialect == "mindspore" else None, order="C"))
            for name, array in TENSORS.items()
        }
    height, width, _ = IMAGE.shape
    return {
        "image": {
            "picture": image_value(width, height, [_png_of(IMAGE)]),
            "encoded ü": image_value(width, height, [encoded]),
        },
        "tensor": tensors,
    }


def _png_of(pixels: np.ndarray[Any, Any]) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()


def _values(kinds: dict[str, Any], kind: str) -> dict[str, Any]:
    """What was written twice, of each tag once."""
    found = {}
    for tag, rows in kinds[kind].items():
        assert [row[:2] for row in rows] == [[3, (5.5).hex()], [2**40, (5.5).hex()]], tag
        assert rows[0][2] == rows[1][2]
        found[tag] = rows[0][2]
    return found


@BOTH
def test_pictures_and_tensors_of_peers(
    recorded: Path, dialect: Dialect, tensorboard_payloads: Oracle, mindinsight_payloads: Oracle
) -> None:
    asked = (
        mindinsight_payloads(recorded, "read") if dialect == "mindspore" else tensorboard_payloads(recorded)
    )
    theirs = asked[f"{dialect}_payloads"]
    expected = _expected(dialect)
    assert _values(theirs, "image") == expected["image"]
    assert _values(theirs, "tensor") == expected["tensor"]


@BOTH
def test_pictures_tensors_and_histograms_here(
    recorded: Path, dialect: Dialect, tensorboard_payloads: Oracle, mindinsight_payloads: Oracle
) -> None:
    asked = (
        mindinsight_payloads(recorded, "read") if dialect == "mindspore" else tensorboard_payloads(recorded)
    )
    theirs = asked[f"{dialect}_payloads"]
    with plugins_over(recorded / f"{dialect}_payloads") as plugins:
        [ours] = plugins.payloads().values()
        expected = _expected(dialect)
        assert _values(ours, "image") == expected["image"]
        found, wanted = _values(ours, "tensor"), expected["tensor"]
        if dialect == "mindspore":  # the type is said, the values are float32
            found, wanted = ({name: value[1:] for name, value in each.items()} for each in (found, wanted))
            found = {
                name: value for name, value in found.items() if name in ("float32", "odd", "empty", "single")
            }
            wanted = {name: wanted[name] for name in found}
        assert found == wanted
        assert _values(ours, "histogram").keys() == _values(theirs, "histogram").keys() == HISTOGRAMS.keys()
        bounded = [name for name in HISTOGRAMS if name not in ("near", "equal")]
        ours_of, theirs_of = _values(ours, "histogram"), _values(theirs, "histogram")
        assert {name: ours_of[name] for name in bounded} == {name: theirs_of[name] for name in bounded}
        for name, values in HISTOGRAMS.items():
            key = next(info.key for info in plugins.data.series("histogram") if info.key.tag == name)
            decoded = decoded_histogram(plugins.data.payload("histogram", key, 0))
            finite = values[np.isfinite(values)]
            assert decoded.counts.sum() == len(finite), name
            assert (decoded.min, decoded.max) == (
                (finite.min(), finite.max()) if len(finite) else (None, None)
            )
            if dialect == "mindspore":
                odd = (decoded.nan, decoded.pos_inf, decoded.neg_inf, decoded.count)
                assert odd == (
                    np.isnan(values).sum(),
                    np.isposinf(values).sum(),
                    np.isneginf(values).sum(),
                    len(values),
                )


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


@BOTH
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


def test_texts_of_tensorboard(tmp_path: Path, tensorboard_payloads: Oracle) -> None:
    with SummaryRecord(tmp_path, dialect="tensorboard") as record:
        record.add_value("text", "notes", "größer **fett**")
        record.add_value("text", "several", ["a", ""])
        record.record(7)
    found = tensorboard_payloads(tmp_path)["."]["tensor"]
    assert found["notes"][0][2] == ["string", [1], ["größer **fett**".encode().hex()]]
    assert found["several"][0][2] == ["string", [2], [b"a".hex(), ""]]


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
