"""Inputs of nodes, which a file gives by name."""

from __future__ import annotations

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from insight_graph.columns import Edges, Indices
from insight_graph.graph_builder import GraphBuilder
from insight_graph.scopes import Offsets
from insight_graph.texts import text_of


@frozen(eq=False)
class InputNames:
    """Offsets in ``data`` of the names of inputs, with the nodes that take them and the slots."""

    data: bytes
    targets: Indices
    slots: Indices
    starts: Offsets
    ends: Offsets

    def counted_from(self, first: int) -> InputNames:
        """The inputs of nodes that were counted from 0 and have the numbers from ``first`` on."""
        return evolve(self, targets=self.targets + first)

    def connect(
        self,
        builder: GraphBuilder,
        sources: Indices,
        outputs: Indices,
        controls: NDArray[np.bool_],
        missing: NDArray[np.bool_],
    ) -> None:
        """Adds an edge from each source, but not from -1. Inputs that are ``missing`` are reported."""
        for row in np.flatnonzero(missing).tolist():
            name = text_of(self.data[self.starts[row] : self.ends[row]])
            builder.missing_input(int(self.targets[row]), int(self.slots[row]), name)
        edges = Edges(sources, self.targets, self.slots, outputs, controls)
        builder.edges(edges.take(sources >= 0))
