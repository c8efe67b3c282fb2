"""Findings about memory snapshots: planted faults, and healthy trainings that look like them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from insight_profiler.analysis.held_memory import HeldMemory
from insight_profiler.analysis.memory import memory
from insight_profiler.files import Files
from insight_profiler.model import Profile, Source

from insight_core.plugin.findings import Finding
from tests.conformance.our_profiles import read_files
from tests.memory_snapshots import GB, MB, Allocator, frame, training
from tests.profile_rules import check

_TORCH = "/x/site-packages/torch"


def _read(one: Allocator, directory: Path) -> Profile:
    one.write(directory / "a.pickle")
    return read_files(Files.of_directory(directory, "a.pickle"), Source.SNAPSHOT)


def _found(profile: Profile) -> dict[str, Finding]:
    return {one.rule.id: found for one in check(profile) for found in one.found}


def _cache_that_fills_and_stays(one: Allocator) -> None:
    training(one, 2)
    for number in range(10):
        if number < 4:
            one.take(32 * MB, frame("cached", line=70))
        one.give(one.take(64 * MB, frame("forward", line=20)))
        one.step()


def _state_of_the_first_step(one: Allocator) -> None:
    training(one, 8)


def _freed_in_each_epoch(one: Allocator) -> None:
    training(one, 1)
    for _ in range(3):
        kept = []
        for _ in range(5):
            kept.append(one.take(16 * MB, frame("evaluate", line=80)))
            one.give(one.take(64 * MB, frame("forward", line=20)))
            one.step()
        for address in kept:
            one.give(address)
    one.give(one.take(64 * MB, frame("forward", line=20)))
    one.step()


def _pinned_memory_of_a_loader(one: Allocator) -> None:
    training(one, 1)
    window: list[int] = []
    for _ in range(10):  # of which the loader has three batches at a time
        window.append(one.take(24 * MB, frame("pin", f"{_TORCH}/utils/data/_utils/pin_memory.py", 5)))
        if len(window) > 3:
            one.give(window.pop(0))
        one.give(one.take(64 * MB, frame("forward", line=20)))
        one.step()


def _slack_of_a_pool(one: Allocator) -> None:
    training(one, 3, batch=4 * GB)
    for size in range(99, 5, -1):  # fits into what larger ones left
        one.give(one.take(size * 7 * MB, frame("evaluate", line=80)))


def _activations_of_all_layers(one: Allocator) -> None:
    training(one, 4, batch=1 * GB)


@pytest.mark.parametrize(
    "healthy",
    [
        _cache_that_fills_and_stays,
        _state_of_the_first_step,
        _freed_in_each_epoch,
        _pinned_memory_of_a_loader,
        _slack_of_a_pool,
        _activations_of_all_layers,
    ],
)
def test_healthy_trainings_have_no_finding(healthy: Callable[[Allocator], None], tmp_path: Path) -> None:
    one = Allocator()
    healthy(one)
    assert _found(_read(one, tmp_path)) == {}


def test_a_list_that_keeps_outputs_is_a_leak_at_its_line(tmp_path: Path) -> None:
    one = Allocator()
    training(one, 1)
    for _ in range(8):
        one.give(one.take(64 * MB, frame("forward", line=20)))
        one.take(6 * MB, frame("log", line=91))
        one.step()
    found = _found(_read(one, tmp_path))
    assert list(found) == ["memory_growth"]
    told = found["memory_growth"].saw.details
    assert (told["name"], told["steps"], told["size"]) == ("log (train.py:91)", 8, 6.3)


def test_an_allocation_that_failed_names_the_line_that_holds_most(tmp_path: Path) -> None:
    one = Allocator(limit=4 * GB)
    training(one, 1)
    for _ in range(40):
        if not one.take(128 * MB, frame("attend", line=33), frame("forward", line=30)):
            break
    profile = _read(one, tmp_path)
    found = _found(profile)
    assert list(found) == ["out_of_memory"]
    told = found["out_of_memory"].saw.details
    whole = sum(block["size"] for segment in one.snapshot()["segments"] for block in segment["blocks"])
    mine = [
        block["requested_size"]
        for segment in one.snapshot()["segments"]
        for block in segment["blocks"]
        if block["frames"] and block["frames"][0]["line"] == 33
    ]
    assert told["name"] == "attend (train.py:33)"
    assert told["share"] == pytest.approx(100 * sum(mine) / whole, abs=3)
    assert told["wanted"] == "134 MB"
    [note] = [note for note in profile.notes if note.code == "ran_out_of_memory"]
    assert note.values["wanted"] == "134 MB"
    assert str(note.values["free"]).endswith(" MB")
    [failure] = memory(profile, 100)["failures"]
    assert failure["wanted"] == 128 * MB
    assert failure["at"] == HeldMemory.of(profile, 0).last + 1000


def _in_pieces(one: Allocator) -> None:
    """Every second tensor of a full device is freed: half of it is free, in pieces of 64 MB."""
    training(one, 1)
    kept = [one.take(64 * MB, frame("forward", line=20)) for _ in range(60)]
    for address in kept[::2]:
        one.give(address)


def test_memory_that_is_free_in_pieces_is_named_where_an_allocation_failed(tmp_path: Path) -> None:
    one = Allocator(segment=1 * GB, limit=6 * GB)
    _in_pieces(one)
    assert not one.take(1536 * MB, frame("logits", line=44))
    found = _found(_read(one, tmp_path))
    assert set(found) == {"out_of_memory", "fragmentation"}
    blocks = [block for segment in one.snapshot()["segments"] for block in segment["blocks"]]
    free = [block["size"] for block in blocks if block["state"] == "inactive"]
    assert found["fragmentation"].saw.code == "profiler_fragmentation_failed"
    assert found["fragmentation"].saw.details["count"] == len(free)
    assert max(free) < 1536 * MB < sum(free)


def test_a_device_that_is_full_is_not_called_fragmented(tmp_path: Path) -> None:
    one = Allocator(segment=1 * GB, limit=6 * GB)
    training(one, 1)
    while one.take(64 * MB, frame("forward", line=20)):
        pass
    assert set(_found(_read(one, tmp_path))) == {"out_of_memory"}


def test_more_is_reserved_although_much_is_free_in_pieces(tmp_path: Path) -> None:
    one = Allocator(segment=1 * GB)
    _in_pieces(one)
    one.give(one.take(1536 * MB, frame("logits", line=44)))
    found = _found(_read(one, tmp_path))
    assert found["fragmentation"].saw.code == "profiler_fragmentation"


def test_tensors_that_grow_leave_segments_behind_that_none_fits_into(tmp_path: Path) -> None:
    one = Allocator()
    training(one, 1)
    for size in range(5, 100):
        one.give(one.take(size * 7 * MB, frame("evaluate", line=80)))
    found = _found(_read(one, tmp_path))
    assert found["fragmentation"].saw.code == "profiler_fragmentation"


def test_a_line_that_holds_the_peak_is_named_with_its_share(tmp_path: Path) -> None:
    one = Allocator()
    training(one, 3)
    for _ in range(5):
        logits = one.take(2 * GB, frame("loss", line=77))
        one.give(one.take(64 * MB, frame("forward", line=20)))
        one.give(logits)
        one.step()
    found = _found(_read(one, tmp_path))
    assert list(found) == ["peak_place"]
    assert found["peak_place"].saw.details["name"] == "loss (train.py:77)"
    assert found["peak_place"].severity == "hint"
