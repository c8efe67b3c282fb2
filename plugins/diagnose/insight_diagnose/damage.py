"""The rule about logs that could not be read in full."""

from __future__ import annotations

from collections.abc import Iterable

from insight_core.plugin import Reason
from insight_core.plugin.findings import Examined, Finding, FindingPlace


def found(examined: Examined) -> Iterable[Finding]:
    """Reports all damaged runs in one sentence, the one with most damage first."""
    data, runs = examined.ctx.data, examined.runs
    wanted = set(runs)
    damaged = sorted(
        (run for run in data.runs() if run.name in wanted and run.damage),
        key=lambda run: -run.damage,
    )
    if not damaged:
        return []
    places = sum(run.damage for run in damaged)
    first = next(iter(data.damage(damaged[0].name)), None)
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
    return [Finding([run.name for run in damaged], "warning", said, place=FindingPlace("diagnose"))]
