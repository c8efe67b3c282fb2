"""The public API for authors of plugins: contract, hooks, claims and errors.

Data of runs are in ``insight_core.plugin.data``, helpers for routes in ``.http``, for decoders in
``.payloads``, rules in ``.findings``, tables for SQL in ``.sql``, processes for work on input of others in
``.worker``, and helpers for tests in ``.testing``. Importing this package does no I/O and loads no web code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from insight_core.errors import (
    Forbidden,
    InsightError,
    InvalidArgument,
    NotFound,
    TooLarge,
    Unavailable,
    Undecodable,
)
from insight_core.formats.batch import Flaw
from insight_core.formats.dialects import Dialect
from insight_core.moved import old_names
from insight_core.plugin.annotations import Annotations
from insight_core.plugin.claims import BEGINNING, Claim, EventField, FileName, SummaryPlugin
from insight_core.plugin.context import Ask, Get, HostAnswer, PluginContext, ReadRunColumns, RunCells, Values
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
from insight_core.plugin.extensions import (
    AppSettings,
    Cell,
    Command,
    CommandHost,
    Option,
    ProviderSettings,
    RunColumn,
    RunColumns,
)
from insight_core.plugin.hooks import hookimpl
from insight_core.plugin.log_formats import HyperParameters, Images, LogFormat, Points, Texts
from insight_core.plugin.messages import Messages
from insight_core.plugin.own_data import OwnData
from insight_core.plugin.remote_files import FileChanged, RemoteFile, RemoteFiles
from insight_core.plugin.store_formats import StoreFormat, Translation
from insight_core.run_profiles import RunProfile
from insight_record.formats.json_text import encode_json
from insight_record.formats.reason import Reason, ReasonKind

__all__ = [
    "API_VERSION",
    "BEGINNING",
    "Annotations",
    "AppSettings",
    "Ask",
    "CachePolicy",
    "Cell",
    "Claim",
    "Command",
    "CommandHost",
    "DataKind",
    "Dialect",
    "EventField",
    "FileChanged",
    "FileName",
    "Flaw",
    "Forbidden",
    "Get",
    "HostAnswer",
    "HyperParameters",
    "Images",
    "InsightError",
    "InvalidArgument",
    "Keep",
    "LogFormat",
    "Messages",
    "NotFound",
    "Option",
    "OwnData",
    "Plugin",
    "PluginContext",
    "PluginNameEnum",
    "Points",
    "ProviderSettings",
    "ReadRunColumns",
    "Reason",
    "ReasonKind",
    "RecordDecoder",
    "RemoteFile",
    "RemoteFiles",
    "Route",
    "RunCells",
    "RunColumn",
    "RunColumns",
    "RunProfile",
    "StoreFormat",
    "SummaryPlugin",
    "Texts",
    "TooLarge",
    "Translation",
    "Unavailable",
    "Undecodable",
    "Values",
    "encode_json",
    "hookimpl",
]


if not TYPE_CHECKING:  # type checkers would accept any name
    __getattr__ = old_names(__name__)
