"""``diagnose``: what the rules of all plugins find in runs."""

from __future__ import annotations

import time
from collections.abc import Sequence

from insight_core.plugin import PluginContext
from insight_core.plugin.findings import Finding, Findings
from insight_mcp.answers import LoggedRows, Row, ToolAnswer, counted
from insight_mcp.definitions import Arguments
from insight_mcp.tools.catalogue import run_names

_COLUMNS = ("severity", "run", "tag", "steps", "saw", "change", "runs", "shared", "rule")
_PATIENCE = 45.0  # seconds for all runs
_PENDING = 10.0  # seconds for profiles that are being read
_PAUSE = 0.2
_LONGEST = 600  # characters of a sentence
_NAMED = 20  # runs of a finding


def diagnose(ctx: PluginContext, given: Arguments) -> ToolAnswer:
    """Findings, the worst first, then rules that failed. The notes count what was checked."""
    found = _found(ctx, run_names(ctx, given.get("runs") or (), given.get("where") or ""))
    rows = [*map(_row, found.findings), *_failures(found)]
    return ToolAnswer(_notes(found), LoggedRows.of(_COLUMNS, rows, longest=_LONGEST))


def _found(ctx: PluginContext, runs: Sequence[str]) -> Findings:
    until = time.monotonic() + _PATIENCE
    found = ctx.findings(runs, seconds=_PATIENCE)
    patience = min(time.monotonic() + _PENDING, until)
    while any(one.pending for one in found.unchecked) and time.monotonic() < patience:
        time.sleep(_PAUSE)
        found = ctx.findings(runs, seconds=max(0.0, until - time.monotonic()))
    return found


def _row(one: Finding) -> Row:
    place = one.place
    return [
        one.severity,
        one.run,
        place.tag or None,
        None if place.steps is None else "-".join(map(str, place.steps)),
        str(one.saw),
        None if one.change is None else str(one.change),
        ", ".join(one.runs[:_NAMED]) + (" …" if len(one.runs) > _NAMED else ""),
        " or ".join(map(str, one.shared)) or None,
        one.rule,
    ]


def _failures(found: Findings) -> list[Row]:
    return [
        [
            "failed",
            next(iter(one.runs), None),
            None,
            None,
            f"rule {one.rule}: {one.reason}",
            None,
            None,
            None,
            one.rule,
        ]
        for one in found.unchecked
        if one.failed
    ]


def _notes(found: Findings) -> list[str]:
    rules = {state.id for state in found.rules if state.checked}
    left = {one.rule for one in found.unchecked} - rules
    count, runs = len(found.findings), len(found.runs) - found.left
    notes = [f"{counted(count, 'finding')}. {counted(len(rules), 'rule')} checked in {counted(runs, 'run')}."]
    if left:
        notes.append(f"{counted(len(left), 'rule')} had nothing to check, such as histograms or profiles.")
    if any(one.pending for one in found.unchecked):
        notes.append("A profile is still being read: ask again for what its rules find.")
    if more := sum(state.more for state in found.rules):
        notes.append(f"{more} more findings like these were left out.")
    if found.left:
        notes.append(f"{found.left} runs were not checked for lack of time: name them.")
    return notes
