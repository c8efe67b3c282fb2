"""Scalars: loss curves and every other number that a run records by step."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from insight_core.plugin import DataProvider, Plugin, PluginNameEnum, Route, hookimpl
from insight_scalar.decoder import DECODER


def _routes(data: DataProvider) -> Sequence[Route]:
    from insight_scalar.routes import routes  # werkzeug: only where there is a host

    return routes(data)


@hookimpl
def insight_plugin() -> Plugin:
    return Plugin(
        name=PluginNameEnum.SCALAR,
        title="Scalars",
        titles={"zh-CN": "标量"},
        decoder=DECODER,
        routes=_routes,
        frontend=Path(__file__).parent / "static",
        order=100,
    )
