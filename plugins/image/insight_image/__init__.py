"""Images: every picture that a run records, as it was stored."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from insight_core.plugin import DataProvider, Plugin, PluginNameEnum, Route, hookimpl
from insight_image.decoder import DECODER


def _routes(data: DataProvider) -> Sequence[Route]:
    from insight_image.routes import routes  # werkzeug and Pillow: only where there is a host

    return routes(data)


@hookimpl
def insight_plugin() -> Plugin:
    return Plugin(
        name=PluginNameEnum.IMAGE,
        title="Images",
        titles={"zh-CN": "图像"},
        decoder=DECODER,
        routes=_routes,
        frontend=Path(__file__).parent / "static",
        order=200,
    )
