"""Data of runs: what a data provider answers, and the records that requests name."""

from __future__ import annotations

from insight_core.plugin.data.base import ProviderBase
from insight_core.plugin.data.computations import NotComputed, compute
from insight_core.plugin.data.figures import SeriesFigures, figures_of
from insight_core.plugin.data.files import PayloadPlaces, RunFile
from insight_core.plugin.data.places import RecordPlace, place_in, record_at
from insight_core.plugin.data.provider import (
    MOST_AT_ONCE,
    Changes,
    Damage,
    DataProvider,
    Payload,
    PayloadStream,
    Progress,
    RecordTable,
    Run,
    ScalarColumns,
    ScalarQuery,
    SeriesInfo,
    SeriesKey,
    ShownAttempts,
    XAxis,
)
from insight_core.plugin.data.series_tables import SeriesField, SeriesTable
from insight_core.plugin.data.tables import united_tables
from insight_core.tag_roles import TAG_ROLES, TagRole

__all__ = [
    "MOST_AT_ONCE",
    "TAG_ROLES",
    "Changes",
    "Damage",
    "DataProvider",
    "NotComputed",
    "Payload",
    "PayloadPlaces",
    "PayloadStream",
    "Progress",
    "ProviderBase",
    "RecordPlace",
    "RecordTable",
    "Run",
    "RunFile",
    "ScalarColumns",
    "ScalarQuery",
    "SeriesField",
    "SeriesFigures",
    "SeriesInfo",
    "SeriesKey",
    "SeriesTable",
    "ShownAttempts",
    "TagRole",
    "XAxis",
    "compute",
    "figures_of",
    "place_in",
    "record_at",
    "united_tables",
]
