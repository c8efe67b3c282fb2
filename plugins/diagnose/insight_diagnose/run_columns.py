"""Columns of the run table: how many findings a run has, and how bad the worst one is."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from insight_core.plugin import Cell, PluginContext, RunColumn
from insight_core.plugin.findings import SEVERITIES, Finding

_SECONDS = 2.0  # for one answer: the host waits five, and asks again when the logs change
_COLUMNS = (
    RunColumn("findings", "Findings", titles={"zh-CN": "问题数"}, kind="number", at_first=False),
    RunColumn("worst", "Worst finding", titles={"zh-CN": "最严重的问题"}, at_first=False),
)


def columns(ctx: PluginContext) -> Sequence[RunColumn]:
    """``findings``, a count, and ``worst``: error, warning, info, or none."""
    return _COLUMNS


def values(ctx: PluginContext, names: Sequence[str], runs: Sequence[str]) -> Mapping[str, Mapping[str, Cell]]:
    """The cells of the runs that are checked within two seconds; those checked before are known at once.

    A run whose rules could not be checked at all has no cell.
    """
    until = time.monotonic() + _SECONDS
    counts: dict[str, Cell] = {}
    worst: dict[str, Cell] = {}
    for run in runs:
        if time.monotonic() > until:
            break
        rules = ctx.check_rules([run]).rules
        if all(one.unchecked is not None for one in rules):
            continue
        found: list[Finding] = [finding for one in rules for finding in one.findings]
        counts[run] = len(found) + sum(one.more for one in rules)
        worst[run] = min((finding.severity for finding in found), key=SEVERITIES.index, default="none")
    return {"findings": counts, "worst": worst}
