"""Logs that other programs wrote: what is shown is what pandas and PyYAML read in the same files."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterator
from pathlib import Path

import pandas
import pytest
from insight_metric_logs import FORMATS

from insight_core.plugin import HyperParameters
from insight_core.plugin.data import SeriesKey
from insight_core.plugin.log_tables import log_table
from insight_core.plugin.testing import read_all
from tests.program_logs import PROGRAMS, Load, Points, curves, looked_at, settings


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Load]:
    with looked_at(tmp_path) as look:
        yield look


def _oracle(frame: pandas.DataFrame, steps: pandas.Series, without: set[str]) -> dict[str, Points]:
    """The numbers of each column by step, without empty cells."""
    found: dict[str, Points] = {}
    for name in frame.columns:
        if name in without:
            continue
        there = frame[name].notna()
        values = frame[name][there].astype(float)
        found[name] = list(zip(steps[there].astype(int).tolist(), values.tolist(), strict=True))
    return {name: points for name, points in found.items() if points}


# run, file, step, columns that are no series, prefix of tags
CSV = [
    ("lightning/version_0", "metrics.csv", "step", set(), ""),
    ("ultralytics/train", "results.csv", "epoch", set(), ""),
    ("stable_baselines3", "progress.csv", "time/total_timesteps", set(), ""),
    ("keras", "my_run.csv", "epoch", set(), ""),
    ("timm", "summary.csv", "epoch", set(), ""),
    ("catboost/catboost_info", "learn_error.tsv", "iter", set(), "learn/"),
    ("catboost/catboost_info", "test_error.tsv", "iter", set(), "test/"),
    (
        *("ray/trainer_abc_00000", "progress.csv", "training_iteration"),
        *({"timestamp", "trial_id", "date", "hostname", "node_ip", "pid", "done"}, ""),
    ),
]


@pytest.mark.parametrize(
    ("run", "name", "step", "without", "prefix"), CSV, ids=lambda one: one if isinstance(one, str) else ""
)
def test_a_table_is_what_pandas_reads(
    tmp_path: Path, load: Load, run: str, name: str, step: str, without: set[str], prefix: str
) -> None:
    (tmp_path / run).mkdir(parents=True)
    shutil.copy(PROGRAMS / run / name, tmp_path / run)
    provider = load()
    frame = pandas.read_csv(PROGRAMS / run / name, sep="\t" if name.endswith("tsv") else ",")
    expected = _oracle(frame, frame[step], {step, *without})
    assert curves(provider, run) == {prefix + tag: points for tag, points in expected.items()}
    assert list(provider.damage()) == []


@pytest.mark.parametrize(
    ("run", "name", "step", "without", "prefix"), CSV, ids=lambda one: one if isinstance(one, str) else ""
)
def test_a_table_that_grows_arrives_live_without_a_point_lost(
    tmp_path: Path, load: Load, run: str, name: str, step: str, without: set[str], prefix: str
) -> None:
    (tmp_path / run).mkdir(parents=True)
    data = (PROGRAMS / run / name).read_bytes()
    path = tmp_path / run / name
    lines = data.splitlines(keepends=True)
    begun = b"".join(lines[:2])
    path.write_bytes(begun + lines[2][: len(lines[2]) // 2])  # a header, a row, and the half of one
    first = curves(load(), run)
    assert all(len(points) == 1 for points in first.values())
    with path.open("ab") as file:
        file.write(data[path.stat().st_size :])
    provider = load()
    frame = pandas.read_csv(PROGRAMS / run / name, sep="\t" if name.endswith("tsv") else ",")
    expected = _oracle(frame, frame[step], {step, *without})
    assert curves(provider, run) == {prefix + tag: points for tag, points in expected.items()}
    assert list(provider.damage()) == []


JSON_LINES = [
    ("mmengine/20260101_000000", "vis_data/scalars.json", "step", set()),
    ("llama_factory", "trainer_log.jsonl", "current_steps", {"elapsed_time", "remaining_time"}),
]


@pytest.mark.parametrize(
    ("run", "name", "step", "without"), JSON_LINES, ids=lambda one: one if isinstance(one, str) else ""
)
def test_lines_of_json_are_what_pandas_reads(
    tmp_path: Path, load: Load, run: str, name: str, step: str, without: set[str]
) -> None:
    path = tmp_path / run / name
    path.parent.mkdir(parents=True)
    data = (PROGRAMS / run / name).read_bytes()
    path.write_bytes(data[: len(data) // 2])
    load()
    with path.open("ab") as file:
        file.write(data[len(data) // 2 :])
    provider = load()
    frame = pandas.read_json(PROGRAMS / run / name, lines=True, precise_float=True)
    assert curves(provider, run) == _oracle(frame, frame[step], {step, *without})
    assert list(provider.damage()) == []


def test_a_result_of_ray_alone_gives_what_its_csv_gives(tmp_path: Path, load: Load) -> None:
    for name, files in {
        "both": ("progress.csv", "result.json", "params.json"),
        "json": ("result.json",),
    }.items():
        (tmp_path / name).mkdir()
        for file in files:
            shutil.copy(PROGRAMS / "ray/trainer_abc_00000" / file, tmp_path / name)
    provider = load()
    assert curves(provider, "both") == curves(provider, "json")
    assert settings(provider, "both") == settings(provider, "json") == {"lr": 0.01, "model.dim": 8}
    assert list(provider.damage()) == []


def test_episodes_of_a_monitor_stand_at_the_steps_that_they_end_at(tmp_path: Path, load: Load) -> None:
    path = PROGRAMS / "stable_baselines3" / "0.monitor.csv"
    shutil.copy(path, tmp_path)
    frame = pandas.read_csv(path, skiprows=1)
    begun = json.loads(path.read_text().splitlines()[0][1:])["t_start"]
    provider = load()
    steps = frame["l"].cumsum()
    assert curves(provider, ".") == {
        "0.monitor/episode/reward": list(zip(steps.tolist(), frame["r"].tolist(), strict=True)),
        "0.monitor/episode/length": list(zip(steps.tolist(), frame["l"].astype(float).tolist(), strict=True)),
    }
    key = SeriesKey(".", "0.monitor/episode/reward")
    times = provider.scalars("scalar", [key])[key].wall_times
    assert times.tolist() == pytest.approx((begun + frame["t"]).tolist(), abs=1e-3)


def test_a_history_of_keras_counts_epochs(tmp_path: Path, load: Load) -> None:
    shutil.copy(PROGRAMS / "keras/json/history.json", tmp_path)
    frame = pandas.DataFrame(json.loads((PROGRAMS / "keras/json/history.json").read_text()))
    assert curves(load(), ".") == _oracle(frame, frame.index.to_series(), set())


def test_emissions_are_a_row_for_each_training_with_their_machine_assettings(
    tmp_path: Path, load: Load
) -> None:
    shutil.copy(PROGRAMS / "codecarbon/emissions.csv", tmp_path)
    frame = pandas.read_csv(PROGRAMS / "codecarbon/emissions.csv")
    provider = load()
    found = curves(provider, ".")
    assert [value for _, value in found["emissions/energy_consumed"]] == frame["energy_consumed"].tolist()
    key = SeriesKey(".", "emissions/emissions")
    times = provider.scalars("scalar", [key])[key].wall_times.tolist()
    assert times == [one.timestamp() for one in pandas.to_datetime(frame["timestamp"], utc=True)]
    assert settings(provider, ".")["cpu_model"] == frame["cpu_model"][0]
    assert list(provider.damage()) == []


# --- programs that need hardware or compilers: files as their sources write them ---


def test_monitors_of_deepspeed_are_named_by_their_files(tmp_path: Path, load: Load) -> None:
    (tmp_path / "Train_Samples_train_loss.csv").write_text("step,train_loss\n8,0.5\n16,0.25\n")
    (tmp_path / "Train_Samples_lr.csv").write_text("step,lr\n8,0.001\n")
    assert curves(load(), ".") == {
        "Train_Samples_train_loss": [(8, 0.5), (16, 0.25)],
        "Train_Samples_lr": [(8, 0.001)],
    }


def test_rows_of_ms_swift_detectron2_and_dreamer_stand_at_their_steps(tmp_path: Path, load: Load) -> None:
    rows: dict[str, list[dict[str, object]]] = {
        "swift/logging.jsonl": [{"loss": 2.0, "global_step/max_steps": "5/100", "percentage": "5.00%"}],
        "detectron2/metrics.json": [
            {"iteration": 19, "total_loss": 2.0},
            {"iteration": 39, "total_loss": 1.0},
        ],
        "dreamer/scores.jsonl": [{"step": 1000, "episode/score": 5.0}],
    }
    for name, lines in rows.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    provider = load()
    assert curves(provider, "swift") == {"loss": [(5, 2.0)]}
    assert curves(provider, "detectron2") == {"total_loss": [(19, 2.0), (39, 1.0)]}
    assert curves(provider, "dreamer") == {"episode/score": [(1000, 5.0)]}
    assert list(provider.damage()) == []


def test_metrics_of_dvc_are_one_point_each(tmp_path: Path, load: Load) -> None:
    (tmp_path / "metrics.json").write_text(json.dumps({"accuracy": 0.5, "train": {"loss": 2}}, indent=2))
    assert curves(load(), ".") == {"accuracy": [(0, 0.5)], "train/loss": [(0, 2.0)]}


# --- headers that change ---


def test_a_header_that_changes_gives_new_columns_and_a_restart_another_attempt(
    tmp_path: Path, load: Load
) -> None:
    path = tmp_path / "summary.csv"
    path.write_text("epoch,train_loss\n0,3\n1,2\n2,1\n")
    load()
    with path.open("a") as file:
        file.write("epoch,train_loss,eval_top1\n1,1.5,70\n2,0.5,80\n")
    provider = load()
    found = curves(provider, ".")
    assert found == {"train_loss": [(0, 3.0), (1, 1.5), (2, 0.5)], "eval_top1": [(1, 70.0), (2, 80.0)]}
    [info] = [info for info in provider.series("scalar") if info.key.tag == "train_loss"]
    assert (info.points, info.attempts) == (5, 2)


@pytest.mark.parametrize("pieces", [1, 7, 40])
def test_a_file_of_every_program_in_pieces_gives_the_same(pieces: int) -> None:
    by_name = {each.name: each for each in FORMATS}
    for name, path in {
        "Ultralytics": "ultralytics/train/results.csv",
        "Stable-Baselines3": "stable_baselines3/progress.csv",
        "Monitor of Stable-Baselines3": "stable_baselines3/0.monitor.csv",
        "LLaMA-Factory": "llama_factory/trainer_log.jsonl",
        "CodeCarbon": "codecarbon/emissions.csv",
    }.items():
        data = (PROGRAMS / path).read_bytes()
        whole, cut = (read_all(by_name[name], data, count, Path(path).name) for count in (1, pieces))
        assert whole.points.keys() == cut.points.keys()
        for tag, one in whole.points.items():
            other = cut.points[tag]
            assert one.steps.tolist() == other.steps.tolist()
            assert [x for x in one.values if not math.isnan(x)] == [
                x for x in other.values if not math.isnan(x)
            ]
        assert not whole.flaws
        assert not cut.flaws


def test_a_format_of_ones_own_is_one_line() -> None:
    ours = log_table(
        "ours",
        "history.csv",
        step="epoch",
        time="ms",
        time_unit=0.001,
        names={"val_*": "val/*", "acc": "accuracy"},
        without=["host*"],
        settings=["cfg.*"],
    )
    text = b"epoch,ms,val_loss,acc,hostname,cfg.lr\n0,1500,2,0.5,a,0.1\n1,2500,1,0.75,a,0.1\n"
    found = read_all(ours, text, name="history.csv")
    assert {tag: one.values.tolist() for tag, one in found.points.items()} == {
        "val/loss": [2.0, 1.0],
        "accuracy": [0.5, 0.75],
    }
    assert found.points["val/loss"].wall_times.tolist() == [1.5, 2.5]
    assert [one.values for one in found.others if isinstance(one, HyperParameters)] == [{"lr": 0.1}]
    assert not found.flaws
    with pytest.raises(ValueError, match="its layout is 'xml', not one of csv"):
        log_table("ours", "history.xml", layout="xml")
