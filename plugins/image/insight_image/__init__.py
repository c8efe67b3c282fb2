"""Images: every picture that a run records, as it was stored."""

from __future__ import annotations

from pathlib import Path

from insight_core.plugin import CachePolicy, Keep, Plugin, PluginNameEnum, RecordDecoder, hookimpl
from insight_image.claims import CLAIMS


@hookimpl
def insight_plugin() -> Plugin:
    """Images of both dialects."""
    return Plugin(
        name=PluginNameEnum.IMAGE,
        title="Images",
        tab_group="media",
        titles={"zh-CN": "图像"},
        decoder=RecordDecoder(
            claims=CLAIMS,
            decode="insight_image.decoder:pictures_of",
            encode="insight_image.decoder:described",
        ),
        presets={"mindinsight": CachePolicy(Keep.UNIFORM, points=10, series=300)},
        routes="insight_image.routes:routes",
        frontend=Path(__file__).parent / "static",
        step_state={"step": "{step}", "link": "1"},
        tag_state={"tags": "{pattern}"},
        order=200,
    )
