"""Agents read logs: tools of the Model Context Protocol at ``/mcp`` of a host and over stdio, and a skill."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from insight_core.plugin import Command, CommandHost, Plugin, PluginContext, hookimpl


def _no_tab(ctx: PluginContext) -> bool:
    return False


@hookimpl
def insight_plugin() -> Plugin:
    """No tab: one address, ``POST /mcp``."""
    return Plugin(
        name="mcp",
        title="MCP",
        routes="insight_mcp.routes:routes",
        address="/mcp",
        is_active=_no_tab,
    )


@hookimpl
def insight_commands(host: CommandHost) -> Iterable[Command]:
    """``insight-host mcp`` and ``insight-host skill``."""

    def mcp(arguments: Sequence[str]) -> int:
        from insight_mcp.command import run

        return run(arguments, host)

    def skill(arguments: Sequence[str]) -> int:
        from insight_mcp.command import print_skill

        return print_skill(arguments)

    return [
        Command("mcp", "let an agent read logs: Model Context Protocol over stdin and stdout", mcp),
        Command("skill", "print the SKILL.md for agents that use the command line", skill),
    ]
