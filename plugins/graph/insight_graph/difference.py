"""What differs between two graphs: nodes that were added or removed, and what changed of those in both."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from insight_graph.changes import Change, NodeChanges
from insight_graph.columns import Graph, Indices
from insight_graph.described import kind_of_node
from insight_graph.matching import matched, weights_of_modules
from insight_graph.model import GraphModel
from insight_graph.stored import summed
from insight_graph.view import GraphView

MOST_NODES = 300_000  # of a graph that is compared
MAX_SCOPES = 200
KINDS = ("added", "removed", "changed", "moved")


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
        partners = np.full(len(after.graph), -1, np.int32)
        partners[pairs[pairs >= 0]] = np.flatnonzero(pairs >= 0)
        changes = NodeChanges(before.graph, after.graph, pairs, partners)
        moved = _moved(before.graph, after.graph, pairs)
        entries: list[DifferingNode] = []
        for node in np.argsort(after.graph.order, kind="stable").tolist():
            other = int(partners[node])
            if other < 0:
                if not changes.is_told_by_takers(node, is_after=True):
                    entries.append(DifferingNode("added", -1, node))
            elif other in changes.found:
                entries.append(DifferingNode("changed", other, node, tuple(changes.found[other])))
            elif moved[other]:
                entries.append(DifferingNode("moved", other, node))
        gone = np.flatnonzero(pairs < 0)
        gone = gone[np.argsort(before.graph.order[gone], kind="stable")]
        told = (node for node in gone.tolist() if not changes.is_told_by_takers(node, is_after=False))
        entries += [DifferingNode("removed", node, -1) for node in told]
        differing = sum(entry.kind in ("changed", "moved") for entry in entries)
        return cls(before, after, entries, int((pairs >= 0).sum()) - differing, changes.compared)

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


def _moved(before: Graph, after: Graph, pairs: Indices) -> NDArray[np.bool_]:
    """bool[nodes of ``before``]: those in a scope, or weights of a module, of another path."""
    found = np.zeros(len(before), bool)
    nodes = np.flatnonzero((pairs >= 0) & before.placed)
    here = [before.scopes.paths[scope] for scope in before.scope[nodes].tolist()]
    there = [after.scopes.paths[scope] for scope in after.scope[pairs[nodes]].tolist()]
    found[nodes] = [one != two for one, two in zip(here, there, strict=True)]
    modules = weights_of_modules(after)
    for node, module in weights_of_modules(before).items():
        found[node] = modules.get(int(pairs[node]), module) != module
    return found
