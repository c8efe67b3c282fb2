"""TensorBoard's service over a data provider: migration, filters, downsampling, blobs, growth."""

from __future__ import annotations

import logging
from pathlib import Path

import grpc
import numpy as np
import pytest

from insight_core.api import Dialect, EventField, Plugin, RecordDecoder, SummaryPlugin
from insight_core.proto import mindspore_pb2 as mindspore
from insight_core.proto import tensorboard_data_pb2 as messages
from insight_core.proto import tensorboard_pb2 as values
from insight_core.server import tensorboard_service
from insight_core.server.blob_key import BlobKey
from insight_core.testing import EventWriter, wire
from insight_core.testing.fake import FakeProvider
from insight_core.testing.tensors import TENSORFLOW_TYPES, mindspore_tensor
from tests.server.conftest import Client, Connect, Load

HISTOGRAM = Plugin(
    name="histogram",
    title="Histograms",
    decoder=RecordDecoder(
        claims={
            EventField(Dialect.TENSORBOARD, "histo"),
            EventField(Dialect.MINDSPORE, "histogram"),
            SummaryPlugin("histograms"),
        }
    ),
)


def named(plugin: str) -> messages.PluginFilter:
    return messages.PluginFilter(plugin_name=plugin)


def chosen(runs: list[str] | None = None, tags: list[str] | None = None) -> messages.RunTagFilter:
    return messages.RunTagFilter(
        runs=None if runs is None else messages.RunFilter(names=runs),
        tags=None if tags is None else messages.TagFilter(names=tags),
    )


def scalars(client: Client, limit: int = 10**6) -> dict[tuple[str, str], messages.ScalarData]:
    request = messages.ReadScalarsRequest(
        plugin_filter=named("scalars"), downsample=messages.Downsample(num_points=limit)
    )
    answer = client.tensorboard.ReadScalars(request)
    return {(run.run_name, tag.tag_name): tag.data for run in answer.runs for tag in run.tags}


def tensors(client: Client, plugin: str) -> dict[tuple[str, str], messages.TensorData]:
    request = messages.ReadTensorsRequest(
        plugin_filter=named(plugin), downsample=messages.Downsample(num_points=10**6)
    )
    answer = client.tensorboard.ReadTensors(request)
    return {(run.run_name, tag.tag_name): tag.data for run in answer.runs for tag in run.tags}


def blobs(client: Client, plugin: str) -> dict[tuple[str, str], list[tuple[int, list[bytes]]]]:
    request = messages.ReadBlobSequencesRequest(
        plugin_filter=named(plugin), downsample=messages.Downsample(num_points=10**6)
    )
    answer = client.tensorboard.ReadBlobSequences(request)
    return {
        (run.run_name, tag.tag_name): [
            (step, [blob(client, reference.blob_key) for reference in value.blob_refs])
            for step, value in zip(tag.data.step, tag.data.values, strict=True)
        ]
        for run in answer.runs
        for tag in run.tags
    }


def blob(client: Client, key: str) -> bytes:
    request = messages.ReadBlobRequest(blob_key=key)
    return b"".join(part.data for part in client.tensorboard.ReadBlob(request))


def matrix(tensor: values.TensorProto) -> list[list[float]]:
    assert tensor.dtype == values.DT_DOUBLE
    shape = [dim.size for dim in tensor.tensor_shape.dim]
    rows: list[list[float]] = np.frombuffer(tensor.tensor_content, "<f8").reshape(shape).tolist()
    return rows


def histogram_value(tag: str) -> bytes:
    histogram = values.HistogramProto(min=-0.5, max=3.5, num=6, bucket_limit=[0, 1, 9], bucket=[1, 2, 3])
    return wire.message_field(1, tag.encode()) + wire.message_field(5, histogram.SerializeToString())


def mindspore_value(tag: str, number: int, message: object) -> bytes:
    assert hasattr(message, "SerializeToString")
    return wire.message_field(1, tag.encode()) + wire.message_field(number, message.SerializeToString())


# --- what is there ---------------------------------------------------------------------------------


def test_runs_by_their_begin_and_only_those_with_events(
    connect: Connect, load_with: Load, tmp_path: Path
) -> None:
    for run, start in (("a", 300.0), ("b", 100.0), ("c", 200.0)):
        with EventWriter(tmp_path / run, start_time=start) as writer:
            writer.scalar("x", 1, 1.0)
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty/events.out.tfevents.1").touch()
    client = connect(load_with())
    listed = client.tensorboard.ListRuns(messages.ListRunsRequest(experiment_id="anything")).runs
    assert [(run.name, run.start_time) for run in listed] == [("b", 100.0), ("c", 200.0), ("a", 300.0)]
    experiment = client.tensorboard.GetExperiment(messages.GetExperimentRequest())
    assert experiment.data_location == str(tmp_path)
    assert not experiment.HasField("creation_time")


def test_metadata_of_a_scalar(connect: Connect, load_with: Load, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "r", start_time=1000.0) as writer:
        for step in (3, 7):
            writer.scalars_tf2("acc", step, 0.5, display_name="Accuracy", description="of validation")
    client = connect(load_with())
    answer = client.tensorboard.ListScalars(messages.ListScalarsRequest(plugin_filter=named("scalars")))
    [run] = answer.runs
    [tag] = run.tags
    assert (run.run_name, tag.tag_name) == ("r", "acc")
    assert (tag.metadata.max_step, tag.metadata.max_wall_time) == (7, 1007.0)
    summary = tag.metadata.summary_metadata
    assert (summary.display_name, summary.summary_description) == ("Accuracy", "of validation")
    assert (summary.plugin_data.plugin_name, summary.data_class) == ("scalars", values.DATA_CLASS_SCALAR)
    for empty in (messages.ListTensorsRequest, messages.ListBlobSequencesRequest):
        call = getattr(client.tensorboard, empty.__name__.removesuffix("Request"))
        assert not call(empty(plugin_filter=named("scalars"))).runs


def test_filters_absent_empty_and_unknown(connect: Connect, load_with: Load, tmp_path: Path) -> None:
    for run in ("a", "b"):
        with EventWriter(tmp_path / run) as writer:
            for tag in ("x", "y"):
                writer.scalar(tag, 0, 1.0)
    client = connect(load_with())

    def found(chosen_: messages.RunTagFilter | None) -> dict[str, list[str]]:
        request = messages.ReadScalarsRequest(
            plugin_filter=named("scalars"),
            run_tag_filter=chosen_,
            downsample=messages.Downsample(num_points=9),
        )
        answer = client.tensorboard.ReadScalars(request)
        return {run.run_name: [tag.tag_name for tag in run.tags] for run in answer.runs}

    assert found(None) == found(chosen()) == {"a": ["x", "y"], "b": ["x", "y"]}
    assert found(chosen(["b"], None)) == {"b": ["x", "y"]}
    assert found(chosen(["b", "b", "nothing"], ["y", "nothing"])) == {"b": ["y"]}
    assert found(chosen([], None)) == found(chosen(None, [])) == found(chosen(["nothing"], None)) == {}


@pytest.mark.parametrize(
    ("call", "request_", "text"),
    [
        ("ListScalars", messages.ListScalarsRequest(), "must specify non-empty plugin name"),
        ("ReadTensors", messages.ReadTensorsRequest(), "must specify non-empty plugin name"),
        (
            "ReadBlobSequences",
            messages.ReadBlobSequencesRequest(plugin_filter=named("images")),
            "must specify downsample",
        ),
        (
            "ReadScalars",
            messages.ReadScalarsRequest(
                plugin_filter=named("scalars"), downsample=messages.Downsample(num_points=-1)
            ),
            "num_points must be non-negative; got -1",
        ),
    ],
)
def test_requests_that_make_no_sense(
    connect: Connect, load_with: Load, call: str, request_: object, text: str
) -> None:
    client = connect(load_with())
    with pytest.raises(grpc.RpcError) as caught:
        getattr(client.tensorboard, call)(request_)
    assert (caught.value.code(), caught.value.details()) == (grpc.StatusCode.INVALID_ARGUMENT, text)


# --- numbers ---------------------------------------------------------------------------------------


def test_every_number_of_both_dialects(connect: Connect, load_with: Load, tmp_path: Path) -> None:
    steps = [-3, 0, 127, 128, 2**31, 2**62]
    numbers = [1.5, float("nan"), float("inf"), float("-inf"), 1e-45, -3.4e38]
    for dialect in Dialect:
        with EventWriter(tmp_path / dialect, dialect, start_time=1.0) as writer:
            for step, number in zip(steps, numbers, strict=True):
                writer.scalar("x", step, number, wall_time=10.0 + step % 7)
    client = connect(load_with())
    for dialect in Dialect:
        data = scalars(client)[dialect, "x"]
        assert list(data.step) == steps
        assert list(data.wall_time) == [10.0 + step % 7 for step in steps]
        np.testing.assert_array_equal(np.array(data.value, np.float32), np.array(numbers, np.float32))


def test_doubles_become_floats(connect: Connect, load_with: Load, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "r") as writer:
        for step, number in enumerate((0.1, 1e300)):
            writer.scalars_tf2("x", step, number, double=True)
    data = scalars(connect(load_with()))["r", "x"]
    assert list(data.value) == [float(np.float32(0.1)), float("inf")]


def test_downsampling_keeps_the_last_and_the_same_of_all(
    connect: Connect, load_with: Load, tmp_path: Path
) -> None:
    with EventWriter(tmp_path / "r") as writer:
        writer.scalar_block(["x", "y"], np.arange(1000), np.zeros((1000, 2)))
    client = connect(load_with())
    for limit in (1, 2, 100, 999):
        data = scalars(client, limit)
        steps = list(data["r", "x"].step)
        assert len(steps) == limit
        assert steps[-1] == 999
        assert steps == sorted(set(steps))
        assert list(data["r", "y"].step) == steps == list(scalars(client, limit)["r", "x"].step)
    assert len(scalars(client, 1000)["r", "x"].step) == 1000
    empty = scalars(client, 0)["r", "x"]
    assert (list(empty.step), list(empty.wall_time), list(empty.value)) == ([], [], [])


def test_a_restart_hides_what_was_written_before_it(
    connect: Connect, load_with: Load, tmp_path: Path
) -> None:
    with EventWriter(tmp_path / "r") as writer:
        for step, number in ((0, 0.0), (1, 1.0), (2, 2.0), (3, 3.0), (2, 20.0), (3, 30.0)):
            writer.scalar("x", step, number)
            writer.values(step, [histogram_value("h")])
    client = connect(load_with())
    assert list(scalars(client)["r", "x"].value) == [0.0, 1.0, 20.0, 30.0]
    assert list(tensors(client, "histograms")["r", "h"].step) == [0, 1, 2, 3]


def test_what_is_written_later_is_answered_later(connect: Connect, load_with: Load, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "a", start_time=100.0) as writer:
        writer.scalar("x", 1, 1.0)
    provider = load_with()
    client = connect(provider)
    listing = messages.ListScalarsRequest(plugin_filter=named("scalars"))
    assert client.tensorboard.ListScalars(listing).runs[0].tags[0].metadata.max_step == 1
    with EventWriter(tmp_path / "a", start_time=200.0) as writer:
        writer.scalar("x", 2, 2.0)
        writer.scalar("new", 2, 2.0)
        writer.values(5, [histogram_value("h")])
    provider.load()
    [run] = client.tensorboard.ListScalars(listing).runs
    assert {tag.tag_name: (tag.metadata.max_step, tag.metadata.max_wall_time) for tag in run.tags} == {
        "x": (2, 202.0),
        "new": (2, 202.0),
    }
    assert list(tensors(client, "histograms")["a", "h"].step) == [5]
    for path in (tmp_path / "a").iterdir():
        path.unlink()
    (tmp_path / "a").rmdir()
    provider.load()
    assert not client.tensorboard.ListScalars(listing).runs


@pytest.mark.parametrize("restarted", [True, False])
def test_a_list_says_where_each_series_ends_without_reading_it(
    connect: Connect, load_with: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, restarted: bool
) -> None:
    with EventWriter(tmp_path / "r", start_time=100.0) as writer:
        for step in (5, 9, 6, 7) if restarted else (5, 7):  # the attempt that begins at 6 hides 9
            writer.scalar("x", step, 1.0)
            writer.values(step, [histogram_value("h")])
    provider = load_with()

    def unasked(*_: object) -> None:
        raise AssertionError("a list needs no points")

    for name in ("scalars", "records", "payload"):
        monkeypatch.setattr(provider, name, unasked)
    client = connect(provider)
    numbers = client.tensorboard.ListScalars(messages.ListScalarsRequest(plugin_filter=named("scalars")))
    tensors = client.tensorboard.ListTensors(messages.ListTensorsRequest(plugin_filter=named("histograms")))
    for answer in (numbers, tensors):
        [metadata] = [tag.metadata for run in answer.runs for tag in run.tags]
        assert (metadata.max_step, metadata.max_wall_time) == (7, 107.0)


# --- tensors ---------------------------------------------------------------------------------------


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
    with caplog.at_level(logging.WARNING, "insight_core.server"):
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
    assert data.value[0].dtype == TENSORFLOW_TYPES[name]
    assert [dim.size for dim in data.value[0].tensor_shape.dim] == [1, 3]
    assert data.value[0].tensor_content == numbers.tobytes()


def test_a_value_that_cannot_be_read_is_left_out_and_the_log_says_so(
    connect: Connect, load_with: Load, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with EventWriter(tmp_path / "r") as writer:
        writer.values(1, [wire.message_field(1, b"h") + wire.message_field(5, b"\xff\xff")])
        writer.values(2, [histogram_value("h")])
    with caplog.at_level(logging.WARNING, "insight_core.server"):
        [data] = tensors(connect(load_with()), "histograms").values()
    assert list(data.step) == [2]
    assert "h of run r, step 1: a varint does not end" in caplog.text


# --- blobs -----------------------------------------------------------------------------------------


def test_images_of_both_dialects(connect: Connect, load_with: Load, tmp_path: Path) -> None:
    for dialect in Dialect:
        with EventWriter(tmp_path / dialect, dialect) as writer:
            for step in range(2):
                writer.image("i", step, b"PNG %d" % step, width=4, height=3)
    client = connect(load_with())
    expected = [(step, [b"4", b"3", b"PNG %d" % step]) for step in range(2)]
    assert blobs(client, "images") == {(dialect, "i"): expected for dialect in Dialect}
    listing = messages.ListBlobSequencesRequest(plugin_filter=named("images"))
    for run in client.tensorboard.ListBlobSequences(listing).runs:
        metadata = run.tags[0].metadata
        assert (metadata.max_step, metadata.max_length) == (1, 3)
        assert metadata.summary_metadata.plugin_data.content == b"\x10\x01"


def image_tensor(count: int) -> bytes:
    return wire.text_tensor([b"4", b"3", *(b"PNG %d" % number for number in range(count))])


def test_the_longest_image_batch_is_found_as_the_series_grows(
    connect: Connect, load_with: Load, tmp_path: Path
) -> None:
    first = wire.metadata("images")
    with EventWriter(tmp_path / "r", start_time=100.0) as writer:
        writer.values(0, [wire.tensor_value("i", image_tensor(2), first)])
        writer.values(1, [wire.tensor_value("i", image_tensor(1))])
    provider = load_with()
    client = connect(provider)
    listing = messages.ListBlobSequencesRequest(plugin_filter=named("images"))

    def longest() -> int:
        [run] = client.tensorboard.ListBlobSequences(listing).runs
        return run.tags[0].metadata.max_length

    assert longest() == 4
    with EventWriter(tmp_path / "r", start_time=200.0) as writer:
        writer.values(2, [wire.tensor_value("i", image_tensor(5))])
    provider.load()
    assert longest() == 7
    [sequence] = blobs(client, "images").values()
    assert [(step, len(of_step)) for step, of_step in sequence] == [(0, 4), (1, 3), (2, 7)]


def test_audio_of_both_forms(connect: Connect, load_with: Load, tmp_path: Path) -> None:
    audio = values.Summary.Audio(encoded_audio_string=b"RIFF", content_type="audio/wav")
    pairs = wire.message_field(2, wire.message_field(2, wire.int_field(1, 2)) * 2)
    tensor = wire.int_field(1, values.DT_STRING) + pairs
    tensor += b"".join(wire.message_field(8, text) for text in (b"RIFF0", b"label", b"RIFF1", b"label"))
    with EventWriter(tmp_path / "legacy") as writer:
        writer.values(0, [wire.message_field(1, b"a") + wire.message_field(6, audio.SerializeToString())])
    with EventWriter(tmp_path / "tf2") as writer:
        writer.values(0, [wire.tensor_value("a", tensor, wire.metadata("audio"))])
    client = connect(load_with())
    assert blobs(client, "audio") == {
        ("legacy", "a"): [(0, [b"RIFF"])],
        ("tf2", "a"): [(0, [b"RIFF0", b"RIFF1"])],
    }
    listing = messages.ListBlobSequencesRequest(plugin_filter=named("audio"))
    legacy = client.tensorboard.ListBlobSequences(listing).runs[0].tags[0].metadata
    assert legacy.summary_metadata.plugin_data.content == b"\x10\x0b\x18\x01"  # WAV, a blob sequence


def test_a_first_sound_that_cannot_be_read_hides_no_other(
    connect: Connect, load_with: Load, tmp_path: Path
) -> None:
    audio = values.Summary.Audio(encoded_audio_string=b"RIFF", content_type="audio/wav")
    with EventWriter(tmp_path / "r") as writer:
        for step, message in enumerate((b"\xff\xff", audio.SerializeToString())):
            writer.values(step, [wire.message_field(1, b"a") + wire.message_field(6, message)])
    client = connect(load_with())
    listing = messages.ListBlobSequencesRequest(plugin_filter=named("audio"))
    [run] = client.tensorboard.ListBlobSequences(listing).runs
    assert run.tags[0].metadata.max_step == 1
    reading = messages.ReadBlobSequencesRequest(
        plugin_filter=named("audio"), downsample=messages.Downsample(num_points=9)
    )
    [run_] = client.tensorboard.ReadBlobSequences(reading).runs
    first, second = (value.blob_refs[0].blob_key for value in run_.tags[0].data.values)
    with pytest.raises(grpc.RpcError) as caught:
        blob(client, first)
    assert caught.value.code() is grpc.StatusCode.NOT_FOUND
    assert blob(client, second) == b"RIFF"


def test_graphs_and_run_metadata(connect: Connect, load_with: Load, tmp_path: Path) -> None:
    keras = wire.tensor_value("keras", wire.text_tensor([b"{}"], rank=0), wire.metadata("graph_keras_model"))
    with EventWriter(tmp_path / "r") as writer:
        writer.event(wire.event(0, 1.0, wire.message_field(4, b"\x0a\x00")))
        tagged = wire.message_field(1, b"step1") + wire.message_field(2, b"\x0a\x01x")
        writer.event(wire.event(1, 2.0, wire.message_field(8, tagged)))
        writer.values(0, [keras])
    client = connect(load_with())
    assert blobs(client, "graphs") == {("r", "__run_graph__"): [(0, [b"\x0a\x00"])]}
    assert blobs(client, "graph_tagged_run_metadata") == {("r", "step1"): [(1, [b"\x0a\x01x"])]}
    assert blobs(client, "graph_keras_model") == {("r", "keras"): [(0, [b"{}"])]}


def test_values_of_one_step_have_keys_of_their_own(connect: Connect, load_with: Load, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "r") as writer:
        for number in range(3):
            writer.image("i", 5, b"PNG %d" % number, width=1, height=1)
    [sequence] = blobs(connect(load_with()), "images").values()
    assert [of_step[2] for _, of_step in sequence] == [b"PNG 0", b"PNG 1", b"PNG 2"]


def test_a_large_blob_comes_in_pieces_and_an_empty_one_in_none(connect: Connect) -> None:
    claim = EventField(Dialect.TENSORBOARD, "graph_def")
    large = bytes(17 << 20) + b"end"
    provider = FakeProvider()
    provider.add_records("tensorboard:graph_def", "r", "__run_graph__", [large, b""], claim=claim)
    client = connect(provider)
    request = messages.ReadBlobSequencesRequest(
        plugin_filter=named("graphs"), downsample=messages.Downsample(num_points=9)
    )
    [run] = client.tensorboard.ReadBlobSequences(request).runs
    first, second = (value.blob_refs[0].blob_key for value in run.tags[0].data.values)
    pieces = list(client.tensorboard.ReadBlob(messages.ReadBlobRequest(blob_key=first)))
    assert [len(piece.data) for piece in pieces] == [8 << 20, 8 << 20, (1 << 20) + 3]
    assert b"".join(piece.data for piece in pieces) == large
    assert list(client.tensorboard.ReadBlob(messages.ReadBlobRequest(blob_key=second))) == []


@pytest.mark.parametrize(
    ("key", "code", "text"),
    [
        ("!", grpc.StatusCode.INVALID_ARGUMENT, "failed to parse blob key"),
        ("", grpc.StatusCode.INVALID_ARGUMENT, "failed to parse blob key"),
        ("e30", grpc.StatusCode.INVALID_ARGUMENT, "failed to parse blob key"),
        ("WyIiLCJ0cmFpbiIsImltZyIsMCwyXQ", grpc.StatusCode.INVALID_ARGUMENT, "failed to parse blob key"),
        (BlobKey("images", "nope", "i", 0, 0, 0).encode(), grpc.StatusCode.NOT_FOUND, 'no such run: "nope"'),
        (
            BlobKey("images", "r", "t", 0, 0, 0).encode(),
            grpc.StatusCode.NOT_FOUND,
            'run "r" has no such tag: "t"',
        ),
        (
            BlobKey("images", "r", "i", 99, 0, 0).encode(),
            grpc.StatusCode.NOT_FOUND,
            'run "r", tag "i" has no step 99; may have been evicted',
        ),
        (
            BlobKey("images", "r", "i", 5, 1, 0).encode(),
            grpc.StatusCode.NOT_FOUND,
            'run "r", tag "i" has no step 5; may have been evicted',
        ),
        (
            BlobKey("images", "r", "i", 5, -1, 0).encode(),
            grpc.StatusCode.NOT_FOUND,
            'run "r", tag "i" has no step 5; may have been evicted',
        ),
        (
            BlobKey("images", "r", "i", 5, 0, 9).encode(),
            grpc.StatusCode.NOT_FOUND,
            'blob sequence at run "r", tag "i", step 5 has no index 9 (length: 3)',
        ),
        (
            BlobKey("images", "r", "i", 2**70, 0, 0).encode(),
            grpc.StatusCode.NOT_FOUND,
            f'run "r", tag "i" has no step {2**70}; may have been evicted',
        ),
    ],
)
def test_blob_keys_that_lead_nowhere(
    connect: Connect, load_with: Load, tmp_path: Path, key: str, code: grpc.StatusCode, text: str
) -> None:
    with EventWriter(tmp_path / "r") as writer:
        writer.image("i", 5, b"PNG", width=1, height=1)
    client = connect(load_with())
    with pytest.raises(grpc.RpcError) as caught:
        blob(client, key)
    assert caught.value.code() is code
    assert text in str(caught.value.details())


def test_an_answer_that_would_be_too_long_is_refused(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tensorboard_service, "LARGEST_MESSAGE", 1 << 20)
    provider = FakeProvider()
    tensor = wire.text_tensor([bytes(1 << 18)])
    provider.add_records("plugin:text", "r", "t", [tensor] * 5, claim=SummaryPlugin("text"))
    with pytest.raises(grpc.RpcError) as caught:
        tensors(connect(provider), "text")
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert caught.value.details() == "the answer is longer than 256 MiB: ask for fewer runs, tags or points"
