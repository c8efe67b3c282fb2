"""Traces of Perfetto, written by protobuf's own runtime and compared with a reader of single events."""

from __future__ import annotations

import gzip
import random
import zlib
from pathlib import Path
from typing import Any

import pytest
from insight_profiler.advice.evidence import Evidence
from insight_profiler.building import Unreadable
from insight_profiler.model import Category, FlowKind, Source, StepOrigin
from insight_profiler.reading import perfetto
from insight_profiler.rules import _checked

from tests.conformance.our_profiles import ReadProfile, read_directory, read_profiles
from tests.perfetto_traces import BEGIN, COUNTER, END, INSTANT, PerfettoTrace, slices_of

_BOOT, _REAL, _MONOTONIC = 6, 1, 3
_NOW = 1_795_221_433_795_769_000


def _read(directory: Path, data: bytes, name: str = "trace.pftrace") -> ReadProfile:
    (directory / name).write_bytes(data)
    return read_directory(directory, Source.PERFETTO)


def _codes(profile: ReadProfile) -> list[str]:
    return [note.code for note in profile.profile.notes]


def _slices(profile: ReadProfile, first: int = 0) -> list[tuple[int, int, str]]:
    """Start and end as the trace counts, and the name."""
    return sorted(
        (first + row["start"], first + row["start"] + row["duration"], row["name"])
        for row in profile.rows("slices")
    )


def _random_trace(seed: int, count: int) -> PerfettoTrace:
    """Nested slices of several threads and sequences, named in place or by number, packets out of order; some
    begin or end outside of the trace."""
    chance = random.Random(seed)
    trace = PerfettoTrace()
    packets: list[tuple[int, int, dict[str, Any]]] = []
    for track in range(1, 6):
        trace.track(track, thread={"pid": 7, "tid": track, "thread_name": f"worker {track}"})
        time, depth = chance.randrange(100, 200), 0
        for _ in range(count):
            time += chance.choice((0, 1, 5, 40))
            if (depth and chance.random() < 0.5) or chance.random() < 0.01:
                packets.append((time, track, {"type": END}))
                depth = max(0, depth - 1)
            else:
                kind = INSTANT if chance.random() < 0.1 else BEGIN
                packets.append((time, track, {"type": kind, "number": chance.randrange(1, 30)}))
                depth += kind == BEGIN
    known: dict[int, set[int]] = {}
    generation = 0
    for place, (time, track, said) in enumerate(packets):
        sequence = track % 3 + 1
        if place % 211 == 0:  # numbers mean something else from here on
            generation += 1
            known = {}
        fields: dict[str, Any] = {}
        if sequence not in known:
            fields |= {"sequence_flags": 1} if chance.random() < 0.5 else {"incremental_state_cleared": True}
            known[sequence] = set()
        number = said.pop("number", 0)
        event: dict[str, Any] = {**said, "track_uuid": track}
        if number and chance.random() < 0.7:
            event |= {"name_iid": number, "category_iids": [number]}
            if number not in known[sequence]:
                known[sequence].add(number)
                entry = {"iid": number, "name": f"name {number} of {generation}"}
                fields["interned_data"] = {
                    "event_names": [entry],
                    "event_categories": [{"iid": number, "name": f"category {number % 4}"}],
                }
        elif number:
            event |= {"name": f"inline {number}", "categories": [f"category {number % 4}"]}
        if chance.random() < 0.3:
            event["debug_annotations"] = [{"name": "x" * chance.randrange(300), "int_value": -5}]
        trace.packet(sequence=sequence, timestamp=time, track_event=event, **fields)
    return trace


@pytest.mark.parametrize("seed", range(4))
def test_slices_are_those_of_a_reader_of_single_events(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    data = _random_trace(seed, 400).data()
    monkeypatch.setattr(perfetto, "_CHUNK", 5_000 * (seed + 1))  # packets lie across the borders of chunks
    profile = _read(tmp_path, data)
    expected = slices_of(data)
    first = min(start for _, start, _, _, _ in expected)
    tracks = profile.profile.tracks
    labels = {f"worker {track} ({track})": track for track in range(1, 6)}
    found = sorted(
        (
            labels[tracks[row["track"]].label],
            first + row["start"],
            first + row["start"] + row["duration"],
            row["name"],
        )
        for row in profile.rows("slices")
    )
    assert len(found) > 500
    assert found == [(track, start, end, name) for track, start, end, name, _ in expected]
    assert set(_codes(profile)) <= {"ends_without_beginnings", "slices_without_end"}


def test_tracks_have_the_names_of_processes_and_threads(tmp_path: Path) -> None:
    trace = PerfettoTrace()
    trace.track(1, process={"pid": 7, "process_name": "train"})
    trace.track(2, thread={"pid": 7, "tid": 8, "thread_name": "main"}, parent_uuid=1)
    trace.track(3, name="uploads", parent_uuid=2)
    trace.slice(10, 20, 2, "a")
    trace.slice(10, 20, 3, "b")
    trace.slice(10, 20, 9, "c")
    profile = _read(tmp_path, trace.data())
    tracks = profile.profile.tracks
    found = {row["name"]: tracks[row["track"]] for row in profile.rows("slices")}
    assert [found[name].label for name in "abc"] == ["main (8)", "uploads", "Track 2"]
    assert [tracks[found[name].parent].label for name in "abc"] == ["train", "train", "Tracks"]


def test_counters_and_flows(tmp_path: Path) -> None:
    trace = PerfettoTrace()
    trace.track(5, name="memory", counter={"unit": 3, "unit_multiplier": 1024})
    trace.track(6, name="loss", counter={"unit_name": "nats"})
    trace.track(7, name="changes", counter={"is_incremental": True})
    for time, value in ((10, 4), (20, -2)):
        trace.event(time, COUNTER, 5, counter_value=value)
        trace.event(time, COUNTER, 7, counter_value=value)
        trace.event(time, COUNTER, 6, double_counter_value=value / 8)
    trace.event(10, BEGIN, 1, "send", flow_ids=[1 << 63, 5])
    trace.event(12, END, 1)
    trace.slice(15, 18, 2, "receive", terminating_flow_ids=[1 << 63])
    trace.slice(16, 17, 3, "other", flow_ids=[5])
    profile = _read(tmp_path, trace.data())
    counters = profile.profile.counters
    assert [(one.label, one.group, one.unit) for one in counters] == [
        ("memory", "memory", "bytes"),
        ("loss", "other", "nats"),
        ("changes", "other", ""),
    ]
    points = [(row["counter"], row["time"], row["value"]) for row in profile.rows("counters")]
    assert points == [(0, 0, 4096), (0, 10, -2048), (1, 0, 0.5), (1, 10, -0.25), (2, 0, 4), (2, 10, 2)]
    rows, flows = profile.rows("slices"), profile.profile.tables["flows"]
    found = {
        (rows[source]["name"], rows[target]["name"], kind)
        for source, target, kind in zip(
            *(flows[one].tolist() for one in ("source", "target", "kind")), strict=True
        )
    }
    assert found == {("send", "receive", FlowKind.OTHER), ("send", "other", FlowKind.OTHER)}


def test_an_incremental_clock_of_a_sequence(tmp_path: Path) -> None:
    """As Perfetto's SDK writes by default: microseconds since the packet before."""
    trace = PerfettoTrace()
    for sequence, boot in ((1, 1_000_000), (2, 5_000_000)):
        clocks = [
            {"clock_id": _BOOT, "timestamp": boot},
            {"clock_id": 64, "timestamp": boot // 1000, "is_incremental": True, "unit_multiplier_ns": 1000},
            {"clock_id": _REAL, "timestamp": boot + _NOW},
        ]
        trace.packet(
            sequence=sequence,
            clock_snapshot={"clocks": clocks},
            trace_packet_defaults={
                "timestamp_clock_id": 64,
                "track_event_defaults": {"track_uuid": sequence},
            },
            sequence_flags=1,
        )
    for sequence in (1, 2):
        for place, delta in enumerate((3, 4, 0, 5)):
            kind = END if place % 2 else BEGIN
            event: dict[str, Any] = (
                {"type": kind, "name": f"s{sequence}"} if kind == BEGIN else {"type": kind}
            )
            trace.packet(sequence=sequence, timestamp=delta, track_event=event)
    trace.packet(
        sequence=1, timestamp=2_000_000, timestamp_clock_id=_BOOT, track_event={"type": INSTANT, "name": "i"}
    )
    profile = _read(tmp_path, trace.data())
    assert _slices(profile, 1_003_000) == [
        (1_003_000, 1_007_000, "s1"),
        (1_007_000, 1_012_000, "s1"),
        (2_000_000, 2_000_000, "i"),
        (5_003_000, 5_007_000, "s2"),
        (5_007_000, 5_012_000, "s2"),
    ]
    assert profile.profile.start_ns == _NOW + 1_003_000


def test_clocks_of_the_system_and_of_the_trace(tmp_path: Path) -> None:
    trace = PerfettoTrace()
    trace.packet(
        timestamp=150, timestamp_clock_id=_MONOTONIC, track_event={"type": INSTANT, "name": "before"}
    )
    clocks = [
        {"clock_id": _BOOT, "timestamp": 1000},
        {"clock_id": _MONOTONIC, "timestamp": 100},
        {"clock_id": 200, "timestamp": 7, "unit_multiplier_ns": 10},
    ]
    trace.packet(clock_snapshot={"clocks": clocks})
    trace.packet(
        timestamp=160, timestamp_clock_id=_MONOTONIC, track_event={"type": INSTANT, "name": "monotonic"}
    )
    trace.packet(
        timestamp=9, timestamp_clock_id=200, track_event={"type": INSTANT, "name": "own"}, sequence=9
    )
    profile = _read(tmp_path, trace.data())
    assert _slices(profile, 1020) == [(1020, 1020, "own"), (1050, 1050, "before"), (1060, 1060, "monotonic")]


def test_steps_and_work_of_rocm(tmp_path: Path) -> None:
    """As rocprofv3 writes them (``--output-format pftrace``)."""
    trace = PerfettoTrace()
    trace.track(1, thread={"pid": 7, "tid": 8, "thread_name": "THREAD 8"})
    trace.track(2, name="COMPUTE [AGENT 1] QUEUE [0]", parent_uuid=1)
    for step in range(3):
        begin = step * 1000
        trace.event(begin, BEGIN, 1, f"step {step}", "marker_api")
        trace.slice(begin + 10, begin + 20, 1, "hipLaunchKernel", "hip_api", flow_ids=[step + 1])
        trace.event(begin + 900, END, 1)
        trace.slice(begin + 50, begin + 450, 2, "gemm", "kernel_dispatch", terminating_flow_ids=[step + 1])
    profile = _read(tmp_path, trace.data())
    assert profile.profile.step_origin is StepOrigin.RECORDED
    assert [(row["number"], row["kernel"], row["runtime"]) for row in profile.rows("steps")] == [
        (step, 400, 10) for step in range(3)
    ]
    (device,) = profile.profile.devices
    assert (device.name, device.kind) == ("GPU 1", "gpu")
    categories = {row["name"]: row["category"] for row in profile.rows("slices")}
    assert (categories["gemm"], categories["hipLaunchKernel"]) == (Category.KERNEL, Category.RUNTIME)
    assert profile.profile.tables["flows"]["kind"].tolist() == [FlowKind.LAUNCH] * 3


def test_annotations_alone_accuse_nobody(tmp_path: Path) -> None:
    """Between ranges that a program names, it may do anything."""
    trace = PerfettoTrace()
    for step in range(8):
        trace.event(step * 1_000_000, BEGIN, 1, f"step {step}")
        trace.slice(step * 1_000_000 + 10, step * 1_000_000 + 20, 1, "forward")
        trace.event(step * 1_000_000 + 900_000, END, 1)
    profile = _read(tmp_path, trace.data())
    assert len(profile.rows("steps")) == 8
    assert {row["idle"] for row in profile.rows("steps")} == {-1}
    assert not any(_checked(Evidence(profile.profile)).values())


def test_packets_that_are_deflated(tmp_path: Path) -> None:
    inner = PerfettoTrace()
    inner.slice(10, 20, 1, "inside")
    trace = PerfettoTrace()
    trace.packet(compressed_packets=zlib.compress(inner.data()))
    trace.packet(compressed_packets=b"no zlib")
    profile = _read(tmp_path, trace.data())
    assert [row["name"] for row in profile.rows("slices")] == ["inside"]
    assert _codes(profile) == ["events_odd"]


def test_a_packed_trace_is_found(tmp_path: Path) -> None:
    trace = PerfettoTrace()
    trace.slice(10, 20, 1, "a")
    for name, data in (("a.perfetto-trace", trace.data()), ("b.pftrace.gz", gzip.compress(trace.data()))):
        path = tmp_path / "logs/run" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    found = read_profiles(tmp_path / "logs")
    assert set(found) == {"run:a.perfetto-trace", "run:b.pftrace.gz"}
    assert all(_slices(one) == [(0, 10, "a")] for one in found.values())


# --- bad input ------------------------------------------------------------------------------------


def test_a_truncated_trace_shows_what_is_there(tmp_path: Path) -> None:
    trace = PerfettoTrace()
    for place in range(100):
        trace.slice(place * 10, place * 10 + 5, 1, f"slice {place}")
    data = trace.data()
    for cut in (1, 7, len(data) // 2):
        profile = _read(tmp_path, data[:-cut])
        assert "truncated" in _codes(profile)
        assert len(profile.rows("slices")) >= 49


@pytest.mark.parametrize("data", [b"text that is none" * 10, b"\xff" * 64, b"\x0b\x00"])
def test_files_that_are_no_trace(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(Unreadable, match=r"trace\.pftrace is not a trace of Perfetto") as raised:
        _read(tmp_path, data)
    assert raised.value.note.code == "no_perfetto"


def test_an_empty_file(tmp_path: Path) -> None:
    with pytest.raises(Unreadable) as raised:
        _read(tmp_path, b"")
    assert raised.value.note.code == "empty_file"


def test_what_is_not_read_is_named(tmp_path: Path) -> None:
    trace = PerfettoTrace()
    trace.packet(ftrace_events={})
    with pytest.raises(Unreadable, match="has no track events") as raised:
        _read(tmp_path, trace.data())
    assert raised.value.note.code == "no_track_events"
    trace.slice(10, 20, 1, "a")
    trace.packet(previous_packet_dropped=True)
    assert _codes(_read(tmp_path, trace.data())) == ["perfetto_ftrace", "perfetto_lost"]


def test_damage_in_a_packet_costs_that_packet(tmp_path: Path) -> None:
    trace = PerfettoTrace()
    trace.slice(10, 20, 1, "a")
    bad = b"\x0a\x05\x40\xff\xff\xff\xff"  # a number that does not end in its packet
    odd = b"\x0a\x02\x03\x00"  # a kind that there is not
    profile = _read(tmp_path, bad + odd + trace.data())
    assert _slices(profile) == [(0, 10, "a")]
    assert _codes(profile) == ["events_odd"]


@pytest.mark.parametrize("seed", range(30))
def test_noise_raises_nothing_else(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    data = bytearray(_random_trace(seed, 30).data())
    for _ in range(20):
        data[chance.randrange(len(data))] = chance.randrange(256)
    try:
        profile = _read(tmp_path, bytes(data))
    except Unreadable:
        return
    assert all(row["duration"] >= 0 for row in profile.rows("slices"))
