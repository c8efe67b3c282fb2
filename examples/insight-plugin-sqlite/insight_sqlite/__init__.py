"""Shows training data of an SQLite database: ``insight-host --data-provider sqlite:PATH``."""

from __future__ import annotations

from pathlib import Path

from insight_core.plugin import InvalidArgument, ProviderSettings, hookimpl
from insight_core.plugin.data import ProviderBase


@hookimpl
def insight_open_provider(location: str, settings: ProviderSettings) -> ProviderBase | None:
    scheme, _, path = location.partition(":")
    if scheme != "sqlite":
        return None  # the host asks the next module
    if not Path(path).is_file():
        raise InvalidArgument(f"{location}: the file does not exist")
    from insight_sqlite.provider import SqliteProvider  # imported when it is needed

    return SqliteProvider(path, settings)
