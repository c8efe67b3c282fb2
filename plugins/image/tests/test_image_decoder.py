"""The pictures of a value, in each form that writers use."""

from __future__ import annotations

import pytest
from insight_image import decoder
from insight_image.claims import CLAIMS
from insight_image.decoder import Pictures, pictures_of

from insight_authoring.testing import wire
from insight_core.plugin import Claim, Dialect, EventField, FileName, SummaryPlugin
from insight_core.plugin.data import Payload

TENSORBOARD = EventField(Dialect.TENSORBOARD, "image")
MINDSPORE = EventField(Dialect.MINDSPORE, "image")
IMAGES = SummaryPlugin("images")


def _image(*, height: int = 5, width: int = 7, channels: int = 3, encoded: bytes = b"png") -> bytes:
    numbers = wire.int_field(1, height) + wire.int_field(2, width) + wire.int_field(3, channels)
    return numbers + wire.message_field(4, encoded)


def test_claims() -> None:
    files = {claim for claim in CLAIMS if isinstance(claim, FileName)}
    assert {TENSORBOARD, MINDSPORE, IMAGES} == CLAIMS - files
    assert not any(claim.makes_run for claim in files)  # a directory of pictures alone is a data set


@pytest.mark.parametrize("claim", [TENSORBOARD, MINDSPORE])
def test_an_image_message(claim: Claim) -> None:
    assert pictures_of(Payload(_image(), claim)) == Pictures((b"png",), 7, 5, 3)
    negative = pictures_of(Payload(_image(height=-1), claim))
    assert (negative.width, negative.height) == (7, 0)
    assert pictures_of(Payload(wire.message_field(4, b"x") + wire.int_field(99, 1), claim)).encoded == (b"x",)


def test_a_batch() -> None:
    batch = wire.text_tensor([b"7", b"5", b"one", b"two", b""])
    assert pictures_of(Payload(batch, IMAGES)) == Pictures((b"one", b"two", b""), 7, 5, 0)
    empty = pictures_of(Payload(wire.text_tensor([b"7", b"5"]), IMAGES))
    assert (empty.encoded, empty.nbytes) == ((), 0)
    odd = pictures_of(Payload(wire.text_tensor([b"wide", b"9" * 5000, b"one"]), IMAGES))
    assert odd == Pictures((b"one",), 0, 0, 0)


def test_empty_pictures_take_memory_too() -> None:
    found = pictures_of(Payload(b"\x08\x07" + b"\x42\x00" * 1002, IMAGES))
    assert len(found.encoded) == 1000
    assert found.nbytes >= 8000


def test_a_batch_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoder, "MAX_PICTURES", 3)
    pictures_of(Payload(b"\x08\x07" + b"\x42\x00" * 5, IMAGES))
    with pytest.raises(ValueError, match="more than 3 pictures"):
        pictures_of(Payload(b"\x08\x07" + b"\x42\x00" * 6, IMAGES))


@pytest.mark.parametrize(
    ("data", "claim", "text"),
    [
        (wire.int_field(1, 5), TENSORBOARD, "the image has no picture"),
        (b"", MINDSPORE, "the image has no picture"),
        (_image()[:-1], TENSORBOARD, "runs over the end"),
        (b"\xff" * 20, MINDSPORE, "does not end"),
        (wire.text_tensor([b"7"]), IMAGES, "but has 1 strings"),
        (wire.number_tensor(1.0), IMAGES, "holds no strings but values of type 1"),
    ],
)
def test_what_is_no_image(data: bytes, claim: Claim, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        pictures_of(Payload(data, claim))
