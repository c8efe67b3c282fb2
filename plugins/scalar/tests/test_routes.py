"""The scalar routes over given columns."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

import insight_scalar
import numpy as np
import pytest
from insight_scalar import formats, groups
from safetensors.numpy import load
from werkzeug.test import Client

from insight_core.plugin import RunColumn
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host
from tests.hosts import with_hooks

BASE = "/data/plugin/scalar"
NAN, INF = float("nan"), float("inf")


@pytest.fixture
def provider() -> FakeProvider:
    fake = FakeProvider()
    fake.add_scalars("a", "loss", np.array([0.1, 0.2, 0.3], np.float32), wall_times=[10.0, 11.0, 12.5])
    fake.add_scalars("b", "loss", [4.0, 3.0], steps=[10, 20])
    fake.add_scalars("b", "acc", [0.5], description="share")
    return fake


@pytest.fixture
def client(provider: FakeProvider) -> Client:
    return _client_of(provider)


def _client_of(provider: FakeProvider) -> Client:
    registry = Registry.of([("scalar", lambda: insight_scalar)])
    assert not registry.failures
    return Client(Host(registry, provider))


def _get(client: Client, route: str, **query: str | Sequence[str]) -> Any:  # noqa: ANN401
    answer = client.get(f"{BASE}{route}", query_string=_spelt(query))
    assert answer.status_code == 200, answer.data
    return json.loads(answer.data)


def _spelt(query: dict[str, Any]) -> dict[str, Any]:
    """``from`` is a word of Python: tests write ``from_``."""
    return {key.rstrip("_"): value for key, value in query.items()}


def test_tags(client: Client) -> None:
    assert _get(client, "/tags")["b"]["acc"] == {
        "display_name": "",
        "description": "share",
        "points": 1,
        "first_step": 0,
        "last_step": 0,
        "last_value": 0.5,
        "attempts": 1,
        "kept": 1,
        "claims": [],
    }


def test_series_as_json_is_exact(client: Client) -> None:
    [series] = _get(client, "/series", run="a", tag="loss")["series"]
    assert series == {
        "run": "a",
        "tag": "loss",
        "steps": [0, 1, 2],
        "wall_times": [10.0, 11.0, 12.5],
        "values": [float(np.float32(value)) for value in (0.1, 0.2, 0.3)],
        "points": 3,
        "decimated": False,
        "total": 3,
        "hidden": 0,
        "kept": 3,
        "origin": 10.0,
        "extent": [0.0, 2.0],
        "restarts": [],
        "breaks": [],
        "nonfinite": {"nan": 0, "inf": 0, "neg_inf": 0},
    }


def test_every_existing_pair_answers(client: Client) -> None:
    def pairs(**query: str | Sequence[str]) -> list[tuple[str, str]]:
        return [(entry["run"], entry["tag"]) for entry in _get(client, "/series", **query)["series"]]

    assert pairs(tag="loss") == [("a", "loss"), ("b", "loss")]
    assert pairs(run=["b", "a", "b"], tag=["acc", "loss"]) == [("b", "acc"), ("b", "loss"), ("a", "loss")]
    assert pairs(run="unknown", tag="loss") == []
    assert pairs(tag="unknown") == []


def test_safetensors_carries_the_same(client: Client) -> None:
    query = {"tag": "loss", "format": "safetensors"}
    body = client.get(f"{BASE}/series", query_string=query).data
    tensors = load(body)
    header = json.loads(body[8 : 8 + int.from_bytes(body[:8], "little")])
    described = json.loads(header["__metadata__"]["series"])
    plain = _get(client, "/series", tag="loss")["series"]
    assert len(described) == 2
    assert tensors["0.values"].dtype == np.float32
    assert tensors["1.values"].dtype == np.float64
    for index, entry in enumerate(plain):
        for name in ("steps", "wall_times", "values"):
            assert tensors[f"{index}.{name}"].tolist() == entry.pop(name)
        assert described[index] == entry


def test_safetensors_beyond_their_limit_are_refused_and_other_forms_are_not(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = client.get(f"{BASE}/series", query_string={"tag": "loss", "format": "json"}).data
    monkeypatch.setattr(formats, "MOST_BYTES", 99)  # three points of 20 bytes and two of 24
    refused = client.get(f"{BASE}/series", query_string={"tag": "loss", "format": "safetensors"})
    assert refused.status_code == 413
    assert "width=" in json.loads(refused.data)["error"]
    fewer = client.get(f"{BASE}/series", query_string={"tag": "loss", "run": "a", "format": "safetensors"})
    assert fewer.status_code == 200
    assert client.get(f"{BASE}/series", query_string={"tag": "loss", "format": "json"}).data == whole


@pytest.mark.parametrize("form", ["json", "safetensors", "csv"])
def test_nothing_found_is_an_empty_answer(client: Client, form: str) -> None:
    answer = client.get(f"{BASE}/series", query_string={"tag": "unknown", "format": form})
    assert answer.status_code == 200
    if form == "safetensors":
        assert load(answer.data) == {}
    elif form == "csv":
        assert answer.data == b"run,tag,step,wall_time,value\r\n"


def test_csv_survives_odd_names_and_numbers(client: Client, provider: FakeProvider) -> None:
    run, tag = 'a,"b"\r\nc', " 损失 "
    values = np.array([0.1, NAN, INF, -INF], np.float32)
    provider.add_scalars(run, tag, values, wall_times=[1.5, 2.0, 1e300, 0.1])
    answer = client.get(f"{BASE}/series", query_string={"tag": tag, "format": "csv"})
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    rows = list(csv.reader(io.StringIO(answer.data.decode(), newline="")))
    assert rows[0] == ["run", "tag", "step", "wall_time", "value"]
    assert {(row[0], row[1]) for row in rows[1:]} == {(run, tag)}
    assert [row[4] for row in rows[1:]] == [repr(float(np.float32(0.1))), "NaN", "Infinity", "-Infinity"]
    assert [float(row[3]) for row in rows[1:]] == [1.5, 2.0, 1e300, 0.1]


def test_values_that_are_not_finite_survive(client: Client, provider: FakeProvider) -> None:
    provider.add_scalars("n", "odd", [1.0, NAN, INF, -INF])
    [series] = _get(client, "/series", tag="odd")["series"]
    assert series["values"] == [1.0, "NaN", "Infinity", "-Infinity"]
    assert series["nonfinite"] == {"nan": 1, "inf": 1, "neg_inf": 1}
    body = client.get(f"{BASE}/series", query_string={"tag": "odd", "format": "safetensors"}).data
    np.testing.assert_array_equal(load(body)["0.values"], [1.0, NAN, INF, -INF])


def test_window_smoothing_and_attempts_reach_the_provider(client: Client, provider: FakeProvider) -> None:
    [series] = _get(client, "/series", run="a", tag="loss", x="relative", from_="0.5", to="1")["series"]
    assert series["steps"] == [1]
    provider.add_scalars("r", "restarted", [1, 2, 3, 4], steps=[0, 5, 3, 4])
    [last] = _get(client, "/series", tag="restarted")["series"]
    [everything] = _get(client, "/series", tag="restarted", attempts="all")["series"]
    assert (last["steps"], last["hidden"], last["restarts"]) == ([0, 3, 4], 1, [3])
    assert (everything["steps"], everything["breaks"]) == ([0, 5, 3, 4], [2])
    [smooth] = _get(client, "/series", run="b", tag="loss", smoothing="0.5")["series"]
    assert smooth["values"] == pytest.approx([4.0, (0.5 * 0.5 * 4 + 0.5 * 3) / 0.75])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("format", "xml"),
        ("x", "steps"),
        ("xscale", "ln"),
        ("attempts", "first"),
        ("from", "nan"),
        ("to", "inf"),
        ("from", "x"),
        ("width", "0"),
        ("width", "100001"),
        ("width", "-1"),
        ("width", "1.5"),
        ("width", "²"),
        ("width", ""),
        ("smoothing", "1"),
        ("smoothing", "-0.1"),
        ("smoothing", "nan"),
    ],
)
def test_a_wrong_parameter_is_named(client: Client, name: str, value: str) -> None:
    answer = client.get(f"{BASE}/series", query_string={"tag": "loss", name: value})
    assert answer.status_code == 400
    assert json.loads(answer.data)["error"].startswith(f"{name} must")


def test_from_after_to_is_refused(client: Client) -> None:
    answer = client.get(f"{BASE}/series", query_string={"tag": "loss", "from": "2", "to": "1"})
    assert answer.status_code == 400


def test_steps_that_javascript_rounds_are_text_where_the_page_reads_json() -> None:
    fake = FakeProvider()
    fake.add_scalars("a", "loss", [1.0, 2.0, NAN], steps=[7, 2**53 + 1, 2**63 - 1])
    client = _client_of(fake)
    steps = [
        _get(client, "/nearest", tag="loss", at=at)["points"][0]["step"]
        for at in ("7", "9007199254740992", "1e19")
    ]
    assert steps == [7, "9007199254740993", "9223372036854775807"]
    assert _get(client, "/first", tag="loss", when="nonfinite")["found"][0]["step"] == "9223372036854775807"
    assert _get(client, "/series", tag="loss")["series"][0]["steps"] == [7, 2**53 + 1, 2**63 - 1]


@pytest.mark.parametrize("route", ["/series", "/nearest?at=1", "/bands?group=x"])
def test_a_tag_is_needed(client: Client, route: str) -> None:
    answer = client.get(f"{BASE}{route}")
    assert (answer.status_code, json.loads(answer.data)) == (
        400,
        {"error": "tag is missing", "code": "missing_parameter", "details": {"name": "tag"}},
    )


def test_nearest_is_exact(client: Client) -> None:
    points = _get(client, "/nearest", tag="loss", at="14")["points"]
    assert [(point["run"], point["step"], point["value"]) for point in points] == [
        ("a", 2, float(np.float32(0.3))),
        ("b", 10, 4.0),
    ]
    assert points[0]["smoothed"] == points[0]["value"]
    [smooth] = _get(client, "/nearest", run="b", tag="loss", at="20", smoothing="0.5")["points"]
    assert (smooth["value"], smooth["smoothed"]) == (3.0, pytest.approx(10 / 3))
    assert client.get(f"{BASE}/nearest", query_string={"tag": "loss"}).status_code == 400
    assert client.get(f"{BASE}/nearest", query_string={"tag": "loss", "at": "nan"}).status_code == 400


def test_bands_group_runs_by_what_the_pattern_captures(client: Client, provider: FakeProvider) -> None:
    for run, values in (
        ("lr1/seed0", [0, 2]),
        ("lr1/seed1", [2, 4]),
        ("lr2/seed0", [9, 9]),
        ("other", [0, 0]),
    ):
        provider.add_scalars(run, "t", values)
    groups = _get(client, "/bands", tag="t", group=r"(lr\d)/seed")["groups"]
    assert [(group["group"], group["runs"]) for group in groups] == [
        ("lr1", ["lr1/seed0", "lr1/seed1"]),
        ("lr2", ["lr2/seed0"]),
    ]
    assert groups[0] == {
        "group": "lr1",
        "tag": "t",
        "runs": ["lr1/seed0", "lr1/seed1"],
        "x": [0.0, 1.0],
        "centre": [1.0, 3.0],
        "low": [0.0, 2.0],
        "high": [2.0, 4.0],
        "count": [2, 2],
        "points": 2,
        "decimated": False,
    }
    both = _get(client, "/bands", tag="t", group=r"lr(\d)/seed(\d)?")["groups"]
    assert [group["group"] for group in both] == ["1/0", "1/1", "2/0"]
    whole = _get(client, "/bands", tag="t", group="lr.")["groups"]
    assert [group["group"] for group in whole] == ["lr1", "lr2"]
    spread = _get(client, "/bands", tag="t", group="lr1", spread="std")["groups"][0]
    assert (spread["low"], spread["high"]) == ([0.0, 2.0], [2.0, 4.0])


def _configured(provider: FakeProvider) -> Client:
    """A host with two run columns: four runs, of which one has no learning rate."""
    rates = {"s0": 0.1, "s1": 0.1, "s2": 0.5}
    columns = [
        RunColumn("lr", "lr", lambda data, runs: rates, kind="number"),
        RunColumn("fast", "Fast", lambda data, runs: {"s0": True, "s1": False, "s2": True, "s3": True}),
    ]
    for number, run in enumerate(("s0", "s1", "s2", "s3")):
        provider.add_scalars(run, "t", [number, 2 * number])
    module = with_hooks(run_columns=lambda: columns)
    registry = Registry.of([("scalar", lambda: insight_scalar), ("configs", lambda: module)])
    return Client(Host(registry, provider))


def test_runs_are_grouped_by_columns_of_the_run_table(provider: FakeProvider) -> None:
    client = _configured(provider)
    listed = [one for one in _get(client, "/columns")["columns"] if one["key"].startswith("configs/")]
    assert [(column["key"], column["values"], column["runs"]) for column in listed] == [
        ("configs/lr", 2, 3),
        ("configs/fast", 2, 4),
    ]
    bands = _get(client, "/bands", tag="t", by="configs/lr", centre="median", spread="iqr")["groups"]
    assert [(band["group"], band["runs"]) for band in bands] == [
        ("lr=0.1", ["s0", "s1"]),
        ("lr=0.5", ["s2"]),
        ("lr=-", ["s3"]),
    ]
    assert (bands[0]["centre"], bands[0]["low"], bands[0]["high"]) == ([0.5, 1.0], [0.25, 0.5], [0.75, 1.5])
    both = _get(client, "/groups", by=["configs/lr", "configs/fast"], group="s[0-2]")["groups"]
    assert [entry["group"] for entry in both] == [
        "s0 · lr=0.1 · Fast=true",
        "s1 · lr=0.1 · Fast=false",
        "s2 · lr=0.5 · Fast=true",
    ]


def test_columns_that_are_named_come_with_their_cells(provider: FakeProvider) -> None:
    client = _configured(provider)
    found = _get(client, "/columns", column=["configs/lr", "configs/unknown"])["columns"]
    assert [(one["key"], one["cells"]) for one in found] == [
        ("configs/lr", {"s0": 0.1, "s1": 0.1, "s2": 0.5})
    ]
    assert all("cells" not in one for one in _get(client, "/columns")["columns"])


def test_a_plugin_that_cannot_give_its_columns_is_named(provider: FakeProvider) -> None:
    def fail(data: object, runs: object) -> Any:  # noqa: ANN401
        raise ValueError("no such file")

    module = with_hooks(run_columns=lambda: [RunColumn("lr", "lr", fail)])
    registry = Registry.of([("scalar", lambda: insight_scalar), ("configs", lambda: module)])
    answer = Client(Host(registry, provider)).get(f"{BASE}/groups", query_string={"by": "configs/lr"})
    assert answer.status_code == 503
    assert "plugin configs: ValueError: no such file" in answer.get_json()["error"]


def test_bands_show_the_last_attempt_of_a_run_that_began_again(provider: FakeProvider) -> None:
    again = np.array([0.0, 9.0, 9.0, 1.0, 2.0])
    provider.add_scalars("a/seed0", "t", again, steps=[0, 1, 2, 1, 2])
    provider.add_scalars("a/seed1", "t", [0.0, 3.0, 4.0], steps=[0, 1, 2])
    [band] = _get(_client_of(provider), "/bands", tag="t", group="a", spread="sem")["groups"]
    kept = np.array([[0.0, 1.0, 2.0], [0.0, 3.0, 4.0]])
    error = kept.std(axis=0, ddof=1) / np.sqrt(2)
    assert band["centre"] == kept.mean(axis=0).tolist()
    assert band["high"] == pytest.approx((kept.mean(axis=0) + error).tolist())


def test_a_grouping_can_be_tried_without_reading_a_point(client: Client, provider: FakeProvider) -> None:
    for run in ("lr1/seed0", "lr1/seed1", "lr2/seed0"):
        provider.add_scalars(run, "t", [0])
    groups = _get(client, "/groups", group=r"(lr\d)/seed")["groups"]
    assert groups == [{"group": "lr1", "runs": 2}, {"group": "lr2", "runs": 1}]
    assert _get(client, "/groups", group="nothing like it")["groups"] == []
    refused = client.get(f"{BASE}/groups", query_string={"group": "lr("})
    assert refused.status_code == 400
    assert "group is not a regular expression" in refused.get_json()["error"]


def test_a_pattern_that_needs_time_without_end_is_refused(
    client: Client, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.add_scalars("a" * 60, "t", [0])
    monkeypatch.setattr(groups, "MAX_MATCHING", 0.3)
    answer = client.get(f"{BASE}/bands", query_string={"tag": "t", "group": "(a|aa)+$(?<!a)"})
    assert answer.status_code == 400
    assert "too long" in answer.get_json()["error"]


def test_bands_as_safetensors(client: Client) -> None:
    query = {"tag": "loss", "group": "", "format": "safetensors"}
    body = client.get(f"{BASE}/bands", query_string=query).data
    tensors = load(body)
    assert tensors["0.x"].tolist() == [0, 1, 2, 10, 20]
    assert tensors["0.count"].dtype == np.int64
    header = json.loads(body[8 : 8 + int.from_bytes(body[:8], "little")])
    [group] = json.loads(header["__metadata__"]["groups"])
    assert (group["group"], group["runs"], group["points"]) == ("", ["a", "b"], 5)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ({"group": "("}, "group is not a regular expression"),
        ({"group": "a" * 201}, "group must have at most 200"),
        ({}, "group is missing"),
        ({"group": "a", "spread": "range"}, "spread must be minmax or std or sem"),
        ({"group": "a", "centre": "mode"}, "centre must be mean or median"),
        ({"group": "a", "centre": "median", "spread": "ci95"}, "spread ci95 lies around the mean"),
        ({"by": "lineage/lr"}, "by: no run has a column 'lineage/lr'"),
        ({"group": "a", "format": "csv"}, "format must be json or safetensors"),
    ],
)
def test_wrong_parameters_of_bands(client: Client, query: dict[str, str], text: str) -> None:
    answer = client.get(f"{BASE}/bands", query_string={"tag": "loss"} | query)
    assert answer.status_code == 400
    assert json.loads(answer.data)["error"].startswith(text)
