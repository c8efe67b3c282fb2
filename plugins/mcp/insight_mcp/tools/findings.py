"""``diagnose``: what the rules of all plugins find in runs."""

from __future__ import annotations

import time
from collections.abc import Sequence

from insight_core.plugin import PluginContext
from insight_core.plugin.findings import SEVERITIES, CheckedRule
from insight_mcp.answers import LoggedRows, Row, ToolAnswer, counted
from insight_mcp.definitions import Arguments
from insight_mcp.tools.catalogue import run_names

_COLUMNS = ("severity", "run", "tag", "steps", "saw", "why", "change")
_AT_ONCE = 8  # runs
_PATIENCE = 45.0  # seconds for all runs
_PENDING = 10.0  # seconds for profiles that are being read
_PAUSE = 0.2
_LONGEST = 600  # characters of a sentence


def diagnose(ctx: PluginContext, given: Arguments) -> ToolAnswer:
    """Findings, the worst first, then rules that failed. The notes count what was checked."""
    names = run_names(ctx, given.get("runs") or (), given.get("where") or "")
    until = time.monotonic() + _PATIENCE
    checked: list[CheckedRule] = []
    done = 0
    while done < len(names) and (not done or time.monotonic() < until):
        checked += _checked(ctx, names[done : done + _AT_ONCE], until)
        done = min(done + _AT_ONCE, len(names))
    rows = [*_findings(checked), *_failures(checked)]
    return ToolAnswer(_notes(checked, done, len(names)), LoggedRows.of(_COLUMNS, rows, longest=_LONGEST))


def _checked(ctx: PluginContext, runs: Sequence[str], until: float) -> Sequence[CheckedRule]:
    patience = min(time.monotonic() + _PENDING, until)
    while True:
        rules = ctx.check_rules(runs).rules
        if not any(one.pending for one in rules) or time.monotonic() > patience:
            return rules
        time.sleep(_PAUSE)


def _findings(checked: Sequence[CheckedRule]) -> list[Row]:
    found = [finding for one in checked for finding in one.findings]
    found.sort(key=lambda finding: SEVERITIES.index(finding.severity))  # stable
    return [
        [
            one.severity,
            one.run,
            one.place.tag or None,
            None if one.place.steps is None else "-".join(map(str, one.place.steps)),
            str(one.saw),
            str(one.why),
            str(one.change),
        ]
        for one in found
    ]


def _failures(checked: Sequence[CheckedRule]) -> list[Row]:
    return [
        ["failed", one.run or None, None, None, f"rule {one.rule.id}: {one.unchecked}", None, None]
        for one in checked
        if one.failed
    ]


def _notes(checked: Sequence[CheckedRule], done: int, of: int) -> list[str]:
    rules = {(one.plugin, one.rule.id) for one in checked if one.unchecked is None}
    left = {(one.plugin, one.rule.id) for one in checked if one.unchecked is not None} - rules
    count = sum(len(one.findings) for one in checked)
    notes = [f"{counted(count, 'finding')}. {counted(len(rules), 'rule')} checked in {counted(done, 'run')}."]
    if left:
        notes.append(f"{counted(len(left), 'rule')} had nothing to check, such as histograms or profiles.")
    if any(one.pending for one in checked):
        notes.append("A profile is still being read: ask again for what its rules find.")
    if more := sum(one.more for one in checked):
        notes.append(f"{more} more findings like these were left out.")
    if done < of:
        notes.append(f"{of - done} runs were not checked for lack of time: name them.")
    return notes
