"""Outputs of fifteen programs next to each other: each is a run with its name, metrics, steps and settings.

The files were written by the programs themselves; the tests of each reader compare all values.
"""

from __future__ import annotations

import lzma
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import insight_host
from insight_core.providers.common import unread_reasons

PLUGINS = Path(__file__).parents[1] / "plugins"
LOGS, STORES = (PLUGINS / name / "tests" / "fixtures" for name in ("metric_logs", "importers"))
DIRECTORIES = {
    **{path.name: path for path in LOGS.iterdir() if path.is_dir()},
    **{
        name: STORES / name
        for name in ("aim", "mlflow_files", "optuna", "swanlab", "trackio", "visualdl", "wandb")
    },
    "swanlab_old": STORES / "swanlab_old" / "0.5.9",
    "exports": STORES / "wandb_history",
}
# run, a metric, its first and last step, and a setting with its value where the program writes settings
RUNS: list[tuple[str, str, int, int, tuple[str, float] | None]] = [
    ("catboost/catboost_info", "test/RMSE", 0, 5, None),
    ("dvclive/dvclive", "train/loss", 0, 3, None),
    ("hugging_face", "eval/loss", 4, 8, ("hidden_size", 8)),
    ("hydra/outputs/first/csv/version_0", "loss", 0, 4, ("optimizer.lr", 0.25)),
    ("keras", "val_loss", 0, 3, None),
    ("lightning/version_0", "train_loss", 0, 5, ("lr", 0.02)),
    ("llama_factory", "loss", 1, 8, None),
    ("mmengine/20260101_000000", "loss", 10, 50, None),
    ("ray/trainer_abc_00000", "loss", 1, 4, ("lr", 0.01)),
    ("stable_baselines3", "rollout/ep_rew_mean", 64, 320, None),
    ("timm", "eval_top1", 0, 3, ("lr", 0.1)),
    ("ultralytics/train", "train/box_loss", 1, 3, ("lr0", 0.01)),
    ("aim/digits/adam 64960098", "loss/loader=2,subset=val", 0, 20, ("lr", 0.1)),
    ("mlflow_files/mlruns/digits/twice", "train/loss", 0, 19, ("lr", 0.2)),
    ("optuna/optuna/tune/trial 0", "intermediate_value", 0, 4, ("lr", 0.0017826497151386949)),
    ("swanlab/first 5dyemgrd", "train/loss", 0, 29, ("lr", 0.1)),
    ("swanlab_old/first run-20261130_000056-67fd9083", "train/loss", 0, 1099, ("lr", 0.1)),
    ("trackio/digits/first", "train/loss", 0, 29, ("lr", 0.1)),
    ("visualdl/first", "train/loss", 0, 29, ("lr", 0.1)),
    ("wandb/wandb/adam abcd1234", "train/loss", 0, 39, ("lr", 0.1)),
    ("exports/somebody_digits_abcd1234", "loss", 0, 59, None),
]
# of programs that say how a run ended
STATUS = {
    "aim/digits/adam 64960098": "finished",
    "mlflow_files/mlruns/digits/twice": "finished",
    "optuna/optuna/tune/trial 0": "finished",
    "optuna/optuna/tune/trial 3": "failed",
    "swanlab/first 5dyemgrd": "finished",
    "swanlab_old/first run-20261130_000056-67fd9083": "finished",
    "wandb/wandb/adam abcd1234": "finished",
    "visualdl/first": "stopped",
    "stable_baselines3": "stopped",
}


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[insight_host.Logs]:
    place = tmp_path_factory.mktemp("tools") / "runs"
    for name, source in DIRECTORIES.items():
        shutil.copytree(source, place / name, ignore=shutil.ignore_patterns("values.json"))
    for packed in place.rglob("*.xz"):
        packed.with_suffix("").write_bytes(lzma.decompress(packed.read_bytes()))
        packed.unlink()
    with insight_host.open(place) as found:
        yield found


def test_every_program_is_a_run_with_metrics_over_its_steps(logs: insight_host.Logs) -> None:
    series = logs.series("scalar").to_pandas()
    rows = zip(series["run"], series["tag"], series["first_step"], series["last_step"], strict=True)
    found = {(run, tag): (first, last) for run, tag, first, last in rows}
    shown = {run: found[(run, tag)] for run, tag, *_ in RUNS}
    assert shown == {run: (first, last) for run, _, first, last, _ in RUNS}


def test_settings_are_those_of_their_own_run(logs: insight_host.Logs) -> None:
    table = logs.hparams().to_pandas().set_index("run")
    given = {run: setting for run, _, _, _, setting in RUNS if setting is not None}
    assert {run: (name, table.loc[run, name]) for run, (name, _) in given.items()} == given


def test_no_run_of_another_tracker_is_said_to_be_of_tensorboard(logs: insight_host.Logs) -> None:
    """The event files into which the host translates its store are none of the user's."""
    assert {run.name: run.dialects for run in logs.provider.runs() if run.dialects} == {}


def test_runs_have_the_status_that_their_programs_wrote(logs: insight_host.Logs) -> None:
    """What only stopped writing is not said to have finished or failed."""
    table = logs.runs().to_pandas().set_index("run")["status"]
    found = {run: table[run] for run in (*STATUS, "mlflow_files/mlruns/with/slash/fails")}
    assert found == {**STATUS, "mlflow_files/mlruns/with/slash/fails": "failed"}
    assert set(table.dropna()) == {"finished", "failed", "stopped"}


def test_nothing_of_these_programs_is_listed_as_not_read(logs: insight_host.Logs) -> None:
    """Their stores have files that look like console logs, tables and databases of others."""
    assert unread_reasons(logs.provider) == []


def test_no_run_is_of_two_programs_and_nothing_is_damaged(logs: insight_host.Logs) -> None:
    named = set(logs.runs().to_pandas()["run"])
    assert {name.partition("/")[0] for name in named} == DIRECTORIES.keys()
    damage = logs.damage().to_pandas()
    assert set(damage["run"]) <= {"exports/somebody_digits_abcd1234"}  # its media were not downloaded
