"""Groups identical siblings into stacks, and long lists into ranges."""

from __future__ import annotations

import functools
import zlib
from collections import Counter

import numpy as np
from numpy.typing import NDArray

from insight_graph.columns import Edges, Graph, Indices, Kind
from insight_graph.names import mixed
from insight_graph.row_order import by_two_keys
from insight_graph.scopes import joined
from insight_graph.texts import Codes, NodeTexts
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
    ids = [joined(builder.id(parent), label) for parent, label in zip(parents.tolist(), labels, strict=True)]
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
    long = ends - starts >= FEWEST
    bounds = list(zip(starts[long].tolist(), ends[long].tolist(), strict=True))
    if not bounds:
        return
    names, texts = _without_digits(builder.graph.scopes.labels, builder.scopes[scopes])
    labels = []
    for start, end in bounds:
        different = np.unique(names[start:end]).tolist()
        labels.append(f"{_common_name([texts[name] for name in different])}[{end - start}]")
    runs = [scopes[start:end] for start, end in bounds]
    above = builder.parents[[run[0] for run in runs]]
    ids = [joined(builder.id(parent), label) for parent, label in zip(above.tolist(), labels, strict=True)]
    counts = np.array([len(run) for run in runs], np.int32)
    first = builder.add(above, labels, ids, np.full(len(runs), MIXED, np.int32), counts)
    for number, run in enumerate(runs, first):
        builder.structures[number] = builder.structures[run[0]]
        builder.parents[run] = number


def _without_digits(labels: NodeTexts, scopes: Indices) -> tuple[Indices, list[str]]:
    """Of scopes: the numbers of their names, and the texts of these, without their digits."""
    codes, inverse = np.unique(labels.numbers[scopes], return_inverse=True)
    bare = Codes()
    numbers = [bare[labels.codes.texts[code].translate(_NO_DIGITS)] for code in codes.tolist()]
    return np.array(numbers, np.int32)[inverse], bare.texts


def _common_name(bare: list[str]) -> str:
    """What names without digits have in common: Block of -Block, where it is 0-Block, 1-Block, ..."""
    if len(bare) == 1:
        common = bare[0]
    else:
        head = _common_start(bare)
        tail = _common_start([name[::-1] for name in bare])[::-1]
        common = head if len(head) >= len(tail) else tail
    return common.strip("-_.:[]() ") or "…"


def _common_start(names: list[str]) -> str:
    first, last = min(names), max(names)
    differ = (place for place, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1])
    return first[: next(differ, min(len(first), len(last)))]


def _name_apart(builder: TreeBuilder) -> None:
    """No stack and no leaf without a place has the id of a scope, of a node or of another of them."""
    graph, leaves = builder.graph, builder.leaves
    floating = np.flatnonzero(~graph.placed[leaves.nodes])
    # equal ids have the same last part: few have, and only these are compared
    lasts = {node: _last(graph.names[node]) for node in np.unique(leaves.nodes[floating]).tolist()}
    ends = Counter(lasts.values())
    of_stacks = {_last(id_) for id_ in builder.stack_ids}
    compared = of_stacks | ends.keys()
    is_near = np.array([text in compared or "/" in text for text in graph.names.codes.texts], bool)
    near = np.flatnonzero(is_near[graph.names.numbers] & graph.placed).tolist()
    labels = set(graph.scopes.labels.distinct())
    others = labels | of_stacks | {_last(graph.names[node]) for node in near}
    alike = [node for node, last in lasts.items() if ends[last] > 1 or last in others]
    wanted = {
        ~leaf: joined(graph.scopes.path(int(leaves.homes[leaf])), graph.names[leaves.nodes[leaf]])
        for leaf in floating[np.isin(leaves.nodes[floating], alike)].tolist()
    }
    wanted |= dict(enumerate(builder.stack_ids))
    compared = {_last(id_) for id_ in wanted.values()}
    taken = {graph.path(node) for node in near if _last(graph.names[node]) in compared}

    @functools.cache
    def all_lasts() -> set[str]:
        return others | set(map(_last, graph.names.codes.texts))

    again: dict[str, int] = {}
    for place, id_ in wanted.items():
        unique = id_
        while (
            unique in taken
            or (_last(unique) in labels and graph.scopes.find(unique) is not None)
            or (unique != id_ and (_last(unique) in all_lasts() or _last(unique) in ends))
        ):
            again[id_] = again.get(id_, 1) + 1
            unique = f"{id_}_{again[id_]}"
        taken.add(unique)
        if place >= 0:
            builder.stack_ids[place] = unique
        elif unique != id_:
            builder.leaf_ids[~place] = unique


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
    ids = [builder.id(branch) + label for label in labels]
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
