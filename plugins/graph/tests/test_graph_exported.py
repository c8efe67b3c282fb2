"""Models that torch.export and ONNX wrote have the nodes, edges, shapes and weights that these state.

``exported/write.py`` wrote the models and, from the frameworks' own objects, ``exported/truth.json``.
"""

from __future__ import annotations

import io
import json
import pickle
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from insight_graph import torch_export
from insight_graph.columns import Graph
from insight_graph.model import GraphModel
from insight_graph.onnx import graph_of_model
from insight_graph.scopes import Scopes
from insight_graph.stored import summed
from insight_graph.texts import NameCodes
from insight_graph.torch_export import graph_of_archive

from benchmarks.processes import peak_memory
from insight_authoring.testing.wire import int_field, message_field
from insight_core.plugin import Reason
from insight_record.formats.protobuf import float_field, text_field

_FILES = Path(__file__).with_name("exported")
_TRUTH: dict[str, Any] = json.loads((_FILES / "truth.json").read_text())


def _of_file(name: str) -> Graph:
    data = (_FILES / name).read_bytes()
    return graph_of_archive(data) if name.endswith(".pt2") else graph_of_model(data)


def _inputs(graph: Graph) -> dict[str, list[str]]:
    """Names of the nodes that each node takes, by its name as it is written."""
    names = [graph.details(node).full_name or name for node, name in enumerate(graph.names)]
    for node, type_name in enumerate(graph.type_names[code] for code in graph.types):
        if type_name in ("Parameter", "Buffer"):
            names[node] = graph.names[node]
    found: dict[str, list[str]] = {name: [] for name in names}
    for source, target in zip(graph.edges.sources, graph.edges.targets, strict=True):
        found[names[target]].append(names[source])
    return {name: sorted(set(sources)) for name, sources in found.items()}


def test_an_exported_program_is_what_torch_exported() -> None:
    graph = _of_file("net.pt2")
    truth = _TRUTH["net.pt2"]
    inputs = _inputs(graph)
    assert {name: sources for name, sources in inputs.items() if name in truth} == {
        name: one["inputs"] for name, one in truth.items()
    }
    nodes = {graph.names[node]: node for node in range(len(graph))}
    for name, one in truth.items():
        node = nodes[name]
        types = graph.output_types[graph.signatures[node]]
        if one["shape"] is not None:
            assert list(types[0].shape or ()) == one["shape"], name
        if one["operator"]:
            kind = graph.type_names[graph.types[node]]
            assert one["operator"].removesuffix(".default") == kind
            # the size of the batch is asked for outside of all modules
            module = "" if kind.startswith("aten.sym_size") else "".join(one["module"])
            assert graph.scopes.paths[graph.scope[node]] == module.replace(".", "/")
    assert not graph.notices


def test_weights_and_buffers_are_those_of_the_module() -> None:
    stored = summed(GraphModel(_of_file("net.pt2")).tensors())
    for role in ("trainable", "other", "buffer"):
        assert [stored[role]["tensors"], stored[role]["values"]] == _TRUTH[role]


def test_a_weight_that_two_modules_share_is_one_tensor() -> None:
    graph = _of_file("tied.pt2")
    stored = summed(GraphModel(graph).tensors())["trainable"]
    assert [stored["tensors"], stored["values"]] == _TRUTH["tied"]
    assert [taken for takers in _inputs(graph).values() for taken in takers].count("embedding.weight") == 2
    assert not graph.missing


@pytest.mark.parametrize("name", ["net.onnx", "net_script.onnx"])
def test_a_model_is_what_onnx_reads(name: str) -> None:
    graph = _of_file(name)
    inputs = _inputs(graph)
    assert {node: inputs[node] for node in _TRUTH[name]} == {
        node: sorted(set(one["inputs"])) for node, one in _TRUTH[name].items()
    }
    nodes = {graph.details(node).full_name: node for node in range(len(graph))}
    for node, one in _TRUTH[name].items():
        assert graph.type_names[graph.types[nodes[node]]] == one["operator"]
    stored = {
        graph.names[node]: list(graph.output_types[graph.signatures[node]][0].shape or ())
        for node in range(len(graph))
        if not graph.placed[node] and graph.names[node] in _TRUTH["initializers"][name]
    }
    assert stored == _TRUTH["initializers"][name]
    assert not graph.notices


def test_modules_are_scopes_whichever_exporter_wrote_the_model() -> None:
    expected = {"conv", "proj", "blocks/0/fc", "blocks/0/norm", "blocks/1/fc", "blocks/1/norm"}
    for name in ("net.pt2", "net.onnx"):
        assert expected - {"conv"} <= set(_of_file(name).scopes.paths)
    assert "conv" in _of_file("net.pt2").scopes.paths
    assert "blocks/blocks.0/fc" in _of_file("net_script.onnx").scopes.paths  # as its names are


def test_branches_and_functions_are_scopes() -> None:
    graph = _of_file("branches.onnx")
    paths = {
        graph.path(node) if graph.placed[node] else graph.names[node]: node for node in range(len(graph))
    }
    edges = {
        (int(source), int(target))
        for source, target in zip(graph.edges.sources, graph.edges.targets, strict=True)
    }
    then = paths["choice/then_branch/add"]
    assert {(paths["x"], then), (paths["bias"], then)} <= edges
    assert graph.details(paths["choice/else_branch/double"]).calls == "Twice"
    assert (paths["Twice/a"], paths["Twice/again"]) in edges
    assert (paths["choice/(choice)"], paths["output y"]) in edges
    assert graph.output_types[graph.signatures[paths["x"]]][0].shape == (-1,)
    assert not graph.missing


def test_attributes_and_lines_of_code_are_details() -> None:
    graph = _of_file("net.pt2")
    node = next(node for node, name in enumerate(graph.names) if name == "batch_norm")
    details = graph.details(node)
    assert {one.name: one.value for one in details.attributes}["eps"] == "1e-05"
    assert "write.py" in details.source
    assert "self.bn(self.conv(x))" in details.source
    graph = _of_file("net_script.onnx")
    node = next(node for node in range(len(graph)) if graph.names[node] == "Conv")
    assert {one.name: one.value for one in graph.details(node).attributes}["kernel_shape"] == "[3, 3]"


# Archives that are not what they say


def _code(read: Callable[[bytes], Graph], data: bytes) -> str:
    with pytest.raises(ValueError, match=r".") as caught:
        read(data)
    reason = caught.value.args[0]
    assert isinstance(reason, Reason)
    return reason.code


def _archive(members: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def _program() -> bytes:
    with zipfile.ZipFile(_FILES / "net.pt2") as archive:
        return archive.read("net/models/model.json")


def test_an_older_archive_is_read_too() -> None:
    older = _archive({"serialized_exported_program.json": _program(), "version": b"7.3"})
    assert graph_of_archive(older).names == _of_file("net.pt2").names


def test_a_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_export, "MOST_JSON", 1 << 20)
    assert (
        _code(graph_of_archive, _archive({"m/models/model.json": bytes(50 << 20)})) == "graph_json_too_large"
    )


def test_a_bomb_that_states_a_small_size_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_export, "MOST_JSON", 1 << 20)
    data = bytearray(_archive({"models/model.json": bytes(50 << 20)}))
    directory = data.rfind(b"PK\1\2")
    struct.pack_into("<I", data, directory + 24, 10)
    assert _code(graph_of_archive, bytes(data)) in ("graph_json_too_large", "graph_not_json", "graph_not_zip")


def test_a_list_of_members_that_is_too_long_is_not_read() -> None:
    data = bytearray(_archive({"a": b""}))
    struct.pack_into("<I", data, data.rfind(b"PK\5\6") + 12, 1 << 30)
    assert _code(graph_of_archive, bytes(data)) == "graph_zip_directory"


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ({"weights": b"x"}, "graph_no_program"),
        ({"models/m.json": b"{"}, "graph_not_json"),
        ({"models/m.json": b"[" * 100_000}, "graph_not_json"),
        ({"models/m.json": b'{"schema_version": {"major": 99}}'}, "graph_schema_version"),
        ({"models/m.json": b'{"schema_version": {"major": 8}}'}, "graph_not_exported"),
        ({"models/m.json": b"[]"}, "graph_not_exported"),
        ({"models/m.json": b'{"schema_version": {"major": 8}, "graph_module": 3}'}, "graph_not_exported"),
    ],
)
def test_an_archive_without_a_program_says_so(members: dict[str, bytes], code: str) -> None:
    assert _code(graph_of_archive, _archive(members)) == code


def test_other_bytes_are_no_model() -> None:
    assert _code(graph_of_archive, b"PK\3\4 no archive") == "graph_not_zip"
    assert _code(graph_of_model, b"no model") == "graph_not_onnx"
    assert _code(graph_of_model, b"") == "graph_not_onnx"


_TENSOR = message_field(1, b"\x02\x03") + int_field(2, 6)  # int32[2,3], with its sizes packed


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("value", message_field(5, _TENSOR), "int32[2,3]"),
        ("sparse_value", message_field(22, message_field(1, _TENSOR) + int_field(3, 9)), "int32[9]"),
        ("value_float", float_field(2, 0.5), "float32[]"),
        ("value_int", int_field(3, 7), "int64[]"),
        ("value_string", text_field(4, "x"), "string[]"),
        ("value_floats", message_field(7, struct.pack("<3f", 1, 2, 3)) + int_field(20, 6), "float32[3]"),
        ("value_floats", float_field(7, 1) + float_field(7, 2) + int_field(20, 6), "float32[2]"),
        ("value_ints", message_field(8, b"\x01\x80\x01") + int_field(20, 7), "int64[2]"),
        ("value_ints", int_field(20, 7), "int64[0]"),
        ("value_strings", text_field(9, "a") + text_field(9, "b") + int_field(20, 8), "string[2]"),
        ("value_int", b"\x18", None),  # cut off
        ("other", int_field(3, 7), None),
    ],
)
def test_a_constant_has_the_type_of_its_value(name: str, value: bytes, shown: str | None) -> None:
    constant = text_field(2, "c") + text_field(4, "Constant")
    constant += message_field(5, text_field(1, name) + value)
    add = text_field(1, "c") + text_field(2, "y") + text_field(4, "Add")
    model = GraphModel(graph_of_model(message_field(7, message_field(1, constant) + message_field(1, add))))
    types = model.graph.output_types[model.graph.signatures[0]]
    assert [str(one) for one in types] == ([shown] if shown else [])
    counted = summed(model.tensors()).get("constant")
    assert (counted is not None) == (shown is not None and not shown.startswith("string"))


def test_constants_of_a_branch_are_counted() -> None:
    tensor = int_field(1, 5) + int_field(2, 1)
    constant = text_field(2, "c") + text_field(4, "Constant")
    constant += message_field(5, text_field(1, "value") + message_field(5, tensor))
    branch = message_field(5, text_field(1, "then_branch") + message_field(6, message_field(1, constant)))
    node = text_field(1, "x") + text_field(4, "If") + branch
    found = summed(GraphModel(graph_of_model(message_field(7, message_field(1, node)))).tensors())
    assert found["constant"] | {"tensors": 1, "values": 5, "bytes": 20} == found["constant"]


def test_models_in_models_end() -> None:
    graph = b""
    for _ in range(60):
        attribute = message_field(1, b"then_branch") + message_field(6, graph)
        graph = message_field(
            1, message_field(4, b"If") + message_field(3, b"n") + message_field(5, attribute)
        )
    assert _code(graph_of_model, message_field(7, graph)) == "graph_too_nested"


@pytest.mark.parametrize("name", ["net.onnx", "branches.onnx"])
def test_a_model_that_is_cut_off_or_damaged_is_read_or_refused(name: str) -> None:
    data = (_FILES / name).read_bytes()
    for size in range(0, len(data), max(1, len(data) // 60)):
        changed = bytearray(data)
        changed[size] ^= 0x55
        for variant in (data[:size], bytes(changed)):
            try:
                GraphModel(graph_of_model(variant)).view(True)
            except ValueError as error:
                assert isinstance(error.args[0], Reason)  # noqa: PT017


@pytest.mark.parametrize("name", ["net.pt2", "tied.pt2"])
def test_a_graph_that_a_worker_read_is_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    here = _of_file(name)
    monkeypatch.setattr(torch_export, "SMALL", -1)
    there = _of_file(name)
    assert there.names == here.names
    assert there.scopes.paths == here.scopes.paths
    assert there.order.tolist() == here.order.tolist()
    nodes = range(len(here))
    assert [there.path(node) for node in nodes] == [here.path(node) for node in nodes]
    assert [there.details(node) for node in nodes] == [here.details(node) for node in nodes]
    assert there.scopes.number("one/more") == here.scopes.number("one/more")
    assert there.scopes.find("/one") is None


def test_millions_of_lists_are_an_error_and_cost_the_host_nothing() -> None:
    content = b'{"schema_version":8,"graph_module":[' + b"[]," * 30_000_000 + b"1]}"
    before = peak_memory()
    with pytest.raises(ValueError, match="needs more than 1024 MiB of memory") as caught:
        graph_of_archive(_archive({"models/model.json": content}))
    assert caught.value.args[0].code == "worker_memory"
    assert peak_memory() - before < 256  # MB


@pytest.mark.parametrize("paths", [[b"a/b", b"/a/b", b"//a", b"a//b", b"a/b/c", b"\xff/x"]])
def test_a_pickled_tree_of_names_has_the_same_numbers(paths: list[bytes]) -> None:
    codes = NameCodes()
    scopes = Scopes(codes)
    ends = np.cumsum([len(path) for path in paths])
    placed = scopes.place(b"".join(paths), ends - [len(path) for path in paths], ends)
    again = pickle.loads(pickle.dumps(scopes))
    assert again.paths == scopes.paths
    assert again.of(placed).tolist() == scopes.of(placed).tolist()
    assert again.parents.tolist() == scopes.parents.tolist()
