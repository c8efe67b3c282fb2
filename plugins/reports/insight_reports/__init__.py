"""Reports: Markdown with live cards; and snapshots, files that show a view or a report without a host."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from insight_core.plugin import Command, CommandHost, Plugin, hookimpl


@hookimpl
def insight_plugin() -> Plugin:
    """A tab without data of logs: it is there as soon as there are runs to report on."""
    return Plugin(
        name="reports",
        title="Reports",
        titles={"zh-CN": "报告"},
        order=1300,
        routes="insight_reports.routes:routes",
        is_active=lambda ctx: bool(ctx.data.runs()),
        frontend=Path(__file__).parent / "static",
    )


@hookimpl
def insight_commands(host: CommandHost) -> Iterable[Command]:
    """``insight-host snapshot``."""

    def snapshot(arguments: Sequence[str]) -> int:
        from insight_reports.command import run

        return run(arguments, host)

    return [Command("snapshot", "save a view or a report as one HTML file that works offline", snapshot)]
