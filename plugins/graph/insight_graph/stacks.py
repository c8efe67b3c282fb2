"""Groups identical siblings into stacks, and long lists into ranges."""

from __future__ import annotations

import functools
import zlib
from os.path import commonprefix
from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_graph.columns import Edges, Graph, Indices, Kind
from insight_graph.names import mixed
from insight_graph.order import by_two_keys
from insight_graph.scopes import joined
from insight_graph.texts import NodeTexts
from insight_graph.tree import Tree, TreeBuilder

FEWEST = 5  # that are stacked
MIXED = 1 << 30  # the type of a stack whose members differ or are scopes
MOST_CHILDREN = 300  # more are shown in ranges
_RANGE = 100  # members of a range, or a power of it
_EXACT = (1 << 53) - 1  # the largest integer that a page holds exactly
_NO_DIGITS = str.maketrans("", "", "0123456789")


def stacked(builder: TreeBuilder, edges: Edges) -> Tree:
    """``edges`` lead from leaf to leaf."""
    builder.structures = _structures(builder)
    constants = builder.kinds == Kind.CONSTANT
    first = _stack_leaves(builder, ~constants)
    _follow_consumers(builder, constants, edges, first)
    _stack_leaves(builder, constants)
    _stack_scopes(builder)
    _split_into_ranges(builder)
    _name_apart(builder)
    return builder.tree()


def structure_of_type(name: str) -> int:
    """A number for operators of a type: the same at every start, never 0."""
    data = name.encode("utf-8", "surrogatepass")
    return (zlib.crc32(data) << 20 ^ zlib.adler32(data)) & _EXACT or 1


def _structures(builder: TreeBuilder) -> NDArray[np.int64]:
    """Of scopes: a number, equal for those that hold operators of the same types in the same scopes."""
    operators = builder.kinds == Kind.OPERATOR
    of_types = np.array([structure_of_type(name) for name in builder.graph.type_names], np.uint64)
    types = builder.graph.types[builder.leaves.nodes]
    sums = np.zeros(len(builder.parents), np.uint64)
    np.add.at(sums, builder.leaf_parents[operators], mixed(of_types)[types[operators]])
    for level in reversed(builder.by_depth()):
        sums[level] = mixed(sums[level] + np.uint64(1))
        inside = level[builder.parents[level] >= 0]
        np.add.at(sums, builder.parents[inside], sums[inside])
    return (sums & np.uint64(_EXACT)).astype(np.int64)


def _stack_leaves(builder: TreeBuilder, chosen: NDArray[np.bool_]) -> int:
    """Stacks the chosen leaves of one type in one branch; the number of the first new branch."""
    graph = builder.graph
    at = np.flatnonzero(chosen)
    siblings = np.bincount(builder.leaf_parents[at], minlength=len(builder.parents))
    at = at[siblings[builder.leaf_parents[at]] >= FEWEST]
    types = graph.types[builder.leaves.nodes[at]]
    keys = builder.leaf_parents[at].astype(np.int64) * len(graph.type_names) + types
    found, groups, counts = np.unique(keys, return_inverse=True, return_counts=True)
    many = counts >= FEWEST
    numbers = np.cumsum(many) - 1
    parents, kinds = np.divmod(found[many], max(1, len(graph.type_names)))
    labels = [
        f"{graph.type_names[kind] or 'unknown'}[{count}]"
        for kind, count in zip(kinds.tolist(), counts[many].tolist(), strict=True)
    ]
    ids = list(map(joined, builder.ids(parents), labels))
    first = builder.add(parents.astype(np.int32), labels, ids, kinds.astype(np.int32), counts[many])
    moved = many[groups]
    builder.leaf_parents = builder.leaf_parents.copy()
    builder.leaf_parents[at[moved]] = first + numbers[groups[moved]]
    return first


def _follow_consumers(builder: TreeBuilder, constants: NDArray[np.bool_], edges: Edges, first: int) -> None:
    """A constant that only the members of one stack use goes into it."""
    used = constants[edges.sources]
    sources, parents = edges.sources[used], builder.leaf_parents[edges.targets[used]]
    lowest = np.full(len(constants), np.iinfo(np.int32).max, np.int32)
    highest = np.full(len(constants), -1, np.int32)
    np.minimum.at(lowest, sources, parents)
    np.maximum.at(highest, sources, parents)
    at = np.flatnonzero((lowest == highest) & (lowest >= first) & constants)
    at = at[builder.parents[lowest[at]] == builder.leaf_parents[at]]
    builder.leaf_parents[at] = lowest[at]


def _stack_scopes(builder: TreeBuilder) -> None:
    """Stacks runs of scopes of one structure that follow each other."""
    scopes = np.arange(1, len(builder.scopes))
    if len(scopes) < FEWEST:
        return
    orders = builder.orders()[scopes]
    scopes = scopes[by_two_keys(builder.parents[scopes], orders)]
    parents, structures = builder.parents[scopes], builder.structures[scopes]
    alike = (parents[1:] == parents[:-1]) & (structures[1:] == structures[:-1])
    starts = np.flatnonzero(np.concatenate(([True], ~alike)))
    ends = np.append(starts[1:], len(scopes))
    sizes = ends - starts
    long = sizes >= FEWEST
    if not long.any():
        return
    runs = zip(starts[long].tolist(), ends[long].tolist(), strict=True)
    bare = _without_digits(builder.graph.scopes.labels, builder.scopes[scopes])
    common = functools.cache(_common_name)  # many runs have the same names
    labels = [f"{common(frozenset(bare[start:end]))}[{end - start}]" for start, end in runs]
    above = parents[starts[long]]
    ids = list(map(joined, builder.ids(above), labels))
    kinds = np.full(len(labels), MIXED, np.int32)
    first = builder.add(above, labels, ids, kinds, sizes[long].astype(np.int32))
    builder.structures[first:] = structures[starts[long]]
    builder.parents[scopes[np.repeat(long, sizes)]] = np.repeat(first + np.arange(len(labels)), sizes[long])


def _without_digits(labels: NodeTexts, scopes: Indices) -> list[str]:
    """The names of scopes without their digits."""
    codes, inverse = np.unique(labels.numbers[scopes], return_inverse=True)
    texts = [labels.codes.text(code).translate(_NO_DIGITS) for code in codes.tolist()]
    return list(map(texts.__getitem__, inverse.tolist()))


def _common_name(bare: frozenset[str]) -> str:
    """What names without digits have in common: Block of -Block, where it is 0-Block, 1-Block, ..."""
    head = commonprefix(list(bare))  # noqa: RUF071  letter by letter
    tail = commonprefix([name[::-1] for name in bare])[::-1]  # noqa: RUF071
    return max(head, tail, key=len).strip("-_.:[]() ") or "…"


def _name_apart(builder: TreeBuilder) -> None:
    """No stack and no leaf without a place has the id of a scope, of a node or of another of them.

    Equal ids have the same last part: few have, and only these are compared.
    """
    graph, leaves = builder.graph, builder.leaves
    codes, scopes = graph.names.codes, graph.scopes
    lasts = codes.lasts()
    is_label = np.zeros(len(codes), bool)
    is_label[scopes.labels.numbers] = True
    lasts_of_nodes = lasts[graph.names.numbers]
    others = is_label.copy()  # last parts of scopes, nodes and stacks
    others[lasts_of_nodes[graph.placed]] = True
    of_stacks = {last: codes.find(last) for last in set(map(_last, builder.stack_ids))}
    known = [code for code in of_stacks.values() if code >= 0]
    others[known] = True

    floating = np.flatnonzero(~graph.placed[leaves.nodes])
    is_floating = np.zeros(len(graph), bool)
    is_floating[leaves.nodes[floating]] = True
    counts = np.bincount(lasts_of_nodes[is_floating], minlength=len(codes))
    found = lasts_of_nodes[leaves.nodes[floating]]
    alike = floating[others[found] | (counts[found] > 1)]
    compared = np.zeros(len(codes), bool)
    compared[lasts_of_nodes[leaves.nodes[alike]]] = True
    compared[known] = True
    near = np.flatnonzero(compared[lasts_of_nodes] & graph.placed)
    taken = set(_paths(graph, graph.scope[near], near))

    again: dict[str, int] = {}

    def is_taken(id_: str, code: int) -> bool:
        return id_ in taken or (code >= 0 and bool(is_label[code]) and scopes.find(id_) is not None)

    def unique(wanted: str) -> str:
        id_, last = wanted, _last(wanted)
        code = of_stacks[last] if last in of_stacks else codes.find(last)
        while is_taken(id_, code) or (id_ != wanted and (code >= 0 or last in of_stacks)):
            again[wanted] = again.get(wanted, 1) + 1
            id_ = f"{wanted}_{again[wanted]}"
            last = _last(id_)
            code = codes.find(last)
        taken.add(id_)
        return id_

    for leaf, id_ in zip(
        alike.tolist(), _paths(graph, leaves.homes[alike], leaves.nodes[alike]), strict=True
    ):
        if (own := unique(id_)) != id_:
            builder.leaf_ids[leaf] = own
    builder.stack_ids = list(map(unique, builder.stack_ids))


def _paths(graph: Graph, scopes: Indices, nodes: NDArray[np.integer[Any]]) -> list[str]:
    """The ids of nodes that are shown in scopes."""
    return list(map(joined, graph.scopes.paths_of(scopes), graph.names.at(nodes)))


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def _split_into_ranges(builder: TreeBuilder) -> None:
    """Puts what has too many children into ranges of them, and these too if there are too many."""
    while True:
        is_crowded = builder.counts() > MOST_CHILDREN
        crowded = np.flatnonzero(is_crowded)
        if not len(crowded):
            return
        children, parents = builder.children(is_crowded)
        ends = np.searchsorted(parents, crowded, "right")
        starts = np.searchsorted(parents, crowded)
        for branch, start, end in zip(crowded.tolist(), starts.tolist(), ends.tolist(), strict=True):
            _split(builder, branch, children[start:end])


def _split(builder: TreeBuilder, branch: int, children: Indices) -> None:
    size = _RANGE
    while -(-len(children) // size) > _RANGE:
        size *= _RANGE
    starts = range(0, len(children), size)
    labels = [f"[{start}-{min(start + size, len(children)) - 1}]" for start in starts]
    kind = builder.stacks[branch] if builder.stacks[branch] >= 0 else MIXED
    [id_] = builder.ids(np.array([branch], np.int32))
    ids = [id_ + label for label in labels]
    kinds = np.full(len(labels), kind, np.int32)
    parents = np.full(len(labels), branch, np.int32)
    counts = np.diff(np.append(starts, len(children))).astype(np.int32)
    first = builder.add(parents, labels, ids, kinds, counts)
    if not builder.members[branch]:
        builder.members[branch] = len(children)
    of_each = first + np.arange(len(children)) // size
    inside = children >= 0
    builder.parents[children[inside]] = of_each[inside]
    builder.leaf_parents[~children[~inside]] = of_each[~inside]


def type_of_stack(graph: Graph, kind: int) -> str:
    """What the members of a stack are all; empty where they differ."""
    return graph.type_names[kind] if 0 <= kind < MIXED else ""
