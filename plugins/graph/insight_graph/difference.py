"""What differs between two graphs: nodes that were added or removed, and what changed of those in both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from insight_graph.columns import Graph, Indices
from insight_graph.described import kind_of_node
from insight_graph.matching import matched
from insight_graph.model import GraphModel
from insight_graph.names import mixed
from insight_graph.stored import summed
from insight_graph.view import GraphView

MOST_NODES = 300_000  # of a graph that is compared
MOST_DETAILED = 100_000  # nodes whose attributes are compared
MAX_SCOPES = 200
_MAX_TEXT = 200  # letters of a value
KINDS = ("added", "removed", "changed", "moved")


@frozen
class Change:
    """``what`` is ``type``, ``output``, ``device``, ``attribute``, ``value`` or ``inputs``."""

    what: str
    name: str
    before: str
    after: str


@frozen(eq=False)
class DifferingNode:
    """One node that differs: its number before and after, -1 where it is not there."""

    kind: str
    before: int
    after: int
    changes: tuple[Change, ...] = ()


@frozen(eq=False)
class Difference:
    """``before`` and ``after`` are whole graphs; ``entries`` are in the order of what is computed."""

    before: GraphModel
    after: GraphModel
    entries: list[DifferingNode]
    same: int
    attributes_compared: int
    _counts: Counter[str] = field(init=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "_counts", Counter(entry.kind for entry in self.entries))

    @classmethod
    def of(cls, before: GraphModel, after: GraphModel) -> Difference:
        """Compares two graphs of at most MOST_NODES nodes each."""
        pairs = matched(before.graph, after.graph)
        changes, compared = _changes(before.graph, after.graph, pairs)
        moved = _moved(before.graph, after.graph, pairs)
        partner = np.full(len(after.graph), -1, np.int32)
        partner[pairs[pairs >= 0]] = np.flatnonzero(pairs >= 0)
        entries: list[DifferingNode] = []
        for node in np.argsort(after.graph.order, kind="stable").tolist():
            other = int(partner[node])
            if other < 0:
                entries.append(DifferingNode("added", -1, node))
            elif other in changes:
                entries.append(DifferingNode("changed", other, node, tuple(changes[other])))
            elif moved[other]:
                entries.append(DifferingNode("moved", other, node))
        gone = np.flatnonzero(pairs < 0)
        gone = gone[np.argsort(before.graph.order[gone], kind="stable")]
        entries += [DifferingNode("removed", node, -1) for node in gone.tolist()]
        differing = sum(entry.kind != "removed" for entry in entries)
        return cls(before, after, entries, len(after.graph) - differing, compared)

    def answer(self, kinds: frozenset[str], what: str, offset: int, limit: int) -> dict[str, Any]:
        """What ``/diff`` answers: entries of these kinds, of changes those of ``what`` ("" of any)."""
        views = self.before.view(False), self.after.view(False)
        chosen = [
            entry
            for entry in self.entries
            if entry.kind in kinds and (not what or any(one.what == what for one in entry.changes))
        ]
        whats = Counter(what for entry in self.entries for what in {one.what for one in entry.changes})
        return {
            "counts": {**{kind: self._counts[kind] for kind in KINDS}, "same": self.same},
            "changes": dict(whats.most_common()),
            "nodes": {"before": len(self.before.graph), "after": len(self.after.graph)},
            "stored": {"before": summed(self.before.tensors()), "after": summed(self.after.tensors())},
            "attributes_compared": self.attributes_compared,
            "scopes": self._scopes(),
            "total": len(chosen),
            "offset": offset,
            "entries": [self._described(entry, *views) for entry in chosen[offset : offset + limit]],
        }

    def _scopes(self) -> list[dict[str, Any]]:
        """How many nodes differ in each scope, those with most first."""
        found: dict[str, Counter[str]] = {}
        for entry in self.entries:
            graph, node = (
                (self.after.graph, entry.after) if entry.after >= 0 else (self.before.graph, entry.before)
            )
            if graph.placed[node]:
                found.setdefault(graph.scopes.path(int(graph.scope[node])), Counter())[entry.kind] += 1
        ranked = sorted(found.items(), key=lambda one: (-one[1].total(), one[0]))[:MAX_SCOPES]
        return [{"scope": scope, **{kind: counts[kind] for kind in KINDS}} for scope, counts in ranked]

    def _described(self, entry: DifferingNode, before: GraphView, after: GraphView) -> dict[str, Any]:
        view, node = (after, entry.after) if entry.after >= 0 else (before, entry.before)
        graph = view.graph
        return {
            "kind": entry.kind,
            "id": _id(after, entry.after),
            "other_id": _id(before, entry.before),
            "name": graph.names[node],
            "type": graph.type_names[graph.types[node]],
            "node": kind_of_node(graph, node),
            "changes": [
                {"what": one.what, "name": one.name, "before": one.before, "after": one.after}
                for one in entry.changes
            ],
        }


def _id(view: GraphView, node: int) -> str | None:
    place = view.place_of_node(node) if node >= 0 else None
    return None if place is None else view.tree.id(place)


def _changes(before: Graph, after: Graph, pairs: Indices) -> tuple[dict[int, list[Change]], int]:
    """Changes by node of ``before``, and of how many nodes attributes were compared."""
    nodes = np.flatnonzero(pairs >= 0)
    others = pairs[nodes]
    found: dict[int, list[Change]] = {}

    def note(node: int, *changes: Change) -> None:
        found.setdefault(node, []).extend(changes)

    for what, one, two in (
        (
            "type",
            [before.type_names[code] for code in before.types[nodes]],
            [after.type_names[code] for code in after.types[others]],
        ),
        ("output", _outputs(before, nodes), _outputs(after, others)),
        (
            "device",
            [before.device_names[code] for code in before.devices[nodes]],
            [after.device_names[code] for code in after.devices[others]],
        ),
    ):
        for node, was, now in zip(nodes.tolist(), one, two, strict=True):
            if was != now:
                note(node, Change(what, "", was, now))
    compared = list(zip(nodes.tolist(), others.tolist(), strict=True))[:MOST_DETAILED]
    for node, other in compared:
        if changes := list(_of_details(before, node, after, other)):
            note(node, *changes)
    for node in nodes[_rewired(before, after, pairs)[nodes]].tolist():
        note(node, Change("inputs", "", _inputs(before, node), _inputs(after, int(pairs[node]))))
    return found, len(compared)


def _outputs(graph: Graph, nodes: NDArray[Any]) -> list[str]:
    texts = [", ".join(map(str, outputs)) for outputs in graph.output_types]
    return [texts[code] for code in graph.signatures[nodes].tolist()]


def _of_details(before: Graph, node: int, after: Graph, other: int) -> Iterator[Change]:
    was, now = before.details(node), after.details(other)
    if was.value != now.value:
        yield Change("value", "", was.value[:_MAX_TEXT], now.value[:_MAX_TEXT])
    old = {one.name: one.value for one in was.attributes}
    new = {one.name: one.value for one in now.attributes}
    if old == new:
        return
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) != new.get(name) and name not in ("_output_shapes", "value"):
            yield Change("attribute", name, old.get(name, "")[:_MAX_TEXT], new.get(name, "")[:_MAX_TEXT])


def _rewired(before: Graph, after: Graph, pairs: Indices) -> NDArray[np.bool_]:
    """bool[nodes of ``before``]: those whose inputs are not the pairs of the inputs of their pair."""
    # what has no pair gets a number that no node of the other graph has
    partners = np.where(pairs >= 0, pairs.astype(np.int64), np.arange(len(pairs)) + len(after))
    of_before = _input_sums(before, partners[before.edges.sources])
    of_after = _input_sums(after, after.edges.sources.astype(np.int64))
    found = np.zeros(len(before), bool)
    nodes = np.flatnonzero(pairs >= 0)
    found[nodes] = of_before[nodes] != of_after[pairs[nodes]]
    return found


def _input_sums(graph: Graph, sources: NDArray[np.int64]) -> NDArray[np.uint64]:
    edges = graph.edges
    labels = (edges.slots.astype(np.int64) << 32) ^ (edges.outputs << 1) ^ edges.controls
    sums = np.zeros(len(graph), np.uint64)
    np.add.at(sums, edges.targets, mixed(mixed(sources.astype(np.uint64)) ^ labels.astype(np.uint64)))
    return sums


def _inputs(graph: Graph, node: int) -> str:
    rows = np.flatnonzero(graph.edges.targets == node)
    rows = rows[np.argsort(graph.edges.slots[rows], kind="stable")][:8]
    text = ", ".join(graph.names[source] for source in graph.edges.sources[rows].tolist())
    return text[:_MAX_TEXT]


def _moved(before: Graph, after: Graph, pairs: Indices) -> NDArray[np.bool_]:
    """bool[nodes of ``before``]: those that are in a scope of another path."""
    found = np.zeros(len(before), bool)
    nodes = np.flatnonzero((pairs >= 0) & before.placed)
    here = [before.scopes.paths[scope] for scope in before.scope[nodes].tolist()]
    there = [after.scopes.paths[scope] for scope in after.scope[pairs[nodes]].tolist()]
    found[nodes] = [one != two for one, two in zip(here, there, strict=True)]
    return found
