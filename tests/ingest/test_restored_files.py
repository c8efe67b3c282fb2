"""Unchanged files of an earlier process: restored together, followed like all others."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path

import insight_scalar
import pytest

from insight_core.formats.batch import Batch
from insight_core.ingest.event_file import EventFile
from insight_core.ingest.logdir import Logdir
from insight_core.plugin.data import SeriesKey
from insight_core.plugin.testing import EventWriter
from insight_core.providers.local import LocalProvider
from insight_core.store.indexed_runs import RecalledFiles
from insight_core.store.store import Store
from tests.support.points import scalar_points

Open = Callable[[], LocalProvider]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Opens providers of ``tmp_path/logs`` that share an index."""
    providers: list[LocalProvider] = []

    def open_() -> LocalProvider:
        providers.append(
            LocalProvider(
                [Logdir(str(tmp_path / "logs"))],
                [insight_scalar.insight_plugin()],
                reload_interval=0,
                cache_directory=tmp_path / "cache",
            )
        )
        return providers[-1]

    yield open_
    for provider in providers:
        provider.close()


@pytest.fixture
def scanned(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """The files that are read from now on, and where reading began."""
    seen: list[tuple[str, int]] = []
    original = EventFile.read

    def read(file: EventFile, may_scan_ahead: bool = False) -> Batch | None:
        seen.append((Path(file.path).parent.name, file.position))
        return original(file, may_scan_ahead)

    monkeypatch.setattr(EventFile, "read", read)
    return seen


def write(run: Path, steps: range, start: float = 1.0) -> Path:
    with EventWriter(run, start_time=start) as writer:
        for step in steps:
            writer.scalar("loss", step, step)
        return writer.path


def append(path: Path, other: Path, steps: range) -> None:
    """Adds records to a file, written elsewhere without the first record."""
    extra = write(other, steps)
    with open(path, "ab") as file:
        file.write(extra.read_bytes())


def points(provider: LocalProvider, run: str) -> list[int]:
    return [step for step, _ in scalar_points(provider, run)]


def indexed(opened: Open) -> None:
    with closing(opened()) as first:
        first.load()


def test_a_restored_file_that_grows_later_is_read_on(
    tmp_path: Path, opened: Open, scanned: list[tuple[str, int]]
) -> None:
    file = write(tmp_path / "logs/r", range(10))
    indexed(opened)
    scanned.clear()
    second = opened()
    second.load()
    assert not scanned
    end = file.stat().st_size
    append(file, tmp_path / "other", range(10, 12))
    second.load()
    assert scanned[0] == ("r", end)
    assert points(second, "r") == list(range(12))


def test_a_restored_file_that_was_only_touched_is_not_read_from_its_beginning(
    tmp_path: Path, opened: Open, scanned: list[tuple[str, int]]
) -> None:
    file = write(tmp_path / "logs/r", range(10))
    indexed(opened)
    scanned.clear()
    second = opened()
    second.load()
    os.utime(file, (5, 5))
    second.load()
    assert {began for _, began in scanned} == {file.stat().st_size}
    assert points(second, "r") == list(range(10))


@pytest.mark.parametrize("in_place", [False, True])
def test_a_restored_file_that_is_replaced_shows_only_the_new_points(
    tmp_path: Path, opened: Open, in_place: bool
) -> None:
    file = write(tmp_path / "logs/r", range(10))
    indexed(opened)
    second = opened()
    second.load()
    other = write(tmp_path / "other", range(100, 120))
    if in_place:
        file.write_bytes(other.read_bytes())
    else:
        os.replace(other, file)
    second.load()
    assert points(second, "r") == list(range(100, 120))


def test_a_restored_file_that_is_deleted_is_gone(tmp_path: Path, opened: Open) -> None:
    kept, gone = (write(tmp_path / f"logs/{name}", range(3)) for name in ("kept", "gone"))
    indexed(opened)
    second = opened()
    second.load()
    gone.unlink()
    second.load()
    assert [run.name for run in second.runs()] == ["kept"]
    assert kept.exists()


def test_damage_of_an_unchanged_file_is_listed_again(tmp_path: Path, opened: Open) -> None:
    file = write(tmp_path / "logs/r", range(10))
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    with closing(opened()) as first:
        first.load()
        expected, kept = list(first.damage()), points(first, "r")
    second = opened()
    second.load()
    assert expected
    assert (list(second.damage()), points(second, "r")) == (expected, kept)


def test_a_restored_run_is_the_same_to_whoever_follows_changes(tmp_path: Path, opened: Open) -> None:
    write(tmp_path / "logs/r", range(10))
    indexed(opened)
    second = opened()
    before = second.generation()
    second.load()
    changes = second.changes(before)
    assert changes.runs
    assert changes.series == {"scalar": [SeriesKey("r", "loss")]}


def test_a_store_that_fails_leaves_no_part_of_a_restored_file(
    tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        write(tmp_path / "logs" / name, range(10))
    indexed(opened)
    original = Store.recall

    def fails(store: Store, groups: Iterable[RecalledFiles]) -> None:
        original(store, groups)
        raise KeyError("after the store has changed")

    second = opened()
    with monkeypatch.context() as patch:
        patch.setattr(Store, "recall", fails)
        second.load()
    assert points(second, "a") == points(second, "b") == list(range(10))
    assert not second.damage()
