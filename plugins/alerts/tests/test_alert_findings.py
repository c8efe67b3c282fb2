"""What thresholds find is listed with what other rules find, by every reader of findings."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Sequence

import insight_alerts
import insight_diagnose
import numpy as np
import pytest
from insight_alerts.rules import rules_of
from insight_alerts.thresholds import Thresholds
from werkzeug.test import Client

from insight_core.plugin.findings import Finding, FindingPlace
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host
from tests.hosts import with_hooks

RULES = """
[[rule]]
name = "high {loss}"
when = "above"
value = 2
tag = "loss"
[[rule]]
name = "slow"
when = "stalled"
minutes = 30
run = "[ab]"
[[rule]]
name = "over"
when = "ended"
run = "gone"
"""


@pytest.fixture
def data() -> FakeProvider:
    provider, now = FakeProvider(), time.time()
    provider.add_scalars("a", "loss", [1.0, 3.0], steps=[0, 7], wall_times=[now - 3600, now - 3600])
    provider.add_scalars("b", "loss", [1.0, np.inf, 2.5], steps=[0, 8, 9], wall_times=[now, now, now])
    provider.add_scalars("gone", "other", [9.0], wall_times=[now - 9e6])
    return provider


def _host(data: FakeProvider, rules: str = RULES) -> Host:
    registry = Registry.of([("alerts", lambda: insight_alerts), ("diagnose", lambda: insight_diagnose)])
    registry.take_flags({"alerts": rules_of(tomllib.loads(rules)) if rules else None})
    return Host(registry, data)


def _found(host: Host, *runs: str) -> Sequence[Finding]:
    found = host.findings(runs or None).findings
    return [one for one in found if one.rule.startswith("alert_")]


def test_a_threshold_has_one_finding_with_all_its_runs(data: FakeProvider) -> None:
    by_rule = {one.rule.rpartition("_")[0]: one for one in _found(_host(data))}
    assert set(by_rule) == {"alert_high_loss", "alert_slow", "alert_over"}
    one = by_rule["alert_high_loss"]
    assert one.runs == ("a", "b")
    assert str(one.saw) == '2 of 3 runs: high {loss}; a: alert "high {loss}": loss of a is 3 at step 7'
    assert [str(each.saw) for each in one.each][1] == 'Alert "high {loss}": loss of b is inf at step 8'
    assert one.severity == "warning"
    assert one.place == FindingPlace("scalar", "loss", (7, 7))
    one = by_rule["alert_slow"]
    assert str(one.saw) == 'alert "slow": a has made no progress for 30 minutes'
    assert one.place.plugin == "alerts"
    assert [one.saw.code for one in _found(_host(data), "gone")] == ["alerts_ended"]


def test_the_route_of_findings_and_the_list_of_rules_have_them(data: FakeProvider) -> None:
    answer = Client(_host(data)).get("/data/plugin/diagnose/findings").get_json()
    rules = [one["rule"] for one in answer["findings"] if one["rule"].startswith("alert_")]
    assert len(rules) == 3
    titles = {one["id"]: one["title"]["error"] for one in answer["rules"]}
    assert {titles[rule] for rule in rules} == {"high {loss}", "slow", "over"}


def test_a_run_that_stops_to_make_progress_is_found_although_its_series_stay(
    data: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("insight_core.web.findings.calls._FRESH", 0.0)
    monkeypatch.setattr("insight_alerts.thresholds._FRESH", -1.0)
    now = [time.time()]
    thresholds = Thresholds(rules_of(tomllib.loads(RULES)), lambda: now[0])
    module = with_hooks(plugin=lambda: insight_alerts.insight_plugin(), rules=lambda: [*thresholds.rules()])
    host = Host(Registry.of([("alerts", lambda: module)]), data)
    for runs in ({"a"}, {"a", "b"}):
        found = [one for one in _found(host) if one.rule.startswith("alert_slow")]
        assert {run for one in found for run in one.runs} == runs
        now[0] += 3600


def test_a_host_without_alerts_says_nothing(data: FakeProvider) -> None:
    assert _found(_host(data, "")) == []
