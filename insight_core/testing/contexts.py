"""The context that the host gives to the routes of a plugin."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import evolve

from insight_core.plugin import Ask, Plugin, PluginContext
from insight_core.plugin.data import DataProvider
from insight_core.web.plugin_services import Services


def context_of(
    plugin: Plugin,
    data: DataProvider,
    *,
    options: Mapping[str, Any] | None = None,
    ask: Ask | None = None,
    cache_directory: Path | None = None,
) -> PluginContext:
    """With decoded values, but without annotations and other plugins.

    ``options`` are all values of the plugin's own flags, by name with ``_``. ``ask`` answers in the place of
    other plugins; without it there are none. Files that took long to make are kept in a directory below
    ``cache_directory``.
    """
    services = Services(
        data, options=lambda: {str(plugin.name): options or {}}, cache_directory=cache_directory
    )
    return (services if ask is None else evolve(services, ask=ask)).context_of(plugin)
