"""Stores that are damaged, hostile, half written or written right now."""

from __future__ import annotations

import json
import shutil
import sqlite3
import zlib
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from insight_importers import (
    databases,
    mlflow_files,
    sqlite_files,
    swanlab_store,
    visualdl_store,
    wandb_store,
)
from insight_importers.block_log import BLOCK, records_of
from insight_importers.sqlite_files import MOST_BYTES

from insight_core.plugin import Translation
from insight_core.plugin.data import SeriesKey
from insight_core.plugin.log_tables import yaml_value
from insight_core.plugin.payloads import MessageTypes
from insight_core.providers.local import LocalProvider

FIXTURES = Path(__file__).parent / "fixtures"
WANDB = FIXTURES / "wandb/wandb/offline-run-20260101_000000-abcd1234/run-abcd1234.wandb"
Opened = Callable[..., LocalProvider]
Translate = Callable[[str, Path], Translation]


def _translated(translate: Translate, source: Path, target: Path) -> Translation:
    """Everything that is there now."""
    target.mkdir(exist_ok=True)
    for _ in range(100):
        found = translate(str(source), target)
        if found.is_done:
            return found
    raise AssertionError("it never ended")


def _values(provider: LocalProvider, run: str, tag: str) -> list[float]:
    key = SeriesKey(run, tag)
    found = provider.scalars("scalar", [key])
    return found[key].values.tolist() if key in found else []


def _log(records: Sequence[bytes]) -> bytes:
    """A log of W&B with these records."""
    data = bytearray(b":W&B\xe1\xbe\x00")
    for record in records:
        begins = True
        while begins or record:
            left = BLOCK - len(data) % BLOCK
            if left < 7:
                data += bytes(left)
                continue
            part, record = record[: left - 7], record[left - 7 :]
            kind = (1 if not record else 2) if begins else (4 if not record else 3)
            begins = False
            crc = zlib.crc32(bytes((kind,)) + part)
            data += crc.to_bytes(4, "little") + len(part).to_bytes(2, "little") + bytes((kind,)) + part
    return bytes(data)


def _history(step: int, **values: str) -> bytes:
    types = MessageTypes(Path(wandb_store.__file__).with_name("wandb.binpb"))
    items = [{"nested_key": [key], "value_json": value} for key, value in values.items()]
    message: bytes = types.new("Record", history={"item": items, "step": {"num": step}}).SerializeToString()
    return message


def test_records_longer_than_a_block_are_read_whole() -> None:
    records = [b"a" * 10, b"b" * (3 * BLOCK), b"", b"c" * (BLOCK - 7 - 7 - 3)]
    data = _log(records)
    found = records_of(data, 0, 7)
    assert (found.records, found.flaws, found.end) == (records, [], len(data))


def test_a_log_that_grows_byte_by_byte_gives_the_same_as_the_whole_one(
    tmp_path: Path, opened: Opened
) -> None:
    whole, grown = tmp_path / "whole", tmp_path / "grown"
    _translated(wandb_store.translate, WANDB, whole)
    data, source = WANDB.read_bytes(), tmp_path / "run" / "a.wandb"
    source.parent.mkdir()
    shutil.copytree(WANDB.parent / "files", source.parent / "files")
    random = Random(1)
    with open(source, "wb") as file:
        file.write(data[:7])
        at = 7
        while at < len(data):
            file.flush()
            assert not _translated(wandb_store.translate, source, grown).flaws
            step = random.randrange(1, 1500)
            file.write(data[at : at + step])
            at += step
    assert not _translated(wandb_store.translate, source, grown).flaws
    expected, found = opened(whole), opened(grown)
    tags = {info.key.tag for info in expected.series("scalar")}
    assert len(tags) > 5
    for tag in tags:
        assert repr(_values(found, "000001", tag)) == repr(_values(expected, "000001", tag))
    assert {i.key: i.points for i in found.series("image")} == {
        i.key: i.points for i in expected.series("image")
    }


def test_a_damaged_block_of_a_log_is_listed_and_the_blocks_behind_it_are_read(
    tmp_path: Path, opened: Opened
) -> None:
    data = bytearray(
        _log([_history(step, loss=str(step), text='"' + "x" * 900 + '"') for step in range(200)])
    )
    data[BLOCK + 500] ^= 1
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "a.wandb").write_bytes(data)
    provider = opened(tmp_path)
    [damage] = provider.damage()
    assert (damage.reason, damage.file) == ("the checksum of a record is wrong", "run/a.wandb")
    assert BLOCK <= damage.offset <= BLOCK + 500
    assert 0 < damage.skipped <= BLOCK
    steps = _values(provider, "run", "loss")
    assert steps[0] == 0
    assert steps[-1] == 199
    assert 160 < len(steps) < 200


def test_media_outside_of_the_directory_of_a_run_are_not_read(tmp_path: Path, opened: Opened) -> None:
    (tmp_path / "run" / "files").mkdir(parents=True)
    picture = FIXTURES / "mlflow_database/mlruns"
    secret = next(picture.rglob("picture.png"))
    shutil.copy(secret, tmp_path / "secret.png")
    (tmp_path / "run" / "files" / "link.png").symlink_to(tmp_path / "secret.png")
    shutil.copy(secret, tmp_path / "run" / "files" / "own.png")
    names = ["../../secret.png", str(tmp_path / "secret.png"), "link.png", "gone.png", "own.png"]
    items = [json.dumps({"_type": "image-file", "path": name}) for name in names]
    (tmp_path / "run" / "a.wandb").write_bytes(
        _log([_history(step, picture=item, loss="1") for step, item in enumerate(items)])
    )
    provider = opened(tmp_path)
    [picture_of_run] = provider.series("image")
    assert (picture_of_run.points, picture_of_run.first_step) == (1, 4)
    assert [damage.reason.split(": ", 1)[1] for damage in provider.damage()] == [
        *["its file is not below the directory of the run"] * 3,
        "No such file or directory",
    ]


@pytest.mark.parametrize(
    ("translate", "pattern"),
    [
        (wandb_store.translate, "wandb/**/*.wandb"),
        (swanlab_store.translate, "swanlab/**/*.swanlab"),
        (visualdl_store.translate, "visualdl/**/*.log"),
        (databases.translate, "trackio/digits.db"),
        (mlflow_files.translate, "mlflow_files/mlruns/*/*/metrics/train/loss"),
    ],
)
def test_random_damage_is_listed_or_harmless(tmp_path: Path, translate: Translate, pattern: str) -> None:
    [path, *_] = sorted(FIXTURES.glob(pattern))
    shutil.copytree(FIXTURES / path.relative_to(FIXTURES).parts[0], tmp_path / "store")
    copy = tmp_path / "store" / Path(*path.relative_to(FIXTURES).parts[1:])
    source = copy.parents[3] / "meta.yaml" if translate is mlflow_files.translate else copy
    data, random = path.read_bytes(), Random(7)
    for number in range(40):
        damaged = bytearray(data)
        for _ in range(random.randrange(1, 20)):
            damaged[random.randrange(7, len(damaged))] = random.randrange(256)
        if number % 4 == 0:
            del damaged[random.randrange(7, len(damaged)) :]
        copy.write_bytes(damaged)
        try:
            _translated(translate, source, tmp_path / f"target{number}")
        except (ValueError, OSError):
            continue  # the host lists it


def _trackio(path: Path, mode: str) -> sqlite3.Connection:
    database = sqlite3.connect(path, isolation_level=None)
    database.execute(f"PRAGMA journal_mode={mode}")
    database.execute("CREATE TABLE metrics (id INTEGER PRIMARY KEY, run_name, timestamp, step, metrics)")
    return database


def _add(database: sqlite3.Connection, step: int, metrics: str = '{"loss": 1}') -> None:
    row = "first", "2026-01-01T00:00:00+00:00", step, metrics
    database.execute("INSERT INTO metrics (run_name, timestamp, step, metrics) VALUES (?, ?, ?, ?)", row)


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_a_database_is_followed_while_it_is_open_and_never_touched(
    tmp_path: Path, mode: str, opened: Opened
) -> None:
    (tmp_path / "logs").mkdir()
    with closing(_trackio(tmp_path / "logs" / "a.db", mode)) as database:
        _add(database, 0)
        provider = opened(tmp_path / "logs")
        assert len(_values(provider, "a/first", "loss")) == 1
        for step in range(1, 4):
            _add(database, step)
            before = {path.name: path.read_bytes() for path in (tmp_path / "logs").iterdir()}
            provider.load()
            assert len(_values(provider, "a/first", "loss")) == step + 1
            assert {path.name: path.read_bytes() for path in (tmp_path / "logs").iterdir()} == before
        database.execute("BEGIN EXCLUSIVE")  # no reader may be in the way, nor see what is not committed
        _add(database, 9)
        provider.load()
        database.execute("COMMIT")
        provider.load()
        assert len(_values(provider, "a/first", "loss")) == 5
        assert provider.damage() == []


def test_rows_that_are_no_json_are_damage_and_other_databases_are_left_alone(
    tmp_path: Path, opened: Opened
) -> None:
    with closing(_trackio(tmp_path / "a.db", "DELETE")) as database:
        _add(database, 0)
        _add(database, 1, "{nonsense")
        _add(database, 2, "[" * 100_000)
        _add(database, 3, '{"loss": 2, "odd": {"_type": "trackio.image"}}')
    with closing(sqlite3.connect(tmp_path / "other.db")) as database:
        database.execute("CREATE TABLE notes (text)")
    with closing(sqlite3.connect(tmp_path / "endless.db")) as database:
        database.execute(
            "CREATE VIEW metrics AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) "
            "SELECT id, 'r' run_name, 0 timestamp, id step, '{}' metrics FROM n"
        )
    provider = opened(tmp_path)
    assert [run.name for run in provider.runs()] == ["a/first"]
    assert _values(provider, "a/first", "loss") == [1, 2]
    reasons = sorted(damage.reason for damage in provider.damage())
    assert reasons[:2] == [f"row {number} of the metrics is not valid JSON" for number in (2, 3)]
    assert reasons[2].startswith("the media of 'odd' at step 3 cannot be shown")


def test_a_run_that_a_database_has_no_longer_goes_and_a_new_database_is_read_from_its_beginning(
    tmp_path: Path, opened: Opened
) -> None:
    with closing(_trackio(tmp_path / "a.db", "DELETE")) as database:
        for step in range(3):
            _add(database, step)
        provider = opened(tmp_path)
        database.execute("UPDATE metrics SET run_name = 'second' WHERE step = 2")
        _add(database, 5)
        database.execute("DELETE FROM metrics WHERE run_name = 'first' AND step < 5")
        database.execute("DELETE FROM metrics WHERE run_name = 'second'")
        provider.load()
        assert [run.name for run in provider.runs()] == ["a/first"]
        database.execute("DELETE FROM metrics")
        _add(database, 0, '{"loss": 7}')
        provider.load()
        assert _values(provider, "a/first", "loss") == [7]


def _mlflow(path: Path, run: str, rows: int) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            "CREATE TABLE experiments (experiment_id, name); INSERT INTO experiments VALUES (1, 'e');"
            "CREATE TABLE runs (run_uuid, name, status, start_time, end_time, artifact_uri, experiment_id,"
            " lifecycle_stage);"
            "CREATE TABLE params (key, value, run_uuid);"
            "CREATE TABLE metrics (key, value, timestamp, run_uuid, step, is_nan);"
        )
        database.execute("INSERT INTO runs VALUES (?, ?, 'RUNNING', 1, 0, '', 1, 'active')", (run, run))
        database.execute("INSERT INTO params VALUES ('seed', ?, ?)", (str(rows), run))
        database.executemany(
            "INSERT INTO metrics VALUES ('loss', ?, 1, ?, ?, 0)", [(rows, run, step) for step in range(rows)]
        )
        database.commit()


@pytest.mark.parametrize("keeps_inode", [True, False])
def test_a_database_that_another_one_with_more_rows_replaces_is_read_from_its_beginning(
    tmp_path: Path, keeps_inode: bool, opened: Opened
) -> None:
    (tmp_path / "logs").mkdir()
    shown, other = tmp_path / "logs" / "mlflow.db", tmp_path / "other.db"
    _mlflow(shown, "first", 3)
    _mlflow(other, "second", 5)
    provider = opened(tmp_path / "logs")
    assert _values(provider, "mlflow/e/first", "loss") == [3] * 3
    if keeps_inode:
        shown.write_bytes(other.read_bytes())
    else:
        other.replace(shown)
    provider.load()
    assert [run.name for run in provider.runs()] == ["mlflow/e/second"]
    assert _values(provider, "mlflow/e/second", "loss") == [5] * 5
    shown.unlink()
    provider.load()
    assert provider.runs() == []
    _mlflow(shown, "third", 8)  # in the place of the one that was deleted
    provider.load()
    assert [run.name for run in provider.runs()] == ["mlflow/e/third"]
    assert _values(provider, "mlflow/e/third", "loss") == [8] * 8


def test_a_run_of_mlflow_that_was_renamed_has_its_new_name(tmp_path: Path, opened: Opened) -> None:
    _mlflow(tmp_path / "mlflow.db", "first", 3)
    run = tmp_path / "mlruns" / "1" / "abc"
    (run / "metrics").mkdir(parents=True)
    (run / "metrics" / "loss").write_text("1000 5 0\n")
    (run.parent / "meta.yaml").write_text("artifact_location: x\nexperiment_id: '1'\nname: e\n")
    about = "run_id: abc\nrun_name: %s\nstatus: 3\nlifecycle_stage: active\n"
    (run / "meta.yaml").write_text(about % "first")
    provider = opened(tmp_path)
    assert {one.name for one in provider.runs()} == {"mlflow/e/first", "mlruns/e/first"}
    (run / "meta.yaml").write_text(about % "better")
    with closing(sqlite3.connect(tmp_path / "mlflow.db")) as database:
        database.execute("UPDATE runs SET name = 'better'")
        database.commit()
    provider.load()
    assert {one.name for one in provider.runs()} == {"mlflow/e/better", "mlruns/e/better"}
    assert _values(provider, "mlflow/e/better", "loss") == [3] * 3
    assert _values(provider, "mlruns/e/better", "loss") == [5]


def test_a_malformed_line_of_an_mlflow_metric_is_damage_and_the_others_are_read(
    tmp_path: Path, opened: Opened
) -> None:
    shutil.copytree(FIXTURES / "mlflow_files" / "mlruns", tmp_path / "mlruns")
    [path] = [one for one in tmp_path.rglob("accuracy") if one.is_file()]
    run = path.parents[1]
    with path.open("ab") as file:
        file.write(b"odd\n1795765757999 0.75 6\n1795765757999 0.8")
    outside = run / "artifacts" / "outside.png"
    outside.parent.mkdir(exist_ok=True)
    outside.symlink_to(next((FIXTURES / "mlflow_database").rglob("picture.png")))
    (run / "meta.yaml").write_text((run / "meta.yaml").read_text().replace("status: 4", "status: 1"))
    provider = opened(tmp_path)
    name = "mlruns/with/slash/fails"
    assert _values(provider, name, "accuracy") == [0.5, 0.75]
    assert [(one.run, one.skipped) for one in provider.damage()] == [(name, 3)]
    assert not provider.series("image", runs=[name])
    with path.open("ab") as file:
        file.write(b"5 7\n")
    provider.load()
    assert _values(provider, name, "accuracy") == [0.5, 0.75, 0.85]
    (run / "meta.yaml").write_text(
        (run / "meta.yaml").read_text().replace("lifecycle_stage: active", "lifecycle_stage: deleted")
    )
    provider.load()
    assert name not in [one.name for one in provider.runs()]


def test_yaml_of_plain_values_is_read_as_it_was_written() -> None:
    text = """
name: 'it''s: here'
count: 3
share: 0.5
empty: null
amp: true
items:
- 64
- '32'
net:
  act: relu
  deep:
    er: "a\\nb"
long: one
  two
note: ''
"""
    assert yaml_value(text.encode()) == {
        "name": "it's: here",
        "count": 3,
        "share": 0.5,
        "empty": None,
        "amp": True,
        "items": [64, "32"],
        "net": {"act": "relu", "deep": {"er": "a\nb"}},
        "long": "one two",
        "note": "",
    }


def test_a_histogram_that_says_it_has_millions_of_bins_is_damage_of_itself(
    tmp_path: Path, opened: Opened
) -> None:
    bomb = {"_type": "histogram", "packedBins": {"min": 0, "size": 1, "count": 1 << 40}, "values": [1]}
    records = [_history(step, good=str(step / 8)) for step in range(3)]
    records[1] = _history(1, good="0.125", h=json.dumps(bomb))
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "a.wandb").write_bytes(_log(records))
    provider = opened(tmp_path)
    [run] = [run.name for run in provider.runs()]
    assert _values(provider, run, "good") == [0, 0.125, 0.25]
    [flaw] = provider.damage()
    assert "the media of 'h' at step 1 cannot be shown" in flaw.reason


def _with_generated(path: Path, cell: str) -> None:
    """A database of ten points, and of rows of system metrics that take the bytes of ``cell`` each."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "create table metrics(id integer primary key, run_name text, timestamp text, step integer,"
            " metrics text);"
            "create table system_metrics(id integer primary key, run_name text, timestamp text,"
            f" metrics text generated always as ({cell}) virtual);"
            "insert into system_metrics(run_name, timestamp) select 'r', '2026-01-01'"
            " from (with recursive n(i) as (select 1 union all select i + 1 from n where i < 40)"
            " select i from n);"
        )
        for step in range(10):
            row = ("r", f"2026-01-01T00:00:{step:02d}", step, json.dumps({"good": step / 8}))
            connection.execute("insert into metrics(run_name, timestamp, step, metrics) values(?,?,?,?)", row)
        connection.commit()


def test_rows_that_a_database_makes_large_take_no_memory_and_no_other_table(
    tmp_path: Path, opened: Opened
) -> None:
    _with_generated(tmp_path / "large.db", "hex(zeroblob(20000000))")
    _with_generated(tmp_path / "many.db", "hex(zeroblob(2000000))")  # 160 MB in all
    provider = opened(tmp_path)
    for name in ("large", "many"):
        assert _values(provider, f"{name}/r", "good") == [step / 8 for step in range(10)]
    [flaw] = provider.damage()
    assert (flaw.file, flaw.reason) == (
        "large.db",
        "a row of the table system_metrics has more than 16 MiB: it and those behind it are not read",
    )
    with sqlite_files.opened(str(tmp_path / "many.db"), tmp_path / "scratch") as database:
        rows = database.appended("system_metrics", "id", "metrics", None, 5_000)
        assert (len(rows.rows), rows.is_last) == (MOST_BYTES // 4_000_000 + 1, False)
        assert len(database.rows("system_metrics", "metrics")) == len(rows.rows)
        [cut] = database.flaws
        assert "only the first 17 rows are read" in cut.reason
