"""What the alerts plugin says of runs together: the last alert of each rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import insight_alerts
import pytest
from attrs import evolve
from insight_alerts.alert import Alert
from insight_alerts.highlights import found as found_of

from insight_core.plugin import PluginContext
from insight_core.plugin.findings import Examined, Finding
from insight_core.plugin.testing import FakeProvider, context_of


def _alert(rule: str, kind: str, run: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    fields = {"tag": "loss", "subject": "1", "step": 7, "value": 2.5, "at": 1.0, "found": 2.0, **more}
    return Alert(rule, rule, kind, run, **fields).row()


@pytest.fixture
def ctx() -> PluginContext:
    listed = [
        _alert("high", "above", "a"),
        _alert("high", "above", "b", step=9, value=float("nan")),
        _alert("high", "above", "b", step=8),
        _alert("slow", "stalled", "a", tag="", step=None, value=30.0),
        _alert("over", "ended", "gone", tag="", step=None, value=None, status="failure"),
    ]

    def ask(plugin: str, route: str, **parameters: str | int | Sequence[str]) -> object:
        assert (plugin, route) == ("alerts", "/found")
        return {"alerts": listed}

    made = context_of(insight_alerts.insight_plugin(), FakeProvider())
    return evolve(made, ask=ask, options={"alerts": object()})


def found(ctx: PluginContext, runs: Sequence[str]) -> list[Finding]:
    return list(found_of(Examined(ctx, runs, {}, lambda _: None)))


def test_the_last_alert_of_each_rule_with_all_its_runs(ctx: PluginContext) -> None:
    slow, high = found(ctx, ["a", "b"])
    assert str(slow.saw) == 'alert "slow": a has made no progress for 30 minutes'
    assert slow.place.plugin == "alerts"
    assert str(high.saw) == 'alert "high": loss of b is 2.5 at step 8'
    assert list(high.runs) == ["b", "a"]
    assert (high.place.tag, high.place.steps) == ("loss", (8, 8))
    assert [one.saw.code for one in found(ctx, ["gone"])] == ["alerts_ended"]


def test_a_host_without_alerts_says_nothing(ctx: PluginContext) -> None:
    assert list(found(evolve(ctx, options={"alerts": None}), ["a"])) == []
