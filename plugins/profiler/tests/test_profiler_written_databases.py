"""Databases of profilers that another process writes while they are read."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import insight_profiler
import pytest
from insight_profiler.building import Unreadable
from insight_profiler.model import Source

from insight_core.plugin.testing import EventWriter
from tests.conformance.our_profiles import read_directory
from tests.hosts import client_of
from tests.profiler_routes import served_profiles

_ROWS = 50  # of a transaction
# An exporter: a transaction after another, and at last a line; one on stdin ends it.
_WRITER = """
import sqlite3, sys
path, mode, transactions, rows = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
database = sqlite3.connect(path, isolation_level=None)
database.execute(f"PRAGMA journal_mode={mode}")
database.execute("PRAGMA cache_size=1")
database.executescript(
    "CREATE TABLE StringIds (id INTEGER, value TEXT); INSERT INTO StringIds VALUES (1, 'gemm');"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT, shortName INT)"
)
for number in range(transactions):
    at = 10 * rows * number
    database.execute("BEGIN")
    database.executemany(
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 7, 1)",
        [(at + 10 * row, at + 10 * row + 5) for row in range(rows)],
    )
    database.execute("COMMIT")
    print(number, flush=True)
print("done", flush=True)
sys.stdin.readline()
database.close()
"""


@pytest.mark.parametrize("mode", ["DELETE", "TRUNCATE", "PERSIST"])
def test_whole_transactions_of_a_database_are_read_while_another_process_writes_it(
    tmp_path: Path, mode: str
) -> None:
    path = tmp_path / "report.sqlite"
    command = [sys.executable, "-c", _WRITER, str(path), mode, "400", str(_ROWS)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        for line in process.stdout:
            if line == "done\n":
                break
            if int(line) % 40 == 39:
                assert _rows_of(tmp_path) % _ROWS == 0, "no part of a transaction"
        process.stdin.write("\n")
        process.stdin.close()
        assert process.wait() == 0
    assert _rows_of(tmp_path) == 400 * _ROWS
    left = {"report.sqlite"} if mode == "DELETE" else {"report.sqlite", "report.sqlite-journal"}
    assert {file.name for file in tmp_path.iterdir()} == left, "the writer's own files"


# One transaction is committed; another changes its rows, of which some reach the file, and is undone.
_UNDONE = """
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("PRAGMA cache_size=1")
database.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT)")
rows = [(10 * row, 10 * row + 5) for row in range(5000)]
database.execute("BEGIN")
database.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 7)", rows)
database.execute("COMMIT")
print("committed", flush=True)
sys.stdin.readline()
database.execute("BEGIN")
database.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET streamId = 8")
print("written", flush=True)
sys.stdin.readline()
database.execute("ROLLBACK")
"""


def test_a_transaction_that_began_after_the_walk_is_not_read_in_part(tmp_path: Path) -> None:
    """The host knows of no journal yet: its reader looks for one when it reads."""
    (tmp_path / "run").mkdir()
    path = tmp_path / "run/report.sqlite"
    command = [sys.executable, "-c", _UNDONE, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == "committed\n"
        with served_profiles() as serve:
            get = serve(tmp_path)
            process.stdin.write("\n")
            process.stdin.flush()
            assert process.stdout.readline() == "written\n"
            assert path.with_name("report.sqlite-journal").exists()
            tracks = get("tracks", run="run", profile="report.sqlite")["tracks"]
            assert [track["label"] for track in tracks if track["slices"]] == ["Stream 7"]
        process.stdin.write("\n")
        process.stdin.close()
        assert process.wait() == 0


def _rows_of(directory: Path) -> int:
    """The rows that are read now; none where the reader says that the database is being written."""
    try:
        return len(read_directory(directory, Source.NSIGHT).rows("slices"))
    except Unreadable as error:
        if error.note.code not in ("database_changing", "broken_database"):
            raise
        return 0


@pytest.mark.parametrize("has_profile", [True, False])
def test_the_log_of_a_foreign_database_makes_no_profile_and_no_tab(tmp_path: Path, has_profile: bool) -> None:
    with EventWriter(tmp_path / "run") as writer:
        writer.scalar("loss", 0, 1.0)
    with closing(sqlite3.connect(tmp_path / "run" / "notes.sqlite")) as database:
        database.execute("PRAGMA journal_mode=WAL")
        table = "CUPTI_ACTIVITY_KIND_KERNEL" if has_profile else "notes"
        database.execute(f"CREATE TABLE {table} (start INT, end INT, deviceId INT, streamId INT)")
        database.execute("PRAGMA wal_checkpoint")
        database.execute(f"INSERT INTO {table} VALUES (1, 2, 3, 4)")
        database.commit()
        with client_of(tmp_path, profiler=insight_profiler) as client:
            assert client.get("/data/plugins_listing").get_json()["profiler"]["enabled"] is has_profile
            listed = client.get("/data/plugin/profiler/profiles").get_json()["profiles"]
    assert len(listed) == has_profile
