"""TensorBoard's service: images, sounds and graphs as blobs, by key and in pieces."""

from __future__ import annotations

import base64
from pathlib import Path

import grpc
import pytest
from insight_tensorboard.view.records import BlobKey

from insight_authoring.testing import wire
from insight_core.plugin import Dialect, EventField, SummaryPlugin
from insight_core.plugin.testing import EventWriter, FakeProvider
from insight_core.rpc.schema import services
from insight_core.rpc.schema import tensorboard_data_pb2 as messages
from insight_core.rpc.schema import tensorboard_pb2 as values
from tests.rpc import conftest as rpc
from tests.rpc.conftest import Connect, Load
from tests.rpc.tensorboard_client import blob, blobs, named, tensors

connect, load_with = rpc.connect, rpc.load_with  # fixtures


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
        return int(run.tags[0].metadata.max_length)

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
    assert [len(piece.data) for piece in pieces] == [3_000_000] * 5 + [len(large) - 15_000_000]
    assert b"".join(piece.data for piece in pieces) == large
    assert list(client.tensorboard.ReadBlob(messages.ReadBlobRequest(blob_key=second))) == []


def _encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    ("key", "code", "text"),
    [
        ("!", grpc.StatusCode.INVALID_ARGUMENT, "failed to parse blob key"),
        ("", grpc.StatusCode.INVALID_ARGUMENT, "failed to parse blob key"),
        (_encoded(r'["\ud800", "r", "i", 0, 0, 0]'), grpc.StatusCode.INVALID_ARGUMENT, "failed to parse"),
        (_encoded(f"[{'1' * 5000}]"), grpc.StatusCode.INVALID_ARGUMENT, "failed to parse blob key"),
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
    monkeypatch.setattr(services, "LARGEST_MESSAGE", 1 << 20)
    provider = FakeProvider()
    tensor = wire.text_tensor([bytes(1 << 18)])
    provider.add_records("plugin:text", "r", "t", [tensor] * 5, claim=SummaryPlugin("text"))
    with pytest.raises(grpc.RpcError) as caught:
        tensors(connect(provider), "text")
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert caught.value.details() == "the answer is longer than 256 MiB: ask for fewer runs, tags or points"
