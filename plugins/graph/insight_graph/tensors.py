"""Counts what a graph stores: weights, buffers, optimizer state, inputs and constants.

No format marks a weight as trainable, except Keras' and graphs that ``insight_record`` records.
In the others a weight is trainable if the graph has the operator that updates it: an operator of an
optimizer takes the weight first, then its own state (TensorFlow's training_ops.cc, MindSpore's
nn_optimizer_ops), or an assignment in the scope of an optimizer writes to a weight that the model reads.
A graph without either does not tell, and the answer says so. Running statistics of a batch normalization
are buffers: every format gives them to its operator as the fourth and fifth input.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence

import numpy as np
from attrs import define
from numpy.typing import NDArray

from insight_graph.columns import Graph, Indices, Kind, OutputType
from insight_graph.readable import (
    OPTIMIZER_TYPE,
    in_training,
    is_gradient,
    is_optimizer,
    scopes_in_training,
)
from insight_graph.stored import Role, Stored, values_of
from insight_graph.view import GraphView

_UPDATES = re.compile(
    rf"({OPTIMIZER_TYPE.pattern})|Fused\w*Apply\w+|KerasApply\w+|(Fused(Sparse|Cast)?)?(Lazy)?Adam(W|WeightDecay)?"
    r"|FusedSparse(Ftrl|LazyAdam|ProximalAdagrad)|FusedAdaFactor\w*|SGD"
)
_UPDATED_SLOT = {  # the input that is updated, where it is not the first
    "FusedWeightScaleApplyMomentum": 2,
    "FusedWeightApplyMomentum": 1,
    "FusedScaleApplyMomentum": 1,
}
_ASSIGNMENTS = re.compile(r"Assign(Add|Sub)?(VariableOp)?")
_READS = re.compile(r"Load|Depend|Cast|Identity|ReadVariableOp|Enter|TensorMove|TransData")
_ARGUMENTS = re.compile("input_arg")
_NO_USE = re.compile(r"Save\w*|VarIsInitializedOp|IsVariableInitialized|\w*Summary(V2)?|_?Retval|NoOp")
_CALLS = re.compile(r"(Stateful)?PartitionedCall")
_INPUTS = re.compile(r"Placeholder(WithDefault|V2)?|_Arg|input_arg|Input|InputLayer|IO Node")
_NORMS = re.compile(r"(Fused|Sync)?BatchNorm\w*|aten::(\w+_)?(batch|instance)_norm")
_STATISTICS = (3, 4)  # inputs of these: running mean and variance
_BUFFER, _PARAMETER, _TRACED_INPUT, _ATTRIBUTE = "Buffer", "Parameter", "prim::Param", "prim::GetAttr"
_UNTOLD = OutputType("", None)
_MOST_READS = 32  # in a row; a longer chain counts as a use


def tensors_of(graph: Graph) -> list[Stored]:
    """Every tensor that the graph stores or is given, once, in the order of its nodes."""
    found = _Evidence.of(graph).tensors()
    kept = set(graph.edges.sources[_into_statistics(graph, graph.edges.targets, graph.edges.slots)].tolist())
    for weight in graph.weights:
        role = {True: Role.TRAINABLE, False: Role.OTHER, None: Role.PARAMETER}[weight.trainable]
        if weight.is_buffer or (weight.trainable is None and weight.node in kept):
            role = Role.BUFFER
        types = graph.output_types[weight.signature] or (_UNTOLD,)
        found += [Stored(weight.node, role, one) for one in types]
    return sorted(found, key=lambda one: one.node)


class _Flag(enum.IntFlag):
    """How the graph uses a variable."""

    UPDATED = 1  # by an operator of an optimizer
    STATE = 2  # another input of such an operator
    ASSIGNED = 4  # in the scope of an optimizer
    USED = 8  # by anything else
    LOADED = 16  # MindSpore loads parameters, never inputs
    STATISTICS = 32  # of a batch normalization
    TAKEN = 64  # in the scope of an optimizer


@define(eq=False)
class _Evidence:
    """``variables`` are the nodes that may be parameters, with their flags by node."""

    graph: Graph
    variables: NDArray[np.bool_]
    flags: NDArray[np.int64]
    shapes: dict[int, OutputType]  # of variables that are known by a handle: what is read through it

    @classmethod
    def of(cls, graph: Graph) -> _Evidence:
        stated = np.zeros(len(graph), bool)
        stated[[one.node for one in graph.weights]] = True
        handles = np.array([any(one.dtype == "resource" for one in types) for types in graph.output_types])
        arguments = _of_types(graph, _INPUTS) & handles[graph.signatures] & (graph.kinds == Kind.OPERATOR)
        variables = ((graph.kinds == Kind.PARAMETER) | arguments) & ~stated
        variables &= ~_of_types(graph, re.compile(_BUFFER))
        found = cls(graph, variables, np.zeros(len(graph), np.int64), dict(graph.handles))
        if not variables.any():
            return found
        edges = graph.edges.take(~graph.edges.controls)
        reads = _of_types(graph, _READS)
        roots = found._roots(edges.sources, edges.targets, edges.slots, reads)
        rooted = roots[edges.sources] >= 0
        sources, targets, slots = edges.sources[rooted], edges.targets[rooted], edges.slots[rooted]
        of_roots = roots[sources]
        inner = reads[targets] & (slots == 0)
        found._note(of_roots[inner & _of_types(graph, re.compile("Load"))[targets]], _Flag.LOADED)
        found._read_through(of_roots[inner], targets[inner])
        at = ~inner
        found._judge(of_roots[at], targets[at], slots[at])
        found._follow_calls(of_roots[at], targets[at], slots[at])
        return found

    def tensors(self) -> list[Stored]:
        graph, flags = self.graph, self.flags
        is_mindspore = graph.format == "mindspore"
        updated = (flags & _Flag.UPDATED > 0) | (
            (flags & _Flag.ASSIGNED > 0) & (flags & _Flag.USED > 0) & (flags & _Flag.STATE == 0)
        )
        counters = self._counters()
        updated &= self.variables & ~counters
        # a learning rate is read by the optimizer alone; a count of steps is increased outside of it
        kept = (flags & _Flag.TAKEN > 0) & ((flags & _Flag.USED == 0) | counters)
        state = self.variables & ~updated & ((flags & (_Flag.STATE | _Flag.ASSIGNED) > 0) | kept)
        trains = bool(updated.any())
        first = self._first_parameter(updated | state)
        loads = "Load" in graph.type_names
        found: list[Stored] = []
        attributes: set[int] = set()
        for node in np.flatnonzero(self.variables).tolist():
            type_name = graph.type_names[graph.types[node]]
            if type_name == _ATTRIBUTE:  # PyTorch writes one node for each use, in a scope for each tensor
                if int(graph.scope[node]) in attributes:
                    continue
                attributes.add(int(graph.scope[node]))
            if updated[node]:
                role = Role.TRAINABLE
            elif state[node]:
                role = Role.OPTIMIZER
            elif is_mindspore and (first < 0 or node < first):
                role = Role.INPUT if loads or trains else Role.UNKNOWN
            elif flags[node] & _Flag.STATISTICS:
                role = Role.BUFFER
            elif type_name in (_TRACED_INPUT, _PARAMETER) and not is_mindspore:
                role = Role.UNKNOWN
            else:
                role = Role.OTHER if trains else Role.PARAMETER
            types = graph.output_types[graph.signatures[node]] or (_UNTOLD,)
            if node in self.shapes or any(one.dtype == "resource" for one in types):
                types = (self.shapes.get(node, _UNTOLD),)
            found += [Stored(node, role, one) for one in types]
        return found + self._given()

    def _counters(self) -> NDArray[np.bool_]:
        """bool[nodes]: variables that are whole numbers, which no optimizer trains."""
        found = np.zeros(len(self.graph), bool)
        for node in np.flatnonzero(self.variables).tolist():
            types = self.graph.output_types[self.graph.signatures[node]]
            one = self.shapes.get(node) or (types[0] if types else _UNTOLD)
            found[node] = one.dtype.startswith(("int", "uint"))
        return found

    def _given(self) -> list[Stored]:
        """Buffers, constants, and what comes from outside: not the arguments of functions and branches."""
        graph = self.graph
        fed = np.zeros(len(graph), bool)
        fed[graph.edges.targets] = True
        buffers = _of_types(graph, re.compile(_BUFFER)) & ~fed
        given = _of_types(graph, _INPUTS) & ~fed & (graph.kinds == Kind.OPERATOR)
        given &= ~self.variables & (self.flags == 0)
        given &= ~_of_types(graph, _ARGUMENTS)
        constants = graph.kinds == Kind.CONSTANT
        buffers[[one.node for one in graph.weights]] = False
        return [
            Stored(node, role, one)
            for role, chosen in ((Role.BUFFER, buffers), (Role.INPUT, given), (Role.CONSTANT, constants))
            for node in np.flatnonzero(chosen).tolist()
            for one in graph.output_types[graph.signatures[node]]
            if one.dtype not in ("resource", "string", "none")
        ]

    def _roots(
        self, sources: Indices, targets: Indices, slots: Indices, reads: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        """Of each node: the variable that it is, or that it hands on; -1 of all others."""
        roots = np.where(self.variables, np.arange(len(self.variables)), -1)
        chosen = reads[targets] & (slots == 0)
        sources, targets = sources[chosen], targets[chosen]
        for _ in range(_MOST_READS):
            new = (roots[sources] >= 0) & (roots[targets] < 0)
            if not new.any():
                break
            roots[targets[new]] = roots[sources[new]]
        return roots

    def _judge(self, roots: NDArray[np.int64], targets: Indices, slots: Indices) -> None:
        graph = self.graph
        slot_of = np.array([_UPDATED_SLOT.get(name, 0) for name in graph.type_names] or [0])
        updates = _of_types(graph, _UPDATES)[targets]
        is_first = slots == slot_of[graph.types[targets]]
        self._note(roots[updates & is_first], _Flag.UPDATED)
        self._note(roots[updates & ~is_first], _Flag.STATE)
        inside = in_training(graph, is_optimizer)[targets] & ~updates
        writes = _of_types(graph, _ASSIGNMENTS)[targets] & (slots == 0)
        self._note(roots[inside], _Flag.TAKEN)
        self._note(roots[inside & writes], _Flag.ASSIGNED)
        uses = ~updates & ~inside & ~writes & ~_of_types(graph, _NO_USE)[targets]
        self._note(roots[_into_statistics(graph, targets, slots)], _Flag.STATISTICS)
        self._note(roots[uses], _Flag.USED)

    def _note(self, roots: NDArray[np.int64], flag: _Flag) -> None:
        self.flags[roots] |= flag

    def _read_through(self, roots: NDArray[np.int64], readers: Indices) -> None:
        """The types of what is read through handles, which have none themselves."""
        types = self.graph.output_types
        for root, reader in zip(roots.tolist(), readers.tolist(), strict=True):
            own = types[self.graph.signatures[root]]
            read = types[self.graph.signatures[reader]]
            if read and any(one.dtype == "resource" for one in own) and values_of(read[0]) is not None:
                self.shapes.setdefault(root, read[0])

    def _follow_calls(self, roots: NDArray[np.int64], targets: Indices, slots: Indices) -> None:
        """A variable that is handed to a function is used as the function uses its argument."""
        graph = self.graph
        called = _of_types(graph, _CALLS)[targets]
        if not called.any():
            return
        is_argument = _of_types(graph, _ARGUMENTS)
        arguments: dict[str, list[int]] = {}
        for node in np.flatnonzero(is_argument).tolist():
            arguments.setdefault(graph.scopes.path(int(graph.scope[node])), []).append(node)
        calls: dict[int, str] = {}
        links = []
        for root, target, slot in zip(
            roots[called].tolist(), targets[called].tolist(), slots[called].tolist(), strict=True
        ):
            if target not in calls:
                calls[target] = graph.details(target).calls
            of_function = arguments.get(calls[target], [])
            if slot < len(of_function):
                links.append((root, of_function[slot]))
        for _ in range(_MOST_READS):  # functions call functions
            before = self.flags.copy()
            for root, argument in links:
                self.flags[root] |= self.flags[argument]
            if (before == self.flags).all():
                break
        for _, argument in links:
            self.variables[argument] = False
            self.flags[argument] |= _Flag.USED

    def _first_parameter(self, certain: NDArray[np.bool_]) -> int:
        """MindSpore lists the inputs of a graph first, then its parameters. -1: no node is certainly one."""
        is_parameter = [
            node
            for node in np.flatnonzero(self.variables).tolist()
            if certain[node] or self._is_parameter(node)
        ]
        return min(is_parameter, default=-1)

    def _is_parameter(self, node: int) -> bool:
        """Names of arguments have no points; those of parameters have the path of their cell."""
        return "." in self.graph.names[node] or bool(self.flags[node] & _Flag.LOADED)


def _into_statistics(graph: Graph, targets: Indices, slots: Indices) -> NDArray[np.bool_]:
    """bool[edges]: those that bring the running statistics of a batch normalization."""
    found: NDArray[np.bool_] = _of_types(graph, _NORMS)[targets] & np.isin(slots, _STATISTICS)
    return found


def _of_types(graph: Graph, pattern: re.Pattern[str]) -> NDArray[np.bool_]:
    matches = [pattern.fullmatch(name) is not None for name in graph.type_names] or [False]
    return np.array(matches)[graph.types]


def tensors_in(view: GraphView, tensors: Sequence[Stored], place: int) -> list[Stored]:
    """Those of a scope, a stack or a node, each once.

    A parameter of MindSpore's stands in each scope that uses it. Gradients and the optimizer only borrow what
    the model uses too: it is not counted there.
    """
    graph, tree = view.graph, view.tree
    low, high = tree.bounds(place)
    nodes = np.unique(tree.nodes[low:high])
    if place >= 0:
        training = scopes_in_training(graph, lambda name: is_optimizer(name) or is_gradient(name))[tree.homes]
        outside = np.zeros(len(graph), bool)
        outside[tree.nodes[~training]] = True
        own = np.zeros(len(graph), bool)
        own[tree.nodes[low:high][~training[low:high]]] = True
        nodes = nodes[own[nodes] | ~outside[nodes]]
    folded = view.folded.sources[np.isin(view.folded.targets, nodes)]
    wanted = {*nodes.tolist(), *folded.tolist()}
    return [one for one in tensors if one.node in wanted]
