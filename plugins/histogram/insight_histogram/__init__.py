"""Histograms: how the values of weights, gradients and activations are distributed, step by step."""

from __future__ import annotations

from pathlib import Path

from insight_core.plugin import CachePolicy, Keep, Plugin, PluginNameEnum, RecordDecoder, hookimpl
from insight_histogram.claims import CLAIMS


@hookimpl
def insight_plugin() -> Plugin:
    """Histograms of both dialects."""
    return Plugin(
        name=PluginNameEnum.HISTOGRAM,
        title="Histograms",
        tab_group="model",
        titles={"zh-CN": "参数分布"},
        decoder=RecordDecoder(CLAIMS, decode="insight_core.plugin.payloads:decoded_histogram"),
        presets={"mindinsight": CachePolicy(Keep.UNIFORM, points=50, series=300)},
        routes="insight_histogram.routes:routes",
        frontend=Path(__file__).parent / "static",
        step_state={"step": "{step}", "link": "1", "compare": "1"},
        tag_state={"tags": "{pattern}"},
        order=300,
    )
