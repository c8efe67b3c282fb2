"""What the landscape plugin claims of an event, and of the files beside them; how it is read is loaded when
somebody looks."""

from __future__ import annotations

from insight_core.plugin import (
    DataProvider,
    Dialect,
    EventField,
    FileName,
    Payload,
    PluginNameEnum,
    RecordDecoder,
    SeriesInfo,
    SummaryPlugin,
)

LANDSCAPE_FIELD = EventField(Dialect.MINDSPORE, "loss_landscape")
COMPUTED = SummaryPlugin("landscape")
LINEAGE_FILES = FileName("*_lineage", makes_run=False)  # which network and optimiser a landscape is of


def landscape_series(data: DataProvider) -> list[SeriesInfo]:
    """The series that are landscapes; the files of the lineage are none."""
    return [info for info in data.series(PluginNameEnum.LANDSCAPE) if LINEAGE_FILES not in info.claims]


def has_landscapes(data: DataProvider) -> bool:
    return bool(landscape_series(data))


def _decoded(payload: Payload) -> object:
    from insight_landscape.decoder import landscape_of  # slow to load, and most never need it

    return landscape_of(payload)


DECODER = RecordDecoder(claims={LANDSCAPE_FIELD, COMPUTED, LINEAGE_FILES}, decode=_decoded)
