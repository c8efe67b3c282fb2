"""How each of what the graph plugin claims is read."""

from __future__ import annotations

import re
from collections.abc import Callable

from attrs import define, frozen

from insight_core.plugin import BEGINNING, Claim, Payload, SeriesInfo
from insight_core.plugin.payloads import tensor_of
from insight_graph import keras, mindspore, pipeline, step_stats, tensorflow
from insight_graph.beginnings import TENSORFLOW, graph_format
from insight_graph.claims import (
    GRAPH_DEF,
    GRAPH_FILE,
    KERAS,
    LINEAGE,
    META_GRAPH,
    MINDSPORE_EVENT,
    OTHER_FILE,
    PROFILED_TRACE,
    RUN_METADATA,
    TRACE,
)
from insight_graph.columns import Graph
from insight_graph.model import GraphModel

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
    KERAS: GraphSource("layers", "keras", keras.graph_of_model, 3),
    PROFILED_TRACE: GraphSource("functions", "tensorboard", tensorflow.graph_of_trace, 4),
    TRACE: GraphSource("functions", "tensorboard", tensorflow.graph_of_trace, 5),
    META_GRAPH: GraphSource("operators", "tensorboard", tensorflow.graph_of_meta_graph, 6),
}
PROFILES = {RUN_METADATA, PROFILED_TRACE}
_OF_SUMMARIES = {KERAS, TRACE, PROFILED_TRACE}


@define
class StepTimes:
    """Step statistics by the name of the node."""

    rows: dict[str, step_stats.Rows]
    nbytes: int


def source_of(info: SeriesInfo) -> GraphSource | None:
    """What kind of graph the records of a series are; None for what is no graph."""
    if _NO_GRAPH.fullmatch(info.key.tag):
        return None
    return next((GRAPHS[claim] for claim in info.claims if claim in GRAPHS), None)


def is_profile(info: SeriesInfo) -> bool:
    return not PROFILES.isdisjoint(info.claims)


def is_pipeline(info: SeriesInfo) -> bool:
    return LINEAGE in info.claims


def graph_of(payload: Payload) -> GraphModel:
    """Raises ValueError for bytes that are no graph."""
    source = GRAPHS.get(payload.claim)
    if source is None:
        raise ValueError(f"{payload.claim} is no graph")
    data = _content(payload)
    graph = source.read(data)
    rows = step_stats.rows_of(data) if payload.claim == PROFILED_TRACE else {}
    return GraphModel(graph, step_stats.times_of(graph, rows))


def profile_of(payload: Payload) -> StepTimes:
    """Raises ValueError for bytes that are no step statistics."""
    data = _content(payload)
    return StepTimes(step_stats.rows_of(data), 4 * len(data))


def pipeline_of(payload: Payload) -> pipeline.Pipeline:
    if payload.claim != LINEAGE:
        raise ValueError(f"{payload.claim} is no lineage file")
    return pipeline.pipeline_of(payload.data)


def _content(payload: Payload) -> bytes:
    """Of a summary value the string that its tensor holds."""
    if payload.claim not in _OF_SUMMARIES:
        return payload.data
    values = tensor_of(payload).values
    if values.dtype != object or not values.size:
        raise ValueError("the value holds no string")
    content: bytes = values.ravel()[0]
    return content


def decoded(payload: Payload) -> GraphModel | StepTimes | pipeline.Pipeline:
    if payload.claim == LINEAGE:
        return pipeline_of(payload)
    return profile_of(payload) if payload.claim == RUN_METADATA else graph_of(payload)
