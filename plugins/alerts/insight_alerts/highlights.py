"""What matters about runs: the last alert of each rule."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from insight_alerts.alert import shown
from insight_core.plugin import Reason
from insight_core.plugin.findings import Examined, Finding, FindingPlace


def found(examined: Examined) -> Iterable[Finding]:
    """One sentence for each rule that has alerts about these runs, the newest first."""
    ctx, runs = examined.ctx, examined.runs
    if ctx.options.get("alerts") is None:
        return []
    answer: Any = ctx.ask("alerts", "/found")
    wanted = set(runs)
    latest: dict[str, tuple[dict[str, Any], list[str]]] = {}
    for alert in reversed(answer["alerts"]):
        if alert["run"] in wanted and alert["kind"] != "finding":  # that is listed itself
            _, named = latest.setdefault(alert["rule"], (alert, []))
            if alert["run"] not in named:
                named.append(alert["run"])
    return [_highlight(alert, named) for alert, named in latest.values()]


def _highlight(alert: dict[str, Any], runs: Sequence[str]) -> Finding:
    rule, run, tag = shown(alert["rule"]), shown(alert["run"]), shown(alert["tag"])
    value, step = alert["value"], alert["step"]
    details: dict[str, Any] = {"rule": rule, "run": run, "count": len(runs)}
    if alert["kind"] == "ended":
        status = alert["status"]
        text = f'alert "{rule}": {run} has ended ({status})'
        reason = Reason(text, "alerts_ended", status=status, **details)
    elif alert["kind"] == "stalled":
        text = f'alert "{rule}": {run} has made no progress for {value:g} minutes'
        reason = Reason(text, "alerts_stalled", minutes=value, **details)
    else:
        text = f'alert "{rule}": {tag} of {run} is {value} at step {step}'
        at = {"tag": tag, "value": str(value), "step": step}
        reason = Reason(text, "alerts_value", **at, **details)
    steps = None if step is None else (step, step)
    place = FindingPlace("scalar", alert["tag"], steps) if alert["tag"] else FindingPlace("alerts")
    return Finding(runs, "warning", reason, place=place)
