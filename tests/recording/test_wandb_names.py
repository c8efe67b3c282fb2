"""``import insight_record.wandb as wandb``: what a script for W&B records, and what it is told."""

from __future__ import annotations

import io
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import insight_host
from insight_record import wandb
from tests.recording.accumulated import accumulated

PIXELS = (np.arange(5 * 4 * 3, dtype=np.uint8) * 4).reshape(5, 4, 3)


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No run of another test is open, and no variable of the machine counts."""
    for name in ("PROJECT", "NAME", "DIR", "MODE", "RUN_ID", "RUN_GROUP", "TAGS", "NOTES", "RESUME"):
        monkeypatch.delenv(f"WANDB_{name}", raising=False)
    monkeypatch.setenv("WANDB_DIR", str(tmp_path))
    yield
    wandb.finish()


def read(directory: Path, run: str) -> dict[str, Any]:
    return accumulated(directory)[run]


def test_every_log_is_a_step(tmp_path: Path) -> None:
    run = wandb.init(project="digits", name="first")
    for loss in (3, 2.5, np.float32(2), np.array([1.5]), True):
        wandb.log({"loss": loss, "deep": {"a": {"b": 1}}, "nothing": None})
    assert run.step == 5
    wandb.finish()
    found = read(tmp_path, "digits/first")["scalars"]
    assert found == {
        "loss": [(0, 3), (1, 2.5), (2, 2), (3, 1.5), (4, 1)],
        "deep.a.b": [(step, 1) for step in range(5)],
    }


def test_values_of_one_step_may_come_in_several_calls(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with wandb.init(name="first") as run:
        run.log({"a": 1}, commit=False)
        run.log({"a": 2, "b": 3})
        run.log({"a": 4}, step=10)
        run.log({"b": 5}, step=10)
        run.log({"a": 6}, step=3)  # W&B refuses it, too
        run.log({"a": 7}, step=np.int64(12))
    found = read(tmp_path, "first")["scalars"]
    assert found == {"a": [(0, 2), (10, 4), (12, 7)], "b": [(0, 3), (10, 5)]}
    assert [record.message for record in caplog.records if record.levelno == logging.WARNING] == [
        "values of step 3 are left out: step 10 is recorded already"
    ]


def test_metrics_stand_over_the_metric_that_was_defined(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with wandb.init(name="first") as run:
        run.define_metric("val/*", step_metric="epoch")
        run.define_metric("val/slow", step_metric="hours")
        for epoch in (1, 2):
            run.log({"loss": 0.5})
            run.log({"epoch": epoch, "hours": epoch / 2, "val/acc": 0.25, "val/slow": 0.75})
    found = read(tmp_path, "first")["scalars"]
    assert found["val/acc"] == [(1, 0.25), (2, 0.25)]
    assert found["loss"] == [(0, 0.5), (2, 0.5)]
    assert found["val/slow"] == [(1, 0.75), (1, 0.75)], "0.5 is no step: W&B's own, then hour 1"
    assert "hours has fractions" in caplog.text


def test_the_configuration_becomes_columns(tmp_path: Path) -> None:
    config = {"lr": 0.5, "model": {"depth": 3}}
    run = wandb.init(project="digits", name="first", config=config, group="g", tags=["a", "b"], id="x1")
    wandb.config.update(SimpleNamespace(batch=32))
    wandb.config.seed = 7
    run.config.setdefaults({"seed": 8, "width": 16})
    assert (run.config.seed, run.config["model"], run.config.get("none")) == (7, {"depth": 3}, None)
    with pytest.raises(ValueError, match=r"config has lr=0\.5: .*allow_val_change"):
        run.config["lr"] = 1
    run.config.update({"lr": 1}, allow_val_change=True)
    wandb.finish()
    found = insight_host.open(tmp_path).hparams().to_pandas()
    expected = {"lr": 1, "model/depth": 3, "batch": 32, "seed": 7, "width": 16}
    facts = {"project": "digits", "name": "first", "id": "x1", "group": "g", "tags": "a, b"}
    [row] = found.to_dict("records")
    assert {name: row[name] for name in expected} == expected
    assert {name: row[f"wandb/{name}"] for name in facts} == facts


def test_only_some_keys_of_the_configuration_are_taken(tmp_path: Path) -> None:
    given = {"a": 1, "b": 2, "c": 3}
    assert dict(wandb.init(config=given, config_exclude_keys=["b"]).config) == {"a": 1, "c": 3}
    assert dict(wandb.init(config=given, config_include_keys=["b"], reinit=True).config) == {"b": 2}


def test_the_summary_has_last_values_and_what_is_set(tmp_path: Path) -> None:
    run = wandb.init(name="first")
    run.define_metric("acc", summary="max")
    run.define_metric("time", summary="mean")
    for number in (1, 3, 2):
        run.log({"loss": number, "acc": number, "time": number})
    assert run.summary.as_dict() == {"loss": 2, "acc": 3, "time": 2}
    run.summary["best"] = 0.5
    run.summary.update({"comment": "fine"})
    assert wandb.summary.best == 0.5
    run.finish()
    found = read(tmp_path, "first")
    assert found["scalars"]["best"] == [(2, 0.5)], "at the last step"
    assert found["scalars"].keys() == {"loss", "acc", "time", "best"}


def test_pictures_of_all_kinds(tmp_path: Path) -> None:
    Image.fromarray(PIXELS).save(tmp_path / "picture.png")
    with wandb.init(name="first") as run:
        run.log(
            {
                "array": wandb.Image(PIXELS),
                "path": wandb.Image(str(tmp_path / "picture.png")),
                "pillow": Image.fromarray(PIXELS),
                "fractions": wandb.Image(PIXELS.astype(np.float64)),  # beyond 1: 0 to 255
                "listed": [wandb.Image(PIXELS), wandb.Image(PIXELS[:, :, 0])],
            }
        )
    found = read(tmp_path, "first")["images"]
    assert found.keys() == {"array", "path", "pillow", "fractions", "listed/0", "listed/1"}
    for tag in found.keys() - {"listed/1"}:
        [(step, width, height, _, [frame])] = found[tag]
        assert (step, width, height) == (0, 4, 5)
        assert np.array(frame)[:, :, :3].tolist() == PIXELS.tolist(), tag


def test_histograms_of_numbers_and_of_counts(tmp_path: Path) -> None:
    counts, edges = np.histogram([0.0, 1, 1, 2], bins=2)
    with wandb.init(name="first") as run:
        run.log({"counted": wandb.Histogram(np_histogram=(counts, edges))})
        run.log({"numbers": wandb.Histogram([0.0, 1, 1, 2], num_bins=2), "array": np.arange(100)})
    found = read(tmp_path, "first")["histograms"]
    [(step, (least, most, count, _, _), limits, buckets)] = found["counted"]
    assert (step, least, most, count) == (0, 0, 2, 4)
    assert (limits, buckets) == ([0, 1, 2], [0, 1, 3])
    [(_, numbers, limits, buckets)] = found["numbers"]
    assert (numbers[2], sum(buckets), limits[-1]) == (4, 4, 2)
    assert found["array"][0][1][:3] == (0, 99, 100)


def test_tables_pages_and_texts_are_recorded_for_the_page(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": [1, 2], "said": ["one", 'two, "too"']})
    table = wandb.Table(columns=["id"])
    table.add_data(1)
    table.add_column("score", [0.5])
    with wandb.init(name="first", notes="why") as run:
        run.log(
            {
                "frame": wandb.Table(dataframe=frame),
                "table": table,
                "page": wandb.Html("<b>x</b>"),
                "said": "words",
                "list": [1, 2],
            }
        )
    found = read(tmp_path, "first")["tensors"]
    media = {tag: values[0][3] for tag, values in found.items()}
    assert media["page"] == [b"text/html", b"<b>x</b>"]
    assert media["table"] == [b"text/csv", b"id,score\r\n1,0.5\r\n"]
    kind, content = media["frame"]
    assert kind == b"text/csv"
    pd.testing.assert_frame_equal(pd.read_csv(io.BytesIO(content)), frame)
    assert media["said/text_summary"] == [b"words"]
    assert media["list/text_summary"] == [b"[1, 2]"]
    assert media["notes/text_summary"] == [b"why"]


def test_what_is_not_recorded_says_so() -> None:
    run = wandb.init()
    with pytest.raises(AttributeError, match=r"insight_record\.wandb has no 'Artifact': copy the file"):
        _ = wandb.Artifact
    with pytest.raises(TypeError, match="watch takes modules of PyTorch, not NoneType"):
        run.watch(None)
    assert not hasattr(run, "log_artifact")
    with pytest.raises(TypeError, match="loss: a object cannot be recorded"):
        run.log({"loss": object()})
    run.log({"loss": 1})  # and goes on
    run.finish()
    with pytest.raises(ValueError, match="is finished"):
        run.log({"loss": 2})
    with pytest.raises(wandb.UsageError, match=r"call wandb.init\(\) before wandb.log"):
        wandb.log({"loss": 2})
    assert wandb.run is None


def test_what_a_script_prints_of_its_run_is_there() -> None:
    """As of W&B's own run without a server."""
    run = wandb.init(project="digits", id="x1")
    assert (run.path, run.entity, run.url, run.sweep_id, run.offline) == ("digits/x1", "", None, None, True)
    with pytest.raises(AttributeError, match="has no 'get_url': insight-host DIR shows the run"):
        run.get_url()


def test_a_run_goes_on_after_a_restart(tmp_path: Path) -> None:
    with wandb.init(id="r1", name="long", project="p") as run:
        run.define_metric("loss", step_metric="epoch")
        for epoch in (100, 200):
            run.log({"epoch": epoch, "loss": 1})
    with wandb.init(id="r1", project="p", resume="must") as run:
        assert (run.step, run.resumed) == (2, True), "W&B's step, not that of the axis"
        run.log({"epoch": 300})
    assert read(tmp_path, "p/long-r1")["scalars"]["epoch"] == [(0, 100), (1, 200), (2, 300)]
    with pytest.raises(wandb.UsageError, match="resume='must': no run r2"):
        wandb.init(id="r2", project="p", resume="must")
    with pytest.raises(wandb.UsageError, match="resume='never'"):
        wandb.init(id="r1", project="p", resume="never")


def test_a_run_goes_on_by_the_id_that_it_was_given_and_no_other_run_does(tmp_path: Path) -> None:
    with wandb.init(name="seed-1") as run:
        run.log({"a": 1})
    with wandb.init(id="1", resume="allow") as other:  # the end of a name is no id
        other.log({"a": 2})
    assert (other.resumed, other.starting_step) == (False, 0)
    with wandb.init(id=run.id, resume="must") as again:
        again.log({"a": 3})
        assert (again.starting_step, again.step) == (1, 2)
    found = {name: read["scalars"]["a"] for name, read in accumulated(tmp_path).items()}
    assert found == {"seed-1": [(0, 1), (1, 3)], "1": [(0, 2)]}


def test_what_cannot_be_recorded_takes_no_number_with_it(tmp_path: Path) -> None:
    with wandb.init(name="first") as run:
        with pytest.raises(ValueError, match=r"picture: .*no pixels"):
            run.log({"picture": wandb.Image(np.zeros((0, 4, 3), np.uint8)), "loss": 1})
        run.log({"loss": 2})
    assert read(tmp_path, "first")["scalars"] == {"loss": [(0, 1), (1, 2)]}


def test_runs_of_one_name_have_directories_of_their_own(tmp_path: Path) -> None:
    """Also of processes that begin at once, whatever their ranks."""
    script = (
        "import insight_record.wandb as w; w.init(name='same'); w.log({'a': 1})"  # ended by the interpreter
    )
    command = [sys.executable, "-c", script]
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda rank: subprocess.run(command, check=True, env=_environment(rank)), range(3)))
    found = accumulated(tmp_path)
    assert "same" in found
    assert len(found) == 3
    assert all(run["scalars"] == {"a": [(0, 1)]} for run in found.values())


def _environment(rank: int) -> dict[str, str]:
    return {**os.environ, "RANK": str(rank), "WANDB_SILENT": "true"}


def test_a_disabled_run_writes_nothing(tmp_path: Path) -> None:
    with wandb.init(mode="disabled", config={"a": 1}) as run:
        run.log({"loss": 1, "picture": wandb.Image(PIXELS)})
        run.summary["best"] = 1
        assert (run.step, run.config.a) == (1, 1)
    assert list(tmp_path.iterdir()) == []


def test_a_second_init_returns_the_run_unless_it_may_finish_it() -> None:
    first = wandb.init()
    assert wandb.init() is first
    second = wandb.init(reinit="create_new")
    assert second is not first
    assert wandb.run is first
    third = wandb.init(reinit="finish_previous")
    assert first.is_finished
    assert wandb.run is third
    second.finish()


def test_how_a_run_ended_is_recorded(tmp_path: Path) -> None:
    with wandb.init(name="good") as run:
        run.log({"a": 1})
    with pytest.raises(ZeroDivisionError), wandb.init(name="bad") as run:
        run.log({"a": 1 / 0})
    statuses = {
        row["run"]: row["status"] for row in insight_host.open(tmp_path).runs().to_pandas().to_dict("records")
    }
    assert statuses == {"good": "finished", "bad": "failed"}


@pytest.mark.frameworks
def test_a_script_shows_the_same_as_with_wandb_itself(tmp_path: Path) -> None:
    pytest.importorskip("wandb")
    script = Path(__file__).with_name("wandb_script.py").read_text()
    for module, place in (("wandb", "theirs"), ("insight_record.wandb", "ours")):
        (tmp_path / place).mkdir()
        source = script.replace("import wandb\n", f"import {module} as wandb\n")
        command = [sys.executable, "-c", source, str(tmp_path / place)]
        subprocess.run(command, check=True, capture_output=True, cwd=tmp_path / place)
    read_by_us = []
    for place in ("ours", "theirs"):
        with insight_host.open(tmp_path / place) as logs:  # a process reads W&B's logs, and ends with it
            read_by_us.append(logs.scalars().to_pandas())
    ours, theirs = read_by_us
    hidden = {"acc.max"}  # of W&B's summary: any tag has its largest value in our table
    theirs = theirs[~theirs.tag.str.startswith("system/") & ~theirs.tag.isin(hidden)]
    ours = ours[~ours.tag.str.startswith("system/")]
    kept = ["tag", "step", "value"]
    one, other = (
        frame[kept].astype({"tag": str}).sort_values(kept).reset_index(drop=True) for frame in (ours, theirs)
    )
    assert len(one) > 100
    pd.testing.assert_frame_equal(one, other, rtol=1e-7)  # float32 of event files
