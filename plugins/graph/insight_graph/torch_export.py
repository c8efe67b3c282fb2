"""Parses the graph of a ``.pt2`` file that ``torch.export.save`` writes: JSON in a zip archive.

Source: torch/_export/serde/schema.py (schema versions up to 8) and torch/export/pt2_archive. Only the JSON of
the graph is read: neither weights nor pickles.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from attrs import define, field

from insight_core.plugin import Reason, ReasonKind
from insight_core.plugin.worker import SMALL, decode_apart
from insight_graph.columns import Attribute, Graph, Kind, NodeDetails, OutputType, Weight
from insight_graph.graph_builder import GraphBuilder
from insight_graph.order import topological
from insight_graph.pieces import MOST_MESSAGES, TOO_LARGE
from insight_graph.scopes import joined
from insight_graph.torch_arguments import line_of_code
from insight_graph.unreadable import ARCHIVE_ERRORS, cause_in_archive, cause_in_json, not_json
from insight_graph.zip_archives import member

FORMAT = "torch_export"
MOST_JSON = 128 << 20  # bytes of the graph, unpacked
_NEWEST = 8  # schema version
_MEMBERS = re.compile(
    r"([^/]+/)?(models/(?P<name>[^/]+)\.json|serialized_exported_program\.json"
    r"|data/weights/(?P<weights>[^/]+)_weights_config\.json)"
)
_DEEPEST = 50  # graphs in each other
_NOTHING = b"{}"
_DTYPES = {
    1: "uint8", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "float16", 7: "float32", 8: "float64",
    9: "complex32", 10: "complex64", 11: "complex128", 12: "bool", 13: "bfloat16", 28: "uint16",
    29: "float8_e4m3fn", 30: "float8_e5m2", 31: "float8_e4m3fnuz", 32: "float8_e5m2fnuz",
    33: "float8_e8m0fnu", 34: "uint32", 35: "uint64",
}  # fmt: skip
_INDEX = re.compile(r"\[['\"]?([^'\"\]]*)['\"]?\]")  # modules of older versions: L['self'].blocks[0]
_VALUES = ("as_tensor", "as_sym_int", "as_sym_float", "as_sym_bool", "as_custom_obj")
_LISTS = ("as_tensors", "as_sym_ints", "as_sym_floats", "as_sym_bools", "as_optional_tensors")
_JSON_TOO_LARGE = ReasonKind("graph_json_too_large", "the graph has more than {most:,} bytes: it is not read")
_NOT_ZIP = ReasonKind("graph_not_zip", "the zip archive cannot be read: {cause}")
_NOT_EXPORTED = ReasonKind("graph_not_exported", "the archive has no graph of a known form: {cause}")
_SCHEMA_VERSION = ReasonKind(
    "graph_schema_version", "the graph has schema version {version}; known are versions up to {newest}"
)
_TOO_NESTED = ReasonKind("graph_too_nested", "the model has more than {most} models in each other")


def graph_of_archive(data: bytes) -> Graph:
    """Raises ValueError for bytes that are not such an archive, and for a graph that is too large."""
    return graph_of_stream(io.BytesIO(data))


def graph_of_stream(file: BinaryIO) -> Graph:
    """The same of a file that can seek, of which only the graph is read."""
    members: list[tuple[str, int]] = []
    pieces: list[bytes] = []  # not joined: that would take as much again
    size = 0
    try:
        for name, read in member(file, _MEMBERS):
            found = read(MOST_JSON - size)
            if found is None:
                raise ValueError(_JSON_TOO_LARGE(most=MOST_JSON))
            members.append((name, sum(map(len, found))))
            size += members[-1][1]
            pieces += found
    except ARCHIVE_ERRORS as error:
        cause = cause_in_archive(error)
        raise ValueError(_NOT_ZIP(cause=cause)) from None
    parsed = "insight_graph.torch_export:graph_of_members"
    graph: Graph = decode_apart(parsed, b"".join(pieces) if size <= SMALL else pieces, members)
    return graph


def graph_of_members(data: bytes, members: Sequence[tuple[str, int]]) -> Graph:
    """The graph in members of an archive, one after the other, by names and sizes. Runs in a worker for
    large ones."""
    try:
        programs, stored = _programs(data, members)
        reader = _Reader(GraphBuilder(FORMAT))
        for name, program in programs.items():
            reader.program(program, name if len(programs) > 1 else "", stored_tensors(stored.get(name)))
    except (KeyError, TypeError, AttributeError) as error:
        cause = cause_in_json(error)
        raise ValueError(_NOT_EXPORTED(cause=cause)) from None
    return reader.builder.graph(reader.written.details, topological, len(data))


def _programs(data: bytes, members: Sequence[tuple[str, int]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Exported programs and lists of their weights, by the name of the model."""
    found: dict[str, Any] = {}
    weights: dict[str, Any] = {}
    start = 0
    for name, size in members:
        try:
            content = json.loads(data[start : start + size])
        except (ValueError, RecursionError) as error:
            raise not_json(error) from None
        start += size
        match = _MEMBERS.fullmatch(name)
        if match and match["weights"]:
            weights[match["weights"]] = content
            continue
        version = content["schema_version"]
        major = version["major"] if isinstance(version, dict) else version
        if not isinstance(major, int) or major > _NEWEST:
            raise ValueError(_SCHEMA_VERSION(version=str(major), newest=_NEWEST))
        found[(match and match["name"]) or "model"] = content
    if not found:
        message = "the archive has no exported program: torch.export.save writes one"
        raise ValueError(Reason(message, "graph_no_program"))
    return found, weights


@define(eq=False)
class _Written:
    """What is written of nodes: full names, and JSON, which takes less memory than what it says."""

    rows: list[tuple[str, bytes]] = field(factory=list)

    def details(self, number: int) -> NodeDetails:
        name, text = self.rows[number]
        node = json.loads(text)
        metadata = node.get("metadata") or {}
        return NodeDetails(
            full_name=name,
            scope=_module_of(metadata),
            source=line_of_code(str(metadata.get("stack_trace") or "")),
            attributes=[
                _attribute(str(one.get("name") or ""), one["arg"])
                for one in node.get("inputs", ())
                if not any(True for _ in _names(one["arg"]))
            ],
        )


@define(eq=False)
class _Reader:
    builder: GraphBuilder
    written: _Written = field(factory=_Written)  # by node

    def program(self, program: Mapping[str, Any], prefix: str, stored: Mapping[str, str]) -> None:
        """``stored`` names the tensor of each weight: weights that share one are one node."""
        module = program["graph_module"]
        graph = module["graph"]
        values: dict[str, tuple[int, int]] = {}  # node and output by name
        shared: dict[str, tuple[int, int]] = {}  # node and output by tensor
        for spec in module["signature"]["input_specs"]:
            [given] = spec.values()
            tensor = stored.get(given.get("parameter_name") or given.get("buffer_name") or "")
            if tensor is not None and tensor in shared:
                values[given["arg"]["name"]] = shared[tensor]
                continue
            added = self._input(spec, graph, values, prefix)
            if tensor is not None:
                shared[tensor] = added, 0
        self._graph(graph, values, prefix, 0)

    def _add(
        self,
        path: str,
        type_name: str,
        kind: Kind,
        types: list[OutputType],
        written: tuple[str, Mapping[str, Any]],
        device: str = "",
    ) -> int:
        if len(self.written.rows) >= MOST_MESSAGES:
            raise ValueError(TOO_LARGE(most=MOST_MESSAGES))
        name, node = written
        self.written.rows.append((name, json.dumps(node).encode() if node else _NOTHING))
        signature = self.builder.signature(types)
        return self.builder.node(path, type_name, kind, signature, device, placed=kind == Kind.OPERATOR)

    def _input(
        self,
        spec: Mapping[str, Any],
        graph: Mapping[str, Any],
        values: dict[str, tuple[int, int]],
        prefix: str,
    ) -> int:
        """Adds what the graph is given, parameters and buffers by their names in the model; its number."""
        [(what, given)] = spec.items()
        argument = given.get("arg") or {"name": given.get("name", "")}
        name = next(_names(argument), "") if what == "user_input" else argument.get("name", "")
        types = [_type_of(graph, name)]
        if what == "parameter":
            number = self._add(given["parameter_name"], "Parameter", Kind.PARAMETER, types, (name, {}))
            learned = (graph["tensor_values"].get(name) or {}).get("requires_grad")
            self.builder.weights.append(Weight(number, learned, self.builder.signature(types)))
        elif what == "buffer":
            number = self._add(given["buffer_name"], "Buffer", Kind.PARAMETER, types, (name, {}))
            self.builder.weights.append(Weight(number, False, self.builder.signature(types), is_buffer=True))
        elif what in ("tensor_constant", "constant_input"):
            text = str(given.get("tensor_constant_name") or name)
            number = self._add(text, "Constant", Kind.CONSTANT, types, (name, {}))
        else:
            number = self._add(joined(prefix, name or what), "Input", Kind.OPERATOR, types, (name, {}))
        if name:
            values[name] = number, 0
        return number

    def _graph(
        self, graph: Mapping[str, Any], values: dict[str, tuple[int, int]], prefix: str, depth: int
    ) -> None:
        if depth > _DEEPEST:
            raise ValueError(_TOO_NESTED(most=_DEEPEST))
        for argument in graph["inputs"] if depth else ():
            for name in _names(argument):
                path = joined(prefix, name)
                number = self._add(path, "input_arg", Kind.OPERATOR, [_type_of(graph, name)], (name, {}))
                values[name] = number, 0
        waiting: list[tuple[int, Any]] = []
        for place, node in enumerate(graph["nodes"]):
            outputs = [name for argument in node["outputs"] for name in _names(argument)]
            name = str(node.get("name") or (outputs[0] if outputs else f"node_{place}"))
            path = joined(joined(prefix, _module_of(node.get("metadata") or {})), name)
            types = [_type_of(graph, output) for output in outputs]
            device = _device_of(graph, outputs)
            number = self._add(path, _type_name(node["target"]), Kind.OPERATOR, types, (name, node), device)
            values.update((output, (number, slot)) for slot, output in enumerate(outputs))
            waiting.append((number, [one["arg"] for one in node["inputs"]]))
            for inner in node["inputs"]:
                if "as_graph" in inner["arg"]:
                    called = inner["arg"]["as_graph"]
                    scope = joined(path, str(called["name"]))
                    self._graph(called["graph"], {}, scope, depth + 1)
        for slot, argument in enumerate(graph["outputs"]):
            for name in _names(argument):
                path = joined(prefix, f"output_{slot}" if len(graph["outputs"]) > 1 else "output")
                kind = "output_arg" if depth else "Output"
                types = [_type_of(graph, name)]
                waiting.append((self._add(path, kind, Kind.OPERATOR, types, (path, {})), [argument]))
        for number, arguments in waiting:
            names = [name for argument in arguments for name in _names(argument)]
            for slot, name in enumerate(names):
                if name in values:
                    source, output = values[name]
                    self.builder.edge(source, number, slot, output)
                else:
                    self.builder.missing_input(number, slot, name)


def _names(argument: Mapping[str, Any]) -> Iterator[str]:
    """Names of the values that an argument holds."""
    [(kind, held)] = argument.items()
    if kind in _VALUES:
        yield from _name_in(held)
    elif kind in _LISTS:
        for one in held:
            if isinstance(one, dict) and "as_tensor" in one:
                one = one["as_tensor"]
            yield from _name_in(one)
    elif kind == "as_optional_tensor" and isinstance(held, dict) and "as_tensor" in held:
        yield from _name_in(held["as_tensor"])
    elif kind == "as_nested_tensors":
        for row in held:
            for one in row:
                yield from _name_in(one)
    elif kind == "name" and isinstance(held, str):
        yield held


def _name_in(held: object) -> Iterator[str]:
    if isinstance(held, dict):
        name = held.get("name", held.get("as_name"))
        if isinstance(name, str):
            yield name


def _type_of(graph: Mapping[str, Any], name: str) -> OutputType:
    meta = graph["tensor_values"].get(name)
    if meta is None:
        kinds = {"sym_int_values": "int", "sym_float_values": "float", "sym_bool_values": "bool"}
        return OutputType(
            next((text for key, text in kinds.items() if name in (graph.get(key) or {})), ""), None
        )
    sizes = [one.get("as_int", -1) for one in meta["sizes"]]
    shape = tuple(size if isinstance(size, int) and size >= 0 else -1 for size in sizes)
    return OutputType(_DTYPES.get(meta["dtype"], f"type {meta['dtype']}"), shape)


def _device_of(graph: Mapping[str, Any], outputs: list[str]) -> str:
    for name in outputs:
        device = (graph["tensor_values"].get(name) or {}).get("device")
        if device:
            index = device.get("index")
            return str(device["type"]) if index is None else f"{device['type']}:{index}"
    return ""


def _type_name(target: str) -> str:
    """``aten.conv2d`` of ``torch.ops.aten.conv2d.default``."""
    return str(target).removeprefix("torch.ops.").removesuffix(".default").removeprefix("_operator.")


def _module_of(metadata: Mapping[str, Any]) -> str:
    """The scope of a node: the path of the innermost module that called it.

    ``nn_module_stack`` has ``key,path,type`` of each module around it, separated by semicolons.
    """
    innermost = str(metadata.get("nn_module_stack") or "").rpartition(";")[2].split(",")
    path = innermost[1] if len(innermost) > 2 else ""
    path = _INDEX.sub(r".\1", path).removeprefix("L.self").removeprefix("L__self__").strip(".")
    return "" if path.startswith("_empty_nn_module_stack") else path.replace(".", "/")


def _attribute(name: str, argument: Mapping[str, Any]) -> Attribute:
    [(kind, held)] = argument.items()
    text = str(held.get("name", "")) if kind == "as_graph" else _text(kind, held)
    return Attribute(name, kind.removeprefix("as_"), text, len(text))


def _text(kind: str, held: object) -> str:
    if kind == "as_none":
        return "None"
    if kind == "as_scalar_type" and isinstance(held, int):
        return _DTYPES.get(held, f"type {held}")
    if isinstance(held, dict) and "type" in held:
        return str(held["type"])
    return str(held)


def stored_tensors(config: Mapping[str, Any] | None) -> dict[str, str]:
    """By name of a weight: its tensor, which is equal for weights that share one. Older files do not tell."""
    if config is None:
        return {}
    return {name: _tensor(payload) for name, payload in config["config"].items()}


def _tensor(payload: Mapping[str, Any]) -> str:
    """The file of a tensor, and the part of it that the tensor is."""
    about = payload["tensor_meta"]
    return json.dumps([payload["path_name"], *(about[key] for key in ("sizes", "strides", "storage_offset"))])
