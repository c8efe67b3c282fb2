"""The hierarchy of a graph: scopes, stacks, ranges, where constants stand, edges of an opened scope."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from insight_graph import mindspore, tensorflow
from insight_graph.columns import Graph
from insight_graph.opened import MAX_EDGES, MAX_PROXIES, opened
from insight_graph.stacks import MOST_CHILDREN, type_of_stack
from insight_graph.view import GraphView, Shown

from tests.graph_samples import chain, ids_in, kinds_in, shown_edges, small_network
from tests.support.graphs import mindspore_constant, mindspore_node, mindspore_parameter, tensorflow_node


def _view(graph: Graph) -> GraphView:
    return GraphView.of(graph, Shown.all_of(graph))


def _tensorflow(*nodes: bytes) -> GraphView:
    return _view(tensorflow.graph_of_event(b"".join(nodes)))


def _open(view: GraphView, id_: str = "") -> dict[str, Any]:
    branch = view.tree.find(id_)
    assert branch is not None
    return opened(view, branch, None)


def _edges(answer: dict[str, Any]) -> dict[tuple[str, str], int]:
    return {(one["from"], one["to"]): one["count"] for one in answer["edges"]}


def test_scopes_hold_what_their_names_say() -> None:
    view = _view(mindspore.graph_of_event(small_network()))
    assert kinds_in(view) == {"Default": "scope", "Gradients": "scope", "c1": "constant"}  # nobody uses it
    assert kinds_in(view, "Default/net") == {
        "Default/net/a-Dense": "scope",
        "Default/net/x": "parameter",
        "Default/net/MakeTuple-op4": "operator",
        "Default/net/c0": "constant",
        "Default/net/TupleGetItem-op5": "operator",
        "Default/net/b-Dense": "scope",
    }


def test_a_parameter_stands_in_each_scope_that_uses_it() -> None:
    view = _view(mindspore.graph_of_event(small_network()))
    edges = shown_edges(view)
    assert ("Default/net/a-Dense/w", "Default/net/a-Dense/Load-op2") in edges
    assert ("Default/net/b-Dense/w", "Default/net/b-Dense/MatMul-op6") in edges
    assert ("Default/optimizer-Adam/w", "Default/optimizer-Adam/Adam-op8") in edges
    unused = _view(
        mindspore.graph_of_event(mindspore_parameter("alone") + mindspore_node("1", "A", "a/A-op1"))
    )
    assert kinds_in(unused) == {"alone": "parameter", "a": "scope"}


@pytest.mark.parametrize(("count", "stacked"), [(4, False), (5, True)])
def test_five_siblings_of_a_type_are_a_stack(count: int, stacked: bool) -> None:
    view = _tensorflow(
        *(tensorflow_node(f"s/relu_{n}", "Relu") for n in range(count)), tensorflow_node("s/x", "X")
    )
    assert ids_in(view.tree, "s") == (
        [f"s/Relu[{count}]", "s/x"] if stacked else [*(f"s/relu_{n}" for n in range(count)), "s/x"]
    )
    if stacked:
        assert ids_in(view.tree, "s/Relu[5]") == [f"s/relu_{n}" for n in range(5)]


def test_a_constant_that_only_a_stack_uses_goes_into_it() -> None:
    nodes = [mindspore_node(str(n), "Load", f"s/Load-op{n}", ["only"]) for n in range(5)]
    graph = b"".join([*nodes, mindspore_node("9", "Add", "s/Add-op9", ["both", "0"])])
    graph += mindspore_node("8", "Load", "s/Load-op8", ["both"])
    view = _view(
        mindspore.graph_of_event(graph + mindspore_constant("only", 1) + mindspore_constant("both", 2))
    )
    assert "s/only" in ids_in(view.tree, "s/Load[6]")
    [stack] = [one for one in _open(view, "s")["nodes"] if one["id"] == "s/Load[6]"]
    assert (stack["members"], stack["children"]) == (6, 7)
    assert "s/both" in ids_in(view.tree, "s")


def _blocks(count: int, names: str = "layer_{}") -> list[bytes]:
    return [
        tensorflow_node(
            f"net/{names.format(n)}/{name}", op, [f"net/{names.format(n - 1)}/b"] if n and name == "a" else []
        )
        for n in range(count)
        for name, op in (("a", "MatMul"), ("b", "Relu"))
    ]


def test_scopes_that_follow_each_other_and_are_built_alike_are_a_stack() -> None:
    view = _tensorflow(*_blocks(6), tensorflow_node("net/head/x", "MatMul"))
    assert kinds_in(view, "net") == {"net/layer[6]": "stack", "net/head": "scope"}
    answer = _open(view, "net/layer[6]")
    assert [node["name"] for node in answer["nodes"]] == [f"layer_{n}" for n in range(6)]
    assert len({node["structure"] for node in answer["nodes"]}) == 1
    assert len(_tensorflow(*_blocks(4)).tree.children(1)) == 4


def test_scopes_that_take_turns_are_no_stack() -> None:
    names = [f"net/{('MatMul', 'Relu')[number % 2]}_{number}/x" for number in range(12)]
    nodes = [
        tensorflow_node(name, ("MatMul", "Relu")[number % 2], names[number - 1 : number])
        for number, name in enumerate(names)
    ]
    assert len(ids_in(_tensorflow(*nodes).tree, "net")) == 12


def test_what_is_in_ranges_is_counted() -> None:
    stack = _tensorflow(*(tensorflow_node(f"x{n}", "Relu") for n in range(450)))
    [shown] = _open(stack)["nodes"]
    assert (shown["members"], shown["children"]) == (450, 5)
    assert [one["members"] for one in _open(stack, shown["id"])["nodes"]] == [100, 100, 100, 100, 50]
    scope = _tensorflow(*(tensorflow_node(f"s/x{n}", f"T{n}") for n in range(301)))
    [shown] = _open(scope)["nodes"]
    assert (shown["members"], shown["children"]) == (301, 4)


@pytest.mark.parametrize("count", [300, 301, 2_000, 30_500])
def test_nothing_has_more_than_300_members(count: int) -> None:
    view = _tensorflow(
        *(tensorflow_node(f"op_{n}", f"Type{n}" if count < 5000 else "Same") for n in range(count))
    )
    tree = view.tree
    sizes = np.diff(tree.child_starts)
    assert sizes.max() <= MOST_CHILDREN
    assert len(tree) == 1 if count == 300 else len(tree) > 3
    assert [tree.id(~position) for position in range(count)] == [f"op_{n}" for n in range(count)]
    for branch in range(len(tree)):
        assert tree.find(tree.id(branch)) == branch


def test_a_stack_with_the_name_of_a_node_has_another_id() -> None:
    view = _tensorflow(
        *(tensorflow_node(f"s/x{n}", "Conv") for n in range(5)), tensorflow_node("s/Conv[5]", "Other")
    )
    assert ids_in(view.tree, "s") == ["s/Conv[5]_2", "s/Conv[5]"]
    again = _tensorflow(
        *(tensorflow_node(f"s/x{n}", "Conv") for n in range(5)), *chain("s/Conv[5]/y").split(b"\0")
    )
    assert set(ids_in(again.tree, "s")) == {"s/Conv[5]_2", "s/Conv[5]"}


def test_edges_between_scopes_are_counted() -> None:
    view = _tensorflow(
        tensorflow_node("a/x", "X", shape=(2, 3)),
        tensorflow_node("a/y", "X", shape=(2, 3)),
        tensorflow_node("b/deep/z", "Z", ["a/x", "a/y", "^a/x"]),
        tensorflow_node("b/w", "W", ["b/deep/z"]),
    )
    answer = _open(view)
    assert answer["edges"] == [
        {"from": "a", "to": "b", "kind": "data", "count": 2, "label": "float32[2,3]"},
        {"from": "a", "to": "b", "kind": "control", "count": 1, "label": ""},
    ]
    assert [(node["id"], node["inputs"], node["outputs"]) for node in answer["nodes"]] == [
        ("a", 0, 3),
        ("b", 3, 0),
    ]


def test_a_proxy_stands_where_an_edge_leaves_the_scope() -> None:
    view = _tensorflow(
        tensorflow_node("a/b/c/x", "X", ["a/other/z", "a/y", "far/deep/v"]),
        tensorflow_node("a/y", "Y"),
        tensorflow_node("a/other/z", "Z"),
        tensorflow_node("far/deep/v", "V"),
        tensorflow_node("out", "O", ["a/b/c/x"]),
    )
    answer = _open(view, "a/b/c")
    assert {(one["of"], one["stands_for"], tuple(one["path"])) for one in answer["proxies"]} == {
        ("a/other", "scope", ("a",)),
        ("a/y", "operator", ("a",)),
        ("far", "scope", ()),
        ("out", "operator", ()),
    }
    proxies = {one["of"]: one["id"] for one in answer["proxies"]}
    assert _edges(answer) == {
        (proxies["a/other"], "a/b/c/x"): 1,
        (proxies["a/y"], "a/b/c/x"): 1,
        (proxies["far"], "a/b/c/x"): 1,
        ("a/b/c/x", proxies["out"]): 1,
    }
    assert [one["id"] for one in answer["path"]] == ["a", "a/b", "a/b/c"]


def test_a_label_is_there_where_all_edges_carry_the_same() -> None:
    view = _tensorflow(
        tensorflow_node("a/x", "X", shape=(2,)),
        tensorflow_node("a/y", "X", shape=(3,)),
        tensorflow_node("b/z", "Z", ["a/x", "a/y"]),
    )
    [edge] = _open(view)["edges"]
    assert edge["label"] == ""


def test_what_is_left_out_is_counted() -> None:
    sources = [f"s/{n}/x" for n in range(MAX_PROXIES + 10)]
    view = _tensorflow(
        *(tensorflow_node(name, f"T{index}") for index, name in enumerate(sources)),
        *(tensorflow_node(f"t/o{n}", f"T{n}", sources) for n in range(20)),
        *(tensorflow_node(f"top{n}", f"T{n}", ["t/o0"]) for n in range(MAX_PROXIES - 10)),
    )
    answer = _open(view, "t")
    assert len(answer["edges"]) <= MAX_EDGES
    listed = sum(one["count"] for one in answer["edges"])
    assert listed + answer["omitted"]["edges"] == len(view.edges)
    assert len(answer["proxies"]) <= MAX_PROXIES


def test_devices_dynamic_shapes_and_outputs_of_a_scope() -> None:
    view = _tensorflow(
        tensorflow_node("s/a", "A", device="gpu", shape=(-1, 3)),
        tensorflow_node("s/b", "A", device="gpu", shape=(2, 3)),
        tensorflow_node("s/c", "A", device="cpu"),
        tensorflow_node("t", "A", shape=(1,)),
    )
    scope, node = _open(view)["nodes"]
    assert (scope["device"], scope["devices"], scope["dynamic"], scope["output_types"]) == (
        "gpu",
        2,
        True,
        [],
    )
    assert (node["device"], node["devices"], node["dynamic"]) == ("", 0, False)
    assert node["output_types"] == [{"dtype": "float32", "shape": (1,)}]


def test_a_stack_whose_members_agree_says_what_they_give_out() -> None:
    for shape, expected in ((4, [{"dtype": "float32", "shape": (4,)}]), (None, [])):
        view = _tensorflow(*(tensorflow_node(f"x{n}", "Relu", shape=(shape or n,)) for n in range(5)))
        [stack] = _open(view)["nodes"]
        assert (stack["kind"], stack["type"], stack["output_types"]) == ("stack", "Relu", expected)


def test_stacks_of_parameters_and_what_has_many_neighbours_are_drawn_aside() -> None:
    parameters = b"".join(mindspore_parameter(f"p{n}") for n in range(6))
    node = mindspore_node("1", "Add", "s/Add-op1", [f"p{n}" for n in range(6)])
    nodes = _open(_view(mindspore.graph_of_event(parameters + node)), "s")["nodes"]
    assert {one["id"]: one["aside"] for one in nodes} == {"s/Parameter[6]": True, "s/Add-op1": False}
    hub = _tensorflow(
        tensorflow_node("hub", "H"), *(tensorflow_node(f"n{n}", f"T{n}", ["hub"]) for n in range(30))
    )
    assert [one["id"] for one in _open(hub)["nodes"] if one["aside"]] == ["hub"]


NAMES = st.lists(
    st.lists(st.sampled_from(["a", "b", "c1", "c2", "d[5]", ""]), min_size=1, max_size=4).map("/".join),
    min_size=1,
    max_size=40,
)


@settings(max_examples=200, deadline=None)
@given(names=NAMES, data=st.data())
def test_every_node_is_somewhere_and_every_edge_is_counted(names: list[str], data: st.DataObject) -> None:
    count = len(names)
    inputs = [
        data.draw(st.lists(st.sampled_from(names), max_size=3), label=f"inputs of {name!r}") for name in names
    ]
    ops = data.draw(st.lists(st.sampled_from("XYZ"), min_size=count, max_size=count))
    view = _tensorflow(*map(tensorflow_node, names, ops, inputs))
    tree = view.tree
    found = Counter(tree.id(place) for branch in range(len(tree)) for place in tree.children(branch).tolist())
    assert set(found.values()) <= {1}
    assert sum(1 for id_ in found if (tree.find(id_) or 0) < 0) == count
    for branch in range(len(tree)):
        answer = opened(view, branch, None)
        ids = {one["id"] for one in answer["nodes"]}
        listed = Counter[bool]()
        for edge in answer["edges"]:
            listed[{edge["from"], edge["to"]} <= ids] += edge["count"]
        low, high = tree.bounds(branch)
        sources, targets = view.edges.sources, view.edges.targets
        from_inside, to_inside = (sources >= low) & (sources < high), (targets >= low) & (targets < high)
        assert listed[False] == int((from_inside != to_inside).sum())
        parts = [tree.bounds(place) for place in tree.children(branch).tolist()]
        assert parts == sorted(parts)
        assert [start for start, _ in parts] + [high] == [low] + [end for _, end in parts]
        within = sum(
            int(((sources >= start) & (sources < end) & (targets >= start) & (targets < end)).sum())
            for start, end in parts
        )
        assert listed[True] == int((from_inside & to_inside).sum()) - within


def _alike(tree: _Scopes, scope: str) -> tuple[Any, ...]:
    """What makes two scopes equal: types of operators in the same scopes."""
    inner = sorted(_alike(tree, one) for one in tree.scopes[scope])
    return tuple(sorted(tree.types[scope])), tuple(inner)


class _Scopes:
    """Scopes of operators by their names, made one by one."""

    def __init__(self, names: list[str], ops: str) -> None:
        self.scopes: dict[str, list[str]] = {"": []}  # in the order of their first operators
        self.types: dict[str, list[str]] = {"": []}
        for name, op in zip(names, ops, strict=True):
            above = ""
            for label in name.split("/")[:-1]:
                path = f"{above}/{label}" if above else label
                if path not in self.scopes:
                    self.scopes[path], self.types[path] = [], []
                    self.scopes[above].append(path)
                above = path
            self.types[above].append(op)

    def stacks(self) -> Counter[tuple[str, int, str]]:
        """Scope, members and type of each stack; the type of scopes is empty."""
        found = Counter[tuple[str, int, str]]()
        for scope, types in self.types.items():
            for op, count in Counter(types).items():
                if count >= 5:
                    found[scope, count, op] += 1
            for _, run in itertools.groupby(self.scopes[scope], lambda one: _alike(self, one)):
                if (length := len(list(run))) >= 5:
                    found[scope, length, ""] += 1
        return found


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_stacks_are_those_that_are_counted_one_by_one(data: st.DataObject) -> None:
    labels = st.lists(st.sampled_from("abcdefgh"), max_size=2).map("/".join)
    scopes = data.draw(st.lists(labels, min_size=1, max_size=60))
    names = [f"{scope}/op{number}" if scope else f"op{number}" for number, scope in enumerate(scopes)]
    ops = data.draw(st.text("XY", min_size=len(names), max_size=len(names)))
    tree = _tensorflow(*map(tensorflow_node, names, ops)).tree
    found = Counter[tuple[str, int, str]]()
    for branch in np.flatnonzero(tree.stacks >= 0).tolist():
        above = [one for one in tree.around(branch) if tree.stacks[one] < 0]
        members = len(tree.children(branch))
        assert tree.label(branch).endswith(f"[{members}]")
        assert tree.members[branch] == members
        found[
            tree.id(above[-1]) if above else "", members, type_of_stack(tree.graph, tree.stacks[branch])
        ] += 1
    assert found == _Scopes(names, ops).stacks()
