"""Tensors: any array that a run records, as a table of numbers or as its distribution over steps."""

from __future__ import annotations

from pathlib import Path

from insight_core.plugin import CachePolicy, Keep, Plugin, PluginNameEnum, RecordDecoder, hookimpl
from insight_tensor.claims import CLAIMS


@hookimpl
def insight_plugin() -> Plugin:
    """Tensors of both dialects that no other plugin claims."""
    return Plugin(
        name=PluginNameEnum.TENSOR,
        title="Tensors",
        tab_group="model",
        titles={"zh-CN": "张量"},
        decoder=RecordDecoder(
            claims=CLAIMS,
            decode="insight_core.plugin.payloads:tensor_of",
            encode="insight_tensor.cells:encoded",
        ),
        cache=CachePolicy(payload_bytes=160 << 20),
        presets={"mindinsight": CachePolicy(Keep.UNIFORM, points=20, series=6)},
        routes="insight_tensor.routes:routes",
        frontend=Path(__file__).parent / "static",
        step_state={"step": "{step}", "link": "1"},
        tag_state={"tags": "{pattern}"},
        is_active="insight_tensor.claims:has_tensors",
        order=500,
    )
