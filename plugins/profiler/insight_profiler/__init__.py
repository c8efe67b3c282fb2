"""Profiles: what took how long, on the host and on devices, whichever framework wrote them."""

from __future__ import annotations

from pathlib import Path

from insight_core.plugin import CachePolicy, Plugin, PluginNameEnum, RecordDecoder, hookimpl
from insight_profiler.claims import FILES


@hookimpl
def insight_plugin() -> Plugin:
    """Profiles of MindSpore, PyTorch, TensorFlow and JAX, claimed as files."""
    return Plugin(
        name=PluginNameEnum.PROFILER,
        title="Profiler",
        titles={"zh-CN": "性能分析"},
        decoder=RecordDecoder(FILES),
        cache=CachePolicy(payload_bytes=0),
        routes="insight_profiler.views:routes",
        frontend=Path(__file__).parent / "static",
        order=800,
    )
