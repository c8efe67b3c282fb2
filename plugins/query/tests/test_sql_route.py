"""The routes of SQL, over HTTP: answers by column, clear refusals, a bounded number of queries at once."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from typing import Any

import insight_query
import numpy as np
import pytest
from insight_query import asking
from insight_query.limits import QueryLimits
from insight_query.pushed_filter import PushedFilter
from werkzeug.test import Client, TestResponse

from insight_core.plugin import NotFound
from insight_core.plugin.http import READ_ONLY
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host


@pytest.fixture
def client() -> Iterator[Client]:
    data = FakeProvider()
    data.add_scalars("a", "loss", [1.0, np.nan, 3.0])
    host = Host(Registry.of([("query", lambda: insight_query)]), data)
    yield Client(host)
    host.close()


def ask(client: Client, sql: str, **more: str) -> TestResponse:
    return client.get("/data/plugin/query/sql", query_string={"sql": sql, **more})


def test_tables_are_listed_with_their_columns(client: Client) -> None:
    tables = client.get("/data/plugin/query/tables").get_json()["tables"]
    assert [table["name"] for table in tables] == [
        "runs",
        "series",
        "scalars",
        "summaries",
        "records",
        "damage",
    ]
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
        ("s", "integer"),
        ("n", "text"),
        ("l", "text"),
    ]
    assert answer["values"][:4] == [["a", "a"], [0, 1], [1.0, "NaN"], [False, True]]  # NaN is the largest
    assert answer["values"][4:] == [[3, 3], [None, None], ["[1]", "[1]"]]
    assert (answer["rows"], answer["is_cut"], answer["read"]["rows"]) == (2, True, 3)


@pytest.mark.parametrize(
    ("sql", "more", "status", "text"),
    [
        ("select lose from runs", {}, 400, 'column "lose" not found'),
        ("drop table runs", {}, 400, "only queries"),
        ("", {}, 400, "write a query"),
        ("select 1", {"rows": "0"}, 400, "rows"),
        ("select list(range) from range(1000000000)", {}, 413, "more than 512 MiB"),
        ("select length(repeat('a', 1000000000))", {}, 413, "more than 512 MiB"),
        ("select sum(length(repeat(chr(65 + i::int), 100000000))) from range(20) t(i)", {}, 413, "512 MiB"),
        ("select repeat('a', 100000) || range from range(1000)", {}, 413, "more than 32 MiB"),
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
    assert "pip install 'insight-host[sql]'" in answer.get_json()["error"]


def test_a_query_that_nothing_interrupts_is_ended(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "_LIMITS", QueryLimits(seconds=0.5))
    monkeypatch.setattr(asking, "GRACE", 1.0)
    words = "select repeat('ab', 100000) a, repeat('ba', 100000) b"  # one call compares two long words
    answer = ask(client, f"select levenshtein(a, b) from ({words})")
    assert (answer.status_code, "ended after 0.5 s" in answer.get_json()["error"]) == (413, True)


def test_dates_of_any_year_are_texts(client: Client) -> None:
    answer = ask(client, "select date '0044-03-15 (BC)' d, timestamp '12026-01-02 03:04:05' t, [1.5, null] l")
    assert answer.get_json()["values"] == [["0044-03-15 (BC)"], ["12026-01-02 03:04:05"], ["[1.5, NULL]"]]
    answer = ask(client, "select * from test_all_types()")
    assert (answer.status_code, answer.get_json()["rows"]) == (200, 3)


def test_integers_that_a_page_would_round_are_texts_of_their_digits(client: Client) -> None:
    answer = ask(
        client,
        "select x, sum(x) over () s, -x::hugeint h, x % 10 d, 0.1 + x % 10 f"
        " from (values (9007199254740993), (9007199254740991)) t(x)",
    ).get_json()
    assert [one["type"] for one in answer["columns"]] == ["integer"] * 4 + ["number"]
    assert answer["values"] == [
        ["9007199254740993", 9007199254740991],
        ["18014398509481984"] * 2,
        ["-9007199254740993", -9007199254740991],
        [3, 1],
        [3.1, 1.1],
    ]


def test_only_what_a_query_needs_is_read(client: Client) -> None:
    answer = ask(client, "select step from scalars where run = 'a' and tag = 'none' and value > 0").get_json()
    assert (answer["values"], answer["read"]) == ([[]], {"rows": 0, "bytes": 0})
    answer = ask(client, "select count(*) c from scalars s join runs r using (run)").get_json()
    assert (answer["values"], answer["read"]["rows"]) == ([[3]], 4)


def test_the_host_spends_no_time_on_a_long_condition(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []
    before = PushedFilter._possible

    def possible(self: PushedFilter, guarantees: Iterable[Any]) -> list[int]:
        tried.append(str(self.filter))
        return before(self, guarantees)

    monkeypatch.setattr(PushedFilter, "_possible", possible)
    condition = " or ".join(f"(step > {2 * i + 1} and step < {2 * i + 3})" for i in range(300))
    answer = ask(client, f"select run, value from scalars where {condition}").get_json()
    assert (answer["values"], answer["read"]["rows"]) == ([["a"], [3.0]], 3)
    assert tried == []
    assert ask(client, "select value from scalars where step = 2").get_json()["values"] == [[3.0]]
    assert tried != []


def test_a_table_that_cannot_be_read_says_why(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise NotFound("the run is gone")

    monkeypatch.setattr("insight_query.log_tables.runs", broken)
    answer = ask(client, "select * from runs")
    assert (answer.status_code, answer.get_json()["error"]) == (404, "the run is gone")


_BROWSER = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64)"}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),  # a program
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "none"}, 200),  # typed by the user
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),  # another port of this machine
        ({**_BROWSER, "Referer": "http://localhost/?tab=query"}, 200),  # plain HTTP beyond this machine
        ({**_BROWSER, "Referer": "http://other.example/"}, 403),
        ({**_BROWSER, "Origin": "null"}, 403),
        (_BROWSER, 403),
    ],
)
def test_a_page_of_another_site_starts_no_query(client: Client, headers: dict[str, str], status: int) -> None:
    for method in (client.get, client.post):
        if method == client.post and headers.get("Sec-Fetch-Site") == "same-site":
            continue
        given = method("/data/plugin/query/sql?sql=select+1", headers=headers)
        assert given.status_code == status


def test_a_third_query_at_once_is_told_to_come_again_and_guests_have_a_queue_of_their_own(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    running, end = threading.Semaphore(0), threading.Event()

    def slow(*arguments: Any) -> bytes:  # noqa: ANN401
        running.release()
        end.wait(60)
        return b"{}"

    def ask_as_guest() -> TestResponse:
        return client.get(
            "/data/plugin/query/sql", query_string={"sql": "select 1"}, environ_overrides={READ_ONLY: True}
        )

    monkeypatch.setattr(asking, "ask", slow)
    monkeypatch.setattr("insight_query.routes._PATIENCE", 0.05)
    threads = [threading.Thread(target=ask, args=(client, "select 1")) for _ in range(2)]
    threads.append(threading.Thread(target=ask_as_guest))
    for thread in threads:
        thread.start()
    try:
        for _ in threads:
            assert running.acquire(timeout=60)
        for answer in (ask(client, "select 1"), ask_as_guest()):
            assert answer.status_code == 503
            assert "other queries are running" in answer.get_json()["error"]
    finally:
        end.set()
        for thread in threads:
            thread.join()
