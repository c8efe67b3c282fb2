"""Plugins that hang: the host and the other plugins go on, and the listing says who hangs since when."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from werkzeug import Request, Response
from werkzeug.test import Client

from insight_core.isolation import Limits
from insight_core.plugin import DataKind, NotFound, Plugin, RecordDecoder, Route, SummaryPlugin
from insight_core.plugin.data import DataProvider
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host, HostSettings
from insight_core.web.http_server import Server
from tests.hosts import module_of, with_hooks
from tests.waiting import eventually

_LONG = 60.0
_QUICK = Limits(start=0.05, turn=0.02, imports=0.1, routes=0.5, view=1.5, slow=0.3, listing=_LONG)
GOOD = Plugin("scalar", "Scalars", order=1)


@pytest.fixture
def hang() -> Iterator[threading.Event]:
    """What hanging plugins wait for; it comes when the test is over, or earlier."""
    event = threading.Event()
    yield event
    event.set()


def _late(hang: threading.Event, plugin: Plugin) -> Callable[[], object]:
    def load() -> object:
        hang.wait(_LONG)
        return module_of(plugin)

    return load


def _row(client: Client, name: str) -> Any:  # noqa: ANN401
    return (client.get("/data/plugins_listing").json or {}).get(name)


def _foreign(*modules: tuple[str, Callable[[], object]], limits: Limits = _QUICK) -> Registry:
    return Registry.of(modules, distribution="somebody-else", limits=limits)


def test_an_import_that_hangs_holds_up_neither_the_start_nor_the_others(hang: threading.Event) -> None:
    registry = _foreign(
        ("a_hangs", _late(hang, Plugin("slow", "Slow"))),
        ("b_good", lambda: module_of(Plugin("good", "Good"))),
        limits=Limits(start=_LONG, turn=0.02, imports=0.1),
    )
    assert list(registry.plugins) == ["good"]
    assert "its import (a_hangs) has not returned for 0 s, since " in registry.failures["a_hangs"].reason
    assert registry.pending == {"a_hangs"}


def test_a_plugin_that_loads_late_is_mounted_and_the_listing_changes(
    hang: threading.Event, provider: FakeProvider, page_directory: Path
) -> None:
    def routes(data: DataProvider) -> list[Route]:
        return [Route("/x", lambda request: Response("late"))]

    registry = _foreign(("entry", _late(hang, Plugin("slow", "Slow", routes=routes))))
    client = Client(Host(registry, provider, HostSettings(page=page_directory, limits=_QUICK)))
    assert client.get("/data/plugin/slow/x").status_code == 404
    before = (client.get("/data/changes").json or {})["plugins"]
    registry.wait_until_loaded()
    assert "its import (entry) has not returned" in _row(client, "entry")["error"]
    hang.set()
    eventually(lambda: _row(client, "slow"))
    assert _row(client, "entry") is None
    assert client.get("/data/plugin/slow/x").text == "late"
    assert (client.get("/data/changes").json or {})["plugins"] > before


def test_who_follows_hears_of_each_late_plugin_once(hang: threading.Event) -> None:
    registry = _foreign(("entry", _late(hang, Plugin("slow", "Slow"))))
    came: list[str] = []
    registry.follow(lambda plugin: came.append(plugin.name))
    hang.set()
    eventually(lambda: came)
    registry.follow(lambda plugin: came.append(f"{plugin.name} again"))
    assert came == ["slow", "slow again"]
    assert list(registry.plugins) == ["slow"]


def test_a_hook_that_hangs_is_told_apart_from_an_import(hang: threading.Event) -> None:
    module = with_hooks(plugin=lambda: hang.wait(_LONG))
    registry = _foreign(("entry", lambda: module), limits=Limits(start=_LONG, turn=0.02, hook=0.1))
    assert "insight_plugin() of entry has not returned for 0 s" in registry.failures["entry"].reason


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), BaseException("odd")])
def test_an_import_that_exits_or_interrupts_is_one_failure(error: BaseException) -> None:
    def load() -> object:
        raise error

    registry = _foreign(
        ("bad", load), ("good", lambda: module_of(Plugin("good", "Good"))), limits=Limits(start=_LONG)
    )
    assert list(registry.plugins) == ["good"]
    assert type(error).__name__ in registry.failures["bad"].reason


def test_numbers_may_be_claimed_after_the_start(hang: threading.Event) -> None:
    decoder = RecordDecoder({SummaryPlugin("losses")}, DataKind.SCALAR)
    registry = _foreign(("entry", _late(hang, Plugin("slow", "Slow", decoder=decoder))))
    hang.set()
    eventually(lambda: not registry.pending)
    eventually(lambda: "slow" in registry.plugins)
    assert not registry.failures


def test_routes_that_hang_leave_the_host_and_the_others(
    host_of: Callable[..., Host], hang: threading.Event
) -> None:
    def routes(data: DataProvider) -> list[Route]:
        hang.wait(_LONG)
        return [Route("/x", lambda request: Response("late"))]

    client = Client(host_of(Plugin("bad", "Bad", routes=routes), GOOD, limits=_QUICK))
    assert client.get("/healthz").json == {"status": "ok"}
    assert client.get("/data/plugin/scalar/tags").status_code == 200
    eventually(lambda: "error" in _row(client, "bad"))
    assert _row(client, "bad")["error"].startswith("routes() has not returned for 0 s, since ")
    eventually(lambda: "error" not in _row(client, "scalar"))
    answer = client.get("/data/plugin/bad/x")
    assert answer.status_code == 503
    assert "routes() has not returned" in (answer.json or {})["error"]
    assert client.get("/data/plugin/bad/tags").status_code == 200
    hang.set()
    eventually(lambda: "error" not in _row(client, "bad"))
    assert client.get("/data/plugin/bad/x").text == "late"


def test_a_view_that_hangs_is_a_504_and_a_bounded_number_of_threads(
    host_of: Callable[..., Host], serve: Callable[[Any], Server], hang: threading.Event
) -> None:
    def view(request: Request) -> Response:
        hang.wait(_LONG)
        return Response("late")

    plugin = Plugin(
        "bad", "Bad", routes=lambda data: [Route("/hang", view), Route("/ok", lambda _: Response("ok"))]
    )
    host = host_of(plugin, GOOD, limits=_QUICK)
    client = Client(host)
    assert client.get("/data/plugin/bad/ok").text == "ok"
    before = threading.active_count()
    statuses: list[int] = []
    texts: list[str] = []

    def ask() -> None:
        answer = Client(host).get("/data/plugin/bad/hang")
        statuses.append(answer.status_code)
        texts.append((answer.json or {})["error"])

    threads = [threading.Thread(target=ask) for _ in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(_LONG)
    assert sorted(set(statuses)) == [503, 504]
    assert statuses.count(504) == 8
    assert threading.active_count() <= before + 8
    assert any(text.startswith("plugin bad: GET /data/plugin/bad/hang has not returned") for text in texts)
    assert client.get("/data/plugin/bad/ok").status_code == 503
    assert client.get("/data/plugin/scalar/tags").status_code == 200
    error = _row(client, "bad")["error"]
    assert error.startswith("8 calls to it hang, the first of them (GET /data/plugin/bad/hang) since ")
    hang.set()
    eventually(lambda: client.get("/data/plugin/bad/ok").status_code == 200)
    assert "error" not in _row(client, "bad")
    assert client.get("/data/plugin/bad/hang").text == "late"
    assert "warnings" not in _row(client, "bad")


@pytest.mark.parametrize("status", [200, 404])
def test_a_request_that_hung_is_told_below_the_view_until_it_answers(
    host_of: Callable[..., Host], hang: threading.Event, status: int
) -> None:
    def view(request: Request) -> Response:
        hang.wait(_LONG)
        if status == 404:
            raise NotFound("it is gone")
        return Response("ok")

    client = Client(host_of(Plugin("bad", "Bad", routes=lambda data: [Route("/x", view)]), limits=_QUICK))
    assert client.get("/data/plugin/bad/x?run=a").status_code == 504
    [warning] = _row(client, "bad")["warnings"]
    assert warning.startswith("GET /data/plugin/bad/x?run=a has not returned for 2 s, since ")
    hang.set()
    answer = client.get("/data/plugin/bad/x?run=a")
    assert (answer.status_code, answer.text == "ok") == (status, status == 200)
    assert "warnings" not in _row(client, "bad")


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), GeneratorExit(), BaseException("odd")])
def test_a_view_or_a_body_that_exits_or_interrupts_is_one_failure(
    host_of: Callable[..., Host], error: BaseException
) -> None:
    def view(request: Request) -> Response:
        raise error

    def broken(request: Request) -> Response:
        def body() -> Iterator[bytes]:
            yield b"first"
            raise error

        return Response(body())

    def events(request: Request) -> Response:
        return Response(broken(request).response, mimetype="text/event-stream")

    routes = [Route("/view", view), Route("/body", broken), Route("/events", events)]
    client = Client(host_of(Plugin("bad", "Bad", routes=lambda data: routes)))
    assert client.get("/data/plugin/bad/view").status_code == 500
    for route in ("body", "events"):
        with pytest.raises(Exception, match=type(error).__name__):
            _ = client.get(f"/data/plugin/bad/{route}").data
    assert client.get("/healthz").status_code == 200


def test_a_quiet_stream_of_events_does_not_hang(host_of: Callable[..., Host]) -> None:
    def view(request: Request) -> Response:
        def body() -> Iterator[bytes]:
            threading.Event().wait(0.5)
            yield b"data: 1"

        return Response(body(), mimetype="text/event-stream")

    routes = [Route("/events", view), Route("/ok", lambda request: Response("ok"))]
    limits = Limits(slow=0.0, hanging=1)
    client = Client(host_of(Plugin("good", "Good", routes=lambda data: routes), limits=limits))
    events = client.get("/data/plugin/good/events", buffered=False)
    reading = threading.Thread(target=lambda: events.data)
    reading.start()
    while reading.is_alive():
        assert client.get("/data/plugin/good/ok").text == "ok"
    assert events.data == b"data: 1"


def test_a_streamed_answer_outlives_the_deadline_of_its_view(host_of: Callable[..., Host]) -> None:
    limits = Limits(view=1.0)

    def view(request: Request) -> Response:
        def body() -> Iterator[bytes]:
            for _ in range(4):
                threading.Event().wait(0.4)
                yield b"piece "

        return Response(body())

    client = Client(host_of(Plugin("bad", "Bad", routes=lambda data: [Route("/x", view)]), limits=limits))
    assert client.get("/data/plugin/bad/x").data == b"piece " * 4


def test_data_that_fail_are_no_failure_of_a_plugin(
    host_of: Callable[..., Host], provider: FakeProvider
) -> None:
    def plugins() -> list[str]:
        raise RuntimeError("the disk is gone")

    client = Client(host_of(GOOD))
    provider.plugins = plugins  # type: ignore[method-assign]
    row = _row(client, "scalar")
    assert row["enabled"] is False
    assert "error" not in row
