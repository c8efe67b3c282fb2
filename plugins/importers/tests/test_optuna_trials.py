"""Studies of Optuna: what is shown is what Optuna itself reads, also while trials go on."""

from __future__ import annotations

import json
import lzma
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from insight_importers import optuna_journal, optuna_trials
from insight_importers.beginnings import of_optuna_journal
from insight_lineage.hparams import session_of, status_of

from insight_core.plugin.data import SeriesKey
from insight_core.providers.local import LocalProvider

STUDIES = Path(__file__).parent / "fixtures" / "optuna"
STATUSES = {"COMPLETE": "success", "PRUNED": "success", "FAIL": "failure", "RUNNING": "running"}
OBJECTIVES = {"tune": ["value"], "two": ["size", "score"]}
Load = Callable[[], LocalProvider]


def _shown(provider: LocalProvider) -> dict[str, Any]:
    """The trials as ``values.json`` has them."""
    found: dict[str, Any] = {}
    for run in provider.runs():
        if run.name == ".":  # that has the damage of the whole store
            continue
        one: dict[str, Any] = {"params": {}, "reported": [], "values": [], "state": ""}
        for info in provider.series("lineage", runs=[run.name]):
            if info.key.tag.endswith("start_info"):
                given = session_of(info.content).hparams
                one["params"] = {key: value for key, value in given.items() if not key.startswith("user_")}
            if info.key.tag.endswith("end_info"):
                one["state"] = status_of(info.content)
        tags = {info.key.tag for info in provider.series("scalar", runs=[run.name])}
        store, _, name = run.name.partition("/")
        assert store in ("optuna", "journal")
        for tag in ("intermediate_value", *OBJECTIVES[name.partition("/")[0]]):
            if tag not in tags:
                continue
            key = SeriesKey(run.name, tag)
            points = provider.scalars("scalar", [key])[key]
            rows = list(zip(points.steps.tolist(), points.values.tolist(), strict=True))
            if tag == "intermediate_value":
                one["reported"] = [list(row) for row in rows]
            else:
                one["values"].append(rows[-1][1])
        found[name] = one
    return found


def _expected(name: str) -> dict[str, Any]:
    told = json.loads((STUDIES / "values.json").read_text())[name]
    for one in told.values():
        if one["state"] == "PRUNED":
            one["values"] = [one["reported"][-1][1]]  # SQLite has it; Optuna gives it too
        one["state"] = STATUSES[one["state"]]
    return told  # type: ignore[no-any-return]


def test_a_database_shows_what_optuna_reads(tmp_path: Path, load: Load) -> None:
    database = lzma.decompress((STUDIES / "optuna.db.xz").read_bytes())
    (tmp_path / "optuna.db").write_bytes(database)
    assert _shown(load()) == _expected("optuna.db")
    assert (tmp_path / "optuna.db").read_bytes() == database
    assert [path.name for path in tmp_path.iterdir()] == ["optuna.db"]


def test_a_journal_shows_what_optuna_reads(tmp_path: Path, load: Load) -> None:
    (tmp_path / "journal.log").write_bytes((STUDIES / "journal.log").read_bytes())
    assert _shown(load()) == _expected("journal.log")


def test_trials_that_go_on_arrive_and_those_that_are_deleted_go(tmp_path: Path, load: Load) -> None:
    data = (STUDIES / "journal.log").read_bytes()
    path = tmp_path / "journal.log"
    lines = data.splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:8]) + lines[8][:20])
    first = _shown(load())
    assert first.keys() == {"tune/trial 0"}
    assert first["tune/trial 0"]["state"] == "running"
    assert len(first["tune/trial 0"]["reported"]) == 2
    path.write_bytes(data)
    load()
    assert _shown(load()) == _expected("journal.log")
    with path.open("a") as file:
        file.write('{"op_code":1,"worker_id":"a","study_id":1}\n')
    load()
    assert {run.name.split("/")[1] for run in load().runs()} == {"tune"}


def test_a_value_that_is_reported_to_a_database_later_is_appended(tmp_path: Path, load: Load) -> None:
    path = tmp_path / "optuna.db"
    path.write_bytes(lzma.decompress((STUDIES / "optuna.db.xz").read_bytes()))
    load()
    with sqlite3.connect(path) as connection:
        row = "INSERT INTO trial_intermediate_values VALUES (NULL, 1, 5, NULL, 'INF_POS')"
        connection.execute(row)
    load()
    assert _shown(load())["tune/trial 0"]["reported"][-1] == [5, float("inf")]


def test_lines_that_are_no_operations_are_damage_and_other_logs_are_left_alone(
    tmp_path: Path, load: Load
) -> None:
    data = (STUDIES / "journal.log").read_bytes()
    (tmp_path / "journal.log").write_bytes(data + b'{"op_code":6,"trial_id":99}\nprose\n')
    (tmp_path / "train.log").write_text('{"op_code": 1}\nepoch 1\n')
    provider = load()
    assert _shown(provider) == _expected("journal.log")
    count = data.count(b"\n")
    assert sorted(each.reason for each in provider.damage()) == [
        f"line {count + 1} is not an operation of Optuna",
        f"line {count + 2} is not an operation of Optuna",
    ]
    assert not of_optuna_journal(b'{"op_code":0')


def test_a_large_study_is_read_again_a_few_times_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(optuna_trials, "_AT_FIRST", 1)
    lines = [json.dumps({"op_code": 0, "worker_id": "w", "study_name": "s", "directions": [1]})]
    lines += [
        json.dumps({"op_code": 4, "worker_id": "w", "study_id": 0, "datetime_start": "2026-01-01T00:00:00"})
        for _ in range(60)
    ]
    journal = tmp_path / "journal.log"
    journal.write_text("\n".join(lines) + "\n")
    target = tmp_path / "target"
    target.mkdir()
    shown = [0]
    while shown[-1] < 60:
        shown.append(len(optuna_journal.translate(str(journal), target).runs))
    assert shown == [0, 1, 4, 16, 60]


def test_studies_of_one_name_in_stores_next_to_each_other_stay_apart(tmp_path: Path, load: Load) -> None:
    data = (STUDIES / "journal.log").read_bytes()
    for name in ("first.log", "second.journal"):
        (tmp_path / name).write_bytes(data)
    found = sorted(run.name for run in load().runs())
    half = len(found) // 2
    assert [name.partition("/")[0] for name in found] == ["first"] * half + ["second"] * half
    points = [info.points for info in load().series("scalar") if info.key.tag == "intermediate_value"]
    assert max(points) == 5
