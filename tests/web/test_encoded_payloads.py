"""What ``plugin.payloads`` encodes for data providers is what the built-in tabs read."""

from __future__ import annotations

from collections.abc import Iterator

import insight_text
import numpy as np
import pytest
from insight_audio.decoder import clips_of
from insight_image.decoder import pictures_of
from insight_media.item import item_of
from insight_mesh.parts import part_of
from insight_pr_curves.decoder import curve_of

from insight_core.plugin import SummaryPlugin
from insight_core.plugin.payloads import (
    decoded_histogram,
    image_payload,
    png,
    tensor_of,
    tensor_payload,
    text_payload,
)
from insight_core.plugin.testing import FakeProvider, HostClient, host_of

_CURVES = SummaryPlugin("pr_curves")
_PIXELS = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)


@pytest.fixture
def host() -> Iterator[HostClient]:
    data = FakeProvider()
    for plugin, payload in {
        "image": image_payload(png(_PIXELS)),
        "text": text_payload("one", "两"),
        "tensor": tensor_payload([[1.5, 2.0]]),
    }.items():
        data.add_records(plugin, "run", "a", [payload.data], claim=payload.claim)
    with host_of(insight_text, data=data, built_ins=["image", "tensor"]) as client:
        yield client


def test_a_picture_is_one_of_the_images_tab_in_its_own_size(host: HostClient) -> None:
    answer = host.get("/data/plugin/image/info", run="run", tag="a", index=0).json()
    assert (answer["width"], answer["height"], answer["channels"]) == (4, 2, 3)
    assert answer["whole"]
    image = host.get("/data/plugin/image/image", run="run", tag="a", index=0)
    assert (image.headers["Content-Type"], image.content) == ("image/png", png(_PIXELS))


def test_texts_are_one_record_of_the_text_tab(host: HostClient) -> None:
    answer = host.get("/data/plugin/text/value", run="run", tag="a", index=0).json()
    assert answer["value"]["strings"] == ["one", "两"]


def test_an_array_is_a_tensor(host: HostClient) -> None:
    answer = host.get("/data/plugin/tensor/values", run="run", tag="a", index=0).json()
    assert (answer["shape"], answer["dtype"], answer["values"]) == ([1, 2], "float64", [[1.5, 2.0]])


@pytest.mark.parametrize(
    "values", [np.array([[1, -2]], np.float32), np.int64(7), [True, False], np.empty((0, 3))]
)
def test_an_array_comes_back_as_it_was(values: object) -> None:
    array = np.asarray(values)
    payload = tensor_payload(array, SummaryPlugin("mine"))
    found = tensor_of(payload)
    assert (payload.claim, found.shape, found.values.dtype) == (
        SummaryPlugin("mine"),
        array.shape,
        array.dtype,
    )
    np.testing.assert_array_equal(found.values, array)


def test_strings_come_back_byte_for_byte() -> None:
    found = tensor_of(tensor_payload([[b"a", b"\x00\xff\x00"], ["两".encode(), b""]], SummaryPlugin("mine")))
    assert found.values.tolist() == [[b"a", b"\x00\xff\x00"], ["两".encode(), b""]]


def test_each_claim_takes_the_tensor_that_its_table_says() -> None:
    """docs/reference/formats.md, what the tabs read."""
    batch = pictures_of(tensor_payload([b"4", b"2", png(_PIXELS)], SummaryPlugin("images")))
    assert (batch.width, batch.height, batch.encoded) == (4, 2, (png(_PIXELS),))
    bins = decoded_histogram(tensor_payload([[0.0, 1.0, 3.0], [1.0, 2.0, 1.0]], SummaryPlugin("histograms")))
    assert (bins.counts.tolist(), bins.count) == ([3, 1], 4)
    clips = clips_of(tensor_payload([[b"RIFF", b"a label"]], SummaryPlugin("audio")))
    assert (clips.encoded, clips.labels) == ((b"RIFF",), ("a label",))
    item = item_of(tensor_payload(["text/html", "<p>"], SummaryPlugin("media")))
    assert (item.media_type, item.content) == ("text/html", b"<p>")
    assert part_of(tensor_payload(np.zeros((5, 3)), SummaryPlugin("mesh"))).values.shape == (1, 5, 3)
    curve = curve_of(tensor_payload(np.array([[2, 1], [1, 0], [0, 1], [0, 1], [0.7, 1], [1, 0.5]]), _CURVES))
    assert curve.recall.tolist() == [1.0, 0.5]


def test_what_cannot_be_encoded_is_refused() -> None:
    for values in (np.array([object()]), np.zeros(1, "datetime64[s]")):
        with pytest.raises(ValueError, match="no tensors of"):
            tensor_payload(values)
    with pytest.raises(ValueError, match="not a PNG"):
        image_payload(b"no picture")
