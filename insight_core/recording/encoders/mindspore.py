"""Encoder of MindSpore's summary files.

Field numbers: mindinsight_summary.proto, mindinsight_anf_ir.proto.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from insight_core.formats.protobuf import message_field, pieces_field
from insight_core.recording.arrays import snapshot
from insight_core.recording.encoders.encoder import EncodedValue
from insight_core.recording.encoders.shared import histogram, image
from insight_core.recording.graphs import checked_graph, graph_proto, nodes_of
from insight_core.recording.histograms import mindspore_histogram
from insight_core.recording.landscapes import landscape_of, mindspore_landscape
from insight_core.recording.lineage import (
    DATASET_GRAPH,
    EVALUATION_LINEAGE,
    TRAIN_LINEAGE,
    USER_DEFINED_INFO,
    dataset_graph,
    evaluation_lineage,
    train_lineage,
    user_defined_info,
)
from insight_core.recording.mappings import INT32, whole_number_of
from insight_core.recording.tensors import mindspore_checked, mindspore_tensor

_TENSOR, _HISTOGRAM, _LANDSCAPE = 8, 9, 10  # of a value


class MindSpore:
    """MindSpore's summary files: mindinsight_summary.proto."""

    name = "mindspore"
    version = b"MindSpore.Event:1"
    suffix = "_MS"
    number_key = b"\x1d"

    def file_name(
        self, prefix: str, suffix: str, seconds: int, rank: int, host: str, process: int, number: int
    ) -> str:
        """See ``Dialect.file_name``; process and number are not in the name."""
        return f"{prefix}.out.events.summary.{seconds}.{rank}.{host}{suffix}"

    def joined(self, values: list[EncodedValue]) -> list[EncodedValue]:
        """The values unchanged: each is written on its own."""
        return values

    def values(self, plugin: str, name: str, value: object) -> list[EncodedValue]:
        """See ``Dialect.values``. Raises ValueError also for a kind that this dialect lacks."""
        kind = _KINDS.get(plugin)
        if kind is None:
            raise ValueError(
                f"the mindspore dialect has no {plugin!r}: it has {', '.join(['scalar', *_KINDS])}"
            )
        return kind(name, value)


def _tensor(name: str, value: object) -> list[EncodedValue]:
    array = snapshot(mindspore_checked(value))
    size = max(array.nbytes, 4 * array.size)
    return [EncodedValue(name, "summary", size, lambda: pieces_field(_TENSOR, mindspore_tensor(array)))]


def _landscape(name: str, value: object) -> list[EncodedValue]:
    landscape = landscape_of(value)
    for number in landscape.intervals:
        whole_number_of("a number of the intervals", number, INT32)
    return [
        EncodedValue(
            name, "summary", landscape.size, lambda: pieces_field(_LANDSCAPE, mindspore_landscape(landscape))
        )
    ]


def _graph(name: str, value: object) -> list[EncodedValue]:
    graph = checked_graph(value) if isinstance(value, bytes) else graph_proto(nodes_of(value))
    return [EncodedValue(name, "graph", len(graph), lambda: [graph])]


def _lineage(field: int, message: Callable[[object], bytes]) -> Callable[[str, object], list[EncodedValue]]:
    def values(name: str, value: object) -> list[EncodedValue]:
        content = message_field(field, message(value))
        return [EncodedValue(name, "lineage", len(content), lambda: [content])]

    return values


_KINDS: Mapping[str, Callable[[str, object], list[EncodedValue]]] = {
    "image": image,
    "histogram": partial(histogram, _HISTOGRAM, mindspore_histogram),
    "tensor": _tensor,
    "graph": _graph,
    "train_lineage": _lineage(TRAIN_LINEAGE, train_lineage),
    "eval_lineage": _lineage(EVALUATION_LINEAGE, evaluation_lineage),
    "dataset_graph": _lineage(DATASET_GRAPH, dataset_graph),
    "custom_lineage_data": _lineage(USER_DEFINED_INFO, partial(user_defined_info, "custom_lineage_data")),
    "hparams": _lineage(USER_DEFINED_INFO, partial(user_defined_info, "hparams")),
    "loss_landscape": _landscape,
}
MINDSPORE = MindSpore()
