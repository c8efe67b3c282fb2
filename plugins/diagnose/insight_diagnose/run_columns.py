"""Columns of the run table: how many findings a run has, and how bad the worst one is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from insight_core.plugin import Cell, PluginContext, RunColumn
from insight_core.plugin.findings import SEVERITIES

_SECONDS = 2.0  # for one answer: the host waits five, and asks again when the logs change
_COLUMNS = (
    RunColumn("findings", "Findings", titles={"zh-CN": "问题数"}, kind="number", at_first=False),
    RunColumn("worst", "Worst finding", titles={"zh-CN": "最严重的问题"}, at_first=False),
)


def columns(ctx: PluginContext) -> Sequence[RunColumn]:
    """``findings``, a count, and ``worst``: error, warning, hint, or none."""
    return _COLUMNS


def values(ctx: PluginContext, names: Sequence[str], runs: Sequence[str]) -> Mapping[str, Mapping[str, Cell]]:
    """The cells of the runs that are checked within two seconds; those checked before are known at once.

    A run whose rules could not be checked at all has no cell. What is good, or said of several runs together,
    does not count.
    """
    found = ctx.findings(runs, seconds=_SECONDS)
    alone = [state for state in found.rules if state.scope != "runs"]
    counts: dict[str, Cell] = {run: 0 for state in alone for run in state.checked}
    worst: dict[str, Cell] = dict.fromkeys(counts, "none")
    ids = {state.id for state in alone}
    for one in found.each:
        if one.rule in ids and one.severity != "good" and one.run in counts:
            counts[one.run] = int(counts[one.run] or 0) + 1
            if worst[one.run] == "none" or _rank(one.severity) < _rank(str(worst[one.run])):
                worst[one.run] = one.severity
    return {"findings": counts, "worst": worst}


def _rank(severity: str) -> int:
    return [*SEVERITIES].index(severity)  # type: ignore[arg-type]
