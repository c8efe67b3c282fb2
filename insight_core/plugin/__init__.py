"""The public API for authors of plugins: contract, hooks, claims, errors and the data provider.

Helpers for routes are in ``insight_core.plugin.http``, for decoders in ``insight_core.plugin.payloads``, for
tests in ``insight_core.plugin.testing``. Importing this package does no I/O and loads no web code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from insight_core.formats.batch import Flaw
from insight_core.formats.dialects import Dialect
from insight_core.formats.file_references import file_reference
from insight_core.machine import physical_memory
from insight_core.plugin.annotations import Annotation, Annotations, Authorship
from insight_core.plugin.claims import BEGINNING, Claim, EventField, FileName, SummaryPlugin
from insight_core.plugin.computations import Computation, NotComputed, compute
from insight_core.plugin.context import (
    Ask,
    Get,
    HostAnswer,
    PluginContext,
    ReadRunColumns,
    RunCells,
    Values,
)
from insight_core.plugin.contract import (
    API_VERSION,
    CachePolicy,
    DataKind,
    Keep,
    Plugin,
    PluginNameEnum,
    RecordDecoder,
    Route,
)
from insight_core.plugin.data import (
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
    X,
)
from insight_core.plugin.encoding import check_elements, nbytes_of, plain
from insight_core.plugin.errors import (
    InsightError,
    InvalidArgument,
    NotFound,
    TooLarge,
    Unavailable,
    Undecodable,
)
from insight_core.plugin.extensions import (
    AnswerScalars,
    AppSettings,
    Cell,
    Command,
    CommandHost,
    Option,
    ProviderSettings,
    RunColumn,
    RunColumns,
)
from insight_core.plugin.figures import SeriesFigures, figures_of
from insight_core.plugin.findings import (
    HIGHLIGHT_TONES,
    SEVERITIES,
    CheckedRule,
    CheckRules,
    FindHighlights,
    Finding,
    FindingPlace,
    Highlight,
    HighlightTone,
    RuleChecks,
    RunHighlights,
    Severity,
    SourceHighlights,
)
from insight_core.plugin.highlights import HighlightSource
from insight_core.plugin.hooks import hookimpl
from insight_core.plugin.log_formats import HyperParameters, Images, LogFormat, Points, Texts
from insight_core.plugin.messages import Messages
from insight_core.plugin.own_data import OwnData
from insight_core.plugin.payload_places import PayloadPlaces
from insight_core.plugin.places import RecordPlace, place_in, record_at
from insight_core.plugin.provider_base import ProviderBase
from insight_core.plugin.query_rows import (
    ColumnType,
    ColumnValues,
    ContributedTable,
    Labels,
    QueryColumn,
    Rows,
    WantedRows,
)
from insight_core.plugin.query_tables import QueryTable
from insight_core.plugin.remote_files import FileChanged, RemoteFile, RemoteFiles
from insight_core.plugin.rules import Examined, NotChecked, Rule
from insight_core.plugin.run_files import RunFile
from insight_core.plugin.series_tables import SeriesField, SeriesTable
from insight_core.plugin.store_formats import StoreFormat, Translation
from insight_core.plugin.tables import (
    chosen_tables,
    joined_table,
    missing_tags,
    runs_with_equal_tags,
    tables_of,
    tags_by_run,
    united_tables,
)
from insight_core.tag_roles import TAG_ROLES, TagRole, role_of
from insight_record.formats.json_text import encode_json
from insight_record.formats.reason import Reason, ReasonKind

if not TYPE_CHECKING:  # a type checker then finds names that do not exist
    from insight_core.plugin.provider_abilities import old_name as __getattr__  # noqa: F401

__all__ = [
    "API_VERSION",
    "BEGINNING",
    "HIGHLIGHT_TONES",
    "MOST_AT_ONCE",
    "SEVERITIES",
    "TAG_ROLES",
    "Annotation",
    "Annotations",
    "AnswerScalars",
    "AppSettings",
    "Ask",
    "Authorship",
    "CachePolicy",
    "Cell",
    "Changes",
    "CheckRules",
    "CheckedRule",
    "Claim",
    "ColumnType",
    "ColumnValues",
    "Command",
    "CommandHost",
    "Computation",
    "ContributedTable",
    "Damage",
    "DataKind",
    "DataProvider",
    "Dialect",
    "EventField",
    "Examined",
    "FileChanged",
    "FileName",
    "FindHighlights",
    "Finding",
    "FindingPlace",
    "Flaw",
    "Get",
    "Highlight",
    "HighlightSource",
    "HighlightTone",
    "HostAnswer",
    "HyperParameters",
    "Images",
    "InsightError",
    "InvalidArgument",
    "Keep",
    "Labels",
    "LogFormat",
    "Messages",
    "NotChecked",
    "NotComputed",
    "NotFound",
    "Option",
    "OwnData",
    "Payload",
    "PayloadPlaces",
    "PayloadStream",
    "Plugin",
    "PluginContext",
    "PluginNameEnum",
    "Points",
    "Progress",
    "ProviderBase",
    "ProviderSettings",
    "QueryColumn",
    "QueryTable",
    "ReadRunColumns",
    "Reason",
    "ReasonKind",
    "RecordDecoder",
    "RecordPlace",
    "RecordTable",
    "RemoteFile",
    "RemoteFiles",
    "Route",
    "Rows",
    "Rule",
    "RuleChecks",
    "Run",
    "RunCells",
    "RunColumn",
    "RunColumns",
    "RunFile",
    "RunHighlights",
    "ScalarColumns",
    "ScalarQuery",
    "SeriesField",
    "SeriesFigures",
    "SeriesInfo",
    "SeriesKey",
    "SeriesTable",
    "Severity",
    "ShownAttempts",
    "SourceHighlights",
    "StoreFormat",
    "SummaryPlugin",
    "TagRole",
    "Texts",
    "TooLarge",
    "Translation",
    "Unavailable",
    "Undecodable",
    "Values",
    "WantedRows",
    "X",
    "check_elements",
    "chosen_tables",
    "compute",
    "encode_json",
    "figures_of",
    "file_reference",
    "hookimpl",
    "joined_table",
    "missing_tags",
    "nbytes_of",
    "physical_memory",
    "place_in",
    "plain",
    "record_at",
    "role_of",
    "runs_with_equal_tags",
    "tables_of",
    "tags_by_run",
    "united_tables",
]
