"""Graphs: what a model computes, scope by scope, and the pipeline that its data come through."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from insight_core.plugin import DataProvider, Plugin, PluginNameEnum, Route, hookimpl
from insight_graph.claims import DECODER


def _routes(data: DataProvider) -> Sequence[Route]:
    from insight_graph.routes import routes  # werkzeug: only where there is a host

    return routes(data)


@hookimpl
def insight_plugin() -> Plugin:
    return Plugin(
        name=PluginNameEnum.GRAPH,
        title="Graphs",
        titles={"zh-CN": "计算图"},
        decoder=DECODER,
        routes=_routes,
        frontend=Path(__file__).parent / "static",
        order=600,
    )
