"""Every kind of value in both dialects, as ``SummaryRecord`` writes it, for tests to read back."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, Literal

import numpy as np
from PIL import Image

from insight_record import SummaryRecord

Dialect = Literal["mindspore", "tensorboard"]
DIALECTS: tuple[Dialect, ...] = ("mindspore", "tensorboard")

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


def write_everything(logs: Path) -> None:
    """Each kind in a run of each dialect."""
    for dialect in DIALECTS:
        with SummaryRecord(logs / dialect, dialect=dialect) as record:
            for step, number in zip(STEPS, NUMBERS, strict=True):
                for tag in TAGS:
                    record.add_value("scalar", tag, number)
                record.record(step, wall_time=1e9 + step % 1000)
        with SummaryRecord(logs / f"{dialect}_payloads", dialect=dialect) as record:
            for step in (3, 2**40):
                record.add_value("image", "picture", IMAGE)
                record.add_value("image", "encoded ü", jpeg())
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


def jpeg() -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(IMAGE).save(buffer, "JPEG")
    return buffer.getvalue()
