"""Series along a metric instead of the step, against numpy on full data."""

from __future__ import annotations

import csv
import json
from typing import Any

import insight_scalar
import numpy as np
import pytest
from werkzeug.test import Client

from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host

TOKENS = '="tokens"'


def _client(fake: FakeProvider) -> Client:
    return Client(Host(Registry.of([("scalar", lambda: insight_scalar)]), fake))


def _text(client: Client, route: str, **query: object) -> str:
    parameters = {key.rstrip("_"): value for key, value in query.items()}
    answer = client.get(f"/data/plugin/scalar/{route}", query_string=parameters)
    assert answer.status_code == 200, answer.data
    return answer.get_data(as_text=True)


def _series(client: Client, **query: object) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(_text(client, "series", **query))["series"]
    return found


@pytest.fixture
def small() -> Client:
    fake = FakeProvider()
    fake.add_scalars("a", "loss", [5.0, 4.0, 3.0, 2.0, 1.0], steps=[0, 1, 2, 3, 4])
    fake.add_scalars("a", "tokens", [10.0, 30.0, np.nan, 40.0, 50.0], steps=[0, 1, 2, 4, 9])
    fake.add_scalars("b", "loss", [7.0, 6.0], steps=[0, 1])
    return _client(fake)


def test_points_are_joined_by_step_and_a_run_without_the_metric_has_none(small: Client) -> None:
    a, b = _series(small, tag="loss", x=TOKENS)
    assert (a["steps"], a["xs"], a["values"]) == ([0, 1, 4], [10.0, 30.0, 40.0], [5.0, 4.0, 1.0])
    assert (a["extent"], a["total"], a["points"]) == ([10.0, 40.0], 3, 3)
    assert (b["steps"], b["xs"], b["total"]) == ([], [], 0)


def test_an_expression_is_an_axis_too(small: Client) -> None:
    [a, _] = _series(small, tag="loss", x="=tokens / 10 + step")
    assert a["xs"] == [1.0, 4.0, 8.0]
    answer = small.get("/data/plugin/scalar/series", query_string={"tag": "loss", "x": "=tokens +"})
    assert (answer.status_code, json.loads(answer.data)["code"][:11]) == (400, "expression_")


def test_the_window_and_the_nearest_point_are_those_of_the_metric(small: Client) -> None:
    [a, _] = _series(small, tag="loss", x=TOKENS, from_=20, to=35)
    assert (a["xs"], a["points"], a["extent"]) == ([30.0], 1, [10.0, 40.0])
    [point] = json.loads(_text(small, "nearest", tag="loss", x=TOKENS, at=38, run="a"))["points"]
    assert (point["step"], point["x"], point["value"]) == (4, 40.0, 1.0)


def test_a_saved_file_has_the_metric_in_a_column(small: Client) -> None:
    rows = list(csv.reader(_text(small, "series", tag="loss", x=TOKENS, format="csv").splitlines()))
    assert rows[0] == ["run", "tag", "step", "wall_time", "value", '"tokens"']
    assert [(row[2], row[4], row[5]) for row in rows[1:]] == [
        ("0", "5.0", "10.0"),
        ("1", "4.0", "30.0"),
        ("4", "1.0", "40.0"),
    ]
    assert _text(small, "series", tag="loss", format="csv").startswith("run,tag,step,wall_time,value\r\n")


def test_attempts_stay_apart() -> None:
    fake = FakeProvider()
    fake.add_scalars("a", "loss", [5.0, 4.0, 3.0, 9.0, 8.0], steps=[0, 1, 2, 1, 2])
    fake.add_scalars("a", "tokens", [0.0, 10.0, 20.0], steps=[0, 1, 2])
    [a] = _series(_client(fake), tag="loss", x=TOKENS, attempts="all")
    assert (a["xs"], a["breaks"]) == ([0.0, 10.0, 20.0, 10.0, 20.0], [3])


def test_a_metric_that_goes_back_is_a_path_in_the_order_of_steps() -> None:
    fake = FakeProvider()
    angle = np.linspace(0, 6 * np.pi, 30_001)
    steps = list(range(len(angle)))
    fake.add_scalars("a", "loss", np.sin(angle), steps=steps)
    fake.add_scalars("a", "tokens", np.cos(angle), steps=steps)
    client = _client(fake)
    [whole] = _series(client, tag="loss", x=TOKENS)
    assert whole["xs"] == np.cos(angle).tolist()
    [a] = _series(client, tag="loss", x=TOKENS, width=100)
    assert a["decimated"]
    assert len(a["steps"]) <= 4 * 100 + 4
    assert a["steps"] == sorted(a["steps"])
    assert np.diff(a["steps"]).max() < 30_001 / 100 * 1.1  # no part of the path is left out
    radius = np.hypot(a["xs"], a["values"])
    assert np.allclose(radius, 1, atol=1e-6)


def test_parts_of_a_path_that_a_window_shows_are_not_joined() -> None:
    fake = FakeProvider()
    there_and_back = [0.0, 1.0, 2.0, 3.0, 4.0, 3.0, 2.0, 1.0, 0.0]
    fake.add_scalars("a", "loss", list(range(9)))
    fake.add_scalars("a", "tokens", there_and_back)
    [a] = _series(_client(fake), tag="loss", x=TOKENS, from_=-0.5, to=1.5)
    assert a["xs"] == [0.0, 1.0, 2.0, 2.0, 1.0, 0.0]  # with the next point beyond the edge
    assert a["breaks"] == [3]


def test_smoothing_is_in_the_order_of_steps() -> None:
    fake = FakeProvider()
    fake.add_scalars("a", "loss", [0.0, 8.0, 0.0, 8.0])
    fake.add_scalars("a", "tokens", [3.0, 1.0, 2.0, 0.0])
    client = _client(fake)
    for smoother in ("ema", "twema", "mean"):
        [plain] = _series(client, tag="loss", smoothing=0.5, smoother=smoother)
        [along] = _series(client, tag="loss", smoothing=0.5, smoother=smoother, x=TOKENS)
        assert along["values"] == plain["values"]


def test_groups_have_bands_along_the_metric() -> None:
    fake = FakeProvider()
    for run, rate in (("a1", 1.0), ("a2", 2.0)):
        fake.add_scalars(run, "loss", [0.0, 2.0, 4.0], steps=[0, 1, 2])
        fake.add_scalars(run, "tokens", [0.0, 2.0 * rate, 4.0 * rate], steps=[0, 1, 2])
    client = _client(fake)
    [band] = json.loads(_text(client, "bands", tag="loss", x=TOKENS, group="^(.)"))["groups"]
    assert band["x"] == [0.0, 2.0, 4.0, 8.0]
    assert band["centre"] == [0.0, 1.5, 3.0, 4.0]
    assert band["count"] == [2, 2, 2, 1]
