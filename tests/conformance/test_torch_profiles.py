"""Profiles of torch say what torch says of them, and what counting event by event says."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from insight_profiler.files import Files
from insight_profiler.model import Profile, Source

from tests.conformance.our_profiles import read_files

Sums: TypeAlias = dict[str, list[int]]
"""By name: calls, time and self time in ns."""

# "Self CPU" of key_averages when the sample was written, in µs, and calls
_SAID_BY_TORCH = {
    "aten::convolution_backward": (68311, 8),
    "aten::mkldnn_convolution": (16454, 8),
}


@pytest.fixture(scope="module")
def shared(request: pytest.FixtureRequest) -> Path:
    path = request.config.rootpath.parent / "shared/data"
    if not path.is_dir():
        pytest.skip(f"the real profiles at {path} are not on this machine")
    return path


def _read(path: Path) -> Profile:
    return read_files(Files.of_directory(path.parent, path.name), Source.TORCH)


def _events(path: Path) -> list[dict[str, Any]]:
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    found: list[dict[str, Any]] = json.loads(text, parse_float=Decimal)["traceEvents"]
    return found


def _ns(value: Decimal | int) -> int:
    return int((value * 1000).to_integral_value()) if isinstance(value, Decimal) else value * 1000


def _ours(profile: Profile) -> Sums:
    table = profile.tables["operators"]
    found: Sums = defaultdict(lambda: [0, 0, 0])
    columns = (table[name].tolist() for name in ("name", "calls", "total", "self"))
    for name, *sums in zip(*columns, strict=True):
        found[profile.texts[name]] = [a + b for a, b in zip(found[profile.texts[name]], sums, strict=True)]
    return dict(found)


def _counted(events: Iterable[Mapping[str, Any]], kinds: set[str], inner: set[str]) -> Sums:
    """Sums of slices of some kinds; those of ``inner`` count as time of their own within others."""
    found: Sums = defaultdict(lambda: [0, 0, 0])
    threads = defaultdict(list)
    for event in events:
        if event.get("ph") == "X" and event.get("cat") in kinds | inner:
            start, duration = _ns(event["ts"]), _ns(event["dur"])
            threads[event["pid"], event["tid"]].append((start, -duration, event["name"], event["cat"]))
    for slices in threads.values():
        around: list[tuple[int, list[int] | None]] = []  # ends and sums of what goes on
        for start, minus, name, category in sorted(slices, key=lambda one: one[:2]):
            while around and around[-1][0] <= start:
                around.pop()
            if around and around[-1][1] is not None:
                around[-1][1][2] += minus
            sums = found[name] if category in kinds else None
            if sums is not None:
                sums[0], sums[1], sums[2] = sums[0] + 1, sums[1] - minus, sums[2] - minus
            around.append((start - minus, sums))
    return {name: sums for name, sums in found.items() if not name.startswith("ProfilerStep#")}


def test_operators_of_the_sample_equal_a_count_and_what_torch_said(shared: Path) -> None:
    [path] = (shared / "torch_profile").glob("*.pt.trace.json")
    profile, events = _read(path), _events(path)
    ours = _ours(profile)
    counted = _counted(events, {"cpu_op", "user_annotation"}, set())
    assert ours == counted
    for name, (microseconds, calls) in _SAID_BY_TORCH.items():
        assert (round(ours[name][2] / 1000), ours[name][0]) == (microseconds, calls)
    # operators, and what of the steps lies in none, fill the steps
    alone = sum(sums[2] for sums in ours.values()) + _steps_alone(events)
    assert alone == profile.tables["steps"]["duration"].sum()


def _steps_alone(events: list[dict[str, Any]]) -> int:
    renamed = [
        {**event, "name": "step"} if str(event.get("name")).startswith("ProfilerStep#") else event
        for event in events
    ]
    return _counted(renamed, {"cpu_op", "user_annotation"}, set())["step"][2]


def _paces(events: list[dict[str, Any]]) -> list[float]:
    """Milliseconds from the end of the work that a step launched to that of the next one."""
    slices = [event for event in events if event.get("ph") == "X"]
    steps = sorted(
        (float(event["ts"]), float(event["ts"] + event["dur"]))
        for event in slices
        if event["name"].startswith("ProfilerStep#") and event["cat"] == "user_annotation"
    )
    launched = {
        event["args"]["correlation"]: float(event["ts"]) for event in slices if event["cat"] == "cuda_runtime"
    }
    work = [
        (launched[event["args"]["correlation"]], float(event["ts"] + event["dur"]))
        for event in slices
        if event["cat"] in ("kernel", "gpu_memcpy", "gpu_memset")
        and event["args"].get("correlation") in launched
    ]
    ends = [max(end for at, end in work if first <= at < last) for first, last in steps]
    begins = [first for first, _ in steps[:1]] + ends[:-1]
    return [round((end - begin) / 1e3, 1) for begin, end in zip(begins, ends, strict=True)]


def test_memory_of_the_sample(shared: Path) -> None:
    [path] = (shared / "torch_profile").glob("*.pt.trace.json")
    profile, events = _read(path), _events(path)
    said = [event["args"] for event in events if event["name"] == "[memory]"]
    counters = profile.tables["counters"]
    allocated = counters["value"][counters["counter"] == 0].tolist()
    assert sorted(allocated) == sorted(float(one["Total Allocated"]) for one in said)
    taken = profile.tables["allocations"]["bytes"]
    assert sorted(taken.tolist()) == sorted(one["Bytes"] for one in said if one["Bytes"] > 0)


@pytest.mark.parametrize(
    ("name", "kernels", "steps"),
    [
        ("rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz", 4350, [35.1, 72.1, 95.7, 95.6, 95.7]),
        ("benchmark_result_2869224_1695835535_trace.json.gz", None, []),
    ],
)
def test_traces_of_gpus_equal_a_count(
    shared: Path, name: str, kernels: int | None, steps: list[float]
) -> None:
    path = shared / "torch_gpu_traces" / name
    profile, events = _read(path), _events(path)
    slices = [event for event in events if event.get("ph") == "X"]
    marks = [event for event in events if event.get("ph") == "i" and event["name"] != "Record Window End"]
    assert len(profile.tables["slices"]["start"]) == len(slices) + len(marks)

    table = profile.tables.get("steps", {"host_duration": np.empty(0), "duration": np.empty(0)})
    assert [round(duration / 1e6, 1) for duration in table["host_duration"].tolist()] == steps
    # the device lags: a step lasts from the end of the work of the last one to that of its own
    assert [round(duration / 1e6, 1) for duration in table["duration"].tolist()] == _paces(events)

    said = [event for event in slices if event["cat"] == "kernel"]
    assert profile.tables["kernels"]["calls"].sum() == len(said)
    assert kernels in (None, len(said))
    times: dict[str, int] = defaultdict(int)
    for event in said:
        times[event["name"]] += _ns(event["dur"])
    found: dict[str, int] = defaultdict(int)
    for place, total in zip(
        profile.tables["kernels"]["name"], profile.tables["kernels"]["total"], strict=True
    ):
        found[profile.texts[place]] += int(total)
    assert found == times

    runtime = {event["cat"] for event in slices if event["cat"].endswith(("_runtime", "_driver"))}
    assert _ours(profile) == _counted(slices, {"cpu_op", "user_annotation"}, runtime)
    _check_device_times(profile, slices, runtime)


def _check_device_times(profile: Profile, slices: list[dict[str, Any]], runtime: set[str]) -> None:
    """Each kernel and copy counts for the operators around the call that launched it."""
    operators = defaultdict(list)
    launches = {}
    for event in slices:
        start, end = _ns(event["ts"]), _ns(event["ts"]) + _ns(event["dur"])
        place = event["pid"], event["tid"]
        if event["cat"] in runtime and "correlation" in event.get("args", {}):
            launches[event["args"]["correlation"]] = place, start, end
        is_step = event["name"].startswith("ProfilerStep#")
        if event["cat"] in ("cpu_op", "user_annotation") and not is_step:
            operators[place].append((start, end, event["name"]))
    expected: dict[str, int] = defaultdict(int)
    for event in slices:
        launch = launches.get(event.get("args", {}).get("correlation"))
        if event["cat"] in ("kernel", "gpu_memcpy", "gpu_memset") and launch is not None:
            place, start, end = launch
            for begin, finish, name in operators[place]:
                if begin <= start and end <= finish:
                    expected[name] += _ns(event["dur"])
    table = profile.tables["operators"]
    found: dict[str, int] = defaultdict(int)
    for place, total in zip(table["name"], table["device_total"], strict=True):
        if total > 0:
            found[profile.texts[place]] += int(total)
    assert found == expected


def test_a_fresh_profile_equals_key_averages(tmp_path: Path) -> None:
    """``INSIGHT_PEER_TORCH`` names the Python of an environment with torch."""
    python = os.environ.get("INSIGHT_PEER_TORCH")
    if not python:
        pytest.skip("INSIGHT_PEER_TORCH does not name the Python of an environment with torch")
    script = Path(__file__).with_name("oracle_torch.py")
    done = subprocess.run([python, script, tmp_path], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    said: Sums = json.loads(done.stdout.splitlines()[-1])["operators"]
    ours = _ours(_read(tmp_path / "fresh.pt.trace.json"))
    compared = {name for name in said if not name.startswith(("ProfilerStep", "[memory]"))}
    assert compared == ours.keys()
    for name in compared:
        calls, total, own = said[name]
        assert ours[name][0] == calls, name
        # torch rounds each event on its own
        assert abs(ours[name][1] - total) <= 1000 * calls, name
        assert abs(ours[name][2] - own) <= 2000 * calls, name
