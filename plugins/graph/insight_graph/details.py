"""The answer of ``/node``: all details of one node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_graph.columns import Indices, NodeDetails
from insight_graph.described import (
    folded_name,
    kind_of,
    kind_of_node,
    nodes_of,
    path_of,
    shortest_paths,
    time_by,
    type_of,
)
from insight_graph.mindspore_values import MAX_TEXT
from insight_graph.model import Times
from insight_graph.stored import Stored, summed
from insight_graph.tensors import tensors_in
from insight_graph.view import GraphView

MAX_EDGES = 1000
MAX_TYPES = 100
MAX_FOLDED = 100
MAX_ROWS = 1000  # copies, attributes, runs of one node


def details_of(view: GraphView, place: int, times: Times | None, tensors: Sequence[Stored]) -> dict[str, Any]:
    """``tensors`` are those of the whole graph."""
    edges = view.edges
    low, high = view.tree.bounds(place)
    coming = view.edges_to(low, high)
    coming = coming[(edges.sources[coming] < low) | (edges.sources[coming] >= high)]
    leaving = np.arange(len(edges))[view.edges_from(low, high)]
    leaving = leaving[(edges.targets[leaving] < low) | (edges.targets[leaving] >= high)]
    counts = np.array([len(coming)]), np.array([len(leaving)])
    [node] = nodes_of(view, np.array([place], np.int32), *counts, times, np.zeros(1, bool))
    stored = summed(tensors_in(view, tensors, place))
    found: dict[str, Any] = {**node, "path": path_of(view, place), "stored": stored}
    if place < 0:
        return found | _of_leaf(view, place, coming, leaving, times)
    return found | _of_branch(view, place, coming, leaving, times)


def _of_leaf(
    view: GraphView, place: int, coming: NDArray[Any], leaving: NDArray[Any], times: Times | None
) -> dict[str, Any]:
    graph, edges = view.graph, view.edges
    number = int(view.tree.nodes[~place])
    about = graph.details(number)
    coming = coming[np.argsort(edges.slots[coming], kind="stable")]
    inputs = _told_apart([_edge(view, row, int(edges.sources[row])) for row in coming[:MAX_EDGES].tolist()])
    missing = graph.missing.get(number, [])
    inputs += [_missing(slot, name) for slot, name in missing[: MAX_EDGES - len(inputs)]]
    inputs.sort(key=lambda one: int(one["slot"]))
    leaving = leaving[np.argsort(edges.outputs[leaving], kind="stable")]
    calls = about.calls if about.calls and view.tree.find(about.calls) is not None else None
    positions = [] if graph.placed[number] else view.positions_of(number)
    return {
        **_written(about),
        "input_edges": inputs,
        "output_edges": _told_apart(
            [_edge(view, row, int(edges.targets[row])) for row in leaving[:MAX_EDGES].tolist()]
        ),
        "folded": _folded(view, number),
        "inputs_total": len(coming) + len(missing),
        "outputs_total": len(leaving),
        "types": [],
        "copies": [view.tree.id(~position) for position in positions[:MAX_ROWS]],
        "calls": calls,
        "times": [
            {"device": device, "start": start, "time": time}
            for device, start, time in (times.rows.get(number, [])[:MAX_ROWS] if times else [])
        ],
    }


def _written(about: NodeDetails) -> dict[str, Any]:
    return {
        "full_name": about.full_name,
        "scope": about.scope,
        "source": about.source,
        "value": about.value[:MAX_TEXT],
        "attributes": [
            {
                "name": one.name,
                "type": one.type,
                "value": one.value[:MAX_TEXT],
                "size": one.size,
                "cut": len(one.value) > MAX_TEXT,
            }
            for one in about.attributes[:MAX_ROWS]
        ],
    }


def _of_branch(
    view: GraphView, place: int, coming: NDArray[Any], leaving: NDArray[Any], times: Times | None
) -> dict[str, Any]:
    edges = view.edges
    inputs, inputs_total = _neighbours(view, coming, edges.sources)
    outputs, outputs_total = _neighbours(view, leaving, edges.targets)
    low, high = view.tree.bounds(place)
    return {
        **_written(NodeDetails(full_name=view.tree.id(place))),
        "input_edges": inputs,
        "output_edges": outputs,
        "inputs_total": inputs_total,
        "outputs_total": outputs_total,
        "folded": [],
        "types": types_in(view, view.tree.nodes[low:high], times, MAX_TYPES),
        "copies": [],
        "calls": None,
        "times": [],
    }


def types_in(view: GraphView, nodes: Indices, times: Times | None, most: int) -> list[dict[str, Any]]:
    """Types of these nodes, the ``most`` frequent first."""
    types = view.graph.types[nodes]
    count = len(view.graph.type_names)
    counts = np.bincount(types, minlength=count)
    spent = time_by(types.astype(np.intp), nodes, times, count)
    order = [code for code in np.argsort(-counts, kind="stable")[:most].tolist() if counts[code]]
    return [{"type": view.graph.type_names[c], "count": int(counts[c]), "time": spent[c]} for c in order]


def _neighbours(view: GraphView, rows: NDArray[Any], ends: NDArray[Any]) -> tuple[list[dict[str, Any]], int]:
    """Nodes outside, those with the most edges first."""
    keys = ends[rows].astype(np.int64) * 2 + view.edges.controls[rows]
    found, first, counts = np.unique(keys, return_index=True, return_counts=True)
    shown = np.argsort(-counts, kind="stable")[:MAX_EDGES]
    listed = [
        _edge(view, int(rows[first[row]]), int(found[row]) // 2) | {"slot": None, "count": int(counts[row])}
        for row in shown.tolist()
    ]
    return _told_apart(listed), len(found)


def _told_apart(links: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Names each node of a list by the end of its path that tells it from the others."""
    for link, path in zip(links, shortest_paths([link["id"] for link in links]), strict=True):
        link["path"] = path
    return links


def _folded(view: GraphView, number: int) -> list[dict[str, Any]]:
    """Weights and constants that the readability pass lists here instead of drawing them."""
    graph, folded = view.graph, view.folded
    rows = np.flatnonzero(folded.targets == number)
    rows = rows[np.argsort(folded.slots[rows], kind="stable")][:MAX_FOLDED]
    found = []
    for row in rows.tolist():
        node = int(folded.sources[row])
        types = graph.output_types[graph.signatures[node]]
        output = int(folded.outputs[row])
        given = types[output] if 0 <= output < len(types) else None
        about = graph.details(node)
        found.append(
            {
                "name": folded_name(graph, node),
                "type": graph.type_names[graph.types[node]],
                "kind": kind_of_node(graph, node),
                "slot": int(folded.slots[row]),
                "dtype": given.dtype if given else "",
                "shape": given.shape if given else None,
                "value": about.value[:MAX_TEXT],
            }
        )
    return found


def _edge(view: GraphView, row: int, other: int) -> dict[str, Any]:
    graph, edges = view.graph, view.edges
    types = graph.output_types[graph.signatures[view.tree.nodes[edges.sources[row]]]]
    output = int(edges.outputs[row])
    flowing = types[output] if 0 <= output < len(types) and not edges.controls[row] else None
    return {
        "id": view.tree.id(~other),
        "name": view.tree.label(~other),
        "type": type_of(view, ~other),
        "kind": kind_of(view, ~other),
        "edge": "control" if edges.controls[row] else "data",
        "slot": int(edges.slots[row]),
        "output": output,
        "dtype": flowing.dtype if flowing else "",
        "shape": flowing.shape if flowing else None,
        "count": 1,
        "missing": False,
    }


def _missing(slot: int, name: str) -> dict[str, Any]:
    edge = "control" if name.startswith("^") else "data"
    unknown = {"type": "", "kind": "operator", "edge": edge, "output": 0, "dtype": "", "shape": None}
    return {"id": None, "name": name, "path": name, "slot": slot, **unknown, "count": 1, "missing": True}
