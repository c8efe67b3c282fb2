"""Which files the loader reads after a report of changes, and its reader threads."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from unittest.mock import DEFAULT, Mock

import insight_scalar
import numpy as np
import pytest

from insight_core.formats.batch import Batch, SmallFile
from insight_core.ingest import event_file, followed_file, loader
from insight_core.ingest import schedule as reading
from insight_core.ingest import tailer as tailed
from insight_core.ingest.beginnings import Beginnings
from insight_core.ingest.discover import discover
from insight_core.ingest.event_file import EventFile
from insight_core.ingest.file_patterns import FileNames
from insight_core.ingest.found import Found
from insight_core.ingest.loader import Loader
from insight_core.ingest.logdir import Logdir
from insight_core.ingest.scanner.scanner import open_scanner
from insight_core.ingest.scanner.small_files import read_small_files
from insight_core.plugin import Dialect
from insight_core.plugin.data import SeriesKey
from insight_core.plugin.testing import EventWriter
from insight_core.store.store import Store

SCALAR = insight_scalar.insight_plugin()


class ToldWatcher:
    """A watcher that reports the changes a test gives it."""

    def __init__(self) -> None:
        self.follows = True
        self._changed: list[frozenset[str] | None] = []
        self._told = threading.Condition()
        self.is_closed = False

    def tell(self, changed: frozenset[str] | None) -> None:
        with self._told:
            self._changed.append(changed)
            self._told.notify()

    def wait(self, timeout: float) -> frozenset[str] | None:
        with self._told:
            self._told.wait_for(lambda: self._changed, timeout)
            return self._changed.pop(0) if self._changed else frozenset()

    def wake(self) -> None:
        self.tell(frozenset())

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """When all logdirs were looked at."""
    seen: list[float] = []

    def counted(
        logdirs: list[Logdir], names: FileNames, beginnings: Beginnings, *, follow_symlinks: bool
    ) -> Found:
        seen.append(time.monotonic())
        return discover(logdirs, names, beginnings, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(loader, "discover", counted)
    return seen


@pytest.fixture
def follow() -> Iterator[Callable[..., tuple[Store, ToldWatcher]]]:
    """A started loader of a directory, with a watcher that reports the changes a test gives it."""
    started: list[tuple[Loader, ToldWatcher]] = []

    def start(logdir: Path) -> tuple[Store, ToldWatcher]:
        store, watcher = Store([SCALAR], {}), ToldWatcher()
        following = Loader(store, [Logdir(str(logdir))], 3600.0)
        started.append((following, watcher))
        following.start(watcher)  # type: ignore[arg-type]
        until(lambda: following.progress().loaded_once)
        return store, watcher

    yield start
    for following, watcher in started:
        following.stop()
        assert watcher.is_closed


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def steps(store: Store, run: str, tag: str = "x") -> list[int]:
    snapshot = store.snapshot("scalar", SeriesKey(run, tag))
    return [] if snapshot is None else snapshot.columns.steps.tolist()


def test_a_change_that_is_told_is_read_without_a_look_at_everything(
    tmp_path: Path, looks: list[float], follow: Callable[[Path], tuple[Store, ToldWatcher]]
) -> None:
    writers = [EventWriter(tmp_path / f"r{number}") for number in range(3)]
    for writer in writers:
        writer.scalar("x", 0, 0.0)
        writer.flush()
    store, watcher = follow(tmp_path)
    assert len(looks) == 1
    writers[1].scalar("x", 1, 1.0)
    writers[1].flush()
    watcher.tell(frozenset({str(writers[1].path)}))
    until(lambda: steps(store, "r1") == [0, 1])
    assert len(looks) == 1
    for writer in writers:
        writer.close()


@pytest.mark.parametrize("told", ["unknown", "gone", "anything"])
def test_what_cannot_be_followed_is_looked_for(
    tmp_path: Path, looks: list[float], follow: Callable[[Path], tuple[Store, ToldWatcher]], told: str
) -> None:
    with EventWriter(tmp_path / "old") as old:
        old.scalar("x", 0, 0.0)
    store, watcher = follow(tmp_path)
    with EventWriter(tmp_path / "new") as new:
        new.scalar("x", 7, 0.0)
    if told == "gone":
        old.path.unlink()
    paths = {"unknown": new.path, "gone": old.path}
    watcher.tell(None if told == "anything" else frozenset({str(paths[told])}))
    until(lambda: steps(store, "new") == [7])
    assert len(looks) == 2
    assert (steps(store, "old") == []) == (told == "gone")


def test_files_that_were_written_last_are_looked_at_between_slow_walks(
    tmp_path: Path, looks: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loader, "_POLLING_SHARE", math.inf)
    writers = [EventWriter(tmp_path / f"r{number}") for number in range(3)]
    for writer in writers:
        writer.scalar("x", 0, 0.0)
        writer.flush()
    store = Store([SCALAR], {})
    polling = Loader(store, [Logdir(str(tmp_path))], 0.01)
    polling.start()
    try:
        until(lambda: polling.progress().loaded_once)
        for writer in writers:
            writer.scalar("x", 1, 1.0)
            writer.flush()
        until(lambda: all(steps(store, f"r{number}") == [0, 1] for number in range(3)))
        assert len(looks) == 1
    finally:
        polling.stop()
        for writer in writers:
            writer.close()


def test_everything_is_looked_at_now_and_then_whatever_is_told(
    tmp_path: Path,
    looks: list[float],
    follow: Callable[[Path], tuple[Store, ToldWatcher]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(loader, "_LOOK_ANYWAY", 0.2)
    store, _ = follow(tmp_path)
    with EventWriter(tmp_path / "new") as writer:
        writer.scalar("x", 7, 0.0)
    until(lambda: steps(store, "new") == [7])
    assert len(looks) >= 2


def test_a_record_that_stays_cut_off_becomes_damage_without_another_change(
    tmp_path: Path, follow: Callable[[Path], tuple[Store, ToldWatcher]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(followed_file, "SETTLED", 0.2)
    monkeypatch.setattr(loader, "_SETTLING", 0.3)
    writer = EventWriter(tmp_path / "r")
    writer.scalar("x", 0, 0.0)
    writer.flush()
    store, watcher = follow(tmp_path)
    with writer.path.open("ab") as file:
        file.write(bytes(5))
    watcher.tell(frozenset({str(writer.path)}))
    assert store.damage("r") == []
    until(lambda: len(store.damage("r")) == 1)
    writer.close()


def test_no_thread_waits_when_the_loader_stops(tmp_path: Path) -> None:
    others = set(threading.enumerate())
    watcher = ToldWatcher()
    following = Loader(Store([SCALAR], {}), [Logdir(str(tmp_path))], 3600.0)
    following.start(watcher)  # type: ignore[arg-type]
    until(lambda: following.progress().loaded_once)
    began = time.monotonic()
    following.stop()
    assert time.monotonic() - began < 2
    assert not set(threading.enumerate()) - others


def test_several_threads_read_what_one_reads_and_no_file_is_read_by_two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(12):
        for part in range(1 + number % 3):
            with EventWriter(tmp_path / f"r{number}", start_time=1000 + part) as writer:
                first = part * 500
                count = 3000 if number == 5 else 50 * (number + 1)
                values = np.random.default_rng(number).normal(size=(count, 2))
                writer.scalar_block(["x", "y"], range(first, first + count), values)
    plain = Store([SCALAR], {})
    Loader(plain, [Logdir(str(tmp_path))], 0).load()

    monkeypatch.setattr(event_file, "open_scanner", partial(open_scanner, chunk=4096))
    monkeypatch.setattr(reading, "_processors", lambda: 6)
    monkeypatch.setattr(reading, "_WORTH_A_THREAD", 1)
    monkeypatch.setattr(reading, "_LONG", 1)
    monkeypatch.setattr(reading, "_TASK", 8192)
    readers: dict[str, set[str]] = {}
    being_read: set[str] = set()
    original = EventFile.read

    def watched(file: EventFile, may_scan_ahead: bool) -> Batch | None:
        assert file.path not in being_read
        being_read.add(file.path)
        readers.setdefault(file.path, set()).add(threading.current_thread().name)
        time.sleep(0.001)
        try:
            return original(file, may_scan_ahead)
        finally:
            being_read.discard(file.path)

    monkeypatch.setattr(EventFile, "read", watched)
    parallel = Store([SCALAR], {})
    loading = Loader(parallel, [Logdir(str(tmp_path))], 0)
    loading.load()
    assert len({name for names in readers.values() for name in names}) > 1
    assert loading.progress().bytes_read == loading.progress().bytes_total > 0
    keys = sorted(info.key for info in plain.infos("scalar", None))
    assert keys == sorted(info.key for info in parallel.infos("scalar", None))
    for key in keys:
        one, other = plain.snapshot("scalar", key), parallel.snapshot("scalar", key)
        assert one is not None
        assert other is not None
        assert one.parts == other.parts
        for column, same in zip(one.columns.arrays(), other.columns.arrays(), strict=True):
            np.testing.assert_array_equal(column, same)
    assert not any(run.loading for run in parallel.runs())


def test_files_that_have_to_be_waited_for_are_waited_for_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(60):
        with EventWriter(tmp_path / f"r{number}") as writer:
            writer.scalar("x", 0, 0.0)
    one, several = EventFile.read, read_small_files

    readers: set[int] = set()

    def slow(file: EventFile, may_scan_ahead: bool) -> Batch | None:
        readers.add(threading.get_ident())
        time.sleep(0.05)  # as over a network
        return one(file, may_scan_ahead)

    def all_slow(
        paths: list[str], guesses: list[Dialect], numbers: frozenset[str], head: int, tail: int
    ) -> list[SmallFile | None]:
        readers.add(threading.get_ident())
        for _ in paths:
            time.sleep(0.05)
        return several(paths, guesses, numbers, head, tail)

    monkeypatch.setattr(EventFile, "read", slow)
    monkeypatch.setattr(tailed, "read_small_files", all_slow)
    monkeypatch.setattr(reading, "_TASK", 500)
    store = Store([SCALAR], {})
    Loader(store, [Logdir(str(tmp_path))], 0).load()
    assert len(store.infos("scalar", None)) == 60
    assert len(readers) > 1


def test_points_that_the_store_could_not_take_come_with_the_next_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_by_one: None
) -> None:
    monkeypatch.setattr(event_file, "open_scanner", partial(open_scanner, chunk=4096))
    with EventWriter(tmp_path / "r") as writer:
        writer.scalar_block(["x"], range(1000), np.zeros((1000, 1)))
    store = Store([SCALAR], {})
    batches = Mock(wraps=store.append, side_effect=[DEFAULT, MemoryError, *[DEFAULT] * 1000])
    monkeypatch.setattr(store, "append", batches)
    loading = Loader(store, [Logdir(str(tmp_path))], 0)
    loading.load()
    assert [entry.reason for entry in store.damage("r")] == ["reading failed: MemoryError"]
    loading.load()
    assert steps(store, "r") == list(range(1000))
    assert store.damage("r") == []
