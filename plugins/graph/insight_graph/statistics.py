"""Statistics of a graph, and of the nodes hidden by the readability pass."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from insight_graph.columns import Graph, Kind
from insight_graph.described import folded_name, ids_around, notice, output_type, time_by
from insight_graph.details import types_in
from insight_graph.model import Times
from insight_graph.readable import RULES, Removed
from insight_graph.stored import ROLES, Role, Stored, summed
from insight_graph.view import GraphView

MAX_PARAMETERS = 50
MAX_KINDS = 1000  # types, devices, types of outputs
MAX_NODES = 200  # of each rule, in one answer
_PARAMETERS = (Role.TRAINABLE, Role.OTHER, Role.BUFFER, Role.PARAMETER, Role.UNKNOWN)


def statistics_of(view: GraphView, times: Times | None, tensors: Sequence[Stored]) -> dict[str, Any]:
    """Counts, types, stored tensors and devices of a graph, as a JSON object."""
    tree, graph, edges = view.tree, view.graph, view.edges
    shown = view.shown_nodes
    kinds = np.bincount(graph.kinds[shown], minlength=len(Kind))
    controls = int(edges.controls.sum())
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
        "stored": summed(tensors),
        "largest_parameters": _largest(view, tensors),
        "devices": _devices(view, times),
        "dtypes": _dtypes(view),
        "notices": [notice(one) for one in graph.notices],
    }


def _largest(view: GraphView, tensors: Sequence[Stored]) -> list[dict[str, Any]]:
    """The largest parameters of known size that are shown."""
    known = [(one.values or 0, one) for one in tensors if one.role in _PARAMETERS and one.values is not None]
    known.sort(key=lambda one: -one[0])
    shown = ((values, one, view.place_of_node(one.node)) for values, one in known)
    found = ((values, one, place) for values, one, place in shown if place is not None)
    return [
        {
            "id": view.tree.id(place),
            "name": view.tree.label(place)
            if view.positions_of(one.node)
            else folded_name(view.graph, one.node),
            "role": ROLES[one.role],
            **output_type(one.type),
            "values": values,
            "bytes": one.nbytes or 0,
        }
        for values, one, place in itertools.islice(found, MAX_PARAMETERS)
    ]


def _depth(view: GraphView) -> int:
    """How many scopes are one in another."""
    tree = view.tree
    is_scope = tree.stacks < 0
    depths = np.zeros(len(tree), np.int64)
    above = np.arange(len(tree))
    while (above > 0).any():
        depths += is_scope[above] & (above > 0)
        above = np.where(above > 0, tree.parents[above], 0)
    return int(depths.max())


def _devices(view: GraphView, times: Times | None) -> list[dict[str, Any]]:
    graph = view.graph
    operators = view.tree.nodes[graph.kinds[view.tree.nodes] == Kind.OPERATOR]
    codes = graph.devices[operators].astype(np.intp)
    names = graph.device_names
    counts = np.bincount(codes, minlength=len(names))
    spent = time_by(codes, operators, times, len(names))
    order = [code for code in np.argsort(-counts, kind="stable")[:MAX_KINDS].tolist() if counts[code]]
    return [{"device": names[code], "count": int(counts[code]), "time": spent[code]} for code in order]


def _dtypes(view: GraphView) -> list[dict[str, Any]]:
    """Of all outputs."""
    signatures = view.graph.signatures[view.shown_nodes]
    counts = np.bincount(signatures, minlength=len(view.graph.output_types))
    found: dict[str, int] = {}
    for types, count in zip(view.graph.output_types, counts.tolist(), strict=True):
        for one in types:
            found[one.dtype] = found.get(one.dtype, 0) + count
    order = sorted(((name, count) for name, count in found.items() if count), key=lambda one: -one[1])
    return [{"dtype": name, "count": count} for name, count in order[:MAX_KINDS]]


def removed_of(graph: Graph, whole: GraphView, removed: Removed, offset: int = 0) -> dict[str, Any]:
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
    path, scopes = graph.scopes.path, removed.shown.scopes
    lifted = removed.lifted.tolist()
    return {
        "total": int((removed.rules >= 0).sum()),
        "rules": rules,
        "lifted_total": len(lifted),
        "lifted": [
            {"id": graph.path(node), "from": path(int(graph.scope[node])), "to": path(int(scopes[node]))}
            for node in lifted[part]
        ],
    }


def _removed(whole: GraphView, node: int) -> dict[str, Any]:
    place = ~whole.positions_of(node)[0]
    graph = whole.graph
    return {
        "id": whole.tree.id(place),
        "name": graph.names[node],
        "type": graph.type_names[graph.types[node]],
        "path": ids_around(whole, place),
    }
