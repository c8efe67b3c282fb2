"""JSON descriptions of graph elements (docs/http_api.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin import Reason
from insight_graph.columns import Graph, Indices, Kind, OutputType
from insight_graph.model import Times
from insight_graph.notices import GraphNotice
from insight_graph.stacks import structure_of_type, type_of_stack
from insight_graph.view import GraphView

MAX_OUTPUT_TYPES = 8
_KINDS: dict[Kind, str] = dict(zip(Kind, ("operator", "constant", "parameter"), strict=True))


def kind_of(view: GraphView, place: int) -> str:
    """The kind of a tree place: scope, stack, operator, constant or parameter."""
    if place >= 0:
        return "scope" if view.tree.stacks[place] < 0 else "stack"
    return kind_of_node(view.graph, int(view.tree.nodes[~place]))


def kind_of_node(graph: Graph, node: int) -> str:
    """The kind of a node: operator, constant or parameter."""
    return _KINDS[Kind(int(graph.kinds[node]))]


def type_of(view: GraphView, place: int) -> str:
    """The operator type of a node, or the common type of a stack; empty for a scope."""
    if place >= 0:
        return type_of_stack(view.graph, int(view.tree.stacks[place]))
    return view.graph.type_names[int(view.graph.types[view.tree.nodes[~place]])]


def named(view: GraphView, place: int) -> dict[str, Any]:
    """Id, name and kind of a place, as a JSON object."""
    return {"id": view.tree.id(place), "name": view.tree.label(place), "kind": kind_of(view, place)}


def path_of(view: GraphView, place: int) -> list[dict[str, Any]]:
    """What is around it, from the outermost below the root."""
    return [named(view, branch) for branch in view.tree.around(place)]


def ids_around(view: GraphView, place: int) -> list[str]:
    """Ids of the scopes and stacks that contain a place, from the outside in."""
    return list(map(view.tree.id, view.tree.around(place)))


def folded_name(graph: Graph, node: int) -> str:
    """The name of a weight or constant; PyTorch's traces name the scope of a weight after it."""
    if graph.type_names[graph.types[node]] == "prim::GetAttr" and graph.scope[node]:
        return str(graph.scopes.labels[graph.scope[node]])
    return graph.names[node]


def shortest_paths(ids: Sequence[str]) -> list[str]:
    """Of each path the end that tells it from all others: one name, or as many as it takes."""
    parts = {id_: id_.split("/") for id_ in dict.fromkeys(ids)}
    found: dict[str, str] = {}
    left, length = list(parts), 0
    while left:
        length += 1
        ends = {id_: "/".join(parts[id_][-length:]) for id_ in left}
        counts = Counter(ends.values())
        alone = {id_: end for id_, end in ends.items() if counts[end] == 1 or length >= len(parts[id_])}
        found |= alone
        left = [id_ for id_ in left if id_ not in alone]
    return [found[id_] for id_ in ids]


def output_type(one: OutputType) -> dict[str, Any]:
    """An output type as a JSON object."""
    return {"dtype": one.dtype, "shape": one.shape}


def notice(one: GraphNotice) -> dict[str, Any]:
    """A notice as a JSON object."""
    return {
        "code": one.code,
        "values": one.values,
        "text": one.text,
        "count": one.count,
        "examples": [Reason.of(example).fields() for example in one.examples],
    }


def nodes_of(
    view: GraphView,
    places: Indices,
    inputs: NDArray[np.int64],
    outputs: NDArray[np.int64],
    times: Times | None,
    aside: NDArray[np.bool_],
) -> list[dict[str, Any]]:
    """Places whose positions lie side by side, as nodes of an answer."""
    tree, graph = view.tree, view.graph
    inner = places >= 0
    lows, highs = bounds_of(view, places)
    kinds = view.kinds_in(lows, highs)
    nodes = tree.nodes[lows[0] : highs[-1]] if len(places) else tree.nodes[:0]
    owners = np.repeat(np.arange(len(places)), highs - lows)
    signatures = graph.signatures[nodes]
    devices, device_counts = _devices(view, owners, nodes, len(places))
    dynamic = np.bincount(owners[_dynamic(view)[signatures]], minlength=len(places)) > 0
    spent = time_by(owners, nodes, times, len(places))
    found = []
    for row, place in enumerate(places.tolist()):
        agreed = not inner[row] or (tree.stacks[place] >= 0 and _agree(view, place))
        types = graph.output_types[graph.signatures[tree.nodes[lows[row]]]] if agreed else ()
        type_name = type_of(view, place)
        structure = int(tree.structures[place]) if inner[row] else 0
        children = len(tree.children(place)) if inner[row] else 0
        found.append(
            {
                **named(view, place),
                "type": type_name,
                "children": children,
                "members": int(tree.members[place]) if inner[row] else 0,
                "operators": int(kinds[Kind.OPERATOR, row]),
                "constants": int(kinds[Kind.CONSTANT, row]),
                "parameters": int(kinds[Kind.PARAMETER, row]),
                "inputs": int(inputs[row]),
                "outputs": int(outputs[row]),
                "output_types": [output_type(one) for one in types[:MAX_OUTPUT_TYPES]],
                "device": graph.device_names[devices[row]],
                "devices": int(device_counts[row]),
                "time": spent[row],
                "dynamic": bool(dynamic[row]),
                "aside": bool(aside[row] or (inner[row] and not kinds[Kind.OPERATOR, row])),
                "structure": structure or (structure_of_type(type_name) if type_name else 0),
            }
        )
    return found


def bounds_of(view: GraphView, places: Indices) -> tuple[Indices, Indices]:
    """The positions of the leaves that are in each."""
    inner = places >= 0
    branches = np.where(inner, places, 0)
    lows = np.where(inner, view.tree.lows[branches], ~places)
    return lows, np.where(inner, view.tree.highs[branches], ~places + 1)


def time_by(groups: NDArray[np.intp], nodes: Indices, times: Times | None, count: int) -> list[float | None]:
    """Microseconds of each group of nodes; None where no node has any."""
    if times is None:
        return [None] * count
    micros = times.micros[nodes]
    known = ~np.isnan(micros)
    sums = np.bincount(groups[known], weights=micros[known], minlength=count)
    any_known = np.bincount(groups[known], minlength=count) > 0
    return [total if has else None for total, has in zip(sums.tolist(), any_known.tolist(), strict=True)]


def _agree(view: GraphView, branch: int) -> bool:
    """Whether all that is in a stack gives out the same."""
    low, high = view.tree.bounds(branch)
    nodes = view.tree.nodes[low:high]
    signatures = view.graph.signatures[nodes[view.graph.types[nodes] == view.tree.stacks[branch]]]
    return len(signatures) > 0 and bool((signatures == signatures[0]).all())


def _dynamic(view: GraphView) -> NDArray[np.bool_]:
    """Of each signature: whether a dimension of it is not known."""
    return np.array(
        [
            any(one.shape is not None and min(one.shape, default=0) < 0 for one in types)
            for types in view.graph.output_types
        ],
        bool,
    )


def _devices(
    view: GraphView, owners: NDArray[np.intp], nodes: Indices, count: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Of each: the code of the device with the most operators, and how many differ."""
    width = len(view.graph.device_names)
    if width == 1 or not count:
        return np.zeros(count, np.intp), np.zeros(count, np.intp)
    found, counts = np.unique(owners * width + view.graph.devices[nodes], return_counts=True)
    rows, codes = np.divmod(found, width)
    known = codes > 0  # code 0: not known
    rows, codes, counts = rows[known], codes[known], counts[known]
    order = np.lexsort((counts, rows))
    best = np.zeros(count, np.intp)
    best[rows[order]] = codes[order]  # of those with the same row the last stays, which has the most
    return best, np.bincount(rows, minlength=count)
