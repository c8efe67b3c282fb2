"""What a graph has, in numbers; and what the readability pass took from it."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from insight_graph.columns import Graph, Kind, OutputType
from insight_graph.described import notice, time_by
from insight_graph.details import types_in
from insight_graph.model import Times
from insight_graph.readable import RULES, Removed
from insight_graph.view import View

MAX_PARAMETERS = 50
MAX_KINDS = 1000  # types, devices, types of outputs
MAX_NODES = 200  # of each rule, in one answer
_BITS = re.compile(r"[a-z]*?([0-9]+)(_.*|e[0-9].*)?")


def statistics_of(view: View, times: Times | None) -> dict[str, Any]:
    tree, graph, edges = view.tree, view.graph, view.edges
    shown = view.shown_nodes
    kinds = np.bincount(graph.kinds[shown], minlength=len(Kind))
    controls = int(edges.controls.sum())
    parameters = _parameters(graph, shown[graph.kinds[shown] == Kind.PARAMETER].tolist())
    return {
        "nodes": len(shown),
        "operators": int(kinds[Kind.OPERATOR]),
        "constants": int(kinds[Kind.CONSTANT]),
        "parameters": int(kinds[Kind.PARAMETER]),
        "scopes": int((tree.stacks[1:] < 0).sum()),
        "stacks": int((tree.stacks >= 0).sum()),
        "depth": _depth(view),
        "edges": len(edges),
        "data_edges": len(edges) - controls,
        "control_edges": controls,
        "types": types_in(view, shown, times, MAX_KINDS),
        "parameter_values": sum(values for values, _, _ in parameters),
        "parameter_bytes": sum(size for _, size, _ in parameters),
        "largest_parameters": [
            {
                "id": tree.id(~view.positions_of(node)[0]),
                "name": graph.names[node],
                **_type_of(graph, node),
                "values": values,
                "bytes": size,
            }
            for values, size, node in sorted(parameters, key=lambda one: (-one[0], one[2]))[:MAX_PARAMETERS]
        ],
        "devices": _devices(view, times),
        "dtypes": _dtypes(view),
        "notices": [notice(one) for one in graph.notices],
    }


def _type_of(graph: Graph, node: int) -> dict[str, Any]:
    types = graph.output_types[graph.signatures[node]]
    return {"dtype": types[0].dtype, "shape": types[0].shape} if types else {"dtype": "", "shape": None}


def _parameters(graph: Graph, nodes: list[int]) -> list[tuple[int, int, int]]:
    """(values, bytes, node) of each."""
    found = []
    for node in nodes:
        types = graph.output_types[graph.signatures[node]]
        values = sum(_values(one) for one in types)
        size = sum(_values(one) * _bits(one.dtype) for one in types) // 8
        found.append((values, size, node))
    return found


def _values(one: OutputType) -> int:
    return 0 if one.shape is None or min(one.shape, default=0) < 0 else math.prod(one.shape)


def _bits(dtype: str) -> int:
    if dtype == "bool":
        return 8
    match = _BITS.fullmatch(dtype)
    return int(match[1]) if match else 0


def _depth(view: View) -> int:
    """How many scopes are one in another."""
    tree = view.tree
    is_scope = tree.stacks < 0
    depths = np.zeros(len(tree), np.int64)
    above = np.arange(len(tree))
    while (above > 0).any():
        depths += is_scope[above] & (above > 0)
        above = np.where(above > 0, tree.parents[above], 0)
    return int(depths.max())


def _devices(view: View, times: Times | None) -> list[dict[str, Any]]:
    graph = view.graph
    operators = view.tree.nodes[graph.kinds[view.tree.nodes] == Kind.OPERATOR]
    codes = graph.devices[operators].astype(np.intp)
    names = graph.device_names
    counts = np.bincount(codes, minlength=len(names))
    spent = time_by(codes, operators, times, len(names))
    order = [code for code in np.argsort(-counts, kind="stable")[:MAX_KINDS].tolist() if counts[code]]
    return [{"device": names[code], "count": int(counts[code]), "time": spent[code]} for code in order]


def _dtypes(view: View) -> list[dict[str, Any]]:
    """Of all outputs."""
    signatures = view.graph.signatures[view.shown_nodes]
    counts = np.bincount(signatures, minlength=len(view.graph.output_types))
    found: dict[str, int] = {}
    for types, count in zip(view.graph.output_types, counts.tolist(), strict=True):
        for one in types:
            found[one.dtype] = found.get(one.dtype, 0) + count
    order = sorted(((name, count) for name, count in found.items() if count), key=lambda one: -one[1])
    return [{"dtype": name, "count": count} for name, count in order[:MAX_KINDS]]


def removed_of(graph: Graph, whole: View, removed: Removed, offset: int = 0) -> dict[str, Any]:
    """``whole`` is the view of all, in which what was removed has its ids; of each rule the nodes from
    ``offset`` on."""
    part = slice(offset, offset + MAX_NODES)
    rules = []
    for number, rule in enumerate(RULES):
        nodes = np.flatnonzero(removed.rules == number)
        if not len(nodes):
            continue
        counts = np.bincount(graph.types[nodes], minlength=len(graph.type_names))
        order = [code for code in np.argsort(-counts, kind="stable").tolist() if counts[code]]
        rules.append(
            {
                "rule": rule,
                "removed": len(nodes),
                "bypassed": int(removed.bypassed[nodes].sum()),
                "nodes": [_removed(whole, node) for node in nodes[part].tolist()],
                "types": [{"type": graph.type_names[code], "count": int(counts[code])} for code in order],
            }
        )
    paths, scopes = graph.scopes.paths, removed.shown.scopes
    lifted = removed.lifted.tolist()
    return {
        "total": int((removed.rules >= 0).sum()),
        "rules": rules,
        "lifted_total": len(lifted),
        "lifted": [
            {"id": graph.path(node), "from": paths[graph.scope[node]], "to": paths[scopes[node]]}
            for node in lifted[part]
        ],
    }


def _removed(whole: View, node: int) -> dict[str, Any]:
    place = ~whole.positions_of(node)[0]
    graph = whole.graph
    return {
        "id": whole.tree.id(place),
        "name": graph.names[node],
        "type": graph.type_names[graph.types[node]],
        "path": [whole.tree.ids[branch] for branch in whole.tree.around(place)],
    }
