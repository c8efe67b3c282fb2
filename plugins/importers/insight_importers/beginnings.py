"""Tells by its first bytes whether a file is a store of a tracker."""

from __future__ import annotations

WANDB = b":W&B\xe1\xbe"
SWANLAB = b":SWL\xd6\xe1"
AIM_EXPORT = b'{"aim_export": '
_VISUALDL = b"meta_data_tag"


def of_wandb(beginning: bytes) -> bool:
    """Whether a file begins as W&B's logs do: a mark and a number; the version is compared later."""
    return beginning.startswith(WANDB)


def of_sqlite(beginning: bytes) -> bool:
    """Whether a file is a database of SQLite, of whatever program."""
    return beginning.startswith(b"SQLite format 3\0")


def of_mlflow_experiment(beginning: bytes) -> bool:
    """Whether a file describes an experiment of MLflow, and neither a run nor a model."""
    keys = {line.partition(b":")[0] for line in beginning.split(b"\n")}
    return {b"artifact_location", b"experiment_id", b"name"} <= keys and not {b"run_id", b"model_id"} & keys


def of_swanlab(beginning: bytes) -> bool:
    """Whether a file begins as SwanLab's logs do; the version is compared later."""
    return beginning.startswith(SWANLAB)


def of_visualdl(beginning: bytes) -> bool:
    """Whether a file begins with the record that VisualDL writes first."""
    return _VISUALDL in beginning[:64]


def of_parquet(beginning: bytes) -> bool:
    """Whether a file is one of Parquet, of whatever program."""
    return beginning.startswith(b"PAR1")


def of_aim_export(beginning: bytes) -> bool:
    """Whether a file begins as the exports of ``aim_export`` do; the version is compared later."""
    return beginning.startswith(AIM_EXPORT)
