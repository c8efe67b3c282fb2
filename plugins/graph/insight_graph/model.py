"""A graph opened for viewing: its columns, and its full and readable views."""

from __future__ import annotations

import threading

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from insight_core.plugin import InvalidArgument, ReasonKind
from insight_graph.columns import Graph
from insight_graph.readable import Removed, readable
from insight_graph.stored import Stored
from insight_graph.tensors import tensors_of
from insight_graph.view import GraphView, Shown

_UNKNOWN_ID = ReasonKind("graph_unknown_id", "id names nothing that is shown of the graph: {id!r}")


@frozen(eq=False)
class Times:
    """Compute time of nodes in microseconds, NaN where it is not known; ``rows`` say how it came about."""

    micros: NDArray[np.float64]
    rows: dict[int, list[tuple[str, int, int]]]  # by node: device, start and duration, microseconds


@define(eq=False)
class GraphModel:
    """Views are made when they are first asked for."""

    graph: Graph
    times: Times | None = None
    rows: dict[str, list[tuple[str, int, int]]] | None = None  # step statistics by node of the same record
    extra_bytes: int = 0  # of the rows
    _views: dict[bool, GraphView] = field(factory=dict)
    _removed: Removed | None = None
    _tensors: list[Stored] | None = None
    _lock: threading.Lock = field(factory=threading.Lock)

    @property
    def nbytes(self) -> int:
        """About what it takes, with both views."""
        return self.extra_bytes + self.graph.nbytes + len(self.graph) * 200 + len(self.graph.edges) * 100

    def view(self, is_readable: bool) -> GraphView:
        """The graph as shown, after the readability pass if ``is_readable``. Cached."""
        with self._lock:
            found = self._views.get(is_readable)
            if found is None:
                if is_readable:
                    found = GraphView.of(self._pass().graph, self._pass().shown)
                else:
                    found = GraphView.of(self.graph, Shown.all_of(self.graph))
                self._views[is_readable] = found
            return found

    def removed(self) -> Removed:
        """What the readability pass takes away."""
        with self._lock:
            return self._pass()

    def tensors(self) -> list[Stored]:
        """What the whole graph stores or is given, whatever the readability pass takes away."""
        with self._lock:
            if self._tensors is None:
                self._tensors = tensors_of(self.graph)
            return self._tensors

    def _pass(self) -> Removed:
        if self._removed is None:
            self._removed = readable(self.graph)
        return self._removed


def place_of(view: GraphView, id_: str) -> int:
    """The branch or leaf with that id. Raises InvalidArgument, with a text for the user."""
    place = view.tree.find(id_)
    if place is None:
        raise InvalidArgument(_UNKNOWN_ID(id=id_))
    return place


def branch_of(view: GraphView, id_: str, name: str = "id") -> int:
    """The tree place of a scope or stack. Raises InvalidArgument for other ids."""
    place = view.tree.find(id_)
    if place is None or place < 0:
        text = f"{name} must be that of a scope or stack, not {id_!r}"
        raise InvalidArgument(text, code="graph_no_scope", id=id_)
    return place
