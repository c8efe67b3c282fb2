"""Logs that grow, are replaced or disappear while a client reads them."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from insight_core.plugin.testing import EventWriter
from insight_core.providers.local import LocalProvider
from tests.support.damaged_logdir import FILE_NAME, scalar_record, version_record
from tests.support.growing_file import GrowingFile
from tests.support.points import scalar_points
from tests.waiting import FOR_EVER, PATIENCE

Open = Callable[..., LocalProvider]


def tags(provider: LocalProvider, run: str) -> set[str]:
    return {info.key.tag for info in provider.series("scalar", runs=[run])}


def expected_points(steps: range) -> list[tuple[int, float]]:
    return [(step, float(step)) for step in steps]


def file_content(count: int) -> bytes:
    return version_record() + b"".join(map(scalar_record, range(count)))


@pytest.mark.parametrize("piece", [1, 7, 12, 64, 1000])
def test_a_growing_file_is_read_as_it_grows(tmp_path: Path, load: Open, piece: int) -> None:
    growing = GrowingFile(file_content(4), tmp_path / FILE_NAME)
    provider = load(tmp_path)
    seen = 0
    while growing.grow(piece):
        provider.load()
        now = scalar_points(provider, ".")
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
        assert scalar_points(provider, "run", f"tag{number}") == expected_points(range(20))
    assert not provider.damage("run")


def test_a_finished_file_is_not_read_again(tmp_path: Path, load: Open) -> None:
    (tmp_path / FILE_NAME).write_bytes(file_content(3))
    provider = load(tmp_path)
    generation = provider.generation()
    provider.load()
    provider.load()
    assert provider.generation() == generation
    assert scalar_points(provider, ".") == expected_points(range(3))


@pytest.mark.parametrize("count", [1, 3, 8])
def test_a_replaced_file_is_read_anew(tmp_path: Path, load: Open, count: int) -> None:
    file = GrowingFile(file_content(3), tmp_path / FILE_NAME)
    file.finish()
    provider = load(tmp_path)
    file.replace(version_record() + b"".join(scalar_record(step, tag="other") for step in range(count)))
    provider.load()
    assert tags(provider, ".") == {"other"}
    assert scalar_points(provider, ".", "other") == expected_points(range(count))


@pytest.mark.parametrize("count", [1, 8])
def test_a_file_rewritten_in_place_is_read_anew(tmp_path: Path, load: Open, count: int) -> None:
    file = GrowingFile(file_content(3), tmp_path / FILE_NAME)
    file.finish()
    provider = load(tmp_path)
    file.rewrite(version_record() + b"".join(scalar_record(step, tag="other") for step in range(count)))
    provider.load()
    assert tags(provider, ".") == {"other"}
    assert scalar_points(provider, ".", "other") == expected_points(range(count))


def test_a_damaged_file_that_is_replaced_by_a_good_one_is_damaged_no_more(tmp_path: Path, load: Open) -> None:
    file = GrowingFile(file_content(2) + b"\xff" * 40, tmp_path / FILE_NAME)
    file.finish()
    provider = load(tmp_path)
    assert len(provider.damage(".")) == 1
    file.replace(file_content(5))
    provider.load()
    assert not provider.damage(".")
    assert scalar_points(provider, ".") == expected_points(range(5))


def test_a_deleted_run_goes_and_the_others_stay(tmp_path: Path, load: Open) -> None:
    for name in ("gone", "kept"):
        (tmp_path / name).mkdir()
        (tmp_path / name / FILE_NAME).write_bytes(file_content(2) + b"\0")
    provider = load(tmp_path)
    shutil.rmtree(tmp_path / "gone")
    provider.load()
    assert [run.name for run in provider.runs()] == ["kept"]
    assert {damage.run for damage in provider.damage()} == {"kept"}
    assert scalar_points(provider, "kept") == expected_points(range(2))
    assert scalar_points(provider, "gone") == []


def test_one_file_of_a_run_is_deleted(tmp_path: Path, load: Open) -> None:
    with EventWriter(tmp_path / FILE_NAME) as first:
        first.scalar("loss", 0, 0.0)
    with EventWriter(tmp_path / "events.out.tfevents.1700000100.test") as second:
        second.scalar("accuracy", 0, 0.5)
    provider = load(tmp_path)
    assert tags(provider, ".") == {"loss", "accuracy"}
    first.path.unlink()
    provider.load()
    assert scalar_points(provider, ".", "accuracy") == [(0, 0.5)]


def test_a_logdir_that_appears_later(tmp_path: Path, load: Open) -> None:
    provider = load(tmp_path / "later")
    assert list(provider.runs()) == []
    with EventWriter(tmp_path / "later" / "run") as writer:
        writer.scalar("loss", 1, 2.0)
    provider.load()
    assert scalar_points(provider, "run") == [(1, 2.0)]
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


def _follow(provider: LocalProvider, holds: Callable[[], bool]) -> None:
    """Waits for changes until it holds."""
    deadline = time.monotonic() + PATIENCE
    while not holds() and time.monotonic() < deadline:
        provider.changes(provider.generation(), timeout=0.1)
    assert holds()


def test_a_live_provider_follows_writers(tmp_path: Path, load: Open) -> None:
    provider = load(tmp_path, live=0.02)
    files = [GrowingFile(file_content(30), tmp_path / f"run{number}" / FILE_NAME) for number in range(3)]

    def write() -> None:
        while any(file.remaining for file in files):
            for number, file in enumerate(files):
                file.grow(29 + number)
            time.sleep(0.001)

    writing = threading.Thread(target=write)
    writing.start()
    runs = [f"run{number}" for number in range(3)]
    while writing.is_alive():
        for run in runs:
            now = scalar_points(provider, run)
            assert now == expected_points(range(len(now)))
        time.sleep(0.001)
    writing.join()
    _follow(provider, lambda: all(len(scalar_points(provider, run)) == 30 for run in runs))
    assert not provider.damage()


def test_changes_name_what_grew(tmp_path: Path, load: Open) -> None:
    growing = GrowingFile(file_content(9), tmp_path / "run" / FILE_NAME)
    growing.grow_to(len(file_content(3)))
    with EventWriter(tmp_path / "other") as writer:
        writer.scalar("loss", 0, 0.0)
    provider = load(tmp_path, live=0.02)
    _follow(provider, lambda: provider.progress().loaded_once)
    before = provider.generation()
    began = time.monotonic()
    growing.finish()
    _follow(provider, lambda: len(scalar_points(provider, "run")) == 9)
    assert time.monotonic() - began < 2
    changes = provider.changes(before)
    assert changes.generation > before
    assert changes.series is not None
    assert {key.run for key in changes.series["scalar"]} == {"run"}


def test_closing_ends_the_loader_and_whoever_waits(tmp_path: Path, load: Open) -> None:
    before = set(threading.enumerate())
    provider = load(tmp_path, live=0.02)
    waiting = threading.Thread(target=lambda: provider.changes(provider.generation(), timeout=FOR_EVER))
    waiting.start()
    provider.close()
    waiting.join(timeout=PATIENCE)
    assert set(threading.enumerate()) <= before
