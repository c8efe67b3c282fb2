"""What is wrong with runs: rules that look for it, and what they found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from insight_core.moved import old_names
from insight_core.plugin.findings.answer import Findings
from insight_core.plugin.findings.model import SEVERITIES, Finding, FindingPlace, Saving, SharedCondition
from insight_core.plugin.findings.rules import Examined, Needs, NotChecked, Rule

__all__ = [
    "SEVERITIES",
    "Examined",
    "Finding",
    "FindingPlace",
    "Findings",
    "Needs",
    "NotChecked",
    "Rule",
    "Saving",
    "SharedCondition",
]

if not TYPE_CHECKING:  # type checkers would accept any name
    __getattr__ = old_names(__name__)
