"""Graphs of MindSpore as text: the examples of its documentation of IR files, by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from insight_graph.beginnings import begins_as_ir
from insight_graph.columns import Graph, Kind
from insight_graph.mindspore import graph_of_file
from insight_graph.mindspore_ir import graph_of_text

from tests.graph_samples import edges_of, node_of

_HEAD = """# IR entry: @main.1
# Total subgraphs: 2

# Attrs:
check_set_strategy_valid_once_only : 1

# Total params: 3
# Params:
%para1_x : <Tensor[Float32], (32, 10)>
%para2_conv.weight : <Ref[Tensor[Float16]], (6, 1, 5, 5), ref_key=:conv.weight>  :  has_default
%para3_y : <Tensor(F32)[32, 10]>

"""
_MAIN = """subgraph attr:
subgraph instance: main.1 : 0x55da18f612a0
# In file t6.py:15/    def construct(self, x, y):/
subgraph @main.1() {
  %0(a) = Sub(%para1_x, Tensor(shape=[], dtype=Float32, value=1)) primitive_attrs: {names: [o], axes: (1, 2)}
      : (<Tensor[Float32], (32, 10)>, <Tensor[Float32], (), value=...>) -> (<Tensor[Float32], (32, 10)>)
      # Fullname with scope: (Default/net/Sub-op1)
      # In file math_func.py:839/    return tensor_sub(input, other)/
      # In file t6.py:16/        a = ops.sub(x, 1)/
  %1([CNode]7) = MakeTuple(%0, %para3_y)
      : (<Tensor[Float32], (32, 10)>) -> (<Tuple[Tensor[Float32]*2], TupleShape((32, 10), (32, 10))>)
      # Scope: (Default)
  %2(b) = TupleGetItem(%1, I64(1)) cnode_attrs: {checkpoint: Bool(1)}
      : (<Tuple>, <Int64, NoShape>) -> (<Tensor[Float32], (-1, 10)>)
      # Scope: (Default)
  %3([CNode]12) = call @other.2(%2, "a, (b")
      : (<Tensor[Float32], (-1, 10)>) -> (<Tensor[Bool], ()>)
      #scope: (Default)
  %4([CNode]6) = Depend[side_effect_propagate: I64(1)](None, %3)
      : (<null>, <null>) -> (<null>)
      # Scope: (Default)
  Return(%4)
      : (<Tensor[Float32], ()>)
      # Scope: (Default)
}


"""
_OTHER = """subgraph attr:
subgraph instance: other.2 : 0x55da18f59e20
subgraph @other.2 parent: [subgraph @main.1](%para4_b) {
  %0(c) = %para4_b[@FuncUnion(@a.1, @b.2)](%para1_x)
      : () -> (<Tensor[BFloat16], (3)>)
      # Scope: (Default)
  Return(%9)
      : (<Tensor[Float32], ()>)
}
"""


@pytest.fixture
def graph() -> Graph:
    return graph_of_text((_HEAD + _MAIN + _OTHER).encode())


def _types(graph: Graph, path: str) -> list[str]:
    return [str(one) for one in graph.output_types[graph.signatures[node_of(graph, path)]]]


def test_operators_with_scopes_and_types(graph: Graph) -> None:
    sub = node_of(graph, "Default/net/Sub-op1")
    assert graph.type_names[graph.types[sub]] == "Sub"
    assert _types(graph, "Default/net/Sub-op1") == ["float32[32,10]"]
    assert _types(graph, "Default/TupleGetItem-2") == ["float32[?,10]"]
    assert _types(graph, "Default/MakeTuple-1") == ["float32[32,10]", "float32[32,10]"]
    assert _types(graph, "Default/call-3") == ["bool[]"]
    assert _types(graph, "Default/Depend-4") == []


def test_parameters_and_constants(graph: Graph) -> None:
    assert _types(graph, "x") == ["float32[32,10]"]
    assert _types(graph, "conv.weight") == ["float16[6,1,5,5]"]
    assert _types(graph, "y") == ["float32[32,10]"], "as versions before 2.0 write types"
    kinds = {
        graph.names[node]: Kind(graph.kinds[node]) for node in range(len(graph)) if not graph.placed[node]
    }
    assert {kinds[name] for name in ("x", "conv.weight", "y", "b")} == {Kind.PARAMETER}
    values = [graph.details(node).value for node in range(len(graph)) if graph.kinds[node] == Kind.CONSTANT]
    assert values == ["Tensor(shape=[], dtype=Float32, value=1)", "I64(1)", '"a, (b"', "None"]
    assert list(graph.whole_numbers.values()) == [1]


def test_inputs_of_operators(graph: Graph) -> None:
    edges = graph.edges
    found = {
        (graph.names[source], graph.names[target], slot)
        for source, target, slot in zip(
            edges.sources.tolist(), edges.targets.tolist(), edges.slots.tolist(), strict=True
        )
        if graph.kinds[source] != Kind.CONSTANT
    }
    assert found == {
        ("x", "Sub-op1", 0),
        ("Sub-op1", "MakeTuple-1", 0),
        ("y", "MakeTuple-1", 1),
        ("MakeTuple-1", "TupleGetItem-2", 0),
        ("TupleGetItem-2", "call-3", 0),
        ("call-3", "Depend-4", 1),
        ("Depend-4", "Return", 0),
        ("x", "call-0", 0),
    }
    assert len(edges_of(graph)) == 12
    assert [notice.code for notice in graph.notices] == ["missing_inputs"], "%9 is nowhere"


def test_details_of_a_node(graph: Graph) -> None:
    details = graph.details(node_of(graph, "Default/net/Sub-op1"))
    assert details.full_name == "Default/net/Sub-op1"
    assert details.source.splitlines()[1] == "t6.py:16/        a = ops.sub(x, 1)/"
    assert [(one.name, one.value) for one in details.attributes] == [
        ("names", "[o]"),
        ("axes", "(1, 2)"),
    ]
    attributes = [
        {one.name: one.value for one in graph.details(node_of(graph, path)).attributes}
        for path in ("Default/TupleGetItem-2", "Default/Depend-4", "Default/call-3")
    ]
    assert attributes == [
        {"checkpoint": "Bool(1)"},
        {"side_effect_propagate": "I64(1)"},
        {"graph": "other.2"},
    ]


def test_a_text_that_ends_early_shows_what_is_there() -> None:
    graph = graph_of_text((_HEAD + _MAIN[: _MAIN.index("%3(")]).encode())
    assert node_of(graph, "Default/TupleGetItem-2")
    assert [notice.code for notice in graph.notices] == ["truncated"]


def test_only_graphs_of_mindspore_are_claimed() -> None:
    assert begins_as_ir(_HEAD.encode())
    assert begins_as_ir(_MAIN.encode())
    assert begins_as_ir(b"#IR entry      : @1_construct.2\n#attrs :\n")
    assert not begins_as_ir(b"; ModuleID = 'main.c'\ndefine i32 @main() {\n")
    with pytest.raises(ValueError, match="no graph of MindSpore"):
        graph_of_text(b"; ModuleID = 'main.c'\n")


# --- files of MindSpore 2.10, which wrote the same graphs as .pb ----------------------------------


@pytest.fixture
def written(pytestconfig: pytest.Config) -> Path:
    directory = pytestconfig.rootpath.parent / "shared/data/mindspore_ir"
    if not directory.is_dir():
        pytest.skip(f"the graphs of MindSpore at {directory} are not on this machine")
    return directory


def _operators(graph: Graph) -> dict[str, list[str]]:
    """Types of outputs by path; the text has the return of a graph too."""
    return {
        graph.path(node): [str(one) for one in graph.output_types[graph.signatures[node]]]
        for node in range(len(graph))
        if graph.kinds[node] == Kind.OPERATOR and not graph.names[node].startswith("Return")
    }


def _inner_edges(graph: Graph) -> set[tuple[str, str, int]]:
    edges = graph.edges
    return {
        (graph.path(source), graph.path(target), slot)
        for source, target, slot in zip(
            edges.sources.tolist(), edges.targets.tolist(), edges.slots.tolist(), strict=True
        )
        if graph.kinds[source] == Kind.OPERATOR and not graph.names[target].startswith("Return")
    }


@pytest.mark.parametrize("number", range(7))
def test_a_text_has_the_graph_of_the_same_pb(written: Path, number: int) -> None:
    (text,) = written.glob(f"graph_build_{number}_*.ir")
    found = graph_of_text(text.read_bytes())
    expected = graph_of_file((written / f"ms_output_vm_build_{number}.pb").read_bytes())
    own, theirs = _operators(found), _operators(expected)
    assert own.keys() == theirs.keys()
    assert _inner_edges(found) == _inner_edges(expected)
    told = {path for path, types in theirs.items() if not any(one.startswith("type ") for one in types)}
    tensors = {path for path in told if len(theirs[path]) == 1}
    assert {path: own[path] for path in tensors} == {path: theirs[path] for path in tensors}
    assert not found.notices


@pytest.mark.parametrize("name", ["00_bootstrap_0000.ir", "13_optimize_0071.ir", "24_execute_0428.ir"])
def test_all_operators_of_a_file_are_read(written: Path, name: str) -> None:
    data = (written / name).read_bytes()
    assert begins_as_ir(data[:4096])
    graph = graph_of_text(data)
    lines = [line for line in data.decode().splitlines() if line.startswith(("  %", "  Return("))]
    assert (graph.kinds == Kind.OPERATOR).sum() == len(lines)
    assert not graph.notices
