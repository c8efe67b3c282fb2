"""Which ``.pb`` files are graphs, and make a run that holds nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import insight_graph
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from insight_graph.beginnings import MINDSPORE, TENSORFLOW, graph_format
from werkzeug.test import Client

from insight_authoring.testing.wire import int_field, message_field
from insight_core.ingest.logdir import Logdir
from insight_core.plugin import BEGINNING
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.web import Host
from tests.graph_samples import chain, in_model, small_network
from tests.support.graphs import (
    large_mindspore_graph,
    large_tensorflow_graph,
    mindspore_node,
    mindspore_parameter,
    tensorflow_node,
)

_META_GRAPH = message_field(2, message_field(1, message_field(2, b"")) + message_field(2, chain("a", "b")))
GRAPHS = [
    (small_network(), MINDSPORE),
    (in_model(small_network()), MINDSPORE),
    (mindspore_node("1", "Load", "a/Load-op1", ["w"]), MINDSPORE),
    (mindspore_node("1", "Load", "a/Load-op1"), MINDSPORE),
    (in_model(mindspore_node("1", "Load", "a/Load-op1")), MINDSPORE),
    (message_field(2, b"kernel_graph") + mindspore_parameter("w", (3, 4)), MINDSPORE),
    (large_mindspore_graph(3500), MINDSPORE),
    (large_tensorflow_graph(3500), TENSORFLOW),
    (chain("a", "b"), TENSORFLOW),
    (tensorflow_node("äöü/" * 300, "Const"), TENSORFLOW),
]
OTHERS = {
    "empty": b"",
    "text": b"graph { node }\n" * 50,
    "zeros": bytes(100),
    "saved model": int_field(1, 1) + _META_GRAPH,
    "meta graph": _META_GRAPH,
    "fingerprint": int_field(1, 1 << 63) + int_field(2, 77) + int_field(4, 1 << 62),
    "metadata of Keras": message_field(
        1, message_field(1, int_field(1, 1)) + message_field(3, b"root") + message_field(4, b"_tf_keras")
    ),
    "profile": message_field(
        1, int_field(1, 1) + message_field(2, b"/host:CPU") + message_field(3, int_field(1, 7))
    ),
    "example": message_field(1, message_field(1, message_field(1, b"key") + message_field(2, b"\x0a\x00"))),
    "model of ONNX": int_field(1, 8) + message_field(2, b"pytorch") + message_field(3, b"2.1"),
    "memory usage": message_field(1, int_field(1, 3) + int_field(2, 9)) + int_field(2, 12),
}


@pytest.mark.parametrize(("data", "expected"), GRAPHS)
def test_a_graph_is_told_by_its_beginning(data: bytes, expected: str) -> None:
    assert graph_format(data[:BEGINNING]) == expected


@pytest.mark.parametrize("name", OTHERS)
def test_other_files_are_no_graphs(name: str) -> None:
    assert graph_format(OTHERS[name]) is None


@settings(max_examples=300, deadline=None)
@given(data=st.binary(max_size=60), at=st.integers(0, 400), which=st.sampled_from([one for one, _ in GRAPHS]))
def test_any_bytes_are_a_graph_or_none(data: bytes, at: int, which: bytes) -> None:
    for begun in (data, which[:at] + data, which[:at] + data + which[at:4000]):
        assert graph_format(begun) in (MINDSPORE, TENSORFLOW, None)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    for name, content in {
        "lenet/lenet.pb": small_network(),
        "frozen/frozen.pb": chain("a", "b"),
        "saved/saved_model.pb": OTHERS["saved model"],
        "events/events.out.tfevents.1.host": b"",
        "events/saved_model.pb": OTHERS["saved model"],
        "events/broken.pb": b"\xff\xff",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    registry = Registry.of([("graph", lambda: insight_graph)])
    data = LocalProvider([Logdir(str(tmp_path))], registry.plugins.values(), reload_interval=0)
    try:
        data.load()
        yield Client(Host(registry, data))
    finally:
        data.close()


def test_a_directory_with_a_graph_file_alone_is_a_run(client: Client) -> None:
    listed = {(one["run"], one["name"]): one["format"] for one in _json(client, "graphs")["graphs"]}
    assert listed == {("lenet", "lenet.pb"): "", ("frozen", "frozen.pb"): "", ("events", "broken.pb"): ""}
    nodes = {
        run: _json(client, "scope", run=run, tag=tag, index=0)["graph"]["nodes"]
        for run, tag in listed
        if run != "events"
    }
    assert nodes == {"lenet": 12, "frozen": 2}
    broken = {"run": "events", "tag": "broken.pb", "index": 0}
    assert client.get("/data/plugin/graph/scope", query_string=broken).status_code == 422


def _json(client: Client, route: str, **query: object) -> Any:  # noqa: ANN401
    answer = client.get(f"/data/plugin/graph/{route}", query_string=query)
    assert answer.status_code == 200, answer.text
    return answer.json
