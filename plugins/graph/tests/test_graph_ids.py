"""Ids of nodes, scopes and stacks: each names one place of the tree."""

from __future__ import annotations

import pytest
from insight_graph import mindspore
from insight_graph.model import GraphModel

from tests.support.graphs import mindspore_constant, mindspore_node, mindspore_parameter

USED = [mindspore_node(str(number), "Add", f"s/Add-op{number}", ["\0"]) for number in range(1, 4)]


@pytest.mark.parametrize(
    "parts",
    [
        [mindspore_parameter("\0"), mindspore_constant("\0", 1)],
        [mindspore_constant("\0", 1), mindspore_constant("\0", 2), mindspore_constant("\0", 3), *USED],
        [mindspore_constant("a", 1), mindspore_constant("a", 2), mindspore_constant("a_2", 3)],
        [mindspore_constant("a", 1), mindspore_constant("a", 2), mindspore_node("1", "A", "a_2")],
        [mindspore_node("1", "\0", "\0"), mindspore_parameter("\0")],
        [mindspore_parameter("s"), *USED],
        [mindspore_parameter("s/Add-op1"), *USED],
        [mindspore_constant("Add[5]", 1), *(mindspore_node(str(n), "Add", f"Add-op{n}") for n in range(5))],
    ],
    ids=[
        "parameter and constant",
        "constants",
        "constants and one with a number",
        "constants and an operator with a number",
        "operator and parameter",
        "parameter and scope",
        "parameter and operator in a scope",
        "constant and stack",
    ],
)
def test_no_two_places_have_one_id_though_a_log_names_them_alike(parts: list[bytes]) -> None:
    model = GraphModel(mindspore.graph_of_event(b"".join(parts)))
    for is_readable in (False, True):
        tree = model.view(is_readable).tree
        places = [*range(len(tree)), *(~position for position in range(len(tree.nodes)))]
        ids = [tree.id(place) for place in places]
        assert len(set(ids)) == len(ids)
        assert [tree.find(id_) for id_ in ids] == places
