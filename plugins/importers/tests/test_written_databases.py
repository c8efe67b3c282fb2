"""Databases that another process writes while the host looks: what is committed appears."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from insight_core.plugin.data import SeriesKey
from insight_core.providers.local import LocalProvider
from tests.waiting import eventually

Opened = Callable[..., LocalProvider]
_ROWS = 400
# A tracker: it commits row after row, and says how many it has committed; a line on stdin ends it.
_WRITER = """
import sqlite3, sys, time
path, mode, rows, synchronous = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
database = sqlite3.connect(path, isolation_level=None)
database.execute(f"PRAGMA journal_mode={mode}")
database.execute(f"PRAGMA synchronous={synchronous}")
database.execute("PRAGMA cache_size=1")
database.execute("CREATE TABLE metrics (id INTEGER PRIMARY KEY, run_name, timestamp, step, metrics)")
for step in range(rows):
    database.execute("BEGIN EXCLUSIVE")
    database.execute(
        "INSERT INTO metrics (run_name, timestamp, step, metrics) VALUES (?, ?, ?, ?)",
        ("first", "2026-01-01T00:00:00+00:00", step, '{"loss": %d, "note": "%s"}' % (step, "x" * 2000)),
    )
    database.execute("COMMIT")
    print(step + 1, flush=True)
    time.sleep(0.002)
print("done", flush=True)
sys.stdin.readline()
database.close()
"""


@contextmanager
def _writing(path: Path, mode: str, rows: int = _ROWS) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", _WRITER, str(path), mode, str(rows), "NORMAL"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def _steps(provider: LocalProvider) -> list[int]:
    key = SeriesKey("a/first", "loss")
    columns = provider.scalars("scalar", [key]).get(key)
    return [] if columns is None else columns.steps.tolist()


def _loaded(provider: LocalProvider) -> list[int]:
    provider.load()
    return _steps(provider)


@pytest.mark.parametrize("mode", ["WAL", "DELETE", "TRUNCATE", "PERSIST"])
def test_every_committed_row_of_a_database_appears_while_another_process_writes_it(
    tmp_path: Path, mode: str, opened: Opened
) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    with _writing(logs / "a.db", mode) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == "1\n"
        provider = opened(logs)
        seen: list[int] = []
        for line in process.stdout:
            if line == "done\n":
                break
            if int(line) % 20:  # the others are committed while the host reads
                continue
            provider.load()
            steps = _steps(provider)
            assert steps == list(range(len(steps))), "rows that are read are whole transactions, in order"
            assert len(steps) >= len(seen), "no row that was shown goes"
            seen = steps
        assert len(seen) > _ROWS // 10, "rows appear while others are written"
        eventually(lambda: _loaded(provider) == list(range(_ROWS)))
        process.stdin.write("\n")
        process.stdin.close()
        assert process.wait() == 0
        provider.load()
        assert _steps(provider) == list(range(_ROWS))
        assert provider.damage() == []
        left = {"a.db", "a.db-journal"} if mode in ("PERSIST", "TRUNCATE") else {"a.db"}
        assert {path.name for path in logs.iterdir()} == left, "the writer's own files"
        provider.close()


def test_a_transaction_that_a_killed_process_left_half_written_is_not_shown_and_no_damage(
    tmp_path: Path, opened: Opened
) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    with _writing(logs / "a.db", "DELETE", 20) as process:
        assert process.stdout is not None
        assert list(iter(process.stdout.readline, "done\n"))[-1] == "20\n"
    script = (
        "import os, signal, sqlite3, sys; d = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "d.execute('PRAGMA cache_size=1'); d.execute('BEGIN');"
        "d.execute('UPDATE metrics SET metrics = ?', ('{\"loss\": 1e9, \"n\": \"' + 'y' * 3000 + '\"}',));"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    killed = subprocess.run([sys.executable, "-c", script, str(logs / "a.db")], check=False)
    assert killed.returncode == -signal.SIGKILL
    before = {path.name: path.read_bytes() for path in logs.iterdir()}
    assert before["a.db-journal"].strip(b"\0"), "the transaction is half written"
    provider = opened(logs)
    assert _steps(provider) == list(range(20))
    key = SeriesKey("a/first", "loss")
    assert provider.scalars("scalar", [key])[key].values.tolist() == list(range(20))
    assert provider.damage() == []
    assert {path.name: path.read_bytes() for path in logs.iterdir()} == before
    provider.close()


def test_a_database_that_is_replaced_again_and_again_is_read_as_it_is_last(
    tmp_path: Path, opened: Opened
) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    for rows in (5, 50, 3, 30):
        fresh = tmp_path / "fresh.db"
        with _writing(fresh, "DELETE", rows) as process:
            assert process.stdout is not None
            assert list(iter(process.stdout.readline, "done\n"))
        fresh.replace(logs / "a.db")
        if rows == 5:
            provider = opened(logs)
        provider.load()
    eventually(lambda: _loaded(provider) == list(range(30)))
    assert provider.damage() == []
    provider.close()


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_a_database_that_is_copied_bit_by_bit_is_read_when_it_is_whole(
    tmp_path: Path, mode: str, opened: Opened
) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    with _writing(tmp_path / "a.db", mode, 200) as process:
        assert process.stdout is not None
        assert list(iter(process.stdout.readline, "done\n"))
        with closing(sqlite3.connect(tmp_path / "a.db")) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = (tmp_path / "a.db").read_bytes()
    (logs / "a.db").write_bytes(b"")
    provider = opened(logs)
    for part in range(8):
        (logs / "a.db").write_bytes(whole[: len(whole) * part // 8])
        provider.load()
    (logs / "a.db").write_bytes(whole)
    provider.load()
    assert _steps(provider) == list(range(200))
    assert provider.damage() == []
    assert os.listdir(logs) == ["a.db"]
    provider.close()
