"""Findings as JSON: what the page, the command line and scripts read."""

from __future__ import annotations

from typing import Any

from attrs import asdict

from insight_core.plugin import Messages, Unavailable
from insight_core.plugin.findings import Finding, Findings, Saving, SharedCondition


def findings_document(found: Findings) -> dict[str, object]:
    """The answer: findings, which rules were checked, why others could not tell, and texts by locale."""
    plugins = {state.id: state.plugin for state in found.rules}
    told: dict[str, object] = {
        "findings": [_row(one, plugins) for one in found.findings],
        "rules": [
            {
                "plugin": state.plugin,
                "id": state.id,
                "title": state.title().fields(),
                "scope": state.scope,
                "checked": len(state.checked),
                "more": state.more,
            }
            for state in found.rules
        ],
        "unchecked": [
            {
                "plugin": plugins[one.rule],
                "rule": one.rule,
                "runs": one.runs,
                "reason": one.reason.fields(),
                "failed": one.failed,
                "pending": one.pending,
                "missing": one.missing,
            }
            for one in found.unchecked
        ],
        "runs": len(found.runs),
        "left": found.left,
    }
    return {**told, "messages": Messages.said_in(told, found.messages)}


def may_change(found: Findings) -> bool:
    """Whether the answer may be another one although the data stay."""
    return found.left > 0 or any(
        one.failed or one.pending or one.reason.code == Unavailable.code for one in found.unchecked
    )


def _row(one: Finding, plugins: dict[str, str]) -> dict[str, Any]:
    return {
        "plugin": plugins.get(one.rule, ""),
        "rule": one.rule,
        "runs": one.runs,
        "severity": one.severity,
        "title": one.title.fields(),
        "saw": one.saw.fields(),
        "change": None if one.change is None else one.change.fields(),
        "shared": [_condition(condition) for condition in one.shared],
        "place": asdict(one.place),
        "saves": None if one.saves is None else _saving(one.saves),
        "confidence": one.confidence,
        "each": [_row(part, plugins) for part in one.each],
    }


def _condition(one: SharedCondition) -> dict[str, object]:
    return {**asdict(one), "said": str(one)}


def _saving(one: Saving) -> dict[str, object]:
    assumes = None if one.assumes is None else one.assumes.fields()
    return {"low": one.low, "high": one.high, "of": one.of, "assumes": assumes}
