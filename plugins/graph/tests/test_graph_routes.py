"""The graph routes over given payloads."""

from __future__ import annotations

import struct
from typing import Any

import insight_graph
import insight_lineage
import pytest
from insight_graph.messages import empty
from werkzeug.test import Client, TestResponse

from insight_authoring.testing.wire import message_field, text_tensor
from insight_core.plugin import Dialect, EventField, FileName, SummaryPlugin
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host
from insight_record.formats.framing import record
from tests.graph_samples import chain, in_model, small_network
from tests.lineage_samples import field
from tests.support.graphs import tensorflow_node

BASE = "/data/plugin/graph"
EVENT = EventField(Dialect.MINDSPORE, "graph_def")
GRAPH_DEF = EventField(Dialect.TENSORBOARD, "graph_def")
LINEAGE = FileName("*_lineage")


def _statistics() -> bytes:
    message = empty("RunMetadata")
    stats = message.step_stats.dev_stats.add(device=b"cpu")
    stats.node_stats.add(node_name=b"s/a", all_start_micros=1, all_end_rel_micros=7)
    content: bytes = message.SerializeToString()
    return content


def _parameter(name: str, kind: int, value: bytes | str | int) -> bytes:
    """A parameter of an operation, in the map of its kind."""
    return field(kind, field(1, name) + field(2, value))


def _lineage() -> bytes:
    text, texts, switch, whole = 1, 2, 3, 4
    sampler = field(1, _parameter("sampler_name", text, "RandomSampler"))
    source = field(2, _parameter("op_type", text, "MnistDataset") + _parameter("shuffle", switch, 1))
    resize = field(1, _parameter("tensor_op_name", text, "Resize")) + field(3, struct.pack("<f", 0.5))
    columns = field(1, "a") + field(1, "b")
    changed = field(2, _parameter("op_type", text, "Map") + _parameter("columns", texts, columns))
    batch = field(2, _parameter("op_type", text, "Batch") + _parameter("batch_size", whole, 32))
    root = field(1, field(1, source + field(4, sampler)) + changed + field(3, resize)) + batch
    other = field(1, 1.0)
    return b"".join(map(record, (other, field(9, root), other)))


@pytest.fixture
def provider() -> FakeProvider:
    fake = FakeProvider()

    def add(run: str, tag: str, claim: Any, *payloads: bytes) -> None:  # noqa: ANN401
        for plugin in ("graph", "lineage") if claim == LINEAGE else ("graph",):
            fake.add_records(plugin, run, tag, list(payloads), claim=claim)

    add("ms", "events.1_MS", EVENT, small_network())
    add("ms", "ms_output_optimize.pb", FileName("ms_output_*.pb"), in_model(small_network()))
    add("ms", "ms_output_hwopt.pb", FileName("ms_output_*.pb"), in_model(small_network()))
    add("ms", "memory_usage_1.pb", FileName("*.pb"), b"no graph")
    add("ms", "events.1_lineage", LINEAGE, _lineage())
    add("ms", "events.2_lineage", LINEAGE, b"\0" * 5)
    add("tf", "__run_graph__", GRAPH_DEF, chain("s/a", "s/b", "t"), chain("other"))
    add("tf", "step1", EventField(Dialect.TENSORBOARD, "tagged_run_metadata"), _statistics())
    add(
        "tf",
        "keras",
        SummaryPlugin("graph_keras_model"),
        text_tensor([b'{"config": {"layers": []}}'], rank=0),
    )
    trace = _statistics() + message_field(4, message_field(2, chain("s/a", "s/b")))
    add("tf", "batch", SummaryPlugin("graph_run_metadata"), text_tensor([trace], rank=0))
    add("tf", "odd", SummaryPlugin("graph_keras_model"), b"\x08\x01")
    add("broken", "__run_graph__", GRAPH_DEF, b"\xff\xff")
    return fake


@pytest.fixture
def client(provider: FakeProvider) -> Client:
    registry = Registry.of([("graph", lambda: insight_graph), ("lineage", lambda: insight_lineage)])
    assert not registry.failures
    return Client(Host(registry, provider))


def _get(client: Client, route: str, **query: object) -> TestResponse:
    answer: TestResponse = client.get(f"{BASE}/{route}", query_string=query)
    return answer


def _json(client: Client, route: str, **query: object) -> Any:  # noqa: ANN401
    answer = _get(client, route, **query)
    assert answer.status_code == 200, answer.text
    return answer.json


def test_graphs_of_one_step_are_numbered() -> None:
    fake = FakeProvider()
    claim = EventField(Dialect.TENSORBOARD, "graph_def")
    fake.add_records("graph", "run", "__run_graph__", [chain("a"), chain("b")], steps=[0, 0], claim=claim)
    client = Client(Host(Registry.of([("graph", lambda: insight_graph)]), fake))
    names = [one["name"] for one in _json(client, "graphs")["graphs"]]
    assert names == ["graph · 0 (2)", "graph · 0 (1)"]


MS = {"run": "ms", "tag": "events.1_MS", "index": 0}
TF = {"run": "tf", "tag": "__run_graph__", "index": 0}


def test_graphs_are_listed_without_being_read(client: Client) -> None:
    answer = _json(client, "graphs")
    listed = [(one["run"], one["name"], one["kind"], one["format"], one["index"]) for one in answer["graphs"]]
    assert listed == [
        ("broken", "graph", "operators", "tensorboard", 0),
        ("ms", "events.1_MS", "operators", "mindspore", 0),
        ("ms", "ms_output_optimize.pb", "operators", "mindspore", 0),
        ("ms", "ms_output_hwopt.pb", "operators", "mindspore", 0),
        ("tf", "graph · 1", "operators", "tensorboard", 1),
        ("tf", "graph · 0", "operators", "tensorboard", 0),
        ("tf", "keras", "layers", "keras", 0),
        ("tf", "odd", "layers", "keras", 0),
        ("tf", "batch", "functions", "tensorboard", 0),
    ]
    assert [(one["run"], one["tag"]) for one in answer["profiles"]] == [("tf", "batch"), ("tf", "step1")]
    assert len(answer["pipelines"]) == 2
    assert {one["run"] for one in _json(client, "graphs", run="ms")["graphs"]} == {"ms"}


def test_the_root_and_a_scope(client: Client) -> None:
    root = _json(client, "scope", **MS)
    assert [node["id"] for node in root["nodes"]] == ["Default", "Gradients", "c1"]
    assert root["graph"] == {
        "nodes": 12, "edges": 15, "scopes": 9, "removed": 0, "notices": [], "timed": False,
    }  # fmt: skip
    scope = _json(client, "scope", **MS, id="Default/net")
    assert [one["id"] for one in scope["path"]] == ["Default", "Default/net"]
    assert {one["of"] for one in scope["proxies"]} == {"Default/UpdateState-op1", "Gradients"}
    readable = _json(client, "scope", **MS, readable=1)
    assert readable["graph"]["removed"] == 8
    assert [node["id"] for node in readable["nodes"]] == ["Default"]


def test_an_answer_about_a_pinned_record_is_immutable(client: Client) -> None:
    [entry] = [one for one in _json(client, "graphs")["graphs"] if one["tag"] == "events.1_MS"]
    pinned = _get(client, "scope", **MS, wall_time=entry["wall_time"])
    assert "immutable" in pinned.headers["Cache-Control"]
    assert "immutable" not in _get(client, "scope", **MS).headers["Cache-Control"]
    assert _get(client, "scope", **MS, wall_time=entry["wall_time"] + 1).status_code == 404


def test_a_node_with_its_edges(client: Client) -> None:
    node = _json(client, "node", **MS, id="Default/net/a-Dense/MatMul-op3")
    assert [(one["id"], one["slot"], one["dtype"], one["shape"]) for one in node["input_edges"]] == [
        ("Default/net/a-Dense/x", 0, "float32", [4, 8]),
        ("Default/net/a-Dense/Load-op2", 1, "float32", [8, 8]),
    ]
    assert [one["id"] for one in node["output_edges"]] == ["Default/net/MakeTuple-op4"]
    assert node["attributes"] == [{"name": "t", "type": "int64", "value": "1", "size": 4, "cut": False}]
    assert [one["id"] for one in node["path"]] == ["Default", "Default/net", "Default/net/a-Dense"]
    copies = _json(client, "node", **MS, id="Default/net/a-Dense/w")["copies"]
    assert copies == ["Default/net/a-Dense/w", "Default/net/b-Dense/w", "Default/optimizer-Adam/w"]
    assert _json(client, "node", **MS, id="c1")["value"] == "1"


def test_a_scope_has_its_neighbours_and_types(client: Client) -> None:
    node = _json(client, "node", **MS, id="Default/net")
    assert [(one["id"], one["count"]) for one in node["output_edges"]] == [
        ("Gradients/Default/net/b-Dense/MatMulGrad-op7", 1)
    ]
    assert node["types"][0] == {"type": "Parameter", "count": 4, "time": None}
    assert node["members"] == 6


def test_inputs_that_are_not_there_are_listed(provider: FakeProvider, client: Client) -> None:
    payload = tensorflow_node("a", "A", ["gone", "b", "^lost"]) + tensorflow_node("b", "B")
    provider.add_records("graph", "cut", "__run_graph__", [payload], claim=GRAPH_DEF)
    node = _json(client, "node", run="cut", tag="__run_graph__", index=0, id="a")
    assert [(one["name"], one["missing"], one["edge"]) for one in node["input_edges"]] == [
        ("gone", True, "data"),
        ("b", False, "data"),
        ("^lost", True, "control"),
    ]
    assert node["inputs_total"] == 3


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"q": "MATMUL", "in": "type"}, {"Default/net/a-Dense/MatMul-op3", "Default/net/b-Dense/MatMul-op6",
                                         "Gradients/Default/net/b-Dense/MatMulGrad-op7"}),
        ({"q": "a-dense", "in": "name", "limit": 1}, {"Default/net/a-Dense"}),
        ({"q": r"b-.*/MatMul", "regex": 1}, {"Default/net/b-Dense/MatMul-op6",
                                             "Gradients/Default/net/b-Dense/MatMulGrad-op7"}),
        ({"q": "net/make"}, {"Default/net/MakeTuple-op4"}),
        ({"q": "^w$", "regex": 1, "in": "type"}, set()),
    ],
)  # fmt: skip
def test_search(client: Client, query: dict[str, Any], expected: set[str]) -> None:
    answer = _json(client, "search", **MS, **query)
    assert {one["id"] for one in answer["results"]} == expected
    assert answer["total"] >= len(expected)


def test_the_best_results_come_first(client: Client) -> None:
    answer = _json(client, "search", **MS, q="w", limit=3, offset=1)
    assert [one["name"] for one in answer["results"]][:2] == ["w", "w"]
    assert answer["results"][0]["path"] == ["Default", "Default/net", "Default/net/b-Dense"]


def test_ancestors_and_descendants(client: Client) -> None:
    id_ = "Default/net/MakeTuple-op4"
    found = _json(client, "trace", **MS, id=id_, scope=["", "Default", "Default/net"])
    assert found["ancestors"] == {
        "operators": 3,
        "ids": ["Default/c0", "Default/UpdateState-op1", "Default/net/a-Dense", "Default/net/x"],
    }
    assert found["descendants"]["operators"] == 4
    assert set(found["descendants"]["ids"]) == {
        "Gradients", "Default/optimizer-Adam", "Default/net/TupleGetItem-op5", "Default/net/b-Dense",
    }  # fmt: skip
    start = _json(client, "trace", **MS, id="Default/UpdateState-op1", control=0)
    assert _json(client, "trace", **MS, id="Default/UpdateState-op1")["descendants"]["operators"] == 7
    assert start["descendants"]["operators"] == 7  # it reaches the optimizer by data too


def test_statistics(client: Client) -> None:
    found = _json(client, "statistics", **MS)
    counted = {"nodes": 12, "operators": 8, "constants": 2, "parameters": 2, "control_edges": 1}
    assert {name: found[name] for name in counted} == counted
    assert found["edges"] == found["data_edges"] + 1
    assert found["stored"] == {
        "trainable": {"tensors": 1, "values": 64, "bytes": 256, "unsized": 0, "unsized_nodes": 0},
        "input": {"tensors": 1, "values": 32, "bytes": 128, "unsized": 0, "unsized_nodes": 0},
        "constant": {"tensors": 2, "values": 2, "bytes": 16, "unsized": 0, "unsized_nodes": 0},
    }
    assert [(one["name"], one["role"]) for one in found["largest_parameters"]] == [("w", "trainable")]
    node = _json(client, "node", **MS, id="Default/net/b-Dense")
    assert node["stored"] == {
        "trainable": {"tensors": 1, "values": 64, "bytes": 256, "unsized": 0, "unsized_nodes": 0}
    }
    assert {one["type"]: one["count"] for one in found["types"]}["Parameter"] == 2


def test_times_of_a_profile_and_of_a_trace(client: Client) -> None:
    root = _json(client, "scope", **TF, profile="step1")
    assert root["graph"]["timed"]
    assert [node["time"] for node in root["nodes"]] == [7, None]
    trace = {"run": "tf", "tag": "batch", "index": 0}
    node = _json(client, "node", **trace, id="s/a")
    assert node["times"] == [{"device": "cpu", "start": 1, "time": 7}]
    assert _get(client, "scope", **TF, profile="gone").status_code == 404


def test_the_pipeline(client: Client) -> None:
    found = _json(client, "pipeline", run="ms", tag="events.1_lineage", index=0)
    nodes = found["pipeline"]["nodes"]
    assert [(node["type"], node["kind"]) for node in nodes] == [
        ("MnistDataset", "source"),
        ("Map", "operation"),
        ("Batch", "operation"),
    ]
    assert found["pipeline"]["edges"] == [{"from": "0", "to": "1"}, {"from": "1", "to": "2"}]
    assert nodes[0]["sampler"] == {"name": "RandomSampler", "parameters": []}
    assert nodes[0]["parameters"] == [{"name": "shuffle", "value": "true"}]
    assert nodes[1]["parameters"] == [{"name": "columns", "value": "[a, b]"}]
    assert nodes[1]["operations"] == [
        {"name": "Resize", "parameters": [{"name": "weights", "value": "[0.5]"}]}
    ]
    assert nodes[2]["parameters"] == [{"name": "batch_size", "value": "32"}]
    cut = _json(client, "pipeline", run="ms", tag="events.2_lineage", index=0)
    assert cut["pipeline"] is None
    assert cut["notices"] == [
        {
            "code": "pipeline_cut_off",
            "values": {"offset": 0},
            "text": "the file ends within the record at byte 0",
            "count": 1,
            "examples": [],
        }
    ]


def test_a_damaged_record_is_no_pipeline(provider: FakeProvider, client: Client) -> None:
    """What its checksum does not stand for is not shown; what comes before and after it is."""
    whole = _lineage()
    damaged = bytearray(whole)
    damaged[-6] ^= 1  # of the last record, which says nothing of a pipeline
    changed = bytearray(whole)
    changed[whole.index(b"Resize")] ^= 1
    for number, (data, has_one) in enumerate([(damaged, True), (changed, False)]):
        for plugin in ("graph", "lineage"):
            provider.add_records(plugin, "ms", f"damaged.{number}_lineage", [bytes(data)], claim=LINEAGE)
        found = _json(client, "pipeline", run="ms", tag=f"damaged.{number}_lineage", index=0)
        assert (found["pipeline"] is not None) == has_one
        [notice] = found["notices"]
        assert notice["code"] == "pipeline_unreadable"


def test_of_a_long_pipeline_the_last_steps_are_shown(provider: FakeProvider, client: Client) -> None:
    steps = b""
    for _ in range(2001):
        steps = field(2, _parameter("op_type", 1, "Map")) + (field(1, steps) if steps else b"")
    for plugin in ("graph", "lineage"):
        provider.add_records(plugin, "ms", "long_lineage", [record(field(9, steps))], claim=LINEAGE)
    found = _json(client, "pipeline", run="ms", tag="long_lineage", index=0)
    assert len(found["pipeline"]["nodes"]) == 2000
    [notice] = found["notices"]
    assert (notice["code"], notice["values"]) == ("pipeline_too_long", {"limit": 2000})


def test_without_the_lineage_plugin_pipelines_say_so_and_graphs_are_shown(provider: FakeProvider) -> None:
    client = Client(Host(Registry.of([("graph", lambda: insight_graph)]), provider))
    assert len(_json(client, "graphs")["pipelines"]) == 2
    assert _json(client, "scope", **MS)["nodes"]
    answer = _get(client, "pipeline", run="ms", tag="events.1_lineage", index=0)
    assert answer.status_code == 404
    assert answer.json == {
        "error": "a data pipeline is decoded by the lineage plugin, which is not loaded: enable that plugin",
        "code": "graph_no_lineage",
    }


@pytest.mark.parametrize(
    ("route", "query", "status"),
    [
        ("scope", {**MS, "id": "gone"}, 400),
        ("scope", {**MS, "id": "c1"}, 400),
        ("node", {**MS, "id": "gone"}, 400),
        ("node", MS, 400),
        ("search", MS, 400),
        ("search", {**MS, "q": ""}, 400),
        ("search", {**MS, "q": "(", "regex": 1}, 400),
        ("search", {**MS, "q": "a" * 201, "regex": 1}, 400),
        ("search", {**MS, "q": "a", "limit": 0}, 400),
        ("trace", {**MS, "id": "c1", "scope": "gone"}, 400),
        ("scope", {**MS, "readable": "yes"}, 400),
        ("scope", {**MS, "index": 1}, 404),
        ("scope", {**MS, "tag": "gone"}, 404),
        ("scope", {"run": "ms"}, 400),
        ("scope", {"run": "broken", "tag": "__run_graph__", "index": 0}, 422),
        ("scope", {"run": "tf", "tag": "odd", "index": 0}, 422),
        ("scope", {"run": "tf", "tag": "step1", "index": 0}, 422),
        ("scope", {"run": "ms", "tag": "events.1_lineage", "index": 0}, 422),
        ("pipeline", MS, 422),
    ],
)
def test_a_wrong_question_is_refused(client: Client, route: str, query: dict[str, Any], status: int) -> None:
    answer = _get(client, route, **query)
    assert answer.status_code == status, answer.text
    assert answer.json is not None
    assert answer.json["error"]


def test_any_id_is_found_again(client: Client) -> None:
    waiting = [""]
    seen = 0
    while waiting:
        for node in _json(client, "scope", **MS, id=waiting.pop())["nodes"]:
            assert _json(client, "node", **MS, id=node["id"])["id"] == node["id"]
            seen += 1
            if node["children"]:
                waiting.append(node["id"])
    assert seen > 20


@pytest.mark.parametrize(
    ("claim", "payload", "has_tab"),
    [
        (GRAPH_DEF, chain("a"), True),
        (LINEAGE, _lineage(), True),
        (LINEAGE, record(field(1, 1.0)), False),  # as SummaryWriter and collectors write with each run
        (None, b"", False),
    ],
)
def test_the_tab_is_there_if_a_run_has_a_graph_or_a_pipeline(
    claim: Any,  # noqa: ANN401
    payload: bytes,
    has_tab: bool,
) -> None:
    fake = FakeProvider()
    if claim is not None:
        for plugin in ("graph", "lineage"):
            fake.add_records(plugin, "run", "a", [payload], claim=claim)
    registry = Registry.of([("graph", lambda: insight_graph), ("lineage", lambda: insight_lineage)])
    listing: Any = Client(Host(registry, fake)).get("/data/plugins_listing").json
    assert listing["graph"]["enabled"] is has_tab
