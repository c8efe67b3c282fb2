"""Which files there are, what is in each, and what of it waits."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numpy as np

from insight_record import SummaryRecord
from insight_record.encoders.encoder import DialectName
from tests.recording.reading import are_whole, points

EXPECTED = [(step, float(step)) for step in range(1000)]


def test_a_full_queue_drops_with_a_count(tmp_path: Path) -> None:
    with SummaryRecord(tmp_path, queue_size=10, on_full="drop", flush_seconds=1000) as record:
        with record._writer._writing:  # a disk that is busy
            for step in range(25):
                record.add_value("scalar", "loss", step)
                record.record(step)
            assert record.dropped == 15
        record.flush()
        record.add_value("scalar", "loss", 99.0)
        record.record(99)
    assert points(tmp_path) == [*((step, float(step)) for step in range(10)), (99, 99.0)]


def test_a_full_queue_blocks_and_loses_nothing(tmp_path: Path) -> None:
    with SummaryRecord(tmp_path, queue_size=10, flush_seconds=1000) as record:
        for step in range(1000):
            record.add_value("scalar", "loss", step)
            record.record(step)
        assert record.dropped == 0
    assert points(tmp_path) == EXPECTED


def test_long_files_are_followed_by_others(tmp_path: Path) -> None:
    with SummaryRecord(tmp_path, dialect="tensorboard", max_file_size=2000) as record:
        for step in range(1000):
            record.add_value("scalar", "loss", step)
            if step % 300 == 0:
                record.add_value("tensor", "t", np.full(1000, step))
            record.record(step)
    files = sorted(tmp_path.iterdir())
    assert len(files) > 10
    assert sorted(path.stat().st_size for path in files)[-5] <= 2000  # but for four with a long tensor
    assert points(tmp_path) == EXPECTED
    assert are_whole(tmp_path)


def test_what_flush_returned_for_is_synced_in_every_file(tmp_path: Path, monkeypatch: Any) -> None:  # noqa: ANN401
    synced: dict[str, int] = {}
    fsync = os.fsync

    def note(descriptor: int) -> None:
        fsync(descriptor)
        path = os.readlink(f"/proc/self/fd/{descriptor}")
        synced[path] = os.path.getsize(path)

    monkeypatch.setattr(os, "fsync", note)
    with SummaryRecord(tmp_path, max_file_size=300) as record:
        for step in range(30):
            record.add_value("scalar", "loss", step)
            record.add_value("train_lineage", "train", {})
            record.record(step)
        record.flush()
        assert len(synced) > 3
        assert synced == {str(path): path.stat().st_size for path in tmp_path.iterdir()}


def test_metadata_come_once_in_each_file(tmp_path: Path) -> None:
    """TensorBoard reads files one by one, and takes those of the first value of a tag."""
    with SummaryRecord(tmp_path, dialect="tensorboard", max_file_size=2000) as record:
        for step in range(10):
            record.add_value("tensor", "t", np.zeros(100, np.float32))
            record.record(step)
    files = [path.read_bytes() for path in tmp_path.iterdir()]
    assert len(files) > 2
    assert [data.count(b"\x0a\x06tensor") for data in files] == [1] * len(files)


def test_half_a_queue_is_written_before_it_is_due(tmp_path: Path) -> None:
    with SummaryRecord(tmp_path, queue_size=9, flush_seconds=1000) as record:
        for step in range(5):
            record.add_value("scalar", "loss", step)
            record.record(step)
        deadline = time.monotonic() + 20
        while len(points(tmp_path)) < 5:
            assert time.monotonic() < deadline
            time.sleep(0.02)


def test_each_has_a_file_of_its_own(tmp_path: Path) -> None:
    dialects: tuple[DialectName, ...] = ("mindspore", "tensorboard")
    for dialect in dialects:
        records = [SummaryRecord(tmp_path / dialect, dialect=dialect) for _ in range(3)]
        for record in records:
            record.close()
        assert len({record.path for record in records}) == 3


def test_ranks_have_directories(tmp_path: Path) -> None:
    for rank in range(2):
        with SummaryRecord(tmp_path, rank=rank) as record:
            record.add_value("scalar", "loss", rank)
            record.record(0)
    assert [points(tmp_path, run=f"rank_{rank}") for rank in range(2)] == [[(0, 0.0)], [(0, 1.0)]]
