"""TensorBoard's service: values as the tensors that TensorBoard expects."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest

from insight_authoring.testing import wire
from insight_authoring.testing.tensors import TENSORFLOW_NUMBERS, mindspore_tensor
from insight_core.plugin import Dialect, Plugin
from insight_core.plugin.testing import EventWriter
from insight_core.rpc.schema import mindspore_pb2 as mindspore
from insight_core.rpc.schema import tensorboard_data_pb2 as messages
from insight_core.rpc.schema import tensorboard_pb2 as values
from tests.rpc import conftest as rpc
from tests.rpc.conftest import Connect, Load
from tests.rpc.tensorboard_client import (
    HISTOGRAM,
    histogram_value,
    matrix,
    mindspore_value,
    named,
    tensors,
)

connect, load_with = rpc.connect, rpc.load_with  # fixtures


@pytest.mark.parametrize("plugins", [(), (HISTOGRAM,)])
def test_histograms_whoever_claims_them(
    connect: Connect, load_with: Load, tmp_path: Path, plugins: tuple[Plugin, ...]
) -> None:
    rows = wire.message_field(4, np.array([[0.0, 1.0, 5.0]]).tobytes())
    shape = wire.message_field(2, wire.int_field(1, 1)) + wire.message_field(2, wire.int_field(1, 3))
    tensor = wire.int_field(1, values.DT_DOUBLE) + wire.message_field(2, shape) + rows
    with EventWriter(tmp_path / "legacy") as writer:
        writer.values(4, [histogram_value("h")])
    with EventWriter(tmp_path / "tf2") as writer:
        writer.values(4, [wire.tensor_value("h", tensor, wire.metadata("histograms"))])
    drawn = mindspore.Summary.Histogram(
        buckets=[mindspore.Summary.Histogram.Bucket(left=-1.0, width=0.5, count=7)]
    )
    with EventWriter(tmp_path / "ms", Dialect.MINDSPORE) as writer:
        writer.values(4, [mindspore_value("h", 9, drawn)])
    client = connect(load_with(*plugins))
    found = tensors(client, "histograms")
    assert {run: list(data.step) for (run, _), data in found.items()} == {
        "legacy": [4],
        "tf2": [4],
        "ms": [4],
    }
    assert {run: matrix(data.value[0]) for (run, _), data in found.items()} == {
        "legacy": [[-0.5, 0.0, 1.0], [0.0, 1.0, 2.0], [1.0, 3.5, 3.0]],
        "tf2": [[0.0, 1.0, 5.0]],
        "ms": [[-1.0, -0.5, 7.0]],
    }
    listed = client.tensorboard.ListTensors(messages.ListTensorsRequest(plugin_filter=named("histograms")))
    for run in listed.runs:
        assert run.tags[0].metadata.summary_metadata.data_class == values.DATA_CLASS_TENSOR
    plugins_ = client.tensorboard.ListPlugins(messages.ListPluginsRequest()).plugins
    assert [plugin.name for plugin in plugins_] == ["histograms"]


def test_a_tag_that_two_writers_fill_in_different_forms(
    connect: Connect, load_with: Load, tmp_path: Path
) -> None:
    with EventWriter(tmp_path / "r", start_time=100.0) as writer:
        writer.values(2, [histogram_value("h")])
        writer.values(6, [histogram_value("h")])
    null = wire.int_field(1, values.DT_DOUBLE) + wire.message_field(2, b"")
    with EventWriter(tmp_path / "r", start_time=200.0) as writer:
        writer.values(4, [wire.tensor_value("h", null, wire.metadata("histograms"))])
    client = connect(load_with())
    [data] = tensors(client, "histograms").values()
    assert list(data.step) == [2, 4, 6]
    assert [len(tensor.tensor_content) for tensor in data.value] == [72, 0, 72]
    listed = client.tensorboard.ListTensors(messages.ListTensorsRequest(plugin_filter=named("histograms")))
    [metadata] = [tag.metadata for run in listed.runs for tag in run.tags]
    assert (metadata.max_step, metadata.max_wall_time) == (6, 204.0)


def test_values_in_metadata_alone(connect: Connect, load_with: Load, tmp_path: Path) -> None:
    content = wire.message_field(1, wire.message_field(1, b"hparams") + wire.message_field(2, b"\x12\x00"))
    with EventWriter(tmp_path / "r") as writer:
        writer.values(0, [wire.message_field(1, b"_hparams_/experiment") + wire.message_field(9, content)])
    client = connect(load_with())
    [data] = tensors(client, "hparams").values()
    assert (data.value[0].dtype, [dim.size for dim in data.value[0].tensor_shape.dim]) == (
        values.DT_FLOAT,
        [0],
    )
    listed = client.tensorboard.ListTensors(messages.ListTensorsRequest(plugin_filter=named("hparams")))
    assert listed.runs[0].tags[0].metadata.summary_metadata.plugin_data.content == b"\x12\x00"


def test_text_comes_as_it_was_written(connect: Connect, load_with: Load, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "r") as writer:
        writer.text("t", 3, "# hi")
    [data] = tensors(connect(load_with()), "text").values()
    assert list(data.value[0].string_val) == [b"# hi"]


def test_mindspore_tensors(
    connect: Connect, load_with: Load, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with EventWriter(tmp_path / "r", Dialect.MINDSPORE) as writer:
        for step, dims in enumerate(([2, 2], [5])):
            tensor = mindspore.TensorProto(dims=dims, data_type=11, float_data=[1, 2, 3, 4])
            writer.values(step, [mindspore_value("t", 8, tensor)])
    with caplog.at_level(logging.WARNING, "insight_core.rpc"):
        [data] = tensors(connect(load_with()), "tensor").values()
    [tensor_] = data.value
    assert (tensor_.dtype, [dim.size for dim in tensor_.tensor_shape.dim]) == (values.DT_FLOAT, [2, 2])
    assert np.frombuffer(tensor_.tensor_content, "<f4").tolist() == [1.0, 2.0, 3.0, 4.0]
    assert "t of run r, step 1: the tensor has 4 values for the shape [5]" in caplog.text


@pytest.mark.parametrize("name", ["float64", "int8", "uint64", "bool", "float16"])
def test_a_writer_that_keeps_mindspore_s_types(
    connect: Connect, load_with: Load, tmp_path: Path, name: str
) -> None:
    numbers = np.array([[0, 1, 1]], name)
    with EventWriter(tmp_path / "r", Dialect.MINDSPORE) as writer:
        writer.values(0, [wire.tensor_value("t", mindspore_tensor(numbers, raw=True))])
    [data] = tensors(connect(load_with()), "tensor").values()
    assert data.value[0].dtype == TENSORFLOW_NUMBERS[name]
    assert [dim.size for dim in data.value[0].tensor_shape.dim] == [1, 3]
    assert data.value[0].tensor_content == numbers.tobytes()


def test_a_value_that_cannot_be_read_is_left_out_and_the_log_says_so(
    connect: Connect, load_with: Load, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with EventWriter(tmp_path / "r") as writer:
        writer.values(1, [wire.message_field(1, b"h") + wire.message_field(5, b"\xff\xff")])
        writer.values(2, [histogram_value("h")])
    with caplog.at_level(logging.WARNING, "insight_core.rpc"):
        [data] = tensors(connect(load_with()), "histograms").values()
    assert list(data.step) == [2]
    assert "h of run r, step 1: a varint does not end" in caplog.text
