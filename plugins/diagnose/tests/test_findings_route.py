"""The route of findings and the columns of the run table, over HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import insight_diagnose
import numpy as np
import pytest
from werkzeug.test import Client

from insight_core.plugin import Messages, Reason, ReasonKind, RunColumn, hookimpl
from insight_core.plugin.data import Damage, Run
from insight_core.plugin.findings import (
    SEVERITIES,
    Examined,
    Finding,
    FindingPlace,
    NotChecked,
    Rule,
    Saving,
)
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host
from tests.hosts import with_hooks

PATH = "/data/plugin/diagnose/findings"


@pytest.fixture
def answers_are_computed_each_time() -> None:
    """Replaces the fixture of all other tests: hosts share answers here."""


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
    assert (finding["runs"], finding["rule"], finding["severity"]) == (["broken"], "nonfinite", "error")
    assert finding["saw"]["code"] == "diagnose_nonfinite"
    assert finding["saw"]["details"]["word"] == "+Inf"
    assert finding["place"] == {"plugin": "scalar", "tag": "train/loss", "steps": [120, 299], "state": {}}
    assert {one["id"] for one in answer["rules"]} >= {"nonfinite", "divergence", "dead_layer"}
    assert (answer["runs"], answer["left"]) == (1, 0)
    assert {one["id"]: one["checked"] for one in answer["rules"]}["divergence"] == 1
    left = {one["rule"]: one["reason"]["code"] for one in answer["unchecked"]}
    assert left["overfitting"] == "no_tag_of_role"
    assert "reason.diagnose_nonfinite" in answer["messages"]["zh-CN"]
    assert [one["runs"] for one in _json(_client(data), PATH)["findings"]] == [["broken"]]  # of all runs


def test_the_worst_findings_come_first_whichever_plugin_has_them(data: FakeProvider) -> None:
    def check(examined: Examined) -> Iterable[Finding]:
        for severity in reversed(SEVERITIES):
            saw, change = (Reason(word, f"m_{word}") for word in ("saw", "change"))
            place = FindingPlace("mine", state={"view": "x"})
            yield Finding(examined.run, severity, saw, change, place, Saving(0.25, 0.5))

    module = SimpleNamespace(
        insight_rules=hookimpl(lambda: [Rule("r", ReasonKind("m_r", "R"), check)]),
        insight_messages=hookimpl(lambda: [Messages("zh-CN", {"reason.m_saw": "看"})]),
    )
    answer = _json(_client(data, mine=module), PATH, run="fine")
    assert [one["severity"] for one in answer["findings"]] == ["error", "warning", "hint", "good"]
    assert answer["findings"][0]["place"]["state"] == {"view": "x"}
    saves = {"low": 0.25, "high": 0.5, "of": "step", "assumes": None}
    assert answer["findings"][0]["saves"] == saves
    assert answer["messages"]["zh-CN"]["reason.m_saw"] == "看"


def test_roles_are_parameters_and_an_unknown_one_is_an_error(data: FakeProvider) -> None:
    client = _client(data)
    roles = _json(client, PATH, run="fine", role=["val_loss=train/loss", "none=x"])
    assert {one["id"]: one["checked"] for one in roles["rules"]}["divergence"] == 0
    refused = client.get(PATH, query_string={"run": "fine", "role": "cost=train/loss"})
    assert refused.status_code == 400
    assert "ROLE=TAG" in refused.get_json()["error"]


def test_an_answer_that_waits_says_so_and_is_not_kept(data: FakeProvider) -> None:
    def read(examined: Examined) -> Iterable[Finding]:
        raise NotChecked(Reason("it is being read", "m_reading"), may_change=True)

    rule = Rule("r", ReasonKind("m_r", "R"), read)
    module = with_hooks(rules=lambda: [rule])
    answer = _client(data, mine=module).get(PATH, query_string={"run": "fine"})
    [waits] = [one for one in answer.get_json()["unchecked"] if one["rule"] == "r"]
    assert (waits["runs"], waits["pending"], waits["reason"]["code"]) == (["fine"], True, "m_reading")
    assert "no-store" in answer.headers["Cache-Control"]


def test_pages_that_ask_for_recent_findings_have_the_runs_examined_once(data: FakeProvider) -> None:
    checked: list[str] = []

    def check(examined: Examined) -> Iterable[Finding]:
        checked.append(examined.run)
        return ()

    client = _client(data, mine=with_hooks(rules=lambda: [Rule("r", ReasonKind("m_r", "R"), check)]))
    recent = "/data/plugin/diagnose/recent_findings"
    before = _json(client, recent, run="fine")["generation"]
    data.add_scalars("fine", "train/loss", [1.0, 0.5])
    assert _json(client, recent, run="fine")["generation"] == before
    assert checked == ["fine"]
    assert _json(client, PATH, run="fine")["generation"] > before
    assert checked == ["fine", "fine"]


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


def test_damaged_logs_are_a_finding_of_all_runs_together(data: FakeProvider) -> None:
    data.add_damage(Damage("fine", "fine/events", 7, "it is cut off"))
    found = _json(_client(data), PATH, run=["broken", "fine"])
    [damage] = [one for one in found["findings"] if one["rule"] == "damaged_logs"]
    assert (damage["plugin"], damage["severity"], damage["runs"]) == ("diagnose", "warning", ["fine"])
    assert damage["saw"]["error"] == "Logs of 1 of 2 runs are damaged in 1 place; fine/events: it is cut off"
    assert "reason.diagnose_damage" in found["messages"]["zh-CN"]


def test_the_same_fault_of_several_runs_is_one_row_with_those_of_the_runs(data: FakeProvider) -> None:
    data.add_scalars("worse", "train/loss", [1.0, np.nan, np.nan, np.nan])
    [one] = _json(_client(data), PATH)["findings"]
    assert (one["runs"], one["rule"]) == (["broken", "worse"], "nonfinite")
    assert one["saw"]["code"] == "findings_of_runs"
    assert one["saw"]["details"]["saw"]["code"] == "diagnose_nonfinite"
    assert [part["runs"] for part in one["each"]] == [["broken"], ["worse"]]


def test_the_answer_comes_in_time_with_what_is_left(data: FakeProvider) -> None:
    for number in range(100):
        data.add_scalars(f"more{number}", "train/loss", [2.0, 1.0])
    client = _client(data)
    lefts: list[int] = []
    while not lefts or lefts[-1]:
        lefts.append(_json(client, PATH, wait=0)["left"])
    assert lefts == sorted(lefts, reverse=True)
    assert len(lefts) > 2


def test_a_snapshot_has_the_findings_of_its_runs_alone(data: FakeProvider) -> None:
    data.add_scalars("worse", "train/loss", [1.0, np.nan, np.nan, np.nan])
    client, path = _client(data), "/data/plugin/diagnose/snapshot"
    packed = _json(client, path, view=[json.dumps({"runs": ["worse", "fine"], "state": {}, "card": None})])
    assert [one["runs"] for one in packed["findings"]] == [["worse"]]
    assert client.get(path, query_string={"view": "[]"}).status_code == 400


def test_a_sweep_with_faulty_runs_gives_one_finding_with_their_hyperparameter() -> None:
    data, falling = FakeProvider(), np.exp(-np.linspace(0, 3, 60))
    rates = {f"r{number:02}": 0.3 if number % 5 == 0 else 0.01 * (1 + number % 3) for number in range(60)}
    for run, rate in rates.items():
        values = falling.copy()
        values[30:] = np.nan if rate == 0.3 else values[30:]
        data.add_scalars(run, "train/loss", values)
    column = RunColumn("lr", "lr", lambda _, runs: rates, kind="number", group="hyperparameter")
    module = with_hooks(run_columns=lambda: [column])
    [one] = _json(_client(data, sweep=module), PATH)["findings"]
    assert (one["rule"], len(one["runs"]), len(one["each"])) == ("nonfinite", 12, 12)
    assert one["saw"]["error"].startswith("12 of 60 runs: NaN or infinite values; r00: train/loss")
    [shared] = one["shared"]
    assert shared["columns"] == ["lr"]
    assert (shared["having"], shared["of"], shared["others_having"]) == (12, 12, 0)
    assert shared["said"].startswith("lr ")
