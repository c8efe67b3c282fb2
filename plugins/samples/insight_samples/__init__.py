"""Samples: what a model said, at which step, and how it was rewarded."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from insight_core.plugin import CachePolicy, LogFormat, Messages, Plugin, RecordDecoder, hookimpl
from insight_core.plugin.findings import Rule
from insight_samples.claims import CLAIMS

_HERE = Path(__file__).parent


@hookimpl
def insight_plugin() -> Plugin:
    """Files of rollouts, completions and evaluations."""
    return Plugin(
        name="samples",
        title="Samples",
        titles={"zh-CN": "样本"},
        tab_group="media",
        decoder=RecordDecoder(claims=CLAIMS),
        cache=CachePolicy(payload_bytes=0),
        routes="insight_samples.routes:routes",
        frontend=_HERE / "static",
        step_state={"step": "{step}", "run": "{run}"},
        order=450,
    )


@hookimpl
def insight_log_formats() -> Iterable[LogFormat]:
    """Scores of evaluations, as series."""
    from insight_samples.evaluations import FORMATS

    return FORMATS


@hookimpl
def insight_rules() -> Iterable[Rule]:
    """Rules about what models say."""
    from insight_samples.rules import RULES

    return RULES


@hookimpl
def insight_messages() -> Iterable[Messages]:
    """The texts of findings in Chinese."""
    return Messages.of(_HERE / "locales")
