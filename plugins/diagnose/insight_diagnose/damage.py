"""What matters about runs: logs that could not be read in full."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from insight_core.plugin import PluginContext, Reason
from insight_core.plugin.findings import Highlight


def found(ctx: PluginContext, runs: Sequence[str]) -> Iterable[Highlight]:
    """One sentence about all damaged runs, the one with most damage first."""
    wanted = set(runs)
    damaged = sorted(
        (run for run in ctx.data.runs() if run.name in wanted and run.damage),
        key=lambda run: -run.damage,
    )
    if not damaged:
        return []
    places = sum(run.damage for run in damaged)
    first = next(iter(ctx.data.damage(damaged[0].name)), None)
    if first is None:  # it went while we looked
        return []
    many = "1 place" if places == 1 else f"{places} places"
    text = f"logs of {len(damaged)} of {len(runs)} runs are damaged in {many}"
    said = Reason(
        f"{text}; {first.file}: {first.reason}",
        "diagnose_damage",
        damaged=len(damaged),
        runs=len(runs),
        places=places,
        file=first.file,
        cause=Reason.of(first.reason),
    )
    return [Highlight("warning", said, [run.name for run in damaged])]
