"""insight_host.client, and the page that teaches it."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import insight_image
import insight_scalar
import numpy as np
import pytest
from attrs import evolve

from insight_core.ingest.logdir import Logdir
from insight_core.plugin import Dialect, EventField
from insight_core.plugin.data import DataProvider, Progress
from insight_core.plugin.testing import FakeProvider
from insight_core.providers.local import LocalProvider
from insight_core.rpc.serving import DataServer, serve
from insight_host import client

GRAPH = EventField(Dialect.TENSORBOARD, "graph_def")


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
def logs(served: Callable[[DataProvider], DataServer], provider: FakeProvider) -> Iterator[client.LogClient]:
    with client.open(f"grpc://127.0.0.1:{served(provider).port}") as logs:
        yield logs


def test_runs_series_and_numbers(logs: client.LogClient) -> None:
    assert (logs.location, logs.plugins()) == ("/some/logs", ["graph", "scalar"])
    assert sorted(run.name for run in logs.runs()) == ["a", "b"]
    assert [info.key for info in logs.series(runs=["b"])] == [client.SeriesKey("b", "loss")]
    points = logs.scalars("b", "loss")
    columns = points.steps, points.wall_times, points.values
    assert [str(column.dtype) for column in columns] == ["int64", "float64", "float32"]
    assert (points.steps.tolist(), points.values.tolist()) == ([1, 2, 4], [3.0, 2.0, 1.0])
    late = logs.scalars("b", "loss", client.ScalarQuery(window=(2, None)))
    assert late.steps.tolist() == [2, 4]
    assert {key.run: len(found.steps) for key, found in logs.all_scalars()} == {"a": 1, "b": 3}
    assert [key.run for key, _ in logs.all_scalars(runs=["a"])] == ["a"]
    assert logs.damage() == []


def test_a_catalogue_is_filtered_and_followed_by_what_changed(
    logs: client.LogClient, provider: FakeProvider
) -> None:
    def points(found: client.SeriesListing) -> dict[str, dict[str, object]]:
        return {
            table.run: dict(zip(table.tags, table.column("points"), strict=True)) for table in found.tables
        }

    first = logs.catalog()
    assert points(first) == {"a": {"loss": 1}, "b": {"loss": 3}}
    assert (first.whole, first.gone) == (True, {})
    assert points(logs.catalog(fields=["points"], runs=["b", "c"], tags=["loss"])) == {"b": {"loss": 3}}
    assert points(logs.catalog(tags=["other"])) == {}
    provider.add_scalars("b", "new", [0.5])
    provider.remove_series("scalar", "a", "loss")
    second = logs.catalog(since=first)
    assert (points(second), second.gone, second.whole) == ({"b": {"new": 1}}, {"a": ["loss"]}, False)
    filtered = logs.catalog(runs=["b"], since=first)
    assert (points(filtered), filtered.gone) == ({"b": {"new": 1}}, {})
    third = logs.catalog(since=second)
    assert (points(third), third.gone, third.generation) == ({}, {}, second.generation)
    other = logs.catalog(since=evolve(first, boot="another process"))
    assert (points(other), other.whole) == ({"b": {"loss": 3, "new": 1}}, True)
    shown = {
        key.tag: len(found.steps)
        for key, found in logs.all_scalars(tags=["new"], query=client.ScalarQuery(width=9))
    }
    assert shown == {"new": 1}


def test_payloads_are_read_one_by_one(logs: client.LogClient) -> None:
    found = list(logs.payloads("graph", "a", "g"))
    assert [(one.index, one.step, one.size) for one in found] == [(0, 3, 5), (1, 5, 0), (2, 9, 5)]
    assert [one.read().data for one in found] == [b"first", b"", b"third"]
    assert found[0].read().claim == GRAPH
    with found[2].stream(offset=2, length=2) as part:
        assert (part.size, part.file.read()) == (5, b"ir")


def test_errors_have_names(logs: client.LogClient) -> None:
    with pytest.raises(client.NotFound, match="no such tag"):
        logs.scalars("b", "no such tag")
    with pytest.raises(client.NotFound):
        next(logs.payloads("graph", "b", "g"))
    with pytest.raises(client.InvalidArgument):
        logs.scalars("b", "loss", client.ScalarQuery(width=0))
    logs.close()
    with pytest.raises(client.Unavailable):
        logs.runs()


def test_an_address_without_a_server_is_refused_at_once(
    served: Callable[[DataProvider], DataServer], provider: FakeProvider
) -> None:
    server = served(provider)
    server.stop()
    with pytest.raises(client.Unavailable, match=f"127.0.0.1:{server.port} does not answer"):
        client.open(f"127.0.0.1:{server.port}")


def test_waiting_ends_when_everything_was_read_or_time_is_up(
    logs: client.LogClient, provider: FakeProvider
) -> None:
    logs.wait_until_read(timeout=0)
    provider.set_progress(Progress(10, 2000, loaded_once=False))
    with pytest.raises(TimeoutError, match="10 of 2,000 bytes"):
        logs.wait_until_read(timeout=0)


def test_changes_are_followed_until_the_client_is_closed(
    logs: client.LogClient, provider: FakeProvider
) -> None:
    following = logs.follow()
    assert next(following).series is None  # anything may have changed
    provider.add_scalars("b", "loss", [0.5], steps=[8])
    assert next(following).series == {"scalar": [client.SeriesKey("b", "loss")]}
    closing = threading.Timer(0.1, logs.close)
    closing.start()
    assert all(change.runs for change in following)  # the end of the connection at most
    closing.join()


def test_the_documented_example_prints_what_its_page_says(
    repository: Path, served: Callable[[DataProvider], DataServer]
) -> None:
    page = (repository / "docs/how-to/python_client.md").read_text(encoding="utf-8")
    found = re.search(r"```python\n(.*?)```\n\nprints\n\n```\n(.*?)```", page, re.DOTALL)
    assert found is not None
    program, expected = found.groups()
    with ExitStack() as opened:
        provider = LocalProvider(
            [Logdir(str(repository / "examples/logs"))],
            [insight_scalar.insight_plugin(), insight_image.insight_plugin()],
            reload_interval=0,
        )
        opened.callback(provider.close)
        provider.load()
        program = program.replace("localhost:6806", f"localhost:{served(provider).port}")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (expected, "")
