"""A gRPC client refuses messages over 4 MiB by default: every answer that can be split stays below 3 MiB."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import grpc
import numpy as np
import pytest
from google.protobuf.message import Message
from insight_tensorboard.service import services

from insight_core.plugin import Dialect, EventField, SummaryPlugin
from insight_core.plugin.data import Damage
from insight_core.plugin.testing import EventWriter, FakeProvider
from insight_core.rpc.schema import insight_data_pb2 as messages
from insight_core.rpc.schema import tensorboard_data_pb2 as tb
from insight_core.rpc.schema.services import INSIGHT, PIECE, TENSORBOARD, ServiceStub
from insight_core.rpc.serving import serve
from tests.rpc.conftest import Load

GRAPH = EventField(Dialect.TENSORBOARD, "graph_def")
LARGEST = 3 << 20  # bytes of a message; a client accepts 4 MiB
NEAR = [PIECE - 100, PIECE, PIECE + 1, LARGEST - 20, LARGEST, LARGEST + 1, 4 * LARGEST]
POINTS = 220_000
NAME = "x" * 2000


class Client:
    """Has the options of gRPC's own."""

    def __init__(self, port: int) -> None:
        self.channel = grpc.insecure_channel(f"127.0.0.1:{port}")
        self.insight = ServiceStub(self.channel, INSIGHT)
        self.tensorboard = ServiceStub(self.channel, TENSORBOARD)


@pytest.fixture(scope="module")
def provider() -> FakeProvider:
    provider = FakeProvider()
    provider.add_scalars("r", "many", np.arange(POINTS, dtype=np.float64), steps=np.arange(POINTS) % 1000)
    provider.add_scalars("r", "restarts", np.zeros(2 * POINTS), steps=np.tile([1, 0], POINTS))
    for size in NEAR:
        provider.add_records("graph", "sizes", str(size), [bytes(size)], claim=GRAPH)
    provider.add_records("graph", "r", "named", [bytes(LARGEST)], claim=SummaryPlugin("p" * 300_000))
    provider.add_records("notes", "r", "many", [b""] * POINTS, claim=GRAPH)
    for number in range(3000):
        provider.add_scalars(f"{number} {NAME}", "t", [0.0], plugin="other")
    for number in range(2000):
        provider.add_damage(Damage("damaged", f"{number} {NAME}", 0, "a reason"))
    return provider


@pytest.fixture(scope="module")
def client(provider: FakeProvider) -> Iterator[Client]:
    with ExitStack() as opened:
        server = serve(provider, "127.0.0.1", 0, version="test", services=services(provider))
        opened.callback(server.stop)
        client = Client(server.port)
        opened.callback(client.channel.close)
        yield client


def largest(parts: list[Any]) -> int:
    assert all(isinstance(part, Message) for part in parts)
    sizes: list[int] = [part.ByteSize() for part in parts]
    return max(sizes)


def key(run: str, tag: str) -> messages.SeriesKey:
    return messages.SeriesKey(run=run, tag=tag)


def test_long_columns_of_points_are_split(client: Client) -> None:
    query = messages.ScalarQuery(all_attempts=True)
    request = messages.ScalarsRequest(plugin="scalar", keys=[key("r", "many")], query=query)
    answers = list(client.insight.Scalars(request))
    assert largest(answers) < LARGEST
    parts = [part for answer in answers for part in answer.parts]
    values = np.frombuffer(b"".join(part.values for part in parts), "<f8")
    np.testing.assert_array_equal(values, np.arange(POINTS))
    assert sum(len(part.steps) for part in parts) == sum(len(part.wall_times) for part in parts) == 8 * POINTS


def test_a_part_with_as_many_restarts_as_points_is_not_too_long(client: Client) -> None:
    query = messages.ScalarQuery(all_attempts=True)
    request = messages.ScalarsRequest(plugin="scalar", keys=[key("r", "restarts")], query=query)
    answers = list(client.insight.Scalars(request))
    assert largest(answers) < LARGEST
    assert sum(len(part.breaks) for answer in answers for part in answer.parts) == 8 * POINTS


def test_long_tables_of_records_are_split(client: Client) -> None:
    answers = list(client.insight.Records(messages.RecordsRequest(plugin="notes", key=key("r", "many"))))
    assert largest(answers) < LARGEST
    assert sum(len(answer.sizes) for answer in answers) == 8 * POINTS


@pytest.mark.parametrize("limit", [None, 10 * LARGEST])
@pytest.mark.parametrize("size", NEAR)
def test_payloads_about_as_large_as_a_piece_arrive(client: Client, size: int, limit: int | None) -> None:
    request = messages.PayloadRequest(plugin="graph", key=key("sizes", str(size)), limit=limit)
    pieces = list(client.insight.Payload(request))
    assert largest(pieces) < LARGEST
    assert pieces[0].size == sum(len(piece.data) for piece in pieces) == size
    assert all(piece.data for piece in pieces)


def test_a_claim_with_a_long_name_leaves_less_room_for_the_first_piece(client: Client) -> None:
    pieces = list(client.insight.Payload(messages.PayloadRequest(plugin="graph", key=key("r", "named"))))
    assert largest(pieces) < LARGEST
    assert len(pieces[0].claim.summary_plugin) == 300_000
    assert sum(len(piece.data) for piece in pieces) == LARGEST


def test_lists_of_runs_series_and_damage_are_split(client: Client, provider: FakeProvider) -> None:
    runs = list(client.insight.Runs(messages.RunsRequest()))
    series = list(
        client.insight.SeriesTables(messages.SeriesTablesRequest(plugin="other", fields=["description"]))
    )
    damage = list(client.insight.Damage(messages.DamageRequest()))
    for answers in (runs, series, damage):
        assert len(answers) > 1
        assert largest(answers) < LARGEST
    assert sum(len(answer.runs) for answer in runs) == len(provider.runs())
    assert sum(len(answer.tables) for answer in series) == 3000
    assert sum(len(answer.damage) for answer in damage) == 2000


def test_changes_too_many_to_be_named_are_told_as_everything(client: Client, provider: FakeProvider) -> None:
    changes = client.insight.Changes(messages.ChangesRequest(since=0))
    assert (changes.everything, len(changes.plugins)) == (True, 0)
    assert changes.generation == provider.generation()
    assert changes.runs
    few = client.insight.Changes(messages.ChangesRequest(since=provider.generation()))
    assert not few.everything


@pytest.mark.parametrize("size", NEAR)
def test_blobs_of_tensorboards_service_come_in_pieces_that_arrive(client: Client, size: int) -> None:
    request = tb.ReadBlobSequencesRequest(
        plugin_filter=tb.PluginFilter(plugin_name="graphs"),
        run_tag_filter=tb.RunTagFilter(tags=tb.TagFilter(names=[str(size)])),
        downsample=tb.Downsample(num_points=1),
    )
    [run] = client.tensorboard.ReadBlobSequences(request).runs
    [tag] = run.tags
    blob_key = tag.data.values[0].blob_refs[0].blob_key
    pieces = list(client.tensorboard.ReadBlob(tb.ReadBlobRequest(blob_key=blob_key)))
    assert largest(pieces) < LARGEST
    assert sum(len(piece.data) for piece in pieces) == size


def test_a_long_series_fits_into_the_one_answer_of_tensorboards_service(
    load_with: Load, tmp_path: Path
) -> None:
    """ReadScalars cannot be split: as many points as docs/reference/grpc_api.md says fit into 4 MiB."""
    with EventWriter(tmp_path / "r") as writer:
        writer.scalar_block(["x"], np.arange(260_000), np.zeros((260_000, 1)))
    request = tb.ReadScalarsRequest(
        plugin_filter=tb.PluginFilter(plugin_name="scalars"),
        downsample=tb.Downsample(num_points=1_000_000),
    )
    with ExitStack() as opened:
        provider = load_with()
        server = serve(provider, "127.0.0.1", 0, version="test", services=services(provider))
        opened.callback(server.stop)
        client = Client(server.port)
        opened.callback(client.channel.close)
        [run] = client.tensorboard.ReadScalars(request).runs
    assert len(run.tags[0].data.step) == 260_000
