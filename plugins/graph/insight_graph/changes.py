"""What changed of nodes that two graphs have: types, outputs, devices, attributes and inputs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from insight_graph.columns import Graph, Indices
from insight_graph.described import shortest_paths
from insight_graph.literals import DEEPEST, Literals, TakenOutput
from insight_graph.names import mixed
from insight_graph.torch_arguments import DEFAULTS, argument

MOST_DETAILED = 100_000  # nodes whose attributes are compared
_MAX_TEXT = 200  # letters of a value
_MAX_INPUTS = 8  # that are listed


@frozen
class Change:
    """``what`` is ``type``, ``output``, ``device``, ``attribute``, ``value``, ``constant`` (one that the node
    takes) or ``inputs``. ``name`` is that of an attribute or argument, or the number of an input."""

    what: str
    name: str
    before: str
    after: str


@define(eq=False)
class NodeChanges:
    """By node of ``before``. ``pairs`` has for each of its nodes that of ``after``, or -1."""

    before: Graph
    after: Graph
    pairs: Indices
    partners: Indices  # the same for nodes of ``after``
    found: dict[int, list[Change]] = field(factory=dict)
    compared: int = 0  # nodes whose attributes were
    _was: Literals = field(init=False)
    _now: Literals = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._was, self._now = Literals(self.before), Literals(self.after)
        nodes = np.flatnonzero(self.pairs >= 0)
        self._columns(nodes, self.pairs[nodes])
        detailed = nodes[:MOST_DETAILED].tolist()
        self.compared = len(detailed)
        for node in detailed:
            self._note(node, _of_details(self.before, node, self.after, int(self.pairs[node])))
        rewired = set(np.flatnonzero(_rewired(self.before, self.after, self.pairs)).tolist())
        for node in sorted(rewired | self._takers(rewired | self.found.keys())):
            self._note(node, self._of_inputs(node, int(self.pairs[node])))
        for node in [one for one in self.found if self.is_told_by_takers(one, is_after=False)]:
            del self.found[node]

    def is_told_by_takers(self, node: int, *, is_after: bool, depth: int = 0) -> bool:
        """Whether the node is a constant, or a list of constants, that only nodes in both graphs take.

        Whatever differs is a change of these nodes.
        """
        literals, paired = (self._now, self.partners) if is_after else (self._was, self.pairs)
        if depth > DEEPEST or not literals.may_be(node):
            return False
        takers = literals.takers(node)
        return (
            bool(takers)
            and all(
                self.is_told_by_takers(one, is_after=is_after, depth=depth + 1)
                if literals.may_be(one)
                else paired[one] >= 0
                for one in takers
            )
            and literals.text(node) is not None
        )

    def _note(self, node: int, changes: Iterable[Change]) -> None:
        if listed := list(changes):
            self.found.setdefault(node, []).extend(listed)

    def _columns(self, nodes: NDArray[np.intp], others: Indices) -> None:
        before, after = self.before, self.after
        columns = {
            "type": (_types(before, nodes), _types(after, others)),
            "output": (_outputs(before, nodes), _outputs(after, others)),
            "device": (_devices(before, nodes), _devices(after, others)),
        }
        for what, (was, now) in columns.items():
            for node, one, other in zip(nodes.tolist(), was, now, strict=True):
                if one != other:
                    self._note(node, [Change(what, "", one, other)])

    def _takers(self, changed: Iterable[int]) -> set[int]:
        """Nodes that take a constant with another value than before, maybe in a list."""
        left = [node for node in changed if self._was.may_be(node)]
        found: set[int] = set()
        for _ in range(DEEPEST):
            takers = {taker for node in left for taker in self._was.takers(node) if self.pairs[taker] >= 0}
            found |= takers
            left = [node for node in takers if self._was.may_be(node)]
        return found

    def _of_inputs(self, node: int, other: int) -> Iterator[Change]:
        was, now = self._was.inputs(node), self._now.inputs(other)
        other_inputs = len(was) != len(now)
        for one, two in zip(was, now, strict=False):
            if (one.slot, one.is_control) != (two.slot, two.is_control):
                other_inputs = True
                continue
            text, other_text = self._was.text(one.source), self._now.text(two.source)
            if text is None or other_text is None or one.is_control:
                other_inputs |= self.pairs[one.source] != two.source or one.output != two.output
            elif text != other_text:
                name = argument(self.after.type_names[self.after.types[other]], two.slot)
                yield Change("constant", name, text[:_MAX_TEXT], other_text[:_MAX_TEXT])
        if other_inputs:
            yield Change("inputs", "", *self._listed(was[:_MAX_INPUTS], now[:_MAX_INPUTS]))

    def _listed(self, was: list[TakenOutput], now: list[TakenOutput]) -> tuple[str, str]:
        """Inputs before and after: values of constants, else names, told apart by their paths."""
        sources = [(self._was, one.source) for one in was] + [(self._now, one.source) for one in now]
        names = shortest_paths([_path(literals.graph, node) for literals, node in sources])
        texts = [
            literals.text(node) or _named(literals.graph, node, name)
            for (literals, node), name in zip(sources, names, strict=True)
        ]
        return ", ".join(texts[: len(was)])[:_MAX_TEXT], ", ".join(texts[len(was) :])[:_MAX_TEXT]


def _types(graph: Graph, nodes: NDArray[Any]) -> list[str]:
    return [graph.type_names[code] for code in graph.types[nodes].tolist()]


def _devices(graph: Graph, nodes: NDArray[Any]) -> list[str]:
    return [graph.device_names[code] for code in graph.devices[nodes].tolist()]


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
    stated = sorted((old.keys() | new.keys()) - {"_output_shapes", "value"})
    # a .pt2 file leaves out arguments that equal their defaults, unless it states a later one
    old = DEFAULTS.get(before.type_names[before.types[node]], {}) | old
    new = DEFAULTS.get(after.type_names[after.types[other]], {}) | new
    for name in stated:
        if old.get(name) != new.get(name):
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


def _path(graph: Graph, node: int) -> str:
    return graph.path(node) if graph.placed[node] else graph.names[node]


def _named(graph: Graph, node: int, name: str) -> str:
    """PyTorch names operators by numbers, which tell nothing."""
    return f"{graph.type_names[graph.types[node]]} {name}" if name.isdigit() else name
