"""When the loader asks the index cache, and when it writes to it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import insight_scalar
import pytest

from insight_core.formats.batch import Batch
from insight_core.ingest.event_file import EventFile, WholeFile
from insight_core.ingest.file_record import Entry, FileRecord
from insight_core.ingest.index import writer as index_writer
from insight_core.ingest.loader import Loader
from insight_core.ingest.logdir import Logdir
from insight_core.ingest.tailer import Tailed
from insight_core.plugin.data import SeriesKey
from insight_core.plugin.testing import EventWriter
from insight_core.store.first_files import LoadedFiles
from insight_core.store.store import Store
from tests.waiting import PATIENCE, eventually

SCALAR = insight_scalar.insight_plugin()


def _record(files: LoadedFiles, number: int) -> FileRecord:
    *version, _, head, tail = files.alike.files[files.numbers[number]].item()
    return WholeFile(tuple(version), files.alike.dialect, head, tail).record()


class KeptEntries:
    """An index cache in memory."""

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        self.saved: list[str] = []
        self.tidied = 0

    def load(self, path: str, lose: Callable[[], None]) -> Entry | None:
        return self.entries.get(path)

    def listed(self) -> Iterator[object]:
        return iter(())  # each is loaded by itself

    def dropping(self, lose: object) -> object:
        return lose

    def holds(self, path: str) -> bool:
        return path in self.entries

    def save(self, entries: Mapping[str, Entry], alike: Mapping[LoadedFiles, Mapping[str, int]]) -> None:
        loaded = {
            path: Entry(_record(files, number), files.content(number))
            for files, numbers in alike.items()
            for path, number in numbers.items()
        }
        self.entries |= {**entries, **loaded}
        self.saved += [*entries, *loaded]

    def tidy(self) -> None:
        self.tidied += 1


def open_loader(tmp_path: Path, cache: KeptEntries, store: Store | None = None) -> tuple[Store, Loader]:
    store = store or Store([SCALAR], {})
    return store, Loader(store, [Logdir(str(tmp_path))], 0.01, cache=cache)  # type: ignore[arg-type]


def steps(store: Store, run: str) -> list[int]:
    snapshot = store.snapshot("scalar", SeriesKey(run, "x"))
    return [] if snapshot is None else snapshot.columns.steps.tolist()


@pytest.fixture
def scanned(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The stretches of files that were scanned."""
    seen: list[tuple[int, int]] = []
    original = EventFile.read

    def read(file: EventFile, may_scan_ahead: bool) -> Batch | None:
        began = file.position
        batch = original(file, may_scan_ahead)
        if batch is not None:
            seen.append((began, file.position))
        return batch

    monkeypatch.setattr(EventFile, "read", read)
    return seen


def write(path: Path, count: int) -> EventWriter:
    writer = EventWriter(path)
    for step in range(count):
        writer.scalar("x", step, step)
    writer.flush()
    return writer


def test_a_second_start_reads_only_what_was_appended(tmp_path: Path, scanned: list[tuple[int, int]]) -> None:
    cache = KeptEntries()
    writers = [write(tmp_path / f"r{number}", 10) for number in range(3)]
    store, loader = open_loader(tmp_path, cache)
    loader.load()
    loader.stop()
    assert len(cache.saved) == 3
    end = writers[0].path.stat().st_size
    writers[0].scalar("x", 10, 10)
    writers[0].flush()
    scanned.clear()
    store, loader = open_loader(tmp_path, cache)
    loader.load()
    assert scanned == [(end, writers[0].path.stat().st_size)]
    assert [len(steps(store, f"r{number}")) for number in range(3)] == [11, 10, 10]
    assert loader.progress().bytes_read == loader.progress().bytes_total
    assert not any(run.loading for run in store.runs())
    cache.saved.clear()
    loader.stop()
    assert cache.saved == [str(writers[0].path)]  # the others are kept as they are
    for writer in writers:
        writer.close()


def test_a_live_loader_keeps_files_at_their_first_end_and_when_they_have_grown_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_writer, "_APART", 0.05)
    monkeypatch.setattr(index_writer, "_GROWTH", 1000)
    cache = KeptEntries()
    writer = write(tmp_path / "r", 10)
    store, loader = open_loader(tmp_path, cache)
    loader.start()

    def wait_for(count: int) -> None:
        deadline = time.monotonic() + 20
        while len(cache.saved) < count:
            assert time.monotonic() < deadline
            time.sleep(0.005)

    wait_for(1)
    writer.scalar("x", 10, 10)
    writer.flush()
    while len(steps(store, "r")) < 11:
        time.sleep(0.005)
    time.sleep(0.2)
    assert len(cache.saved) == 1  # that was little
    for step in range(11, 100):
        writer.scalar("x", step, step)
    writer.close()
    wait_for(2)
    loader.stop()
    store, loader = open_loader(tmp_path, cache)
    loader.load()
    assert steps(store, "r") == list(range(100))
    loader.stop()


def test_the_cache_is_tidied_once_after_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    others = set(threading.enumerate())
    """Tidying looks at every entry: at the start it would hold up the first questions."""
    write(tmp_path / "r", 10).close()
    cache = KeptEntries()
    _, loader = open_loader(tmp_path, cache)
    loader.start()
    deadline = time.monotonic() + 20
    while not cache.saved and time.monotonic() < deadline:
        time.sleep(0.005)
    loader.stop()
    assert cache.saved
    assert cache.tidied == 0
    monkeypatch.setattr(index_writer, "_BEFORE_TIDYING", 0.05)
    _, loader = open_loader(tmp_path, cache)
    loader.start()
    while not cache.tidied and time.monotonic() < deadline + 20:
        time.sleep(0.005)
    time.sleep(0.2)
    loader.stop()
    assert cache.tidied == 1
    assert not set(threading.enumerate()) - others


def test_what_is_gone_is_not_kept(tmp_path: Path) -> None:
    cache = KeptEntries()
    writers = [write(tmp_path / f"r{number}", 10) for number in range(2)]
    for writer in writers:
        writer.close()
    _, loader = open_loader(tmp_path, cache)
    loader.load()
    writers[0].path.unlink()
    loader.load()
    loader.stop()
    assert cache.saved == [str(writers[1].path)]


def test_a_file_of_two_runs_is_kept_for_both(tmp_path: Path) -> None:
    cache = KeptEntries()
    write(tmp_path / "a" / "r", 10).close()
    logdirs = [Logdir(str(tmp_path), "all"), Logdir(f"{tmp_path}/a", "part")]
    for _ in range(2):
        store = Store([SCALAR], {})
        loader = Loader(store, logdirs, 0, cache=cache)  # type: ignore[arg-type]
        loader.load()
        assert steps(store, "all/a/r") == steps(store, "part/r") == list(range(10))
        loader.stop()


class ShelvedEntries(KeptEntries):
    """Notes how many entries share a segment file; each segment file takes a second."""

    def __init__(self) -> None:
        super().__init__()
        self.shelves: list[int] = []

    def save(self, entries: Mapping[str, Entry], alike: Mapping[LoadedFiles, Mapping[str, int]]) -> None:
        super().save(entries, alike)
        self.shelves.append(len(entries) + sum(map(len, alike.values())))

    def monotonic(self) -> float:
        return float(len(self.shelves))


def test_a_start_goes_on_where_the_time_of_an_end_was_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scanned: list[tuple[int, int]], one_by_one: None
) -> None:
    for number in range(8):
        write(tmp_path / f"r{number}", 10).close()
    cache = ShelvedEntries()
    monkeypatch.setattr(index_writer, "_LAST_SEGMENT", 1)
    monkeypatch.setattr(index_writer, "time", cache)
    for kept in (3, 6, 8, 8):
        before = len(cache.entries)
        scanned.clear()
        store, loader = open_loader(tmp_path, cache)
        loader.load()
        loader.stop()
        assert len(scanned) == 8 - before
        assert len(cache.entries) == kept
        assert all(steps(store, f"r{number}") == list(range(10)) for number in range(8))


def test_the_end_cuts_a_segment_file_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process may be ended before a large one is written."""
    for number in range(5):
        write(tmp_path / f"r{number}", 10).close()
    cache = ShelvedEntries()
    monkeypatch.setattr(index_writer, "_LAST_SEGMENT", 1)
    _, loader = open_loader(tmp_path, cache)
    describe, began, ending = Tailed.entry, threading.Event(), threading.Event()

    def entry(tailed: Tailed) -> Entry | None:
        began.set()
        assert ending.wait(PATIENCE)
        return describe(tailed)

    monkeypatch.setattr(Tailed, "entry", entry)
    monkeypatch.setattr(Tailed, "loaded_place", lambda tailed: None)
    loader.start()
    assert began.wait(PATIENCE)
    stopping = threading.Thread(target=loader.stop)
    stopping.start()
    eventually(index_writer.is_finishing)
    eventually(lambda: loader._writer is not None and loader._writer._closing.is_set())
    ending.set()
    stopping.join(PATIENCE)
    assert cache.shelves == [1] * 5
    assert not index_writer.is_finishing()
