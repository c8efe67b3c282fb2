"""The audio plugin: what TensorBoard's own writer wrote, WAV files of all kinds, pictures, ranges."""

from __future__ import annotations

import io
import struct
import wave
from typing import Any

import insight_audio
import numpy as np
import pytest
from insight_audio.decoder import Clips, clips_of
from insight_audio.routes import BANDS, COLUMNS, envelope, spectrogram
from insight_audio.wav import read_wav
from safetensors.numpy import load
from werkzeug.test import Client, TestResponse

from insight_authoring.testing import wire
from insight_core.plugin import Dialect, EventField, SummaryPlugin
from insight_core.plugin.data import Payload
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host

AUDIO = SummaryPlugin("audio")
RATE = 8000
TONE = (np.sin(np.arange(RATE) / RATE * 2 * np.pi * 1000) / 2).astype(np.float32)


def wav_of(samples: Any, *, rate: int = RATE, width: int = 2, channels: int = 1) -> bytes:  # noqa: ANN401
    """A WAV file by the standard library: samples from -1 to 1."""
    out = io.BytesIO()
    with wave.open(out, "wb") as writer:
        writer.setparams((channels, width, rate, 0, "NONE", ""))
        whole = np.round(np.asarray(samples) * (2 ** (8 * width - 1) - 1)).astype(np.int64)
        if width == 1:
            whole += 128
        writer.writeframes(whole.astype("<i8").view(np.uint8).reshape(-1, 8)[:, :width].tobytes())
    return out.getvalue()


WAV = wav_of(TONE)


@pytest.fixture
def client() -> Client:
    fake = FakeProvider()
    payloads = [wire.text_tensor([encoded], rank=1) for encoded in (WAV, b"no wave", WAV[:-10])]
    fake.add_records("audio", "a", "tone", payloads, claim=AUDIO, steps=[0, 1, 2])
    old = wire.message_field(4, WAV)
    fake.add_records("audio", "a", "old", [old], claim=EventField(Dialect.TENSORBOARD, "audio"))
    registry = Registry.of([("audio", lambda: insight_audio)])
    assert not registry.failures
    return Client(Host(registry, fake))


def _get(client: Client, route: str, headers: dict[str, str] | None = None, **query: object) -> TestResponse:
    asked = {"run": "a", "tag": "tone", "index": 0, **query}
    return client.get(f"/data/plugin/audio/{route}", query_string=asked, headers=headers)


def test_reads_what_tensorboard_writes_as_tensorboard_reads_it() -> None:
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.util import tensor_util

    rows = np.array([[WAV, b"a label"], [WAV[:100], b""]], dtype=object)
    tensor = tensor_util.make_tensor_proto(rows)
    theirs = tensor_util.make_ndarray(tensor)
    ours = clips_of(Payload(tensor.SerializeToString(), AUDIO))
    assert ours == Clips(tuple(theirs[:, 0]), tuple(label.decode() for label in theirs[:, 1]))
    message = Summary.Audio(sample_rate=RATE, num_channels=1, encoded_audio_string=WAV)
    old = Payload(message.SerializeToString(), EventField(Dialect.TENSORBOARD, "audio"))
    assert clips_of(old) == Clips((WAV,), ("",))


@pytest.mark.parametrize("payload", [b"", b"\xff\xff", wire.number_tensor(1.0), wire.text_tensor([])])
def test_what_is_no_audio_is_refused(payload: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        clips_of(Payload(payload, AUDIO))


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_samples_of_every_width_are_those_that_were_written(width: int) -> None:
    found = read_wav(wav_of(TONE, width=width))
    assert (found.rate, found.channels, found.bits, found.frames) == (RATE, 1, 8 * width, RATE)
    np.testing.assert_allclose(found.samples(), TONE, atol=2 ** (1 - 8 * min(width, 3)) * 2)


def test_channels_are_mixed_and_floats_are_read() -> None:
    stereo = read_wav(wav_of([[0.5, -0.5], [0.5, 0.25]], channels=2))
    np.testing.assert_allclose(stereo.samples(), [0, 0.375], atol=1e-4)
    data = np.array([0.25, np.nan, -0.5], "<f4").tobytes()
    form = struct.pack("<HHIIHH", 3, 1, RATE, 4 * RATE, 4, 32)
    body = b"WAVEfmt " + struct.pack("<I", 16) + form + b"data" + struct.pack("<I", len(data)) + data
    floats = read_wav(b"RIFF" + struct.pack("<I", len(body)) + body)
    assert floats.samples().tolist() == [0.25, 0, -0.5]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not a WAV"),
        (b"fLaC" + bytes(40), "not a WAV"),
        (WAV[:-1], "cut off"),
        (WAV[:36], "no samples"),
        (WAV[:12] + WAV[36:], "no format"),
        (WAV[:20] + b"\x07\x00" + WAV[22:], "format 7"),
        (WAV[:22] + b"\x00\x00" + WAV[24:], "0 channels"),
    ],
)
def test_a_broken_file_is_refused_with_the_reason(data: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_wav(data)


def test_a_tone_is_loudest_in_its_band() -> None:
    found = spectrogram(TONE)
    assert found.shape[1] == BANDS
    assert set(found[5:-5].argmax(axis=1)) <= {31, 32}  # 1000 of 4000 Hz is a quarter of 128 bands
    low, high = envelope(TONE)
    assert len(low) == len(high) == COLUMNS
    assert low.min() == TONE.min()
    assert high.max() == TONE.max()


@pytest.mark.parametrize("count", [0, 1, 3, 513])
def test_short_clips_have_pictures_too(count: int) -> None:
    samples = TONE[:count]
    assert len(envelope(samples)[0]) == min(count, COLUMNS)
    assert len(spectrogram(samples)) == (0 if count == 0 else max(1, count // 128))


@pytest.mark.parametrize("tag", ["tone", "old"])
def test_a_picture_says_rate_and_length(client: Client, tag: str) -> None:
    answer = _get(client, "picture", tag=tag)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    columns = load(answer.get_data())
    assert len(columns["low"]) == COLUMNS
    assert len(columns["spectrogram"]) % BANDS == 0
    assert b'\\"rate\\":8000' in answer.get_data().replace(b" ", b"")


def test_the_file_is_served_whole_and_in_ranges(client: Client) -> None:
    whole = _get(client, "audio")
    assert (whole.data, whole.mimetype) == (WAV, "audio/wav")
    assert whole.headers["Accept-Ranges"] == "bytes"
    part = _get(client, "audio", {"Range": "bytes=100-199"})
    assert (part.status_code, part.data) == (206, WAV[100:200])
    assert part.headers["Content-Range"] == f"bytes 100-199/{len(WAV)}"
    assert _get(client, "audio", {"Range": f"bytes={len(WAV)}-"}).status_code == 416


@pytest.mark.parametrize(("index", "reason"), [(1, "not a WAV file"), (2, "cut off")])
def test_a_broken_file_is_an_error_of_its_record_alone(client: Client, index: int, reason: str) -> None:
    answer = _get(client, "picture", index=index)
    assert answer.status_code == 422
    assert reason in answer.get_json()["error"]
    assert _get(client, "picture").status_code == 200


def test_a_clip_that_does_not_exist_is_not_found(client: Client) -> None:
    assert _get(client, "picture", clip=1).status_code == 404
