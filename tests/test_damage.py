"""Logs that are damaged or cut off: what can be read is read, the rest is listed."""

from __future__ import annotations

import math
import os
import resource
import shutil
import struct
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import insight_scalar
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from insight_authoring.testing import wire
from insight_core.ingest.logdir import Logdir
from insight_core.plugin.data import Damage, SeriesKey
from insight_core.plugin.testing import EventWriter
from insight_core.providers.local import LocalProvider
from tests.support.damaged_logdir import FILE_NAME, damaged_logdir, scalar_record, version_record
from tests.support.points import scalar_points

Open = Callable[[Path], LocalProvider]


def tags(provider: LocalProvider, run: str) -> set[str]:
    return {info.key.tag for info in provider.series("scalar", runs=[run])}


def listed(provider: LocalProvider, run: str) -> set[tuple[str, int]]:
    return {(damage.file, damage.offset) for damage in provider.damage(run)}


def expected_points(steps: range) -> list[tuple[int, float]]:
    return [(step, float(step)) for step in steps]


def file_content(count: int) -> bytes:
    return version_record() + b"".join(map(scalar_record, range(count)))


def test_every_run_of_the_corpus_is_read_as_far_as_it_can_be(tmp_path: Path, load: Open) -> None:
    runs = damaged_logdir(tmp_path / "logs")
    provider = load(tmp_path / "logs")
    names = {run.name for run in provider.runs()}
    for run in runs.values():
        assert run.name in names
        assert tags(provider, run.name) == set(run.points), run.name
        for tag, wanted in run.points.items():
            assert scalar_points(provider, run.name, tag) == wanted, run.name


def test_every_damage_of_the_corpus_is_listed_once_with_its_place_and_reason(
    tmp_path: Path, load: Open
) -> None:
    runs = damaged_logdir(tmp_path / "logs")
    provider = load(tmp_path / "logs")
    for run in runs.values():
        found = {(damage.file, damage.offset): damage for damage in provider.damage(run.name)}
        assert len(found) == len(provider.damage(run.name))
        assert found.keys() == {(wanted.file, wanted.offset) for wanted in run.damage}, run.name
        for wanted in run.damage:
            assert wanted.reason in found[wanted.file, wanted.offset].reason.lower()
    counts = {run.name: run.damage for run in provider.runs()}
    assert all(counts[run.name] == len(run.damage) for run in runs.values())


def test_a_loop_of_links_makes_no_runs(tmp_path: Path, load: Open) -> None:
    damaged_logdir(tmp_path / "logs")
    names = [run.name for run in load(tmp_path / "logs").runs()]
    assert [name for name in names if name.startswith("loop")] == ["loop"]


def test_wall_times_that_are_not_numbers_survive_and_start_no_run(tmp_path: Path, load: Open) -> None:
    damaged_logdir(tmp_path / "logs")
    provider = load(tmp_path / "logs")
    [columns] = provider.scalars("scalar", [SeriesKey("nan_wall_time", "loss")]).values()
    assert math.isnan(columns.wall_times[1])
    starts = {run.name: run.start_time for run in provider.runs()}
    assert all(start is None or math.isfinite(start) for start in starts.values())
    assert starts["nan_wall_time"] == starts["infinite_wall_time"] == starts["good"]


@pytest.mark.parametrize("bits", [28, 30, 40, 63])
def test_a_declared_length_costs_no_memory(tmp_path: Path, load: Open, bits: int) -> None:
    length = struct.pack("<Q", 1 << bits)
    header = length + struct.pack("<I", wire.masked_crc32c(length))
    (tmp_path / FILE_NAME).write_bytes(file_content(3) + header + b"x" * 100)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    provider = load(tmp_path)
    assert scalar_points(provider, ".") == expected_points(range(3))
    assert listed(provider, ".") == {(FILE_NAME, len(file_content(3)))}
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # KiB


@pytest.fixture
def place_of_nobody() -> Iterator[Path]:
    """A directory of a user who may not read everything: root becomes nobody meanwhile."""
    place = Path(tempfile.mkdtemp())
    is_root = os.geteuid() == 0
    if is_root:
        os.chown(place, 65534, 65534)
        os.seteuid(65534)
    try:
        yield place
    finally:
        if is_root:
            os.seteuid(0)
        for path in place.rglob("*"):
            path.chmod(0o700)
        shutil.rmtree(place)


def test_an_unreadable_directory_is_listed_and_hides_nothing_else(place_of_nobody: Path, load: Open) -> None:
    for name in ("closed", "open"):
        (place_of_nobody / name).mkdir()
        (place_of_nobody / name / FILE_NAME).write_bytes(file_content(2))
    (place_of_nobody / "closed").chmod(0)
    provider = load(place_of_nobody)
    assert scalar_points(provider, "open") == expected_points(range(2))
    assert [damage.file for damage in provider.damage("closed")] == ["closed"]


def test_an_unreadable_file_is_listed_and_hides_nothing_else(place_of_nobody: Path, load: Open) -> None:
    (place_of_nobody / FILE_NAME).write_bytes(file_content(2))
    closed = place_of_nobody / f"{FILE_NAME}.closed"
    closed.write_bytes(file_content(9))
    closed.chmod(0)
    provider = load(place_of_nobody)
    assert scalar_points(provider, ".") == expected_points(range(2))
    assert [damage.file for damage in provider.damage(".")] == [closed.name]


def test_cut_off_at_every_byte_then_completed(tmp_path: Path, load: Open) -> None:
    records = [version_record(), *map(scalar_record, range(3))]
    content = b"".join(records)
    ends = [sum(map(len, records[: count + 1])) for count in range(len(records))]
    for size in range(len(content) + 1):
        (tmp_path / f"cut{size}").mkdir()
        (tmp_path / f"cut{size}" / FILE_NAME).write_bytes(content[:size])
    provider = load(tmp_path)
    for size in range(len(content) + 1):
        run, whole = f"cut{size}", [end for end in ends if end <= size]
        assert scalar_points(provider, run) == expected_points(range(max(len(whole) - 1, 0)))
        cut = size == 0 or size not in ends
        last = max(whole, default=0)
        assert listed(provider, run) == ({(f"{run}/{FILE_NAME}", last)} if cut else set())
    for size in range(len(content) + 1):
        with open(tmp_path / f"cut{size}" / FILE_NAME, "ab") as file:
            file.write(content[size:])
    provider.load()
    for size in range(len(content) + 1):
        assert scalar_points(provider, f"cut{size}") == expected_points(range(3))
        assert listed(provider, f"cut{size}") == set()


def test_every_single_wrong_byte_costs_at_most_its_record(tmp_path: Path, load: Open) -> None:
    records = [version_record(), *map(scalar_record, range(3))]
    content = b"".join(records)
    starts = [sum(map(len, records[:count])) for count in range(len(records))]
    for at in range(len(content)):
        (tmp_path / f"byte{at}").mkdir()
        wrong = content[:at] + bytes([content[at] ^ 0x40]) + content[at + 1 :]
        (tmp_path / f"byte{at}" / FILE_NAME).write_bytes(wrong)
    provider = load(tmp_path)
    for at in range(len(content)):
        hit = sum(start <= at for start in starts) - 1
        kept = [step for step in range(3) if step + 1 != hit]
        assert [step for step, _ in scalar_points(provider, f"byte{at}")] == kept, at
        assert listed(provider, f"byte{at}") == {(f"byte{at}/{FILE_NAME}", starts[hit])}


def test_damage_says_how_much_is_lost(tmp_path: Path, load: Open) -> None:
    content = bytearray(file_content(4))
    second = len(version_record()) + len(scalar_record(0))
    content[second + 20] ^= 1
    (tmp_path / FILE_NAME).write_bytes(content)
    [damage] = load(tmp_path).damage(".")
    assert damage == Damage(".", FILE_NAME, second, damage.reason, len(scalar_record(1)))


GARBAGE = st.binary(min_size=1, max_size=60)


@settings(max_examples=60, deadline=None)
@given(pieces=st.lists(st.one_of(st.none(), GARBAGE), max_size=12))
def test_garbage_between_records_costs_no_record(pieces: list[bytes | None]) -> None:
    content, steps, garbage = version_record(), 0, 0
    for piece in pieces:
        if piece is None:
            content += scalar_record(steps)
            steps += 1
        else:
            content += piece
            garbage += len(piece)
    with tempfile.TemporaryDirectory() as directory:
        (Path(directory) / FILE_NAME).write_bytes(content + scalar_record(steps))
        provider = LocalProvider([Logdir(directory)], [insight_scalar.insight_plugin()], reload_interval=0)
        provider.load()
        assert scalar_points(provider, ".") == expected_points(range(steps + 1))
        assert sum(damage.skipped for damage in provider.damage(".")) == garbage
        provider.close()


@pytest.mark.parametrize("good", [True, False])
def test_numbers_beside_a_large_image_are_verified(tmp_path: Path, load: Open, good: bool) -> None:
    image = wire.image_value("image", bytes(6_000_000), 10, 10)
    with EventWriter(tmp_path / FILE_NAME) as writer:
        writer.scalar("loss", 0, 0.0)
        event = wire.event(1, 1.0, wire.summary([wire.scalar_value("loss", 1.0), image]))
        writer.raw(wire.record(event, bad_data_crc=not good))
        writer.scalar("loss", 2, 2.0)
    provider = load(tmp_path)
    assert [step for step, _ in scalar_points(provider, ".")] == ([0, 1, 2] if good else [0, 2])
    assert len(provider.damage(".")) == (0 if good else 1)


def test_a_long_file_is_read_whole(tmp_path: Path, load: Open) -> None:
    """More than one chunk of reading, so that records lie across the cuts."""
    with EventWriter(tmp_path / "run") as writer:
        writer.scalar_block(["a", "loss"], range(120_000), [[1.0, 2.0]] * 120_000)
    provider = load(tmp_path)
    assert [step for step, _ in scalar_points(provider, "run")] == list(range(120_000))
    assert not provider.damage()
