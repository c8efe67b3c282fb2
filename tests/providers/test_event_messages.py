"""Whole messages of events other than summaries: graphs and run metadata are separate series."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from insight_authoring.testing import wire
from insight_core.ingest.logdir import Logdir
from insight_core.plugin import Claim, Dialect, EventField, Plugin, RecordDecoder, SummaryPlugin
from insight_core.plugin.data import SeriesKey
from insight_core.plugin.testing import EventWriter
from insight_core.providers.local import LocalProvider

TENSORBOARD, MINDSPORE = Dialect.TENSORBOARD, Dialect.MINDSPORE
KERAS_TAGS = ("graph_keras_model", "graph_run_metadata", "graph_run_metadata_graph")
CLAIMS: set[Claim] = {
    EventField(TENSORBOARD, "graph_def"),
    EventField(TENSORBOARD, "meta_graph_def"),
    EventField(TENSORBOARD, "tagged_run_metadata"),
    EventField(MINDSPORE, "graph_def"),
    *map(SummaryPlugin, KERAS_TAGS),
}
GRAPH = Plugin("graph", "Graphs", decoder=RecordDecoder(CLAIMS))
Read = Callable[[], LocalProvider]


@pytest.fixture(params=[False, True], ids=["read", "kept"])
def read(request: pytest.FixtureRequest, tmp_path: Path) -> Read:
    """Reads what was written, the second time from the index."""

    def load() -> LocalProvider:
        for _ in range(1 + request.param):
            provider = LocalProvider(
                [Logdir(str(tmp_path / "logs"))], [GRAPH], cache_directory=tmp_path / "cache"
            )
            provider.load()
            provider.close()
        return provider

    return load


def field(writer: EventWriter, number: int, content: bytes, step: int = 0) -> None:
    writer.event(wire.event(step, 1.0 + step, wire.message_field(number, content)))


def found(provider: LocalProvider) -> dict[str, list[tuple[Claim, bytes]]]:
    """Claims and bytes by tag."""
    return {
        info.key.tag: [
            (payload.claim, payload.data)
            for index in range(info.points)
            for payload in [provider.payload("graph", SeriesKey("r", info.key.tag), index, "all")]
        ]
        for info in provider.series("graph")
    }


@pytest.mark.parametrize("size", [10, 300 << 10])
def test_messages_of_tensorboard(tmp_path: Path, read: Read, size: int) -> None:
    graph, other = wire.message_field(1, bytes(size)), wire.message_field(1, b"\x01" * size)
    with EventWriter(tmp_path / "logs/r") as writer:
        field(writer, 4, graph)
        field(writer, 9, other)
        for step in range(2):
            tagged = wire.message_field(1, b"batch") + wire.message_field(2, graph)
            field(writer, 8, tagged, step)
        for tag in KERAS_TAGS:
            metadata = wire.metadata(tag)
            writer.values(0, [wire.tensor_value(f"of {tag}", wire.text_tensor([b"{}"], rank=0), metadata)])
    run_metadata = EventField(TENSORBOARD, "tagged_run_metadata")
    assert found(read()) == {
        "__run_graph__": [(EventField(TENSORBOARD, "graph_def"), graph)],
        "__meta_graph__": [(EventField(TENSORBOARD, "meta_graph_def"), other)],
        "batch": [(run_metadata, graph), (run_metadata, graph)],
        **{f"of {tag}": [(SummaryPlugin(tag), wire.text_tensor([b"{}"], rank=0))] for tag in KERAS_TAGS},
    }


def test_a_graph_of_mindspore_is_named_after_its_file(tmp_path: Path, read: Read) -> None:
    names = []
    for start, count in ((1000, 1), (2000, 2)):
        with EventWriter(tmp_path / "logs/r", MINDSPORE, start_time=start) as writer:
            for step in range(count):
                field(writer, 4, wire.message_field(1, b"%d %d" % (start, step)), step)
            writer.scalar("", 0, 1.0)
            names.append(writer.path.name)
    provider, claim = read(), EventField(MINDSPORE, "graph_def")
    assert found(provider) == {
        names[0]: [(claim, wire.message_field(1, b"1000 0"))],
        names[1]: [(claim, wire.message_field(1, b"2000 0")), (claim, wire.message_field(1, b"2000 1"))],
    }
    assert [info.key.tag for info in provider.series("mindspore:scalar_value")] == [""]
