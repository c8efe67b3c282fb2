"""Run by the Python of an environment with MindInsight: lineage files with its own messages.

Two evaluations, training again after an evaluation, what the user added in several types and levels, a
pipeline with branches, samplers and weighted operations, negative and large numbers, metrics of all types.
"""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path
from typing import Any

from mindinsight.datavisual.proto_files.mindinsight_lineage_pb2 import (  # type: ignore[import-not-found]
    DatasetGraph,
    LineageEvent,
    UserDefinedInfo,
)


def _write(directory: Path, second: int, *events: Any) -> None:  # noqa: ANN401
    directory.mkdir(parents=True, exist_ok=True)
    with open(directory / f"events.out.events.summary.{second}.0.host_lineage", "wb") as file:
        for event in events:
            data = event.SerializeToString()
            length = struct.pack("<Q", len(data))
            file.write(length + _checksum(length) + data + _checksum(data))
    (directory / "events.out.events.summary.1.0.host_MS").touch()


def _checksum(data: bytes) -> bytes:
    """Masked CRC-32C, as MindSpore writes it and MindInsight does not look at."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ 0x82F63B78 * (crc & 1)
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def _trained(**changed: Any) -> Any:  # noqa: ANN401
    event = LineageEvent(wall_time=1.0)
    train = event.train_lineage
    values = {
        "hyper_parameters.optimizer": "Adam",
        "hyper_parameters.learning_rate": 0.1,
        "hyper_parameters.loss_function": "L1",
        "hyper_parameters.epoch": 7,
        "hyper_parameters.batch_size": 3,
        "hyper_parameters.device_num": 1,
        "train_dataset.train_dataset_path": "/data/训练",
        "train_dataset.train_dataset_size": 99,
        "algorithm.network": "Net",
        "algorithm.loss": 1e-7,
        "model.path": "{}",
        "model.size": 1 << 40,
        **{name.replace("__", "."): value for name, value in changed.items()},
    }
    for name, value in values.items():
        part, _, field = name.partition(".")
        setattr(getattr(train, part), field, value)
    return event


def _evaluated(metric: object, path: str | None = None) -> Any:  # noqa: ANN401
    event = LineageEvent(wall_time=2.0)
    event.evaluation_lineage.metric = json.dumps(metric)
    if path is not None:
        event.evaluation_lineage.valid_dataset.valid_dataset_path = path
        event.evaluation_lineage.valid_dataset.valid_dataset_size = 0
    return event


def _added(**values: object) -> Any:  # noqa: ANN401
    event = LineageEvent(wall_time=3.0)
    _add(event.user_defined_info, values)
    return event


def _add(info: Any, values: dict[str, object]) -> None:  # noqa: ANN401
    for key, value in values.items():
        item = info.user_info.add()
        if isinstance(value, dict):
            inner = UserDefinedInfo()
            _add(inner, value)
            item.map_dict[key].CopyFrom(inner)
        elif isinstance(value, int):
            item.map_int32[key] = value
        elif isinstance(value, float):
            item.map_double[key] = value
        else:
            item.map_str[key] = str(value)


def _piped(batch: int) -> Any:  # noqa: ANN401
    event = LineageEvent(wall_time=4.0)
    graph = event.dataset_graph
    graph.parameter.mapStr["op_type"] = "Zip"
    for number in range(2):
        child = graph.children.add()
        child.parameter.mapStr["op_type"] = "Batch"
        child.parameter.mapInt["batch_size"] = batch + number
        child.parameter.mapDouble["rate"] = 0.125
        child.parameter.mapBool["drop"] = bool(number)
        child.parameter.mapStrList["columns"].strValue.extend(["a", "", "b"])
        source = child.children.add()
        source.parameter.mapStr["op_type"] = "Mnist"
        source.parameter.mapStr["dataset_dir"] = "None"
        source.sampler.operationParam.mapStr["sampler_name"] = "RandomSampler"
        source.sampler.operationParam.mapBool["replacement"] = False
    operation = graph.operations.add()
    operation.operationParam.mapStr["tensor_op_name"] = "Resize"
    operation.size.extend([3, -4])
    weighted = graph.operations.add()
    weighted.operationParam.mapStr["tensor_op_name"] = "Choice"
    weighted.weights.extend([0.5, 0.25])
    assert isinstance(graph, DatasetGraph)
    return event


def main() -> None:
    root = Path(sys.argv[1])
    metrics = {"acc": 0.5, "count": 3, "name": "x", "per class": [0.1, 0.2], "yes": True}
    _write(root / "evaluated_twice", 100, _trained(), _piped(1), _added(a="x", b=1, c=-0.5))
    _write(root / "evaluated_twice", 200, _evaluated(metrics, "/test"))
    _write(
        root / "evaluated_twice", 300, _evaluated({"acc": 0.75}, "/test2"), _added(b=-7, d={"e": {"f": 2}})
    )
    _write(root / "all_types", 100, _trained(), _evaluated(metrics, "/test"))
    _write(root / "trained_again", 100, _trained(), _added(a="old"))
    _write(root / "trained_again", 200, _evaluated(metrics, "/test"))
    _write(root / "trained_again", 300, _trained(hyper_parameters__epoch=-2, algorithm__loss=3.25))
    _write(root / "piped_again", 9, _trained(), _evaluated({"acc": 1}))
    _write(root / "piped_again", 10, _piped(1), _added(only=1))
    _write(root / "evaluated_only", 100, _evaluated({"acc": 0.25, "count": 2.5}))
    _write(root / "twice_in_a_file", 5, _trained(hyper_parameters__epoch=1), _trained(), _piped(2), _piped(1))


if __name__ == "__main__":
    main()
