"""What events of a trace are: work of devices of any kind, older phases, events without arguments."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest
from insight_profiler.building import Unreadable
from insight_profiler.model import Category, Profile, Side

from tests.chrome_traces import Event, codes_of, column_of, names_of, read_trace, slice_of

Read = Callable[..., Profile]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    return partial(read_trace, tmp_path)


def _launched(category: str, pid: object = 0, **more: object) -> list[Event]:
    """An operator that launches three pieces of work."""
    events = []
    for number in range(3):
        told = {"correlation": number, "External id": number}
        start = 100 * number
        events += [
            slice_of("aten::mm", start, 50, args={"External id": number}),
            slice_of("launch", start + 5, 10, cat="mtia_runtime", args=told),
            slice_of("work", start + 20, 60, 7, cat=category, pid=pid, args={**told, **more}),
        ]
    return events


def _kernels(profile: Profile) -> dict[str, tuple[int, int]]:
    calls, totals = column_of(profile, "calls", "kernels"), column_of(profile, "total", "kernels")
    return dict(zip(names_of(profile, "kernels"), zip(calls, totals, strict=True), strict=True))


@pytest.mark.parametrize(
    ("category", "platform"),
    [
        ("kernel", "gpu"),
        ("mtia_ccp_events", "mtia"),
        ("hpu_op", "hpu"),
        ("privateuse1_kernel", "gpu"),
        ("work of a maker that nobody knows", "gpu"),  # told by device and stream
    ],
)
def test_work_of_any_device_is_a_kernel(read: Read, category: str, platform: str) -> None:
    profile = read(_launched(category, device=0, stream=7))
    assert _kernels(profile) == {"work": (3, 180_000)}
    assert profile.platform == platform
    assert [device.kind for device in profile.devices] == [platform]
    assert names_of(profile, "operators") == ["aten::mm"]
    assert column_of(profile, "side", "operators") == [Side.HOST]
    assert column_of(profile, "device_total", "operators") == [180_000]


@pytest.mark.parametrize(("label", "name"), [("HPU 1", "HPU 1"), ("hpu:1", "HPU 1"), ("HPU", "HPU 9")])
def test_unknown_work_on_the_track_of_a_device_is_a_kernel(read: Read, label: str, name: str) -> None:
    named = {"ph": "M", "name": "process_labels", "pid": 9, "args": {"labels": label}}
    events = [slice_of("memcpy HtoD", 5, 1, 7, cat="odd", pid=9), slice_of("ranges", 0, 9, cat="odd")]
    profile = read([named, *_launched("fused", pid=9), *events])
    assert _kernels(profile) == {"work": (3, 180_000)}
    assert [device.name for device in profile.devices] == [name]
    assert sorted(names_of(profile, "operators")) == ["aten::mm", "ranges"]
    assert Category.MEMCPY in column_of(profile, "category")


def test_work_of_xla_in_a_trace_of_its_own(read: Read) -> None:
    """As xprof exports it: a process for each device, a thread for each line, no categories."""
    names = {1: "Steps", 2: "XLA Modules", 3: "XLA Ops"}
    told: list[Event] = [
        {"ph": "M", "name": "process_name", "pid": 3, "args": {"name": "/device:TPU:0 (pf)"}},
        *(
            {"ph": "M", "name": "thread_name", "pid": 3, "tid": tid, "args": {"name": name}}
            for tid, name in names.items()
        ),
    ]
    events = [
        {"ph": "X", "pid": 3, "tid": tid, "name": name, "ts": 0, "dur": 100}
        for tid, name in ((1, "7"), (2, "jit_step(9)"), (3, "fusion.1"))
    ]
    profile = read([*told, *events])
    assert _kernels(profile) == {"fusion.1": (1, 100_000)}
    assert [device.name for device in profile.devices] == ["TPU 0"]
    assert "operators" not in profile.tables


def test_a_kernel_needs_no_arguments(read: Read) -> None:
    events = [slice_of("add", 10 * number, 5, 7, cat="kernel", pid=2) for number in range(4)]
    profile = read([*events, slice_of("Memcpy", 50, 2, 7, cat="gpu_memcpy", pid=2, args=[1])])
    assert _kernels(profile) == {"add": (4, 20_000)}
    assert profile.platform == "gpu"
    assert [device.name for device in profile.devices] == ["GPU 2"]
    assert codes_of(profile) == []


@pytest.mark.parametrize(
    ("properties", "used", "models"),
    [
        ([(0, "MI300X")], [2], ["MI300X"]),  # ROCR_VISIBLE_DEVICES=2
        ([(0, "MI300X"), (1, "MI300X")], [4, 5], ["MI300X", "MI300X"]),
        ([(0, "MI300X"), (1, "MI300X")], [5], ["MI300X"]),
        ([(0, "MI300X"), (1, "MI210")], [3, 6], ["MI300X", "MI210"]),
        ([(0, "MI300X"), (1, "MI210")], [6], ["GPU 6"]),  # it is not known which of them
        ([(0, "A100"), (2, "H100")], [2], ["H100"]),
        ([], [2], ["GPU 2"]),
    ],
)
def test_properties_belong_to_the_devices_that_worked(
    read: Read, properties: Sequence[tuple[int, str]], used: Sequence[int], models: Sequence[str]
) -> None:
    events = [event for number in used for event in _launched("kernel", device=number, stream=7)]
    head = {"deviceProperties": [{"id": number, "name": name, "numSms": 8} for number, name in properties]}
    devices = read(json.dumps({**head, "traceEvents": events}).encode()).devices
    assert [device.name for device in devices] == models
    assert [device.facts["id"] for device in devices] == list(used)
    assert [device.facts.get("numSms") for device in devices] == [
        None if name.startswith("GPU") else 8 for name in models
    ]


def test_asynchronous_slices_of_older_traces(read: Read) -> None:
    def event(phase: str, time: int, **more: object) -> Event:
        return {"ph": phase, "cat": "net", "name": "get", "id": 1, "pid": 1, "tid": 1, "ts": time, **more}

    profile = read([event("S", 1), event("T", 3, name="step"), event("F", 6), event("n", 7, name="mark")])
    found = zip(names_of(profile), column_of(profile, "start"), column_of(profile, "duration"), strict=True)
    assert sorted(found) == [("get", 0, 5_000), ("mark", 6_000, 0), ("step", 2_000, 0)]
    assert codes_of(profile) == []


def test_events_that_are_not_read_are_counted(read: Read) -> None:
    unread: list[Event] = [{"ph": phase, "name": "x", "pid": 1, "tid": 1, "ts": 1} for phase in "NODPPv"]
    profile = read([slice_of("a", 0, 1), *unread, {"ph": "c", "name": "clock_sync", "ts": 1}])
    [note] = profile.notes
    assert (note.code, note.values["count"], note.values["kinds"]) == ("events_not_read", 6, "D, N, O, P, v")
    with pytest.raises(Unreadable, match="6 events of kinds that are not read") as raised:
        read(unread)
    assert raised.value.note.code == "events_not_read"
