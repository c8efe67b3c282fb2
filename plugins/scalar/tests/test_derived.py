"""Derived series over HTTP: expressions and smoothers, against numpy on full data."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import insight_scalar
import numpy as np
import pytest
from insight_scalar.smoothers import smoothed
from werkzeug.test import Client

from insight_core.ingest.logdir import Logdir
from insight_core.plugin.data import DataProvider
from insight_core.plugin.testing import EventWriter, FakeProvider
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.web import Host

NAN, INF = math.nan, math.inf


def _client(provider: DataProvider) -> Client:
    return Client(Host(Registry.of([("scalar", lambda: insight_scalar)]), provider))


def _get(client: Client, route: str, **query: str | float | Sequence[str]) -> Any:  # noqa: ANN401
    parameters = {key.rstrip("_"): value for key, value in query.items()}
    answer = client.get(f"/data/plugin/scalar/{route}", query_string=parameters)
    assert answer.status_code == 200, answer.data
    return json.loads(answer.data)


@pytest.fixture
def uneven() -> Client:
    fake = FakeProvider()
    fake.add_scalars("a", "train/loss", [9.0, 4.0, NAN, 1.0, 0.5], steps=[0, 1, 2, 3, 4])
    fake.add_scalars("a", "val/loss", [10.0, 2.0, 2.0], steps=[0, 3, 9], wall_times=[5.0, 6.0, 7.0])
    fake.add_scalars("again", "train/loss", [1.0, 2.0, 3.0, 5.0, 6.0], steps=[0, 1, 2, 1, 2])
    fake.add_scalars("again", "val/loss", [1.0, 1.0, 1.0, 4.0], steps=[0, 1, 2, 2])
    fake.add_scalars("other", "train/loss", [1.0], steps=[0])
    return _client(fake)


def test_tags_are_aligned_at_the_steps_that_all_of_them_have(uneven: Client) -> None:
    tag = "=train/loss - val/loss"
    found = _get(uneven, "series", tag=tag)["series"]
    assert [(one["run"], one["tag"], one["steps"], one["values"]) for one in found] == [
        ("a", tag, [0, 3], [-1.0, -1.0]),
        ("again", tag, [0, 1, 2], [0.0, 4.0, 2.0]),
    ]


def test_restarts_are_those_of_the_tags() -> None:
    # without them a page takes the points of the earlier attempt for those of the new one
    fake = FakeProvider()
    fake.add_scalars("a", "x", [1.0] * 5, steps=[0, 1, 2, 1, 2])
    fake.add_scalars("a", "y", [1.0] * 7, steps=[0, 1, 2, 0, 1, 2, 1])
    client = _client(fake)
    restarts = {tag: _get(client, "series", tag=tag)["series"][0]["restarts"] for tag in ("x", "y")}
    assert restarts == {"x": [1], "y": [0, 1]}
    [one] = _get(client, "series", tag="=x + y")["series"]
    assert one["restarts"] == [0, 1]


def test_nan_and_infinities_are_values_and_counted(uneven: Client) -> None:
    [one] = _get(uneven, "series", run="a", tag='=1 / ("train/loss" - 4)')["series"]
    assert one["values"] == [0.2, "Infinity", "NaN", -1 / 3, pytest.approx(-1 / 3.5)]
    assert one["nonfinite"] == {"nan": 1, "inf": 1, "neg_inf": 0}


def test_cumulative_functions_and_variables(uneven: Client) -> None:
    [one] = _get(uneven, "series", run="a", tag='=cumsum("val/loss") * step')["series"]
    assert one["values"] == [0.0, 36.0, 126.0]
    [relative] = _get(uneven, "series", run="a", tag='=relative + 0 * "val/loss"')["series"]
    assert relative["values"] == [0.0, 1.0, 2.0]


def test_windows_nearest_points_and_bands_are_those_of_any_series(uneven: Client) -> None:
    tag = "=train/loss * 2"
    [one] = _get(uneven, "series", run="a", tag=tag, from_=1, to=3)["series"]
    assert (one["steps"], one["extent"]) == ([1, 2, 3], [0.0, 4.0])
    [point] = _get(uneven, "nearest", run="a", tag=tag, at=3.4)["points"]
    assert (point["step"], point["value"]) == (3, 2.0)
    [band] = _get(uneven, "bands", tag=tag, group="a", run=["a", "again"])["groups"]
    assert (band["x"], band["centre"][0]) == ([0.0, 1.0, 2.0, 3.0, 4.0], 10.0)


def test_runs_without_the_tags_of_an_expression_are_in_no_group_and_not_counted(uneven: Client) -> None:
    query = {"tag": '="val/loss" * 2', "group": "."}
    found = _get(uneven, "bands", **query)["groups"]
    assert [(band["group"], band["runs"]) for band in found] == [("a", ["a", "again"])]
    answer = _get(uneven, "first", tag=query["tag"], when="above", value=7)
    assert (answer["series"], [point["run"] for point in answer["found"]]) == (2, ["a", "again"])


def test_an_expression_can_be_tried(uneven: Client) -> None:
    found = _get(uneven, "expression", text="train/loss-val/loss")
    assert found == {"text": '"train/loss" - "val/loss"', "tags": ["train/loss", "val/loss"]}
    refused = uneven.get("/data/plugin/scalar/expression", query_string={"text": "train/loss -"})
    assert refused.status_code == 400
    assert refused.get_json()["code"] == "expression_end"
    assert refused.get_json()["details"] == {"position": 13}
    series = uneven.get("/data/plugin/scalar/series", query_string={"tag": "=loss("})
    assert (series.status_code, series.get_json()["code"]) == (400, "expression_name")


def test_a_tag_that_begins_with_the_sign_is_itself() -> None:
    fake = FakeProvider()
    fake.add_scalars("a", "=loss", [1.0])
    assert _get(_client(fake), "series", tag="=loss")["series"][0]["values"] == [1.0]


@pytest.fixture
def long(tmp_path: Path) -> Iterator[tuple[Client, np.ndarray[Any, Any]]]:
    rng = np.random.default_rng(5)
    values = rng.normal(size=20_000).astype(np.float32)
    values[[17, 4000, 4001, 9000]] = [NAN, INF, -INF, 1e30]
    with EventWriter(tmp_path / "run") as writer:
        writer.scalar_block(["t"], np.arange(20_000) * 3, values[:, None])
    registry = Registry.of([("scalar", lambda: insight_scalar)])
    provider = LocalProvider([Logdir(str(tmp_path))], registry.plugins.values(), reload_interval=0)
    provider.load()
    yield Client(Host(registry, provider)), values
    provider.close()


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"width": 300},
        {"width": 300, "from": 9000, "to": 31_000},
        {"width": 77, "xscale": "log", "from": 10},
        {"width": 50, "x": "relative"},
        {"width": 50, "x": "wall"},
        {"smoothing": 0.9, "width": 100},
    ],
)
def test_derived_series_are_reduced_as_recorded_ones_are(
    long: tuple[Client, np.ndarray[Any, Any]], query: dict[str, Any]
) -> None:
    client, _ = long
    [recorded] = _get(client, "series", tag="t", **query)["series"]
    [derived] = _get(client, "series", tag='="t"', **query)["series"]
    assert derived.pop("tag") == '="t"'
    assert recorded.pop("tag") == "t"
    for one in (recorded, derived):
        one["values"] = np.array(one["values"], float)
    np.testing.assert_allclose(derived.pop("values"), recorded.pop("values"), rtol=1e-9, atol=1e-12)
    assert derived == recorded


@pytest.mark.parametrize("smoother", ["twema", "gaussian", "mean"])
def test_smoothers_work_on_every_point(long: tuple[Client, np.ndarray[Any, Any]], smoother: Any) -> None:  # noqa: ANN401
    client, values = long
    expected = smoothed(values.astype(float), np.arange(20_000.0) * 3, smoother, 0.9)
    [whole] = _get(client, "series", tag="t", smoothing=0.9, smoother=smoother)["series"]
    np.testing.assert_array_equal(np.array(whole["values"], float), expected)
    [few] = _get(client, "series", tag="t", smoothing=0.9, smoother=smoother, width=20)["series"]
    places = np.array(few["steps"]) // 3
    assert len(places) <= 20 * 7
    np.testing.assert_array_equal(np.array(few["values"], float), expected[places])
    assert {17, 4000, 4001} <= set(places.tolist())
    finite = expected[np.isfinite(expected)]
    kept = np.array(few["values"], float)
    kept = kept[np.isfinite(kept)]
    assert (kept.min(), kept.max()) == (finite.min(), finite.max())


def test_each_attempt_is_smoothed_by_itself() -> None:
    fake = FakeProvider()
    fake.add_scalars("a", "t", [1.0, 2.0, 3.0, 100.0, 200.0], steps=[0, 1, 2, 0, 1])
    client = _client(fake)
    [one] = _get(client, "series", tag="t", attempts="all", smoothing=0.5, smoother="mean")["series"]
    assert one["values"] == [1.5, 2.0, 2.5, 150.0, 150.0]
    assert one["breaks"] == [3]


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_smoothed_attempts_are_reduced_in_the_columns_of_recorded_ones(tmp_path: Path, scale: str) -> None:
    steps = np.concatenate([np.arange(2000), np.arange(300, 600)])
    values = np.random.default_rng(1).normal(size=len(steps)).astype(np.float32)
    with EventWriter(tmp_path / "run") as writer:
        writer.scalar_block(["t"], steps, values[:, None])
    registry = Registry.of([("scalar", lambda: insight_scalar)])
    provider = LocalProvider([Logdir(str(tmp_path))], registry.plugins.values(), reload_interval=0)
    provider.load()
    query: dict[str, Any] = {"tag": "t", "attempts": "all", "width": 40, "xscale": scale}
    client = Client(Host(registry, provider))
    [recorded] = _get(client, "series", **query)["series"]
    [barely] = _get(client, "series", **query, smoothing=1e-9, smoother="gaussian")["series"]
    provider.close()
    assert barely["steps"] == recorded["steps"]
    assert barely["breaks"] == recorded["breaks"]
