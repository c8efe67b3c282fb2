"""In which order the loader reads, and what it says of its progress."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import insight_scalar
import numpy as np
import pytest

from insight_authoring.testing import wire
from insight_core.formats.batch import Batch
from insight_core.formats.columns import Columns
from insight_core.ingest import event_file, schedule
from insight_core.ingest.event_file import EventFile
from insight_core.ingest.file_record import MOST_FLAWS
from insight_core.ingest.loader import Loader
from insight_core.ingest.logdir import Logdir
from insight_core.ingest.scanner.scanner import open_scanner
from insight_core.plugin import Dialect
from insight_core.plugin.data import SeriesKey
from insight_core.plugin.testing import EventWriter
from insight_core.store.first_files import FirstFile
from insight_core.store.store import Store

SCALAR = insight_scalar.insight_plugin()


class WatchedStore(Store):
    """Notes the run of every chunk that arrives."""

    def __init__(self) -> None:
        super().__init__([SCALAR], {})
        self.arrivals: list[str] = []

    def append(self, run: str, *given: Any) -> None:  # noqa: ANN401
        self.arrivals.append(run)
        super().append(run, *given)

    def append_first(self, files: Sequence[FirstFile]) -> list[bool]:
        added = super().append_first(files)
        self.arrivals += [file.run for file, is_added in zip(files, added, strict=True) if is_added]
        return added


def write(tmp_path: Path, run: str, steps: int, mtime: float) -> None:
    with EventWriter(tmp_path / run) as writer:
        writer.scalar_block(["x"], range(steps), np.zeros((steps, 1)))
    os.utime(writer.path, (mtime, mtime))


def test_newest_first_and_a_huge_file_does_not_starve_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_by_one: None
) -> None:
    monkeypatch.setattr(event_file, "open_scanner", partial(open_scanner, chunk=4096))
    write(tmp_path, "old", 20, 1000)
    write(tmp_path, "newest_and_huge", 5000, 3000)
    write(tmp_path, "middle", 20, 2000)
    store = WatchedStore()
    Loader(store, [Logdir(str(tmp_path))], 0).load()
    order = list(dict.fromkeys(store.arrivals))
    assert order == ["newest_and_huge", "middle", "old"]
    assert store.arrivals.index("old") < 10
    snapshot = store.snapshot("scalar", SeriesKey("newest_and_huge", "x"))
    assert snapshot is not None
    assert snapshot.columns.steps.tolist() == list(range(5000))


def test_runs_that_somebody_looks_at_come_first(tmp_path: Path) -> None:
    for number in range(5):
        write(tmp_path, f"r{number}", 5, 1000 + number)
    store = WatchedStore()
    loader = Loader(store, [Logdir(str(tmp_path))], 0)
    loader.prefer(frozenset({"r1"}))
    loader.load()
    assert store.arrivals == ["r1", "r4", "r3", "r2", "r0"]


def test_flaws_of_a_file_are_listed_up_to_a_limit_and_counted_beyond(tmp_path: Path) -> None:
    good = wire.record(wire.event(1, 1.0, wire.summary([wire.scalar_value("x", 1.0, Dialect.TENSORBOARD)])))
    bad = good[:-1] + bytes([good[-1] ^ 1])
    wrong_length = bytes([good[0] ^ 1]) + good[1:]
    with EventWriter(tmp_path / "r") as writer:
        writer.raw((bad + good + wrong_length) * 1000 + good)
    store = WatchedStore()
    Loader(store, [Logdir(str(tmp_path))], 0).load()
    damage = store.damage("r")
    assert len(damage) == MOST_FLAWS + 1 == store.runs()[0].damage
    assert damage[-1].reason.startswith(f"{2000 - MOST_FLAWS} more")
    assert damage[-1].offset > damage[-2].offset
    assert sum(entry.skipped for entry in damage) == 2000 * len(good)
    snapshot = store.snapshot("scalar", SeriesKey("r", "x"))
    assert snapshot is not None
    assert snapshot.total == 1001


def test_logdirs_may_overlap(tmp_path: Path) -> None:
    write(tmp_path, "a/r", 5, 1000)
    store = WatchedStore()
    Loader(store, [Logdir(str(tmp_path), "all"), Logdir(f"{tmp_path}/a", "part")], 0).load()
    for run in ("all/a/r", "part/r"):
        snapshot = store.snapshot("scalar", SeriesKey(run, "x"))
        assert snapshot is not None
        assert snapshot.total == 5


def test_a_file_that_fails_again_and_again_is_logged_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, one_by_one: None
) -> None:
    def fail(file: EventFile, may_scan_ahead: bool) -> Batch | None:
        raise MemoryError

    write(tmp_path, "r", 5, 1000)
    store = WatchedStore()
    loader = Loader(store, [Logdir(str(tmp_path))], 0)
    with monkeypatch.context() as patched:
        patched.setattr(EventFile, "read", fail)
        for _ in range(3):
            loader.load()
    assert [entry.reason for entry in store.damage("r")] == ["reading failed: MemoryError"]
    assert len(caplog.records) == 1
    loader.load()
    assert store.damage("r") == []
    assert store.arrivals == ["r"]


def test_progress_counts_bytes(tmp_path: Path) -> None:
    write(tmp_path, "a", 100, 1000)
    store = WatchedStore()
    loader = Loader(store, [Logdir(str(tmp_path))], 0)
    assert loader.progress().bytes_total == 0
    loader.load()
    size = sum(path.stat().st_size for path in (tmp_path / "a").iterdir())
    progress = loader.progress()
    assert (progress.bytes_read, progress.bytes_total, progress.loaded_once) == (size, size, True)


def test_only_appended_bytes_are_scanned(tmp_path: Path) -> None:
    writer = EventWriter(tmp_path / "r")
    writer.scalar_block(["x"], range(1000), np.zeros((1000, 1)))
    writer.flush()
    file = EventFile(str(writer.path), Dialect.TENSORBOARD)
    assert file.read() is not None
    assert file.read() is None
    writer.scalar("x", 1000, 1.0)
    writer.close()
    batch = file.read()
    assert batch is not None
    [block] = batch.blocks
    assert block.columns.steps.tolist() == [1000]


def test_records_longer_than_a_chunk_are_not_read_into_memory(tmp_path: Path) -> None:
    with EventWriter(tmp_path / "r") as writer:
        writer.image("big", 0, bytes(6 << 20), width=1, height=1)
        writer.scalar("x", 1, 2.0)
    file = EventFile(str(writer.path), Dialect.TENSORBOARD)
    fields: dict[str, Columns] = {}
    while (batch := file.read()) is not None:
        fields |= {block.field: block.columns for block in batch.blocks}
    places = fields["image"].places
    assert places is not None
    assert int(places[2, 0]) > 6 << 20
    assert fields["simple_value"].steps.tolist() == [1]
    assert file.flaws() == []


def test_a_link_that_is_not_followed_is_logged_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(tmp_path, "elsewhere/run", 1, 1000)
    write(tmp_path, "logs/run", 1, 1000)
    loader = Loader(Store([SCALAR], {}), [Logdir(str(tmp_path / "logs"))], 0)
    for name in ["a", "b\n", "c", "d"]:
        (tmp_path / "logs/run" / name).symlink_to(tmp_path / "elsewhere")
        loader.load()
        loader.load()
    said = [record.getMessage() for record in caplog.records]
    assert [message.count("/logs/run/") for message in said] == [1, 1, 1, 1]
    (tmp_path / "logs/many").mkdir()
    for number in range(9):
        (tmp_path / "logs/many" / str(number)).symlink_to(tmp_path / "elsewhere")
    loader.load()
    assert "and 6 more" in caplog.records[-1].getMessage()


def test_files_are_read_where_no_further_thread_can_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    for number in range(4):
        write(tmp_path, f"run{number}", 100, 1000)
    monkeypatch.setattr(schedule, "_WORTH_A_THREAD", 1)
    monkeypatch.setattr(schedule, "_LONG", 0)
    monkeypatch.setattr(schedule, "_processors", lambda: 4)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    store = WatchedStore()
    Loader(store, [Logdir(str(tmp_path))], 0).load()
    assert set(store.arrivals) == {f"run{number}" for number in range(4)}
