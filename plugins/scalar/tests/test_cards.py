"""The series of many cards as one stream."""

from __future__ import annotations

import gzip
import json
from collections.abc import Collection, Mapping
from pathlib import Path

import insight_scalar
import numpy as np
import pytest
from werkzeug.test import Client

from insight_core.ingest.logdir import Logdir
from insight_core.plugin.data import ScalarColumns, ScalarQuery, SeriesKey
from insight_core.plugin.testing import EventWriter, FakeProvider
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.web import Host
from tests.display_frames import frames_of, metadata_of, series_of

EVERY_POINT = ScalarQuery()
BASE = "/data/plugin/scalar"


class Damaged(FakeProvider):
    """Cannot read the series of one run."""

    def scalars(
        self, plugin: str, keys: Collection[SeriesKey], query: ScalarQuery = EVERY_POINT
    ) -> Mapping[SeriesKey, ScalarColumns]:
        if any(key.run == "damaged" for key in keys):
            raise OSError("cannot read")
        return super().scalars(plugin, keys, query)


@pytest.fixture
def client() -> Client:
    fake = Damaged()
    for run in ("a", "b", "c"):
        fake.add_scalars(run, "loss", np.linspace(0, 1, 100))
    fake.add_scalars("b", "acc", [0.5, 0.25])
    return Client(Host(Registry.of([("scalar", lambda: insight_scalar)]), fake))


def ask(client: Client, *cards: object, run: Collection[str] = ()) -> list[bytes]:
    texts = [card if isinstance(card, str) else json.dumps(card) for card in cards]
    answer = client.get(f"{BASE}/cards", query_string={"card": texts, "run": list(run)})
    assert answer.status_code == 200
    return frames_of(answer.data)


def runs_of(frame: bytes) -> list[str]:
    return [series["run"] for series in series_of(frame)]


def test_each_card_is_answered_in_order_by_a_frame_of_its_own(client: Client) -> None:
    loss, acc = ask(client, {"tag": "loss"}, {"tag": "acc"})
    assert [metadata_of(frame)["card"] for frame in (loss, acc)] == [0, 1]
    assert (runs_of(loss), runs_of(acc)) == (["a", "b", "c"], ["b"])
    assert series_of(acc)[0]["values"].tolist() == [0.5, 0.25]


def test_runs_are_named_once_and_cards_choose_among_them(client: Client) -> None:
    first, second = ask(client, {"tag": "loss"}, {"tag": "loss", "runs": [1]}, run=["a", "c", "unknown"])
    assert (runs_of(first), runs_of(second)) == (["a", "c"], ["c"])


def test_parameters_of_a_card_are_those_of_series(client: Client) -> None:
    [frame] = ask(
        client, {"tag": "loss", "x": "wall", "from": None, "values": "exact", "since": 1050}, run=["a"]
    )
    [series] = series_of(frame)
    assert len(series["wall_times"]) == len(series["steps"])
    assert metadata_of(frame)["codes"]["times"] is True
    one = client.get(
        f"{BASE}/series",
        query_string={"tag": "loss", "run": "a", "x": "wall", "values": "exact", "format": "display"},
    )
    [alone] = series_of(one.data)
    assert alone["values"].tolist() == np.linspace(0, 1, 100).tolist()


@pytest.mark.parametrize(
    ("card", "text"),
    [
        ("{", "not JSON"),
        ("[]", "not a JSON object"),
        ({}, "tag is missing"),
        ({"tag": "loss", "width": 0}, "width must be"),
        ({"tag": "loss", "width": [1]}, "width of a card must be"),
        ({"tag": "loss", "runs": [3]}, "runs of a card must be"),
        ({"tag": "loss", "runs": [True]}, "runs of a card must be"),
        ({"tag": "loss", "values": "rough"}, "values must be"),
    ],
)
def test_a_card_that_fails_leaves_the_others(client: Client, card: object, text: str) -> None:
    bad, good = ask(client, card, {"tag": "acc"}, run=["a", "b", "c"])
    error = metadata_of(bad)["error"]
    assert (error["code"], error["status"]) in {
        (code, 400) for code in ("invalid_argument", "missing_parameter", "not_whole", "not_allowed")
    }
    assert text in error["error"]
    assert runs_of(good) == ["b"]


def test_a_run_that_cannot_be_read_leaves_the_others(client: Client) -> None:
    [frame] = ask(client, {"tag": "loss"}, run=["a", "damaged", "c"])
    assert runs_of(frame) == ["a", "c"]
    failed = metadata_of(frame)["failed"]
    assert failed.keys() == {"damaged"}
    assert (failed["damaged"]["code"], failed["damaged"]["status"]) == ("failed", 500)
    assert failed["damaged"]["details"] == {"who": "plugin scalar"}


def test_an_error_of_a_card_has_the_details_of_its_text(client: Client) -> None:
    [frame] = ask(client, {"tag": "=loss -"})
    error = metadata_of(frame)["error"]
    assert (error["code"], error["details"]) == ("expression_end", {"position": 7})


@pytest.mark.parametrize("count", [0, 1001])
def test_a_request_has_some_cards_and_not_too_many(client: Client, count: int) -> None:
    answer = client.post(f"{BASE}/cards", json={"card": [json.dumps({"tag": "acc"})] * count})
    assert answer.status_code == 400
    assert "card must be given" in answer.json["error"]  # type: ignore[index]


def test_frames_are_compressed_for_clients_that_accept_it(client: Client) -> None:
    query = {"card": json.dumps({"tag": "loss"})}
    plain = client.get(f"{BASE}/cards", query_string=query)
    packed = client.get(f"{BASE}/cards", query_string=query, headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    [one], [other] = frames_of(plain.data), frames_of(gzip.decompress(packed.data))
    assert metadata_of(one) == metadata_of(other)
    assert len(packed.data) < len(plain.data)


def test_an_answer_that_is_still_good_is_not_sent_again(client: Client) -> None:
    query = {"card": json.dumps({"tag": "loss"})}
    tag = client.get(f"{BASE}/cards", query_string=query).headers["ETag"]
    again = client.get(f"{BASE}/cards", query_string=query, headers={"If-None-Match": tag})
    assert (again.status_code, again.data) == (304, b"")


def test_every_point_comes_where_fewer_would_be_no_smaller(tmp_path: Path) -> None:
    with EventWriter(tmp_path / "a") as writer:
        writer.scalar_block(["loss"], range(1000), np.random.default_rng(1).random((1000, 1)))
    registry = Registry.of([("scalar", lambda: insight_scalar)])
    provider = LocalProvider([Logdir(str(tmp_path))], registry.plugins.values(), reload_interval=0)
    provider.load()
    client = Client(Host(registry, provider))
    cards = [{"tag": "loss", "width": width} for width in (125, 124)]
    whole, cut = (series_of(frame)[0] for frame in ask(client, *cards))
    provider.close()
    assert len(whole["steps"]) == 1000
    assert len(cut["steps"]) < cut["points"] == 1000
