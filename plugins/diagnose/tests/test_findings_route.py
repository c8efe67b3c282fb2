"""The route of findings and the columns of the run table, over HTTP."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import insight_diagnose
import numpy as np
import pytest
from werkzeug.test import Client

from insight_core.plugin import Messages, Reason, hookimpl
from insight_core.plugin.data import Damage, Run
from insight_core.plugin.findings import SEVERITIES, Examined, Finding, FindingPlace, NotChecked, Rule
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host

PATH = "/data/plugin/diagnose/findings"


@pytest.fixture
def data() -> FakeProvider:
    provider = FakeProvider()
    provider.add_run(Run("empty"))
    falling = np.exp(-np.linspace(0, 3, 300))
    broken = falling.copy()
    broken[120:] = np.inf
    provider.add_scalars("broken", "train/loss", broken)
    provider.add_scalars("fine", "train/loss", falling)
    return provider


def _client(data: FakeProvider, **modules: object) -> Client:
    every = {"diagnose": insight_diagnose, **modules}
    return Client(Host(Registry.of([(name, lambda one=one: one) for name, one in every.items()]), data))  # type: ignore[misc]


def _json(client: Client, path: str, **query: object) -> Any:  # noqa: ANN401
    answer = client.get(path, query_string=query)
    assert answer.status_code == 200, answer.text
    return answer.get_json()


def test_findings_of_the_runs_that_are_asked_for(data: FakeProvider) -> None:
    answer = _json(_client(data), PATH, run=["broken", "unknown"])
    [finding] = answer["findings"]
    assert (finding["run"], finding["rule"], finding["severity"]) == ("broken", "nonfinite", "error")
    assert finding["saw"]["code"] == "diagnose_nonfinite"
    assert finding["saw"]["details"]["word"] == "+Inf"
    assert finding["place"] == {"plugin": "scalar", "tag": "train/loss", "steps": [120, 299], "state": {}}
    assert {one["id"] for one in answer["rules"]} >= {"nonfinite", "divergence", "dead_layer"}
    assert {"plugin": "diagnose", "rule": "divergence", "run": "broken"} in answer["checked"]
    left = {one["rule"]: one["reason"]["code"] for one in answer["unchecked"]}
    assert left["overfitting"] == "no_tag_of_role"
    assert "reason.diagnose_nonfinite" in answer["messages"]["zh-CN"]
    assert _json(_client(data), PATH)["findings"] == []


def test_the_worst_findings_come_first_whichever_plugin_has_them(data: FakeProvider) -> None:
    def check(examined: Examined) -> Iterable[Finding]:
        for severity in reversed(SEVERITIES):
            saw, why, change = (Reason(word, f"m_{word}") for word in ("saw", "why", "change"))
            place = FindingPlace("mine", state={"view": "x"})
            yield Finding(examined.run, severity, saw, why, change, place, saves=0.25)

    module = SimpleNamespace(
        insight_rules=hookimpl(lambda: [Rule("r", Reason("R", "m_r"), check)]),
        insight_messages=hookimpl(lambda: [Messages("zh-CN", {"reason.m_saw": "看"})]),
    )
    answer = _json(_client(data, mine=module), PATH, run="fine")
    assert [one["severity"] for one in answer["findings"]] == ["error", "warning", "info"]
    assert answer["findings"][0]["place"]["state"] == {"view": "x"}
    assert answer["findings"][0]["saves"] == 0.25
    assert answer["messages"]["zh-CN"]["reason.m_saw"] == "看"


def test_roles_are_parameters_and_an_unknown_one_is_an_error(data: FakeProvider) -> None:
    client = _client(data)
    roles = _json(client, PATH, run="fine", role=["val_loss=train/loss", "none=x"])
    assert {"plugin": "diagnose", "rule": "divergence", "run": "fine"} not in roles["checked"]
    refused = client.get(PATH, query_string={"run": "fine", "role": "cost=train/loss"})
    assert refused.status_code == 400
    assert "ROLE=TAG" in refused.get_json()["error"]


def test_an_answer_that_may_change_by_itself_is_not_kept(data: FakeProvider) -> None:
    def read(examined: Examined) -> Iterable[Finding]:
        raise NotChecked(Reason("it is being read", "m_reading"), may_change=True)

    rule = Rule("r", Reason("R", "m_r"), read)
    module = SimpleNamespace(insight_rules=hookimpl(lambda: [rule]))
    for client, kept in ((_client(data), True), (_client(data, mine=module), False)):
        answer = client.get(PATH, query_string={"run": "fine"})
        assert ("ETag" in answer.headers) is kept
        assert ("no-store" in answer.headers.get("Cache-Control", "")) is not kept


def test_columns_say_how_many_findings_a_run_has_and_the_worst(data: FakeProvider) -> None:
    client = _client(data)
    listed = _json(client, "/data/run_columns")["columns"]
    assert [one["at_first"] for one in listed if one["plugin"] == "diagnose"] == [False, False]
    answer = _json(client, "/data/run_columns", column=["diagnose/findings", "diagnose/worst"])
    cells = [dict(zip(answer["runs"], one["values"], strict=True)) for one in answer["columns"]]
    assert cells == [
        {"broken": 1, "empty": None, "fine": 0},
        {"broken": "error", "empty": None, "fine": "none"},
    ]
    matches = _json(client, "/data/run_matches", where='worst = "error"')
    assert matches == {"runs": ["broken"]}


def test_what_matters_has_damage_and_texts_of_all_plugins(data: FakeProvider) -> None:
    data.add_damage(Damage("fine", "fine/events", 7, "it is cut off"))
    answer = _json(_client(data), "/data/plugin/diagnose/highlights", run=["broken", "fine"])
    [damage] = answer["highlights"]
    assert (damage["plugin"], damage["tone"], damage["runs"]) == ("diagnose", "warning", ["fine"])
    assert damage["text"]["error"] == "logs of 1 of 2 runs are damaged in 1 place; fine/events: it is cut off"
    assert "reason.diagnose_damage" in answer["messages"]["zh-CN"]
    assert _json(_client(data), "/data/plugin/diagnose/highlights", run="broken")["highlights"] == []
