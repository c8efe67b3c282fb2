"""Graphs have the nodes, edges, scopes and attributes that MindInsight and TensorBoard say they have."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from insight_graph.messages import parsed

from tests.conformance.our_graphs import Graphs, ShownGraph, graphs_over

Oracle = Callable[..., dict[str, dict[str, Any]]]

_SCALAR = re.compile(r'dtype: DT_\w+\n(?:(?:bool|int|uint)_val: (\w+)|str_val: "([^"\\]*)")\n')
_STACK = re.compile(r"(.*)\[([0-9]+)\]_[0-9]+")


@pytest.fixture(scope="module")
def mindspore_logs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample runs, and MindInsight's graph file in one of them.

    That file is a bare GraphProto, and its tensors are of a message older than MindInsight 2.3.1, which
    therefore cannot read it at all. It gets the same graph in a model, without these values.
    """
    shared = request.config.rootpath.parent / "shared/data"
    if not shared.is_dir():
        pytest.skip(f"the real logs at {shared} are not on this machine")
    logs = tmp_path_factory.mktemp("logs")
    for path in (shared / "mindspore").glob("*/*_MS"):
        (logs / path.parent.name).mkdir(exist_ok=True)
        shutil.copy(path, logs / path.parent.name)
    graph = parsed("MindSporeGraph", (shared / "mindinsight_fixtures/graph_pb/lenet.pb").read_bytes())
    for constant in graph.const_vals:
        constant.value = b"\x08\x04"
    content = graph.SerializeToString()
    prefix = bytearray(b"\x22")
    size = len(content)
    while size >= 0x80:
        prefix.append(size & 0x7F | 0x80)
        size >>= 7
    prefix.append(size)
    (logs / "lenet_lr0.01/ms_output_lenet.pb").write_bytes(bytes(prefix) + content)
    return logs


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    python = os.environ.get("INSIGHT_PEER_TENSORBOARD")
    if not python:
        pytest.skip(
            "INSIGHT_PEER_TENSORBOARD does not name the Python of an environment; see `make conformance`"
        )
    logs = tmp_path_factory.mktemp("generated")
    script = Path(__file__).with_name("write_graphs.py")
    subprocess.run([python, str(script), str(logs)], check=True, capture_output=True)
    return logs


@pytest.fixture(scope="module")
def mindinsight(mindspore_logs: Path, mindinsight_graphs: Oracle) -> dict[str, dict[str, Any]]:
    return mindinsight_graphs(mindspore_logs)


@pytest.fixture(scope="module")
def graphs(mindspore_logs: Path) -> Iterator[Graphs]:
    with graphs_over(mindspore_logs) as opened:
        yield opened


GRAPHS = pytest.mark.parametrize(
    ("run", "file"),
    [
        ("lenet_lr0.01", "events"),
        ("lenet_lr0.002", "events"),
        ("transformer24", "events"),
        ("lenet_lr0.01", "ms_output_lenet.pb"),
    ],
)


@GRAPHS
def test_nodes_edges_scopes_and_stacks_are_those_of_mindinsight(
    graphs: Graphs, mindinsight: dict[str, dict[str, Any]], run: str, file: str
) -> None:
    ours, theirs = _pair(graphs, mindinsight, run, file, "normal")
    assert ours.of_kind("operator") == theirs.operators
    assert ours.of_kind("parameter") == theirs.parameters
    assert ours.of_kind("constant") == theirs.constants
    assert ours.of_kind("scope") == theirs.scopes
    assert ours.stacks() == theirs.stacks
    assert ours.edges() == theirs.edges
    assert ours.missing() == set()


def test_the_file_alone_is_a_run_with_the_same_graph(request: pytest.FixtureRequest, graphs: Graphs) -> None:
    """MindInsight lists the directory too, and then cannot read the file: see ``mindspore_logs``."""
    directory = request.config.rootpath.parent / "shared/data/mindinsight_fixtures/graph_pb"
    with graphs_over(directory) as alone:
        [entry] = alone.listed()
        assert (entry["run"], entry["tag"]) == (".", "lenet.pb")
        ours = alone.shown(entry)
    other = graphs.shown(_which(graphs, "lenet_lr0.01", "ms_output_lenet.pb"))
    assert ours.nodes.keys() == other.nodes.keys()
    assert ours.branches.keys() == other.branches.keys()
    assert ours.edges() == other.edges() != set()


@GRAPHS
def test_types_shapes_and_attributes_are_those_of_mindinsight(
    graphs: Graphs, mindinsight: dict[str, dict[str, Any]], run: str, file: str
) -> None:
    ours, theirs = _pair(graphs, mindinsight, run, file, "normal")
    compared = 0
    for id_ in theirs.operators:
        node, other = ours.nodes[id_], theirs.nodes[id_]
        attributes = {one["name"]: one["value"] for one in node["attributes"]}
        assert node["type"] == other["type"]
        assert set(attributes) == set(other["attr"])
        for name, text in other["attr"].items():
            match = _SCALAR.fullmatch(text)
            if match and match[1]:
                assert attributes[name].lower() == match[1]
                compared += 1
            elif match:
                assert attributes[name] == repr(match[2])
                compared += 1
        for source, about in other["input"].items():
            known = [one["shape"] for one in ours.nodes[theirs.bare(source)]["output_types"]]
            if theirs.bare(source) not in theirs.constants:  # of which MindInsight gets our values
                assert [shape for shape in known if shape is not None] == about["shape"][: len(known)]
    assert compared > 40


@GRAPHS
def test_the_readable_graph_is_mindinsights_optimised_one(
    graphs: Graphs, mindinsight: dict[str, dict[str, Any]], run: str, file: str
) -> None:
    """But for what is said here.

    - Operators that are alone with their like keep their ids, and are shown one scope up; MindInsight
      renames them (and then loses one of two that get the same name).
    - ``tuple_getitem`` and ``make_tuple`` are bypassed under these names too, which Ascend's graphs have.
    - Bypassing ``TupleGetItem`` and ``Load`` leaves their index and monad out; MindInsight ties them to
      whoever takes the element.
    - ``UpdateState`` orders operators without a flow of data between them; MindInsight draws edges from the
      earlier to the later ones.
    """
    ours, theirs = _pair(graphs, mindinsight, run, file, "optimize")
    removed = graphs.ask("removed", **_which(graphs, run, file))
    renamed = {one["id"]: f"{one['to']}/{one['id'].rpartition('/')[2]}" for one in removed["lifted"]}
    operators = {renamed.get(id_, id_) for id_ in ours.of_kind("operator")}
    tuples = {id_ for id_ in theirs.operators if theirs.nodes[id_]["type"] in ("tuple_getitem", "make_tuple")}
    assert operators == theirs.operators - tuples
    assert ours.of_kind("parameter") == theirs.parameters
    assert ours.of_kind("constant") <= theirs.constants
    mine = {(renamed.get(source, source), renamed.get(target, target)) for source, target in ours.edges()}
    flows = {edge for edge in mine if set(edge) <= operators}
    expected = {edge for edge in _without(tuples, theirs.edges) if set(edge) <= operators}
    assert flows
    assert flows <= expected
    assert {theirs.nodes[source]["type"] for source, _ in expected - flows} <= {
        "ImageSummary",
        "TensorSummary",
    }


def _without(taken: set[str], edges: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """The edges when nodes are taken out, their inputs tied to their outputs."""
    for node in taken:
        into = {source for source, target in edges if target == node}
        out = {target for source, target in edges if source == node}
        edges = {edge for edge in edges if node not in edge} | {(one, other) for one in into for other in out}
    return edges


class _Theirs:
    """MindInsight's answers with its stacks taken out of the names."""

    def __init__(self, nodes: list[dict[str, Any]]) -> None:
        stacks = [node["name"] for node in nodes if node["type"] == "aggregation_scope"]
        self._stacks = {f"{name}/": name.rpartition("/")[0] for name in stacks}
        self.nodes: dict[str, dict[str, Any]] = {}
        self.scopes = {node["name"] for node in nodes if node["type"] == "name_scope"}
        for node in nodes:
            if not node["type"].endswith("_scope"):
                self.nodes[self.bare(node["name"])] = node
        self.parameters = self._of("Parameter")
        self.constants = self._of("Const")
        self.operators = self.nodes.keys() - self.parameters - self.constants
        self.stacks = sorted((name.rpartition("/")[0], *_stack(name.rpartition("/")[2])) for name in stacks)
        self.edges = {
            (self.bare(source), name) for name, node in self.nodes.items() for source in node["input"]
        }

    def _of(self, kind: str) -> set[str]:
        return {name for name, node in self.nodes.items() if node["type"] == kind}

    def bare(self, name: str) -> str:
        scope, slash, rest = name.rpartition("/")
        outer = self._stacks.get(scope + slash)
        if outer is None:
            return name
        return f"{outer}/{rest}" if outer else rest


def _stack(name: str) -> tuple[str, int]:
    match = _STACK.fullmatch(name)
    assert match is not None
    return match[1], int(match[2])


def _which(graphs: Graphs, run: str, file: str) -> dict[str, Any]:
    [entry] = [one for one in graphs.listed() if one["run"] == run and one["tag"].startswith(file)]
    return {name: entry[name] for name in ("run", "tag", "index", "wall_time")}


def _pair(
    graphs: Graphs, mindinsight: dict[str, dict[str, Any]], run: str, file: str, mode: str
) -> tuple[ShownGraph, _Theirs]:
    [theirs] = [found for tag, found in mindinsight[run].items() if tag.startswith(file)]
    which = _which(graphs, run, file)
    return graphs.shown(which, readable=mode == "optimize"), _Theirs(theirs[mode])


@pytest.mark.parametrize("logs", ["torch", "keras", "generated"])
def test_nodes_and_edges_are_those_of_tensorboard(
    request: pytest.FixtureRequest, logs: str, tensorboard_graphs: Oracle
) -> None:
    directory = request.config.rootpath.parent / "shared/data" / logs
    if logs == "generated":
        directory = request.getfixturevalue("generated")
    elif not directory.is_dir():
        pytest.skip(f"the real logs at {directory} are not on this machine")
    theirs = tensorboard_graphs(directory)
    with graphs_over(directory) as graphs:
        listed = {(one["run"], one["tag"]): one for one in graphs.listed()}
        assert set(listed) == {
            (run, tag) for run, found in theirs.items() for tag in found if not tag.startswith("library:")
        }
        for (run, tag), entry in listed.items():
            _compare(graphs.shown(entry), theirs[run][tag], theirs[run].get(f"library:{tag}", {}))


def _compare(ours: ShownGraph, nodes: list[list[Any]], library: dict[str, Any]) -> None:
    """``graph_1/^x`` is what TensorBoard makes of a control input of a trace of several graphs.

    TensorBoard also lists the module that ``prim::GetAttr`` of PyTorch takes; the graph does not have it.
    """
    listed = {name: rest for name, *rest in nodes}
    of_functions = {
        f"{function}/{name}": [op, [f"{function}/{one}" for one in inputs], attributes, device]
        for function, inside in _placed(library)
        for name, op, inputs, attributes, device in inside
    }
    everything = {**listed, **of_functions}
    # an operator that has the name of a scope is shown in that scope, as TensorBoard's page shows it
    shown = {re.sub(r"/\(([^/()]*)\)$", "", id_) if id_.endswith(")") else id_: id_ for id_ in ours.nodes}
    kinds = {ours.nodes[id_]["type"] for id_ in shown.values()}
    arguments = {
        name for name, id_ in shown.items() if ours.nodes[id_]["type"] in ("input_arg", "output_arg")
    }
    assert shown.keys() - arguments == everything.keys()
    assert bool(arguments) == bool(library) == ("input_arg" in kinds)
    bare = {id_: name for name, id_ in shown.items()}
    for name, (op, inputs, attributes, device) in everything.items():
        node = ours.nodes[shown[name]]
        if op:  # of layers TensorBoard has the class as an attribute
            assert node["type"] == op
            assert sorted(one["name"] for one in node["attributes"]) == attributes
        assert node["device"] == device
        found = [
            ("^" if one["edge"] == "control" and not one["missing"] else "")
            + (one["name"] if one["missing"] else bare[one["id"]])
            for one in node["input_edges"]
        ]
        expected = [_input(one, everything, arguments) for one in inputs]
        if op == "prim::GetAttr":
            expected = [one for one in expected if one in everything]
        assert found == expected


def _placed(library: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Functions of several graphs are in the scopes of these; TensorBoard joins the names by ``_``."""
    for function, inside in library.items():
        yield re.sub(r"^(graph_[0-9]+)_", r"\1/", function), inside


def _input(name: str, nodes: dict[str, Any], arguments: set[str]) -> str:
    control = "^" in name
    name = name.replace("^", "")
    if (
        name not in nodes
        and name not in arguments
        and (bare := name.partition(":")[0]) in nodes.keys() | arguments
    ):
        name = bare
    return f"^{name}" if control else name
