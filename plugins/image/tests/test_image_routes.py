"""The image routes over given payloads."""

from __future__ import annotations

import io
import json
from typing import Any

import insight_image
import numpy as np
import pytest
from PIL import Image
from werkzeug.test import Client, TestResponse

from insight_authoring.testing import wire
from insight_core.plugin import Dialect, EventField, SummaryPlugin
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host

FIELD = EventField(Dialect.TENSORBOARD, "image")


def _png(seed: int, size: tuple[int, int] = (6, 4)) -> bytes:
    values = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3), np.uint8)
    out = io.BytesIO()
    Image.fromarray(values).save(out, "PNG")
    return out.getvalue()


def _message(encoded: bytes) -> bytes:
    return wire.int_field(1, 4) + wire.int_field(2, 6) + wire.int_field(3, 3) + wire.message_field(4, encoded)


@pytest.fixture
def client() -> Client:
    fake = FakeProvider()
    encoded = [_png(0), _png(1), b"<svg onload='alert(1)'/>", _png(3)[:60], _png(4)]
    fake.add_records(
        "image", "a", "layer/1", [_message(data) for data in encoded], claim=FIELD, steps=[0, 10, 20, 30, 40]
    )
    fake.add_records(
        "image",
        "b",
        "batch",
        [wire.text_tensor([b"6", b"4", _png(5), _png(6), b"?"]), wire.text_tensor([b"6", b"4"])],
        claim=SummaryPlugin("images"),
        description="two at once",
    )
    fake.add_records(
        "image", "b", "again", [_message(_png(n)) for n in range(4)], claim=FIELD, steps=[1, 2, 1, 2]
    )
    fake.add_records("image", "b", "bad", [b"\xff\xff"], claim=FIELD)
    registry = Registry.of([("image", lambda: insight_image)])
    assert not registry.failures
    return Client(Host(registry, fake))


def _get(client: Client, route: str, **query: Any) -> TestResponse:  # noqa: ANN401
    return client.get(f"/data/plugin/image{route}", query_string=query)


def test_tags(client: Client) -> None:
    tags = json.loads(_get(client, "/tags").data)
    assert tags["b"]["batch"] == {
        "display_name": "",
        "description": "two at once",
        "points": 2,
        "first_step": 0,
        "last_step": 1,
        "attempts": 1,
        "kept": 2,
        "last_value": None,
        "claims": ["plugin:images"],
    }
    assert tags["a"]["layer/1"]["claims"] == ["tensorboard:image"]
    assert tags["b"]["again"]["attempts"] == 2


def test_records(client: Client) -> None:
    records = json.loads(_get(client, "/records", run="b", tag="again").data)
    assert (records["steps"], records["points"], records["hidden"]) == ([1, 2], 4, 2)
    assert json.loads(_get(client, "/records", run="b", tag="again", attempts="all").data)["steps"] == [
        1,
        2,
        1,
        2,
    ]


def test_a_picture_as_it_is_stored(client: Client) -> None:
    answer = _get(client, "/image", run="a", tag="layer/1", index=1)
    assert (answer.data, answer.mimetype) == (_png(1), "image/png")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "no-cache"
    pinned = _get(client, "/image", run="a", tag="layer/1", index=1, wall_time="1000000001")
    assert (pinned.status_code, pinned.data) == (200, _png(1))
    assert "immutable" in pinned.headers["Cache-Control"]


def test_the_attempt_asked_for(client: Client) -> None:
    assert _get(client, "/image", run="b", tag="again", index=0).data == _png(2)
    assert _get(client, "/image", run="b", tag="again", index=0, attempts="all").data == _png(0)


def test_a_picture_of_a_batch(client: Client) -> None:
    query = {"run": "b", "tag": "batch", "index": 0}
    assert _get(client, "/image", **query).data == _png(5)
    assert _get(client, "/image", **query, sample=1).data == _png(6)
    refused = _get(client, "/image", **query, sample=3)
    assert refused.status_code == 404
    assert "has no sample 3: there are 3" in json.loads(refused.data)["error"]
    none = _get(client, "/image", run="b", tag="batch", index=1)
    assert none.status_code == 404
    assert "has no sample 0: there are 0" in json.loads(none.data)["error"]


def test_what_a_picture_is(client: Client) -> None:
    info = json.loads(_get(client, "/info", run="b", tag="batch", index=0, sample=1).data)
    assert info == {
        "step": 0,
        "wall_time": 1e9,
        "samples": 3,
        "mimetype": "image/png",
        "width": 6,
        "height": 4,
        "channels": 3,
        "size": len(_png(6)),
        "whole": True,
        "written": {"width": 6, "height": 4, "channels": 0},
    }


def test_a_thumbnail(client: Client) -> None:
    answer = _get(client, "/thumbnail", run="a", tag="layer/1", index=0, size=3, wall_time="1e9")
    assert answer.mimetype == "image/png"
    assert Image.open(io.BytesIO(answer.data)).size == (3, 2)
    assert "immutable" in answer.headers["Cache-Control"]
    assert _get(client, "/thumbnail", run="a", tag="layer/1", index=0, size=513).status_code == 400


@pytest.mark.parametrize("route", ["/image", "/info", "/thumbnail"])
def test_what_is_no_picture_is_never_given_to_a_browser(client: Client, route: str) -> None:
    answer = _get(client, route, run="a", tag="layer/1", index=2)
    assert (answer.status_code, answer.mimetype) == (422, "application/json")
    assert json.loads(answer.data)["error"] == (
        "'layer/1' of run 'a', step 20 (record 2): the image is not a PNG, JPEG, GIF, WebP or BMP file"
    )
    bad = _get(client, route, run="b", tag="bad", index=0)
    assert bad.status_code == 422
    assert "'bad' of run 'b', step 0 (record 0)" in json.loads(bad.data)["error"]
    sample = _get(client, route, run="b", tag="batch", index=0, sample=2)
    assert "'batch' of run 'b', step 0 (record 0): sample 2: " in json.loads(sample.data)["error"]


def test_what_is_cut_off(client: Client) -> None:
    answer = _get(client, "/thumbnail", run="a", tag="layer/1", index=3)
    assert answer.status_code == 422
    assert "step 30 (record 3): the picture cannot be decoded" in json.loads(answer.data)["error"]
    image = _get(client, "/image", run="a", tag="layer/1", index=3)
    assert image.status_code == 422
    assert json.loads(image.data)["error"].endswith("step 30 (record 3): the PNG file is cut off or damaged")
    assert json.loads(_get(client, "/info", run="a", tag="layer/1", index=3).data)["whole"] is False
    assert _get(client, "/image", run="a", tag="layer/1", index=3, download=1).data == _png(3)[:60]


def test_a_picture_to_save(client: Client) -> None:
    answer = _get(client, "/image", run="a", tag="layer/1", index=4, download=1)
    assert answer.headers["Content-Disposition"] == 'attachment; filename="a_layer_1_40.png"'
    assert answer.data == _png(4)
    batch = _get(client, "/image", run="b", tag="batch", index=0, sample=1, download=1)
    assert batch.headers["Content-Disposition"].endswith('"b_batch_0_1.png"')


def test_what_is_no_picture_can_be_saved(client: Client) -> None:
    answer = _get(client, "/image", run="a", tag="layer/1", index=2, download=1)
    assert (answer.data, answer.mimetype) == (b"<svg onload='alert(1)'/>", "application/octet-stream")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="a_layer_1_20.bin"'


def test_a_picture_that_no_browser_shows(client: Client) -> None:
    fake = FakeProvider()
    huge = b"GIF89a" + (60_000).to_bytes(2, "little") * 2 + bytes(10)
    fake.add_records("image", "a", "huge", [_message(huge)], claim=FIELD)
    client = Client(Host(Registry.of([("image", lambda: insight_image)]), fake))
    answer = _get(client, "/image", run="a", tag="huge", index=0)
    assert answer.status_code == 422
    assert "60,000 x 60,000 pixels, more than a browser shows" in json.loads(answer.data)["error"]
    assert _get(client, "/info", run="a", tag="huge", index=0).status_code == 200
    assert _get(client, "/image", run="a", tag="huge", index=0, download=1).data == huge
