"""``import insight_record.mlflow as mlflow``: what a script for MLflow records, and what it is told."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import insight_host
from insight_record import mlflow
from tests.recording.accumulated import accumulated

PIXELS = (np.arange(5 * 4 * 3, dtype=np.uint8) * 4).reshape(5, 4, 3)


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No run of another test is open, and no variable of the machine counts."""
    for name in ("MLFLOW_EXPERIMENT_NAME", "MLFLOW_RUN_NAME", "MLFLOW_RUN_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    mlflow.set_experiment("digits")
    yield
    while mlflow.active_run() is not None:
        mlflow.end_run()


def test_metrics_stand_at_the_steps_that_are_given(tmp_path: Path) -> None:
    with mlflow.start_run(run_name="first") as run:
        for step in (5, 3, 3):
            mlflow.log_metric("loss", step / 2, step=step)
        mlflow.log_metrics({"acc": np.float32(0.5), "f1": 1}, timestamp=1_700_000_000_000)
        assert run.info.run_name == "first"
        assert mlflow.active_run() is run
    assert mlflow.active_run() is None
    found = accumulated(tmp_path / "runs")["digits/first"]["scalars"]
    assert found == {"loss": [(5, 2.5), (3, 1.5), (3, 1.5)], "acc": [(0, 0.5)], "f1": [(0, 1)]}


def test_parameters_and_tags_become_columns(tmp_path: Path) -> None:
    with mlflow.start_run(run_name="first", tags={"team": "a"}):
        assert mlflow.log_param("lr", 0.5) == 0.5
        mlflow.log_params({"depth": 3, "lr": 0.5})
        with pytest.raises(ValueError, match=r"lr is '0\.5', and cannot become 1"):
            mlflow.log_param("lr", 1)
        mlflow.set_tag("team", "b")
    [row] = insight_host.open("runs").hparams().to_pandas().to_dict("records")
    assert (row["lr"], row["depth"], row["tags/team"]) == (0.5, 3, "b")


def test_files_become_pictures_texts_and_tables(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": [1, 2], "said": ["one", "two"]})
    with mlflow.start_run(run_name="first", description="why"):
        mlflow.log_image(PIXELS, "shown/last.png")
        mlflow.log_image(PIXELS, key="seen", step=7)
        mlflow.log_text("words", "notes/a.txt")
        mlflow.log_text("<b>x</b>", "page.html")
        mlflow.log_dict({"a": 1}, "settings.json")
        mlflow.log_table(frame, "frame.json")
        mlflow.log_table({"id": [1], "said": ["one"]}, "columns.json")
    found = accumulated(tmp_path / "runs")["digits/first"]
    assert {tag: values[0][0] for tag, values in found["images"].items()} == {"shown/last": 0, "seen": 7}
    kept = {tag: values[0][3] for tag, values in found["tensors"].items()}
    assert kept["notes/a/text_summary"] == [b"words"]
    assert kept["description/text_summary"] == [b"why"]
    assert kept["settings/text_summary"] == [b'```json\n{\n  "a": 1\n}\n```']
    assert kept["page"] == [b"text/html", b"<b>x</b>"]
    assert kept["columns"] == [b"text/csv", b"id,said\r\n1,one\r\n"]
    pd.testing.assert_frame_equal(pd.read_csv(io.BytesIO(kept["frame"][1])), frame)


def test_how_a_run_ended_is_recorded() -> None:
    """Also of one that the interpreter ends, which MLflow calls finished."""
    with pytest.raises(ZeroDivisionError), mlflow.start_run(run_name="bad"):
        mlflow.log_metric("a", 1 / 0)
    script = "import insight_record.mlflow as m; m.start_run(run_name='left'); m.log_metric('a', 1)"
    environment = {**os.environ, "MLFLOW_EXPERIMENT_NAME": "digits"}
    subprocess.run([sys.executable, "-c", script], check=True, env=environment)
    rows = insight_host.open("runs").runs().to_pandas()
    assert dict(zip(rows.run, rows.status, strict=True)) == {
        "digits/bad": "failed",
        "digits/left": "finished",
    }


def test_a_run_within_another_is_a_run_of_its_own(tmp_path: Path) -> None:
    with mlflow.start_run(run_name="outer"):
        with pytest.raises(ValueError, match="outer is active"):
            mlflow.start_run()
        with mlflow.start_run(run_name="inner", nested=True):
            mlflow.log_metric("a", 1)
        mlflow.log_metric("a", 2)
    found = accumulated(tmp_path / "runs")
    assert {run: read["scalars"] for run, read in found.items()} == {
        "digits/inner": {"a": [(0, 1)]},
        "digits/outer": {"a": [(0, 2)]},
    }


def test_a_value_of_a_run_that_is_not_active_is_refused(tmp_path: Path) -> None:
    with mlflow.start_run(run_name="outer") as outer, mlflow.start_run(run_name="inner", nested=True):
        mlflow.log_metric("a", 1, run_id=outer.info.run_id)
        with pytest.raises(ValueError, match="no run gone is active"):
            mlflow.log_metrics({"a": 2}, run_id="gone")
        with pytest.raises(ValueError, match="no run gone is active"):
            mlflow.log_text("words", "a.txt", run_id="gone")
    found = accumulated(tmp_path / "runs")
    assert (found["digits/outer"]["scalars"], found["digits/inner"]["scalars"]) == ({"a": [(0, 1)]}, {})


def test_parameters_that_are_refused_leave_none(tmp_path: Path) -> None:
    with mlflow.start_run(run_name="first"):
        mlflow.log_param("lr", 1)
        with pytest.raises(ValueError, match="cannot become"):
            mlflow.log_params({"depth": 3, "lr": 2})
        mlflow.log_param("depth", 4)
    [row] = insight_host.open("runs").hparams().to_pandas().to_dict("records")
    assert (row["lr"], row["depth"]) == (1, 4)


def test_what_is_not_recorded_says_so() -> None:
    with pytest.raises(AttributeError, match=r"insight_record\.mlflow has no 'log_model': copy the model"):
        _ = mlflow.log_model
    with pytest.raises(AttributeError, match=r"has no 'autolog': .*collectors"):
        mlflow.autolog()
