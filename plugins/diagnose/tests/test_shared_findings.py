"""Which clients share an answer about findings, and which have the runs examined again."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

import insight_diagnose
from insight_diagnose import shared_findings
from insight_diagnose.shared_findings import FindingsAnswer, SharedFindings
from werkzeug.test import Client

from insight_core.plugin import ReasonKind
from insight_core.plugin.findings import Examined, Finding, Rule
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host
from tests.hosts import with_hooks
from tests.waiting import PATIENCE


class _Rules:
    """Answers with the number of times that it was asked."""

    def __init__(self, *, is_whole: bool = True) -> None:
        self.asked: list[float | None] = []
        self.is_whole = is_whole

    def ask(self, seconds: float | None) -> FindingsAnswer:
        self.asked.append(seconds)
        return FindingsAnswer(b"%d" % len(self.asked), self.is_whole)


def test_a_client_that_takes_older_answers_receives_that_of_another_one() -> None:
    rules, shared = _Rules(), SharedFindings()
    assert shared.body("question", rules.ask, 5.0) == b"1"
    assert shared.body("question", rules.ask, 5.0, age=PATIENCE) == b"1"
    assert shared.body("other", rules.ask, 5.0, age=PATIENCE) == b"2"
    assert (
        shared.body("question", rules.ask, 5.0) == b"3"
    )  # this one takes none that was begun before it came
    assert shared.body("question", rules.ask, 5.0, age=PATIENCE) == b"3"


def test_an_answer_that_leaves_something_is_not_kept_for_the_next_client() -> None:
    rules, shared = _Rules(is_whole=False), SharedFindings()
    assert [shared.body("question", rules.ask, 5.0, age=PATIENCE) for _ in range(2)] == [b"1", b"2"]


def test_clients_that_ask_the_same_meanwhile_share_the_next_answer() -> None:
    shared, begun, go = SharedFindings(), threading.Event(), threading.Event()
    asked = []

    def ask(seconds: float | None) -> FindingsAnswer:
        asked.append(seconds)
        begun.set()
        assert go.wait(PATIENCE)
        return FindingsAnswer(b"%d" % len(asked), False)

    bodies: list[bytes] = []
    clients = [
        threading.Thread(target=lambda: bodies.append(shared.body("question", ask, PATIENCE)))
        for _ in range(5)
    ]
    clients[0].start()
    assert begun.wait(PATIENCE)
    for client in clients[1:]:
        client.start()
    go.set()
    for client in clients:
        client.join(PATIENCE)
    assert sorted(bodies) == [b"1", *[b"2"] * 4]
    assert asked[1] is not None
    assert asked[1] <= PATIENCE


def test_a_client_does_not_wait_longer_than_it_said_for_the_answer_of_another_one() -> None:
    shared, begun, go = SharedFindings(), threading.Event(), threading.Event()
    asked: list[float | None] = []

    def ask(seconds: float | None) -> FindingsAnswer:
        asked.append(seconds)
        begun.set()
        assert seconds == 0.0 or go.wait(PATIENCE)
        return FindingsAnswer(b"known", True)

    first = threading.Thread(target=lambda: shared.body("question", ask, PATIENCE))
    first.start()
    assert begun.wait(PATIENCE)
    assert shared.body("question", ask, 0.01) == b"known"
    assert asked[1:] == [0.0]
    go.set()
    first.join(PATIENCE)


def test_few_questions_are_kept() -> None:
    rules, shared = _Rules(), SharedFindings()
    for number in range(shared_findings._MOST + 1):
        shared.body(number, rules.ask, 5.0)
    assert shared.body(0, rules.ask, 5.0, age=PATIENCE) == b"%d" % (shared_findings._MOST + 2)


def test_pages_that_take_older_answers_have_the_runs_examined_once() -> None:
    data, checked = FakeProvider(), []
    data.add_scalars("run", "loss", [1.0, 0.5])

    def check(examined: Examined) -> Iterable[Finding]:
        checked.append(examined.run)
        return ()

    module = with_hooks(rules=lambda: [Rule("counts", ReasonKind("counts", "Counts"), check)])
    modules: Any = [("diagnose", lambda: insight_diagnose), ("mine", lambda: module)]
    client = Client(Host(Registry.of(modules), data))

    def generation(**query: int) -> int:
        answer = client.get("/data/plugin/diagnose/findings", query_string=query)
        return int(answer.get_json()["generation"])

    before = generation()
    data.add_scalars("run", "loss", [1.0, 0.5, 0.25])
    assert generation(age=60_000) == before
    assert checked == ["run"]
    assert generation() > before
    assert checked == ["run", "run"]
