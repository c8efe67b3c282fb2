"""Alerts: rules about scalars and runs, checked by the host on full data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from insight_core.plugin import (
    Command,
    CommandHost,
    Messages,
    Option,
    Plugin,
    PluginContext,
    ReasonKind,
    hookimpl,
)
from insight_core.plugin.findings import Rule

_TITLE = ReasonKind("alerts_title", "Alerts")


def _is_active(ctx: PluginContext) -> bool:
    return ctx.options.get("alerts") is not None


@hookimpl
def insight_plugin() -> Plugin:
    """A tab that is there if the host was started with ``--alerts``."""
    return Plugin(
        name="alerts",
        title="Alerts",
        titles={"zh-CN": "告警"},
        routes="insight_alerts.routes:routes",
        frontend=Path(__file__).parent / "static",
        is_active=_is_active,
    )


@hookimpl
def insight_rules() -> Iterable[Rule]:
    """The last alert of each rule of the file."""
    return [Rule("alerts", _TITLE, "insight_alerts.highlights:found", scope="runs")]


@hookimpl
def insight_messages() -> Iterable[Messages]:
    """Texts of highlights."""
    return Messages.of(Path(__file__).parent / "locales")


@hookimpl
def insight_options() -> Iterable[Option]:
    """Adds ``--alerts``."""
    from insight_alerts.rules import read_rules

    return [
        Option(
            "alerts",
            "check the rules of this TOML file, and send alerts (default: no alerts)",
            type=read_rules,
            metavar="FILE",
        )
    ]


@hookimpl
def insight_commands(host: CommandHost) -> Iterable[Command]:
    """Adds ``insight-host alerts test``."""

    def test(arguments: Sequence[str]) -> int:
        from insight_alerts.testing import test_rules

        return test_rules(host, arguments)

    return [Command("alerts test", "print the alerts that rules find in logs as they are now", test)]
