"""The content of one open scope or stack: children, edges between them, and edges to the outside."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_graph.columns import Indices
from insight_graph.described import (
    bounds_of,
    ids_around,
    kind_of,
    named,
    nodes_of,
    path_of,
    shortest_paths,
    type_of,
)
from insight_graph.model import Times
from insight_graph.view import GraphView

MAX_EDGES = 4000
MAX_PROXIES = 300
MANY_NEIGHBOURS = 30  # of a node in one scope: it is drawn aside


@frozen(eq=False)
class _Crossing:
    """Edges within a branch or across its border, by the places in the answer where they begin and end."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    controls: NDArray[np.bool_]
    flows: NDArray[np.int32]


def opened(view: GraphView, branch: int, times: Times | None) -> dict[str, Any]:
    """What ``/scope`` answers, but for what it says of the graph."""
    tree = view.tree
    places = tree.children(branch)
    crossing, outside = _crossing(view, branch, places)
    inputs = np.bincount(crossing.ends, minlength=len(places) + len(outside))
    outputs = np.bincount(crossing.starts, minlength=len(places) + len(outside))

    proxies_kept = np.argsort(-(inputs + outputs)[len(places) :], kind="stable")[:MAX_PROXIES]
    kept = np.ones(len(places) + len(outside), bool)
    kept[len(places) :] = False
    kept[len(places) + proxies_kept] = True
    visible = kept[crossing.starts] & kept[crossing.ends]
    width = len(kept)
    keys = (crossing.starts * width + crossing.ends) * 2 + crossing.controls
    groups, inverse, counts = np.unique(keys[visible], return_inverse=True, return_counts=True)
    flows = crossing.flows[visible]
    lowest = np.full(len(groups), np.iinfo(np.int32).max, np.int32)
    highest = np.full(len(groups), -1, np.int32)
    np.minimum.at(lowest, inverse, flows)
    np.maximum.at(highest, inverse, flows)

    ids = [tree.id(place) for place in places.tolist()]
    ids += [f"proxy:{tree.id(place)}" for place in outside.tolist()]
    shown = np.argsort(-counts, kind="stable")[:MAX_EDGES]
    shown.sort()
    ends, controls = np.divmod(groups, 2)
    starts, ends = np.divmod(ends, max(1, width))
    edges = [
        {
            "from": ids[starts[row]],
            "to": ids[ends[row]],
            "kind": "control" if controls[row] else "data",
            "count": int(counts[row]),
            "label": view.flow_types[lowest[row]] if lowest[row] == highest[row] else "",
        }
        for row in shown.tolist()
    ]
    beyond = np.sort(proxies_kept).tolist()
    names = shortest_paths([tree.id(int(outside[row])) for row in beyond])
    neighbours = np.bincount(starts, minlength=width) + np.bincount(ends, minlength=width)
    crowded = neighbours[: len(places)] >= MANY_NEIGHBOURS
    return {
        **named(view, branch),
        "type": type_of(view, branch),
        "path": path_of(view, branch) + ([named(view, branch)] if branch else []),
        "nodes": nodes_of(view, places, inputs, outputs, times, crowded),
        "edges": edges,
        "proxies": [
            _proxy(view, int(outside[row]), ids[len(places) + row], name)
            for row, name in zip(beyond, names, strict=True)
        ],
        "omitted": {
            "edges": int(len(crossing.starts) - counts[shown].sum()),
            "proxies": len(outside) - len(proxies_kept),
        },
    }


def _proxy(view: GraphView, place: int, id_: str, name: str) -> dict[str, Any]:
    return {
        "id": id_,
        "name": name,
        "type": type_of(view, place),
        "kind": "proxy",
        "of": view.tree.id(place),
        "stands_for": kind_of(view, place),
        "path": ids_around(view, place),
    }


def _crossing(view: GraphView, branch: int, places: Indices) -> tuple[_Crossing, Indices]:
    """Places are numbered, then those outside, which are given too. Edges within one place are left out."""
    edges = view.edges
    low, high = view.tree.bounds(branch)
    lows, highs = bounds_of(view, places)
    owners = np.repeat(np.arange(len(places)), highs - lows)

    leaving = np.arange(len(edges))[view.edges_from(low, high)]
    targets = edges.targets[leaving]
    is_inside = (targets >= low) & (targets < high)
    inside, leaving = leaving[is_inside], leaving[~is_inside]
    starts, ends = owners[edges.sources[inside] - low], owners[edges.targets[inside] - low]
    between = starts != ends
    inside, starts, ends = inside[between], starts[between], ends[between]
    coming = view.edges_to(low, high)
    sources = edges.sources[coming]
    coming = coming[(sources < low) | (sources >= high)]

    beyond = np.concatenate((edges.targets[leaving], edges.sources[coming]))
    outside, numbers = np.unique(_outermost(view, branch, beyond), return_inverse=True)
    numbers = numbers + len(places)
    rows = np.concatenate((inside, leaving, coming))
    crossing = _Crossing(
        np.concatenate((starts, owners[edges.sources[leaving] - low], numbers[len(leaving) :])),
        np.concatenate((ends, numbers[: len(leaving)], owners[edges.targets[coming] - low])),
        edges.controls[rows],
        view.flows[rows],
    )
    return crossing, outside.astype(np.int32)


def _outermost(view: GraphView, branch: int, positions: Indices) -> Indices:
    """Of positions outside a branch: the outermost place with each that does not contain the branch."""
    tree = view.tree
    found = np.zeros(len(positions), np.int32)
    left = np.arange(len(positions))
    path = [0, *tree.around(branch), branch]
    for above, below in itertools.pairwise(path):
        low, high = tree.bounds(below)
        at = positions[left]
        outside = (at < low) | (at >= high)
        places = tree.children(above)
        lows, _ = bounds_of(view, places)
        found[left[outside]] = places[np.searchsorted(lows, at[outside], "right") - 1]
        left = left[~outside]
    return found
