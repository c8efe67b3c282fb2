"""Rules about profiles: training that waits for its data, and slow ranks, from traces with known times."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import insight_profiler
import pytest
from attrs import evolve
from insight_profiler import rules
from insight_profiler.advice.evidence import Evidence
from insight_profiler.advice.findings import finding
from insight_profiler.advice.job_evidence import JobEvidence
from insight_profiler.advice.places import EvidencePlace, places_of
from insight_profiler.advice.profiler_cost import ProfilerCost
from insight_profiler.advice.replay import HostPace, Replay
from insight_profiler.advice.words import said
from insight_profiler.building import Building
from insight_profiler.model import Source

from insight_core.ingest.logdir import Logdir
from insight_core.old_findings import CheckedRule, checks_of
from insight_core.plugin import ReasonKind, hookimpl
from insight_core.plugin.findings import Examined, Finding, Findings, Needs, Rule
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.web import Host
from tests.profile_faults import FAULTS, simulate

Check = Callable[[], dict[str, CheckedRule]]
Open = Callable[[], Host]
_STEP = 10_000  # us
_LOADER = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"


def _write(path: Path, rank: int, *, loading: float = 0.0, slow: float = 1.0, size: int = 4) -> None:
    """Eight steps of 10 ms, ``slow`` times as long, of which a share is spent in the data loader."""
    path.parent.mkdir(parents=True, exist_ok=True)
    events, at = [], 1000.0
    for step in range(1, 9):
        duration = _STEP * slow
        common = {"ph": "X", "pid": 1, "tid": 1}
        name = f"ProfilerStep#{step}"
        events.append({**common, "cat": "user_annotation", "name": name, "ts": at, "dur": duration})
        if loading:
            waited = loading * duration
            events.append({**common, "cat": "user_annotation", "name": _LOADER, "ts": at, "dur": waited})
        begin, length = at + loading * duration, (0.98 - loading) * duration
        events.append({**common, "cat": "cpu_op", "name": "aten::mm", "ts": begin, "dur": length})
        at += duration
    told = {"distributedInfo": {"rank": rank, "world_size": size}}
    path.write_text(json.dumps({"schemaVersion": 1, **told, "traceEvents": events}))


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Open]:
    opened: list[tuple[Host, LocalProvider]] = []

    def new_host() -> Host:
        modules = [("profiler", lambda: insight_profiler), ("other", lambda: OTHER)]
        registry = Registry.of(modules)
        provider = LocalProvider([Logdir(str(tmp_path))], registry.plugins.values(), watch=False)
        provider.load()
        host = Host(registry, provider)
        opened.append((host, provider))
        return host

    yield new_host
    for host, provider in opened:
        host.close()
        provider.close()


@pytest.fixture
def check(serve: Open) -> Check:
    return lambda: {one.rule.id: one for one in checks_of(_found(serve())).rules}


def _found(host: Host, profile: str | None = None) -> Findings:
    """What is found once another process has read the traces."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        found = host.findings(["job"], profile=profile)
        if not any(one.pending for one in found.unchecked):
            return found
        time.sleep(0.02)
    raise AssertionError(f"not all profiles were read: {found.unchecked}")


def _steps(examined: Examined) -> Iterator[Finding]:
    """A rule of another plugin."""
    count = len(examined.profile.profile.tables["steps"]["number"])
    yield Finding(examined.run, "hint", ReasonKind("other_steps", "{count} steps")(count=count))


OTHER = SimpleNamespace(
    insight_rules=hookimpl(
        lambda: [
            Rule(f"other_{kind}", ReasonKind("", "Steps"), _steps, Needs(profiles=[kind]), "profile")
            for kind in ("profiler", "torch", "mindspore")
        ]
    )
)


def test_a_step_that_waits_for_its_data_is_found(tmp_path: Path, check: Check) -> None:
    _write(tmp_path / "job/a_1.1.pt.trace.json", 0, loading=0.6, size=1)
    found = check()
    [finding] = found["data_loader"].findings
    assert finding.saw.details["percent"] == 60
    assert finding.saves is not None
    assert finding.saves.high == pytest.approx(0.6, abs=0.01)
    assert finding.place.plugin == "profiler"
    assert finding.place.state["profile"] == "a_1.1.pt.trace.json"
    assert found["slow_rank"].unchecked == "the profile is of one rank"


def test_the_rank_that_the_others_wait_for_is_named(tmp_path: Path, check: Check) -> None:
    for rank in range(4):
        slow = 1.5 if rank == 2 else 1.0
        _write(tmp_path / f"job/host{rank}_{rank}.1.pt.trace.json", rank, slow=slow)
    found = check()
    [finding] = found["slow_rank"].findings
    assert (finding.saw.details["rank"], finding.saw.details["percent"]) == (2, 50)
    assert finding.saves is not None
    assert finding.saves.high == pytest.approx(1 / 3, abs=0.01)
    assert found["data_loader"].findings == ()


def test_ranks_that_keep_up_and_data_that_are_ready_are_no_findings(tmp_path: Path, check: Check) -> None:
    for rank in range(4):
        _write(tmp_path / f"job/host{rank}_{rank}.1.pt.trace.json", rank, loading=0.02)
    found = check()
    assert not [one for one in found.values() if one.findings and one.plugin == "profiler"]
    assert (found["slow_rank"].unchecked, found["data_loader"].unchecked) == (None, None)


def test_a_profile_that_cannot_be_read_says_so(tmp_path: Path, check: Check) -> None:
    path = tmp_path / "job/a_1.1.pt.trace.json"
    path.parent.mkdir()
    path.write_text("{ no JSON")
    for one in check().values():
        assert one.unchecked is not None
        if one.rule.id == "other_mindspore":
            continue
        assert (one.failed, one.unchecked.code) == (False, "profiler_not_read")
        assert getattr(one.unchecked.details["cause"], "code", "") == "profiler_failure_no_events"


def test_the_evidence_of_a_profile_is_made_once_for_all_who_ask(
    tmp_path: Path, serve: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def counted(*given: Any) -> Evidence:  # noqa: ANN401
        made.append(given[3])
        return Evidence(*given)

    monkeypatch.setattr(rules, "Evidence", counted)
    monkeypatch.setattr("insight_core.web.findings.calls._FRESH", 600.0)  # nothing is asked again
    path = "a_1.1.pt.trace.json"
    _write(tmp_path / "job" / path, 0, loading=0.6, size=1)
    host = serve()
    opened = rules.opened_by(host.context_of("profiler"))
    while opened.asked.opened_profile("job", path).state == "reading":
        time.sleep(0.02)  # whoever asks as reading ends may ask twice: what is being read has no version
    found = _found(host)
    assert len(found.rules) == len(rules.RULES) + 3
    assert _found(host, path).findings == found.findings
    ctx = host.context_of("profiler")
    answer: Any = ctx.ask("profiler", "/advice", run="job", profile=path)
    assert [one["rule"] for one in answer["advice"]] == [one.rule for one in found.findings]
    assert answer["path"] is None
    assert made == [path]


def test_rules_of_other_plugins_examine_profiles_of_their_kinds(tmp_path: Path, serve: Open) -> None:
    _write(tmp_path / "job/a_1.1.pt.trace.json", 0, size=1)
    host = serve()
    found = _found(host)
    other = [one for one in found.findings if one.rule.startswith("other_")]
    assert {one.rule: str(one.saw) for one in other} == dict.fromkeys(
        ("other_profiler", "other_torch"), "8 steps"
    )
    assert other[0].place.plugin == "profiler"
    assert other[0].place.state == {"run": "job", "profile": "a_1.1.pt.trace.json"}
    answer: Any = host.context_of("profiler").ask(
        "profiler", "/advice", run="job", profile="a_1.1.pt.trace.json"
    )
    shown = [one for one in answer["advice"] if one["rule"] == "other_torch"]
    assert [(one["severity"], one["why"], one["change"]) for one in shown] == [("info", None, None)]


def test_the_newest_profile_speaks_for_a_run_and_others_when_they_are_named(
    tmp_path: Path, serve: Open
) -> None:
    old, new = (tmp_path / "job" / f"{name}.1.pt.trace.json" for name in ("a", "b"))
    _write(old, 0, loading=0.6, size=1)
    _write(new, 0, loading=0.02, size=1)
    os.utime(old, (1_000_000, 1_000_000))
    host = serve()
    assert "data_loader" not in {one.rule for one in _found(host).findings}
    [finding] = [one for one in _found(host, old.name).findings if one.rule == "data_loader"]
    assert finding.place.state["profile"] == old.name


def test_a_saving_says_what_it_assumes(tmp_path: Path, check: Check) -> None:
    _write(tmp_path / "job/a_1.1.pt.trace.json", 0, loading=0.6, size=1)
    [finding] = check()["data_loader"].findings
    assert finding.saves is not None
    assert finding.saves.assumes is not None
    assert (finding.saves.assumes.code, finding.confidence) == ("profiler_assumes_share", "estimated")


def test_all_places_of_evidence_travel_with_a_finding() -> None:
    places = [
        EvidencePlace("kernel", "kernels", "gemm", {"group": "name", "kernels-q": "gemm"}),
        EvidencePlace("range", "timeline", "5 ms", {"window": "1~2"}),
        EvidencePlace("view", "cluster"),
    ]
    one = finding(Evidence(Building(Source.TORCH).finish()), said("one_rank"), said("one_rank"), places)
    assert one.place.state["view"] == "kernels"
    assert places_of(one) == places
    [single] = places_of(finding(JobEvidence(), said("one_rank"), said("one_rank")))
    assert single == EvidencePlace("view", "advice")


def test_a_measured_step_narrows_what_is_promised(tmp_path: Path, serve: Open) -> None:
    """Its own findings stay with the host's: only the savings differ."""
    path = tmp_path / "job/a_1.1.pt.trace.json"
    path.parent.mkdir()
    path.write_bytes(simulate(evolve(FAULTS["host_bound"], event=4.0)).trace())
    host = serve()
    _found(host, path.name)
    asked = {"run": "job", "profile": path.name}
    ctx = host.context_of("profiler")
    plain: Any = ctx.ask("profiler", "/advice", **asked)
    low, high = plain["unprofiled"]
    measured: Any = ctx.ask("profiler", "/advice", **asked, measured=str(round((low + high) / 2)))
    assert measured["unprofiled"] == plain["unprofiled"]
    before, after = ({one["rule"]: one for one in answer["advice"]} for answer in (plain, measured))
    assert before.keys() == after.keys()
    wide, narrow = before["host_bound"], after["host_bound"]
    assert 0 <= narrow["saves"] <= narrow["most"] <= 1
    assert (narrow["saves"], narrow["most"]) != (wide["saves"], wide["most"])
    assert narrow["assumes"]["code"] == "profiler_assumes_host_ahead"
    assert after["profiler_cost"]["saw"]["code"] == "profiler_profiler_cost_measured"


def test_what_a_measured_step_changes_is_worked_out_once(
    tmp_path: Path, serve: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "job/a_1.1.pt.trace.json"
    path.parent.mkdir()
    path.write_bytes(simulate(evolve(FAULTS["host_bound"], event=4.0)).trace())
    host = serve()
    _found(host, path.name)
    made: list[float] = []
    cost_of = ProfilerCost.measured

    def counted(cost: ProfilerCost, replay: Replay, step: float) -> HostPace:
        made.append(step)
        return cost_of(cost, replay, step)

    monkeypatch.setattr(ProfilerCost, "measured", counted)
    ctx = host.context_of("profiler")
    asked = {"run": "job", "profile": path.name}
    plain: Any = ctx.ask("profiler", "/advice", **asked)
    low, high = map(round, plain["unprofiled"])
    answers = [ctx.ask("profiler", "/advice", **asked, measured=str(step)) for step in (low, low, high)]
    assert made == [low, high]
    assert answers[0] == answers[1] != answers[2]
