"""SwanLab's stores before version 0.9: the values that its own board reads, also while a run grows."""

from __future__ import annotations

import json
import lzma
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from insight_importers import databases, swanlab_database
from insight_lineage.hparams import session_of, status_of

from insight_core.plugin.data import SeriesKey
from insight_core.providers.local import LocalProvider

OLD = Path(__file__).parent / "fixtures" / "swanlab_old"
VERSIONS = ("0.5.9", "0.6.13")
CONFIG = {"lr": 0.1, "net/width": 64.0, "net/layers": "[64, 32]", "optimizer": "adam", "amp": True}
Load = Callable[[], LocalProvider]


def _unpack(version: str, target: Path) -> Path:
    """The directory of the only run."""
    shutil.copytree(OLD / version, target, dirs_exist_ok=True)
    packed = target / "runs.swanlab.xz"
    packed.with_suffix("").write_bytes(lzma.decompress(packed.read_bytes()))
    packed.unlink()
    [directory] = target.glob("run-*")
    return directory


def _points(provider: LocalProvider, tag: str) -> list[list[object]]:
    [run] = provider.runs()
    key = SeriesKey(run.name, tag)
    found = provider.scalars("scalar", [key])[key]
    points = zip(found.steps.tolist(), found.values.tolist(), strict=True)
    return [[step, repr(value)] for step, value in points]


def _tags(provider: LocalProvider, plugin: str) -> set[str]:
    return {info.key.tag for info in provider.series(plugin)}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_run_is_shown_once_with_everything_that_its_board_shows(
    tmp_path: Path, load: Load, version: str
) -> None:
    _unpack(version, tmp_path)
    before = sorted(tmp_path.rglob("*"))
    provider = load()
    assert sorted(tmp_path.rglob("*")) == before
    assert provider.damage() == []
    assert [run.name.startswith("first ") for run in provider.runs()] == [True]
    for tag, points in json.loads((OLD / version / "values.json").read_text()).items():
        assert _points(provider, tag) == points
    assert _tags(provider, "image") == {"picture"}
    assert _tags(provider, "audio") == {"sound"}
    assert {"note", "two/0", "two/1", "notes"} <= _tags(provider, "text")
    contents = {info.key.tag: info.content for info in provider.series("lineage")}
    assert session_of(contents["_hparams_/session_start_info"]).hparams == CONFIG
    assert status_of(contents["_hparams_/session_end_info"]) == "success"
    [origin] = [json.loads(info.content) for info in provider.series("importers")]
    assert origin["project"] == "digits"
    assert origin["command"] == "python train.py"


def test_lines_of_a_run_that_goes_on_arrive(tmp_path: Path, load: Load) -> None:
    directory = _unpack("0.5.9", tmp_path)
    with closing(sqlite3.connect(tmp_path / "runs.swanlab", isolation_level=None)) as database:
        database.execute("UPDATE experiment SET status = 0")
    log = directory / "logs" / "0" / "2000.log"
    whole = log.read_bytes()
    half = whole[: len(whole) // 2 - 7]
    log.write_bytes(half)  # within a line
    shown = len(_points(load(), "train/loss"))
    assert 1000 < shown < 1100
    with log.open("ab") as file:
        file.write(whole[len(half) :])
    further = directory / "logs" / "0" / "3000.log"
    further.write_text('{"index": 2000, "data": 5.0, "create_time": "2026-11-30T00:00:00+00:00"}\n')
    load()
    points = _points(load(), "train/loss")
    assert len(points) == 1101
    assert points[-1] == [2000, "5.0"]


@pytest.mark.parametrize("most", [10_000, 50_000])
def test_a_run_that_takes_several_calls_has_every_line_of_its_files(
    tmp_path: Path, opened: Callable[[Path], LocalProvider], monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(swanlab_database, "_CHUNK", most)  # bytes, fewer than a file of a tag has
    _unpack("0.5.9", tmp_path / "logs")
    target = tmp_path / "translated"
    target.mkdir()
    while not databases.translate(str(tmp_path / "logs" / "runs.swanlab"), target).is_done:
        pass
    provider = opened(target)
    for tag, points in json.loads((OLD / "0.5.9" / "values.json").read_text()).items():
        assert _points(provider, tag) == points


def test_damage_of_settings_goes_when_they_are_mended(tmp_path: Path, load: Load) -> None:
    directory = _unpack("0.5.9", tmp_path)
    with closing(sqlite3.connect(tmp_path / "runs.swanlab", isolation_level=None)) as database:
        database.execute("UPDATE experiment SET status = 0")
    settings = directory / "files" / "config.yaml"
    whole = settings.read_bytes()
    settings.write_bytes(b"lr: [")
    [damage] = load().damage()
    assert "config.yaml" in damage.reason
    settings.write_bytes(whole)
    assert load().damage() == []


def test_lines_and_folders_that_swanlab_would_not_write_are_damage_of_their_place(
    tmp_path: Path, load: Load
) -> None:
    directory = _unpack("0.5.9", tmp_path)
    with (directory / "logs" / "0" / "2000.log").open("ab") as file:
        file.write(b'nonsense\n{"index": 1}\n{"index": "x", "data": 1.0}\n[]\n')
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    (outside / "1000.log").write_text('{"index": 1, "data": 77.0}\n')
    with closing(sqlite3.connect(tmp_path / "runs.swanlab", isolation_level=None)) as database:
        database.execute("UPDATE tag SET folder = ? WHERE name = 'nan'", (f"../../../{outside.name}",))
    provider = load()
    assert len(_points(provider, "train/loss")) == 1100
    assert "nan" not in _tags(provider, "scalar")
    reasons = [str(one.reason) for one in provider.damage()]
    assert sum("2000.log" in reason for reason in reasons) == 2  # two alike are one
    assert any("the step is" in reason for reason in reasons)
    assert any("not below the directory" in reason for reason in reasons)


def test_a_run_whose_directory_is_gone_disappears_and_the_database_stays_readable(
    tmp_path: Path, load: Load
) -> None:
    directory = _unpack("0.5.9", tmp_path)
    load()
    shutil.rmtree(directory)
    (tmp_path / "runs.swanlab").touch()
    load()
    assert _tags(load(), "scalar") == set()
