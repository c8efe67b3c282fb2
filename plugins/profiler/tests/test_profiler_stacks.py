"""Collapsed stacks and profiles of speedscope: sums, units, and files that are damaged or something else.

Oracles: the same sums by plain Python over files that py-spy 0.4.3 and PyTorch 2.14 wrote.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from insight_profiler.building import Unreadable
from insight_profiler.model import Profile, Source
from insight_profiler.profiles.discovery import profiles_of
from insight_profiler.stack_files import is_folded, is_speedscope

from insight_core.plugin.data import SeriesInfo, SeriesKey
from tests.stack_profiles import codes_of, read_stacks, summed, sums_of

_DATA = Path(__file__).parent / "data"
_PY_SPY = gzip.decompress((_DATA / "py_spy.folded.gz").read_bytes())
_SPEEDSCOPE = gzip.decompress((_DATA / "py_spy.speedscope.json.gz").read_bytes())
_TORCH = gzip.decompress((_DATA / "torch_stacks.txt.gz").read_bytes())
_SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def _folded(directory: Path, data: bytes, name: str = "a.folded") -> Profile:
    return read_stacks(directory, Source.FOLDED, data, name)


def _speedscope(directory: Path, held: object) -> Profile:
    return read_stacks(directory, Source.SPEEDSCOPE, json.dumps(held).encode(), "a.speedscope.json")


def _file(*profiles: dict[str, Any], frames: Sequence[str] = ("main", "step", "load")) -> dict[str, Any]:
    return {"$schema": _SCHEMA, "shared": {"frames": [{"name": one} for one in frames]}, "profiles": profiles}


def _sampled(samples: list[list[int]], weights: list[float], unit: str = "none") -> dict[str, Any]:
    return {"type": "sampled", "name": "main", "unit": unit, "samples": samples, "weights": weights}


def _evented(events: str, unit: str = "milliseconds", name: str = "main") -> dict[str, Any]:
    """Events by words: ``O0@1`` opens frame 0 at 1."""
    told = [
        {"type": one[0], "frame": int(one[1]), "at": float(one.partition("@")[2])} for one in events.split()
    ]
    return {"type": "evented", "name": name, "unit": unit, "events": told}


def _lines(data: bytes) -> list[tuple[list[str], int]]:
    """Stacks as ``flamegraph.pl`` takes them apart."""
    found = []
    for line in data.decode().splitlines():
        stack, _, count = line.rpartition(" ")
        found.append((stack.split(";") if stack else [], int(count)))
    return found


# --- collapsed stacks -----------------------------------------------------------------------------


def test_stacks_of_py_spy_have_the_sums_of_the_file(tmp_path: Path) -> None:
    def shown(frame: str) -> str:  # "leaf (train.py:8)"
        name, _, where = frame.rpartition(" (")
        return f"{name} {where[:-1]}"

    profile = _folded(tmp_path, _PY_SPY)
    expected = summed(([shown(frame) for frame in stack], value) for stack, value in _lines(_PY_SPY))
    assert sums_of(profile) == expected
    assert len(expected) > 5
    assert profile.documents["samples"]["measures"] == [{"name": "", "unit": "count"}]
    assert codes_of(profile) == {}, "a number alone is a thread in which nothing ran"


def test_stacks_of_torch_are_times_in_microseconds(tmp_path: Path) -> None:
    profile = _folded(tmp_path, _TORCH, "stacks.txt")
    assert profile.documents["samples"]["measures"] == [{"name": "", "unit": "ns"}]
    found = sums_of(profile)
    assert sum(found.values()) == 1000 * sum(value for _, value in _lines(_TORCH)) > 0
    assert ("<module> <stdin>:7", "__enter__ torch/profiler/profiler.py:1204") in found


def test_any_split_of_the_file_gives_the_same_sums(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(3)
    names = [
        "main",
        "train step",
        "λ",
        "std::vector<int, std::allocator<int> >::push_back(int&&)",
        "[kernel]",
    ]
    stacks = [
        ([rng.choice(names) for _ in range(rng.randint(1, 9))], rng.randint(1, 10**9)) for _ in range(400)
    ]
    text = "".join(f"{';'.join(stack)} {value}{rng.choice(chr(10) + chr(13))}" for stack, value in stacks)
    data = text.replace("\r", "\r\n").encode()
    whole = _folded(tmp_path, data)
    assert sums_of(whole) == summed(stacks)
    monkeypatch.setattr("insight_profiler.reading.folded._PIECE", 61)
    parts = _folded(tmp_path, data.rstrip())
    assert sums_of(parts) == summed(stacks)
    assert codes_of(parts) == {}


def test_lines_that_are_no_stack_are_counted_and_left_out(tmp_path: Path) -> None:
    profile = _folded(tmp_path, b"# folded\nmain;step 3\nmain;load x\n\nmain;load -2\nmain 1.5\nmain;load 4")
    assert sums_of(profile) == {("main", "step"): 3, ("main", "load"): 4}
    assert codes_of(profile) == {"lines_odd": 4}


def test_empty_frames_have_a_name(tmp_path: Path) -> None:
    assert sums_of(_folded(tmp_path, b";main;;step 3\n")) == {("?", "main", "?", "step"): 3}


def test_stacks_that_are_too_deep_keep_their_outer_calls(tmp_path: Path) -> None:
    data = b";".join([b"main", *[b"again"] * 5000]) + b" 2\nmain;step 1\n"
    profile = _folded(tmp_path, data)
    found = sums_of(profile)
    assert {len(path): value for path, value in found.items()} == {2048: 2, 2: 1}
    assert codes_of(profile) == {"stacks_cut": 1}


@pytest.mark.parametrize(
    "data", [b"", b"\n\n", b"hello world\n", b" 12\n", b"\0" * 5000, b"a;b 1" + b"0" * 30]
)
def test_a_file_without_stacks_is_named(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(Unreadable, match=r"a\.folded has no collapsed stacks"):
        _folded(tmp_path, data)


def test_sums_beyond_all_numbers_are_refused(tmp_path: Path) -> None:
    line = b"main;step " + b"9" * 18 + b"\n"
    with pytest.raises(Unreadable, match="sums that are too large"):
        _folded(tmp_path, line * 6)


# --- speedscope -----------------------------------------------------------------------------------


def test_a_profile_of_py_spy_has_the_sums_of_its_samples(tmp_path: Path) -> None:
    held = json.loads(_SPEEDSCOPE)
    profile = read_stacks(tmp_path, Source.SPEEDSCOPE, _SPEEDSCOPE, "a.speedscope.json")
    frames = [f"{one['name']} {one['file']}:{one['line']}" for one in held["shared"]["frames"]]
    expected = summed(
        ([one["name"], *(frames[place] for place in sample)], weight * 1e9)
        for one in held["profiles"]
        for sample, weight in zip(one["samples"], one["weights"], strict=True)
        if sample
    )
    assert len(held["profiles"]) > 1, "threads are below their names"
    assert sums_of(profile) == expected
    assert profile.documents["samples"]["measures"] == [{"name": "", "unit": "ns"}]


def test_the_same_stacks_are_the_same_tree_in_both_formats(tmp_path: Path) -> None:
    stacks = [([0, 1], 5), ([0, 2], 3), ([0], 1), ([0, 1, 1], 4)]
    names = ("main", "step", "load")
    text = "".join(f"{';'.join(names[one] for one in stack)} {value}\n" for stack, value in stacks)
    samples = [stack for stack, _ in stacks]
    other = _speedscope(tmp_path, _file(_sampled(samples, [float(value) for _, value in stacks])))
    assert sums_of(_folded(tmp_path, text.encode())) == sums_of(other)


def test_events_give_each_call_the_time_in_which_it_calls_nothing(tmp_path: Path) -> None:
    profile = _speedscope(tmp_path, _file(_evented("O0@10 O1@11 C1@14 O1@14 O2@15 C2@17 C1@17 C0@20")))
    assert sums_of(profile) == {
        ("main",): 4_000_000,
        ("main", "step"): 4_000_000,
        ("main", "step", "load"): 2_000_000,
    }
    assert profile.documents["samples"]["counted"] == "calls"


def test_times_since_1970_lose_nothing(tmp_path: Path) -> None:
    start = 1_780_000_000_000_000  # us
    profile = _speedscope(tmp_path, _file(_evented(f"O0@{start} C0@{start + 3}", "microseconds")))
    assert sums_of(profile) == {("main",): 3000}


def test_profiles_of_several_units_are_chosen_from(tmp_path: Path) -> None:
    held = _file(
        _sampled([[0, 1]], [2.0], "seconds"),
        _sampled([[0, 2]], [64.0], "bytes"),
        _sampled([[0]], [7.0], "none"),
    )
    profile = _speedscope(tmp_path, held)
    units = [one["unit"] for one in profile.documents["samples"]["measures"]]
    assert units == ["ns", "bytes", "count"]
    assert [sums_of(profile, place) for place in range(3)] == [
        {("main", "step"): 2_000_000_000},
        {("main", "load"): 64},
        {("main",): 7},
    ]


def test_fractions_are_rounded_once_for_each_path(tmp_path: Path) -> None:
    profile = _speedscope(tmp_path, _file(_sampled([[0]] * 10 + [[0, 1]], [0.3] * 10 + [0.7])))
    assert sums_of(profile) == {("main",): 3, ("main", "step"): 1}
    assert codes_of(profile) == {"samples_rounded": 1}


_MALFORMED = [
    (_sampled([[0], [1]], [1.0]), "2 samples and 1 weights"),
    (_sampled([[0, 3]], [1.0]), "frames beyond the 3"),
    (_sampled([[-1]], [1.0]), "frames beyond the 3"),
    (_sampled([[0]], [-1.0]), "negative weights"),
    (_sampled([[0]], [float("nan")]), "numbers that are none"),
    ({"type": "sampled", "samples": [[0]]}, "it has no 'weights'"),
    ({"type": "other", "name": "x", "unit": "none"}, "not known, 'other'"),
    ({"type": "sampled", "samples": [0], "weights": [1]}, "int"),
    ({"type": "sampled", "samples": [["a"]], "weights": [1]}, "invalid literal"),
    (_evented("O0@1 C1@2"), "not the last that began"),
    (_evented("O0@1 O1@2 C0@3 C1@4"), "not the last that began"),
    (_evented("O0@1 O1@2 C1@3"), "begin and end in pairs"),
    (_evented("C0@1 O0@2"), "begin and end in pairs"),
    (_evented("O0@5 C0@2"), "times go back"),
    (_evented("X0@1 C0@2"), "neither O nor C"),
    (_evented(" ".join(["O0@1"] * 3000 + ["C0@1"] * 3000)), "lie in each other"),
    (_evented(""), "begin and end in pairs"),
]


@pytest.mark.parametrize(("odd", "why"), _MALFORMED, ids=[why for _, why in _MALFORMED])
def test_a_malformed_profile_is_named_and_stops_no_other(
    tmp_path: Path, odd: dict[str, Any], why: str
) -> None:
    with pytest.raises(Unreadable, match=rf"a\.speedscope\.json are malformed .*{why}"):
        _speedscope(tmp_path, _file(odd))
    profile = _speedscope(tmp_path, _file(odd, _sampled([[0, 1]], [2.0])))
    assert sums_of(profile) == {("main", "step"): 2}
    assert codes_of(profile) == {"speedscope_odd": 1}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "cannot be read as JSON"),
        (_SPEEDSCOPE[: len(_SPEEDSCOPE) // 2], "cannot be read as JSON"),
        (b"[" * 100_000, "cannot be read as JSON"),
        (b"[1]", "no profile of speedscope"),
        (b'{"shared": {"frames": 3}, "profiles": []}', "no profile of speedscope"),
        (b'{"shared": {"frames": [{}]}, "profiles": []}', "no profile of speedscope"),
        (b'{"shared": {"frames": []}, "profiles": [1]}', "no profile of speedscope"),
        (b'{"shared": {"frames": []}, "profiles": []}', "no samples"),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, data: bytes, why: str) -> None:
    with pytest.raises(Unreadable, match=rf"a\.speedscope\.json .*{why}"):
        read_stacks(tmp_path, Source.SPEEDSCOPE, data, "a.speedscope.json")


def test_a_profile_of_any_name_is_read_as_what_it_is(tmp_path: Path) -> None:
    """Files ``*.json`` and ``*trace*`` are known by their names as traces only."""
    for name, data, source in (
        ("result.json", _SPEEDSCOPE, Source.SPEEDSCOPE),
        ("backtraces.txt", _PY_SPY, Source.FOLDED),
    ):
        profile = read_stacks(tmp_path, Source.CHROME, data, name)
        assert profile.source is source
        assert sums_of(profile)


# --- which files they are -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [_PY_SPY, _TORCH, b"main;step 3\n", b"main 2\nmain;step 3", gzip.compress(_PY_SPY)],
    ids=["py-spy", "torch", "one", "cut", "gzip"],
)
def test_stacks_are_known_by_their_first_lines(data: bytes) -> None:
    assert is_folded(data[:4096])


def test_a_first_line_that_is_cut_is_known_by_its_frames() -> None:
    frames = b";".join(b"call_%d (module.py:%d)" % (place, place) for place in range(400))
    assert is_folded(frames[:4096])
    assert not is_folded(b"a;b;c " * 1000)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"hello; world\n",
        b"step;loss\n1;0.5\n",
        b"1;2 3\n4;5 6\n",
        b"epoch 1\nepoch 2\n",
        b"main;step 3\nand a sentence.\n",
        b"main;step 1.5\n",
        b"\0\1;a 2\n",
        b"numpy==2.4.6; python_version >= '3.11'\n",
        b"[2026-11-30 10:00:00] INFO; loss 3\ntraceback;\n",
    ],
)
def test_other_texts_are_no_stacks(data: bytes) -> None:
    assert not is_folded(data)


def test_other_json_is_not_of_speedscope() -> None:
    assert is_speedscope(_SPEEDSCOPE[:4096])
    assert is_speedscope(gzip.compress(_SPEEDSCOPE))
    for other in (b"{}", b'{"shared": {"frames": []}, "profiles": []}', _SCHEMA.encode(), b'["$schema"]'):
        assert not is_speedscope(other)
    assert not is_speedscope(b'{"$schema": "https://json-schema.org/draft/2020-12/schema"}')


def test_each_file_is_a_profile_of_its_own_by_its_name() -> None:
    names = {
        "a.folded": Source.FOLDED,
        "b/a.collapsed.gz": Source.FOLDED,
        "a.stacks": Source.FOLDED,
        "profiler_stacks.txt": Source.FOLDED,
        "trace_0.txt": Source.CHROME,
        "a.speedscope.json": Source.SPEEDSCOPE,
        "a.json": Source.CHROME,
        "memory.prof": Source.PPROF,
        "cpu.pb.gz": Source.PPROF,
        "heap.pprof": Source.PPROF,
        "cpu_ms_memory_record_0.txt": Source.MINDINSIGHT,
    }
    found = profiles_of(SeriesInfo(SeriesKey("run", name), 1, 1, 0, 0) for name in names)
    assert {path: one.source for one in found for path in (one.path,) if path != "."} == {
        name: source for name, source in names.items() if source is not Source.MINDINSIGHT
    }
