"""Values of events and files that the landscape plugin claims."""

from __future__ import annotations

from collections.abc import Collection

from insight_core.plugin import Dialect, EventField, FileName, OwnData, PluginContext, SummaryPlugin
from insight_core.plugin.data import SeriesInfo

LANDSCAPE_FIELD = EventField(Dialect.MINDSPORE, "loss_landscape")
COMPUTED = SummaryPlugin("landscape")
LINEAGE_FILES = FileName("*_lineage", makes_run=False)  # which network and optimiser a landscape is of


def landscape_series(own: OwnData, runs: Collection[str] | None = None) -> list[SeriesInfo]:
    """The series that are landscapes, of these runs or of all; the files of the lineage are none."""
    return [info for info in own.series(runs=runs) if LINEAGE_FILES not in info.claims]


def has_landscapes(ctx: PluginContext) -> bool:
    """Whether any run has a landscape."""
    return bool(landscape_series(ctx.own))
