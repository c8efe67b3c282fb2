"""One value that is not as its tracker writes it costs itself: all others of the store are shown."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import zlib
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import insight_importers
import pytest
from insight_importers import wandb_store
from insight_importers.run_columns import values

from insight_authoring.testing.wire import tensor_value, text_tensor
from insight_core.plugin.data import SeriesKey
from insight_core.plugin.payloads import MessageTypes
from insight_core.plugin.testing import EventWriter, context_of
from insight_core.providers.local import LocalProvider
from insight_record.formats.protobuf import message_field, text_field

Load = Callable[[], LocalProvider]
FIXTURES = Path(__file__).parent / "fixtures"
TYPES = MessageTypes(Path(wandb_store.__file__).with_name("wandb.binpb"))
OF_PYTHON = re.compile(
    r"Error|Exception|NoneType|\b(int|float|str|dict|list)\b(\(\)| object)|not subscriptable"
)


def _good(provider: LocalProvider) -> dict[str, list[int]]:
    """The steps of the series that every store of these tests has, by run."""
    keys = [info.key for info in provider.series("scalar") if info.key.tag == "good"]
    return {key.run: provider.scalars("scalar", [key])[key].steps.tolist() for key in keys}


def _reasons(provider: LocalProvider) -> list[str]:
    reasons = [str(damage.reason) for damage in provider.damage()]
    assert [reason for reason in reasons if OF_PYTHON.search(reason)] == []
    return reasons


# --- Trackio ---


def test_a_first_row_without_a_time_takes_no_other_row_along(tmp_path: Path, load: Load) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as database:
        for table in ("metrics", "system_metrics"):
            database.execute(
                f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, run_name, timestamp, step, metrics)"
            )
        at = "2026-01-01T00:00:{:02}+00:00"
        rows = [("never", 0), *((at.format(step), step) for step in range(1, 5))]
        for when, step in rows:
            row = "run", when, step, '{"good": 1.0}'
            database.execute("INSERT INTO metrics (run_name, timestamp, step, metrics) VALUES (?,?,?,?)", row)
        row = "run", at.format(3), 0, '{"gpu": 0.5}'
        database.execute(
            "INSERT INTO system_metrics (run_name, timestamp, step, metrics) VALUES (?,?,?,?)", row
        )
    provider = load()
    assert _good(provider) == {"a/run": [*range(5)]}
    key = SeriesKey("a/run", "system/gpu")
    assert provider.scalars("scalar", [key])[key].steps.tolist() == [2]  # seconds after the first time
    assert _reasons(provider) == ['row 1 of the metrics: the time is "never", which is not a time']


# --- W&B ---


def _row(step: int, values: Mapping[str, str]) -> bytes:
    items = [{"nested_key": [name], "value_json": value} for name, value in values.items()]
    message: bytes = TYPES.new("Record", history={"item": items, "step": {"num": step}}).SerializeToString()
    return message


def _wandb(place: Path, *records: bytes) -> Path:
    """A log of W&B with ten rows of the series ``good``, and with other records after the fifth."""
    rows = [_row(step, {"good": str(step), "_step": str(step), "_timestamp": "1e9"}) for step in range(10)]
    data = b":W&B\xe1\xbe\x00"
    for record in [*rows[:5], *records, *rows[5:]]:
        crc = zlib.crc32(record, zlib.crc32(b"\x01"))
        data += crc.to_bytes(4, "little") + len(record).to_bytes(2, "little") + b"\x01" + record
    (place / "files" / "media").mkdir(parents=True)
    (place / "run-id.wandb").write_bytes(data)
    return place / "files" / "media"


_TABLE = json.dumps({"_type": "table-file", "path": "media/t.json"})


@pytest.mark.parametrize(
    ("row", "damage"),
    [
        ({"x": "1", "_step": "1e400"}, 'a row of the history: the step is "1e400", not a whole number'),
        ({"x": "1", "_step": "1e30"}, 'a row of the history: the step is "1e30", not a whole number'),
        ({"x": "1", "_timestamp": "null"}, 'a row of the history: the time is "null", which is not a time'),
        (
            {"h": '{"_type":"histogram","packedBins":{"min":0,"size":1,"count":1e999},"values":[1]}'},
            "the media of 'h' at step 4 cannot be shown: it is not as the tracker writes it",
        ),
        ({"h": '{"_type":"image-file"}'}, "it is not as the tracker writes it"),
        ({"t": _TABLE}, "the media of 't' at step 4 cannot be shown: it is nested too deeply"),
    ],
)
def test_an_odd_row_of_wandb_is_damage(
    tmp_path: Path, load: Load, row: Mapping[str, str], damage: str
) -> None:
    media = _wandb(tmp_path / "run", _row(4, row))
    (media / "t.json").write_text("[" * 200_000)
    provider = load()
    assert _good(provider) == {"run": [*range(10)]}
    [reason] = _reasons(provider)
    assert damage in reason


@pytest.mark.parametrize(
    "table", ['{"columns":5,"data":[7]}', '{"columns":["a"],"data":[7]}', "[]", "{", "7"]
)
def test_a_table_without_columns_and_rows_is_damage(tmp_path: Path, load: Load, table: str) -> None:
    media = _wandb(tmp_path / "run", _row(4, {"t": _TABLE}))
    (media / "t.json").write_text(table)
    provider = load()
    assert _good(provider) == {"run": [*range(10)]}
    assert len(_reasons(provider)) == 1


def test_a_setting_that_is_nested_too_deeply_leaves_the_others_alone(tmp_path: Path, load: Load) -> None:
    deep = {"nested_key": ["deep"] * 3_000, "value_json": "1"}
    plain = {"key": "lr", "value_json": "0.5"}
    record = TYPES.new("Record", run={"run_id": "id", "config": {"update": [deep, plain]}})
    _wandb(tmp_path / "run", record.SerializeToString())
    provider = load()
    assert _good(provider) == {"run": [*range(10)]}
    assert _reasons(provider) == ["'deep': it is nested too deeply"]


def test_a_pipe_among_the_files_of_a_store_is_damage_and_blocks_nothing(tmp_path: Path, load: Load) -> None:
    item = json.dumps({"_type": "html-file", "path": "media/page.html"})
    media = _wandb(tmp_path / "wandb", _row(4, {"page": item}))
    os.mkfifo(media / "page.html")
    shutil.copytree(FIXTURES / "swanlab", tmp_path / "swanlab")
    [config] = tmp_path.glob("swanlab/**/config.yaml")
    config.unlink()
    os.mkfifo(config)
    [about] = tmp_path.glob("swanlab/**/swanlab-metadata.json")
    about.write_text("[" * 100_000)
    provider = load()
    assert _good(provider) == {"wandb": [*range(10)]}
    assert any(info.key.run.startswith("swanlab") for info in provider.series("scalar"))
    assert sorted(_reasons(provider)) == [
        "config.yaml: it is not a regular file",
        "swanlab-metadata.json: it is nested too deeply",
        "the media of 'page' at step 4 cannot be shown: it is not a regular file",
    ]


# --- databases ---


def _database(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as database:
        for statement in statements:
            database.executescript(statement)
        database.commit()


_TRACKIO = (
    "CREATE TABLE metrics (id INTEGER PRIMARY KEY, run_name, timestamp, step, metrics);"
    "CREATE TABLE system_metrics (id INTEGER PRIMARY KEY, run_name, timestamp, metrics);"
    "CREATE TABLE alerts (id INTEGER PRIMARY KEY, run_name, timestamp, step, title, text);"
    + "".join(
        f"INSERT INTO metrics (run_name, timestamp, step, metrics) VALUES ('r', '2026-01-01', {step}, "
        f"""'{{"good": {step}}}');"""
        for step in range(10)
    )
)
_MLFLOW = (
    "CREATE TABLE experiments (experiment_id, name); INSERT INTO experiments VALUES (1, 'e');"
    "CREATE TABLE runs (run_uuid, name, status, start_time, end_time, artifact_uri, experiment_id, "
    "lifecycle_stage); INSERT INTO runs VALUES ('u', 'r', 'FINISHED', 1e12, 1e12, '', 1, 'active');"
    "CREATE TABLE metrics (key, value, timestamp, run_uuid, step, is_nan);"
    "CREATE TABLE params (key, value, run_uuid);"
    + "".join(f"INSERT INTO metrics VALUES ('good', {step}, 1e12, 'u', {step}, 0);" for step in range(10))
)


@pytest.mark.parametrize(
    ("store", "odd", "damage"),
    [
        (
            _TRACKIO,
            "INSERT INTO system_metrics VALUES (1, 'r', 'yesterday', '{\"gpu\": 1}')",
            'row 1 of the system metrics: the time is "yesterday", which is not a time',
        ),
        (
            _TRACKIO,
            "INSERT INTO alerts VALUES (1, 'r', '2026-01-01', 'abc', 't', 'x')",
            "the alert 't': the step is \"abc\", not a whole number",
        ),
        (
            _TRACKIO,
            "INSERT INTO metrics VALUES (99, 'r', '2026-01-01', 1e30, '{\"x\": 1}')",
            "row 99 of the metrics: the step is 1e+30, not a whole number",
        ),
        (
            _MLFLOW,
            "INSERT INTO metrics VALUES ('x', 'abc', 1e12, 'u', 1, 0)",
            'x at step 1 is "abc", not a number',
        ),
        (
            _MLFLOW,
            "INSERT INTO metrics VALUES ('x', NULL, 1e12, 'u', 1, 0)",
            "x at step 1 is null, not a number",
        ),
        (
            _MLFLOW,
            "INSERT INTO metrics VALUES ('x', 1, NULL, 'u', 1, 0)",
            "x: the time is null, which is not a time",
        ),
        (
            _MLFLOW,
            "INSERT INTO metrics VALUES ('x', 1, 1e12, 'u', 's', 0)",
            'x: the step is "s", not a whole number',
        ),
        (
            _MLFLOW,
            "INSERT INTO metrics VALUES ('x', 1, 1e12, 'u', 1e30, 0)",
            "x: the step is 1e+30, not a whole number",
        ),
        (
            _MLFLOW,
            "INSERT INTO runs VALUES ('v', 'odd', 'RUNNING', 'yesterday', NULL, '', 1, 'active')",
            'start_time: the time is "yesterday", which is not a time',
        ),
    ],
)
def test_an_odd_cell_of_a_database_is_damage(
    tmp_path: Path, load: Load, store: str, odd: str, damage: str
) -> None:
    _database(tmp_path / "a.db", store, odd)
    provider = load()
    assert list(_good(provider).values()) == [[*range(10)]]
    assert _reasons(provider) == [damage]


def test_halves_of_characters_and_cells_of_any_type_cost_nothing(tmp_path: Path, load: Load) -> None:
    odd = json.dumps({"x\ud800": 1, "text": "a\udfff"})
    config = json.dumps({"lr\ud800": 1, "name": "\udfff"})
    _database(
        tmp_path / "a.db",
        _TRACKIO,
        f"INSERT INTO metrics VALUES (99, 'r', '2026-01-01', 9, '{odd}')",
        f"CREATE TABLE configs (run_name, config); INSERT INTO configs VALUES ('r', '{config}')",
    )
    _database(
        tmp_path / "b.db",
        _MLFLOW,
        "INSERT INTO runs VALUES ('v', x'00ff', x'00ff', 1e12, x'00ff', 'http://[', x'00ff', 'active');"
        "INSERT INTO params VALUES (x'00ff', x'00ff', 'u');"
        "INSERT INTO metrics VALUES (x'ff', 1, 1, 'u', 1, 0)",
    )
    provider = load()
    assert sorted(_good(provider)) == ["a/r", "b/e/r"]
    assert len(_reasons(provider)) == 1  # the time at which the run ended
    assert {"x?", "b'\\xff'"} <= {info.key.tag for info in provider.series("scalar")}


def test_a_point_without_a_time_is_shown(tmp_path: Path, load: Load) -> None:
    _database(tmp_path / "a.db", _MLFLOW, "INSERT INTO metrics VALUES ('x', 7, NULL, 'u', 3, 0)")
    key = SeriesKey("a/e/r", "x")
    found = load().scalars("scalar", [key])[key]
    assert (found.steps.tolist(), found.values.tolist()) == ([3], [7.0])


# --- files ---


@pytest.mark.parametrize(
    ("about", "damage"),
    [
        ("run_id: u1\nrun_name: n\nstart_time: yesterday\nstatus: 3\n", 'the time is "yesterday"'),
        ("run_name: [\n", "meta.yaml: it is not valid YAML (line 2)"),
        ("[" * 100_000, "meta.yaml: it is"),
    ],
)
def test_an_odd_file_about_an_mlflow_run_leaves_its_metrics_and_its_neighbour_alone(
    tmp_path: Path, load: Load, about: str, damage: str
) -> None:
    experiment = tmp_path / "mlruns" / "1"
    for name, text in {"u1": about, "u2": "run_id: u2\nrun_name: fine\nstatus: 3\n"}.items():
        (experiment / name / "metrics").mkdir(parents=True)
        (experiment / name / "meta.yaml").write_text(text)
        (experiment / name / "metrics" / "good").write_text("".join(f"1 {at} {at}\n" for at in range(10)))
    (experiment / "meta.yaml").write_text("artifact_location: x\nexperiment_id: '1'\nname: e\n")
    provider = load()
    assert list(_good(provider).values()) == [[*range(10)]] * 2
    for _ in range(2):  # the damage stays when the run, which has ended, is not read again
        [reason] = _reasons(provider)
        assert damage in reason
        (experiment / "u3").mkdir(exist_ok=True)
        provider.load()


def test_an_event_file_cannot_take_the_columns_of_all_imported_runs(tmp_path: Path, load: Load) -> None:
    record = TYPES.new("Record", run={"run_id": "id", "project": "case"})
    _wandb(tmp_path / "good", record.SerializeToString())
    plugin = message_field(1, text_field(1, "import") + message_field(2, b"[" * 100_000))
    with EventWriter(tmp_path / "hostile") as writer:
        writer.values(0, [tensor_value("_import_", text_tensor([b"x"]), message_field(9, plugin))])
    provider = load()
    ctx = context_of(insight_importers.insight_plugin(), provider)
    assert {info.key.run for info in provider.series("importers")} == {"good", "hostile"}
    assert values(ctx, ["project"], ["good", "hostile"]) == {"project": {"good": "case"}}
