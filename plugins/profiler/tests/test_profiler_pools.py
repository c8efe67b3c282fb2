"""Facts of the pools of an allocator. Oracle: sums over the dicts of the snapshot."""

from __future__ import annotations

import gzip
import pickle
from pathlib import Path
from typing import Any

import pytest
from insight_profiler.analysis.held_memory import HeldMemory
from insight_profiler.analysis.pool import pool_at
from insight_profiler.files import Files
from insight_profiler.model import Profile, Source

from tests.conformance.our_profiles import read_files

_RECORDED = Path(__file__).parent / "data/leak.snapshot.pickle.gz"


def _recorded() -> dict[str, Any]:
    found: dict[str, Any] = pickle.loads(gzip.decompress(_RECORDED.read_bytes()))
    return found


def _read(directory: Path, data: bytes) -> Profile:
    (directory / "a.pickle").write_bytes(data)
    return read_files(Files.of_directory(directory, "a.pickle"), Source.SNAPSHOT)


@pytest.mark.parametrize("has_events", [True, False])
def test_facts_of_a_pool_are_of_all_its_blocks_as_the_allocator_counts_them(
    tmp_path: Path, has_events: bool
) -> None:
    recorded = _recorded()
    if not has_events:
        recorded["device_traces"] = [[]]
    for number, segment in enumerate(recorded["segments"]):  # as if two streams had taken them
        segment["stream"] = 7 * (number % 2)
    first = next(block for segment in recorded["segments"] for block in segment["blocks"])
    first["state"] = "active_pending_free"
    segments = recorded["segments"]
    profile = _read(tmp_path, pickle.dumps(recorded))
    pool = pool_at(HeldMemory.of(profile, 0), int(profile.duration_ns))

    def expected(mine: list[dict[str, Any]]) -> dict[str, int]:
        blocks = [block for segment in mine for block in segment["blocks"]]
        of = {
            state: [block["size"] for block in blocks if block["state"] == state]
            for state in ("active_allocated", "active_pending_free", "inactive")
        }
        unused = [one for one in mine if all(block["state"] == "inactive" for block in one["blocks"])]
        return {
            "segments": len(mine),
            "reserved": sum(one["total_size"] for one in mine),
            "allocated": sum(of["active_allocated"]),
            "pending": sum(of["active_pending_free"]),
            "requested": sum(
                block["requested_size"] for block in blocks if block["state"] == "active_allocated"
            ),
            "free_blocks": len(of["inactive"]),
            "largest_free": max(of["inactive"]),
            "unused_segments": sum(one["total_size"] for one in unused),
        }

    assert pool["facts"] == expected(segments)
    assert pool["facts"]["allocated"] == sum(one["allocated_size"] for one in segments)
    streams = {one.pop("stream"): one for one in map(dict, pool["streams"])}
    for stream in (0, 7):
        told = {name: value for name, value in streams[stream].items() if name != "device"}
        assert told == expected([one for one in segments if one["stream"] == stream])


def test_facts_of_a_pool_do_not_depend_on_how_many_blocks_are_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = HeldMemory.of(_read(tmp_path, pickle.dumps(_recorded())), 0)
    middle = (held.peak + held.last) // 2
    every = [pool_at(held, at) for at in (held.peak, middle, held.last)]
    monkeypatch.setattr("insight_profiler.analysis.pool._MOST_BLOCKS", 5)
    for before, at in zip(every, (held.peak, middle, held.last), strict=True):
        after = pool_at(held, at)
        assert len(after["blocks"]["bytes"]) == 5 < len(before["blocks"]["bytes"])
        assert after["facts"] == before["facts"]
        assert sorted(after["blocks"]["bytes"]) == sorted(before["blocks"]["bytes"])[-5:]
