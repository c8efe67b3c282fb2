"""Memory snapshots of PyTorch: what they say, and hostile or damaged pickles. Oracle: the same dicts."""

from __future__ import annotations

import gzip
import os
import pickle
from collections import Counter
from pathlib import Path
from typing import Any

import insight_profiler
import numpy as np
import pytest
from insight_profiler.analysis.allocations import live
from insight_profiler.analysis.held_memory import HeldMemory
from insight_profiler.analysis.leaks import leaks, taker
from insight_profiler.analysis.pool import pool_at
from insight_profiler.building import Unreadable
from insight_profiler.claims import SNAPSHOTS, is_snapshot
from insight_profiler.files import Files
from insight_profiler.model import Profile, Source
from insight_profiler.profiles.discovery import profiles_of

from insight_core.ingest.logdir import Logdir
from insight_core.providers.local import LocalProvider
from tests.conformance.our_profiles import read_files
from tests.profile_rules import check

_RECORDED = Path(__file__).parent / "data/leak.snapshot.pickle.gz"
_MB = 1 << 20


def _read(directory: Path, data: bytes, name: str = "a.pickle") -> Profile:
    (directory / name).write_bytes(data)
    return read_files(Files.of_directory(directory, name), Source.SNAPSHOT)


def _recorded() -> dict[str, Any]:
    found: dict[str, Any] = pickle.loads(gzip.decompress(_RECORDED.read_bytes()))
    return found


def _frame(name: str, file: str = "/home/me/train.py", line: int = 1) -> dict[str, Any]:
    return {"name": name, "filename": file, "line": line}


class _Allocator:
    """Writes a snapshot as PyTorch does: events of one device, and what is there at the end."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.marks: list[dict[str, Any]] = []
        self.live: dict[int, dict[str, Any]] = {}
        self.time, self.next = 1_700_000_000_000_000, 0x7F00_0000_0000

    def _add(self, action: str, **more: Any) -> None:  # noqa: ANN401 - what torch writes
        self.time += 1
        self.events.append({"action": action, "stream": 0, "time_us": self.time, **more})

    def take(self, size: int, *frames: dict[str, Any]) -> int:
        address, self.next = self.next, self.next + max(size, 512)
        self._add("alloc", addr=address, size=size, frames=list(frames))
        self.live[address] = {"size": size, "frames": list(frames)}
        return address

    def give(self, address: int) -> None:
        for action in ("free_requested", "free_completed"):
            self._add(action, addr=address, size=self.live[address]["size"], frames=[])
        del self.live[address]

    def step(self) -> None:
        for stage in ("START", "END"):
            self.time += 10
            mark = {"stage": stage, "name": "Optimizer.step#Adam.step", "device": 0, "time_us": self.time}
            self.marks.append(mark)

    def snapshot(self, lost: int = 0) -> dict[str, Any]:
        """All of it; the first ``lost`` events are no longer there, as in torch's ring of events."""
        size = self.next - 0x7F00_0000_0000
        blocks = [
            {
                "address": address,
                "size": max(one["size"], 512),
                "requested_size": one["size"],
                "state": "active_allocated",
                "frames": one["frames"],
            }
            for address, one in sorted(self.live.items())
        ]
        segment = {"device": 0, "address": 0x7F00_0000_0000, "total_size": size, "stream": 0, "frames": []}
        segment |= {
            "segment_type": "large",
            "segment_pool_id": (0, 0),
            "is_expandable": False,
            "blocks": blocks,
        }
        return {
            "segments": [segment],
            "device_traces": [self.events[lost:]],
            "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "garbage_collection_threshold": 0.5},
            "external_annotations": self.marks,
        }


def _levels(profile: Profile, label: str) -> list[float]:
    place = next(at for at, one in enumerate(profile.counters) if one.label == label)
    counters = profile.tables["counters"]
    found: list[float] = counters["value"][counters["counter"] == place].tolist()
    return found


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_what_is_allocated_is_the_sum_of_the_events_at_each_of_them(tmp_path: Path, protocol: int) -> None:
    recorded = _recorded()
    profile = _read(tmp_path, pickle.dumps(recorded, protocol))
    level, expected = 0, [0]
    for event in recorded["device_traces"][0]:
        if event["action"] in ("alloc", "free_requested"):
            level += event["size"] if event["action"] == "alloc" else -event["size"]
            expected.append(level)
    assert _levels(profile, "Total Allocated") == expected
    assert _levels(profile, "Total Reserved")[-1] == sum(one["total_size"] for one in recorded["segments"])
    held = HeldMemory.of(profile, 0)
    peak = held.allocations["bytes"][live(held.allocations, held.peak)].sum()
    assert peak == max(expected)


def test_each_allocation_has_its_stack_size_and_time(tmp_path: Path) -> None:
    recorded = _recorded()
    profile = _read(tmp_path, pickle.dumps(recorded))
    table, texts = profile.tables["allocations"], profile.texts
    frames, ends = profile.tables["stack_frames"]["frame"], profile.tables["stacks"]["end"]
    names, lines = profile.tables["frames"]["name"], profile.tables["frames"]["line"]
    taken = [one for one in recorded["device_traces"][0] if one["action"] == "alloc"]
    order = np.argsort(table["start"], kind="stable")
    assert len(order) == len(taken)
    for event, row in zip(taken, order.tolist(), strict=True):
        assert (event["addr"], event["size"]) == (table["address"][row], table["bytes"][row])
        at = table["stack"][row]
        mine = frames[ends[at - 1] if at else 0 : ends[at]].tolist() if at >= 0 else []
        told = [(texts[names[frame]], lines[frame]) for frame in mine]
        assert told == [(one["name"], one["line"]) for one in event["frames"]]


def test_a_planted_leak_is_named_with_its_line_and_what_it_takes_in_each_step(tmp_path: Path) -> None:
    profile = _read(tmp_path, pickle.dumps(_recorded()))
    [large, small] = leaks(profile)
    assert (large.per_step, large.count, large.bytes) == (4 * _MB, 6, 24 * _MB)
    assert (taker(profile, large), small.per_step) == ("memory (train.py:52)", 4)
    [(rule, found)] = [(state.rule.id, one) for state in check(profile) for one in state.found]
    assert rule == "memory_growth"
    assert "train.py:52" in str(found.saw)


def test_memory_that_no_step_adds_to_is_no_leak(tmp_path: Path) -> None:
    one = _Allocator()
    weights, state = _frame("load"), _frame("step", "/x/site-packages/torch/optim/adam.py", 9)
    one.take(64 * _MB, weights)
    window: list[int] = []
    for step in range(12):
        activation = one.take(8 * _MB, _frame("forward", line=7))
        gradient = one.take(4 * _MB, _frame("backward", line=8))
        if step == 0:  # the state of an optimiser, once
            one.take(32 * _MB, state)
        if step in (3, 7):  # a cache that grows now and then
            one.take(2 * _MB, _frame("cached", line=30))
        window.append(one.take(_MB, _frame("average", line=40)))  # of the last three steps
        if len(window) > 3:
            one.give(window.pop(0))
        one.give(activation)
        one.step()
        if step < 11:  # the last gradients are still there
            one.give(gradient)
    profile = _read(tmp_path, pickle.dumps(one.snapshot()))
    assert leaks(profile) == []
    assert not [found for state_ in check(profile) for found in state_.found]


def test_a_leak_that_begins_later_says_since_which_step(tmp_path: Path) -> None:
    one = _Allocator()
    for step in range(20):
        one.give(one.take(8 * _MB, _frame("forward")))
        if step >= 6:
            one.take(3 * _MB, _frame("evaluate", line=77))
        one.step()
    profile = _read(tmp_path, pickle.dumps(one.snapshot()))
    [leak] = leaks(profile)
    assert (leak.since, leak.steps, leak.per_step) == (6, 14, 3 * _MB)
    assert taker(profile, leak) == "evaluate (train.py:77)"


def test_what_was_there_before_the_first_event_counts(tmp_path: Path) -> None:
    one = _Allocator()
    early, stays = one.take(5 * _MB, _frame("a")), one.take(7 * _MB, _frame("b", line=2))
    del stays
    one.give(one.take(_MB, _frame("c")))
    one.give(early)
    profile = _read(tmp_path, pickle.dumps(one.snapshot(lost=2)))
    assert _levels(profile, "Total Allocated") == [12 * _MB, 13 * _MB, 12 * _MB, 7 * _MB]
    table = profile.tables["allocations"]
    before = table["start"] == 0
    assert sorted(table["bytes"][before].tolist()) == [5 * _MB, 7 * _MB]
    [left] = np.flatnonzero(before & (table["end"] < 0)).tolist()
    assert profile.texts[table["name"][left]] == "b (train.py:2)"  # by the block at the end


def test_the_pool_at_the_peak_has_each_block_in_its_segment(tmp_path: Path) -> None:
    recorded = _recorded()
    profile = _read(tmp_path, pickle.dumps(recorded))
    held = HeldMemory.of(profile, 0)
    at_end = pool_at(held, int(profile.duration_ns))
    expected = Counter(
        (segment["address"], block["address"] - segment["address"], block["requested_size"])
        for segment in recorded["segments"]
        for block in segment["blocks"]
        if block["state"] == "active_allocated"
    )
    bases = at_end["segments"]["address"].tolist()
    blocks = zip(*(at_end["blocks"][name].tolist() for name in ("segment", "offset", "bytes")), strict=True)
    assert Counter((bases[segment], offset, size) for segment, offset, size in blocks) == expected


def test_owners_over_time_add_up_to_what_is_allocated(tmp_path: Path) -> None:
    profile = _read(tmp_path, pickle.dumps(_recorded()))
    held = HeldMemory.of(profile, 0)
    for by in ("purpose", "name", "module"):
        bands = held.bands(by, 60)
        sums = np.sum(bands["bytes"], axis=0)
        assert sums.max() == max(_levels(profile, "Total Allocated"))
        rows = [held.allocations["bytes"][live(held.allocations, at)].sum() for at in bands["time"].tolist()]
        assert sums.tolist() == rows
    assert {"parameter", "optimiser", "activation", "gradient"} <= set(held.bands("purpose", 60)["names"])


def test_the_calls_of_a_moment_hold_all_that_is_held_then(tmp_path: Path) -> None:
    profile = _read(tmp_path, pickle.dumps(_recorded()))
    held = HeldMemory.of(profile, 0)
    tree, names = held.tree(held.peak)
    whole = int(held.allocations["bytes"][live(held.allocations, held.peak)].sum())
    assert tree.total == tree.whole[tree.parent < 0].sum() == tree.bottom_up().total == whole
    roots = {names[name] for name in tree.name[tree.parent < 0]}
    assert "<module> /home/user/train.py:143" in roots
    assert "PowBackward0" in roots


def test_a_snapshot_of_torch_npu_has_neither_times_nor_marks_and_is_of_an_npu(tmp_path: Path) -> None:
    one = _Allocator()
    forward = _frame("forward", "/x/site-packages/torch_npu/utils/module.py")
    stays = one.take(5 * _MB, forward, _frame("main", line=9))
    one.give(one.take(3 * _MB, forward, _frame("main", line=8)))
    held = one.snapshot()
    for event in held["device_traces"][0]:
        del event["time_us"]
    workspace = {"action": "workspace_snapshot", "addr": 0, "size": 0, "stream": 0}
    held = {"segments": held["segments"], "device_traces": [[workspace, *held["device_traces"][0]]]}
    profile = _read(tmp_path, pickle.dumps(held))
    assert [device.name for device in profile.devices] == ["NPU 0"]
    assert "no_times" in {note.code for note in profile.notes}
    assert _levels(profile, "Total Allocated") == [0, 5 * _MB, 8 * _MB, 5 * _MB]
    memory = HeldMemory.of(profile, 0)
    [row] = live(memory.allocations, memory.last).tolist()
    assert memory.allocations["address"][row] == stays
    assert memory.allocations["bytes"][live(memory.allocations, memory.peak)].sum() == 8 * _MB


class _Runs:
    """What a hostile pickle has."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> Any:  # noqa: ANN401
        return os.mkdir, (str(self.place),)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_a_pickle_that_would_run_something_runs_nothing_and_says_so(tmp_path: Path, protocol: int) -> None:
    planted = tmp_path / "was_run"
    data = pickle.dumps({"segments": [], "device_traces": _Runs(planted)}, protocol)
    assert is_snapshot(data)
    with pytest.raises(Unreadable, match=r"would run code .*mkdir.*nothing of it was run") as refused:
        _read(tmp_path, data)
    assert refused.value.note.code == "snapshot_runs_code"
    assert not planted.exists()


def _within(levels: int) -> list[Any]:
    inner: list[Any] = []
    for _ in range(levels):
        inner = [inner, inner]
    return inner


@pytest.mark.parametrize(
    "data",
    [
        pickle.dumps({"segments": [], "x": _within(60)}),  # 2 to the power of 60 when written out
        b"\x80\x04}\x94(\x8c\x08segments\x94]\x94h\x02au.",  # a list that holds itself
        b"\x80\x04}\x94(\x8c\x08segments\x94]\x94" + b"(" * 1000,
        b"\x80\x04}\x94(\x8c\x08segments\x94j\xff\xff\xff\x7fs.",  # of a memo that is not there
        b"\x80\x04}\x94(\x8c\x08segments\x94X\xff\xff\xff\xff",  # a text of 4 GB
        b"\x80\x04}\x94u.",
        b"\x80\x04}\x94s.",
        b"\x80\x04\x85.",
    ],
    ids=["doubling", "itself", "marks", "memo", "long", "no_mark", "no_pair", "no_tuple"],
)
def test_a_pickle_made_to_break_its_reader_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(Unreadable):
        _read(tmp_path, data)


def test_a_snapshot_cut_anywhere_says_so_and_none_is_taken_for_whole(tmp_path: Path) -> None:
    one = _Allocator()
    for _ in range(3):
        one.give(one.take(_MB, _frame("forward"), _frame("main", line=9)))
    data = pickle.dumps(one.snapshot())
    _read(tmp_path, data)
    for size in range(20, len(data)):
        with pytest.raises(Unreadable, match="ends before its data do"):
            _read(tmp_path, data[:size])


def test_damaged_bytes_are_refused_or_read_and_never_end_the_reader(tmp_path: Path) -> None:
    one = _Allocator()
    for _ in range(3):
        one.give(one.take(_MB, _frame("forward"), _frame("main", line=9)))
    data = pickle.dumps(one.snapshot(), 2)
    random = np.random.default_rng(3)
    refused = set()
    for _ in range(400):
        damaged = bytearray(data)
        for place in random.integers(2, len(data), 3).tolist():
            damaged[place] = int(random.integers(0, 256))
        try:
            _read(tmp_path, bytes(damaged))
        except Unreadable as error:
            refused.add(error.note.code)
    assert {"snapshot_damaged", "snapshot_runs_code", "snapshot_cut"} <= refused


@pytest.mark.parametrize("data", [pickle.dumps([1]), pickle.dumps({"model": {"w": 1.0}}), b"", b"\x80\x04"])
def test_other_pickles_are_not_claimed(data: bytes) -> None:
    assert not is_snapshot(data)


def test_what_torch_writes_is_claimed_packed_or_not() -> None:
    packed = _RECORDED.read_bytes()
    assert is_snapshot(packed[:4096])
    assert is_snapshot(gzip.decompress(packed)[:4096])


def test_a_snapshot_is_a_profile_whatever_name_it_is_given(tmp_path: Path) -> None:
    """What is claimed and what is taken for a snapshot is one list."""
    (tmp_path / "logs/run").mkdir(parents=True)
    data = pickle.dumps({"segments": [], "device_traces": []})
    for ending in SNAPSHOTS:
        (tmp_path / f"logs/run/early{ending}").write_bytes(
            gzip.compress(data) if ending.endswith(".gz") else data
        )
        (tmp_path / f"logs/run/model{ending}").write_bytes(pickle.dumps({"weights": 1}))
    found = LocalProvider([Logdir(str(tmp_path / "logs"))], [insight_profiler.insight_plugin()])
    found.load()
    profiles = profiles_of(found.series("profiler"))
    found.close()
    assert {one.path: one.source for one in profiles} == {
        f"early{ending}": Source.SNAPSHOT for ending in (".pickle", ".pickle.gz", ".pkl", ".pkl.gz")
    }
