"""Loss landscapes: the loss around the parameters of a model, and the way that training took through it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from insight_core.api import DataProvider, Plugin, PluginNameEnum, Route, hookimpl
from insight_landscape.computing import compute as compute
from insight_landscape.decoder import DECODER, has_landscapes
from insight_landscape.landscape import Landscape as Landscape
from insight_landscape.landscape import Path as TrainingPath

__all__ = ["Landscape", "TrainingPath", "compute", "insight_plugin"]


def _routes(data: DataProvider) -> Sequence[Route]:
    from insight_landscape.routes import routes  # werkzeug: only where there is a host

    return routes(data)


@hookimpl
def insight_plugin() -> Plugin:
    return Plugin(
        name=PluginNameEnum.LANDSCAPE,
        title="Landscape",
        titles={"zh-CN": "损失地形"},
        decoder=DECODER,
        routes=_routes,
        frontend=Path(__file__).parent / "static",
        is_active=has_landscapes,
        order=700,
    )
