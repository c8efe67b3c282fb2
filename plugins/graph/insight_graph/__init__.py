"""Graphs: what a model computes, scope by scope, and the pipeline that its data come through."""

from __future__ import annotations

from pathlib import Path

from insight_core.plugin import CachePolicy, Keep, Plugin, PluginNameEnum, RecordDecoder, hookimpl
from insight_graph.claims import CLAIMS


@hookimpl
def insight_plugin() -> Plugin:
    """Model graphs and data pipelines of both dialects."""
    return Plugin(
        name=PluginNameEnum.GRAPH,
        title="Graphs",
        tab_group="model",
        titles={"zh-CN": "计算图"},
        decoder=RecordDecoder(
            claims=CLAIMS,
            decode="insight_graph.decoder:decoded",
            encode="insight_graph.decoder:encoded",
            size_of="insight_graph.decoder:size_of",
        ),
        cache=CachePolicy(payload_bytes=1 << 30),  # a graph of a million nodes takes most of it
        presets={"mindinsight": CachePolicy(Keep.UNIFORM, points=1, series=10)},
        routes="insight_graph.views:routes",
        frontend=Path(__file__).parent / "static",
        is_active="insight_graph.claims:has_graphs",
        order=600,
    )
