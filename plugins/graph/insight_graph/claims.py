"""What the graph plugin claims of the logs; how each of it is read is loaded when somebody looks."""

from __future__ import annotations

from insight_core.plugin import (
    Dialect,
    EventField,
    FileName,
    Payload,
    PluginNameEnum,
    RecordDecoder,
    SummaryPlugin,
)

NAME = str(PluginNameEnum.GRAPH)

MINDSPORE_EVENT = EventField(Dialect.MINDSPORE, "graph_def")
GRAPH_DEF = EventField(Dialect.TENSORBOARD, "graph_def")
META_GRAPH = EventField(Dialect.TENSORBOARD, "meta_graph_def")
RUN_METADATA = EventField(Dialect.TENSORBOARD, "tagged_run_metadata")
KERAS = SummaryPlugin("graph_keras_model")
TRACE = SummaryPlugin("graph_run_metadata_graph")
PROFILED_TRACE = SummaryPlugin("graph_run_metadata")
GRAPH_FILE = FileName("ms_output_*.pb")


def _is_graph(beginning: bytes) -> bool:
    from insight_graph.beginnings import begins_as_graph  # only where there are such files

    return begins_as_graph(beginning)


OTHER_FILE = FileName("*.pb", makes_run=_is_graph)
LINEAGE = FileName("*_lineage", makes_run=False)


def _decoded(payload: Payload) -> object:
    from insight_graph.decoder import decoded  # slow to load, and most never need it

    return decoded(payload)


DECODER = RecordDecoder(
    claims={
        MINDSPORE_EVENT,
        GRAPH_DEF,
        META_GRAPH,
        RUN_METADATA,
        KERAS,
        TRACE,
        PROFILED_TRACE,
        GRAPH_FILE,
        OTHER_FILE,
        LINEAGE,
    },
    decode=_decoded,
)
