"""What matters about runs: the layer that was bad first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from insight_core.plugin import Reason
from insight_core.plugin.findings import Examined, Finding, FindingPlace
from insight_core.plugin.lab import Severity
from insight_health.health import Health
from insight_health.verdicts import BadLayer, bad_layers

_RECORDS = 64  # of a series that are read
_SECONDS = 15.0
_MOST_RUNS = 64


def found(examined: Examined) -> Iterable[Finding]:
    """One sentence about the first bad layer, by a few records of each series."""
    health = Health.of(examined.ctx.data)
    tracks = health.open(examined.runs[:_MOST_RUNS])
    health.read(tracks, seconds=_SECONDS, most=_RECORDS)
    if not all(digest.is_settled for digest in tracks.digests.values()):
        return []  # another layer may be the first: what was read is kept, and the next time goes on
    faults = bad_layers(tracks, tracks.table.runs)
    if not faults:
        return []
    first = faults[0]
    others = len({one.layer for one in faults} - {first.layer})
    state = {"layer": first.layer.id, "at": str(first.step)}
    severity: Severity = "error" if first.fault == "nonfinite" else "warning"
    place = FindingPlace("health", steps=(first.step, first.last), state=state)
    return [Finding(first.run, severity, _said(first, others), place=place)]


def _said(first: BadLayer, others: int) -> Reason:
    details: dict[str, Any] = {
        "layer": first.layer.name,
        "kind": first.layer.kind,
        "run": first.run,
        "step": first.step,
        "others": others,
        "value": f"{first.value:.3g}",
        "word": first.word,
    }
    where = f"{first.layer.name} ({first.layer.kind}) of {first.run}"
    after = f"; {others} other layers are bad" if others else ""
    texts = {
        "nonfinite": f"the first bad layer is {where}: {first.word} since step {first.step}",
        "dead": f"the first bad layer is {where}: {first.value:.0%} of it is 0 since step {first.step}",
        "exploding": f"the first bad layer is {where}: gradients are {first.value:.3g} times the weights "
        f"since step {first.step}",
        "vanishing": f"the first bad layer is {where}: gradients are only {first.value:.3g} of the weights",
    }
    if first.fault == "dead":
        details["value"] = f"{first.value:.0%}"
    return Reason(texts[first.fault] + after, f"health_{first.fault}{'_others' if others else ''}", **details)
