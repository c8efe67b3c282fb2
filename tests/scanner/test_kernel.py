"""The compiled scanner against its twin in Python, on whatever bytes a file may hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from insight_authoring.testing import wire
from insight_core.ingest.scanner import _kernel
from insight_core.ingest.scanner.scanner import CHUNK
from insight_core.plugin import Dialect
from insight_record.formats import framing
from tests.oracles import pure_scanner, record_frames
from tests.scanner.both_scanners import BOTH, MakeScanner, Reading, check, opened
from tests.scanner.event_bytes import block, files, varint


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(files(), st.sampled_from(list(Dialect)), st.sampled_from([CHUNK, CHUNK, 64, 300]))
def test_both_scanners_read_the_same(file: tuple[bytes, list[int]], guess: Dialect, chunk: int) -> None:
    check(*file, guess, chunk)


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(files(), st.sampled_from([CHUNK, 64, 300]))
def test_without_locators_of_numbers_the_rest_is_the_same(file: tuple[bytes, list[int]], chunk: int) -> None:
    every = check(*file, Dialect.TENSORBOARD, chunk)
    fewer = check(*file, Dialect.TENSORBOARD, chunk, frozenset({"scalars", "\\xff"}))
    taken = {tag for tag, each in every["metadata"].items() if each.plugin in ("scalars", "\\xff")}
    for name in ("flaws", "metadata", "stops", "first_wall_time"):
        assert fewer[name] == every[name]
    for reading in (every, fewer):
        for (tag, _), rows in reading["points"].items():
            rows[:] = [row[:3] if tag in taken and row[2] is not None else row for row in rows]
    assert fewer["points"] == every["points"]


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    files(), st.sampled_from(list(Dialect)), st.sampled_from([CHUNK, 64, 300]), st.sampled_from([0, 30, 60])
)
def test_both_scanners_read_the_same_of_records_that_stay_on_disk(
    file: tuple[bytes, list[int]], guess: Dialect, chunk: int, longest: int
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        for module in (framing, record_frames, pure_scanner, _kernel):
            patched.setattr(module, "LONGEST_READ", longest)
        check(*file, guess, chunk)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400).map(lambda event: wire.record(event)))
def test_both_scanners_read_the_same_of_any_event(data: bytes) -> None:
    check(data * 2, [len(data) * 2])


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(files(), st.lists(st.integers(0, 2000), max_size=5).map(sorted), st.sampled_from([CHUNK, 64, 300]))
def test_a_scan_in_stretches_reads_the_same(
    file: tuple[bytes, list[int]], borders: list[int], chunk: int
) -> None:
    data, size = file[0], len(file[0])
    for make in BOTH:
        whole, stretches = (
            Reading(make(Dialect.TENSORBOARD, chunk)),
            Reading(make(Dialect.TENSORBOARD, chunk)),
        )
        with opened(data) as descriptor:
            whole.follow(descriptor, size)
            stretches.follow_in_stretches(descriptor, size, borders)
        assert stretches.result() == whole.result()


@pytest.mark.parametrize("make", BOTH)
def test_a_scan_ends_with_the_last_record_that_begins_before_the_border(make: MakeScanner) -> None:
    records = [wire.record(b"\x10" + varint(k) + block(9, bytes(k))) for k in range(20)]
    ends = np.cumsum([len(record) for record in records]).tolist()
    data = b"".join(records)
    scanner = make(Dialect.TENSORBOARD, CHUNK)
    with opened(data) as descriptor:
        for until in range(1, len(data) + 1):
            batch = scanner.scan(descriptor, 0, len(data), until)
            assert (batch.end, batch.tail) == (next(end for end in ends if end >= until), None)


@pytest.mark.parametrize("make", BOTH)
def test_a_scan_elsewhere_forgets_the_damage_that_it_was_searching_behind(make: MakeScanner) -> None:
    good = wire.record(b"\x10\x01" + block(5, block(1, b"\x15\0\0\0\0")))
    data = good * 3 + b"\xee" * 300 + good
    with opened(data) as descriptor:
        scanner = make(Dialect.TENSORBOARD, 64)
        scanner.scan(descriptor, len(good) * 3, len(data) - 100)
        batch = scanner.scan(descriptor, 0, len(data))
        assert batch.end >= len(good)
        assert not batch.flaws
