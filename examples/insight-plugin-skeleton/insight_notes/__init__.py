"""Text notes that runs wrote with `SummaryWriter.add_text`: a plugin of insight-host in one small package."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from insight_core.plugin import DataProvider, Plugin, RecordDecoder, Route, SummaryPlugin, hookimpl
from insight_notes.decoder import texts_of


def _routes(data: DataProvider) -> Sequence[Route]:
    # not at the top: a data server loads decoders without the web half
    from insight_notes.routes import routes

    return routes(data)


@hookimpl
def insight_plugin() -> Plugin:
    return Plugin(
        name="notes",  # SKELETON: your plugin's name; it is in every URL
        title="Notes",
        titles={"zh-CN": "文本"},
        decoder=RecordDecoder(
            claims={SummaryPlugin("text")},  # SKELETON: what of the logs is yours
            decode=texts_of,
        ),
        routes=_routes,
        frontend=Path(__file__).parent / "static",
    )
