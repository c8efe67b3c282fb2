"""The command that exports runs of Aim, with a stand-in for Aim's package; the fixture is of the real one."""

from __future__ import annotations

import base64
import json
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import insight_importers
import numpy as np
import pytest
from insight_importers import aim_store
from insight_importers.aim_export import main

from insight_core.ingest.logdir import Logdir
from insight_core.plugin.data import SeriesKey
from insight_core.providers.local import LocalProvider

Opened = Callable[..., LocalProvider]


class _Context:
    def __init__(self, given: Mapping[str, Any]) -> None:
        self.given = dict(given)

    def to_dict(self) -> dict[str, Any]:
        return self.given


_PICTURES = [SimpleNamespace(storage={"data": data}) for data in (b"one", b"two")]
_COUNTED = SimpleNamespace(to_np_histogram=lambda: (np.array([1, 2]), np.array([0.0, 1.0, 2.0])))
_SEQUENCES: dict[str, tuple[str, dict[str, Any], list[int], list[Any]]] = {
    "float": ("loss", {"subset": "train"}, [0, 1], [0.1 + 0.2, float("nan")]),
    "aim.text": ("note", {}, [3], [SimpleNamespace(data="half way")]),
    "aim.image": ("picture", {}, [4], [_PICTURES]),
    "aim.distribution": ("weights", {}, [5], [_COUNTED]),
}


class _Run:
    """A run of which Aim's chunk has the name of a cause that it cannot be read for, if any."""

    def __init__(self, run_hash: str, *, repo: Path, read_only: bool) -> None:
        assert read_only
        if cause := (repo / "meta" / "chunks" / run_hash / "content").read_text():
            raise KeyError(cause)
        assert not (repo / "meta" / "index").exists()
        (repo / "meta" / "chunks" / run_hash / "LOG").write_text("as RocksDB does")
        self.hash, self.name, self.experiment, self.description = run_hash, "adam", "digits", None
        self.tags, self.archived, self.active, self.creation_time, self.end_time = (
            ["a"],
            False,
            True,
            5.0,
            None,
        )

    def __getitem__(self, key: object) -> dict[str, Any]:
        secrets = {"env_variables": {"KEY": "secret"}, "arguments": ["train.py", "--fast"], "git_info": {}}
        return {"hparams": {"lr": 0.1}, "__system_params": secrets}

    def iter_sequence_info_by_type(self, types: tuple[str, ...]) -> Iterator[tuple[str, _Context, _Run]]:
        for kind in types:
            if kind in _SEQUENCES:
                name, context, _, _ = _SEQUENCES[kind]
                yield name, _Context(context), self

    def _sequence(self, name: str, context: _Context) -> Any:  # noqa: ANN401
        [(steps, values)] = [(steps, values) for one, _, steps, values in _SEQUENCES.values() if one == name]
        columns = (steps, [values, [None] * len(steps), [float(step) for step in steps]])
        return SimpleNamespace(data=SimpleNamespace(items_list=lambda: columns))

    get_metric = get_text_sequence = get_image_sequence = get_distribution_sequence = _sequence


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two runs, of which the first cannot be read; with an index, which no copy may have."""
    place = tmp_path / "project" / ".aim"
    for run_hash, content in (("aaaa", "no key"), ("bbbb", "")):
        (place / "meta" / "chunks" / run_hash).mkdir(parents=True)
        (place / "meta" / "chunks" / run_hash / "content").write_text(content)
    (place / "meta" / "index").mkdir()
    (place / "run_metadata.sqlite").write_text("")
    module = ModuleType("aim")
    vars(module).update(Run=_Run, Repo=lambda path: Path(path) / ".aim")
    monkeypatch.setitem(sys.modules, "aim", module)
    return place


def _lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_each_run_is_a_file_and_one_that_cannot_be_read_stops_no_other(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted((path, path.stat().st_mtime_ns) for path in repository.rglob("*"))
    assert main([str(repository.parent), "--to", str(tmp_path / "out")]) == 1
    assert sorted((path, path.stat().st_mtime_ns) for path in repository.rglob("*")) == before
    said = capsys.readouterr()
    assert "aaaa: not exported: KeyError: 'no key'" in said.err
    assert "1 of 2 runs" in said.out
    assert os.listdir(tmp_path / "out") == ["bbbb.aim.jsonl"]
    about, numbers, text, pictures, histogram = _lines(tmp_path / "out" / "bbbb.aim.jsonl")
    assert about == {
        "aim_export": 1, "id": "bbbb", "name": "adam", "experiment": "digits", "tags": ["a"],
        "is_archived": False, "is_active": True, "created": 5.0, "parameters": {"hparams": {"lr": 0.1}},
        "command": "train.py --fast",
    }  # fmt: skip
    assert (numbers["sequence"], numbers["context"]) == ("loss", {"subset": "train"})
    assert repr(numbers["values"]) == "[0.30000000000000004, nan]"
    assert text["values"] == [["half way"]]
    assert pictures["values"] == [[base64.b64encode(one).decode() for one in (b"one", b"two")]]
    assert histogram["values"] == [[{"counts": [1, 2], "edges": [0.0, 1.0, 2.0]}]]


def test_a_second_export_leaves_files_alone_that_would_be_the_same(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "out" / "bbbb.aim.jsonl"
    main([str(repository), "--to", str(path.parent)])
    os.utime(path, (1, 1))
    main([str(repository), "--to", str(path.parent)])
    assert "bbbb: as before" in capsys.readouterr().out
    assert path.stat().st_mtime == 1
    path.write_text("another")
    main([str(repository), "--to", str(path.parent)])
    assert len(_lines(path)) == 5


def test_what_is_missing_is_said(
    repository: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([str(tmp_path), "--to", str(tmp_path / "out")]) == 2
    assert "is not an Aim repository" in capsys.readouterr().err
    assert main([str(repository), "--to", str(repository / "out")]) == 2
    assert "into which nothing is written" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "aim", None)
    assert main([str(repository), "--to", str(tmp_path / "out")]) == 2
    assert "pip install aim" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


_ABOUT = '{"aim_export": 1, "id": "abcd", "created": 5.0}'


def _line(values: object, *, steps: object = (1,), kind: str = "number") -> str:
    known = {"sequence": "loss", "context": {}, "kind": kind, "times": [6.0]}
    return json.dumps({**known, "steps": list(steps), "values": values})  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ("no JSON", "it is not valid JSON"),
        ("[]", "it is not as the tracker writes it"),
        (_line([1.0, 2.0]), "its columns are not equally long"),
        (_line(["many"]), "loss at step 1 is"),
        (_line([1.0], steps=[1 << 70]), "not a whole number"),
        (_line([["!"]], kind="image"), "the media of 'loss' at step 1 cannot be shown"),
        (_line([[{"edges": [0, 1], "counts": [1, 2]}]], kind="histogram"), "one edge more than counts"),
        ('{"aim_export": 2}', "version 2 of Aim's log is not known"),
    ],
)
def test_a_line_that_cannot_be_used_is_damage_and_the_others_are_shown(
    tmp_path: Path, line: str, cause: str, opened: Opened
) -> None:
    (tmp_path / "abcd.aim.jsonl").write_text("\n".join([_ABOUT, line, _line([0.25], steps=[7])]) + "\n")
    provider = opened(tmp_path)
    try:
        [flaw] = provider.damage()
        assert cause in str(flaw)
        key = SeriesKey("abcd", "loss")
        assert provider.scalars("scalar", [key])[key].values.tolist() == [0.25]
    finally:
        provider.close()


def test_an_export_that_was_replaced_or_cut_is_translated_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aim_store, "_CHUNK", 100)  # several calls
    source, target = tmp_path / "abcd.aim.jsonl", tmp_path / "target"
    target.mkdir()

    def translated() -> Any:  # noqa: ANN401
        for _ in range(20):
            found = aim_store.translate(str(source), target)
            if found.is_done:
                return found
        raise AssertionError("it never ended")

    whole = "\n".join([_ABOUT, *(_line([0.5], steps=[step]) for step in range(5))]) + "\n"
    source.write_text(whole[:-3])
    assert "ends within a record" in str(translated().flaws)
    source.write_text(whole)
    assert not translated().flaws
    assert not translated().flaws


def test_archived_runs_have_a_tag_and_names_that_aim_made_are_not_shown(
    tmp_path: Path, opened: Opened
) -> None:
    names = {"bbbb": {}, "cccc": {"is_archived": True, "tags": ["a"], "ended": 9.0}}
    for run_hash, more in names.items():
        about = {"aim_export": 1, "id": run_hash, "name": f"Run: {run_hash}", "created": 5.0, **more}
        (tmp_path / f"{run_hash}.aim.jsonl").write_text(json.dumps(about) + "\n")
    provider = opened(tmp_path)
    try:
        origins = {info.key.run: json.loads(info.content) for info in provider.series("importers")}
        assert origins == {
            "bbbb": {"tracker": "Aim", "id": "bbbb"},
            "cccc": {"tracker": "Aim", "id": "cccc", "tags": "a, archived"},
        }
    finally:
        provider.close()


def test_contexts_are_part_of_the_tag() -> None:
    assert aim_store.tag_of("loss", {}) == "loss"
    assert (
        aim_store.tag_of("loss", {"subset": "val", "loader": {"number": 2}})
        == "loss/loader.number=2,subset=val"
    )
    assert aim_store.tag_of("__system__gpu", {"gpu": 0}) == "system/gpu/gpu=0"


def test_a_repository_says_what_exports_its_runs(tmp_path: Path) -> None:
    repository = tmp_path / "o'clock" / ".aim"
    repository.mkdir(parents=True)
    with closing(sqlite3.connect(repository / "run_metadata.sqlite")) as database:
        for table in ("run", "experiment", "run_tag", "tag", "note", "alembic_version"):  # of Aim 3.29
            database.execute(f"CREATE TABLE {table} (id)")
    before = sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*"))
    provider = LocalProvider([Logdir(str(tmp_path))], [], log_formats=insight_importers.FORMATS)
    try:
        provider.load()
        [damage] = provider.damage()
    finally:
        provider.close()
    assert f"aim_export.py {repository} --to DIRECTORY" in damage.reason
    assert sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*")) == before
