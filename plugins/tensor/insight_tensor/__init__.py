"""Tensors: any array that a run records, as a table of numbers or as its distribution over steps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from insight_core.plugin import DataProvider, Plugin, PluginNameEnum, Route, hookimpl
from insight_tensor.decoder import DECODER, unclaimed


def _routes(data: DataProvider) -> Sequence[Route]:
    from insight_tensor.routes import routes  # werkzeug: only where there is a host

    return routes(data)


def _is_active(data: DataProvider) -> bool:
    """Also where all there is are tensors that nobody claims: somewhere a log must be seen whole."""
    return PluginNameEnum.TENSOR in data.plugins() or bool(unclaimed(data))


@hookimpl
def insight_plugin() -> Plugin:
    return Plugin(
        name=PluginNameEnum.TENSOR,
        title="Tensors",
        titles={"zh-CN": "张量"},
        decoder=DECODER,
        routes=_routes,
        frontend=Path(__file__).parent / "static",
        is_active=_is_active,
        order=500,
    )
