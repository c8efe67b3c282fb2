"""Removes nodes from a graph and connects their inputs to their consumers."""

from __future__ import annotations

import enum
from collections.abc import Mapping

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_graph.columns import Edges, Graph

MOST_TIES = 20_000  # that taking out one node may make; beyond, it stays
_MOST_PLACES = 20_000  # that are looked at for the sources of one edge
_MOST_NESTED = 100  # tuples in tuples: beyond, it goes round in a circle


class Passes(enum.IntEnum):
    """What comes out of a node that is taken out."""

    NOTHING = 0
    FIRST = 1  # its first input
    EACH = 2  # of each output the input of that number
    ALL = 3  # a tuple of its inputs
    ELEMENT = 4  # of its first input, a tuple, the element that its second input says
    ELEMENTS = 5  # of its first input, a tuple, of each output the element of that number


@frozen(eq=False)
class _Ways:
    """What leads through the nodes that are taken out, those of Passes.FIRST aside."""

    graph: Graph
    passes: NDArray[np.int8]
    inputs: Mapping[int, Mapping[int, tuple[int, int]]]  # by node and slot: the source and its output

    def sources(self, node: int, output: int) -> list[tuple[int, int]]:
        """Nodes that stay, and their outputs, that come out of a node that does not."""
        found: dict[tuple[int, int], None] = {}
        seen: set[tuple[int, int, tuple[int, ...]]] = set()
        waiting: list[tuple[int, int, tuple[int, ...]]] = [(node, output, ())]
        while waiting and len(seen) < _MOST_PLACES:
            place = waiting.pop()
            node, output, elements = place
            if place in seen or len(elements) > _MOST_NESTED:
                continue
            seen.add(place)
            how = int(self.passes[node])
            if how < 0:
                found[node, elements[0] if elements else output] = None
                continue
            inputs = self.inputs.get(node, {})
            slot = 0
            if how == Passes.NOTHING:
                continue
            if how == Passes.ALL and not elements:
                waiting += [(*one, ()) for one in reversed(list(inputs.values()))]
                continue
            if how == Passes.ALL:
                slot, elements = elements[0], elements[1:]
            elif how == Passes.EACH:
                slot = output
            elif how == Passes.ELEMENTS:
                elements = (output, *elements)
            elif how == Passes.ELEMENT:
                index = inputs.get(1)
                number = self.graph.whole_numbers.get(index[0]) if index else None
                if number is not None:
                    elements = (number, *elements)
            if slot in inputs:
                waiting.append((*inputs[slot], elements))
        return list(found)


def bypassed(graph: Graph, edges: Edges, passes: NDArray[np.int8]) -> Edges:
    """Edges without the nodes that are taken out: ``passes`` says how, and is -1 for those that stay."""
    out = passes >= 0
    edges = _past_first_inputs(edges, passes == Passes.FIRST)
    into = np.flatnonzero(out[edges.targets] & ~edges.controls)
    inputs: dict[int, dict[int, tuple[int, int]]] = {}
    for source, target, slot, output in zip(
        edges.sources[into].tolist(),
        edges.targets[into].tolist(),
        edges.slots[into].tolist(),
        edges.outputs[into].tolist(),
        strict=True,
    ):
        inputs.setdefault(target, {})[slot] = source, output
    ways = _Ways(graph, passes, inputs)
    known: dict[tuple[int, int], list[tuple[int, int]]] = {}
    rows = np.flatnonzero(out[edges.sources] & ~out[edges.targets])
    tied: list[int] = []
    made: list[tuple[int, int]] = []
    for row, source, output in zip(
        rows.tolist(), edges.sources[rows].tolist(), edges.outputs[rows].tolist(), strict=True
    ):
        sources = known.get((source, output))
        if sources is None:
            sources = known[source, output] = ways.sources(source, output)
        tied += [row] * len(sources)
        made += sources
    stay = np.flatnonzero(~out[edges.sources] & ~out[edges.targets])
    new = edges.take(np.array(tied, np.intp))
    columns = np.array(made, np.int32).reshape(-1, 2)
    old = edges.take(stay)
    return Edges(
        np.concatenate((old.sources, columns[:, 0])),
        np.concatenate((old.targets, new.targets)),
        np.concatenate((old.slots, new.slots)),
        np.concatenate((old.outputs, columns[:, 1])),
        np.concatenate((old.controls, new.controls)),
    )


def _past_first_inputs(edges: Edges, skipped: NDArray[np.bool_]) -> Edges:
    """Edges that begin where the first inputs of skipped nodes begin, in place of at those nodes."""
    firsts = np.flatnonzero(skipped[edges.targets] & (edges.slots == 0) & ~edges.controls)
    origins = np.full(len(skipped), -1)  # by node: the edge to begin like; -1: none
    origins[edges.targets[firsts]] = firsts
    waiting = np.flatnonzero(origins >= 0)
    for _ in range(len(firsts).bit_length()):  # each round doubles how far back edges reach
        waiting = waiting[skipped[edges.sources[origins[waiting]]]]
        origins[waiting] = origins[edges.sources[origins[waiting]]]
        waiting = waiting[origins[waiting] >= 0]
    origins[waiting[skipped[edges.sources[origins[waiting]]]]] = -1  # a circle has no beginning
    alike = np.where(skipped[edges.sources], origins[edges.sources], np.arange(len(edges)))
    found = alike >= 0
    return Edges(
        edges.sources[alike[found]],
        edges.targets[found],
        edges.slots[found],
        edges.outputs[alike[found]],
        edges.controls[found],
    )
