"""Makes the context that the host passes to each plugin."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from attrs import field, frozen
from werkzeug import Request

from insight_core.own_page import OwnPage
from insight_core.plugin import (
    Annotations,
    Ask,
    Get,
    HostAnswer,
    NotFound,
    OwnData,
    Plugin,
    PluginContext,
    ReadRunColumns,
    RunCells,
)
from insight_core.plugin.context import CACHE_SIZE
from insight_core.plugin.data import DataProvider, RecordPlace, SeriesKey, ShownAttempts
from insight_core.plugin.findings import Findings
from insight_core.plugin.findings.answer import FindFaults
from insight_core.plugin.http import record_of, series_keys
from insight_core.plugin.sql import ContributedTable
from insight_core.web.value_cache import values_of


def _ask_nobody(plugin: str, route: str, **parameters: str | int | Sequence[str]) -> object:
    raise NotFound(f"unknown plugin {plugin!r}")


def _get_nothing(path: str, **parameters: str | int | Sequence[str]) -> HostAnswer:
    raise NotFound(f"nothing answers {path}")


def _no_columns(names: Collection[str]) -> Sequence[RunCells]:
    return ()


def _no_findings(
    runs: Sequence[str] | None = None,
    roles: Mapping[str, str] = MappingProxyType({}),
    *,
    rules: Collection[str] | None = None,
    seconds: float | None = None,
    profile: str | None = None,
) -> Findings:
    return Findings((), (), (), (), 0, ())


def _no_tables() -> Sequence[ContributedTable]:
    return ()


def _is_no_page(origin: str | None, host: str | None) -> bool:
    return False


def _ignore(close: Callable[[], None]) -> None:
    """Without a host nothing is closed."""


@frozen(eq=False)
class Services:
    """Services that all plugins share; the defaults work without a host.

    ``options`` returns the values of the plugins' own flags, by name of the plugin.
    """

    data: DataProvider
    annotations: Callable[[], Annotations] = Annotations
    ask: Ask = _ask_nobody
    cache_directory: Path | None = None
    options: Callable[[], Mapping[str, Mapping[str, Any]]] = dict
    run_columns: ReadRunColumns = _no_columns
    state_directory: Path | None = None
    get: Get = _get_nothing
    own_page: OwnPage = field(factory=lambda: OwnPage(_is_no_page))
    findings: FindFaults = _no_findings
    query_tables: Callable[[], Sequence[ContributedTable]] = _no_tables
    cache_size: int = CACHE_SIZE  # bytes

    def context_of(
        self, plugin: Plugin, on_close: Callable[[Callable[[], None]], None] = _ignore
    ) -> PluginContext:
        """The context that ``routes`` and ``is_active`` of the plugin receive."""
        name = str(plugin.name)

        def own(directory: Path | None) -> Path | None:
            return None if directory is None else directory / "plugins" / name

        return PluginContext(
            name=name,
            data=self.data,
            own=RequestedData(self.data, name),
            values=values_of(plugin, self.data),
            options=self.options().get(name, {}),
            cache_directory=own(self.cache_directory),
            state_directory=own(self.state_directory),
            annotations=self.annotations,
            ask=self.ask,
            get=self.get,
            run_columns=self.run_columns,
            own_page=self.own_page,
            findings=self.findings,
            query_tables=self.query_tables,
            log=logging.getLogger(f"insight.plugin.{name}"),
            on_close=on_close,
            cache_size=self.cache_size,
        )


@frozen(eq=False)
class RequestedData(OwnData):
    """``insight_core.plugin.OwnData`` of a host."""

    def place(self, request: Request, attempts: ShownAttempts | None = None) -> RecordPlace:
        """See ``OwnData.place``."""
        return record_of(request, self.data, self.plugin, attempts)

    def keys(self, request: Request) -> Sequence[SeriesKey]:
        """See ``OwnData.keys``."""
        return series_keys(request, self.data, self.plugin)
