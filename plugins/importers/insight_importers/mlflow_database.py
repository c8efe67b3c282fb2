"""Reads ``mlflow.db``, MLflow's tracking store in SQLite."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from attrs import Factory, define

from insight_importers.mlflow_runs import below, describe, write_artifacts
from insight_importers.series_buffer import SeriesBuffer
from insight_importers.sqlite_files import Database, TrackerRows
from insight_importers.translated_runs import TranslatedRuns

_ROWS = 20_000  # of a call
_LARGEST = 1.7976931348623157e308  # stands for infinity
_RUN = (
    "run_uuid",
    "name",
    "status",
    "start_time",
    "end_time",
    "artifact_uri",
    "experiment_id",
    "lifecycle_stage",
)


@define
class MlflowRows(TrackerRows):
    """The rows that one call read from the database."""

    experiments: dict[Any, str] = Factory(dict)
    runs: dict[str, Any] = Factory(dict)  # active runs, by id
    params: list[Any] = Factory(list)
    tags: dict[str, dict[str, str]] = Factory(dict)
    metrics: list[Any] = Factory(list)
    ends: dict[str, list[int]] = Factory(dict)  # of rows, by table


def is_its(database: Database) -> bool:
    """Whether a database has MLflow's tables."""
    needed = {"metrics": {"key", "value", "timestamp", "run_uuid", "step"}, "runs": {*_RUN} - {"name"}}
    needed |= {"experiments": {"experiment_id", "name"}, "params": {"key", "value", "run_uuid"}}
    return all(columns <= set(database.columns(table)) for table, columns in needed.items())


def read(database: Database, state: Mapping[str, Any]) -> MlflowRows:
    """Experiments, runs and tags as they are now, and the rows behind those that ``state`` counts."""
    found = MlflowRows()
    found.experiments = {one: str(name) for one, name in database.rows("experiments", "experiment_id, name")}
    has = set(database.columns("runs"))
    columns = ", ".join(name if name in has else "NULL" for name in _RUN)
    for row in database.rows("runs", columns):
        if row[-1] in (None, "active"):
            found.runs[str(row[0])] = row
    # rows of deleted runs are passed over; a run that was restored needs them
    passed = set(state.get("passed", ()))
    found.is_other = not passed.isdisjoint(found.runs)
    if "tags" in database.tables:
        for run, key, value in database.rows("tags", "run_uuid, key, value"):
            found.tags.setdefault(str(run), {})[str(key)] = str(value)
    for table, into, names in (
        ("params", found.params, "run_uuid, key, value"),
        ("metrics", found.metrics, "run_uuid, key, step, timestamp, value, is_nan"),
    ):
        if "is_nan" not in database.columns("metrics"):
            names = names.replace("is_nan", "0")
        appended = database.appended(table, "rowid", names, state.get("ends", {}).get(table), _ROWS)
        into += appended.rows
        found.ends[table] = appended.end
        found.is_other |= appended.is_other
        found.is_last &= appended.is_last
    return found


def write(found: MlflowRows, target: TranslatedRuns, source: Path) -> None:
    """Appends the rows to the files of their runs."""
    target.keep(found.runs)
    state = target.state
    state["ends"] = found.ends
    passed = set(state.get("passed", ()))
    params = state.setdefault("params_of", {})
    for key, row in found.runs.items():
        if key not in target:
            target.run(key, _shown(found, source, key, row))
    for _, run_id, name, value in found.params:
        params.setdefault(str(run_id), {})[str(name)] = str(value)
    buffers: dict[str, SeriesBuffer] = {}
    for _, run_id, name, step, timestamp, value, is_nan in found.metrics:
        if run_id not in found.runs:
            passed.add(str(run_id))
            continue
        if is_nan:
            value = float("nan")
        elif isinstance(value, float) and abs(value) >= _LARGEST:
            value = float("inf") if value > 0 else float("-inf")
        buffers.setdefault(run_id, SeriesBuffer(ticks=1000)).add(str(name), step, timestamp, value)
    state["passed"] = sorted(passed)
    for key, buffer in buffers.items():
        run = target.run(key)
        target.note_all(run.name, buffer.write(run))
    for key, row in found.runs.items():
        _describe(found, target, key, row, params.get(key, {}), source)


def _name(found: MlflowRows, key: str) -> str:
    return str(found.runs[key][1] or found.tags.get(key, {}).get("mlflow.runName") or key)


def _shown(found: MlflowRows, source: Path, key: str, row: Any) -> str:  # noqa: ANN401 - of a database
    """The name of the run in the page."""
    return f"{source.stem}/{found.experiments.get(row[6], str(row[6]))}/{_name(found, key)}"


def _describe(
    found: MlflowRows,
    target: TranslatedRuns,
    key: str,
    row: Any,  # noqa: ANN401 - of a database
    params: Mapping[str, str],
    source: Path,
) -> None:
    _, _, status, start, end, artifact_uri, experiment, _ = row
    described = target.state.setdefault("described", {})
    tags = found.tags.get(key, {})
    shown = _shown(found, source, key, row)
    version = [shown, str(status), str(end), len(params), zlib.crc32(repr(sorted(tags.items())).encode())]
    if described.get(key) == version and status != "RUNNING":
        return
    described[key] = version
    target.rename(key, shown)
    facts = target.run(key).facts
    flaws = describe(
        facts,
        run_id=key,
        name=_name(found, key),
        experiment=found.experiments.get(experiment, str(experiment)),
        status=str(status),
        start=start,
        end=end,
        params=params,
        tags=tags,
    )
    target.note_all(target.run(key).name, flaws)
    directory = None
    with suppress(ValueError):  # an address that is none names no directory
        directory = below(str(artifact_uri or ""), source.resolve().parent)
    if directory is not None:
        seen = target.state.setdefault("artifacts", {})
        seen[key] = write_artifacts(target, key, directory, seen.get(key, []))
