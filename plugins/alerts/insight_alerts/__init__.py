"""Alerts: thresholds for scalars and runs, and messages about what rules find."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from insight_core.plugin import (
    Command,
    CommandHost,
    Messages,
    Option,
    Plugin,
    PluginContext,
    hookimpl,
)
from insight_core.plugin.findings import Rule

if TYPE_CHECKING:
    from insight_alerts.rules import AlertRules


def _is_active(ctx: PluginContext) -> bool:
    return ctx.options.get("alerts") is not None


@hookimpl
def insight_plugin() -> Plugin:
    """A tab that is there if the host was started with ``--alerts``."""
    return Plugin(
        name="alerts",
        title="Alerts",
        tab_group="diagnosis",
        titles={"zh-CN": "告警"},
        routes="insight_alerts.routes:routes",
        frontend=Path(__file__).parent / "static",
        is_active=_is_active,
        order=1210,
    )


@hookimpl
def insight_rules(options: Mapping[str, Any]) -> Iterable[Rule]:
    """The thresholds of the file: what they find is listed with what other rules find."""
    file = options.get("alerts")
    if file is None:
        return []
    from insight_alerts.thresholds import Thresholds

    return Thresholds(file).rules()


@hookimpl
def insight_messages() -> Iterable[Messages]:
    """Texts of findings."""
    return Messages.of(Path(__file__).parent / "locales")


def _rules(path: str) -> AlertRules:
    from insight_alerts.rules import read_rules  # few hosts have alerts

    return read_rules(path)


@hookimpl
def insight_options() -> Iterable[Option]:
    """Adds ``--alerts``."""
    return [
        Option(
            "alerts",
            "check the rules of this TOML file, and send alerts (default: no alerts)",
            type=_rules,
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
