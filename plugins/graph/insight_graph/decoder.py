"""Decodes graphs and step statistics."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from attrs import frozen

from insight_core.plugin import BEGINNING, Claim, Reason
from insight_core.plugin.data import Payload, SeriesInfo
from insight_core.plugin.lab import plain
from insight_core.plugin.payloads import tensor_of
from insight_graph import compute_times, keras, mindspore, mindspore_ir, onnx, tensorflow, torch_export
from insight_graph.beginnings import TENSORFLOW, graph_format
from insight_graph.claims import (
    DUMP_FILE,
    EXPORTED_FILE,
    GRAPH_DEF,
    GRAPH_FILE,
    IR_FILE,
    KERAS,
    LINEAGE,
    META_GRAPH,
    MINDSPORE_EVENT,
    MSPROBE_FILE,
    ONNX_FILE,
    OTHER_FILE,
    PROFILED_TRACE,
    RUN_METADATA,
    TRACE,
)
from insight_graph.columns import Graph
from insight_graph.model import GraphModel
from insight_graph.msprobe_dump import statistics_of_json
from insight_graph.tensor_statistics import TensorStatistics, statistics_of_file

# What else a .pb file may be
_NO_GRAPH = re.compile(
    r"(.*/)?(memory_usage_[0-9]+|[^/]*\.xplane|saved_model|fingerprint|keras_metadata)\.pb"
)


def _graph_of_file(data: bytes) -> Graph:
    """The graph of a .pb file, whoever wrote it. Raises ValueError for bytes of which nothing can be read."""
    is_tensorflow = graph_format(data[:BEGINNING]) == TENSORFLOW
    return tensorflow.graph_of_event(data) if is_tensorflow else mindspore.graph_of_file(data)


@frozen
class GraphSource:
    """How values of a claim are graphs: ``kind`` and ``format`` are as ``/graphs`` answers them, ``format``
    is empty where only reading it tells."""

    kind: str
    format: str
    read: Callable[[bytes], Graph]
    rank: int  # which to open first


GRAPHS: dict[Claim, GraphSource] = {
    MINDSPORE_EVENT: GraphSource("operators", "mindspore", mindspore.graph_of_event, 0),
    GRAPH_DEF: GraphSource("operators", "tensorboard", tensorflow.graph_of_event, 0),
    GRAPH_FILE: GraphSource("operators", "mindspore", mindspore.graph_of_file, 1),
    OTHER_FILE: GraphSource("operators", "", _graph_of_file, 2),
    EXPORTED_FILE: GraphSource("operators", torch_export.FORMAT, torch_export.graph_of_archive, 2),
    ONNX_FILE: GraphSource("operators", onnx.FORMAT, onnx.graph_of_model, 2),
    IR_FILE: GraphSource("operators", mindspore_ir.FORMAT, mindspore_ir.graph_of_text, 3),
    KERAS: GraphSource("layers", "keras", keras.graph_of_model, 3),
    PROFILED_TRACE: GraphSource("functions", "tensorboard", tensorflow.graph_of_trace, 4),
    TRACE: GraphSource("functions", "tensorboard", tensorflow.graph_of_trace, 5),
    META_GRAPH: GraphSource("operators", "tensorboard", tensorflow.graph_of_meta_graph, 6),
}
PROFILES = {RUN_METADATA, PROFILED_TRACE}
_OF_SUMMARIES = {KERAS, TRACE, PROFILED_TRACE}


_LARGEST = (1 << 30) - (1 << 20)  # bytes that a value counts for at most: the largest graph is kept alone


@frozen(eq=False)
class ComputeTimes:
    """Step statistics by the name of the node."""

    rows: dict[str, compute_times.Rows]
    nbytes: int


STATISTICS: dict[Claim, Callable[[bytes], TensorStatistics]] = {
    DUMP_FILE: statistics_of_file,
    MSPROBE_FILE: statistics_of_json,
}

Decoded: TypeAlias = GraphModel | ComputeTimes | TensorStatistics


def source_of(info: SeriesInfo) -> GraphSource | None:
    """The kind of graph that the records of a series hold; None if they hold no graph."""
    if _NO_GRAPH.fullmatch(info.key.tag):
        return None
    return next((GRAPHS[claim] for claim in info.claims if claim in GRAPHS), None)


def is_profile(info: SeriesInfo) -> bool:
    """Whether the series holds profiles with compute times."""
    return not PROFILES.isdisjoint(info.claims)


def is_dump(info: SeriesInfo) -> bool:
    """Whether the series holds statistics of tensors."""
    return not STATISTICS.keys().isdisjoint(info.claims)


def is_pipeline(info: SeriesInfo) -> bool:
    """Whether the series holds lineage files, which may contain data pipelines."""
    return LINEAGE in info.claims


def decoded(payload: Payload) -> Decoded:
    """Raises ValueError for bytes that are not what the claim promises, and for data pipelines."""
    if payload.claim == LINEAGE:
        raise ValueError(
            Reason("a lineage file is not a graph: the lineage plugin decodes it", "graph_of_lineage")
        )
    data = _content(payload)
    if payload.claim in STATISTICS:
        return STATISTICS[payload.claim](data)
    if payload.claim == RUN_METADATA:
        return ComputeTimes(compute_times.rows_of(data), 4 * len(data))
    graph = GRAPHS[payload.claim].read(data)
    if payload.claim != PROFILED_TRACE:
        return GraphModel(graph)
    rows = compute_times.rows_of(data)
    return GraphModel(graph, compute_times.times_of(graph, rows), rows, 4 * len(data))


def size_of(value: Decoded) -> int:
    """Bytes in memory, as the cache counts them."""
    return min(value.nbytes, _LARGEST)


def encoded(value: Decoded) -> object:
    """The size of a graph (``/scope`` opens it), else the value itself."""
    if isinstance(value, TensorStatistics):
        return {"tensors": len(value.keys)}
    if not isinstance(value, GraphModel):
        return plain(value)
    return {"nodes": len(value.graph), "edges": len(value.graph.edges)}


def _content(payload: Payload) -> bytes:
    """Of a summary value the string that its tensor holds."""
    if payload.claim not in _OF_SUMMARIES:
        return payload.data
    values = tensor_of(payload).values
    if values.dtype != object or not values.size:
        raise ValueError(Reason("the value holds no string", "graph_no_string"))
    content: bytes = values.ravel()[0]
    return content
