"""Streams of events over real sockets."""

from __future__ import annotations

import http.client
import json
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import Client

from insight_core.plugin import Plugin
from insight_core.plugin.data import Changes
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host, HostSettings, http_server, live_events
from insight_core.web.http_server import Server
from insight_core.web.state.annotations import AnnotationStore, Place
from insight_core.web.state.saved import SavedStore
from tests.waiting import FOR_EVER, eventually

SCALAR = Plugin("scalar", "Scalars")


@contextmanager
def _stream(
    server: Server, query: str = "", headers: dict[str, str] | None = None
) -> Iterator[http.client.HTTPResponse]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request("GET", f"/data/events{query}", headers=headers or {})
    answer = connection.getresponse()
    try:
        yield answer
    finally:
        answer.close()
        connection.close()


def _event(answer: http.client.HTTPResponse) -> tuple[str, dict[str, Any]]:
    """Id and data of the next event; comments and settings are passed over."""
    name = ""
    while line := answer.readline():
        field, _, value = line.decode().rstrip("\n").partition(": ")
        if field == "id":
            name = value
        elif field == "data":
            return name, json.loads(value)
    raise AssertionError("the stream ended")


def test_a_change_is_announced_at_once(
    host_of: Callable[..., Host], provider: FakeProvider, serve: Callable[[Any], Server]
) -> None:
    server = serve(host_of(SCALAR, heartbeat=FOR_EVER))
    with _stream(server, f"?since={provider.generation()}") as answer:
        assert answer.status == 200
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        assert answer.headers["Content-Encoding"] is None
        assert answer.readline().startswith(b"retry:")
        provider.add_scalars("early", "acc", [1.0])
        name, data = _event(answer)
    assert name.endswith(f"-{provider.generation()}")
    assert (data["runs"], data["series"]) == (False, {"scalar": {"early": ["acc"]}})


def test_a_client_that_accepts_gzip_can_read_each_event_when_it_comes(
    host_of: Callable[..., Host], provider: FakeProvider, serve: Callable[[Any], Server]
) -> None:
    server = serve(host_of(SCALAR, heartbeat=FOR_EVER))
    query = f"?since={provider.generation()}"
    with _stream(server, query, {"Accept-Encoding": "gzip"}) as packed, _stream(server, query) as plain:
        assert packed.headers["Content-Encoding"] == "gzip"
        unpacked = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
        text, received = b"", 0
        for number in range(3):
            provider.add_scalars("early", f"metric/{number}", [1.0] * (number + 1))
            name, event = _event(plain)
            while name.encode() not in text or not text.endswith(b"\n\n"):
                piece = packed.read1(1 << 16)
                text, received = text + unpacked.decompress(piece), received + len(piece)
            assert json.loads(text.rsplit(b"data: ", 1)[1]) == event
    assert received < len(text)


def test_a_stream_that_reconnects_goes_on_where_it_was(
    host_of: Callable[..., Host], provider: FakeProvider, serve: Callable[[Any], Server]
) -> None:
    server = serve(host_of(SCALAR))
    with _stream(server, "?since=0") as answer:
        name, _ = _event(answer)
    provider.add_scalars("early", "missed", [1.0])
    with _stream(server, "?since=0", {"Last-Event-ID": name}) as answer:
        assert _event(answer)[1]["series"] == {"scalar": {"early": ["missed"]}}
    with _stream(server, headers={"Last-Event-ID": "another0-1"}) as answer:
        assert _event(answer)[1]["series"] is None


def test_a_quiet_stream_shows_signs_of_life(
    host_of: Callable[..., Host], serve: Callable[[Any], Server]
) -> None:
    with _stream(serve(host_of(heartbeat=0.05))) as answer:
        lines = [answer.readline() for _ in range(4)]
    assert lines[2] == b": alive\n"


def test_streams_are_capped_and_a_client_that_left_frees_its_place(
    host_of: Callable[..., Host], serve: Callable[[Any], Server]
) -> None:
    server = serve(host_of(max_streams=2))

    def status() -> int:
        with _stream(server) as answer:
            return answer.status

    with _stream(server), _stream(server), _stream(server) as refused:
        assert refused.status == 503
        assert "too many" in json.loads(refused.read())["error"]
    eventually(lambda: status() == 200)


@pytest.mark.parametrize(
    ("address", "most"),
    [("192.0.2.1", 2), ("2001:db8::1", 2), ("127.0.0.1", 4), ("::1", 4), ("::ffff:127.0.0.1", 4), ("", 4)],
)
def test_one_client_beyond_loopback_leaves_streams_to_others(
    address: str, most: int, host_of: Callable[..., Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_events, "MAX_OF_CLIENT", 2)
    client = Client(host_of(max_streams=5))
    here, other = {"REMOTE_ADDR": address}, {"REMOTE_ADDR": "198.51.100.1"}
    opened = [client.get("/data/events", environ_overrides=here) for _ in range(4)]
    assert [answer.status_code for answer in opened] == [200] * most + [503] * (4 - most)
    opened.append(client.get("/data/events", environ_overrides=other))
    assert opened[-1].status_code == 200
    opened[0].close()
    opened.append(client.get("/data/events", environ_overrides=here))
    assert opened[-1].status_code == 200  # the place of the one that ended
    for answer in opened:
        answer.close()


def test_a_head_request_takes_no_place(host_of: Callable[..., Host], serve: Callable[[Any], Server]) -> None:
    server = serve(host_of(max_streams=1))
    for _ in range(3):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        connection.request("HEAD", "/data/events")
        assert connection.getresponse().status == 200
        connection.close()
    with _stream(server) as answer:
        assert answer.status == 200


def test_a_cursor_that_is_none_is_refused(
    host_of: Callable[..., Host], serve: Callable[[Any], Server]
) -> None:
    with _stream(serve(host_of(SCALAR)), "?since=x") as answer:
        assert answer.status == 400


def test_streams_end_when_the_server_stops(
    host_of: Callable[..., Host], serve: Callable[[Any], Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "_LEAVE", FOR_EVER)
    server = serve(host_of(SCALAR, heartbeat=FOR_EVER))
    with _stream(server) as answer:
        answer.readline()
        threading.Thread(target=server.stop).start()
        answer.read()


def test_a_provider_that_fails_ends_the_stream_and_nothing_else(
    host_of: Callable[..., Host], provider: FakeProvider, serve: Callable[[Any], Server]
) -> None:
    host = host_of(max_streams=1)

    def fail(since: int, *, timeout: float = 0.0) -> Changes:
        raise RuntimeError("closed")

    provider.changes = fail  # type: ignore[method-assign]
    server = serve(host)
    for _ in range(2):  # the place is free again after the first
        with _stream(server) as answer:
            assert answer.read() == b"retry: 2000\n\n"


def test_values_that_no_plugin_takes_are_not_told(
    host_of: Callable[..., Host], provider: FakeProvider, serve: Callable[[Any], Server]
) -> None:
    server = serve(host_of(Plugin("other", "Other")))
    since = provider.generation()
    with _stream(server, f"?since={since}") as answer:
        provider.add_scalars("early", "acc", [1.0])
        assert _event(answer)[1]["series"] == {}
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request("GET", f"/data/changes?since={since}")
    assert json.loads(connection.getresponse().read())["series"] == {}
    connection.close()


def test_a_quiet_stream_asks_the_provider_nothing(
    host_of: Callable[..., Host], provider: FakeProvider, serve: Callable[[Any], Server]
) -> None:
    asked = []
    changes = provider.changes

    def count(since: int, *, timeout: float = 0.0) -> Changes:
        asked.append(timeout)
        return changes(since, timeout=timeout)

    provider.changes = count  # type: ignore[method-assign]
    server = serve(host_of(SCALAR))
    with _stream(server, f"?since={provider.generation()}") as answer:
        answer.readline()
        time.sleep(0.6)
    assert len(asked) <= 2  # by the stream, and one wait for all streams


def test_a_quick_writer_makes_few_events(
    host_of: Callable[..., Host], provider: FakeProvider, serve: Callable[[Any], Server]
) -> None:
    server = serve(host_of(SCALAR))
    with _stream(server, f"?since={provider.generation()}") as answer:
        answer.readline()
        begin = time.monotonic()
        for number in range(200):
            provider.add_scalars("early", f"t{number}", [1.0])
            time.sleep(0.002)
        seen: set[str] = set()
        events = 0
        while len(seen) < 200:
            seen.update(_event(answer)[1]["series"]["scalar"]["early"])
            events += 1
        assert events <= 3 + (time.monotonic() - begin) / 0.1


def test_streams_share_one_wait_and_are_all_told(
    host_of: Callable[..., Host], provider: FakeProvider, serve: Callable[[Any], Server]
) -> None:
    server = serve(host_of(SCALAR))
    query = f"?since={provider.generation()}"
    before = set(threading.enumerate())  # those of other tests may still wait
    with _stream(server, query) as first, _stream(server, query) as second:
        first.readline()
        second.readline()
        assert [t.name for t in set(threading.enumerate()) - before].count("insight-events") == 1
        provider.add_scalars("early", "acc", [1.0])
        assert _event(first) == _event(second)


def test_what_streams_are_told_is_found_once_for_all_of_them(
    host_of: Callable[..., Host], provider: FakeProvider, serve: Callable[[Any], Server]
) -> None:
    found = []
    changes = provider.changes

    def count(since: int, *, timeout: float = 0.0) -> Changes:
        found.append(since) if timeout == 0.0 else None
        return changes(since, timeout=timeout)

    server = serve(host_of(SCALAR, heartbeat=FOR_EVER))
    query = f"?since={provider.generation()}"
    with ExitStack() as opened:
        streams = [opened.enter_context(_stream(server, query)) for _ in range(8)]
        provider.add_scalars("early", "acc", [1.0])
        assert len({_event(each)[0] for each in streams}) == 1
        time.sleep(0.5)  # all of them wait
        provider.changes = count  # type: ignore[method-assign]
        provider.add_scalars("early", "acc", [2.0])
        assert len({_event(each)[0] for each in streams}) == 1
    assert len(found) < 4


def test_a_stream_is_told_what_came_while_none_was_open(
    host_of: Callable[..., Host],
    provider: FakeProvider,
    serve: Callable[[Any], Server],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live_events, "_LONGEST", 0.05)
    host = host_of(SCALAR, heartbeat=FOR_EVER)
    server = serve(host)
    query = f"?since={provider.generation()}"
    with _stream(server, query) as answer:
        answer.readline()
        time.sleep(0.2)  # it has looked for changes, and found none
    eventually(lambda: host._streams._announcer is None)
    provider.add_scalars("early", "acc", [1.0])
    with _stream(server, query) as answer:
        assert _event(answer)[1]["series"] == {"scalar": {"early": ["acc"]}}


def test_a_stream_tells_of_plugins_that_loaded_before_it_was_open(
    host_of: Callable[..., Host], provider: FakeProvider, serve: Callable[[Any], Server]
) -> None:
    """Between the last answer of a client and its stream there is time for a plugin to load."""
    host = host_of(SCALAR)
    server = serve(host)
    host._streams.listing_changed()
    with _stream(server, f"?since={provider.generation()}") as answer:
        assert _event(answer)[1]["plugins"] == 1
        host._streams.listing_changed()
        assert _event(answer)[1]["plugins"] == 2


@pytest.fixture
def stored_host(provider: FakeProvider, page_directory: Path, tmp_path: Path) -> Callable[[], Host]:
    """Makes hosts of one state directory."""

    def make() -> Host:
        annotations = AnnotationStore(tmp_path / "state", lambda: [Place("", "/logs")])
        saved = SavedStore(tmp_path / "state", lambda: ["/logs"])
        return Host(Registry.of([]), provider, HostSettings(page=page_directory), annotations, saved)

    return make


@pytest.mark.parametrize(
    ("name", "url", "bodies"),
    [
        ("annotations", "/data/annotations", [{"run": "early", "mark": mark} for mark in (3, 4)]),
        ("saved", "/data/saved/page", [{"name": name, "version": None, "value": 2} for name in "ab"]),
    ],
)
def test_a_stream_tells_of_what_users_write_at_this_host_and_at_others(
    name: str, url: str, bodies: object, stored_host: Callable[[], Host], serve: Callable[[Any], Server]
) -> None:
    other, own = stored_host(), stored_host()
    with _stream(serve(own)) as answer:
        assert answer.readline().startswith(b"retry")
        last = 0
        for client, body in zip((Client(other), Client(own)), bodies, strict=True):  # type: ignore[call-overload]
            said: Any = client.get(url).json
            headers = {"Origin": "http://localhost", "X-Insight-Token": said["token"]}
            assert client.put(url, json=body, headers=headers).status_code == 200
            _, event = _event(answer)
            assert (event["runs"], event["series"]) == (False, {})
            assert event[name] > last
            last = event[name]
        said = Client(own).get(url).json
        assert said["generation"] == last
