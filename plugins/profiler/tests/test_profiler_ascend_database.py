"""Databases of Ascend profilers: the same profile as its text export, and damaged ones."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from insight_profiler.building import Unreadable
from insight_profiler.model import Category, FlowKind, Source
from insight_profiler.reading import sqlite_tables

from tests.ascend_databases import ANALYSIS, NOW, RECORDS, task, write_database
from tests.ascend_samples import COMMUNICATION, KERNELS, MATRIX, MEMORY, RECORD, STEPS, TRACE
from tests.conformance.our_profiles import ReadProfile, read_directory, read_profiles

NAME = "host_1_20261121003708047_ascend_pt"
RECORDS_NAME = "ascend_pytorch_profiler_3.db"


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """ASCEND_PROFILER_OUTPUT of a profile without files."""
    directory = tmp_path / NAME / "ASCEND_PROFILER_OUTPUT"
    directory.mkdir(parents=True)
    return directory


@pytest.fixture
def profile(output: Path) -> ReadProfile:
    write_database(output / RECORDS_NAME, RECORDS)
    write_database(output / "analysis.db", ANALYSIS)
    return read_directory(output.parent, Source.ASCEND)


@pytest.fixture
def text(tmp_path: Path) -> ReadProfile:
    """The same, exported as text."""
    directory = tmp_path / "text" / NAME / "ASCEND_PROFILER_OUTPUT"
    directory.mkdir(parents=True)
    (directory.parent / "profiler_info_3.json").write_text('{"rank_id": 3}')
    files = {
        "kernel_details.csv": KERNELS,
        "step_trace_time.csv": STEPS,
        "operator_memory.csv": MEMORY,
        "memory_record.csv": RECORD,
        "communication.json": json.dumps(COMMUNICATION),
        "communication_matrix.json": json.dumps(MATRIX),
        "trace_view.json": json.dumps(TRACE),
    }
    for name, content in files.items():
        (directory / name).write_text(content)
    return read_directory(directory.parent, Source.ASCEND)


def _codes(profile: ReadProfile) -> list[str]:
    return [note.code for note in profile.profile.notes]


def _rows(profile: ReadProfile, table: str, *, without: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Rows in an order of their own, NaN as None, devices as they are."""
    rows = [
        {name: value for name, value in row.items() if name not in without} for row in profile.rows(table)
    ]
    plain = [{name: None if value != value else value for name, value in row.items()} for row in rows]
    return sorted(plain, key=lambda row: json.dumps(row, sort_keys=True, default=str))


@pytest.mark.parametrize(
    ("table", "without"),
    [("allocations", ()), ("collectives", ("name",)), ("links", ("group",))],
)
def test_a_database_says_what_its_text_export_does(
    profile: ReadProfile, text: ReadProfile, table: str, without: tuple[str, ...]
) -> None:
    assert _rows(profile, table, without=without) == _rows(text, table, without=without)


def test_memory_over_time_is_that_of_the_text_export(profile: ReadProfile, text: ReadProfile) -> None:
    def points(one: ReadProfile) -> list[tuple[str, int, float]]:
        counters = one.profile.counters
        rows = [(counters[row["counter"]], row) for row in one.rows("counters")]
        return sorted(
            (counter.label, row["time"], row["value"]) for counter, row in rows if counter.group == "memory"
        )

    assert points(profile) == points(text)
    assert len(points(profile)) == 6


def test_operators_are_those_of_the_text_export(profile: ReadProfile, text: ReadProfile) -> None:
    without = ("core", "device_total", "device_self", "scope")
    found, expected = (
        [
            row
            for row in _rows(one, "operators", without=without)
            if row["type"] in ("MatMulV2", "hcom_allReduce_")
        ]
        for one in (profile, text)
    )
    assert found == expected
    assert len(found) == 2
    kernels = [
        [(row["name"], row["stream"], row["calls"], row["total"]) for row in _rows(one, "kernels")]
        for one in (profile, text)
    ]
    assert sorted(kernels[0])[0] == sorted(kernels[1])[0] == ("MatMulV2-op1", "2", 2, 22_000)


def test_steps_are_those_of_the_text_export(profile: ReadProfile, text: ReadProfile) -> None:
    shares = ("communication", "operator", "other", "idle")  # of the host, which the trace has more of
    assert _rows(profile, "steps", without=shares) == _rows(text, "steps", without=shares)


def test_work_of_the_device_is_that_of_the_timeline(profile: ReadProfile, text: ReadProfile) -> None:
    def work(one: ReadProfile, kind: str) -> list[tuple[Any, ...]]:
        labels = [track.label for track in one.profile.tracks]
        kinds = [track.kind for track in one.profile.tracks]
        return sorted(
            (labels[row["track"]], row["start"], row["duration"], row["name"], row["category"])
            for row in one.rows("slices")
            if kinds[row["track"]] == kind and row["name"] != "hcom_allReduce_1"
        )

    assert [row for row in work(profile, "stream") if row[0] == "Stream 2"] == work(text, "stream")
    assert work(profile, "communication") == work(text, "communication")


def test_work_is_linked_to_the_calls_that_launched_it(profile: ReadProfile) -> None:
    rows = profile.rows("slices")
    flows = profile.profile.tables["flows"]
    assert flows["kind"].tolist() == [FlowKind.LAUNCH] * 2
    found = [
        (rows[source]["name"], rows[target]["name"])
        for source, target in zip(flows["source"].tolist(), flows["target"].tolist(), strict=True)
    ]
    assert found == [("Node@launch", "MatMulV2-op1"), ("aten::matmul", "MatMulV2-op1")]
    (operator,) = [row for row in profile.rows("operators") if row["type"] == "aten::matmul"]
    assert (operator["calls"], operator["shapes"]) == (1, "32,64;64,10")
    assert operator["device_total"] == 10_500, "the time of the kernel that its call of CANN launched"


def test_facts_of_a_database(profile: ReadProfile) -> None:
    found = profile.profile
    assert (found.rank, found.host, found.platform, found.start_ns) == (3, "node7", "npu", NOW)
    (device,) = found.devices
    assert (device.name, device.facts["model"]) == ("NPU 3", "Ascend910B2")
    assert found.facts["schema_version"] == "1.2.0"
    assert found.notes == ()


def test_communication_without_an_analysis(output: Path) -> None:
    write_database(output / RECORDS_NAME, RECORDS)
    profile = read_directory(output.parent, Source.ASCEND)
    (row,) = profile.rows("collectives")
    assert (row["name"], row["kind"], row["elapsed"], row["bytes"]) == (
        "hcom_allReduce_1",
        "collective",
        100_250,
        4000.0,
    )
    assert row["step"] == -1, "it began after the step"


def test_a_database_of_an_older_version(output: Path) -> None:
    """Without devices of communication, with other names of columns, and without a table of descriptions."""
    schema = {
        "STRING_IDS": "id INTEGER, value TEXT",
        "TASK": "startNs INTEGER, endNs INTEGER, deviceId INTEGER, taskType INTEGER, streamId INTEGER, "
        "globalTaskId INTEGER, connectionId INTEGER",
        "COMMUNICATION_OP": "opName INTEGER, startNs INTEGER, endNs INTEGER, groupName INTEGER",
    }
    communication = [{"opName": "hcom_send_1", "startNs": NOW, "endNs": NOW + 7, "groupName": "g"}]
    tables = {"TASK": [task(1, 2, "KERNEL_AICORE", 0, 10)], "COMMUNICATION_OP": communication}
    write_database(output / RECORDS_NAME, tables, schema)
    profile = read_directory(output.parent, Source.ASCEND)
    categories = {row["name"]: row["category"] for row in profile.rows("slices")}
    assert categories == {"KERNEL_AICORE": Category.KERNEL, "hcom_send_1": Category.COMMUNICATION}
    (row,) = profile.rows("collectives")
    assert row["kind"] == "p2p"
    assert np.isnan(row["bytes"])
    assert all(track.device == 0 for track in profile.profile.tracks)


def test_a_database_of_msprof_with_two_devices(tmp_path: Path) -> None:
    tasks = [task(number, 2, "AI_CORE", number, 10) | {"deviceId": number} for number in (0, 1)]
    write_database(tmp_path / "logs/run/PROF_1_2/msprof_20240101.db", {"TASK": tasks})
    ((name, profile),) = read_profiles(tmp_path / "logs").items()
    assert name == "run:PROF_1_2/msprof_20240101.db"
    assert [device.name for device in profile.profile.devices] == ["NPU", "NPU 1"]
    tracks = [track for track in profile.profile.tracks if track.kind == "stream"]
    assert [(track.label, track.device) for track in tracks] == [("Stream 2", 0), ("Stream 2", 1)]


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"", "empty_file"), (b"SQLite format 3", "no_database"), (b"text " * 99, "no_database")],
)
def test_files_that_are_no_database(output: Path, content: bytes, code: str) -> None:
    (output / RECORDS_NAME).write_bytes(content)
    with pytest.raises(Unreadable) as raised:
        read_directory(output.parent, Source.ASCEND)
    assert raised.value.note.code == code
    assert RECORDS_NAME in str(raised.value)
    (output.parent / "profiler_info_3.json").write_text('{"rank_id": 3}')
    profile = read_directory(output.parent, Source.ASCEND)
    assert (profile.profile.rank, _codes(profile)) == (3, [code])


def test_a_database_without_rows(output: Path) -> None:
    write_database(output / RECORDS_NAME, {table: [] for table in RECORDS})
    with pytest.raises(Unreadable) as raised:
        read_directory(output.parent, Source.ASCEND)
    assert raised.value.note.code == "no_profile_rows"


def test_a_damaged_database_beside_a_good_one(output: Path) -> None:
    write_database(output / RECORDS_NAME, RECORDS)
    (output / "analysis.db").write_bytes(b"SQLite format 3\0" + b"\0" * 84)
    profile = read_directory(output.parent, Source.ASCEND)
    assert _codes(profile) == ["broken_database"]
    assert profile.rows("slices")


def test_a_truncated_database_gives_the_rows_before_its_end(output: Path) -> None:
    tasks = [task(number, 2, "AI_CORE", number * 20, 10) for number in range(20_000)]
    path = write_database(output / RECORDS_NAME, {"TASK": tasks})
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    profile = read_directory(output.parent, Source.ASCEND)
    assert "truncated" in _codes(profile)
    assert 0 < len(profile.rows("slices")) < 20_000


def test_cells_of_another_type(output: Path) -> None:
    tasks = [task(1, 2, "AI_CORE", 0, 10), task(2, 2, "AI_CORE", 30, 10)]
    path = write_database(output / RECORDS_NAME, {"TASK": tasks})
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "CREATE TABLE other AS SELECT CAST(startNs AS TEXT) AS startNs, CAST(endNs AS TEXT) AS endNs, "
            "deviceId, streamId, taskType FROM TASK"
        )
        connection.execute("UPDATE other SET startNs = 'soon' WHERE rowid = 2")
        connection.execute("DROP TABLE TASK")
        connection.execute("ALTER TABLE other RENAME TO TASK")
        connection.commit()
    profile = read_directory(output.parent, Source.ASCEND)
    assert [row["duration"] for row in profile.rows("slices")] == [10], "a text that is a number is one"
    (note,) = profile.profile.notes
    assert (note.code, note.values["columns"]) == ("cells_without_value", "start (1)")


def test_what_is_only_in_the_write_ahead_log_is_read(output: Path) -> None:
    path = write_database(output / RECORDS_NAME, {"TASK": [task(1, 2, "AI_CORE", 0, 10)]})
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA journal_mode=WAL")
        writer.execute("PRAGMA wal_autocheckpoint=0")
        writer.execute(
            "INSERT INTO TASK SELECT startNs + 50, endNs + 60, 0, 1, 2, 3, taskType, 0, 2, 4 FROM TASK"
        )
        writer.commit()
        before = {file.name: file.read_bytes() for file in output.iterdir() if not file.name.endswith("-shm")}
        assert before[f"{RECORDS_NAME}-wal"]
        profile = read_directory(output.parent, Source.ASCEND)
        after = {file.name: file.read_bytes() for file in output.iterdir() if not file.name.endswith("-shm")}
    assert [row["start"] for row in profile.rows("slices")] == [0, 50]
    assert after == before, "nothing is written next to the database"


def test_a_half_written_transaction_is_rolled_back(output: Path) -> None:
    path = write_database(output / RECORDS_NAME, {"TASK": [task(1, 2, "AI_CORE", 0, 10)]})
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA cache_size=1")
        writer.execute("BEGIN")
        writer.executemany(
            "INSERT INTO TASK (startNs, endNs, deviceId, streamId) VALUES (?, ?, 0, 2)",
            ((NOW + at, NOW + at + 1) for at in range(100, 20_000)),
        )
        assert (output / f"{RECORDS_NAME}-journal").stat().st_size
        profile = read_directory(output.parent, Source.ASCEND)
    assert [row["start"] for row in profile.rows("slices")] == [0]


def test_a_database_that_is_too_large_is_named(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_database(output / RECORDS_NAME, RECORDS)
    monkeypatch.setattr(sqlite_tables, "_MOST", 1000)
    with pytest.raises(Unreadable) as raised:
        read_directory(output.parent, Source.ASCEND)
    assert raised.value.note.code == "large_database"


def test_views_are_not_read(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A view could take for ever."""
    path = write_database(output / RECORDS_NAME, {"OP_MEMORY": RECORDS["OP_MEMORY"]})
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS startNs FROM n"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE VIEW TASK AS {endless}")
        connection.commit()
    profile = read_directory(output.parent, Source.ASCEND)
    assert not profile.rows("slices")
    assert profile.rows("allocations")
