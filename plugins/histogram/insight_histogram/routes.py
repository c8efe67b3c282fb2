"""The HTTP side of the histogram plugin."""

from __future__ import annotations

from collections.abc import Sequence

from insight_core.plugin import PluginContext, Route
from insight_core.plugin.lab import comparison_route, histograms_route


def routes(ctx: PluginContext) -> Sequence[Route]:
    """Histograms of one series, and a comparison of runs at one step."""
    return [
        histograms_route(ctx.data, ctx.name, ctx.values.at),
        comparison_route(ctx.data, ctx.name, ctx.values.at),
    ]
