"""The series of views, packed for files: what is too much, and what is not a view."""

from __future__ import annotations

import json
from typing import Any

import insight_scalar
import numpy as np
import pytest
from insight_scalar import snapshot
from insight_scalar.view_state import ViewState
from werkzeug.test import Client, TestResponse

from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host

VIEW: dict[str, Any] = {"runs": ["a", "b", "c"], "state": {}, "card": None}


@pytest.fixture
def client() -> Client:
    fake = FakeProvider()
    for run in "abc":
        fake.add_scalars(run, "loss", np.arange(100.0), wall_times=1e9 + 0.123456 * np.arange(100))
    return Client(Host(Registry.of([("scalar", lambda: insight_scalar)]), fake))


def ask(client: Client, view: object) -> TestResponse:
    return client.get("/data/plugin/scalar/snapshot", query_string={"view": json.dumps(view)})


def header(client: Client) -> dict[str, Any]:
    data = ask(client, VIEW).data
    found: dict[str, Any] = json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])
    return found


@pytest.mark.parametrize("most", [300, 299, 150, 1])
def test_times_of_all_series_are_exact_or_of_none(
    most: int, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "EXACT_TIMES", most)
    found = header(client)
    assert [(one["run"], one["count"], one["steps"]) for one in found["series"]] == [
        ("a", 100, 0), ("b", 100, 0), ("c", 100, 0),
    ]  # fmt: skip
    assert [one["times"].get("unit", 0) == 2.0**-6 for one in found["series"]] == [most < 300] * 3


def test_a_view_with_more_points_than_a_file_holds_is_refused_with_what_to_do(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "MOST_POINTS", 300)
    assert ask(client, VIEW).status_code == 200
    monkeypatch.setattr(snapshot, "MOST_POINTS", 299)
    answer = ask(client, VIEW)
    assert answer.status_code == 413
    assert "at most 299 points" in answer.text
    assert "select fewer runs" in answer.text


def test_steps_that_floats_round_are_kept_whole() -> None:
    fake = FakeProvider()
    steps = [2**53 + number for number in (0, 1, 4)]
    fake.add_scalars("a", "loss", np.arange(3.0), steps=steps)
    data = ask(
        Client(Host(Registry.of([("scalar", lambda: insight_scalar)]), fake)), VIEW | {"runs": ["a"]}
    ).data
    start = 4 + int.from_bytes(data[:4], "little")
    [written] = json.loads(data[4:start])["steps"]
    assert (written["kind"], written["count"]) == ("whole", 3)
    planes = np.frombuffer(data[start : start + 24], np.uint8).reshape(8, 3)
    assert np.ascontiguousarray(planes.T).view("<i8").ravel().tolist() == steps


@pytest.mark.parametrize(
    "view",
    [3, [], {}, VIEW | {"runs": 1}, VIEW | {"runs": "abc"}, VIEW | {"state": []}, VIEW | {"card": 1}],
)
def test_what_is_no_view_is_an_error_of_the_request(view: object, client: Client) -> None:
    assert ask(client, view).status_code == 400


@pytest.mark.parametrize(
    ("group", "state", "expression", "columns"),
    [
        ("lineage/lr;lineage/optimizer", {}, None, ["lineage/lr", "lineage/optimizer"]),
        ("lineage/lr;name~(.*)/seed%3B", {}, "(.*)/seed;", ["lineage/lr"]),
        ("path", {}, "^(?:(.*)/)?[^/]*$", None),
        ("", {"group": "(.*)_seed", "by": "lineage/lr"}, "(.*)_seed", ["lineage/lr"]),  # of the last release
        ("", {}, None, None),
    ],
)
def test_bands_of_a_view_are_those_of_its_groups(
    group: str, state: dict[str, str], expression: str | None, columns: list[str] | None
) -> None:
    view = ViewState.read(json.dumps({"runs": ["a"], "state": state, "group": group}))
    assert view.is_grouped is bool(expression or columns)
    assert (view.group_query.get("group"), view.group_query.get("by")) == (expression, columns)
