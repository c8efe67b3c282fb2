"""The last few graphs of files that are mostly weights, and comparisons of graphs, for the next requests."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from attrs import define, field
from cachetools import LRUCache

from insight_core.plugin import InvalidArgument, OwnData, ReasonKind
from insight_core.plugin.data import RecordPlace
from insight_graph.claims import EXPORTED_FILE, ONNX_FILE
from insight_graph.difference import MOST_NODES, Difference
from insight_graph.model import GraphModel
from insight_graph.torch_export import graph_of_stream

LARGE = 32 << 20  # bytes of an exported program of which only the graph is read
MOST_BYTES = 2 << 30  # of a model of ONNX, which protobuf allows no more
_KEPT = 4  # graphs
_MODEL_TOO_LARGE = ReasonKind(
    "graph_model_too_large", "the model has more than {most:,} bytes: export its weights as external data"
)
_TOO_LARGE_TO_COMPARE = ReasonKind(
    "graph_too_large_to_compare", "graphs of more than {most:,} nodes are not compared"
)


@define(eq=False)
class LargeFiles:
    """The last few graphs of such files. For any thread."""

    own: OwnData
    _kept: LRUCache[RecordPlace, GraphModel] = field(factory=lambda: LRUCache(_KEPT))
    _lock: Lock = field(factory=Lock)

    def get(self, place: RecordPlace) -> GraphModel | None:
        """The graph of a large file that can be read in parts; None for others, which the host decodes.

        Raises Undecodable for a file that cannot be read, or is larger than MOST_BYTES.
        """
        if _ends(place, ONNX_FILE.pattern) and place.size > MOST_BYTES:
            raise place.undecodable(_MODEL_TOO_LARGE(most=MOST_BYTES))
        if not _ends(place, EXPORTED_FILE.pattern) or place.size < LARGE:
            return None
        with self._lock:
            known = self._kept.get(place)
        if known is not None:
            return known
        with self.own.open_payload(place) as stream:
            if not stream.file.seekable():
                return None
            try:
                model = GraphModel(graph_of_stream(stream.file))
            except ValueError as error:
                raise place.undecodable(error) from error
        with self._lock:
            self._kept[place] = model
        return model


def _ends(place: RecordPlace, pattern: str) -> bool:
    return place.key.tag.endswith(pattern.removeprefix("*"))


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
