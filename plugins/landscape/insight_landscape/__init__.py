"""Loss landscapes: the loss around the parameters of a model, and the way that training took through it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from insight_core.plugin import DataProvider, Plugin, PluginNameEnum, Route, hookimpl
from insight_landscape.claims import DECODER, has_landscapes

if TYPE_CHECKING:
    from insight_landscape.computing import compute as compute
    from insight_landscape.landscape import Landscape as Landscape
    from insight_landscape.landscape import Path as TrainingPath

__all__ = ["Landscape", "TrainingPath", "compute", "insight_plugin"]


def __getattr__(name: str) -> object:
    """What is for those who compute landscapes; a host starts without it."""
    match name:
        case "compute":
            from insight_landscape.computing import compute

            return compute
        case "Landscape" | "TrainingPath":
            from insight_landscape import landscape

            return landscape.Landscape if name == "Landscape" else landscape.Path
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


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
