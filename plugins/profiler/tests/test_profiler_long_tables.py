"""Tables that are too long for memory: the profile is the same, and memory stays bounded."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import numpy as np
import pytest
from insight_profiler.building import Building
from insight_profiler.derived import collected
from insight_profiler.derived.filed_columns import ColumnFile, FiledColumns
from insight_profiler.files import Files
from insight_profiler.model import Profile, Source
from insight_profiler.profiles.storage import load, save
from insight_profiler.reading import READERS

from benchmarks.repeated_trace import repeat
from benchmarks.traces import write_trace

_RECORDED = sorted((Path(__file__).parents[4] / "shared/data/torch_profile").rglob("*trace*.json*"))


def _read(path: Path) -> Profile:
    building = Building(Source.CHROME, scratch=path.parent)
    READERS[Source.CHROME](Files.of_directory(path.parent, path.name), building)
    building.finish(is_complete=False)  # a look at it changes nothing
    return building.finish()


def _assert_same(found: Profile, expected: Profile) -> None:
    assert found.tables.keys() == expected.tables.keys()
    assert found.texts == expected.texts
    assert found.duration_ns == expected.duration_ns
    for name, table in expected.tables.items():
        assert found.tables[name].keys() == table.keys(), name
        for column, values in table.items():
            assert found.tables[name][column].dtype == values.dtype, (name, column)
            np.testing.assert_array_equal(found.tables[name][column], values, f"{name}.{column}")


@pytest.mark.parametrize("rows", [1, 7, 300])
def test_a_profile_in_a_file_is_the_profile_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    path = tmp_path / "a.pt.trace.json"
    write_trace(path, 0.6)
    expected = _read(path)
    assert {
        "slices",
        "flows",
        "counters",
        "allocations",
        "operators",
        "kernels",
        "steps",
    } <= expected.tables.keys()
    monkeypatch.setattr(collected, "LONG", rows)
    found = _read(path)
    assert isinstance(found.tables["slices"], FiledColumns)
    _assert_same(found, expected)
    save(found, tmp_path / "kept")
    _assert_same(load(tmp_path / "kept"), expected)
    assert [path.name for path in tmp_path.iterdir()] in (["kept", path.name], [path.name, "kept"])


@pytest.mark.skipif(not _RECORDED, reason="needs ../shared/data/torch_profile")
@pytest.mark.parametrize("source", _RECORDED, ids=lambda path: path.name)
def test_a_recorded_profile_in_a_file_is_the_profile_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: Path
) -> None:
    data = source.read_bytes()
    path = tmp_path / "a.pt.trace.json"
    path.write_bytes(gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data)
    expected = _read(path)
    monkeypatch.setattr(collected, "LONG", 100)
    _assert_same(_read(path), expected)


@pytest.mark.parametrize("fails", ["at the beginning", "in between"])
def test_without_room_on_the_disk_columns_stay_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    path = tmp_path / "a.pt.trace.json"
    write_trace(path, 0.3)
    expected = _read(path)
    monkeypatch.setattr(collected, "LONG", 10)

    def full(*_: object, **__: object) -> object:
        raise OSError(28, "No space left on device")

    if fails == "at the beginning":
        monkeypatch.setattr("tempfile.TemporaryFile", full)
    else:
        write, count = os.pwrite, 0

        def full_now_and_then(file: int, data: memoryview, offset: int) -> int:
            nonlocal count
            count += 1
            if count % 3 == 0:
                full()
            return write(file, data[: max(1, len(data) // 2)], offset)

        monkeypatch.setattr("os.pwrite", full_now_and_then)
    _assert_same(_read(path), expected)


def test_a_column_that_was_read_cannot_be_changed_by_mistake(tmp_path: Path) -> None:
    file = ColumnFile.of(tmp_path)
    assert file is not None
    columns = FiledColumns(file)
    columns["a"] = np.arange(5, dtype=np.int32)
    with pytest.raises(ValueError, match="read-only"):
        columns["a"][0] = 9
    columns["a"] = np.arange(5, 10, dtype=np.int32)
    columns["b"] = np.array([], np.int64)
    assert columns["a"].tolist() == [5, 6, 7, 8, 9]
    assert columns["b"].tolist() == []
    assert list(columns) == ["a", "b"]


def test_a_repeated_trace_has_the_steps_and_launches_of_its_source_again_and_again(tmp_path: Path) -> None:
    source, path = tmp_path / "source.json", tmp_path / "a.pt.trace.json"
    write_trace(source, 0.3)
    times = repeat(source, 1.5, path)
    assert times >= 3
    assert json.loads(path.read_text())["traceEvents"]
    once, often = _read(source), _read(path)
    for name in ("steps", "slices", "flows"):
        key = next(iter(once.tables[name]))
        assert len(often.tables[name][key]) == times * len(once.tables[name][key]), name
    assert len(set(often.tables["steps"]["number"].tolist())) == len(often.tables["steps"]["number"])
    assert (
        often.tables["operators"]["device_total"].sum()
        == times * once.tables["operators"]["device_total"].sum()
    )
