"""Rules about profiles: training that waits for its data, and slow ranks, from traces with known times."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import insight_profiler
import pytest

from insight_core.ingest.logdir import Logdir
from insight_core.old_findings import CheckedRule
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.web import Host

Check = Callable[[], dict[str, CheckedRule]]
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
def check(tmp_path: Path) -> Iterator[Check]:
    opened: list[tuple[Host, LocalProvider]] = []

    def checked() -> dict[str, CheckedRule]:
        registry = Registry.of([("profiler", lambda: insight_profiler)])
        provider = LocalProvider([Logdir(str(tmp_path))], registry.plugins.values(), watch=False)
        provider.load()
        host = Host(registry, provider)
        opened.append((host, provider))
        end = time.monotonic() + 60
        while time.monotonic() < end:
            found = {one.rule.id: one for one in host.check_rules(["job"]).rules}
            if not any(one.pending for one in found.values()):
                return found
            time.sleep(0.02)  # until another process has read the traces
        raise AssertionError(f"not all profiles were read: {found}")

    yield checked
    for host, provider in opened:
        host.close()
        provider.close()


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
    assert not [one for one in found.values() if one.findings]
    assert (found["slow_rank"].unchecked, found["data_loader"].unchecked) == (None, None)


def test_a_profile_that_cannot_be_read_says_so(tmp_path: Path, check: Check) -> None:
    path = tmp_path / "job/a_1.1.pt.trace.json"
    path.parent.mkdir()
    path.write_text("{ no JSON")
    for one in check().values():
        assert one.unchecked is not None
        assert (one.failed, one.unchecked.code) == (False, "profiler_not_read")
        assert getattr(one.unchecked.details["cause"], "code", "") == "profiler_failure_no_events"
