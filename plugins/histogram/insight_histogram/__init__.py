"""Histograms: how the values of weights, gradients and activations are distributed, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from insight_core.plugin import DataProvider, Plugin, PluginNameEnum, Route, hookimpl
from insight_histogram.decoder import DECODER


def _routes(data: DataProvider) -> Sequence[Route]:
    from insight_histogram.routes import routes  # werkzeug: only where there is a host

    return routes(data)


@hookimpl
def insight_plugin() -> Plugin:
    return Plugin(
        name=PluginNameEnum.HISTOGRAM,
        title="Histograms",
        titles={"zh-CN": "参数分布"},
        decoder=DECODER,
        routes=_routes,
        frontend=Path(__file__).parent / "static",
        order=300,
    )
