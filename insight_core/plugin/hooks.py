"""The hooks a plugin module may implement."""

from __future__ import annotations

from insight_core.plugin import Plugin, hookspec


@hookspec
def insight_plugin() -> Plugin:  # type: ignore[empty-body]
    """The plugin this module contributes. Required; called once, at start."""
