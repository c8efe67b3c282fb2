"""The histogram routes over given records."""

from __future__ import annotations

import json
from typing import Any

import insight_histogram
import numpy as np
import pytest
from insight_histogram.claims import CLAIMS
from numpy.testing import assert_allclose
from safetensors import safe_open
from safetensors.numpy import load
from werkzeug.test import Client

from insight_authoring.testing.tensors import (
    histogram_proto,
    histogram_proto_of,
    histogram_tensor,
    mindspore_histogram,
    mindspore_histogram_of,
)
from insight_core.histogram_routes import evenly
from insight_core.plugin import Dialect, EventField, SummaryPlugin
from insight_core.plugin.data import Payload, SeriesKey
from insight_core.plugin.payloads import HISTOGRAM_CLAIMS
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host

BASE = "/data/plugin/histogram"
PROTO = EventField(Dialect.TENSORBOARD, "histo")
MINDSPORE = EventField(Dialect.MINDSPORE, "histogram")
TENSOR = SummaryPlugin("histograms")
NAN, INF = float("nan"), float("inf")


@pytest.fixture
def provider() -> FakeProvider:
    return FakeProvider()


@pytest.fixture
def client(provider: FakeProvider) -> Client:
    registry = Registry.of([("histogram", lambda: insight_histogram)])
    assert not registry.failures
    return Client(Host(registry, provider))


def _get(client: Client, route: str, **query: Any) -> Any:  # noqa: ANN401
    spelt = {key.rstrip("_"): value for key, value in query.items()}
    answer = client.get(f"{BASE}{route}", query_string={"run": "a", "tag": "w", **spelt})
    assert answer.status_code == 200, answer.data
    return json.loads(answer.data)


def _numbers(step: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.random.default_rng(step).normal(step / 10, 1, 1000)


def test_every_form_gives_the_same_picture(client: Client, provider: FakeProvider) -> None:
    values = [_numbers(step) for step in range(3)]
    fine = np.linspace(-5, 5, 2001)
    counted = [np.histogram(column, fine)[0] for column in values]
    provider.add_records("histogram", "a", "w", [histogram_tensor(v, 300) for v in values], claim=TENSOR)
    provider.add_records("histogram", "b", "w", [mindspore_histogram(v) for v in values], claim=MINDSPORE)
    provider.add_records(
        "histogram",
        "c",
        "w",
        [histogram_proto_of(fine[1:], c, v) for c, v in zip(counted, values, strict=True)],
        claim=PROTO,
    )
    answers = [_get(client, "/histograms", run=run, bins=20) for run in "abc"]
    for answer in answers:
        assert answer["totals"] == [1000] * 3
        assert answer["mins"] == pytest.approx([v.min() for v in values])
        assert answer["maxs"] == pytest.approx([v.max() for v in values])
        assert_allclose(answer["edges"], answers[0]["edges"])
        assert_allclose(np.sum(answer["counts"], axis=1), 1000)
        shifts = np.abs(np.subtract(answer["counts"], answers[0]["counts"])).max()
        assert shifts < 25, "buckets of one form lie elsewhere"
    assert answers[0]["means"] == [None] * 3  # TensorFlow 2 does not write it
    assert answers[1]["means"] == pytest.approx([v.mean() for v in values])
    assert answers[2]["means"] == pytest.approx([v.mean() for v in values])


def test_an_answer(client: Client, provider: FakeProvider) -> None:
    payloads = [
        mindspore_histogram_of([0, 1], [1, 1], [2, 2], [0, 0.5, 1.5, 2]),
        mindspore_histogram([1, NAN, INF, -INF, -INF]),
    ]
    provider.add_records("histogram", "a", "w", payloads, claim=MINDSPORE, steps=[5, 9], wall_times=[10, 12])
    answer = _get(client, "/histograms", bins=2)
    assert answer == {
        "run": "a",
        "tag": "w",
        "points": 2,
        "kept": 2,
        "hidden": 0,
        "available": 2,
        "shown": 2,
        "chosen": "all",
        "origin": 10.0,
        "errors": [],
        "steps": [5, 9],
        "wall_times": [10.0, 12.0],
        "indices": [0, 1],
        "edges": [0.0, 1.0, 2.0],
        "counts": [[2.0, 2.0], [0.0, 1.0]],
        "beyond": [0.0, 0.0],
        "mins": [0.0, 1.0],
        "maxs": [2.0, 1.0],
        "means": [1.0, 1.0],
        "percentiles": [
            pytest.approx([0, 0.1336, 0.3174, 0.617, 1, 1.383, 1.6826, 1.8664, 2]),
            [1.0] * 9,
        ],
        "totals": [4, 5],
        "nans": [0, 1],
        "pos_infs": [0, 1],
        "neg_infs": [0, 2],
    }


def test_an_answer_as_safetensors(client: Client, provider: FakeProvider, tmp_path: Any) -> None:  # noqa: ANN401
    provider.add_records("histogram", "a", "w", [histogram_tensor([1, 2]), b"\xff"], claim=TENSOR)
    query = {"run": "a", "tag": "w", "format": "safetensors", "bins": "4"}
    body = client.get(f"{BASE}/histograms", query_string=query).data
    columns = load(body)
    assert columns["counts"].shape == (1, 4)
    assert columns["counts"].dtype == np.float64
    assert columns["steps"].tolist() == [0]
    assert np.isnan(columns["means"]).all()
    path = tmp_path / "answer.safetensors"
    path.write_bytes(body)
    with safe_open(path, "numpy") as opened:
        described = json.loads(opened.metadata()["histograms"])
    assert described["shown"] == 2
    assert [error["step"] for error in described["errors"]] == [1]


def test_a_record_that_cannot_be_read_is_named_and_the_others_stay(
    client: Client, provider: FakeProvider
) -> None:
    good = histogram_proto([1.0, 2.0])
    bad = histogram_proto_of([1, 2, 3], [4])
    provider.add_records("histogram", "a", "w", [good, bad, good], claim=PROTO, steps=[3, 4, 5])
    for _ in range(2):  # it is remembered, and said again
        answer = _get(client, "/histograms")
        assert answer["steps"] == [3, 5]
        assert answer["shown"] == 3
        [error] = answer["errors"]
        assert (error["run"], error["step"], error["index"]) == ("a", 4, 1)
        for part in ("'w'", "run 'a'", "step 4", "record 1", "1 buckets and 3 limits"):
            assert part in error["error"]


def test_some_of_many_steps(client: Client, provider: FakeProvider) -> None:
    provider.add_records("histogram", "a", "w", [histogram_tensor([1, 2])] * 2000, claim=TENSOR)
    answer = _get(client, "/histograms")
    assert answer["steps"][0] == 0
    assert answer["steps"][-1] == 1999
    assert answer["available"] == 2000
    assert answer["shown"] == len(answer["steps"]) == 97
    assert answer["chosen"] == "evenly"
    assert set(np.diff(answer["steps"])[:-1]) == {21}
    every = _get(client, "/histograms", steps=10000)
    assert (len(every["steps"]), every["chosen"]) == (2000, "all")
    window = _get(client, "/histograms", from_=10, to=12.5)
    assert (window["steps"], window["available"], window["points"]) == ([10, 11, 12], 3, 2000)
    assert window["origin"] == every["wall_times"][0]
    assert _get(client, "/histograms", from_=5000)["steps"] == []


def test_a_step_that_explodes(client: Client, provider: FakeProvider) -> None:
    payloads = [histogram_tensor([0, 1, 2], bins=3)] * 9 + [histogram_tensor([-3e9, 0, 3e9], bins=3)]
    provider.add_records("histogram", "a", "w", payloads, claim=TENSOR)
    assert _get(client, "/histograms", bins=2)["edges"] == [-3e9, 0, 3e9]
    answer = _get(client, "/histograms", bins=2, ignore_outliers=1)
    assert answer["edges"] == [0, 1, 2]
    assert answer["beyond"][:9] == [0] * 9
    assert answer["beyond"][9] == pytest.approx(3)
    assert answer["percentiles"][9][-1] == 3e9
    assert _get(client, "/comparison", step=9, ignore_outliers=1)["edges"][0] == -3e9


def test_only_what_is_shown_is_decoded(client: Client, provider: FakeProvider) -> None:
    payloads = [histogram_tensor([1, 2])] + [b"\xff"] * 9 + [histogram_tensor([1, 2])]
    provider.add_records("histogram", "a", "w", payloads, claim=TENSOR)
    assert _get(client, "/histograms", steps=2)["errors"] == []


def test_a_restart(client: Client, provider: FakeProvider) -> None:
    payloads = [histogram_tensor([index, index + 1]) for index in range(4)]
    provider.add_records("histogram", "a", "w", payloads, claim=TENSOR, steps=[0, 2, 1, 2])
    last = _get(client, "/histograms")
    assert (last["steps"], last["hidden"], last["mins"]) == ([0, 1, 2], 1, [0, 2, 3])
    every = _get(client, "/histograms", attempts="all")
    assert (every["steps"], every["hidden"], every["mins"]) == ([0, 2, 1, 2], 0, [0, 1, 2, 3])


def test_a_series_that_changes_while_it_is_read(
    client: Client, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.add_records("histogram", "a", "w", [histogram_tensor([0, 1])] * 9, claim=TENSOR)
    payload_of = provider.payload

    def payload(plugin: str, key: SeriesKey, index: int, *rest: Any, **more: Any) -> Payload:  # noqa: ANN401
        if index == 8:  # the run restarts
            new = [histogram_tensor([2, 3])] * 2
            provider.add_records("histogram", "a", "w", new, claim=TENSOR, wall_times=[5, 6])
        return payload_of(plugin, key, index, *rest, **more)

    monkeypatch.setattr(provider, "payload", payload)
    answer = _get(client, "/histograms")
    assert (answer["steps"], answer["mins"]) == ([0, 1], [2, 2])


def test_runs_at_a_step(client: Client, provider: FakeProvider) -> None:
    provider.add_records(
        "histogram", "a", "w", [histogram_tensor([0, 1]), b"\xff"], claim=TENSOR, steps=[0, 7]
    )
    provider.add_records(
        "histogram",
        "b",
        "w",
        [histogram_tensor([0, 1]), histogram_tensor([2, 4])],
        claim=TENSOR,
        steps=[0, 5],
    )
    answer = _get(client, "/comparison", run=["a", "b"], step=2, bins=4)
    assert answer["runs"] == ["a", "b"]
    assert answer["steps"] == [0, 0]
    assert answer["edges"] == [0, 0.25, 0.5, 0.75, 1]
    assert answer["axis"] == [0, 5, 7]
    answer = _get(client, "/comparison", run=["a", "b", "none"], step=6, bins=2)
    assert (answer["runs"], answer["steps"], answer["edges"]) == (["b"], [5], [2, 3, 4])
    assert [(error["run"], error["step"]) for error in answer["errors"]] == [("a", 7)]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ({"run": "a"}, "tag is missing"),
        ({"tag": "w"}, "run is missing"),
        ({"steps": "0"}, "steps must be a whole number from 1 to 10000"),
        ({"steps": "x"}, "steps must be"),
        ({"bins": "1001"}, "bins must be a whole number from 1 to 1000"),
        ({"steps": "10000", "bins": "1000"}, "steps times bins"),
        ({"from": "2", "to": "1"}, "from must not be greater than to"),
        ({"from": "nan"}, "from must be a finite number"),
        ({"attempts": "first"}, "attempts must be"),
        ({"format": "csv"}, "format must be"),
    ],
)
def test_refusals(client: Client, provider: FakeProvider, query: dict[str, str], text: str) -> None:
    provider.add_records("histogram", "a", "w", [histogram_tensor([1, 2])], claim=TENSOR)
    if "run" not in query and "tag" not in query:
        query = {"run": "a", "tag": "w", **query}
    answer = client.get(f"{BASE}/histograms", query_string=query)
    assert answer.status_code == 400
    assert text in json.loads(answer.data)["error"]


def test_refusals_of_a_comparison(client: Client, provider: FakeProvider) -> None:
    for tag in ("v", "w"):
        provider.add_records("histogram", "a", tag, [histogram_tensor([1, 2])], claim=TENSOR)
    for query, text in [({"tag": "w"}, "step is missing"), ({"tag": ["v", "w"], "step": "1"}, "given once")]:
        answer = client.get(f"{BASE}/comparison", query_string=query)
        assert (answer.status_code, text in json.loads(answer.data)["error"]) == (400, True)


def test_what_does_not_exist(client: Client, provider: FakeProvider) -> None:
    provider.add_records("histogram", "a", "w", [], claim=TENSOR)
    assert client.get(f"{BASE}/histograms?run=a&tag=none").status_code == 404
    answer = _get(client, "/histograms")
    assert (answer["steps"], answer["shown"], answer["edges"]) == ([], 0, [-0.5, 0.5])


def test_tags(client: Client, provider: FakeProvider) -> None:
    provider.add_records("histogram", "a", "w", [b"1", b"2"], claim=TENSOR, steps=[4, 3], description="of w")
    assert json.loads(client.get(f"{BASE}/tags").data) == {
        "a": {
            "w": {
                "display_name": "",
                "description": "of w",
                "points": 2,
                "first_step": 3,
                "last_step": 3,
                "attempts": 2,
                "kept": 2,
                "last_value": None,
                "claims": [str(TENSOR)],
            }
        }
    }


def test_the_tab_gets_all_that_histograms_are_decoded_from() -> None:
    assert CLAIMS == HISTOGRAM_CLAIMS


def test_records(client: Client, provider: FakeProvider) -> None:
    provider.add_records("histogram", "a", "w", [b"12", b"123"], claim=TENSOR, steps=[4, 8])
    answer = _get(client, "/records")
    assert (answer["steps"], answer["sizes"], answer["points"]) == ([4, 8], [2, 3], 2)


@pytest.mark.parametrize("count", [0, 1, 2, 99, 100, 101, 199, 200, 2000, 123_457])
@pytest.mark.parametrize("most", [1, 2, 3, 100])
def test_steps_are_chosen_evenly(count: int, most: int) -> None:
    found = evenly(count, most)
    assert len(found) <= most
    assert (np.diff(found) > 0).all()
    if count:
        assert found[-1] == count - 1
    if count and most > 1:
        assert found[0] == 0
        assert len(found) > min(count, most) / 2
        assert len(set(np.diff(found)[:-1])) <= 1
