"""The context that the host gives to the routes of a plugin."""

from __future__ import annotations

from insight_core.plugin import DataProvider, Plugin, PluginContext
from insight_core.web.plugin_services import Services


def context_of(plugin: Plugin, data: DataProvider) -> PluginContext:
    """With decoded values, but without options, annotations, other plugins and a cache directory."""
    return Services(data).context_of(plugin)
