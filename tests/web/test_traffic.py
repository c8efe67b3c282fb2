"""Work in the background leaves the interpreter to requests, but not for ever."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from werkzeug import Response
from werkzeug.test import Client

from insight_core.isolation import Limits
from insight_core.plugin import Plugin, PluginContext, ReasonKind, Route
from insight_core.plugin.findings import Examined, Finding, Needs, Rule
from insight_core.plugin.testing import FakeProvider, context_of
from insight_core.registry import Registry
from insight_core.web import Host, traffic
from insight_core.web.findings import FindingsTable
from insight_core.web.traffic import RequestTraffic
from tests.hosts import registry_of, with_hooks
from tests.waiting import eventually


class _Clock:
    """Time that passes only while somebody sleeps, with requests that come meanwhile."""

    def __init__(self, requests: RequestTraffic, comes_every: float = 0.0) -> None:
        self.now, self._requests, self._every = 100.0, requests, comes_every

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += min(seconds, self._every) if self._every else seconds
        if self._every:
            self._requests.note()


@pytest.fixture
def requests() -> RequestTraffic:
    return RequestTraffic()


def _held(requests: RequestTraffic, clock: _Clock) -> float:
    """Seconds for which work is held up now."""
    before = clock.now
    requests.give_way()
    return clock.now - before


def test_work_waits_until_no_request_has_come_for_a_moment(
    requests: RequestTraffic, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = _Clock(requests)
    monkeypatch.setattr(traffic, "time", SimpleNamespace(monotonic=clock.monotonic, sleep=clock.sleep))
    assert _held(requests, clock) == 0.0
    requests.note()
    assert 0.05 < _held(requests, clock) < 0.5
    assert _held(requests, clock) == 0.0


def test_a_host_that_is_always_asked_still_gets_its_work_done(
    requests: RequestTraffic, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = _Clock(requests, comes_every=0.01)
    monkeypatch.setattr(traffic, "time", SimpleNamespace(monotonic=clock.monotonic, sleep=clock.sleep))
    requests.note()
    waited = _held(requests, clock)
    assert 0.0 < waited < 2.0
    held_at = clock.now
    while clock.now < held_at + 0.9 * waited:  # it goes on about as long
        assert _held(requests, clock) == 0.0
        clock.now += 0.05
        requests.note()
    clock.now = held_at + 1.1 * waited
    requests.note()
    assert _held(requests, clock) > 0.0


def _findings(data: FakeProvider, rule: Rule, give_way: Callable[[], None]) -> FindingsTable:
    registry = Registry.of([("m", lambda: with_hooks(rules=lambda: [rule]))])
    ctx = context_of(Plugin("m", "M"), data)
    return FindingsTable(registry, data, Limits(), lambda _: ctx, give_way=give_way)


def test_rules_give_way_before_they_read_points() -> None:
    data, done = FakeProvider(), list[str]()
    for run in "ab":
        data.add_scalars(run, "train/loss", [2.0, 1.0])

    def reads(examined: Examined) -> Iterable[Finding]:
        done.extend("read" for _ in examined.scalars("loss"))
        return ()

    rule = Rule("one", ReasonKind("m_something", "Something"), reads, Needs(["loss"]))
    _findings(data, rule, lambda: done.append("way")).find()
    assert done == ["way", "read", "way", "read"]


def test_routes_that_no_request_needs_are_imported_when_requests_pause() -> None:
    imported, pause = list[str](), threading.Event()

    def plugin(name: str) -> Plugin:
        def routes(ctx: PluginContext) -> list[Route]:
            imported.append(name)
            return [Route("/view", lambda _: Response("seen"))]

        return Plugin(name, name, routes=routes)

    def wait() -> None:
        pause.wait()

    host = Host(registry_of(plugin("first"), plugin("second")), FakeProvider())
    host._plugins._give_way = wait
    assert Client(host).get("/data/plugin/second/view").text == "seen"
    assert imported == ["second"]
    pause.set()
    eventually(lambda: imported == ["second", "first"])


def test_runs_that_an_answer_has_no_time_for_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    data, go = FakeProvider(), threading.Event()
    for number in range(200):
        data.add_scalars(f"r{number:03}", "train/loss", [1.0])
    tables = Mock(wraps=data.series_tables)
    monkeypatch.setattr(data, "series_tables", tables)

    def hangs(examined: Examined) -> Iterable[Finding]:
        go.wait()
        return ()

    rule = Rule("slow", ReasonKind("m_something", "Something"), hangs)
    found = _findings(data, rule, lambda: None).find(seconds=0.0)
    go.set()
    assert found.left > 150
    listed = {run for asked in tables.call_args_list for run in asked.kwargs["runs"]}
    assert "r000" in listed
    assert "r199" not in listed
