"""Values of events and files that the graph plugin claims."""

from __future__ import annotations

from typing import Any

from insight_core.plugin import (
    Claim,
    Dialect,
    EventField,
    FileName,
    NotFound,
    PluginContext,
    PluginNameEnum,
    SummaryPlugin,
)

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
ONNX_FILE = FileName("*.onnx")
EXPORTED_FILE = FileName("*.pt2")


def _is_dump(beginning: bytes) -> bool:
    return beginning.startswith(b"Op Type,Op Name,")


def _is_msprobe(beginning: bytes) -> bool:
    return beginning.startswith(b"{") and b'"dump_data_dir"' in beginning


def _is_ir(beginning: bytes) -> bool:
    from insight_graph.beginnings import begins_as_ir  # only where there are such files

    return begins_as_ir(beginning)


IR_FILE = FileName("*.ir", begins=_is_ir)
DUMP_FILE = FileName("**/statistic.csv", makes_run=_is_dump)
MSPROBE_FILE = FileName("**/dump.json", makes_run=_is_msprobe)
LINEAGE = FileName("*_lineage", makes_run=False)


CLAIMS: set[Claim] = {
    MINDSPORE_EVENT,
    GRAPH_DEF,
    META_GRAPH,
    RUN_METADATA,
    KERAS,
    TRACE,
    PROFILED_TRACE,
    GRAPH_FILE,
    OTHER_FILE,
    ONNX_FILE,
    EXPORTED_FILE,
    IR_FILE,
    DUMP_FILE,
    MSPROBE_FILE,
    LINEAGE,
}


def has_graphs(ctx: PluginContext) -> bool:
    """Whether any run has a graph or a data pipeline; most lineage files have none."""
    series = ctx.own.series()
    if any(LINEAGE not in info.claims for info in series):
        return True
    if not series:
        return False
    try:
        answer: Any = ctx.ask(str(PluginNameEnum.LINEAGE), "/columns")
    except NotFound:  # without that plugin no pipeline can be shown
        return False
    return any(column["group"] == "pipeline" for column in answer["columns"])
