"""Stores that the trackers themselves wrote: the same values, texts and pictures as their own APIs read."""

from __future__ import annotations

import json
import lzma
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import insight_importers
import numpy as np
import pytest
from insight_importers.aim_store import tag_of
from insight_lineage.hparams import session_of, status_of

from insight_core.plugin.data import SeriesKey
from insight_core.plugin.payloads import decoded_histogram
from insight_core.plugin.testing import context_of
from insight_core.providers.local import LocalProvider

FIXTURES = Path(__file__).parent / "fixtures"
Opened = Callable[[Path], LocalProvider]


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the fixtures, the databases unpacked."""
    place = tmp_path_factory.mktemp("trackers") / "logs"
    shutil.copytree(FIXTURES, place, ignore=shutil.ignore_patterns("wandb_history", "*_old"))
    directory = place / "wandb" / "wandb" / "offline-run-20260101_000000-abcd1234"
    (place / "wandb" / "wandb" / "latest-run").symlink_to(directory.name)  # as W&B makes it
    packed = place / "mlflow_database" / "mlflow.db.xz"
    packed.with_suffix("").write_bytes(lzma.decompress(packed.read_bytes()))
    return place


@pytest.fixture(scope="module")
def provider(logdir: Path, kept_open: Opened) -> LocalProvider:
    before = sorted((path, path.stat().st_mtime_ns) for path in logdir.rglob("*"))
    found = kept_open(logdir)
    assert found.damage() == []
    assert sorted((path, path.stat().st_mtime_ns) for path in logdir.rglob("*")) == before
    return found


def _expected(name: str) -> Any:  # noqa: ANN401
    return json.loads((FIXTURES / name / "values.json").read_text())


def _points(provider: LocalProvider, run: str, tag: str) -> list[tuple[int, str]]:
    key = SeriesKey(run, tag)
    columns = provider.scalars("scalar", [key])[key]
    return [
        (int(step), repr(float(value))) for step, value in zip(columns.steps, columns.values, strict=True)
    ]


def _tags(provider: LocalProvider, plugin: str, run: str) -> set[str]:
    return {info.key.tag for info in provider.series(plugin, runs=[run])}


def _config(provider: LocalProvider, run: str) -> dict[str, object]:
    infos = {info.key.tag: info.content for info in provider.series("lineage", runs=[run])}
    return dict(session_of(infos["_hparams_/session_start_info"]).hparams)


def _status(provider: LocalProvider, run: str) -> str:
    infos = {info.key.tag: info.content for info in provider.series("lineage", runs=[run])}
    return status_of(infos["_hparams_/session_end_info"])


def _text(provider: LocalProvider, run: str, tag: str) -> str:
    payload = provider.payload("text", SeriesKey(run, tag), 0)
    return payload.data.decode("utf-8", "replace")


def test_the_numbers_of_wandb_are_those_of_its_history(provider: LocalProvider) -> None:
    run = "wandb/wandb/adam abcd1234"
    values = _expected("wandb")
    assert values
    for tag, points in values.items():
        assert _points(provider, run, tag) == [(step, value) for step, value in points], tag
    assert _tags(provider, "scalar", run) == {*values, "best"}
    assert _points(provider, run, "best") == [(50, "0.99")]


def test_configuration_status_texts_and_media_of_wandb_are_there(provider: LocalProvider) -> None:
    run = "wandb/wandb/adam abcd1234"
    assert _config(provider, run) == {
        "lr": 0.1, "net/layers": "[64, 32]", "net/act": "relu", "amp": True, "late": 3,
    }  # fmt: skip
    assert _status(provider, run) == "success"
    assert _tags(provider, "image", run) == {"picture", "pictures/0", "pictures/1"}
    assert _tags(provider, "media", run) == {"page", "table"}
    assert "half way" in _text(provider, run, "note")
    assert "a line on the console" in _text(provider, run, "console")
    assert "one of two" in _text(provider, run, "notes")
    table = provider.payload("media", SeriesKey(run, "table"), 0).data
    assert b"a,b\r\n1,x\r\n2,y\r\n" in table
    [one] = [run_ for run_ in provider.runs() if run_.name == run]
    assert one.start_time is not None
    assert one.start_time > 1.7e9


def test_the_numbers_of_trackio_are_those_of_its_api(provider: LocalProvider) -> None:
    for name, known in _expected("trackio").items():
        run = f"trackio/digits/{name}"
        expected: dict[str, list[tuple[int, str]]] = {}
        for row in known["logs"]:
            flat = {**row, **{f"nested/{key}": value for key, value in row.get("nested", {}).items()}}
            for tag in ("train/loss", "nested/x", "nan", "endless"):
                if tag in flat:
                    expected.setdefault(tag, []).append((row["step"], repr(float(flat[tag]))))
        assert len(expected) == 4
        for tag, points in expected.items():
            assert _points(provider, run, tag) == points
        assert _tags(provider, "scalar", run) == set(expected)
        assert _config(provider, run) == {"lr": known["config"]["lr"], "net/width": 64, "amp": True}
        assert _tags(provider, "image", run) == {"picture"}
        assert _tags(provider, "media", run) == {"table"}
        assert _tags(provider, "text", run) == {"note", "report", "alerts"}
        assert "loss is low" in _text(provider, run, "alerts")


def test_the_numbers_of_swanlab_are_those_of_its_board(provider: LocalProvider) -> None:
    [run] = [one.name for one in provider.runs() if one.name.startswith("swanlab/")]
    assert run.startswith("swanlab/first ")
    values = _expected("swanlab")
    assert len(values) == 4
    for tag, points in values.items():
        assert _points(provider, run, tag) == [(step, value) for step, value in points]
    assert _tags(provider, "scalar", run) == set(values)
    assert _config(provider, run) == {
        "lr": 0.1, "net/width": 64, "net/layers": "[64, 32]", "optimizer": "adam", "amp": True,
    }  # fmt: skip
    assert _status(provider, run) == "success"
    assert _tags(provider, "image", run) == {"picture"}
    assert _tags(provider, "text", run) == {"note", "console", "notes"}
    assert "half way" in _text(provider, run, "note")


def test_the_numbers_of_visualdl_are_those_of_its_reader(provider: LocalProvider) -> None:
    run = "visualdl/first"
    values = _expected("visualdl")
    assert values
    for tag, points in values.items():
        assert _points(provider, run, tag) == [(step, value) for step, value in points]
    assert _tags(provider, "scalar", run) == set(values)
    assert _config(provider, run) == {"lr": 0.1, "optimizer": "adam", "layers": 3}
    assert _tags(provider, "image", run) == {"picture"}
    assert _tags(provider, "text", run) == {"note"}
    [weights] = provider.series("histogram", runs=[run])
    key = weights.key
    counts = decoded_histogram(provider.payload("histogram", key, 0)).counts
    assert counts[counts > 0].tolist() == [20.0] * 5


def test_the_numbers_of_aim_are_those_of_its_sdk(provider: LocalProvider) -> None:
    values = _expected("aim")
    assert len(values) == 2
    for run_hash, known in values.items():
        is_named = known["name"] == "adam"
        run = f"aim/digits/adam {run_hash[:8]}" if is_named else f"aim/default/{run_hash}"
        tags = {tag_of(one["name"], one["context"]): one["points"] for one in known["metrics"]}
        assert tags
        for tag, points in tags.items():
            assert _points(provider, run, tag) == [(step, value) for step, _, value in points]
            key = SeriesKey(run, tag)
            times = provider.scalars("scalar", [key])[key].wall_times
            assert times.tolist() == [when for _, when, _ in points]
        assert _tags(provider, "scalar", run) == set(tags)
        if is_named:
            assert {"loss/subset=train", "loss/loader=2,subset=val"} < tags.keys()
            assert _config(provider, run) == {
                "lr": 0.1, "net/layers": "[64, 32]", "net/act": "relu", "amp": True, "seed": 3,
            }  # fmt: skip
            assert _status(provider, run) == "success"
            assert _tags(provider, "image", run) == {"picture", "pictures/0", "pictures/1"}
            assert _tags(provider, "text", run) == {"note", "notes"}
            assert "half way" in _text(provider, run, "note")
            key = SeriesKey(run, "weights")
            counts = decoded_histogram(provider.payload("histogram", key, 0)).counts
            assert counts[counts > 0].tolist() == [20.0] * 5


@pytest.mark.parametrize(("place", "above"), [("mlflow_files", "mlruns"), ("mlflow_database", "mlflow")])
def test_the_numbers_of_mlflow_are_those_of_its_client(
    provider: LocalProvider, place: str, above: str
) -> None:
    origins = {
        json.loads(info.content)["id"]: info.key.run
        for info in provider.series("importers")
        if info.key.run.startswith(f"{place}/")
    }
    values = _expected(place)
    assert origins.keys() == values.keys()
    status = {"FINISHED": "success", "FAILED": "failure"}
    for run_id, known in values.items():
        run = origins[run_id]
        assert run.startswith(f"{place}/{above}/{known['experiment']}/{known['name']}")
        for tag, history in known["metrics"].items():
            # the database holds the largest float64 for infinity
            expected = [(step, value.replace("1.7976931348623157e+308", "inf")) for step, _, value in history]
            assert _points(provider, run, tag) == expected
            key = SeriesKey(run, tag)
            times = provider.scalars("scalar", [key])[key].wall_times
            assert np.allclose(times, [when / 1000 for _, when, _ in history], rtol=0, atol=1e-6)
        assert _tags(provider, "scalar", run) == set(known["metrics"])
        assert {key: str(value) for key, value in _config(provider, run).items()} == {
            key: value if value in ("True", "adam") else str(float(value))
            for key, value in known["params"].items()
        }
        assert _status(provider, run) == status[known["status"]]
    twice = [run for run in origins.values() if "/digits/twice" in run]
    assert len(twice) == len(set(twice)) == 2
    [with_artifacts] = [run for run in twice if _tags(provider, "image", run)]
    assert _tags(provider, "image", with_artifacts) == {"artifacts/picture.png", "sample"}
    assert _tags(provider, "text", with_artifacts) == {"artifacts/notes.md"}
    assert _tags(provider, "media", with_artifacts) == {"artifacts/table.json"}
    [sample] = provider.series("image", runs=[with_artifacts], tags=["sample"])
    assert (sample.first_step, sample.last_step) == (3, 3)


def test_columns_of_the_run_table_say_where_a_run_comes_from(provider: LocalProvider) -> None:
    [columns] = insight_importers.insight_run_columns()
    ctx = context_of(insight_importers.insight_plugin(), provider)
    names = [column.name for column in columns.columns(ctx)]
    assert {"tracker", "project", "name", "group", "tags", "id", "user", "command"} <= set(names)
    runs = [run.name for run in provider.runs()]
    cells = columns.values(ctx, ["tracker", "project", "tags"], runs)
    assert cells["tracker"].keys() == set(runs)
    known = {"W&B", "Trackio", "MLflow", "Optuna", "SwanLab", "VisualDL", "Aim"}
    assert set(cells["tracker"].values()) == known
    assert cells["tags"]["wandb/wandb/adam abcd1234"] == "small, first"
    assert cells["project"]["trackio/digits/first"] == "digits"
