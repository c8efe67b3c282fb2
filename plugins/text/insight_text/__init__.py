"""Text: the text summaries of a run, as Markdown, as tables and as they were written."""

from __future__ import annotations

from pathlib import Path

from insight_core.plugin import Plugin, RecordDecoder, SummaryPlugin, hookimpl


@hookimpl
def insight_plugin() -> Plugin:
    """Values of TensorBoard's summary plugin ``text``."""
    return Plugin(
        name="text",
        title="Text",
        tab_group="media",
        titles={"zh-CN": "文本"},
        decoder=RecordDecoder(claims={SummaryPlugin("text")}, decode="insight_text.decoder:texts_of"),
        routes="insight_text.routes:routes",
        frontend=Path(__file__).parent / "static",
        step_state={"step": "{step}", "link": "1"},
        tag_state={"tags": "{pattern}"},
    )
