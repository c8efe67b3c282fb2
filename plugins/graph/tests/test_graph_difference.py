"""Two graphs differ in what was planted, and in nothing else."""

from __future__ import annotations

import random
from typing import Any

import insight_graph
import pytest
from attrs import define, evolve, field
from insight_graph import kept_graphs
from insight_graph.difference import KINDS, Difference
from insight_graph.model import GraphModel
from insight_graph.tensorflow import graph_of_event
from werkzeug.test import Client, TestResponse

from insight_authoring.testing.wire import int_field
from insight_core.plugin import Dialect, EventField
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host
from tests.support.graphs import tensorflow_node


@define
class _Node:
    scope: str
    op: str
    inputs: list[int]  # places in the network
    shape: tuple[int, ...] = (4, 8)
    attributes: dict[str, int] = field(factory=dict)


@define
class _Network:
    """Nodes by number; numbers stay when nodes come and go."""

    nodes: dict[int, _Node]

    @classmethod
    def of(cls, blocks: int, seed: int = 0) -> _Network:
        choose = random.Random(seed)
        nodes = {0: _Node("", "Placeholder", [])}
        flow = 0
        for block in range(blocks):
            scope = f"net/block_{block}"
            entry = flow
            for op in choose.choices(("MatMul", "Relu", "BiasAdd", "Softmax", "Tanh"), k=6):
                weight = []
                if op == "MatMul":
                    weight = [len(nodes)]
                    nodes[len(nodes)] = _Node(scope, "VarHandleOp", [], (8, 8))
                nodes[len(nodes)] = _Node(scope, op, [flow, *weight], attributes={"transpose": 0})
                flow = len(nodes) - 1
            nodes[len(nodes)] = _Node(scope, "AddV2", [flow, entry])
            flow = len(nodes) - 1
        return cls(nodes)

    def copy(self) -> _Network:
        return _Network(
            {
                n: evolve(one, inputs=[*one.inputs], attributes={**one.attributes})
                for n, one in self.nodes.items()
            }
        )

    def insert_before(self, number: int, op: str) -> int:
        """A new node on the first input of a node."""
        new = max(self.nodes) + 1
        target = self.nodes[number]
        self.nodes[new] = _Node(target.scope, op, [target.inputs[0]])
        target.inputs[0] = new
        return new

    def remove(self, number: int) -> None:
        gone = self.nodes.pop(number)
        for one in self.nodes.values():
            one.inputs = [gone.inputs[0] if source == number else source for source in one.inputs]

    def names(self, first: int = 0) -> dict[int, str]:
        return {
            number: f"{one.scope}/{one.op}_{place}" if one.scope else f"{one.op}_{place}"
            for place, (number, one) in enumerate(sorted(self.nodes.items()), first)
        }

    def model(self, first: int = 0) -> GraphModel:
        return GraphModel(graph_of_event(self.data(first)))

    def data(self, first: int = 0) -> bytes:
        names = self.names(first)
        return b"".join(
            tensorflow_node(
                names[number],
                one.op,
                [names[source] for source in one.inputs],
                shape=one.shape,
                attributes={key: int_field(3, value) for key, value in one.attributes.items()},
            )
            for number, one in sorted(self.nodes.items())
        )


def _answer(before: GraphModel, after: GraphModel) -> dict[str, Any]:
    return Difference.of(before, after).answer(frozenset(KINDS), "", 0, 1000)


def _counts(answer: dict[str, Any]) -> dict[str, int]:
    return {kind: count for kind, count in answer["counts"].items() if count and kind != "same"}


def test_numbers_in_names_are_no_difference() -> None:
    network = _Network.of(20)
    answer = _answer(network.model(), network.model(first=1000))
    assert _counts(answer) == {}
    assert answer["counts"]["same"] == len(network.nodes)


@pytest.mark.parametrize("seed", range(12))
def test_planted_nodes_and_attributes_are_all_that_differs(seed: int) -> None:
    choose = random.Random(seed)
    before = _Network.of(20, seed)
    after = before.copy()
    # of two in a row that are alike each may be the one that went
    in_a_row = {
        end
        for number, one in before.nodes.items()
        for source in one.inputs
        if before.nodes[source].op == one.op
        for end in (number, source)
    }
    kinds = {"Relu", "Tanh", "Softmax", "BiasAdd"}
    operators = [n for n, one in before.nodes.items() if one.op in kinds and n not in in_a_row]
    chosen = choose.sample(operators, 9)
    # not next to each other: then it is a matter of taste which of them is new
    apart = [n for n in chosen if not any(abs(n - other) < 3 for other in chosen if other != n)]
    added, removed, changed = apart[::3], apart[1::3], apart[2::3]
    expected_added = {after.insert_before(number, "Dropout") for number in added}
    for number in removed:
        after.remove(number)
    for number in changed:
        after.nodes[number].attributes["transpose"] = 1
    answer = _answer(before.model(), after.model(first=7))
    names_before, names_after = before.names(), after.names(7)
    found = {
        kind: {entry["id"] or entry["other_id"] for entry in answer["entries"] if entry["kind"] == kind}
        for kind in ("added", "removed")
    }
    assert found["added"] == {names_after[number] for number in expected_added}
    assert found["removed"] == {names_before[number] for number in removed}
    attributes = {
        entry["id"]: entry["changes"]
        for entry in answer["entries"]
        if any(one["what"] == "attribute" for one in entry["changes"])
    }
    assert attributes.keys() == {names_after[number] for number in changed}
    for changes in attributes.values():
        assert changes[0] == {"what": "attribute", "name": "transpose", "before": "0", "after": "1"}
    rewired = {
        entry["id"] for entry in answer["entries"] if any(one["what"] == "inputs" for one in entry["changes"])
    }
    gone = {number: before.nodes[number] for number in removed}
    expected = {names_after[number] for number in added}
    expected |= {
        names_after[n] for n, one in before.nodes.items() if n in names_after and gone.keys() & {*one.inputs}
    }
    assert rewired == expected


def test_another_activation_is_a_change_of_type() -> None:
    before = _Network.of(5)
    after = before.copy()
    number = next(n for n, one in before.nodes.items() if one.op == "Relu")
    after.nodes[number].op = "Gelu"
    answer = _answer(before.model(), after.model())
    [entry] = answer["entries"]
    assert entry["changes"] == [{"what": "type", "name": "", "before": "Relu", "after": "Gelu"}]


def test_shapes_are_changes_of_outputs() -> None:
    before = _Network.of(5)
    after = before.copy()
    for one in after.nodes.values():
        one.shape = (16, 8) if one.op != "VarHandleOp" else one.shape
    answer = _answer(before.model(), after.model())
    same = sum(one.op == "VarHandleOp" for one in after.nodes.values())
    assert answer["changes"] == {"output": len(after.nodes) - same}
    assert answer["counts"]["same"] == same
    assert (
        answer["entries"][0]["changes"][0] | {"before": "float32[4,8]", "after": "float32[16,8]"}
        == (answer["entries"][0]["changes"][0])
    )


def test_a_module_of_another_name_has_moved() -> None:
    before = _Network.of(6)
    after = before.copy()
    for one in after.nodes.values():
        one.scope = one.scope.replace("net", "backbone")
    answer = _answer(before.model(), after.model())
    assert _counts(answer) == {"moved": len(before.nodes) - 1}
    assert answer["scopes"][0]["scope"].startswith("backbone/block_")


def test_an_added_block_is_added_whole() -> None:
    before, after = _Network.of(6), _Network.of(7)
    answer = _answer(before.model(), after.model())
    assert _counts(answer) == {"added": len(after.nodes) - len(before.nodes)}
    assert {entry["id"].split("/")[1] for entry in answer["entries"]} == {"block_6"}
    stored = answer["stored"]
    assert stored["after"]["parameter"]["values"] > stored["before"]["parameter"]["values"]


def test_the_first_graph_and_the_second_are_what_is_removed_and_added() -> None:
    one, two = _Network.of(3), _Network.of(4)
    forth, back = _answer(one.model(), two.model()), _answer(two.model(), one.model())
    assert forth["counts"]["added"] == back["counts"]["removed"] > 0
    assert forth["counts"]["same"] == back["counts"]["same"]


def test_entries_are_chosen_by_kind_and_change_and_in_parts() -> None:
    before = _Network.of(6)
    after = before.copy()
    after.insert_before(3, "Dropout")
    for one in after.nodes.values():
        one.shape = (1, 1)
    difference = Difference.of(before.model(), after.model())
    assert {entry["kind"] for entry in difference.answer(frozenset({"added"}), "", 0, 9)["entries"]} == {
        "added"
    }
    found = difference.answer(frozenset(KINDS), "inputs", 0, 9)
    assert found["total"] == 1
    first, second = (difference.answer(frozenset(KINDS), "", offset, 5)["entries"] for offset in (0, 5))
    assert len(first) == 5
    assert not {entry["id"] for entry in first} & {entry["id"] for entry in second}


def test_the_route_compares_two_records() -> None:
    fake = FakeProvider()
    claim = EventField(Dialect.TENSORBOARD, "graph_def")
    for run, blocks in (("one", 2), ("two", 3)):
        fake.add_records("graph", run, "__run_graph__", [_Network.of(blocks).data()], claim=claim)
    client = Client(Host(Registry.of([("graph", lambda: insight_graph)]), fake))

    def get(**more: str) -> TestResponse:
        query = {
            "run": "two",
            "tag": "__run_graph__",
            "index": 0,
            "other_run": "one",
            "other_tag": "__run_graph__",
        }
        return client.get("/data/plugin/graph/diff", query_string=query | more)

    answer = get().get_json()
    assert answer["counts"]["removed"] == 0
    assert answer["total"] == answer["counts"]["added"] > 0
    assert len(get(limit="2", offset="1").get_json()["entries"]) == 2
    assert get(kind="removed").get_json()["total"] == 0
    assert get(kind="odd").get_json()["code"] == "graph_unknown_kind"
    assert get(other_run="none").status_code == 404
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept_graphs, "MOST_NODES", 3)
        assert get(other_run="two").get_json()["code"] == "graph_too_large_to_compare"


def test_empty_graphs_are_the_same() -> None:
    empty = GraphModel(graph_of_event(b""))
    assert _answer(empty, empty)["total"] == 0
    full = _Network.of(1)
    assert _counts(_answer(empty, full.model())) == {"added": len(full.nodes)}
