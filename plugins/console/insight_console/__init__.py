"""Console: the text logs of runs as a viewer, findings about how they end, and columns of the run table."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from insight_console.claims import CLAIMS
from insight_core.plugin import CachePolicy, Messages, Plugin, RecordDecoder, RunColumns, hookimpl
from insight_core.plugin.findings import Rule

_HERE = Path(__file__).parent


@hookimpl
def insight_plugin() -> Plugin:
    """Files of text that trainings, launchers and schedulers write."""
    return Plugin(
        name="console",
        title="Console",
        titles={"zh-CN": "控制台"},
        tab_group="diagnosis",
        decoder=RecordDecoder(claims=CLAIMS),
        cache=CachePolicy(payload_bytes=0),
        routes="insight_console.routes:routes",
        frontend=_HERE / "static",
        step_state={"step": "{step}", "run": "{run}"},
        order=1230,
    )


@hookimpl
def insight_run_columns() -> Iterable[RunColumns]:
    """Why runs failed, by the ends of their logs."""
    return [RunColumns("insight_console.failures:columns", "insight_console.failures:values")]


@hookimpl
def insight_rules() -> Iterable[Rule]:
    """Rules about how console logs end."""
    from insight_console.rules import RULES

    return RULES


@hookimpl
def insight_messages() -> Iterable[Messages]:
    """The texts of findings in Chinese."""
    return Messages.of(_HERE / "locales")
