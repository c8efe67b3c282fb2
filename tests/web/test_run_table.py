"""``/data/run_table`` answers a client that has the table with what changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from werkzeug.test import Client

from insight_core.plugin.data import Run
from insight_core.plugin.testing import FakeProvider
from insight_core.web import Host, run_table


@pytest.fixture
def client(host_of: Callable[..., Host]) -> Client:
    return Client(host_of())


def ask(client: Client, **query: str) -> dict[str, Any]:
    answer = client.get("/data/run_table", query_string=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json or {}
    return found


def names(table: Mapping[str, Any]) -> Sequence[str]:
    return [run["name"] for run in table["runs"]]


def applied(before: Mapping[str, Any], delta: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rows that a client has after a delta."""
    left = {*delta["gone"], *names(delta)}
    rows = [run for run in before["runs"] if run["name"] not in left]
    for place, run in zip(delta["places"], delta["runs"], strict=True):
        rows.insert(place, run)
    return rows


def test_a_client_that_has_the_table_gets_the_runs_that_came_or_changed(
    client: Client, provider: FakeProvider
) -> None:
    before = ask(client)
    assert "places" not in before
    provider.add_run(Run("later", start_time=1e12))
    provider.add_run(Run(before["runs"][0]["name"], start_time=before["runs"][0]["start_time"], damage=3))
    delta = ask(client, since=before["cursor"])
    assert sorted(names(delta)) == sorted(["later", before["runs"][0]["name"]])
    assert delta["gone"] == []
    assert applied(before, delta) == ask(client)["runs"]
    assert names(ask(client, since=delta["cursor"])) == []


def test_runs_that_are_gone_are_named(
    client: Client, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.add_run(Run("third"))
    before, kept = ask(client), provider.runs()
    monkeypatch.setattr(provider, "runs", lambda: kept[1:])
    delta = ask(client, since=before["cursor"])
    assert (names(delta), delta["gone"]) == ([], [kept[0].name])
    monkeypatch.setattr(provider, "runs", lambda: kept)  # one that came back is not gone any more
    again = ask(client, since=before["cursor"])
    assert (names(again), again["gone"]) == ([kept[0].name], [])


def test_changes_that_another_page_saw_first_are_not_missed(client: Client, provider: FakeProvider) -> None:
    first = ask(client)
    provider.add_run(Run("new"))
    second = ask(client)  # of another page
    provider.add_run(Run("newer"))
    assert names(ask(client, since=second["cursor"])) == ["newer"]
    assert set(names(ask(client, since=first["cursor"]))) == {"new", "newer"}


@pytest.mark.parametrize("cursor", ["other-1", "999999"])
def test_a_cursor_of_another_process_gives_all_runs(
    client: Client, provider: FakeProvider, cursor: str
) -> None:
    ask(client)
    assert ask(client, since=cursor) == ask(client)


def test_a_client_that_is_too_far_behind_gets_all_runs(
    client: Client, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_table, "_MOST_GONE", 0)
    before, kept = ask(client), provider.runs()
    monkeypatch.setattr(provider, "runs", lambda: kept[1:])
    after = ask(client, since=before["cursor"])
    assert "places" not in after
    assert names(after) == [run.name for run in kept[1:]]


def test_a_malformed_cursor_is_an_error(client: Client) -> None:
    assert client.get("/data/run_table?since=x").status_code == 400


def test_columns_of_a_delta_have_a_cell_for_each_of_its_runs(client: Client, provider: FakeProvider) -> None:
    before = ask(client)
    provider.add_run(Run("new", start_time=5.0))
    delta = ask(client, since=before["cursor"], columns="name")
    assert [column["values"] for column in delta["columns"]] == [["new"]]
