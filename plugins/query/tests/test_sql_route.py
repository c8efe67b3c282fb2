"""The routes of SQL, over HTTP: answers by column, clear refusals, a bounded number of queries at once."""

from __future__ import annotations

import threading
from typing import Any

import insight_query
import numpy as np
import pytest
from insight_query import engine
from werkzeug.test import Client, TestResponse

from insight_core.plugin.testing.fake import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host


@pytest.fixture
def client() -> Client:
    data = FakeProvider()
    data.add_scalars("a", "loss", [1.0, np.nan, 3.0])
    return Client(Host(Registry.of([("query", lambda: insight_query)]), data))


def ask(client: Client, sql: str, **more: str) -> TestResponse:
    return client.get("/data/plugin/query/sql", query_string={"sql": sql, **more})


def test_tables_are_listed_with_their_columns(client: Client) -> None:
    tables = client.get("/data/plugin/query/tables").get_json()["tables"]
    assert [table["name"] for table in tables] == ["runs", "series", "scalars", "records", "damage"]
    [step] = [column for column in tables[2]["columns"] if column["name"] == "step"]
    assert step == {"name": "step", "type": "integer", "text": "as it was written"}


def test_an_answer_has_columns_with_types_and_what_was_read(client: Client) -> None:
    sql = (
        "select run, step, value, value > 2 as big, sum(step) over () s, null n, [1] l"
        " from scalars order by step"
    )
    answer = ask(client, sql, rows="2").get_json()
    assert [(one["name"], one["type"]) for one in answer["columns"]] == [
        ("run", "text"),
        ("step", "integer"),
        ("value", "number"),
        ("big", "boolean"),
        ("s", "number"),
        ("n", "text"),
        ("l", "text"),
    ]
    assert answer["values"][:4] == [["a", "a"], [0, 1], [1.0, "NaN"], [False, True]]  # NaN is the largest
    assert answer["values"][4:] == [[3.0, 3.0], [None, None], ["[1]", "[1]"]]
    assert (answer["rows"], answer["is_cut"], answer["read"]["rows"]) == (2, True, 3)


@pytest.mark.parametrize(
    ("sql", "more", "status", "text"),
    [
        ("select lose from runs", {}, 400, 'column "lose" not found'),
        ("drop table runs", {}, 400, "only queries"),
        ("", {}, 400, "write a query"),
        ("select 1", {"rows": "0"}, 400, "rows"),
        ("select list(range) from range(1000000000)", {}, 413, "more than 512 MiB"),
    ],
)
def test_what_cannot_be_answered_says_why(
    client: Client, sql: str, more: dict[str, str], status: int, text: str
) -> None:
    answer = ask(client, sql, **more)
    assert answer.status_code == status
    assert text in answer.get_json()["error"]


def test_without_its_libraries_it_says_what_to_install(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("insight_query.routes.is_installed", lambda: False)
    answer = ask(client, "select 1")
    assert answer.status_code == 503
    assert "pip install 'insight-host[lake]'" in answer.get_json()["error"]


def test_a_third_query_at_once_is_told_to_come_again(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    running, end = threading.Semaphore(0), threading.Event()

    def slow(*arguments: Any) -> None:  # noqa: ANN401
        running.release()
        end.wait(60)
        raise engine.QueryTooLarge("ended")

    monkeypatch.setattr(engine, "run", slow)
    monkeypatch.setattr("insight_query.routes._PATIENCE", 0.05)
    threads = [threading.Thread(target=ask, args=(client, "select 1")) for _ in range(2)]
    try:
        for thread in threads:
            thread.start()
            assert running.acquire(timeout=60)
        third = ask(client, "select 1")
        assert third.status_code == 503
        assert "other queries are running" in third.get_json()["error"]
    finally:
        end.set()
        for thread in threads:
            thread.join()
