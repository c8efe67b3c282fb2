"""A graph in columnar form: rows for nodes and edges, tables for repeated texts."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from insight_graph.notices import GraphNotice
from insight_graph.scopes import Scopes, joined
from insight_graph.texts import NodeTexts

Indices: TypeAlias = NDArray[np.int32]
Shape: TypeAlias = tuple[int, ...] | None  # -1: not known; None: the rank is not known


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
    is_buffer: bool = False  # kept with the model, not trained by nature


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
    names: NodeTexts
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
    handles: Mapping[int, OutputType] = field(factory=dict)  # by node: the variable behind its output
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
        return joined(self.scopes.path(int(self.scope[node])), self.names[node])
