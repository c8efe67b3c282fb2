"""Logs that are damaged, cut off, growing, replaced or gone: what can be read is read, the rest is listed."""

from __future__ import annotations

import math
import os
import resource
import shutil
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import insight_scalar
import pytest

from insight_core.api import Damage, ScalarQuery, SeriesKey
from insight_core.loading.logdir import Logdir
from insight_core.providers.local import LocalProvider
from insight_core.testing import EventWriter, GrowingFile, damaged_logdir
from insight_core.testing.damaged_logdir import FILE_NAME, scalar_record, version_record

Points = list[tuple[int, float]]
Open = Callable[[Path], LocalProvider]


@pytest.fixture
def load() -> Iterator[Open]:
    """Opens a provider of the scalars below a directory, everything loaded."""
    opened = []

    def open_provider(logdir: Path) -> LocalProvider:
        provider = LocalProvider([Logdir(str(logdir))], [insight_scalar.insight_plugin()], reload_interval=0)
        opened.append(provider)
        provider.load()
        return provider

    yield open_provider
    for provider in opened:
        provider.close()


def points(provider: LocalProvider, run: str, tag: str = "loss") -> Points:
    columns = provider.scalars("scalar", [SeriesKey(run, tag)], ScalarQuery(attempts="all"))
    return [
        (step, value)
        for part in columns.values()
        for step, value in zip(part.steps.tolist(), part.values.tolist(), strict=True)
    ]


def tags(provider: LocalProvider, run: str) -> set[str]:
    return {info.key.tag for info in provider.series("scalar", runs=[run])}


def listed(provider: LocalProvider, run: str) -> set[tuple[str, int]]:
    return {(damage.file, damage.offset) for damage in provider.damage(run)}


def expected_points(steps: range) -> Points:
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
            assert points(provider, run.name, tag) == wanted, run.name


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
    from insight_core.testing import wire

    length = struct.pack("<Q", 1 << bits)
    header = length + struct.pack("<I", wire.masked_crc32c(length))
    (tmp_path / FILE_NAME).write_bytes(file_content(3) + header + b"x" * 100)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    provider = load(tmp_path)
    assert points(provider, ".") == expected_points(range(3))
    assert listed(provider, ".") == {(FILE_NAME, len(file_content(3)))}
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # KiB


def test_an_unreadable_directory_is_listed_and_hides_nothing_else(tmp_path: Path, load: Open) -> None:
    for name in ("closed", "open"):
        (tmp_path / name).mkdir()
        (tmp_path / name / FILE_NAME).write_bytes(file_content(2))
    (tmp_path / "closed").chmod(0)
    try:
        if os.access(tmp_path / "closed", os.R_OK):
            pytest.skip("this user may read everything (root)")
        provider = load(tmp_path)
        assert points(provider, "open") == expected_points(range(2))
        assert [damage.file for damage in provider.damage("closed")] == ["closed"]
    finally:
        (tmp_path / "closed").chmod(0o700)


def test_an_unreadable_file_is_listed_and_hides_nothing_else(tmp_path: Path, load: Open) -> None:
    (tmp_path / FILE_NAME).write_bytes(file_content(2))
    closed = tmp_path / f"{FILE_NAME}.closed"
    closed.write_bytes(file_content(9))
    closed.chmod(0)
    if os.access(closed, os.R_OK):
        pytest.skip("this user may read everything (root)")
    provider = load(tmp_path)
    assert points(provider, ".") == expected_points(range(2))
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
        assert points(provider, run) == expected_points(range(max(len(whole) - 1, 0)))
        cut = size == 0 or size not in ends
        last = max(whole, default=0)
        assert listed(provider, run) == ({(f"{run}/{FILE_NAME}", last)} if cut else set())
    for size in range(len(content) + 1):
        with open(tmp_path / f"cut{size}" / FILE_NAME, "ab") as file:
            file.write(content[size:])
    provider.load()
    for size in range(len(content) + 1):
        assert points(provider, f"cut{size}") == expected_points(range(3))
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
        assert [step for step, _ in points(provider, f"byte{at}")] == kept, at
        assert listed(provider, f"byte{at}") == {(f"byte{at}/{FILE_NAME}", starts[hit])}


@pytest.mark.parametrize("piece", [1, 7, 12, 64, 1000])
def test_a_growing_file_is_read_as_it_grows(tmp_path: Path, load: Open, piece: int) -> None:
    growing = GrowingFile(file_content(4), tmp_path / FILE_NAME)
    provider = load(tmp_path)
    seen = 0
    while growing.grow(piece):
        provider.load()
        now = points(provider, ".")
        assert len(now) >= seen
        assert now == expected_points(range(len(now)))
        seen = len(now)
    assert seen == 4
    assert not provider.damage(".")


def test_several_files_of_a_run_grow_at_once(tmp_path: Path, load: Open) -> None:
    names = [f"events.out.tfevents.{1700000000 + number}.test" for number in range(3)]
    contents = [
        version_record() + b"".join(scalar_record(step, tag=f"tag{number}") for step in range(20))
        for number in range(3)
    ]
    files = [
        GrowingFile(content, tmp_path / "run" / name) for content, name in zip(contents, names, strict=True)
    ]
    provider = load(tmp_path)
    generation = provider.generation()
    while any(file.remaining for file in files):
        for number, file in enumerate(files):
            file.grow(37 + 11 * number)
        provider.load()
        assert provider.generation() > generation
        generation = provider.generation()
    for number in range(3):
        assert points(provider, "run", f"tag{number}") == expected_points(range(20))
    assert not provider.damage("run")


def test_a_finished_file_is_not_read_again(tmp_path: Path, load: Open) -> None:
    (tmp_path / FILE_NAME).write_bytes(file_content(3))
    provider = load(tmp_path)
    generation = provider.generation()
    provider.load()
    provider.load()
    assert provider.generation() == generation
    assert points(provider, ".") == expected_points(range(3))


@pytest.mark.parametrize("count", [1, 3, 8])
def test_a_replaced_file_is_read_anew(tmp_path: Path, load: Open, count: int) -> None:
    file = GrowingFile(file_content(3), tmp_path / FILE_NAME)
    file.finish()
    provider = load(tmp_path)
    file.replace(version_record() + b"".join(scalar_record(step, tag="other") for step in range(count)))
    provider.load()
    assert tags(provider, ".") == {"other"}
    assert points(provider, ".", "other") == expected_points(range(count))


@pytest.mark.parametrize("count", [1, 8])
def test_a_file_rewritten_in_place_is_read_anew(tmp_path: Path, load: Open, count: int) -> None:
    file = GrowingFile(file_content(3), tmp_path / FILE_NAME)
    file.finish()
    provider = load(tmp_path)
    file.rewrite(version_record() + b"".join(scalar_record(step, tag="other") for step in range(count)))
    provider.load()
    assert tags(provider, ".") == {"other"}
    assert points(provider, ".", "other") == expected_points(range(count))


def test_a_damaged_file_that_is_replaced_by_a_good_one_is_damaged_no_more(tmp_path: Path, load: Open) -> None:
    file = GrowingFile(file_content(2) + b"\xff" * 40, tmp_path / FILE_NAME)
    file.finish()
    provider = load(tmp_path)
    assert len(provider.damage(".")) == 1
    file.replace(file_content(5))
    provider.load()
    assert not provider.damage(".")
    assert points(provider, ".") == expected_points(range(5))


def test_a_deleted_run_goes_and_the_others_stay(tmp_path: Path, load: Open) -> None:
    for name in ("gone", "kept"):
        (tmp_path / name).mkdir()
        (tmp_path / name / FILE_NAME).write_bytes(file_content(2) + b"\0")
    provider = load(tmp_path)
    shutil.rmtree(tmp_path / "gone")
    provider.load()
    assert [run.name for run in provider.runs()] == ["kept"]
    assert {damage.run for damage in provider.damage()} == {"kept"}
    assert points(provider, "kept") == expected_points(range(2))
    assert points(provider, "gone") == []


def test_one_file_of_a_run_is_deleted(tmp_path: Path, load: Open) -> None:
    with EventWriter(tmp_path / FILE_NAME) as first:
        first.scalar("loss", 0, 0.0)
    with EventWriter(tmp_path / "events.out.tfevents.1700000100.test") as second:
        second.scalar("accuracy", 0, 0.5)
    provider = load(tmp_path)
    assert tags(provider, ".") == {"loss", "accuracy"}
    first.path.unlink()
    provider.load()
    assert points(provider, ".", "accuracy") == [(0, 0.5)]


def test_a_logdir_that_appears_later(tmp_path: Path, load: Open) -> None:
    provider = load(tmp_path / "later")
    assert list(provider.runs()) == []
    with EventWriter(tmp_path / "later" / "run") as writer:
        writer.scalar("loss", 1, 2.0)
    provider.load()
    assert points(provider, "run") == [(1, 2.0)]
    shutil.rmtree(tmp_path / "later")
    provider.load()
    assert list(provider.runs()) == []


def test_files_that_vanish_while_they_are_listed(tmp_path: Path, load: Open) -> None:
    for number in range(5):
        (tmp_path / f"run{number}").mkdir()
        (tmp_path / f"run{number}" / FILE_NAME).write_bytes(file_content(1))
    provider = load(tmp_path)
    for number in range(5):
        (tmp_path / f"run{number}" / FILE_NAME).unlink()
        provider.load()
    assert not list(provider.series("scalar"))


def test_damage_says_how_much_is_lost(tmp_path: Path, load: Open) -> None:
    content = bytearray(file_content(4))
    second = len(version_record()) + len(scalar_record(0))
    content[second + 20] ^= 1
    (tmp_path / FILE_NAME).write_bytes(content)
    [damage] = load(tmp_path).damage(".")
    assert damage == Damage(".", FILE_NAME, second, damage.reason, len(scalar_record(1)))
