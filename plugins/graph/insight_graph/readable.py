"""The readability pass: hides nodes that only serve training and bookkeeping.

After MindInsight's "optimised" graph, whose intent it has, for all formats.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_graph.bypass import MOST_TIES, Passes, bypassed
from insight_graph.columns import Edges, Graph, Indices, Kind
from insight_graph.shape_arithmetic import FORMATS, of_shapes
from insight_graph.torch_outputs import joined_outputs
from insight_graph.view import Shown

RULES = ("gradients", "optimizer", "bookkeeping", "shapes", "weights", "unconnected")
_STAYS, _GRADIENTS, _OPTIMIZER, _BOOKKEEPING, _SHAPES, _WEIGHTS, _UNCONNECTED = range(-1, 6)

# Types in small letters, without underlines: MindSpore has TupleGetItem and tuple_getitem
_PASSES = {
    "mindspore": {
        "load": Passes.FIRST,
        "updatestate": Passes.NOTHING,
        "maketuple": Passes.ALL,
        "tuplegetitem": Passes.ELEMENT,
    },
    "onnx": {"identity": Passes.FIRST},
    "torch_export": {
        "aten.asserttensormetadata": Passes.NOTHING,
        "aten.assertasync.msg": Passes.NOTHING,
        "aten.alias": Passes.FIRST,
        "aten.detach": Passes.FIRST,
        "aten.liftfreshcopy": Passes.FIRST,
    },
    "tensorboard": {
        "identity": Passes.FIRST,
        "identityn": Passes.EACH,
        "noop": Passes.NOTHING,
        "readvariableop": Passes.FIRST,
        "stopgradient": Passes.FIRST,
        "prim::listconstruct": Passes.ALL,
        "prim::tupleconstruct": Passes.ALL,
        "prim::listunpack": Passes.ELEMENTS,
        "prim::tupleunpack": Passes.ELEMENTS,
    },
}
_GRADIENT_SCOPE = re.compile(r"gradients?(_[0-9]+)?|gradient_tape", re.IGNORECASE)
# Keras 3 calls the scope of an optimizer by the name that its class has by default
_OPTIMIZER_NAME = re.compile(
    r"(?i:optimizer)|^(n?adam(w|ax)?|SGD|rmsprop|ada(grad|delta|factor)|ftrl|lion|lamb|muon)(_[0-9]+)?$"
)
OPTIMIZER_TYPE = re.compile(r"(Resource|Sparse|ResourceSparse)?Apply[A-Z]\w*")


@frozen(eq=False)
class Removed:
    """What the pass leaves, and what it took: ``rules`` has the rule by node, -1 for what stays.

    ``graph`` lists all outputs of an operator at the node that stays. ``lifted`` are the nodes that are shown
    in the scope around their own.
    """

    graph: Graph
    shown: Shown
    rules: NDArray[np.int8]
    bypassed: NDArray[np.bool_]
    lifted: Indices


def readable(graph: Graph) -> Removed:
    """Removes what is not the model, with the rule for each node: gradients, optimizers, bookkeeping,
    arithmetic with shapes, and what is then unconnected. Folds weights into what takes them."""
    rules = np.full(len(graph), _STAYS, np.int8)
    operators = graph.kinds == Kind.OPERATOR
    rules[in_training(graph, is_optimizer) & operators] = _OPTIMIZER
    rules[in_training(graph, is_gradient) & operators] = _GRADIENTS
    rules[np.isin(graph.types, _codes(graph, OPTIMIZER_TYPE)) & operators & (rules < 0)] = _OPTIMIZER
    left = rules < 0
    edges = graph.edges.take(left[graph.edges.sources] & left[graph.edges.targets])

    joined = joined_outputs(graph, edges)
    graph, edges = joined.graph, joined.edges
    passes = _passes(graph, edges, left & ~joined.unsure)
    rules[(passes >= 0) | (joined.others & left)] = _BOOKKEEPING
    edges = bypassed(graph, edges, passes)
    shapes = of_shapes(graph, edges)
    rules[shapes] = _SHAPES
    edges = edges.take(~shapes[edges.sources] & ~shapes[edges.targets])
    folded = _folded(graph, edges)
    rules[folded] = _WEIGHTS
    into = folded[edges.sources]
    weights, edges = edges.take(into), edges.take(~into)
    connected = np.zeros(len(graph), bool)
    connected[edges.sources] = connected[edges.targets] = connected[weights.targets] = True
    rules[(rules < 0) & ~connected] = _UNCONNECTED
    scopes, lifted = _lifted(graph, rules < 0)
    taken_out = (passes > Passes.NOTHING) | joined.others
    return Removed(graph, Shown(rules < 0, scopes, edges, weights), rules, taken_out, lifted)


def _folded(graph: Graph, edges: Edges) -> NDArray[np.bool_]:
    """bool[nodes]: weights and constants of PyTorch and ONNX, each of which is listed with what takes it."""
    found = np.zeros(len(graph), bool)
    is_traced = "prim::GetAttr" in graph.type_names or "prim::Constant" in graph.type_names
    if graph.format in FORMATS and (graph.format != "tensorboard" or is_traced):
        found[edges.sources] = True
        found &= graph.kinds != Kind.OPERATOR
        found[edges.targets] = False
    return found


def is_gradient(name: str) -> bool:
    """Whether a scope with that name holds gradients."""
    return _GRADIENT_SCOPE.fullmatch(name) is not None


def is_optimizer(name: str) -> bool:
    """Whether a scope with that name is an optimizer's."""
    return _OPTIMIZER_NAME.search(name) is not None


def in_training(graph: Graph, matches: Callable[[str], bool]) -> NDArray[np.bool_]:
    """Of each node: whether a scope around it is named so."""
    return scopes_in_training(graph, matches)[graph.scope]


def scopes_in_training(graph: Graph, matches: Callable[[str], bool]) -> NDArray[np.bool_]:
    """Of each scope: whether it, or a scope around it, is named so."""
    found = [False] * len(graph.scopes)
    for scope, (parent, label) in enumerate(
        zip(graph.scopes.parents.tolist(), graph.scopes.labels, strict=True)
    ):
        found[scope] = parent >= 0 and (found[parent] or matches(label))
    return np.array(found)


def _codes(graph: Graph, pattern: re.Pattern[str]) -> list[int]:
    return [code for code, name in enumerate(graph.type_names) if pattern.fullmatch(name)]


def _passes(graph: Graph, edges: Edges, left: NDArray[np.bool_]) -> NDArray[np.int8]:
    """How each node that is taken out passes its inputs on; -1 of those that stay."""
    known = _PASSES.get(graph.format, {})
    of_types = np.array(
        [known.get(name.lower().replace("_", ""), -1) for name in graph.type_names] or [-1], np.int8
    )
    operators = left & (graph.kinds == Kind.OPERATOR)
    found = np.where(operators, of_types[graph.types], -1).astype(np.int8)
    ways_in = np.bincount(edges.targets, minlength=len(graph))
    ways_out = np.bincount(edges.sources, minlength=len(graph))
    found[(found == Passes.ALL) & (ways_in * ways_out > MOST_TIES)] = -1
    return found


def _lifted(graph: Graph, left: NDArray[np.bool_]) -> tuple[Indices, Indices]:
    """The scopes to show nodes in: operators that are alone with their like in a scope named after them
    are shown in the scope around that."""
    operators = np.flatnonzero(left & graph.placed & (graph.kinds == Kind.OPERATOR))
    scope, types = graph.scope[operators], graph.types[operators]
    count = len(graph.scopes)
    lowest, highest = np.full(count, np.iinfo(np.int32).max), np.full(count, -1)
    np.minimum.at(lowest, scope, types)
    np.maximum.at(highest, scope, types)
    several = np.bincount(scope, minlength=count) > 1
    parents = graph.scopes.parents
    has_scopes = np.zeros(count, bool)
    inner = np.unique(scope)
    while len(inner):
        above = np.unique(parents[inner])
        above = above[above >= 0]
        inner = above[~has_scopes[above]]
        has_scopes[above] = True
    chosen = np.zeros(count, bool)
    for one in np.flatnonzero((lowest == highest) & several & ~has_scopes & (parents > 0)).tolist():
        chosen[one] = graph.type_names[lowest[one]] in graph.scopes.path(one)
    lifted = operators[chosen[scope]].astype(np.int32)
    scopes = graph.scope.copy()
    scopes[lifted] = parents[scopes[lifted]]
    return scopes, lifted
