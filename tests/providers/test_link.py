"""The link to a data server: servers that are silent, gone, children, or of another kind."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from insight_tensorboard.client.provider import TensorBoardProvider
from insight_tensorboard.client.rust_server import rust_server

from insight_core.plugin import InvalidArgument, NotFound, Unavailable
from insight_core.plugin.data import ScalarQuery, SeriesKey
from insight_core.plugin.testing import EventWriter, FakeProvider
from insight_core.providers.child import ChildLink
from insight_core.providers.insight_client import InsightProvider
from insight_core.providers.link import LONG, SHORT, Link
from insight_core.providers.opened_later import OpenedProvider
from insight_core.rpc.serving import DataServer, serve
from tests.providers.conftest import SCALAR, Open
from tests.waiting import PATIENCE, eventually

StartServer = Callable[..., DataServer]


@pytest.fixture
def fake() -> FakeProvider:
    provider = FakeProvider("fake/logs")
    provider.add_scalars("r", "loss", [1.0, 2.0])
    return provider


@pytest.fixture
def start_server(fake: FakeProvider) -> Iterator[StartServer]:
    with ExitStack() as running:

        def start(port: int = 0) -> DataServer:
            server = serve(fake, "127.0.0.1", port, version="test")
            running.callback(server.stop, 0)
            return server

        yield start


def unused_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def test_nobody_there_is_unavailable_at_once() -> None:
    link = Link(f"127.0.0.1:{unused_port()}")
    provider = InsightProvider(link)
    try:
        for _ in range(3):
            began = time.monotonic()
            with pytest.raises(Unavailable, match="does not answer"):
                provider.runs()
            assert time.monotonic() - began < SHORT  # the deadline of the call
    finally:
        provider.close()


def test_a_server_that_is_silent_holds_nobody_up_for_long() -> None:
    """It accepts connections, as a stopped process does, and says nothing."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        provider = InsightProvider(Link(f"127.0.0.1:{silent.getsockname()[1]}"))
        provider.start()
        try:
            began = time.monotonic()
            with pytest.raises(Unavailable, match="does not answer"):
                provider.runs()
            assert time.monotonic() - began < SHORT
            began = time.monotonic()
            with pytest.raises(Unavailable, match="does not answer"):
                provider.scalars("scalar", [SeriesKey("r", "loss")])
            assert time.monotonic() - began < PATIENCE < LONG
            assert provider.changes(provider.generation(), timeout=0.01).series == {}
        finally:
            provider.close()


def test_a_server_that_comes_back_is_told_as_everything(start_server: StartServer) -> None:
    server = start_server()
    provider = InsightProvider(Link(f"127.0.0.1:{server.port}"))
    provider.start()
    try:
        eventually(provider.generation)
        assert [run.name for run in provider.runs()] == ["r"]
        before = provider.generation()
        server.stop(0)
        eventually(lambda: provider.changes(before).runs)
        assert provider.changes(before).series == {}  # what was seen is still as it was
        with pytest.raises(Unavailable):
            provider.runs()
        away = provider.generation()
        start_server(server.port)
        eventually(lambda: provider.changes(away).series is None)
        assert [run.name for run in provider.runs()] == ["r"]
    finally:
        provider.close()


def test_changes_come_by_themselves(start_server: StartServer, fake: FakeProvider) -> None:
    provider = InsightProvider(Link(f"127.0.0.1:{start_server().port}"))
    provider.start()
    try:
        eventually(provider.generation)
        before = provider.generation()
        threading.Timer(0.05, lambda: fake.add_scalars("r", "loss", [3.0])).start()
        changes = provider.changes(before, timeout=PATIENCE)
        assert changes.series == {"scalar": [SeriesKey("r", "loss")]}
        assert not changes.runs
    finally:
        provider.close()


def test_errors_keep_their_kind_and_text(start_server: StartServer) -> None:
    provider = InsightProvider(Link(f"127.0.0.1:{start_server().port}"))
    try:
        with pytest.raises(NotFound, match="'img'"):
            provider.payload("image", SeriesKey("r", "img"), 0)
    finally:
        provider.close()


def test_opening_finds_out_which_service_there_is(start_server: StartServer, tmp_path: Path) -> None:
    port = unused_port()
    provider = OpenedProvider(f"127.0.0.1:{port}", [SCALAR])
    provider.start()
    try:
        with pytest.raises(Unavailable):
            provider.runs()
        assert provider.changes(provider.generation(), timeout=0.01).series == {}
        before = provider.generation()
        start_server(port)
        eventually(lambda: provider.changes(before, timeout=0.1).series is None)
        assert [run.name for run in provider.runs()] == ["r"]
        assert provider.location() == "fake/logs"
        assert provider.generation() > before
    finally:
        provider.close()


def test_a_child_that_cannot_start_says_why(caplog: pytest.LogCaptureFixture) -> None:
    link = ChildLink([rust_server(), "--logdir=bogus://x"])
    provider = TensorBoardProvider(link, [SCALAR])
    with caplog.at_level(logging.CRITICAL):
        provider.start()
        try:
            eventually(lambda: link.reason is not None and "bogus" in link.reason)
            with pytest.raises(Unavailable, match=r"could not start: .*bogus.*; it is being restarted"):
                provider.runs()
        finally:
            provider.close()


def test_a_program_that_is_not_there_is_said(caplog: pytest.LogCaptureFixture) -> None:
    link = ChildLink(["/nowhere/server"])
    with caplog.at_level(logging.CRITICAL):
        link.start()
        try:
            eventually(lambda: link.reason is not None and "could not be started" in link.reason)
        finally:
            link.close()


def test_a_child_is_started_again_each_time_it_ends(tmp_path: Path) -> None:
    link = ChildLink([rust_server(), f"--logdir={tmp_path}"])
    link.start()
    try:
        seen = set()
        for _ in range(2):
            eventually(lambda: link.reason is None)
            pid = link.pid
            assert pid is not None
            seen.add(pid)
            os.kill(pid, signal.SIGKILL)
            eventually(lambda: link.reason is not None)
        eventually(lambda: link.reason is None)
        assert link.pid not in seen
    finally:
        link.close()
    assert link.pid is None


def test_a_child_that_ignores_its_orders_is_killed() -> None:
    stubborn = "import signal,time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
    link = ChildLink([sys.executable, "-c", stubborn])
    link.start()
    eventually(lambda: link.pid)
    pid = link.pid
    began = time.monotonic()
    link.close()
    assert time.monotonic() - began < PATIENCE
    eventually(lambda: not Path(f"/proc/{pid}").exists())


def test_a_server_in_rust_that_is_started_again_lacks_nothing_meanwhile(
    open_rust: Open, tmp_path: Path
) -> None:
    for run in ("a", "b"):
        with EventWriter(tmp_path / run) as writer:
            writer.scalar("loss", 1, 0.5)
    provider = open_rust(live=True)
    eventually(lambda: len(provider.series("scalar")) == 2)
    pid = provider._link.pid  # type: ignore[attr-defined]
    os.kill(pid, signal.SIGKILL)
    until = time.monotonic() + PATIENCE
    away = False
    while time.monotonic() < until:
        try:
            found = len(provider.runs())
        except Unavailable:
            away = True
            continue
        assert found == 2
        if away:
            break
    assert away


def test_links_refuse_in_their_own_words(start_server: StartServer) -> None:
    provider = InsightProvider(Link(f"127.0.0.1:{start_server().port}"))
    try:
        with pytest.raises(InvalidArgument, match="smoothing"):
            provider.scalars("scalar", [SeriesKey("r", "loss")], ScalarQuery(smoothing=2.0))
    finally:
        provider.close()


def test_without_the_package_of_the_rust_server_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "tensorboard_data_server", None)
    with pytest.raises(OSError, match=r"pip install 'insight-host\[rust\]'"):
        rust_server()
