"""A graph in columnar form: rows for nodes and edges, tables for repeated texts."""

from __future__ import annotations

import enum
from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from insight_graph.notices import GraphNotice

Indices: TypeAlias = NDArray[np.int32]
Shape: TypeAlias = tuple[int, ...] | None  # -1: not known; None: the rank is not known

MAX_SCOPES = 100  # one in another; deeper names stay whole
NAMELESS = "(unnamed)"


class Kind(enum.IntEnum):
    """What a node of a graph is."""

    OPERATOR = 0
    CONSTANT = 1
    PARAMETER = 2


@frozen
class OutputType:
    """Type and shape of an output; the shape is None if unknown, a size is -1 if unknown."""

    dtype: str
    shape: Shape

    def __str__(self) -> str:
        if self.shape is None:
            return self.dtype
        return f"{self.dtype}[{','.join('?' if size < 0 else str(size) for size in self.shape)}]"


@frozen
class Weight:
    """A weight of a node that the log describes; ``signature`` is its place in ``output_types``."""

    node: int
    trainable: bool | None  # None: the log does not tell
    signature: int


@frozen
class Attribute:
    """One attribute of a node; ``size`` is that of its value in bytes, as it is written."""

    name: str
    type: str
    value: str
    size: int


@frozen
class NodeDetails:
    """Data of a node that is read only on request."""

    full_name: str = ""
    scope: str = ""
    source: str = ""
    value: str = ""  # of a constant
    attributes: Sequence[Attribute] = ()
    calls: str = ""  # the scope of the function that it calls


class Scopes:
    """Scopes by their path; number 0 is the root, whose path is empty."""

    def __init__(self) -> None:
        self.paths = [""]
        self.labels = [""]
        self.parents = [-1]
        self._numbers = {"": 0}
        self._last = "", 0  # nodes of a scope mostly follow each other

    def number(self, path: str) -> int:
        """Of the scope with that path, which is made if it is new, with those around it."""
        known = self._numbers.get(path)
        if known is not None:
            return known
        head, _, label = path.rpartition("/")
        around = self._numbers.get(head)
        if around is not None:
            self._numbers[path] = number = len(self.paths)
            self.paths.append(path)
            self.labels.append(label)
            self.parents.append(around)
            return number
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
        """The number of the scope with this path; None if unknown."""
        return self._numbers.get(path)

    def split(self, path: str) -> tuple[int, str]:
        """The scope of a node and its name in it."""
        scope, _, name = path.rpartition("/")
        last, known = self._last
        if scope == last:
            return known, name
        found = self._numbers.get(scope)
        if found is None:
            if scope.count("/") >= MAX_SCOPES:
                names = path.split("/")
                scope, name = "/".join(names[:MAX_SCOPES]), "/".join(names[MAX_SCOPES:])
            found = self.number(scope)
        self._last = scope, found
        return found, name

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

    def take(self, chosen: NDArray[np.intp] | NDArray[np.bool_] | slice) -> Edges:
        """The chosen edges, by index or mask."""
        return Edges(
            self.sources[chosen],
            self.targets[chosen],
            self.slots[chosen],
            self.outputs[chosen],
            self.controls[chosen],
        )

    @property
    def nbytes(self) -> int:
        """Memory in bytes."""
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
    notices: tuple[GraphNotice, ...]
    details: Callable[[int], NodeDetails]
    weights: Sequence[Weight] = ()
    times: dict[str, list[tuple[str, int, int]]] = field(factory=dict)  # see run_metadata
    payload_bytes: int = 0

    def __len__(self) -> int:
        return len(self.names)

    @property
    def nbytes(self) -> int:
        """About what it takes in memory, its message too."""
        per_node = 120 + 4 * 6
        return len(self) * per_node + len(self.scopes) * 400 + self.edges.nbytes + self.payload_bytes

    def path(self, node: int) -> str:
        """The id of a node that has a scope of its own."""
        return joined(self.scopes.paths[self.scope[node]], self.names[node])


def joined(scope: str, name: str) -> str:
    """The path of a name in a scope; the root scope is the empty string."""
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
        self.duplicates: dict[int, str] = {}  # nodes that have the name of another
        self.weights: list[Weight] = []  # that the log describes
        self.names: list[str] = []
        # arrays, not lists: a number in a list is an object
        self._nodes = array("i")  # of each its scope, whether it is placed, kind, type, signature, device
        self._edges = array("i")  # of each its source, target, slot, output, whether it is one of control
        self._signature_codes: dict[tuple[OutputType, ...], int] = {(): 0}
        self._notices: dict[str, GraphNotice] = {}

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
            self.notice("unnamed").add(f"{type_name} (node {number})")
        self.names.append(name)
        self._nodes.extend(
            (
                scope,
                placed,
                kind,
                self.types[type_name],
                signature,
                self.device_codes[device] if device else 0,
            )
        )
        return number

    def nodes(
        self,
        scopes: Indices,
        names: list[str],
        types: Indices,
        kinds: Indices,
        signatures: Indices,
        devices: Indices,
    ) -> int:
        """Adds nodes that have scopes, with codes of types and devices; gives the number of the first."""
        first = len(self.names)
        if "" in names:
            for row in [row for row, name in enumerate(names) if not name]:
                names[row] = NAMELESS
                self.notice("unnamed").add(f"{self.types.texts[types[row]]} (node {first + row})")
        self.names += names
        placed = np.ones(len(names), np.int32)
        rows = np.stack((scopes, placed, kinds, types, signatures, devices), axis=1)
        self._nodes.frombytes(rows.astype(np.int32).tobytes())
        return first

    def edges(self, edges: Edges) -> None:
        """Adds many edges."""
        columns = edges.sources, edges.targets, edges.slots, edges.outputs, edges.controls
        self._edges.frombytes(np.stack(columns, axis=1).astype(np.int32).tobytes())

    def edge(self, source: int, target: int, slot: int, output: int = 0, control: bool = False) -> None:
        """Adds an edge from output ``output`` of node ``source`` to input ``slot`` of node ``target``."""
        self._edges.extend((source, target, slot, output, control))

    def add_edges(self, rows: list[int]) -> None:
        """Many edges at once: of each source, target, slot, output, and whether it is one of control."""
        self._edges.fromlist(rows)

    def missing_input(self, target: int, slot: int, name: str) -> None:
        """Records that input ``slot`` of node ``target`` names an absent node."""
        self.missing.setdefault(target, []).append((slot, name))
        self.notice("missing_inputs").add(f"{name} (of {self.names[target]})")

    def notice(self, code: str) -> GraphNotice:
        """The notice with this code, created at first use."""
        known = self._notices.get(code)
        if known is None:
            known = self._notices[code] = GraphNotice(code)
        return known

    def truncated(self, reason: str) -> None:
        """Reports that the graph ends early, with the number of nodes read so far."""
        self._notices["truncated"] = GraphNotice("truncated", {"reason": reason, "parts": len(self.names)}, 1)

    def graph(
        self,
        details: Callable[[int], NodeDetails],
        order: Callable[[int, Edges], tuple[Indices, int]],
        payload_bytes: int,
    ) -> Graph:
        """``order`` gives topological ranks, and how many nodes are on cycles."""
        sources, targets, slots, outputs, controls = _columns(self._edges, 5)
        edges = Edges(sources, targets, slots, outputs, controls.astype(bool))
        scope, is_placed, kinds, types, signatures, devices = _columns(self._nodes, 6)
        placed = is_placed.astype(bool)
        self._tell_apart(scope, placed)
        # what has no place has no inputs: it is shown before what uses it, wherever it is written
        ranks, cyclic = order(len(self.names), edges.take(placed[edges.sources]))
        if cyclic:
            self.notice("cycles").count = cyclic
        for name in self.duplicates.values():
            self.notice("duplicate_names").add(name)
        return Graph(
            format=self.format,
            names=self.names,
            scopes=self.scopes,
            scope=scope,
            placed=placed,
            kinds=kinds.astype(np.uint8),
            types=types,
            type_names=self.types.texts,
            signatures=signatures,
            output_types=list(self._signature_codes),
            devices=devices,
            device_names=self.device_codes.texts,
            order=ranks,
            edges=edges,
            missing=self.missing,
            whole_numbers=self.whole_numbers,
            notices=tuple(self._notices.values()),
            details=details,
            weights=self.weights,
            payload_bytes=payload_bytes,
        )

    def _tell_apart(self, scope: Indices, placed: NDArray[np.bool_]) -> None:
        """Gives each node of a scope a name of its own, and puts one that is named as a scope into that."""
        at = np.flatnonzero(placed)
        if not len(at):
            return
        of_scopes = np.sort(_keys(np.array(self.scopes.parents[1:], np.int64), self.scopes.labels[1:]))
        keys = _keys(scope[at].astype(np.int64), self._names_of(at))
        order = np.argsort(keys, kind="stable")
        where = np.searchsorted(of_scopes, keys[order])
        known = where < len(of_scopes)
        known[known] = of_scopes[where[known]] == keys[order][known]
        alike = keys[order]
        named_so = at[np.sort(order[known])]
        for index in named_so.tolist():
            inside = self.scopes.find(joined(self.scopes.paths[scope[index]], self.names[index]))
            if inside is not None:
                scope[index] = inside
                self.names[index] = f"({self.names[index]})"
        if len(named_so):
            keys[np.searchsorted(at, named_so)] = _keys(
                scope[named_so].astype(np.int64), self._names_of(named_so)
            )
            alike = np.sort(keys)
        if (alike[1:] == alike[:-1]).any():
            self._rename(at, keys, scope)

    def _names_of(self, nodes: NDArray[np.intp]) -> list[str]:
        return self.names if len(nodes) == len(self.names) else [self.names[i] for i in nodes.tolist()]

    def _rename(self, at: NDArray[np.intp], keys: NDArray[np.int64], scope: Indices) -> None:
        """Numbers those of the nodes ``at`` that have the name of another in their scope."""
        _, first, counts = np.unique(keys, return_index=True, return_counts=True)
        alike = at[np.isin(keys, keys[first[counts > 1]])]
        siblings = at[np.isin(scope[at], scope[alike])]
        taken = set(zip(scope[siblings].tolist(), self._names_of(siblings), strict=True))
        seen: set[tuple[int, str]] = set()
        again: dict[tuple[int, str], int] = {}
        for index in alike.tolist():
            wanted = int(scope[index]), self.names[index]
            if wanted not in seen:
                seen.add(wanted)
                continue
            place, name = wanted
            path = joined(self.scopes.paths[place], name)
            self.duplicates[index] = path
            while (place, name) in taken or self.scopes.find(joined(self.scopes.paths[place], name)):
                again[wanted] = again.get(wanted, 1) + 1
                name = f"{wanted[1]} ({again[wanted]})"
            taken.add((place, name))
            self.names[index] = name


def _columns(rows: array[int], width: int) -> list[Indices]:
    """Columns of what was added row by row, of which nothing is kept."""
    whole = np.frombuffer(rows, np.int32) if rows else np.empty(0, np.int32)
    found = [whole[column::width].copy() for column in range(width)]
    del whole
    del rows[:]
    return found


def _keys(scopes: NDArray[np.int64], names: Sequence[str]) -> NDArray[np.int64]:
    """Numbers that are equal where scope and name are (and hardly ever where they are not)."""
    hashes = np.fromiter(map(hash, names), np.int64, len(names))
    with np.errstate(over="ignore"):
        return hashes ^ ((scopes + 1) * np.int64(0x1E3779B97F4A7C15))
