"""What the landscape plugin claims of an event, and of the files beside them."""

from __future__ import annotations

from insight_core.api import (
    DataProvider,
    Dialect,
    EventField,
    FileName,
    Payload,
    PluginNameEnum,
    RecordDecoder,
    SeriesInfo,
)
from insight_landscape import mindspore, stored
from insight_landscape.landscape import Landscape

LANDSCAPE_FIELD = EventField(Dialect.MINDSPORE, "loss_landscape")
LINEAGE_FILES = FileName("*_lineage", makes_run=False)  # which network and optimiser a landscape is of


def landscape_of(payload: Payload) -> Landscape:
    """Raises ValueError for bytes without a surface; other pieces that are damaged are among its flaws."""
    if payload.claim == LANDSCAPE_FIELD:
        return mindspore.landscape_of(payload.data)
    return stored.landscape_of(payload.data)


def landscape_series(data: DataProvider) -> list[SeriesInfo]:
    """The series that are landscapes; the files of the lineage are none."""
    return [info for info in data.series(PluginNameEnum.LANDSCAPE) if LINEAGE_FILES not in info.claims]


def has_landscapes(data: DataProvider) -> bool:
    return bool(landscape_series(data))


DECODER = RecordDecoder(claims={LANDSCAPE_FIELD, stored.VALUES, LINEAGE_FILES}, decode=landscape_of)
