"""The last few comparisons of graphs, so that pages of a list do not compare again."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from attrs import define, field
from cachetools import LRUCache

from insight_core.plugin import InvalidArgument, ReasonKind
from insight_core.plugin.data import RecordPlace
from insight_graph.difference import MOST_NODES, Difference
from insight_graph.model import GraphModel

_KEPT = 4
_TOO_LARGE_TO_COMPARE = ReasonKind(
    "graph_too_large_to_compare", "graphs of more than {most:,} nodes are not compared"
)


@define(eq=False)
class KeptDifferences:
    """Comparisons by the records that were compared. For any thread."""

    _kept: LRUCache[tuple[RecordPlace, RecordPlace], Difference] = field(factory=lambda: LRUCache(_KEPT))
    _lock: Lock = field(factory=Lock)

    def get(
        self, before: RecordPlace, after: RecordPlace, model: Callable[[RecordPlace], GraphModel]
    ) -> Difference:
        """Raises InvalidArgument for a graph of more than MOST_NODES nodes."""
        with self._lock:
            known = self._kept.get((before, after))
        if known is not None:
            return known
        one, two = model(before), model(after)
        if max(len(one.graph), len(two.graph)) > MOST_NODES:
            raise InvalidArgument(_TOO_LARGE_TO_COMPARE(most=MOST_NODES))
        found = Difference.of(one, two)
        with self._lock:
            self._kept[before, after] = found
        return found
