"""What a plugin answers, on its way through the host: whole, in one thread of its own, or broken off."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from insight_tensorboard.hosted.answers import Answer

from insight_core.isolation import Busy, Calls, Limits, Overdue
from tests.tensorboard import hosts
from tests.tensorboard.hosts import Hosted, Open
from tests.tensorboard.installed import install

open_host, provider = hosts.open_host, hosts.provider  # fixtures

_PLUGIN = """
import threading
import time
from tensorboard import errors

TEXT = [("Content-Type", "text/plain")]
state = {"well": False, "threads": [], "closed": threading.Event()}

class Plugin:
    plugin_name = "plain"
    def __init__(self, context):
        pass
    def get_plugin_apps(self):
        return {f"/{name}": app for name, app in globals().items() if name.startswith("a_")}
    def is_active(self):
        return True

def a_threads(environ, start_response):
    start_response("200 OK", TEXT)
    state["threads"] = [threading.get_ident()]
    def body():
        for _ in range(20):
            state["threads"].append(threading.get_ident())
            yield b"piece"
        state["threads"].append(threading.get_ident())
    return body()

def a_one_thread(environ, start_response):
    start_response("200 OK", TEXT)
    return [str(len(set(state["threads"]))).encode()]

def a_events(environ, start_response):
    def body():
        try:
            yield b"data: 1\\n\\n"
            while True:
                yield b"data: 2\\n\\n"
                time.sleep(0.01)
        finally:
            state["closed"].set()
    start_response("200 OK", [("Content-Type", "text/event-stream")])
    return body()

def a_closed(environ, start_response):
    start_response("200 OK", TEXT)
    return [str(state["closed"].wait(20)).encode()]

def a_written(environ, start_response):
    write = start_response("200 OK", TEXT)
    write(b"one ")
    return [b"two"]

def a_replaced(environ, start_response):
    start_response("200 OK", TEXT)
    try:
        raise ValueError
    except ValueError as error:
        start_response("418 Teapot", TEXT, (type(error), error, None))
    return [b"replaced"]

def a_sometimes(environ, start_response):
    if not state["well"]:
        raise ValueError("not yet")
    start_response("200 OK", TEXT)
    return [b"fine"]

def a_recovers(environ, start_response):
    state["well"] = True
    start_response("204 No Content", [])
    return []

def a_lost(environ, start_response):
    def body():
        yield b"first"
        raise OSError("lost midway")
    start_response("200 OK", TEXT)
    return body()

def a_late_refusal(environ, start_response):
    def body():
        raise errors.NotFoundError("a run")
        yield b""
    start_response("200 OK", TEXT)
    return body()

def a_short(environ, start_response):
    start_response("200 OK", [*TEXT, ("Content-Length", "9")])
    return [b"short"]

def a_long(environ, start_response):
    start_response("200 OK", [*TEXT, ("Content-Length", "2")])
    return [b"long"]

def a_none(environ, start_response):
    start_response("200 OK", TEXT)

def a_text(environ, start_response):
    start_response("200 OK", TEXT)
    return ["text"]

def a_silent(environ, start_response):
    return [b"x"]

def a_number(environ, start_response):
    start_response(200, TEXT)
    return []

def a_header(environ, start_response):
    start_response("200 OK", [("X-Name", "\\u4e2d")])
    return []

def a_injected(environ, start_response):
    start_response("200 OK", [("X-Name", "a\\r\\nX-Other: b")])
    return []

def a_interrupts(environ, start_response):
    raise KeyboardInterrupt
"""


@pytest.fixture
def host(open_host: Open, tmp_path: Path) -> Hosted:
    (tmp_path / "plain.py").write_text(_PLUGIN)
    return open_host(install(tmp_path, {"plain": "plain:Plugin"}))


def _warnings(host: Hosted) -> list[str]:
    [plugin] = host.tensorboard._hosting.plugins()  # type: ignore[union-attr]
    return plugin.warnings


def test_one_thread_makes_an_answer_from_beginning_to_end(host: Hosted) -> None:
    assert host.get("/data/plugin/plain/a_threads").data == b"piece" * 20
    assert host.get("/data/plugin/plain/a_one_thread").text == "1"  # what is bound to a thread works


def test_a_stream_ends_when_nobody_listens(host: Hosted) -> None:
    answer = host.client.get("/data/plugin/plain/a_events", headers={"Host": "localhost"}, buffered=False)
    pieces = iter(answer.response)
    assert [next(pieces) for _ in range(3)] == [b"", b"data: 1\n\n", b"data: 2\n\n"]
    answer.close()
    assert host.get("/data/plugin/plain/a_closed").text == "True"


def test_what_wsgi_allows(host: Hosted) -> None:
    assert host.get("/data/plugin/plain/a_written").text == "one two"
    replaced = host.get("/data/plugin/plain/a_replaced")
    assert (replaced.status, replaced.text) == ("418 Teapot", "replaced")
    assert host.get("/data/plugin/plain/a_late_refusal").status_code == 404
    assert _warnings(host) == []


def test_a_warning_goes_when_the_request_works(host: Hosted) -> None:
    changed: list[None] = []
    host.tensorboard.follow(lambda: changed.append(None))
    asked = "/data/plugin/plain/a_sometimes?run=a"
    for _ in range(2):
        assert host.get(asked).status_code == 500
    assert _warnings(host) == [f"GET {asked} failed: ValueError: not yet"]
    assert len(changed) == 1  # the second failure changes nothing
    assert host.get("/data/plugin/plain/a_recovers").status_code == 204
    assert _warnings(host) == [f"GET {asked} failed: ValueError: not yet"]
    assert host.get(asked).text == "fine"
    assert _warnings(host) == []
    assert len(changed) == 2


@pytest.mark.parametrize(
    ("route", "reason"),
    [
        ("a_none", "TypeError: 'NoneType' object is not iterable"),
        ("a_text", "its body has a str, not bytes"),
        ("a_silent", "it does not call start_response before its body"),
        ("a_number", "its status is 200, not such as '200 OK'"),
        ("a_header", "its header ('X-Name', '中') is not of Latin-1 letters in one line"),
        ("a_injected", "its header ('X-Name', 'a\\r\\nX-Other: b') is not of Latin-1 letters in one line"),
        ("a_interrupts", "KeyboardInterrupt"),
    ],
)
def test_what_is_no_answer_is_a_500(host: Hosted, route: str, reason: str) -> None:
    answer = host.get(f"/data/plugin/plain/{route}")
    assert answer.status_code == 500
    assert answer.text.startswith(f"plugin plain: GET /data/plugin/plain/{route} failed")
    assert _warnings(host) == [f"GET /data/plugin/plain/{route} failed: {reason}"]


@pytest.mark.parametrize(
    ("route", "begins", "reason"),
    [
        ("a_lost", b"first", "OSError: lost midway"),
        ("a_short", b"short", "its body is 4 bytes shorter than its headers say"),
        ("a_long", b"lo", "its body is longer than the 2 bytes that its headers say"),
    ],
)
def test_what_fails_midway_breaks_off(host: Hosted, route: str, begins: bytes, reason: str) -> None:
    answer = host.client.get(f"/data/plugin/plain/{route}", headers={"Host": "localhost"}, buffered=False)
    pieces = iter(answer.response)
    assert next(pieces) == begins
    with pytest.raises(ConnectionAbortedError):
        next(pieces)
    assert _warnings(host) == [f"GET /data/plugin/plain/{route} failed: {reason}"]


def test_what_hangs_midway_is_given_up() -> None:
    going_on, given_up = threading.Event(), threading.Event()

    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterator[bytes]:
        start_response("200 OK", [("Content-Type", "text/plain")])

        def body() -> Iterator[bytes]:
            try:
                yield b"first"
                going_on.wait(20)
                yield b"second"
                yield b"third"
            finally:
                given_up.set()

        return body()

    calls = Calls("a test", Limits(slow=0.1, hanging=1))
    answer = Answer(app, {"REQUEST_METHOD": "GET"})
    call = calls.start("GET /x", answer.make, 0.2)
    assert answer.begin(call)[0] == "200 OK"
    pieces = iter(answer)
    assert next(pieces) == b"first"
    with pytest.raises(Overdue, match="GET /x has not returned for 0 s, since "):
        next(pieces)
    with pytest.raises(Busy):
        calls.run("GET /y", lambda: None, 1.0)
    answer.close()
    going_on.set()
    assert given_up.wait(20)


def test_a_quiet_stream_of_events_does_not_hang() -> None:
    said = threading.Event()

    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterator[bytes]:
        start_response("200 OK", [("Content-Type", "text/event-stream; charset=utf-8")])

        def body() -> Iterator[bytes]:
            said.wait(20)
            yield b"data: 1\n\n"

        return body()

    answer = Answer(app, {"REQUEST_METHOD": "GET"})
    call = Calls("a test").start("GET /x", answer.make, 0.05)
    assert answer.begin(call)[0] == "200 OK"
    pieces = iter(answer)
    assert next(pieces) == b""  # its headers go out at once
    threading.Timer(0.3, said.set).start()
    assert next(pieces) == b"data: 1\n\n"
