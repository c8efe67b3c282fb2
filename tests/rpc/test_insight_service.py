"""insight.data.v1: whole columns, streams, waits, and errors as status codes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import grpc
import numpy as np
import pytest

from insight_core.plugin import (
    Dialect,
    EventField,
    InsightError,
    InvalidArgument,
    NotFound,
    SummaryPlugin,
    Unavailable,
    Undecodable,
)
from insight_core.plugin.data import Damage, Run, SeriesField
from insight_core.plugin.testing import EventWriter, FakeProvider
from insight_core.rpc import insight_service
from insight_core.rpc import messages as insight_messages
from insight_core.rpc.schema import insight_data_pb2 as messages
from tests.rpc.conftest import Client, Connect, Load

GRAPH = EventField(Dialect.TENSORBOARD, "graph_def")
TEXTS = ("display_name", "description", "claims")


def key(run: str, tag: str) -> messages.SeriesKey:
    return messages.SeriesKey(run=run, tag=tag)


def test_what_a_server_says_of_itself(connect: Connect) -> None:
    provider = FakeProvider("/logs/\udcff")
    provider.add_run(Run("a"))
    first, second = connect(provider), connect(provider)
    info = first.insight.Info(messages.InfoRequest())
    assert (info.version, info.location, info.generation) == ("1.2.3", "/logs/\\udcff", 1)
    assert info.boot_id
    assert info.boot_id != second.insight.Info(messages.InfoRequest()).boot_id


def test_runs_series_damage_and_progress(connect: Connect, load_with: Load, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "a", start_time=100.0) as writer:
        writer.scalars_tf2("acc", 4, 0.5, display_name="Accuracy", description="of validation")
        writer.text("t", 0, "hi")
        writer.raw(b"damage that is not a record at all")
    (tmp_path / "b").mkdir()
    (tmp_path / "b/events.out.tfevents.1").touch()
    client = connect(load_with())
    assert list(client.insight.Plugins(messages.PluginsRequest()).names) == ["plugin:text", "scalar"]
    runs = [run for part in client.insight.Runs(messages.RunsRequest()) for run in part.runs]
    assert [(run.name, list(run.dialects), run.HasField("start_time")) for run in runs] == [
        ("a", [messages.DIALECT_TENSORBOARD], True),
        ("b", [], False),
    ]
    assert (runs[0].start_time, runs[0].damage, runs[1].damage) == (100.0, 1, 1)
    request = messages.SeriesTablesRequest(plugin="scalar", fields=get_args(SeriesField))
    [part] = client.insight.SeriesTables(request)
    [table] = part.tables
    assert (table.run, list(part.tags)) == ("a", ["acc"])
    assert np.frombuffer(part.sets[table.set].tags, "<u4").tolist() == [0]
    columns = {column.name: column.elements for column in table.columns}
    for name, number in {"points": 1, "kept": 1, "first_step": 4, "last_step": 4, "attempts": 1}.items():
        assert np.frombuffer(columns.pop(name), "<i8").tolist() == [number], name
    for name, value in {"last_value": 0.5, "last_wall_time": 104.0}.items():
        assert np.frombuffer(columns.pop(name), "<f8").tolist() == [value], name
    values = {name: part.values[np.frombuffer(columns[name], "<u4")[0]] for name in TEXTS}
    assert (values["display_name"].text, values["description"].text) == ("Accuracy", "of validation")
    assert [claim.summary_plugin for claim in values["claims"].claims.claims] == ["scalars"]
    for names in ([], ["b"]):
        for request in (
            messages.SeriesTablesRequest(plugin="scalar", runs=messages.Names(names=names)),
            messages.SeriesTablesRequest(plugin="scalar", tags=messages.Names(names=names)),
        ):
            assert list(client.insight.SeriesTables(request)) == []
    with pytest.raises(grpc.RpcError) as refused:
        list(client.insight.SeriesTables(messages.SeriesTablesRequest(plugin="scalar", fields=["color"])))
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    for run, count in ((None, 2), ("b", 1), ("nothing", 0)):
        found = client.insight.Damage(messages.DamageRequest(run=run))
        assert len([entry for part in found for entry in part.damage]) == count
    progress = client.insight.Progress(messages.ProgressRequest())
    assert progress.loaded_once
    assert progress.bytes_read == progress.bytes_total > 0


def test_what_series_have_in_common_is_sent_once(connect: Connect) -> None:
    provider = FakeProvider()
    for run in range(30):
        for tag in range(40):
            provider.add_scalars(f"run {run}", f"tag {tag}", [float(tag)], description="of all")
    fields = ["points", "description", "last_value"]
    request = messages.SeriesTablesRequest(plugin="scalar", fields=fields)
    [answer] = connect(provider).insight.SeriesTables(request)
    assert (len(answer.tags), len(answer.sets), len(answer.values), len(answer.tables)) == (40, 1, 1, 30)
    for table in answer.tables:
        sizes = {column.name: len(column.elements) for column in table.columns}
        assert sizes == {"points": 8, "description": 4, "last_value": 8 * 40}
    request = messages.SeriesTablesRequest(plugin="scalar", tags=messages.Names(names=["tag 3"]))
    [answer] = connect(provider).insight.SeriesTables(request)
    assert (list(answer.tags), len(answer.tables), len(answer.tables[0].columns)) == (["tag 3"], 30, 0)


def test_columns_come_whole_in_parts(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(insight_messages, "COLUMN_PIECE", 1 << 12)
    monkeypatch.setattr(insight_service, "PIECE", 1 << 12)
    random = np.random.default_rng(0)
    singles, doubles = random.random(3000, np.float32), random.random(2000)
    steps = np.arange(3000) % 1000
    provider = FakeProvider()
    provider.add_scalars("r", "single", singles, steps=steps)
    provider.add_scalars("r", "double", doubles)
    provider.add_scalars("r", "empty", np.zeros(0))
    asked = [key("r", "double"), key("no", "such"), key("r", "empty"), key("r", "single"), key("r", "double")]
    query = messages.ScalarQuery(all_attempts=True)
    request = messages.ScalarsRequest(plugin="scalar", keys=asked, query=query)
    answers = list(connect(provider).insight.Scalars(request))
    assert len(answers) >= 5
    assert max(answer.ByteSize() for answer in answers) < 20_000
    parts = [part for answer in answers for part in answer.parts]
    assert [part.key for part in parts if part.HasField("summary")] == [0, 2, 3]
    for index, values, form in ((0, doubles, "<f8"), (3, singles, "<f4"), (2, np.zeros(0), "<f8")):
        mine = [part for part in parts if part.key == index]
        np.testing.assert_array_equal(np.frombuffer(b"".join(p.values for p in mine), form), values)
        assert sum(len(part.steps) for part in mine) == 8 * len(values)
        assert mine[0].summary.points == len(values)
    single = [part for part in parts if part.key == 3]
    np.testing.assert_array_equal(np.frombuffer(b"".join(p.steps for p in single), "<i8"), steps)
    assert np.frombuffer(b"".join(p.breaks for p in single), "<i8").tolist() == [1000, 2000]
    assert np.frombuffer(b"".join(p.restarts for p in single), "<i8").tolist() == [0, 0]


def test_a_query_reaches_the_provider_as_it_was_asked(connect: Connect) -> None:
    provider = FakeProvider()
    provider.add_scalars("r", "x", np.arange(10.0), wall_times=100.0 + np.arange(10))
    client = connect(provider)

    def steps(**query: object) -> list[int]:
        request = messages.ScalarsRequest(
            plugin="scalar",
            keys=[key("r", "x")],
            query=messages.ScalarQuery(**query),  # type: ignore[arg-type]
        )
        [answer] = client.insight.Scalars(request)
        found: list[int] = np.frombuffer(answer.parts[0].steps, "<i8").tolist()
        return found

    assert steps() == list(range(10))
    assert steps(window_low=7.0) == [7, 8, 9]
    assert steps(window_high=0.0) == [0]
    assert steps(x=messages.X_WALL, window_low=102.0, window_high=103.0) == [2, 3]
    assert steps(x=messages.X_RELATIVE, nearest=4.2) == [4]
    assert steps(nearest=0.0) == [0]


@pytest.mark.parametrize("query", [{"width": 0}, {"smoothing": 1.0}, {"smoothing": -0.1}, {"x": 7}])
def test_queries_that_make_no_sense(connect: Connect, query: dict[str, float]) -> None:
    request = messages.ScalarsRequest(plugin="scalar", query=messages.ScalarQuery(**query))  # type: ignore[arg-type]
    with pytest.raises(grpc.RpcError) as caught:
        list(connect(FakeProvider()).insight.Scalars(request))
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


def test_records_and_payloads_come_in_pieces(connect: Connect) -> None:
    provider = FakeProvider()
    large = bytes(range(256)) * (9 << 12)
    provider.add_records("graph", "r", "g", [large, b""], claim=GRAPH, steps=[3, 5])
    client = connect(provider)
    [table] = client.insight.Records(messages.RecordsRequest(plugin="graph", key=key("r", "g")))
    assert np.frombuffer(table.steps, "<i8").tolist() == [3, 5]
    assert np.frombuffer(table.sizes, "<i8").tolist() == [len(large), 0]
    assert np.frombuffer(table.wall_times, "<f8").tolist() == [1e9, 1e9 + 1]
    assert (table.summary.total, table.summary.kept, table.summary.hidden) == (2, 2, 0)
    for index, data, pieces in ((0, large, 4), (1, b"", 1)):
        request = messages.PayloadRequest(plugin="graph", key=key("r", "g"), index=index)
        parts = list(client.insight.Payload(request))
        assert len(parts) == pieces
        assert b"".join(part.data for part in parts) == data
        assert parts[0].size == len(data)
        assert parts[0].claim.event_field.name == "graph_def"
        assert parts[0].claim.event_field.dialect == messages.DIALECT_TENSORBOARD
    [head] = client.insight.Payload(messages.PayloadRequest(plugin="graph", key=key("r", "g"), limit=3))
    assert (head.size, head.data) == (3, large[:3])
    part = messages.PayloadRequest(plugin="graph", key=key("r", "g"), offset=len(large) - 5, length=9)
    [end] = client.insight.Payload(part)
    assert (end.size, end.whole, end.data) == (5, len(large), large[-5:])
    for name in ("limit", "offset", "length"):
        refused = messages.PayloadRequest(plugin="graph", key=key("r", "g"), **{name: -1})  # type: ignore[arg-type]
        with pytest.raises(grpc.RpcError, match=f"the {name} -1 is not"):
            list(client.insight.Payload(refused))


def watching(client: Client, since: int) -> Any:  # noqa: ANN401  (grpc-stubs lacks the iterator's methods)
    return client.insight.Watch(messages.WatchRequest(since=since))


class Failing(FakeProvider):
    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    def plugins(self) -> list[str]:
        raise self._error

    def damage(self, run: str | None = None) -> list[Damage]:
        raise self._error


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (NotFound("no such thing"), grpc.StatusCode.NOT_FOUND, "no such thing"),
        (InvalidArgument("no sense"), grpc.StatusCode.INVALID_ARGUMENT, "no sense"),
        (Undecodable("wrong checksum"), grpc.StatusCode.DATA_LOSS, "wrong checksum"),
        (Unavailable("away: \udcff"), grpc.StatusCode.UNAVAILABLE, "away: \\udcff"),
        (InsightError("damaged"), grpc.StatusCode.INTERNAL, "damaged"),
        (RuntimeError("secret"), grpc.StatusCode.INTERNAL, "failed in the data server; its log says why"),
    ],
)
def test_errors_become_status_codes(
    connect: Connect, error: Exception, code: grpc.StatusCode, text: str
) -> None:
    client = connect(Failing(error))
    calls: list[Callable[[], object]] = [
        lambda: client.insight.Plugins(messages.PluginsRequest()),
        lambda: list(client.insight.Damage(messages.DamageRequest())),
    ]
    for call in calls:
        with pytest.raises(grpc.RpcError) as caught:
            call()
        assert caught.value.code() is code
        assert str(caught.value.details()).endswith(text)


def test_changes_wait_for_something_new(connect: Connect) -> None:
    provider = FakeProvider()
    provider.add_scalars("r", "x", [1.0])
    client = connect(provider)
    since = provider.generation()
    began = time.monotonic()
    same = client.insight.Changes(messages.ChangesRequest(since=since, timeout=0.3))
    assert time.monotonic() - began >= 0.3
    assert (same.generation, list(same.plugins), same.runs, same.everything) == (since, [], False, False)
    threading.Timer(0.2, provider.add_scalars, ("r", "x", [2.0])).start()
    news = client.insight.Changes(messages.ChangesRequest(since=since, timeout=30.0))
    assert news.generation > since
    assert [(plugin.name, list(plugin.keys)) for plugin in news.plugins] == [("scalar", [key("r", "x")])]
    with pytest.raises(grpc.RpcError) as caught:
        client.insight.Changes(messages.ChangesRequest(timeout=-1.0))
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


def test_a_watch_tells_at_once_then_what_changes_then_that_nothing_does(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(insight_service, "HEARTBEAT", 0.3)
    monkeypatch.setattr(insight_service, "_SLICE", 0.1)
    provider = FakeProvider()
    provider.add_scalars("r", "x", [1.0])
    watch = watching(connect(provider), provider.generation())
    first = next(watch)
    assert (first.generation, list(first.plugins)) == (provider.generation(), [])
    provider.add_scalars("r", "y", [1.0])
    second = next(watch)
    assert [list(plugin.keys) for plugin in second.plugins] == [[key("r", "y")]]
    assert (next(watch).generation, next(watch).generation) == (second.generation,) * 2
    watch.cancel()


def test_too_many_waits_are_refused_and_places_are_given_back(connect: Connect) -> None:
    client = connect(FakeProvider())
    watches = [watching(client, 0) for _ in range(insight_service.WAITING)]
    for watch in watches:
        next(watch)
    with pytest.raises(grpc.RpcError) as caught:
        client.insight.Changes(messages.ChangesRequest(timeout=5.0))
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert client.insight.Changes(messages.ChangesRequest()).generation == 0  # what does not wait is answered
    for watch in watches:
        watch.cancel()
    ends = time.monotonic() + 10
    while True:
        try:
            client.insight.Changes(messages.ChangesRequest(timeout=0.1))
            break
        except grpc.RpcError:
            assert time.monotonic() < ends
            time.sleep(0.1)


def test_claims_of_both_kinds() -> None:
    assert insight_messages.claim_message(SummaryPlugin("text")).summary_plugin == "text"
    field = insight_messages.claim_message(EventField(Dialect.MINDSPORE, "image")).event_field
    assert (field.dialect, field.name) == (messages.DIALECT_MINDSPORE, "image")
