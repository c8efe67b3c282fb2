"""What is wrong with a run: rules that look for it, and what they found."""

from __future__ import annotations

from insight_core.plugin.findings.highlights import HighlightSource
from insight_core.plugin.findings.results import (
    SEVERITIES,
    CheckedRule,
    Finding,
    FindingPlace,
    Highlight,
    RuleChecks,
)
from insight_core.plugin.findings.rules import Examined, NotChecked, Rule

__all__ = [
    "SEVERITIES",
    "CheckedRule",
    "Examined",
    "Finding",
    "FindingPlace",
    "Highlight",
    "HighlightSource",
    "NotChecked",
    "Rule",
    "RuleChecks",
]
