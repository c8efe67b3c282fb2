"""Trash: moves the files of a run to the system trash, if the host was started with ``--allow-delete``."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from insight_core.plugin import Option, Plugin, PluginContext, hookimpl


def _is_active(ctx: PluginContext) -> bool:
    return bool(ctx.options.get("allow_delete"))


@hookimpl
def insight_plugin() -> Plugin:
    """A tab that lists what was moved, and an entry in the menus of runs; neither without the flag."""
    return Plugin(
        name="trash",
        title="Trash",
        tab_group="more",
        titles={"zh-CN": "回收站"},
        routes="insight_trash.routes:routes",
        frontend=Path(__file__).parent / "static",
        is_active=_is_active,
        order=2000,
    )


@hookimpl
def insight_options() -> Iterable[Option]:
    """Adds ``--allow-delete``."""
    return [
        Option(
            "allow-delete",
            "let the page move the files of runs to the system trash (default: no)",
            type=bool,
            default=False,
        )
    ]
