"""The hooks a plugin module may implement."""

from __future__ import annotations

import pluggy

from insight_core.plugin.contract import Plugin

hookspec = pluggy.HookspecMarker("insight")
hookimpl = pluggy.HookimplMarker("insight")


@hookspec
def insight_plugin() -> Plugin:  # type: ignore[empty-body]
    """The plugin this module contributes. Required; called once, at start."""
