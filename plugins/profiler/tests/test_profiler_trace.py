"""Chrome traces: torch's forms, and those of other writers."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from insight_profiler.model import Category, FlowKind, Profile, Source

from tests.chrome_traces import Event, codes_of, column_of, names_of, read_trace, slice_of

Read = Callable[..., Profile]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    return partial(read_trace, tmp_path)


# --- times ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "apart"),
    [
        ("1795221374130663.817", "1795221374130663.818", 1),
        ('"1795221374130663.817"', '"1795221374130664.000"', 183),
        ("1795221374130663", "1795221374130664", 1000),
        ("1.7952213741306638e15", "1.7952213741306639e15", 100),
        ("1795221374130663.8", "1795221374130663.85", 50),
        ("1795221374130663.8171", "1795221374130663.8186", 2),
        ("-5.5", "5.5", 11_000),
    ],
)
def test_times_are_read_from_text(read: Read, first: str, second: str, apart: int) -> None:
    event = '{"ph":"X","name":"a","pid":1,"tid":1,"ts":%s,"dur":0.001}'
    profile = read(f"[{event % first},{event % second}]".encode())
    assert column_of(profile, "start") == [0, apart]
    assert column_of(profile, "duration") == [1, 1]


def test_the_base_of_times_may_come_last(read: Read) -> None:
    base = 1_790_857_026_000_000_000
    events = [slice_of("a", 4364375274519.945, 9484.261)]
    text = json.dumps({"traceEvents": events, "baseTimeNanoseconds": base})
    assert read(text.encode(), Source.TORCH).start_ns == base + 4364375274519945
    assert read(text.encode(), Source.TORCH).tables["slices"]["duration"].tolist() == [9484261]


def test_events_without_a_time_are_left_out_and_told(read: Read) -> None:
    events: list[Any] = [slice_of("a", 1, 1), slice_of("b", float("nan"), 1), slice_of("c", 2, float("inf"))]
    events += [{"ph": "X", "name": "d", "pid": 1, "tid": 1}, 7, None, {"name": "e"}]
    events += [{**slice_of("f", 5, 1), "ts": "soon"}]
    profile = read(events)
    assert names_of(profile) == ["a", "c"], "of c only the duration is unknown"
    assert column_of(profile, "duration") == [1000, 0]
    assert codes_of(profile) == ["events_odd"]
    assert profile.notes[0].values["count"] == 7


def test_the_empty_event_at_the_end_of_a_trace_of_jax_is_no_fault(read: Read) -> None:
    assert codes_of(read([slice_of("a", 1, 1), {}])) == []


# --- events ---------------------------------------------------------------------------------------


def test_processes_and_threads_are_tracks(read: Read) -> None:
    meta = [
        {"ph": "M", "name": "process_name", "pid": "Spans", "args": {"name": "spans"}},
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": "main", "args": {"name": "主线程"}},
        {"ph": "M", "name": "thread_sort_index", "pid": 1, "tid": "main", "args": {"sort_index": 3}},
        {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "python"}},
    ]
    events = [slice_of("a", 1, 1, "main"), slice_of("b", 1, 1, 2), {**slice_of("c", 1, 1), "pid": "Spans"}]
    profile = read([*events, *meta])
    assert [(one.kind, one.label, one.parent) for one in profile.tracks] == [
        ("process", "python (1)", -1),
        ("thread", "主线程", 0),
        ("thread", "thread 2", 0),
        ("process", "spans", -1),
        ("thread", "thread 1", 3),
    ]
    assert profile.tracks[1].order == 3
    raw = json.dumps([*events, *meta], ensure_ascii=False).encode()
    assert read(raw).tracks == profile.tracks


def test_beginnings_and_ends_are_paired(read: Read) -> None:
    def mark(phase: str, name: str, time: int, **more: object) -> Event:
        return {"ph": phase, "name": name, "cat": "x", "pid": 1, "tid": 1, "ts": time, **more}

    events = [
        mark("E", "inner", 30),  # events come in any order
        mark("B", "outer", 10),
        mark("B", "inner", 20),
        mark("E", "outer", 40),
        mark("E", "", 41),
        mark("B", "open", 50),
        mark("b", "load", 5, id="0x1"),
        mark("b", "load", 6, id="0x2"),
        mark("e", "load", 9, id="0x1"),
        mark("e", "load", 60, id="0x2"),
    ]
    profile = read(events)
    found = zip(*(column_of(profile, name) for name in ("start", "duration", "depth")), strict=True)
    assert dict(zip(names_of(profile), found, strict=False)) == {
        "outer": (5_000, 30_000, 0),
        "inner": (15_000, 10_000, 1),
        "open": (45_000, 10_000, 0),
        "load": (1_000, 54_000, 1),
    }
    assert codes_of(profile) == ["ends_without_beginnings", "slices_without_end"]
    assert [track.label for track in profile.tracks if track.kind == "thread"] == [
        "thread 1",
        "thread async x",
    ]


def test_instants_and_counters(read: Read) -> None:
    events = [
        {"ph": "i", "name": "mark", "pid": 1, "tid": 1, "ts": 7},
        {"ph": "i", "name": "Record Window End", "pid": 1, "tid": 1, "ts": 10**12},
        {"ph": "C", "name": "load", "pid": 1, "ts": 8, "args": {"cpu": 2, "disk": "0.5"}},
        {"ph": "C", "name": "load", "pid": 1, "ts": 9, "args": {"cpu": 4.25, "what": None}},
    ]
    profile = read(events)
    assert (names_of(profile), column_of(profile, "duration")) == (["mark"], [0])
    assert [counter.label for counter in profile.counters] == ["load: cpu", "load: disk"]
    assert column_of(profile, "value", "counters") == [2, 4.25, 0.5]
    assert column_of(profile, "time", "counters") == [1_000, 2_000, 1_000]
    assert profile.duration_ns == 2_000


def test_other_traces_have_operators_by_category(read: Read) -> None:
    events = [slice_of("a", 0, 5, cat="net"), slice_of("a", 9, 6, cat="disk"), slice_of("b", 30, 1, cat="")]
    profile = read(events)
    assert profile.source is Source.CHROME
    assert names_of(profile, "operators", "type") == ["net", "disk", "event"]
    assert column_of(profile, "total", "operators") == [5_000, 6_000, 1_000]


# --- torch ----------------------------------------------------------------------------------------

_NEW = ("cpu_op", "cuda_runtime", "kernel", "gpu_memcpy", "External id", "user_annotation")
_OLD = ("Operator", "Runtime", "Kernel", "Memcpy", "external id", "Operator")


def _gpu_trace(words: Sequence[str]) -> list[Event]:
    op, runtime, kernel, copy, external, note = words
    said = (32, 4096, 41)
    launched = {
        "correlation": 9,
        "device": 0,
        "stream": 7,
        external: 1,
        "grid": [8, 1, 1],
        "block": [128, 1, 1],
    }
    launched |= zip(("registers per thread", "shared memory", "est. achieved occupancy %"), said, strict=True)
    copied = {"correlation": 10, "device": 0, "stream": 7, external: 1}
    return [
        slice_of("ProfilerStep#4", 0, 100, cat=note),
        slice_of("aten::mm", 10, 50, cat=op, args={external: 1, "Input Dims": [[2, 3], [3, 4]]}),
        slice_of("cudaLaunchKernel", 20, 5, cat=runtime, args={"correlation": 9}),
        slice_of("cudaMemcpyAsync", 40, 5, cat=runtime, args={"correlation": 10}),
        {**slice_of("gemm<8>", 30, 20, 7, cat=kernel, args=launched), "pid": 0},
        {**slice_of("Memcpy HtoD", 60, 10, 7, cat=copy, args=copied), "pid": 0},
        {"ph": "M", "name": "process_labels", "pid": 0, "args": {"labels": "GPU 0"}},
    ]


@pytest.mark.parametrize("words", [_NEW, _OLD], ids=["new", "old"])
def test_both_forms_of_torch(read: Read, words: Sequence[str]) -> None:
    head = {"deviceProperties": [{"id": 0, "name": "V100", "numSms": 80}], "host_name": "vm",
            "distributedInfo": {"backend": "nccl", "rank": 1, "world_size": 2}}  # fmt: skip
    profile = read({**head, "traceEvents": _gpu_trace(words)})
    assert profile.source is Source.TORCH
    assert (profile.host, profile.rank, profile.world_size, profile.platform) == ("vm", 1, 2, "gpu")
    assert [(one.name, one.kind, one.facts["numSms"]) for one in profile.devices] == [("V100", "gpu", 80)]
    assert ("stream", "stream 7", 0) in [(one.kind, one.label, one.device) for one in profile.tracks]
    assert names_of(profile, "operators") == ["aten::mm"]
    assert names_of(profile, "operators", "shapes") == ["[[2, 3], [3, 4]]"]
    columns = ("calls", "total", "self", "device_total", "device_self")
    assert [column_of(profile, name, "operators") for name in columns] == [
        [1],
        [50_000],
        [40_000],
        [30_000],
        [30_000],
    ]
    kernels = {name: column_of(profile, name, "kernels")[0] for name in profile.tables["kernels"]}
    assert profile.texts[kernels["name"]] == "gemm<8>"
    assert (profile.texts[kernels["grid"]], profile.texts[kernels["stream"]]) == ("8 x 1 x 1", "7")
    assert (kernels["operator"], kernels["registers"], kernels["occupancy"]) == (0, 32, 41)
    assert len(profile.tables["flows"]["kind"]) == 2
    steps = profile.tables["steps"]
    shares = {
        name: int(steps[name][0]) for name in ("kernel", "memcpy", "runtime", "operator", "other", "idle")
    }
    assert steps["number"].tolist() == [4]
    assert shares == {"kernel": 20_000, "memcpy": 10_000, "runtime": 5_000, "operator": 25_000, "other": 0,
                      "idle": 40_000}  # fmt: skip


def test_what_slices_are(read: Read) -> None:
    cases = {
        ("enumerate(DataLoader)#_Iter.__next__", "user_annotation"): Category.DATA,
        ("Optimizer.step#SGD.step", "user_annotation"): Category.OTHER,
        ("nccl:all_reduce", "user_annotation"): Category.COMMUNICATION,
        ("ncclKernel_AllReduce_RING", "kernel"): Category.COMMUNICATION,
        ("Memset (Device)", "gpu_memset"): Category.MEMSET,
        ("xpuLaunch", "xpu_runtime"): Category.RUNTIME,
        ("cuLaunch", "cuda_driver"): Category.RUNTIME,
        ("train.py(3): f", "python_function"): Category.OTHER,
    }
    profile = read([slice_of(name, 10 * at, 1, cat=cat) for at, (name, cat) in enumerate(cases)])
    found = dict(zip(names_of(profile), column_of(profile, "category"), strict=True))
    assert found == {name: int(category) for (name, _), category in cases.items()}
    assert "Optimizer.step" in names_of(profile, "operators", "type")
    assert "train.py(3): f" not in names_of(profile, "operators")


def test_arrows_are_flows(read: Read) -> None:
    def arrow(phase: str, cat: str, number: int, tid: int, time: int) -> Event:
        return {
            "ph": phase,
            "cat": cat,
            "name": cat,
            "id": number,
            "pid": 1,
            "tid": tid,
            "ts": time,
            "bp": "e",
        }

    events = [
        slice_of("forward", 0, 10),
        slice_of("backward", 20, 10, 2),
        slice_of("other", 30, 10, 2),
        arrow("s", "fwdbwd", 1, 1, 0),
        arrow("f", "fwdbwd", 1, 2, 20),
        arrow("s", "ac2g", 1, 1, 5),  # numbers count by category
        arrow("f", "ac2g", 1, 2, 31),
        {**arrow("s", "x", 0, 1, 0), "id": "0x7"},  # numbers may be texts
        {**arrow("t", "x", 0, 2, 22), "id": "0x7"},
        {**arrow("f", "x", 0, 2, 32), "id": "0x7"},
        arrow("s", "fwdbwd", 2, 1, 500),  # nothing there
        arrow("f", "fwdbwd", 2, 2, 20),
    ]
    flows = read(events).tables["flows"]
    found = sorted(zip(*(flows[name].tolist() for name in ("source", "target", "kind")), strict=True))
    assert found == [
        (0, 1, FlowKind.BACKWARD),
        (0, 1, FlowKind.OTHER),
        (0, 2, FlowKind.LAUNCH),
        (1, 2, FlowKind.OTHER),
    ]


def test_operators_are_in_the_modules_around(read: Read) -> None:
    def python(name: str, start: float, duration: float) -> Event:
        return slice_of(name, start, duration, cat="python_function")

    events = [
        python("nn.Module: Net_0", 0, 100),
        python("net.py(7): forward", 1, 90),
        python("nn.Module: Linear_1", 10, 40),
        slice_of("aten::linear", 20, 10),
        slice_of("aten::relu", 60, 5),
        slice_of("aten::zeros", 200, 5),
        slice_of("AddmmBackward0", 300, 50, 2),
        slice_of("aten::mm", 310, 5, 2),
        {"ph": "s", "cat": "fwdbwd", "name": "fwdbwd", "id": 1, "pid": 1, "tid": 1, "ts": 20},
        {"ph": "f", "cat": "fwdbwd", "name": "fwdbwd", "id": 1, "pid": 1, "tid": 2, "ts": 300, "bp": "e"},
    ]
    profile = read(events)
    found = dict(zip(names_of(profile, "operators"), names_of(profile, "operators", "scope"), strict=True))
    assert found == {
        "aten::linear": "Net_0/Linear_1",
        "aten::relu": "Net_0",
        "aten::zeros": "",
        "AddmmBackward0": "Net_0/Linear_1",
        "aten::mm": "Net_0/Linear_1",
    }


def test_memory_is_matched_by_address(read: Read) -> None:
    def block(time: int, size: int, address: int, total: int, device: int = 1) -> Event:
        said = {"Bytes": size, "Addr": address, "Total Allocated": total, "Total Reserved": 4096,
                "Device Type": device, "Device Id": 0 if device else -1}  # fmt: skip
        return {
            "ph": "i",
            "cat": "cpu_instant_event",
            "name": "[memory]",
            "pid": 1,
            "tid": 1,
            "ts": time,
            "args": said,
        }

    events = [
        slice_of("aten::empty", 0, 10),
        block(1, 64, 7, 64),
        block(2, 32, 8, 96),
        block(30, -64, 7, 32),
        block(31, -99, 5, 0),  # taken before the trace
        block(40, 16, 7, 48),  # the address again
        block(41, 8, 7, 8, device=0),
    ]
    profile = read(events)
    taken = profile.tables["allocations"]
    assert [column_of(profile, name, "allocations") for name in ("bytes", "start", "end")] == [
        [64, 32, 16, 8],
        [1_000, 2_000, 40_000, 41_000],
        [30_000, -1, -1, -1],
    ]
    assert names_of(profile, "allocations") == ["aten::empty", "aten::empty", "", ""]
    assert [profile.devices[place].kind for place in taken["device"].tolist()] == ["gpu", "gpu", "gpu", "cpu"]
    assert profile.tables["operators"]["bytes"].tolist() == [96]
    labels = [(one.label, one.unit, one.group) for one in profile.counters]
    assert labels[:2] == [("Total Allocated", "bytes", "memory"), ("Total Reserved", "bytes", "memory")]
    first = profile.tables["counters"]["counter"] == 0
    assert profile.tables["counters"]["value"][first].tolist() == [64, 96, 32, 0, 48]
