"""Tells by its first bytes whether a file is a store of a tracker."""

from __future__ import annotations

import json

from insight_core.plugin import databases
from insight_record.formats.protobuf import LENGTH_DELIMITED, fields

WANDB = b":W&B\xe1\xbe"
SWANLAB = b":SWL\xd6\xe1"
AIM_EXPORT = b'{"aim_export": '
_LENGTH = 8  # bytes before a record of VisualDL
_VALUES, _ID, _TAG = 1, 1, 2  # of a record, and of a value


def of_wandb(beginning: bytes) -> bool:
    """Whether a file begins as W&B's logs do: a mark and a number; the version is compared later."""
    return beginning.startswith(WANDB)


def of_sqlite(beginning: bytes) -> bool:
    """Whether a file is a database of SQLite, of whatever program."""
    return beginning.startswith(databases.MARK)


def of_mlflow_experiment(beginning: bytes) -> bool:
    """Whether a file describes an experiment of MLflow, and neither a run nor a model."""
    keys = {line.partition(b":")[0] for line in beginning.split(b"\n")}
    return {b"artifact_location", b"experiment_id", b"name"} <= keys and not {b"run_id", b"model_id"} & keys


def of_swanlab(beginning: bytes) -> bool:
    """Whether a file begins as SwanLab's logs do; the version is compared later."""
    return beginning.startswith(SWANLAB)


def of_visualdl(beginning: bytes) -> bool:
    """Whether a file begins with a record as VisualDL writes it: one value, which has a tag.

    Since version 2.1 the tag is ``meta_data_tag``, before that it is any.
    """
    end = _LENGTH + int.from_bytes(beginning[:_LENGTH], "little")
    try:
        [number, kind, start, last, _] = next(fields(beginning, _LENGTH, end))
        if (number, kind, last) != (_VALUES, LENGTH_DELIMITED, end):
            return False
        for number, kind, first, last, _ in fields(beginning, start, end):
            if number == _TAG:
                tag = beginning[first:last]
                return kind == LENGTH_DELIMITED and len(tag) == last - first and bool(tag.decode())
            if number != _ID:
                return False
    except (ValueError, IndexError, StopIteration):
        pass
    return False


def of_aim_export(beginning: bytes) -> bool:
    """Whether a file begins as the exports of ``aim_export`` do; the version is compared later."""
    return beginning.startswith(AIM_EXPORT)


def of_optuna_journal(beginning: bytes) -> bool:
    """Whether a file begins as journals of Optuna do."""
    line = beginning.partition(b"\n")[0]
    try:
        return line.startswith(b'{"op_code":') and "study_name" in json.loads(line)
    except (ValueError, RecursionError):
        return False
