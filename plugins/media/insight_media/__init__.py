"""Media: videos, HTML, tables, confusion matrices, Plotly and Vega-Lite figures, step by step."""

from __future__ import annotations

from pathlib import Path

from insight_core.plugin import Plugin, RecordDecoder, SummaryPlugin, hookimpl


@hookimpl
def insight_plugin() -> Plugin:
    """Values of the summary plugin ``media``: a media type, and content of this type."""
    return Plugin(
        name="media",
        title="Media",
        tab_group="media",
        titles={"zh-CN": "媒体"},
        decoder=RecordDecoder(
            claims={SummaryPlugin("media")},
            decode="insight_media.item:item_of",
            encode="insight_media.item:described",
        ),
        routes="insight_media.routes:routes",
        frontend=Path(__file__).parent / "static",
        step_state={"step": "{step}", "link": "1"},
        tag_state={"tags": "{pattern}"},
    )
