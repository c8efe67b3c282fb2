"""Faults of layers that are planted in small trainings are named with layer and step; look-alikes are not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import insight_diagnose
import insight_health
import pytest
from werkzeug.test import Client

from insight_core.plugin.findings import Finding
from insight_core.registry import Registry
from insight_core.web import Host
from tests.fault_layers import FAULTY, HEALTHY, LayerCase, layer_cases, logged

_SEEDS = range(7000, 7002)  # thresholds were set on seeds below 100
_FAULTS: Mapping[str, str] = {
    "layer_nonfinite": "nonfinite",
    "dead_layer": "dead",
    "unchanged_layer": "unchanged",
    "vanishing_gradients": "vanishing",
    "exploding_gradients": "exploding",
}


def _host(case: LayerCase) -> Host:
    modules = {"diagnose": insight_diagnose, "health": insight_health}
    return Host(Registry.of([(name, lambda one=one: one) for name, one in modules.items()]), logged(case))  # type: ignore[misc]


def _findings(host: Host) -> dict[str, Finding]:
    rules = host.check_rules(["run"]).rules
    assert not [str(one.unchecked) for one in rules if one.failed]
    return {_FAULTS[one.rule.id]: one.findings[0] for one in rules if one.findings}


def _is_named(case: LayerCase, found: Mapping[str, Finding]) -> bool:
    finding = found.get("unchanged" if case.fault == "all_unchanged" else case.fault)
    if finding is None:
        return False
    if (case.fault == "all_unchanged") is not (finding.saw.code == "diagnose_all_unchanged"):
        return False
    details = finding.saw.details
    return details["module"] in case.layers and case.step in (None, details["step"])


@pytest.mark.parametrize("kind", range(len(FAULTY)), ids=[make.__name__ for make in FAULTY])
def test_a_planted_fault_is_named_with_its_layer_and_step(kind: int) -> None:
    for case in layer_cases(_SEEDS, faulty=True, kinds=[kind]):
        found = _findings(_host(case))
        assert _is_named(case, found), (case.step, sorted(case.layers), found)
        if case.fault != "all_unchanged":
            alarms = {fault for fault, one in found.items() if one.severity != "hint"}
            assert alarms <= {case.fault, *case.also}


@pytest.mark.parametrize("kind", range(len(HEALTHY)), ids=[make.__name__ for make in HEALTHY])
def test_a_healthy_look_alike_raises_no_alarm(kind: int) -> None:
    for case in layer_cases(_SEEDS, faulty=False, kinds=[kind]):
        found = _findings(_host(case))
        assert {fault: str(one.saw) for fault, one in found.items() if one.severity != "hint"} == {}


@pytest.mark.parametrize("kind", range(len(FAULTY)), ids=[make.__name__ for make in FAULTY])
def test_the_map_of_layers_names_the_layer_that_the_findings_name(kind: int) -> None:
    for case in layer_cases(_SEEDS, faulty=True, kinds=[kind]):
        host = _host(case)
        found = _findings(host)
        shown: dict[str, Mapping[str, Any]] = {}
        for one in _map(Client(host))["faults"]:
            shown.setdefault(one["fault"], one)
        assert shown.keys() == found.keys()
        for fault, finding in found.items():
            assert finding.place.tag == shown[fault]["source"]["tag"]
            assert finding.saw.details["step"] == shown[fault]["step"]
            assert finding.severity == shown[fault]["severity"]


def _map(client: Client) -> Any:  # noqa: ANN401
    """What the tab says when all records are read."""
    while True:
        answer = client.get("/data/plugin/health/map", query_string={"run": "run"}).data
        length = int.from_bytes(answer[:8], "little")
        said = json.loads(json.loads(answer[8 : 8 + length])["__metadata__"]["map"])
        if said["read"] == said["records"]:
            return said
