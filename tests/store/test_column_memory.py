"""Columns beyond a limit lie in files; answers stay the same, and nothing is left behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from insight_core.formats.columns import Columns
from insight_core.plugin import CachePolicy, Dialect, EventField
from insight_core.plugin.data import SeriesKey
from insight_core.store.column_memory import ColumnMemory
from insight_core.store.series import Series

PLACE = ((1.0, "a"), 0)


def points(first: int, count: int) -> Columns:
    return Columns(np.arange(first, first + count), np.zeros(count))


def series_of(memory: ColumnMemory) -> Series:
    claim = EventField(Dialect.TENSORBOARD, "simple_value")
    return Series(SeriesKey("r", "x"), claim, (False, False), CachePolicy(), memory)


def is_in_a_file(column: np.ndarray[tuple[int], np.dtype[np.int64]]) -> bool:
    base: object = column
    while isinstance(base, np.ndarray):
        base = base.base
    return base is not None


def test_beyond_the_limit_columns_lie_in_files_and_hold_the_same(tmp_path: Path) -> None:
    memory = ColumnMemory(100_000, tmp_path)
    several = [series_of(memory) for _ in range(20)]
    for first in range(0, 5000, 1000):
        for series in several:
            series.append(PLACE, points(first, 1000))
    for series in several:
        assert series.snapshot().columns.steps.tolist() == list(range(5000))
    assert is_in_a_file(several[-1].snapshot().columns.steps)
    assert memory.held <= 100_000
    assert list(tmp_path.iterdir()) == []  # the files have no names


def test_memory_that_is_given_back_is_used_again(tmp_path: Path) -> None:
    memory = ColumnMemory(100_000, tmp_path)
    for number in range(50):
        series = series_of(memory)
        series.append(PLACE, points(0, 5000))
        assert not is_in_a_file(series.snapshot().columns.steps), number
        series.drop(PLACE[0])
    assert memory.held == 0


def test_files_that_are_joined_count_once(tmp_path: Path) -> None:
    memory = ColumnMemory(1_000_000, tmp_path)
    series = series_of(memory)
    for number in range(5):
        series.append(((float(number), "f"), 0), points(number * 1000, 1000))
    assert series.snapshot().columns.steps.tolist() == list(range(5000))
    assert memory.held == 2 * 5000 * 8
    del series
    assert memory.held == 0


def test_what_is_mapped_already_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "columns").write_bytes(np.arange(5000).tobytes())
    memory = ColumnMemory(1000, tmp_path)
    series = series_of(memory)
    whole = np.memmap(tmp_path / "columns", np.int64, "r")
    series.append(PLACE, Columns(whole, whole.view(np.float64)))
    assert memory.held == 0
    series.append(PLACE, points(5000, 1))
    assert series.snapshot().columns.steps.tolist() == list(range(5001))


def test_files_beyond_the_limit_keep_no_descriptors_and_free_their_space(tmp_path: Path) -> None:
    memory = ColumnMemory(1000, tmp_path)
    before = len(os.listdir("/proc/self/fd"))
    columns = [memory.allocate((1 << 20,), np.dtype(np.int64)) for _ in range(20)]  # a file each
    columns += [memory.allocate((1 << 18,), np.dtype(np.int64)) for _ in range(20)]  # that share files
    for number, column in enumerate(columns):
        column[:] = number
    assert [int(column.sum()) for column in columns] == [
        number * len(column) for number, column in enumerate(columns)
    ]
    assert len(os.listdir("/proc/self/fd")) == before
    assert Path("/proc/self/maps").read_text().count(f"{tmp_path}/") >= 22
    del columns, column, memory
    assert f"{tmp_path}/" not in Path("/proc/self/maps").read_text()


def test_a_full_disk_is_said_once_and_columns_stay_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(descriptor: int, offset: int, size: int) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "posix_fallocate", full)
    memory = ColumnMemory(1000, tmp_path)
    series = series_of(memory)
    for first in range(0, 5000, 1000):
        series.append(PLACE, points(first, 1000))
    assert series.snapshot().columns.steps.tolist() == list(range(5000))
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "No space left" in caplog.text
    assert list(tmp_path.iterdir()) == []


_BOUNDED = """
import re, sys
from pathlib import Path
import numpy as np
from insight_core.formats.columns import Columns
from insight_core.plugin import CachePolicy, Dialect, EventField
from insight_core.plugin.data import SeriesKey
from insight_core.store.column_memory import ColumnMemory
from insight_core.store.series import Series

def own():
    return int(re.search(r"RssAnon:\\s+(\\d+)", open("/proc/self/status").read())[1]) << 10

memory = ColumnMemory(8 << 20, Path(sys.argv[1]))
before, most = own(), 0
claim = EventField(Dialect.TENSORBOARD, "simple_value")
key = SeriesKey("r", "x")
several = [Series(key, claim, (True, False), CachePolicy(), memory) for _ in range(4)]
for first in range(0, 2_000_000, 50_000):
    for series in several:
        steps = np.arange(first, first + 50_000)
        series.append(((1.0, "a"), 0), Columns(steps, steps * 0.5, steps.astype(np.float32)))
    most = max(most, own() - before)
for series in several:
    assert (series.snapshot().columns.values == np.arange(2_000_000)).all()
print(most)
"""


def test_memory_stays_bounded_while_more_is_loaded(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _BOUNDED, str(tmp_path)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    assert int(answer.stdout) < 40 << 20  # of 160 MB
