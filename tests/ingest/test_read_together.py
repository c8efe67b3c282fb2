"""Small files that are read together are, to everybody else, files that were read one by one."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import DEFAULT, Mock

import insight_scalar
import numpy as np
import pytest
from attrs import evolve

from insight_core.formats.batch import SmallFile
from insight_core.ingest import schedule as reading
from insight_core.ingest import tailer as tailed
from insight_core.ingest.event_file import EventFile, WholeFile
from insight_core.ingest.followed_file import HEAD, TAIL
from insight_core.ingest.index.cache import IndexCache
from insight_core.ingest.loader import Loader
from insight_core.ingest.logdir import Logdir
from insight_core.ingest.scanner.small_files import LARGEST, read_small_files
from insight_core.plugin import Dialect
from insight_core.plugin.data import SeriesKey
from insight_core.plugin.testing import EventWriter
from insight_core.store.column_memory import ColumnMemory
from insight_core.store.first_files import FirstFile
from insight_core.store.indexed_runs import IndexedRuns, RecalledFiles
from insight_core.store.store import Store
from tests.support.damaged_logdir import damaged_logdir, scalar_record, version_record

SCALAR = insight_scalar.insight_plugin()


def content(count: int, first: int = 0) -> bytes:
    return version_record() + b"".join(scalar_record(step) for step in range(first, first + count))


def write(logdir: Path, run: str, number: int, data: bytes) -> Path:
    path = logdir / run / f"events.out.tfevents.{number}.test"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def loaded(logdir: Path, cache: IndexCache | None = None) -> Store:
    store = Store([SCALAR], {})
    Loader(store, [Logdir(str(logdir))], 0, cache=cache, folds=False).load()
    return store


def everything(store: Store) -> object:
    """All that anybody can ask."""
    points = {}
    for plugin in store.plugins():
        for info in store.infos(plugin, None):
            snapshot = store.snapshot(plugin, info.key)
            assert snapshot is not None
            columns = [column.tobytes() for column in snapshot.columns.arrays()]
            points[plugin, info.key] = repr(info), columns, snapshot.parts, snapshot.ends, snapshot.claims
    runs = sorted((run.name, run.dialects, run.start_time, run.loading, run.damage) for run in store.runs())
    return points, runs, sorted(map(repr, store.damage(None)))


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many files were read together by each call."""
    counts: list[int] = []

    def counting(
        paths: Sequence[str], guesses: Sequence[Dialect], numbers: frozenset[str], head: int, tail: int
    ) -> list[SmallFile | None]:
        found = read_small_files(paths, guesses, numbers, head, tail)
        counts.append(sum(file is not None for file in found))
        return found

    monkeypatch.setattr(tailed, "read_small_files", counting)
    return counts


def one_by_one(logdir: Path) -> Store:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(reading, "LARGEST", -1)
        return loaded(logdir)


@pytest.mark.parametrize("size", [0, 1, 40, 1000])
def test_a_file_is_in_the_same_state(tmp_path: Path, size: int) -> None:
    path = write(tmp_path, "r", 1, content(size))
    read, took = (EventFile(str(path), Dialect.MINDSPORE) for _ in range(2))
    while read.read() is not None:
        pass
    (found,) = read_small_files([str(path)], [Dialect.MINDSPORE], frozenset(), HEAD, TAIL)
    assert found is not None
    assert found.batch.end == path.stat().st_size
    whole = WholeFile(found.version, found.batch.dialect, found.head_checksum, found.tail_checksum)
    assert took.resume(whole.record(), whole.version)
    assert whole.position == took.position
    states = [
        (f.position, f.size, f.dialect, f.record(), f.flaws(), f.is_unchanged(f.size, found.version[3]))
        for f in (read, took)
    ]
    assert states[0] == states[1]
    assert took.read() is None
    with open(path, "ab") as file:
        file.write(scalar_record(5000))
    batches = [each.read() for each in (read, took)]
    assert [batch.blocks[0].columns.steps.tolist() for batch in batches if batch] == [[5000], [5000]]
    assert read.record() == took.record()


def test_the_store_holds_the_same(tmp_path: Path, sample_logs: Path, taken: list[int]) -> None:
    damaged_logdir(tmp_path / "damaged")
    for run in range(5):
        for number in range(3):
            write(tmp_path, f"r{run}", number, content(20 + run, 30 * number))
    write(tmp_path, "r3", 1, content(20)[:-7])  # between two sound ones
    write(tmp_path, "r4", 0, b"")
    for logdir in (tmp_path, sample_logs):
        taken.clear()
        assert everything(loaded(logdir)) == everything(one_by_one(logdir))
        assert sum(taken) >= 5


def test_what_is_kept_is_the_same_and_used(tmp_path: Path, taken: list[int]) -> None:
    kept = []
    for run in range(4):
        write(tmp_path, f"logs/r{run}", 1, content(50 + run))
    for largest in (LARGEST, -1):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(reading, "LARGEST", largest)
            store = Store([SCALAR], {})
            cache = IndexCache(tmp_path / f"cache{largest}")
            loader = Loader(store, [Logdir(str(tmp_path / "logs"))], 0, cache=cache)
            loader.start()
            while not loader.progress().loaded_once:
                pass
            loader.stop()
        entries = [cache.load(str(path)) for path in sorted((tmp_path / "logs").rglob("*tfevents*"))]
        kept.append([(entry.file, entry.content.blocks[0][1].tags) for entry in entries if entry])
    assert len(kept[0]) == 4
    assert kept[0] == kept[1]
    assert sum(taken) == 4
    write(tmp_path, "logs/new", 1, content(5))
    cache = IndexCache(tmp_path / f"cache{LARGEST}")
    assert everything(loaded(tmp_path / "logs", cache)) == everything(one_by_one(tmp_path / "logs"))
    assert sum(taken) == 5


@pytest.mark.parametrize("count", [10, 50, 90])
def test_files_that_were_rewritten_while_nobody_looked_are_counted_once(
    tmp_path: Path, taken: list[int], count: int
) -> None:
    logdir, cache = tmp_path / "logs", tmp_path / "cache"
    for run in range(3):
        for number in range(run + 1):
            write(logdir, f"r{run}", number, content(50))
    first = loaded_and_kept(logdir, cache)
    write(logdir, "r0", 0, content(count, 1000))
    write(logdir, "r2", 1, content(count, 1000))
    taken.clear()
    second = loaded_and_kept(logdir, cache)
    assert everything(second) == everything(one_by_one(logdir)) != everything(first)
    assert sum(taken) == 2
    assert everything(loaded_and_kept(logdir, cache)) == everything(second)  # what was kept of it, too
    assert sum(taken) == 2


def loaded_and_kept(logdir: Path, cache: Path) -> Store:
    store = Store([SCALAR], {})
    loader = Loader(store, [Logdir(str(logdir))], 0, cache=IndexCache(cache), folds=False)
    loader.start()
    while not loader.progress().loaded_once:
        time.sleep(0.001)
    loader.load()  # a second look finds nothing new
    loader.stop()
    return store


def test_a_file_that_the_store_could_not_take_is_read_by_itself(
    tmp_path: Path, taken: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        write(tmp_path, "r", number, content(10, 10 * number))
    store = Store([SCALAR], {})
    batches = Mock(wraps=store.append, side_effect=[MemoryError, *[DEFAULT] * 1000])
    monkeypatch.setattr(store, "append", batches)
    Loader(store, [Logdir(str(tmp_path))], 0).load()
    assert taken == [3]
    snapshot = store.snapshot("scalar", SeriesKey("r", "loss"))
    assert snapshot is not None
    assert snapshot.columns.steps.tolist() == list(range(30))
    assert store.damage(None) == []


def test_first_files_of_runs_are_added_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for run in range(5):
        for number in range(2):
            write(tmp_path, f"r{run}", number, content(20 + run, 30 * number))
    store = Store([SCALAR], {})
    together = Mock(wraps=store.append_first)
    one_by_one = Mock(wraps=store.append)
    monkeypatch.setattr(store, "append_first", together)
    monkeypatch.setattr(store, "append", one_by_one)
    Loader(store, [Logdir(str(tmp_path))], 0).load()
    assert [len(call.args[0]) for call in together.call_args_list] == [5]
    assert sorted(call.args[0] for call in one_by_one.call_args_list) == [f"r{run}" for run in range(5)]


def test_files_that_the_store_could_not_add_together_are_added_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for run in range(3):
        write(tmp_path, f"r{run}", 0, content(10, 10 * run))
    place = IndexedRuns.place
    placed: list[bool] = []

    def failing(runs: IndexedRuns, files: RecalledFiles) -> bool:
        placed.append(place(runs, files))
        raise MemoryError

    monkeypatch.setattr(IndexedRuns, "place", failing)
    assert everything(loaded(tmp_path)) == everything(one_by_one(tmp_path))
    assert placed == [True]


def test_many_small_files_are_read_by_several_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for run in range(40):
        write(tmp_path, f"r{run}", 1, content(20))
    monkeypatch.setattr(reading, "_processors", lambda: 3)
    monkeypatch.setattr(reading, "_WORTH_A_THREAD", 10)
    monkeypatch.setattr(reading, "_TASK", 1000)
    readers: set[int] = set()
    both = threading.Barrier(2, timeout=10)

    def watched(
        paths: Sequence[str], guesses: Sequence[Dialect], numbers: frozenset[str], head: int, tail: int
    ) -> list[SmallFile | None]:
        if threading.get_ident() not in readers and len(readers) < 2:
            readers.add(threading.get_ident())
            both.wait()
        return read_small_files(paths, guesses, numbers, head, tail)

    monkeypatch.setattr(tailed, "read_small_files", watched)
    assert everything(loaded(tmp_path)) == everything(one_by_one(tmp_path))
    assert len(readers) == 2


def test_a_file_that_grew_since_it_was_found_is_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, "r", 1, content(10))

    def growing(
        paths: Sequence[str], guesses: Sequence[Dialect], numbers: frozenset[str], head: int, tail: int
    ) -> list[SmallFile | None]:
        path.write_bytes(content(20))
        os.utime(path, (1, 1))
        return read_small_files(paths, guesses, numbers, head, tail)

    monkeypatch.setattr(tailed, "read_small_files", growing)
    store = loaded(tmp_path)
    snapshot = store.snapshot("scalar", SeriesKey("r", "loss"))
    assert snapshot is not None
    assert snapshot.columns.steps.tolist() == list(range(20))
    assert not store.runs()[0].loading


def test_runs_that_are_alike_get_a_table_when_somebody_asks_for_points(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for run in range(4):
        write(tmp_path / "logs", f"r{run}", 1, content(10 + run))
    made: list[str] = []
    make = IndexedRuns._make_table

    def noting(runs: IndexedRuns, run: str, *given: Any) -> Any:  # noqa: ANN401
        made.append(run)
        return make(runs, run, *given)

    monkeypatch.setattr(IndexedRuns, "_make_table", noting)
    store = loaded_and_kept(tmp_path / "logs", tmp_path / "cache")
    assert [run.loading for run in store.runs()] == [False] * 4
    assert [table.tags for table in store.tables("scalar", ["claims"], None)] == [("loss",)] * 4
    assert made == []
    snapshot = store.snapshot("scalar", SeriesKey("r2", "loss"))
    assert snapshot is not None
    assert snapshot.columns.steps.tolist() == list(range(12))
    assert made == ["r2"]


def test_files_of_different_series_are_told_apart(tmp_path: Path) -> None:
    for run in range(12):
        with EventWriter(tmp_path / f"r{run}") as writer:
            writer.scalar_block(["a", "b", "c"][run % 3 :], [1, 2], np.ones((2, 3 - run % 3)))
            if run % 4 == 0:
                writer.scalar_block(["a"], [1], np.ones((1, 1)))  # its steps go back
    assert everything(loaded(tmp_path)) == everything(one_by_one(tmp_path))


def test_shared_columns_can_be_in_a_file(tmp_path: Path) -> None:
    for run in range(5):
        write(tmp_path / "logs", f"r{run}", 1, content(10 + run))
    found = []
    for limit in (0, 1 << 20):
        for largest in (LARGEST, -1):
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr(reading, "LARGEST", largest)
                memory = ColumnMemory(limit, tmp_path / "columns")
                store = Store([SCALAR], {}, memory)
                Loader(store, [Logdir(str(tmp_path / "logs"))], 0).load()
                held = memory.held
                found.append((everything(store), held, memory.held))
    assert found[0] == found[1]
    assert found[2] == found[3]
    assert found[0][0] == found[2][0]
    assert found[0][1] == 0 < found[2][1]


def test_a_plugin_that_comes_while_files_are_added_gets_their_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, "r", 1, content(10))
    (found,) = read_small_files([str(path)], [Dialect.TENSORBOARD], frozenset(), HEAD, TAIL)
    assert found is not None
    assert found.alike is not None
    file = FirstFile("r", path.name, (1.0, ""), Dialect.TENSORBOARD, found.alike, found.number)
    store = Store([], {})
    store.add_runs(["r"])
    make = IndexedRuns.make_tables_claimed
    added: list[list[bool]] = []

    def adding(runs: IndexedRuns, claims: Any) -> None:  # noqa: ANN401
        make(runs, claims)
        if not added:
            added.append(store.append_first([file]))

    monkeypatch.setattr(IndexedRuns, "make_tables_claimed", adding)
    store.admit(evolve(SCALAR, name="late"))
    assert added == [[True]]
    assert [info.points for info in store.infos("late", None)] == [10]


def test_more_series_than_are_listed_came_and_none_went(tmp_path: Path) -> None:
    for run in range(3):
        with EventWriter(tmp_path / f"r{run}") as writer:
            writer.scalar_block([f"{tag}" for tag in range(800)], [1], np.ones((1, 800)))
    store = Store([SCALAR], {})
    loader = Loader(store, [Logdir(str(tmp_path))], 0)
    store.add_runs(["before"])
    before = store.generation
    loader.load()
    changes = store.changes(before, 0.0)
    assert changes.series is None
    assert changes.runs
    assert store.vanished <= before
