"""Answers about graphs have a largest size, whatever a graph holds."""

from __future__ import annotations

import pytest
from insight_graph import details, mindspore, pieces, statistics, tensorflow
from insight_graph.details import details_of
from insight_graph.statistics import statistics_of
from insight_graph.view import GraphView, Shown

from insight_core.plugin import Reason
from tests.support.graphs import mindspore_constant, mindspore_node, tensorflow_node


def _view(*parts: bytes) -> GraphView:
    graph = mindspore.graph_of_event(b"".join(parts))
    return GraphView.of(graph, Shown.all_of(graph))


def test_statistics_tell_the_most_frequent_types(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = [
        mindspore_node(f"{kind}-{copy}", f"Type{kind}", f"Default/n{kind}-{copy}", [], shape=(2,))
        for kind in range(20)
        for copy in range(kind + 1)
    ]
    view = _view(*nodes)
    assert len(statistics_of(view, None, ())["types"]) == 20
    monkeypatch.setattr(statistics, "MAX_KINDS", 3)
    types = statistics_of(view, None, ())["types"]
    assert [(one["type"], one["count"]) for one in types] == [("Type19", 20), ("Type18", 19), ("Type17", 18)]


def test_one_node_tells_a_bounded_number_of_attributes_and_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    attributes = {f"attribute{number}": number for number in range(30)}
    nodes = [
        mindspore_node(f"{place}", "Add", f"Default/s{place}/Add-op{place}", ["c"], attributes=attributes)
        for place in range(30)
    ]
    view = _view(mindspore_constant("c", 1), *nodes)
    monkeypatch.setattr(details, "MAX_ROWS", 7)
    constant = view.tree.find("Default/s0/c")
    node = view.tree.find("Default/s0/Add-op0")
    assert constant is not None
    assert node is not None
    assert len(details_of(view, constant, None, ())["copies"]) == 7
    assert len(details_of(view, node, None, ())["attributes"]) == 7


def test_a_graph_of_too_many_nodes_is_refused_with_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "MOST_MESSAGES", 5)
    for count in (5, 6):
        of_mindspore = b"".join(mindspore_node(f"{n}", "Add", f"Default/n{n}", []) for n in range(count))
        of_tensorflow = b"".join(tensorflow_node(f"n{n}", "Add") for n in range(count))
        for read, data in (
            (mindspore.graph_of_event, of_mindspore),
            (tensorflow.graph_of_event, of_tensorflow),
        ):
            if count == 5:
                assert len(read(data)) == 5
                continue
            with pytest.raises(ValueError, match="more than 5 nodes") as raised:
                read(data)
            assert Reason.of(raised.value).fields()["code"] == "graph_too_large"
