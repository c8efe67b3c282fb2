"""Text notes that runs log for the summary plugin `notes`: a plugin of insight-host in one small package."""

from __future__ import annotations

from pathlib import Path

from insight_core.plugin import Plugin, RecordDecoder, SummaryPlugin, hookimpl


@hookimpl
def insight_plugin() -> Plugin:
    return Plugin(
        name="notes",  # SKELETON: your plugin's name; it is in every URL
        title="Notes",
        titles={"zh-CN": "文本"},
        decoder=RecordDecoder(
            claims={SummaryPlugin("notes")},  # SKELETON: what of the logs is yours
            decode="insight_notes.decoder:texts_of",  # by name: imported when a client asks for a value
        ),
        routes="insight_notes.routes:routes",
        frontend=Path(__file__).parent / "static",
    )
