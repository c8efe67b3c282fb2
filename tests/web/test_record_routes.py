"""The routes that every plugin with a decoder has: its records, decoded or as bytes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load
from werkzeug import Request, Response
from werkzeug.test import Client, TestResponse

from insight_core.plugin import (
    CachePolicy,
    Claim,
    Dialect,
    EventField,
    FileName,
    Plugin,
    PluginContext,
    RecordDecoder,
    Route,
    hookimpl,
)
from insight_core.plugin.data import Payload
from insight_core.plugin.http import is_pinned, json_response
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host
from tests.hosts import registry_of

CLAIM = EventField(Dialect.TENSORBOARD, "audio")
BYTES = bytes(range(256)) * 4


def _routes(ctx: PluginContext) -> Sequence[Route]:
    def one(request: Request) -> Response:
        place = ctx.own.place(request)
        return json_response([place.index, place.step, place.size, place.attempts, is_pinned(request)])

    return [Route("/one", one)]


decoded: list[bytes] = []


def decode(payload: Payload) -> list[np.ndarray[Any, Any]]:
    """Named by the plugin as text: the host imports this module by its name."""
    decoded.append(payload.data)
    if not payload.data:
        raise ValueError("it is silent")
    return [np.frombuffer(payload.data, np.uint8)]


class _Sounds:
    @hookimpl
    def insight_plugin(self) -> Plugin:
        claims: set[Claim] = {CLAIM, FileName("*.wav")}
        decoder = RecordDecoder(claims, decode="tests.web.test_record_routes:decode")
        return Plugin(name="sounds", title="Sounds", decoder=decoder, routes=_routes)


@pytest.fixture
def client() -> Client:
    fake = FakeProvider()
    fake.add_records(
        "sounds",
        "a",
        "voice",
        [b"", b"x", b"xx", b"xxx"],
        claim=CLAIM,
        steps=[1, 2, 2, 3],
        wall_times=[0.1, np.nan, 0.3, 0.4],
    )
    # as a file that is claimed by its name
    fake.add_records("sounds", "a", "b/c.wav", [BYTES], claim=FileName("*.wav"))
    fake.add_records("sounds", "a", "long", [bytes(5 << 20)], claim=CLAIM)
    registry = Registry.of([("sounds", _Sounds)], distribution="insight-sounds")
    assert not registry.failures
    decoded.clear()
    return Client(Host(registry, fake))


def _get(client: Client, route: str, **query: Any) -> TestResponse:  # noqa: ANN401
    return client.get(f"/data/plugin/sounds{route}", query_string={"run": "a", "tag": "voice", **query})


def test_every_record(client: Client) -> None:
    whole = json.loads(_get(client, "/records", attempts="all").data)
    assert whole == {
        "run": "a",
        "tag": "voice",
        "points": 4,
        "kept": 4,
        "hidden": 0,
        "steps": [1, 2, 2, 3],
        "wall_times": [0.1, "NaN", 0.3, 0.4],
        "sizes": [0, 1, 2, 3],
    }
    columns = load(_get(client, "/records", format="safetensors", attempts="all").data)
    assert {name: column.dtype.name for name, column in columns.items()} == {
        "steps": "int64",
        "wall_times": "float64",
        "sizes": "int64",
    }


def test_the_records_after_those_that_are_known(client: Client) -> None:
    tail = json.loads(_get(client, "/records", attempts="all", skip=3).data)
    assert (tail["steps"], tail["wall_times"], tail["sizes"]) == ([3], [0.4], [3])
    assert (tail["points"], tail["kept"], tail["hidden"]) == (4, 4, 0)
    columns = load(_get(client, "/records", format="safetensors", attempts="all", skip=9).data)
    assert [len(columns[name]) for name in ("steps", "wall_times", "sizes")] == [0, 0, 0]
    assert _get(client, "/records", skip=-1).status_code == 400


def test_the_record_that_a_request_names(client: Client) -> None:
    assert json.loads(_get(client, "/one", index=3).data) == [3, 3, 3, "last", False]
    pinned = _get(client, "/one", index=0, step=1, wall_time="0.1", attempts="all")
    assert json.loads(pinned.data) == [0, 1, 0, "all", True]
    assert _get(client, "/one", index=1, wall_time="NaN", attempts="all").status_code == 200


@pytest.mark.parametrize(
    ("query", "status", "text"),
    [
        ({}, 400, "index is missing"),
        ({"index": "-1"}, 400, "index must be a whole number"),
        ({"index": "4", "attempts": "all"}, 404, "has no record 4: there are 4"),
        ({"index": "0", "wall_time": "0.2"}, 404, "record 0 of 'voice' of run 'a' has disappeared"),
        (
            {"index": "0", "wall_time": "0.1", "step": "2"},
            404,
            "record 0 of 'voice' of run 'a' has disappeared",
        ),
        ({"index": "0", "step": "one"}, 400, "step must be a finite number"),
        ({"index": "0", "wall_time": "early"}, 400, "wall_time must be a number, not 'early'"),
        ({"index": "0", "run": "b"}, 404, "'b'"),
    ],
)
def test_a_record_that_is_not_there(client: Client, query: dict[str, str], status: int, text: str) -> None:
    answer = _get(client, "/one", **query)
    assert answer.status_code == status
    assert text in json.loads(answer.data)["error"]


def test_tags_say_all_that_is_known_of_a_series(client: Client) -> None:
    tags = json.loads(client.get("/data/plugin/sounds/tags").data)
    assert tags["a"]["voice"] == {
        "display_name": "",
        "description": "",
        "points": 4,
        "first_step": 1,
        "last_step": 3,
        "attempts": 1,
        "kept": 4,
        "last_value": None,
        "claims": ["tensorboard:audio"],
    }
    assert tags["a"]["b/c.wav"]["claims"] == ["file:*.wav"]


def test_the_host_decodes_a_record_once_and_answers_what_the_plugin_decoded(client: Client) -> None:
    answers = [_get(client, "/value", index=3) for _ in range(2)]
    assert [json.loads(answer.data) for answer in answers] == 2 * [
        {
            "run": "a",
            "tag": "voice",
            "index": 3,
            "step": 3,
            "wall_time": 0.4,
            "claim": "tensorboard:audio",
            "value": [[120, 120, 120]],
        }
    ]
    assert decoded == [b"xxx"]
    assert "immutable" not in answers[0].headers["Cache-Control"]
    pinned = _get(client, "/value", index=3, wall_time=0.4)
    assert "immutable" in pinned.headers["Cache-Control"]
    assert _get(client, "/value", index=3, wall_time=0.5).status_code == 404


def test_a_value_that_cannot_be_decoded_is_named_with_its_cause(client: Client) -> None:
    answer = _get(client, "/value", index=0, attempts="all")
    assert answer.status_code == 422
    assert (answer.json or {})["error"] == "'voice' of run 'a', step 1 (record 0): it is silent"


def test_a_value_beyond_the_limit_is_refused(client: Client) -> None:
    answer = _get(client, "/value", tag="long", index=0)
    assert answer.status_code == 413
    assert "/blob has the bytes" in (answer.json or {})["error"]


def test_a_record_as_bytes(client: Client) -> None:
    answer = _get(client, "/blob", tag="b/c.wav", index=0)
    assert (answer.status_code, answer.data) == (200, BYTES)
    headers = answer.headers
    assert headers["Content-Type"] == "application/octet-stream"
    assert headers["Content-Disposition"].startswith('attachment; filename="c.wav"')
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Accept-Ranges"] == "bytes"
    again = client.get(
        "/data/plugin/sounds/blob?run=a&tag=b/c.wav&index=0", headers={"If-None-Match": headers["ETag"]}
    )
    assert again.status_code == 304
    assert _get(client, "/blob", index=2, attempts="all").data == b"xx"
    assert decoded == []


@pytest.mark.parametrize("tag", ["b/c.wav", "long"])
@pytest.mark.parametrize(
    ("asked", "start", "end"),
    [("bytes=10-19", 10, 20), ("bytes=1000-", 1000, None), ("bytes=-24", -24, None), ("bytes=0-0", 0, 1)],
)
def test_a_range_of_a_record(client: Client, tag: str, asked: str, start: int, end: int | None) -> None:
    whole = _get(client, "/blob", tag=tag, index=0).data
    answer = client.get(f"/data/plugin/sounds/blob?run=a&tag={tag}&index=0", headers={"Range": asked})
    assert (answer.status_code, answer.data) == (206, whole[start:end])
    first = start % len(whole)
    last = (len(whole) if end is None else end) - 1
    assert answer.headers["Content-Range"] == f"bytes {first}-{last}/{len(whole)}"
    assert answer.headers["Content-Length"] == str(last - first + 1)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Range": "bytes=1024-"}, 416),
        ({"Range": "bytes=0-1,5-6"}, 200),
        ({"Range": "lines=0-1"}, 200),
        ({"Range": "bytes=9-2"}, 200),
        ({"Range": "bytes=0-1", "If-Range": '"another"'}, 200),
        ({"Range": "bytes=0-5000"}, 200),
        ({"Range": "bytes=-5000"}, 200),
    ],
)
def test_what_is_no_range_of_a_record(client: Client, headers: dict[str, str], status: int) -> None:
    answer = client.get("/data/plugin/sounds/blob?run=a&tag=b/c.wav&index=0", headers=headers)
    assert answer.status_code == status
    if status == 416:
        assert answer.headers["Content-Range"] == "bytes */1024"
    else:
        assert answer.data == BYTES


def test_plugins_without_decode_have_no_values() -> None:
    plugin = Plugin("files", "Files", decoder=RecordDecoder({CLAIM}), cache=CachePolicy(payload_bytes=0))
    fake = FakeProvider()
    fake.add_records("files", "a", "x", [b"abc"], claim=CLAIM)
    client = Client(Host(registry_of(plugin), fake))
    where = "?run=a&tag=x&index=0"
    assert client.get(f"/data/plugin/files/value{where}").status_code == 404
    assert client.get(f"/data/plugin/files/blob{where}").data == b"abc"
