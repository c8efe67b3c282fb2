"""Profiles: what took how long, on the host and on devices, whichever framework wrote them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from insight_core.plugin import DataProvider, Plugin, PluginNameEnum, Route, hookimpl
from insight_profiler.claims import DECODER


def _routes(data: DataProvider) -> Sequence[Route]:
    from insight_profiler.routes import routes  # werkzeug: only where there is a host

    return routes(data)


@hookimpl
def insight_plugin() -> Plugin:
    return Plugin(
        name=PluginNameEnum.PROFILER,
        title="Profiler",
        titles={"zh-CN": "性能分析"},
        decoder=DECODER,
        routes=_routes,
        frontend=Path(__file__).parent / "static",
        order=800,
    )
