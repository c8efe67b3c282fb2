"""Files that are cut or damaged: what can be read is shown, and each cause has a code for translations."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from insight_graph import keras, tensorflow
from insight_graph.mindspore import graph_of_file
from insight_graph.msprobe_dump import statistics_of_json
from insight_graph.onnx import graph_of_model
from insight_graph.tensor_statistics import statistics_of_file
from insight_graph.torch_export import graph_of_archive

from insight_core.plugin import Reason

_FILES = Path(__file__).with_name("exported")
_ONNX = (_FILES / "net.onnx").read_bytes()
_EXPORTED = (_FILES / "net.pt2").read_bytes()


def _archive(method: int = zipfile.ZIP_STORED, **members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(f"net/models/{name}.json", content)
    return file.getvalue()


def _with_byte(data: bytes, after: bytes, value: int) -> bytes:
    """Another byte ten bytes after the first place of ``after``."""
    at = data.index(after) + len(after) + 10
    return data[:at] + bytes([value]) + data[at + 1 :]


_DAMAGED: dict[str, tuple[Callable[[bytes], object], bytes, list[str]]] = {
    "pb empty": (graph_of_file, b"", ["graph_not_mindspore", "graph_file_empty"]),
    "pb junk": (graph_of_file, b"\x0c junk", ["graph_not_mindspore", "field_type"]),
    "graph def junk": (tensorflow.graph_of_event, b"\x0c junk", ["graph_not_tensorflow", "field_type"]),
    "onnx empty": (graph_of_model, b"", ["graph_not_onnx", "graph_file_empty"]),
    "onnx without graph": (graph_of_model, b"\x08\x07", ["graph_not_onnx", "graph_onnx_empty"]),
    "onnx junk": (graph_of_model, b"\x0c junk", ["graph_not_onnx", "field_type"]),
    "onnx cut": (graph_of_model, _ONNX[:70], ["graph_not_onnx", "graph_file_ends"]),
    "pt2 empty": (graph_of_archive, b"", ["graph_not_zip", "graph_file_empty"]),
    "pt2 junk": (graph_of_archive, b"junk" * 99, ["graph_not_zip", "graph_zip_end"]),
    "pt2 cut": (graph_of_archive, _EXPORTED[: len(_EXPORTED) // 2], ["graph_not_zip", "graph_zip_end"]),
    "pt2 other byte": (
        graph_of_archive,
        _with_byte(_EXPORTED, b'"schema_version"', 0),
        ["graph_not_zip", "graph_zip_damaged"],
    ),
    "pt2 other packed byte": (
        graph_of_archive,
        _with_byte(_archive(zipfile.ZIP_DEFLATED, net=b'{"a": 1}' * 99), b"net.json", 0xFF),
        ["graph_not_zip", "graph_zip_damaged"],
    ),
    "pt2 cut json": (graph_of_archive, _archive(net=b'{"a": [1,\n'), ["graph_not_json", "graph_json_ends"]),
    "pt2 wrong json": (
        graph_of_archive,
        _archive(net=b"[1}]"),
        ["graph_not_json", "graph_json_wrong"],
    ),
    "pt2 bytes": (graph_of_archive, _archive(net=b'{"a\xff": 1}'), ["graph_not_json", "graph_json_not_text"]),
    "pt2 deep": (graph_of_archive, _archive(net=b"[" * 99_999), ["graph_not_json", "graph_json_deep"]),
    "pt2 other json": (
        graph_of_archive,
        _archive(net=b'{"schema_version": {"major": 8}}'),
        ["graph_not_exported", "graph_json_missing"],
    ),
    "pt2 odd json": (graph_of_archive, _archive(net=b"[1]"), ["graph_not_exported", "graph_json_form"]),
    "keras cut": (keras.graph_of_model, b'{"config": {', ["graph_not_json", "graph_json_ends"]),
    "dump cut": (statistics_of_json, b'{"data": {"a": ', ["graph_not_msprobe", "graph_json_ends"]),
    "dump without data": (statistics_of_json, b"{}", ["graph_not_msprobe", "graph_json_missing"]),
    "table": (
        statistics_of_file,
        b"Op Type,Op Name,IO,Slot\nA," + b"x" * 200_000,
        ["graph_not_table", "graph_table_line"],
    ),
}


@pytest.mark.parametrize("name", _DAMAGED)
def test_each_cause_has_a_code(name: str) -> None:
    read, data, expected = _DAMAGED[name]
    with pytest.raises(ValueError) as caught:  # noqa: PT011  its reason is looked at
        read(data)
    found = []
    reason: object = Reason.of(caught.value)
    while isinstance(reason, Reason):
        found.append(reason.code)
        reason = reason.details.get("cause")
    assert found == expected
    assert reason is None, "a cause without a code is English in every language"


@pytest.mark.parametrize("part", [0.1, 0.3, 0.5, 0.9])
def test_a_model_of_onnx_that_is_cut_shows_its_nodes_and_says_where_it_ends(part: float) -> None:
    cut = _ONNX[: int(len(_ONNX) * part)]
    whole, graph = graph_of_model(_ONNX), graph_of_model(cut)
    assert 0 < len(graph) <= len(whole)
    names = {whole.details(node).full_name for node in range(len(whole))}
    assert {graph.details(node).full_name for node in range(len(graph))} <= names
    notice = next(one for one in graph.notices if one.code == "file_ends")
    assert notice.values["read"] == len(cut)
    assert len(cut) < int(notice.values["size"]) <= len(_ONNX)
    assert notice.text.startswith(f"the file ends after {len(cut):,} of at least")


def test_all_nodes_of_onnx_before_the_cut_are_there() -> None:
    truth = json.loads((_FILES / "truth.json").read_text())["net.onnx"]
    graph = graph_of_model(_ONNX[: _ONNX.index(b"conv.weight", len(_ONNX) // 2)])  # after the nodes
    found = {graph.details(node).full_name for node in range(len(graph))}
    assert truth.keys() <= found
