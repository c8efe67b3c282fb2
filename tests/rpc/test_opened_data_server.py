"""What ``insight_host.open`` offers of a data server, and the names of the last release for that."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

import insight_host
from insight_core.plugin import Dialect, EventField, InvalidArgument, NotFound, Unavailable
from insight_core.plugin.data import DataProvider, Progress, ScalarQuery, SeriesKey
from insight_core.plugin.testing import FakeProvider
from insight_core.rpc.serving import DataServer, serve
from insight_host import client
from tests.certificates import certificate

GRAPH = EventField(Dialect.TENSORBOARD, "graph_def")
LOSS = SeriesKey("b", "loss")


@pytest.fixture
def served() -> Iterator[Callable[[DataProvider], DataServer]]:
    with ExitStack() as opened:

        def start(provider: DataProvider) -> DataServer:
            server = serve(provider, "127.0.0.1", 0, version="test")
            opened.callback(server.stop)
            return server

        yield start


@pytest.fixture
def provider() -> FakeProvider:
    provider = FakeProvider("/some/logs")
    provider.add_scalars("b", "loss", np.array([3.0, 2.0, 1.0], np.float32), steps=[1, 2, 4])
    provider.add_scalars("a", "loss", [0.5])
    provider.add_records("graph", "a", "g", [b"first", b"", b"third"], claim=GRAPH, steps=[3, 5, 9])
    return provider


@pytest.fixture
def address(served: Callable[[DataProvider], DataServer], provider: FakeProvider) -> str:
    return f"grpc://127.0.0.1:{served(provider).port}"


@pytest.fixture
def logs(address: str) -> Iterator[insight_host.Logs]:
    with insight_host.open(address, timeout=60) as logs:
        yield logs


def test_payloads_are_read_one_by_one(logs: insight_host.Logs) -> None:
    found = list(logs.payloads("graph", runs="a", tags="g"))
    assert [(one.index, one.step, one.size) for one in found] == [(0, 3, 5), (1, 5, 0), (2, 9, 5)]
    assert [one.read().data for one in found] == [b"first", b"", b"third"]
    assert found[0].read().claim == GRAPH
    with found[2].stream(offset=2, length=2) as part:
        assert (part.size, part.file.read()) == (5, b"ir")
    assert list(logs.payloads("graph", tags="no such tag")) == []


def test_opening_ends_when_everything_was_read_or_time_is_up(address: str, provider: FakeProvider) -> None:
    provider.set_progress(Progress(10, 2000, loaded_once=False))
    with pytest.raises(TimeoutError, match="10 of 2,000 bytes"):
        insight_host.open(address, timeout=0.1)


def test_changes_are_followed_until_the_logs_are_closed(
    logs: insight_host.Logs, provider: FakeProvider
) -> None:
    following = logs.changes()
    steps = itertools.count(8)
    provider.add_scalars("b", "loss", [0.5], steps=[next(steps)])
    while next(following).series != {"scalar": [LOSS]}:  # it is about the connection, if that is slow
        provider.add_scalars("b", "loss", [0.5], steps=[next(steps)])
    closing = threading.Timer(0.1, logs.close)
    closing.start()
    for _ in following:
        pass
    closing.join()


def test_files_of_the_token_and_of_authorities_go_to_the_server(address: str, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("secret\n")
    token.chmod(0o600)
    with insight_host.open(address, token_file=token, timeout=60) as logs:
        assert logs.location == "/some/logs"
    with pytest.raises(InvalidArgument, match="grpcs://"):
        insight_host.open(address, ca_file=certificate(tmp_path / "tls").chain)
    with pytest.raises(InvalidArgument, match="no such file"):
        insight_host.open(address, token_file=tmp_path / "missing")


def test_the_client_of_the_last_release_works_with_a_warning(address: str) -> None:
    with pytest.warns(DeprecationWarning, match=r"insight_host\.open"):
        opened = client.open(address)
    with opened as logs:
        logs.wait_until_read(timeout=60)
        assert (logs.location, logs.plugins()) == ("/some/logs", ["graph", "scalar"])
        assert sorted(run.name for run in logs.runs()) == ["a", "b"]
        assert [info.key for info in logs.series(runs=["b"])] == [LOSS]
        before = logs.catalog(fields=["points"], runs=["b", "c"], tags=["loss"])
        again = logs.catalog(fields=["points"], runs=["b", "c"], tags=["loss"], since=before)
        assert [(table.run, *table.column("points")) for table in again.tables] == [("b", 3)]
        assert (again.whole, again.gone) == (True, {})
        assert logs.scalars("b", "loss").steps.tolist() == [1, 2, 4]
        assert {key.run: len(found.steps) for key, found in logs.all_scalars()} == {"a": 1, "b": 3}
        assert [one.read().data for one in logs.payloads("graph", "a", "g")] == [b"first", b"", b"third"]
        assert next(logs.follow()).series is None  # anything may have changed
        assert logs.damage() == []
        with pytest.raises(NotFound, match="no such tag"):
            logs.scalars("b", "no such tag")
    with pytest.warns(DeprecationWarning, match="ScalarQuery is deprecated"):
        assert getattr(client, "ScalarQuery") is ScalarQuery  # noqa: B009 - type checkers do not know it
    missing = pytest.raises(Unavailable, match=r"127\.0\.0\.1:1 does not answer")
    with pytest.warns(DeprecationWarning, match=r"insight_host\.open"), missing:
        client.open("127.0.0.1:1")
