"""XPlane files: a real one of TensorFlow on a CPU, and devices written by hand."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from insight_profiler.building import Unreadable
from insight_profiler.model import Category, Source, StepOrigin
from insight_profiler.reading.xplane import MESSAGES

from tests.conformance.our_profiles import ReadProfile, read_directory

_BEGIN = 1_795_222_184_440_428_962  # ns since the epoch

_MOST = (1 << 63) - 1  # of an int64


@pytest.fixture(scope="module")
def real(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with only this file: xprof caches other files in the original directory."""
    directory = pytestconfig.rootpath.parent / "shared/data/keras/fit/train/plugins/profile"
    if not directory.is_dir():
        pytest.skip(f"the profile of Keras at {directory} is not on this machine")
    (found,) = directory.glob("*/*.xplane.pb")
    return Path(shutil.copy(found, tmp_path_factory.mktemp("xplane"))).parent


@pytest.fixture(scope="module")
def profile(real: Path) -> ReadProfile:
    return read_directory(real, Source.XPLANE)


def _plane(path: Path, name: bytes) -> Any:  # noqa: ANN401  a message
    space = MESSAGES.parse("Space", path.read_bytes())
    return next(plane for plane in space.planes if plane.name == name)


def test_every_event_is_a_slice(real: Path, profile: ReadProfile) -> None:
    (file,) = real.iterdir()
    plane = _plane(file, b"/host:CPU")
    names = {entry.key: entry.value.name.decode() for entry in plane.event_metadata}
    theirs = sorted(
        ((line.timestamp_ns * 1000 + event.offset_ps) // 1000 + _BEGIN, names[event.metadata_id])
        for line in plane.lines
        for event in line.events
    )
    rows = profile.rows("slices")
    own = sorted((row["start"] + profile.profile.start_ns, row["name"]) for row in rows)
    assert len(own) == len(theirs) == 2291
    assert [start for start, _ in own] == [start for start, _ in theirs]
    assert profile.profile.host == "vm"
    assert profile.profile.platform == "cpu"
    assert [note.code for note in profile.profile.notes] == ["experimental"]
    tracks = {track.label for track in profile.profile.tracks if track.kind == "thread"}
    assert tracks == {line.name.decode() for line in plane.lines}


def test_times_of_operators_are_those_of_the_events(real: Path, profile: ReadProfile) -> None:
    (file,) = real.iterdir()
    plane = _plane(file, b"/host:CPU")
    names = {entry.key: entry.value for entry in plane.event_metadata}
    theirs: dict[str, list[int]] = {}
    for line in plane.lines:
        for event in line.events:
            metadata = names[event.metadata_id]
            full, _, kind = metadata.name.decode().rpartition(":")
            if kind and kind == metadata.display_name.decode():
                theirs.setdefault(full, []).append(event.duration_ps)
    own: dict[str, tuple[int, int]] = {}
    for row in profile.rows("operators"):
        full = "/".join(filter(None, (row["scope"], row["name"])))
        own[full] = row["calls"], row["total"]
    assert own.keys() == theirs.keys()
    assert len(own) > 100
    for full, durations in theirs.items():
        calls, total = own[full]
        assert calls == len(durations)
        assert abs(total - sum(durations) / 1000) <= calls


def test_what_lies_in_another_goes_on_doing_so(profile: ReadProfile) -> None:
    rows = profile.rows("slices")
    for row in rows:
        if row["parent"] >= 0:
            outer = rows[row["parent"]]
            assert outer["start"] <= row["start"]
            assert row["start"] + row["duration"] <= outer["start"] + outer["duration"]


def test_steps_of_the_host(profile: ReadProfile) -> None:
    assert profile.profile.step_origin is StepOrigin.RECORDED
    steps = profile.rows("steps")
    assert [row["number"] for row in steps] == [2, 3, 4, 5]
    ends = [row["start"] + row["duration"] for row in steps]
    assert all(end <= row["start"] for end, row in zip(ends, steps[1:], strict=False))


def test_categories_of_the_host(profile: ReadProfile) -> None:
    by_name = {row["name"]: row["category"] for row in profile.rows("slices")}
    assert by_name["Iterator::Root"] == Category.DATA
    assert by_name["EagerExecute"] == Category.OTHER
    assert by_name["ArgMax"] == Category.OPERATOR


def test_a_cut_file_shows_what_is_there(real: Path, tmp_path: Path) -> None:
    (file,) = real.iterdir()
    (tmp_path / "cut.xplane.pb").write_bytes(file.read_bytes()[:-60])
    profile = read_directory(tmp_path, Source.XPLANE)
    assert len(profile.rows("slices")) == 2291
    assert [note.code for note in profile.profile.notes] == ["experimental", "truncated"]


@pytest.mark.parametrize("data", [b"", b"no protobuf \xff\xff", b"\x08\x01"])
def test_bytes_that_are_no_such_file(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "bad.xplane.pb").write_bytes(data)
    with pytest.raises(Unreadable) as caught:
        read_directory(tmp_path, Source.XPLANE)
    assert caught.value.note.code == "no_xplane"


class _Written:
    """A plane in the making; names get their numbers as they come."""

    def __init__(self, name: bytes) -> None:
        self.message = MESSAGES.new("Plane", name=name)
        self._stats: dict[str, int] = {}
        self._events: dict[str, int] = {}

    def _stat(self, stats: Any, name: str, value: object) -> None:  # noqa: ANN401  repeated messages
        if name not in self._stats:
            self._stats[name] = len(self._stats) + 1
            entry = self.message.stat_metadata.add(key=self._stats[name])
            entry.value.name = name.encode()
        stat = stats.add(metadata_id=self._stats[name])
        if isinstance(value, str):
            stat.str_value = value.encode()
        elif isinstance(value, float):
            stat.double_value = value
        elif isinstance(value, int) and value > _MOST:
            stat.uint64_value = value
        else:
            stat.int64_value = value

    def kind(self, name: str, shown: str = "", **stats: object) -> None:
        self._events[name] = len(self._events) + 1
        entry = self.message.event_metadata.add(key=self._events[name])
        entry.value.name, entry.value.display_name = name.encode(), shown.encode()
        for key, value in stats.items():
            self._stat(entry.value.stats, key, value)

    def line(
        self, name: str, events: Iterable[tuple[str, int, int, Mapping[str, object]]], begin: int = 0
    ) -> None:
        line = self.message.lines.add(name=name.encode(), timestamp_ns=begin)
        for kind, offset, duration, stats in events:
            if kind not in self._events:
                self.kind(kind)
            event = line.events.add(metadata_id=self._events[kind], offset_ps=offset, duration_ps=duration)
            for key, value in stats.items():
                self._stat(event.stats, key, value)


def _read(directory: Path, *planes: _Written) -> ReadProfile:
    space = MESSAGES.new("Space", planes=[plane.message for plane in planes])
    (directory / "host.xplane.pb").write_bytes(space.SerializeToString())
    return read_directory(directory, Source.XPLANE)


def test_an_accelerator_of_xla(tmp_path: Path) -> None:
    tpu = _Written(b"/device:TPU:0 (pf)")
    tpu.kind(
        "%fusion.1 = f32[8]{0} fusion(...)",
        "fusion.1",
        hlo_category="loop fusion",
        flops=1000,
        bytes_accessed=64,
    )
    tpu.kind("%all-reduce.2 = f32[] all-reduce(...)", "all-reduce.2", hlo_category="all-reduce")
    tpu.line(
        "Steps", [("7", 0, 10_000_000, {"step_num": 7}), ("8", 10_000_000, 9_000_000, {"step_num": 8})], 5
    )
    tpu.line("XLA Modules", [("jit_step", 0, 19_000_000, {})], 5)
    operators: list[tuple[str, int, int, Mapping[str, object]]] = [
        ("%fusion.1 = f32[8]{0} fusion(...)", at, 2_000_000, {}) for at in (1_000_000, 11_000_000)
    ]
    tpu.line("XLA Ops", [*operators, ("%all-reduce.2 = f32[] all-reduce(...)", 4_000_000, 3_000_000, {})], 5)
    host = _Written(b"/host:CPU")
    host.line("python", [("train", 0, 20_000_000, {"step_num": 1})], 5)
    profile = _read(tmp_path, tpu, host)
    assert profile.profile.platform == "tpu"
    assert [(row["number"], row["start"], row["duration"]) for row in profile.rows("steps")] == [
        (7, 0, 10_000),
        (8, 10_000, 9_000),
    ], "those of the device, not of the host"
    fusion, reduce = profile.rows("operators")
    assert (fusion["name"], fusion["type"], fusion["calls"], fusion["total"]) == (
        "fusion.1",
        "loop fusion",
        2,
        4_000,
    )
    assert fusion["flops"] == 2000
    assert (reduce["name"], reduce["calls"]) == ("all-reduce.2", 1)
    assert np.isnan(reduce["flops"])
    first = profile.rows("steps")[0]
    assert (first["kernel"], first["communication"], first["idle"]) == (2_000, 3_000, 5_000)


def test_kernels_of_a_gpu_and_who_launched_them(tmp_path: Path) -> None:
    gpu = _Written(b"/device:GPU:0")
    details = "regs:32 static_shared:16 dynamic_shared:8 grid:8,4,1 block:256,1,1 occ_pct:75.5"
    gpu.line(
        "Stream #13(Compute)",
        [
            ("sgemm", 5_000_000, 4_000_000, {"correlation_id": 1, "kernel_details": details}),
            ("MemcpyH2D", 9_000_000, 1_000_000, {"correlation_id": 2}),
        ],
        _BEGIN,
    )
    host = _Written(b"/host:CPU")
    host.kind("model/dense/MatMul:MatMul", "MatMul")
    host.line(
        "python",
        [
            ("model/dense/MatMul:MatMul", 0, 3_000_000, {}),
            ("cuLaunchKernel", 1_000_000, 1_000_000, {"correlation_id": 1}),
        ],
        _BEGIN,
    )
    profile = _read(tmp_path, gpu, host)
    assert profile.profile.start_ns == _BEGIN
    rows = {row["name"]: row for row in profile.rows("slices")}
    assert rows["sgemm"]["category"] == Category.KERNEL
    assert rows["MemcpyH2D"]["category"] == Category.MEMCPY
    assert rows["cuLaunchKernel"]["category"] == Category.RUNTIME
    (matmul,) = profile.rows("operators")
    assert (matmul["name"], matmul["type"], matmul["scope"]) == ("MatMul", "MatMul", "model/dense")
    assert matmul["device_total"] == 4_000
    kernels = {row["name"]: row for row in profile.rows("kernels")}
    gemm = kernels["sgemm"]
    assert (gemm["grid"], gemm["block"], gemm["registers"], gemm["shared_memory"]) == (
        "8 x 4 x 1",
        "256 x 1 x 1",
        32,
        24,
    )
    assert gemm["occupancy"] == 75.5
    assert gemm["stream"] == "Stream #13(Compute)"
    assert (gemm["calls"], gemm["total"]) == (1, 4_000)
    assert kernels["MemcpyH2D"]["shared_memory"] == -1


def test_sums_without_times_are_left_out(tmp_path: Path) -> None:
    host = _Written(b"/host:CPU")
    host.line("python", [("call", 0, 1000, {})])
    host.message.lines[0].events.add(metadata_id=1, num_occurrences=3)
    profile = _read(tmp_path, host)
    assert len(profile.rows("slices")) == 1
    assert [note.code for note in profile.profile.notes] == ["experimental", "events_without_time"]


def test_one_bad_number_costs_only_itself(tmp_path: Path) -> None:
    """A tracer of ROCm writes registers that nobody set."""
    gpu = _Written(b"/device:GPU:0")
    details = [
        "regs:2191500840 static_shared:0 dynamic_shared:99999999999999999999 grid:8,1,1 occ_pct:0",
        "regs:1,2 grid:8,1,1 occ_pct:7,5",
    ]
    works: list[tuple[str, int, int, Mapping[str, object]]] = [
        (
            f"Cijk_{place}",
            place * 10_000_000,
            8_000_000,
            {"kernel_details": text, "correlation_id": _MOST + place},
        )
        for place, text in enumerate(details)
    ]
    far: list[tuple[str, int, int, Mapping[str, object]]] = [("far", 1, 1, {}), ("long", 1, _MOST, {})]
    gpu.line("Stream #1", works, _BEGIN)
    gpu.line("Stream #2", far, _MOST)
    host = _Written(b"/host:CPU")
    host.line("python", [("train", 0, 20_000_000, {"step_num": float("inf")})], _BEGIN)
    profile = _read(tmp_path, gpu, host)
    kernels = {row["name"]: row for row in profile.rows("kernels")}
    assert [kernels[f"Cijk_{place}"]["total"] for place in (0, 1)] == [8_000, 8_000]
    assert (kernels["Cijk_0"]["registers"], kernels["Cijk_0"]["shared_memory"]) == (-1, -1)
    assert np.isnan(kernels["Cijk_1"]["occupancy"])
    assert sorted(row["name"] for row in profile.rows("slices")) == ["Cijk_0", "Cijk_1", "train"]
    codes = [note.code for note in profile.profile.notes]
    assert codes == ["experimental", "numbers_out_of_range", "times_out_of_range"]
