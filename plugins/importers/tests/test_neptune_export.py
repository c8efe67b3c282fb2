"""Exports in the layout that neptune-exporter documents; the exporter itself is in no registry."""

from __future__ import annotations

import shutil
import sys
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import insight_importers
import insight_lineage
import insight_scalar
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from insight_importers import neptune_store
from insight_lineage.hparams import session_of, status_of

from insight_core.ingest.logdir import Logdir
from insight_core.plugin.data import SeriesKey
from insight_core.providers.local import LocalProvider

_WHEN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
_SCHEMA = pa.schema(
    [
        ("project_id", pa.string()),
        ("run_id", pa.string()),
        ("attribute_path", pa.string()),
        ("attribute_type", pa.string()),
        ("step", pa.decimal128(18, 6)),
        ("timestamp", pa.timestamp("ms", tz="UTC")),
        ("int_value", pa.int64()),
        ("float_value", pa.float64()),
        ("string_value", pa.string()),
        ("bool_value", pa.bool_()),
        ("datetime_value", pa.timestamp("ms", tz="UTC")),
        ("string_set_value", pa.list_(pa.string())),
        ("file_value", pa.struct([("path", pa.string())])),
        (
            "histogram_value",
            pa.struct(
                [
                    ("type", pa.string()),
                    ("edges", pa.list_(pa.float64())),
                    ("values", pa.list_(pa.float64())),
                ]
            ),
        ),
    ]
)


def _row(path: str, kind: str, step: float | None = None, **value: Any) -> dict[str, Any]:  # noqa: ANN401
    when = None if step is None else _WHEN
    at = None if step is None else Decimal(str(step))
    known = {"project_id": "team/digits", "run_id": "RUN-1", "attribute_path": path, "attribute_type": kind}
    return {**known, "step": at, "timestamp": when, **value}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """An export of one run in two parts."""
    rows = [
        _row("sys/name", "string", string_value="baseline"),
        _row("sys/failed", "bool", bool_value=True),
        _row("sys/creation_time", "datetime", datetime_value=_WHEN),
        _row("sys/tags", "string_set", string_set_value=["a", "b"]),
        _row("params/lr", "float", float_value=0.1),
        _row("params/layers", "int", int_value=3),
        _row("params/optimizer", "string", string_value="adam"),
        *(_row("train/loss", "float_series", step, float_value=1 / (step + 3)) for step in range(50)),
        _row("fine", "float_series", 0.5, float_value=1.0),
        _row("fine", "float_series", 1.5, float_value=float("nan")),
        _row("note", "string_series", 3, string_value="half way"),
        _row(
            "weights",
            "histogram_series",
            4,
            histogram_value={"type": "COUNTING", "edges": [0, 1, 2], "values": [3, 4]},
        ),
        _row("picture", "file", 0, file_value={"path": "../../outside.png"}),
    ]
    more = [_row("train/loss", "float_series", step, float_value=1 / (step + 3)) for step in range(50, 80)]
    place = tmp_path / "exports" / "data" / "team_digits_0123"
    place.mkdir(parents=True)
    for number, part in enumerate((rows, more)):
        pq.write_table(pa.Table.from_pylist(part, _SCHEMA), place / f"RUN-1_part_{number}.parquet")
    pq.write_table(pa.table({"x": [1]}), place / "other_part_0.parquet")
    return tmp_path / "exports"


def _opened(logdir: Path) -> LocalProvider:
    modules = (insight_scalar, insight_lineage, insight_importers)
    plugins = [module.insight_plugin() for module in modules]
    provider = LocalProvider([Logdir(str(logdir))], plugins, log_formats=insight_importers.FORMATS)
    provider.load()
    return provider


def test_an_export_is_a_run_with_its_numbers_parameters_and_status(data: Path) -> None:
    provider = _opened(data)
    run = "data/team/digits/RUN-1"
    assert [one.name for one in provider.runs()] == [run]
    key, fine = SeriesKey(run, "train/loss"), SeriesKey(run, "fine")
    found = provider.scalars("scalar", [key, fine])
    assert found[key].steps.tolist() == list(range(80))
    assert found[key].values.tolist() == [1 / (step + 3) for step in range(80)]
    assert np.allclose(found[key].wall_times, _WHEN.timestamp())
    assert found[fine].steps.tolist() == [0, 1]
    infos = {info.key.tag: info.content for info in provider.series("lineage")}
    assert dict(session_of(infos["_hparams_/session_start_info"]).hparams) == {
        "params/lr": 0.1, "params/layers": 3, "params/optimizer": "adam",
    }  # fmt: skip
    assert status_of(infos["_hparams_/session_end_info"]) == "failure"
    [damage] = provider.damage()
    assert "its file is not below the directory of the run" in damage.reason
    more = data / "data" / "team_digits_0123" / "RUN-1_part_2.parquet"
    row = _row("train/loss", "float_series", 80, float_value=0.0)
    pq.write_table(pa.Table.from_pylist([row], _SCHEMA), more)
    provider.load()
    assert provider.scalars("scalar", [key])[key].steps.tolist() == list(range(81))
    provider.close()


def test_a_long_name_that_many_rows_share_is_damage_and_the_other_rows_are_read(tmp_path: Path) -> None:
    rows = [_row("loss", "float_series", step, float_value=step / 8) for step in range(10)]
    rows += [_row("y" * 100_000, "float_series", step, float_value=0.0) for step in range(8_000)]  # 800 MB
    rows.append(_row("note", "string_series", 3, string_value="half way"))
    place = tmp_path / "data" / "p"
    place.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows, _SCHEMA), place / "r_part_0.parquet")
    del rows
    provider = _opened(tmp_path)
    key = SeriesKey("data/team/digits/RUN-1", "loss")
    assert provider.scalars("scalar", [key])[key].values.tolist() == [step / 8 for step in range(10)]
    [damage] = provider.damage()
    assert damage.reason == "the name of an attribute has 100000 characters; at most 1024 are read"
    provider.close()


def test_without_pyarrow_the_damage_says_what_to_install(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    [source] = data.rglob("RUN-1_part_0.parquet")
    with pytest.raises(ValueError, match=r"pip install 'insight-host\[parquet\]'"):
        neptune_store.translate(str(source), data)
    shutil.rmtree(data)
