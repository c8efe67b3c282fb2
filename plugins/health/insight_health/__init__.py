"""Layer health: NaN, dead units and sizes of weights, gradients and activations, by layer, step and rank."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from insight_core.plugin import Messages, Plugin, PluginContext, hookimpl

_HERE = Path(__file__).parent
_LOOKED_AT = 20  # runs whose scalars decide whether there is a tab


def _is_active(ctx: PluginContext) -> bool:
    if {"histogram", "tensor"} & set(ctx.data.plugins()):
        return True
    from insight_health.routes import LAYER_PLUGINS
    from insight_layers import has_layers

    return has_layers(ctx.data, LAYER_PLUGINS, [run.name for run in ctx.data.runs()[:_LOOKED_AT]])


@hookimpl
def insight_plugin() -> Plugin:
    """The tab; it claims no values, and reads those of histograms, tensors and scalars."""
    return Plugin(
        name="health",
        title="Layers",
        tab_group="diagnosis",
        titles={"zh-CN": "网络层"},
        routes="insight_health.routes:routes",
        computations={"map": "insight_health.routes:map_answer"},
        frontend=_HERE / "static",
        is_active=_is_active,
        order=1220,
    )


@hookimpl
def insight_messages() -> Iterable[Messages]:
    """The texts of errors in Chinese."""
    return Messages.of(_HERE / "locales")
