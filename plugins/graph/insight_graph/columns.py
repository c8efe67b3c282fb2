"""A graph as columns: one row for each node, one for each edge, tables of the texts that repeat."""

from __future__ import annotations

import enum
from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

Indices: TypeAlias = NDArray[np.int32]
Shape: TypeAlias = tuple[int, ...] | None  # -1: not known; None: the rank is not known

MAX_SCOPES = 100  # one in another; deeper names stay whole
NAMELESS = "(unnamed)"
_EXAMPLES = 20  # that a notice keeps


class Kind(enum.IntEnum):
    """What a node of a graph is."""

    OPERATOR = 0
    CONSTANT = 1
    PARAMETER = 2


@frozen
class OutputType:
    dtype: str
    shape: Shape

    def __str__(self) -> str:
        if self.shape is None:
            return self.dtype
        return f"{self.dtype}[{','.join('?' if size < 0 else str(size) for size in self.shape)}]"


@frozen
class Attribute:
    """One attribute of a node; ``size`` is that of its value in bytes, as it is written."""

    name: str
    type: str
    value: str
    size: int


@frozen
class NodeDetails:
    """What is read of a node only when somebody looks at it."""

    full_name: str = ""
    scope: str = ""
    source: str = ""
    value: str = ""  # of a constant
    attributes: Sequence[Attribute] = ()
    calls: str = ""  # the scope of the function that it calls


@define
class Notice:
    """Something that is wrong with a graph, with a few of the places where it is."""

    code: str
    text: str
    count: int = 0
    examples: list[str] = field(factory=list)

    def add(self, example: str) -> None:
        self.count += 1
        if len(self.examples) < _EXAMPLES:
            self.examples.append(example)


class Scopes:
    """Scopes by their path; number 0 is the root, whose path is empty."""

    def __init__(self) -> None:
        self.paths = [""]
        self.labels = [""]
        self.parents = [-1]
        self._numbers = {"": 0}

    def number(self, path: str) -> int:
        """Of the scope with that path, which is made if it is new, with those around it."""
        known = self._numbers.get(path)
        if known is not None:
            return known
        made = []
        while path not in self._numbers:
            made.append(path)
            path = path.rpartition("/")[0]
        parent = self._numbers[path]
        for new in reversed(made):
            self._numbers[new] = number = len(self.paths)
            self.paths.append(new)
            self.labels.append(new.rpartition("/")[2])
            self.parents.append(parent)
            parent = number
        return parent

    def find(self, path: str) -> int | None:
        return self._numbers.get(path)

    def split(self, path: str) -> tuple[int, str]:
        """The scope of a node and its name in it."""
        scope, _, name = path.rpartition("/")
        known = self._numbers.get(scope)
        if known is None:
            if scope.count("/") >= MAX_SCOPES:
                names = path.split("/")
                scope, name = "/".join(names[:MAX_SCOPES]), "/".join(names[MAX_SCOPES:])
            known = self.number(scope)
        return known, name

    def __len__(self) -> int:
        return len(self.paths)


@frozen(eq=False)
class Edges:
    """All columns are of equal length. ``outputs`` says which output of the source it is; ``slots``, which
    input of the target."""

    sources: Indices
    targets: Indices
    slots: Indices
    outputs: Indices
    controls: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.sources)

    def take(self, chosen: NDArray[np.intp] | NDArray[np.bool_]) -> Edges:
        return Edges(
            self.sources[chosen],
            self.targets[chosen],
            self.slots[chosen],
            self.outputs[chosen],
            self.controls[chosen],
        )

    @property
    def nbytes(self) -> int:
        return 17 * len(self)


@frozen(eq=False)
class Graph:
    """What a reader made of a record. Columns of nodes are in the order of the file.

    ``placed`` is false for what has no scope of its own and stands wherever it is used. ``signatures`` are
    what each node gives out, as places in ``output_types``. ``order`` is topological where that can be.
    """

    format: str
    names: list[str]
    scopes: Scopes
    scope: Indices
    placed: NDArray[np.bool_]
    kinds: NDArray[np.uint8]
    types: Indices
    type_names: list[str]
    signatures: Indices
    output_types: list[tuple[OutputType, ...]]
    devices: Indices
    device_names: list[str]
    order: Indices
    edges: Edges
    missing: dict[int, list[tuple[int, str]]]  # by node: slot and name of inputs that are not there
    whole_numbers: dict[int, int]  # that constants are, by node
    notices: tuple[Notice, ...]
    details: Callable[[int], NodeDetails]
    times: dict[str, list[tuple[str, int, int]]] = field(factory=dict)  # see run_metadata
    payload_bytes: int = 0

    def __len__(self) -> int:
        return len(self.names)

    @property
    def nbytes(self) -> int:
        """About what it takes in memory, its message too."""
        per_node = 120 + 4 * 6
        return len(self) * per_node + len(self.scopes) * 400 + self.edges.nbytes + 2 * self.payload_bytes

    def path(self, node: int) -> str:
        """The id of a node that has a scope of its own."""
        return joined(self.scopes.paths[self.scope[node]], self.names[node])


def joined(scope: str, name: str) -> str:
    return f"{scope}/{name}" if scope else name


class Codes:
    """Numbers for texts that repeat."""

    def __init__(self, *first: str) -> None:
        self.texts = list(first)
        self._codes = {text: code for code, text in enumerate(first)}

    def __getitem__(self, text: str) -> int:
        code = self._codes.get(text)
        if code is None:
            code = self._codes[text] = len(self.texts)
            self.texts.append(text)
        return code


class GraphBuilder:
    """Takes nodes and edges in any order; ``graph`` makes the columns."""

    def __init__(self, name: str) -> None:
        self.format = name
        self.scopes = Scopes()
        self.types = Codes()
        self.device_codes = Codes("")
        self.missing: dict[int, list[tuple[int, str]]] = {}
        self.whole_numbers: dict[int, int] = {}  # that constants are
        self.names: list[str] = []
        # arrays, not lists: a number in a list is an object
        self._scope = array("i")
        self._placed = bytearray()
        self._kinds = bytearray()
        self._types = array("i")
        self._signatures = array("i")
        self._devices = array("i")
        self._signature_codes: dict[tuple[OutputType, ...], int] = {(): 0}
        self._edges = array("i"), array("i"), array("i"), array("i"), bytearray()
        self._notices: dict[str, Notice] = {}

    def signature(self, outputs: Iterable[OutputType]) -> int:
        """The number of what a node gives out."""
        return self._signature_codes.setdefault(tuple(outputs), len(self._signature_codes))

    def node(
        self,
        path: str,
        type_name: str,
        kind: Kind = Kind.OPERATOR,
        signature: int = 0,
        device: str = "",
        *,
        placed: bool = True,
    ) -> int:
        """Adds a node and gives its number. One that is not ``placed`` has a name, not a path."""
        scope, name = self.scopes.split(path) if placed else (0, path)
        number = len(self.names)
        if not name:
            name = NAMELESS
            self.notice("unnamed", "nodes have no name").add(f"{type_name} (node {number})")
        self.names.append(name)
        self._scope.append(scope)
        self._placed.append(placed)
        self._kinds.append(kind)
        self._types.append(self.types[type_name])
        self._signatures.append(signature)
        self._devices.append(self.device_codes[device])
        return number

    def edge(self, source: int, target: int, slot: int, output: int = 0, control: bool = False) -> None:
        sources, targets, slots, outputs, controls = self._edges
        sources.append(source)
        targets.append(target)
        slots.append(slot)
        outputs.append(output)
        controls.append(control)

    def missing_input(self, target: int, slot: int, name: str) -> None:
        self.missing.setdefault(target, []).append((slot, name))
        self.notice("missing_inputs", "inputs are named that the graph does not have").add(
            f"{name} (of {self.names[target]})"
        )

    def notice(self, code: str, text: str) -> Notice:
        return self._notices.setdefault(code, Notice(code, text))

    def graph(
        self,
        details: Callable[[int], NodeDetails],
        order: Callable[[int, Edges], tuple[Indices, int]],
        payload_bytes: int,
    ) -> Graph:
        """``order`` gives topological ranks, and how many nodes are on cycles."""
        sources, targets, slots, outputs, controls = self._edges
        edges = Edges(
            np.array(sources),
            np.array(targets),
            np.array(slots),
            np.array(outputs),
            np.frombuffer(bytes(controls), np.bool_),
        )
        scope = np.array(self._scope)
        placed = np.frombuffer(bytes(self._placed), np.bool_)
        self._tell_apart(scope, placed)
        # what has no place has no inputs: it is shown before what uses it, wherever it is written
        ranks, cyclic = order(len(self.names), edges.take(placed[edges.sources]))
        if cyclic:
            self.notice("cycles", "nodes lead back to themselves").count = cyclic
        return Graph(
            format=self.format,
            names=self.names,
            scopes=self.scopes,
            scope=scope,
            placed=placed,
            kinds=np.frombuffer(bytes(self._kinds), np.uint8),
            types=np.array(self._types),
            type_names=self.types.texts,
            signatures=np.array(self._signatures),
            output_types=list(self._signature_codes),
            devices=np.array(self._devices),
            device_names=self.device_codes.texts,
            order=ranks,
            edges=edges,
            missing=self.missing,
            whole_numbers=self.whole_numbers,
            notices=tuple(self._notices.values()),
            details=details,
            payload_bytes=payload_bytes,
        )

    def _tell_apart(self, scope: Indices, placed: NDArray[np.bool_]) -> None:
        """Gives each node of a scope a name of its own, and puts one that is named as a scope into that."""
        at = np.flatnonzero(placed)
        if not len(at):
            return
        of_scopes = _keys(np.array(self.scopes.parents[1:], np.int64), self.scopes.labels[1:])
        keys = _keys(scope[at].astype(np.int64), [self.names[index] for index in at.tolist()])
        for index in at[np.isin(keys, of_scopes)].tolist():
            inside = self.scopes.find(joined(self.scopes.paths[scope[index]], self.names[index]))
            if inside is not None:
                scope[index] = inside
                self.names[index] = f"({self.names[index]})"
        keys = _keys(scope[at].astype(np.int64), [self.names[index] for index in at.tolist()])
        _, first, counts = np.unique(keys, return_index=True, return_counts=True)
        if len(first) == len(keys):
            return
        alike = at[np.isin(keys, keys[first[counts > 1]])].tolist()
        taken: set[tuple[int, str]] = set()
        again: dict[tuple[int, str], int] = {}
        for index in alike:
            name = wanted = self.names[index]
            place = int(scope[index])
            if (place, name) in taken:
                path = joined(self.scopes.paths[place], name)
                self.notice("duplicate_names", "nodes have the name of another").add(path)
            while (place, name) in taken or (
                name != wanted and self.scopes.find(joined(self.scopes.paths[place], name))
            ):
                again[place, wanted] = again.get((place, wanted), 1) + 1
                name = f"{wanted} ({again[place, wanted]})"
            taken.add((place, name))
            self.names[index] = name


def _keys(scopes: NDArray[np.int64], names: Sequence[str]) -> NDArray[np.int64]:
    """Numbers that are equal where scope and name are (and hardly ever where they are not)."""
    hashes = np.fromiter(map(hash, names), np.int64, len(names))
    with np.errstate(over="ignore"):
        return hashes ^ ((scopes + 1) * np.int64(0x1E3779B97F4A7C15))
