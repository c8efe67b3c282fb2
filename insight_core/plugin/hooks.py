"""The hooks that a plugin module may implement, each marked with ``@hookimpl``.

An implementation may leave out arguments that it does not need. The host calls one implementation after the
other, each with a deadline: one that raises, hangs or exits is a failure of its module alone.
"""

# mypy: disable-error-code="empty-body"

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import pluggy

from insight_core.plugin.contract import Plugin
from insight_core.plugin.data.provider import DataProvider
from insight_core.plugin.extensions import (
    AppSettings,
    Command,
    CommandHost,
    Option,
    ProviderSettings,
    RunColumn,
    RunColumns,
)
from insight_core.plugin.findings.rules import Rule
from insight_core.plugin.log_formats import LogFormat
from insight_core.plugin.messages import Messages
from insight_core.plugin.remote_files import RemoteFiles
from insight_core.plugin.sql.tables import QueryTable
from insight_core.plugin.store_formats import StoreFormat

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

hookspec = pluggy.HookspecMarker("insight")
hookimpl = pluggy.HookimplMarker("insight")  # Decorator that marks an implementation of a hook.


@hookspec
def insight_plugin() -> Plugin | Iterable[Plugin]:
    """The tabs of this module. Called once, after the module was imported."""


@hookspec
def insight_options() -> Iterable[Option]:
    """Flags of the command line, with environment variables. Called once, after the module was imported."""


@hookspec
def insight_commands(host: CommandHost) -> Iterable[Command]:
    """Subcommands of ``insight-host``. Called for ``--help`` and for commands that the host does not know."""


@hookspec(firstresult=True)
def insight_open_provider(location: str, settings: ProviderSettings) -> DataProvider | None:
    """The data source for ``--data-provider LOCATION``, or None if the location is none of this module's.

    The first answer counts. Raise InvalidArgument for a location that is malformed: that ends the start. A
    provider derives from ``ProviderBase``. Those of other distributions are called with deadlines, and named
    in errors.
    """


@hookspec(firstresult=True)
def insight_open_files(location: str) -> RemoteFiles | None:
    """The files of ``--logdir LOCATION``, such as ``s3://bucket/prefix``, or None if none of this module's.

    The first answer counts. Answers without a request to the store, and is called again after credentials
    were refused. Raise InvalidArgument for a location that is malformed, or a library that is missing: that
    ends the start.
    """


@hookspec
def insight_run_columns() -> Iterable[RunColumn | RunColumns]:
    """Columns of the run table. Called once, when the columns are first asked for."""


@hookspec
def insight_wrap_app(app: WSGIApplication, settings: AppSettings) -> WSGIApplication:
    """The WSGI application around ``app``. Called once, before the host listens.

    The entry point of the module is in the group ``insight.middleware`` instead of ``insight.plugins``: from
    it the host knows, before any import, that it must not run without this middleware. It waits for the
    import, and an error or a missed deadline ends the start; of InvalidArgument only the text is printed.
    Modules of insight-host itself are around those of others; its guard sees all but ``--receive`` first.
    """


@hookspec
def insight_log_formats() -> Iterable[LogFormat | StoreFormat]:
    """Formats of logs that are not event files. Called once, after the module was imported."""


@hookspec
def insight_messages() -> Iterable[Messages]:
    """Texts of damage and findings, by locale. Called once, when the page first lists one."""


@hookspec
def insight_rules(options: Mapping[str, Any]) -> Iterable[Rule]:
    """Rules about runs. Called once, when runs are first examined; ``options`` are the module's own flags."""


@hookspec
def insight_highlights() -> Iterable[object]:
    """Deprecated: sources of highlights. Contribute rules of scope ``runs`` by ``insight_rules``."""


@hookspec
def insight_tables() -> Iterable[QueryTable]:
    """Tables for SQL queries of the logs. Called once, when the tables are first asked for."""
