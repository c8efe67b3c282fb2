"""Translates an experiment of MLflow's file store: ``<experiment>/<run>/{meta.yaml,metrics,params,tags}``."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from insight_core.plugin import Flaw, Reason, ReasonKind, Translation
from insight_core.plugin.log_tables import yaml_value
from insight_importers.imported_run import ImportedRun
from insight_importers.mlflow_runs import STATUSES, describe, write_artifacts
from insight_importers.odd_values import contained
from insight_importers.side_files import content_of, data_after, open_file
from insight_importers.translated_runs import TranslatedRuns

_PATIENCE = 3.0  # seconds for new runs in a call
_CHUNK = 1 << 20  # bytes of a file in a call
_ABOUT = "meta.yaml"
_LONGEST_TEXT = 1 << 20  # bytes of a parameter, a tag, or what a run says of itself
_MOST_FILES = 5_000  # parameters or metrics of a run
_DEEPEST = 10  # directories
_DONE = ("success", "failure")
_SIDE_FILE = ReasonKind("importers_side_file", "{file}: {cause}")


def translate(source: str, target: Path) -> Translation:
    """Reads runs that are new or have changed."""
    made = TranslatedRuns(target)
    experiment = Path(source).parent
    unread: list[Flaw] = []
    about = _about(experiment, unread)
    if about.get("lifecycle_stage") == "deleted":
        made.start_anew()
        return made.finish(watched=(source,))
    name = about.get("name") or experiment.name
    seen: dict[str, Any] = made.state.setdefault("runs", {})
    watched, flaws = [source, os.fspath(experiment)], [("", flaw) for flaw in unread]
    there, is_done, began = set(), True, time.monotonic()
    for directory in _runs(experiment):
        key = directory.name
        try:
            info = os.stat(directory / "meta.yaml")
            version = [info.st_ino, info.st_mtime_ns, info.st_size]
            state = seen.setdefault(key, {"metrics": {}, "artifacts": []})
            there.add(key)
            if state.get("version") == version and state.get("status") in _DONE:
                watched.append(os.fspath(directory / "meta.yaml"))
                continue
            if "version" not in state and time.monotonic() > began + _PATIENCE:
                is_done = False
                continue
            odd: list[Flaw] = []
            about_run = _about(directory, odd)
            if about_run.get("lifecycle_stage") == "deleted":
                there.discard(key)
                watched.append(os.fspath(directory / "meta.yaml"))
                continue
            is_whole = _read_run(made, name, directory, about_run, state, odd)
            state["odd"] = [Reason.of(flaw.reason).stored() for flaw in odd]
            is_done &= is_whole
            if is_whole:
                state["version"], state["status"] = version, STATUSES.get(about_run.get("status", ""), "")
            watched += _followed(directory)
        except OSError as error:
            cause = error.strerror or "it cannot be read"
            text = f"run {key} of MLflow: {os.path.basename(str(error.filename))}: {cause}"
            flaws.append((f"{name}", Flaw(0, Reason(text, "importers_mlflow_file", run=key, cause=cause))))
    for key in seen.keys() - there:
        del seen[key]
        if key in made:
            made.remove(key)
    for key, state in seen.items():
        if state.get("odd") and key in made:  # of runs that have ended, too, which are not read again
            shown = made.run(key).name
            flaws += [(shown, Flaw(0, Reason.restored(reason))) for reason in state["odd"]]
    return made.finish(is_done=is_done, watched=watched, flaws=flaws)


def _runs(experiment: Path) -> Iterator[Path]:
    with os.scandir(experiment) as entries:
        names = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    for name in names:
        if (experiment / name / "meta.yaml").is_file() and name not in ("models", "traces", "datasets"):
            yield experiment / name


def _read_run(
    made: TranslatedRuns,
    experiment: str,
    directory: Path,
    about: dict[str, str],
    state: dict[str, Any],
    odd: list[Flaw],
) -> bool:
    """Appends what is new of a run; returns whether everything was read. ``odd`` gets damage of its facts."""
    tags = _texts(directory / "tags", odd)
    name = about.get("run_name") or tags.get("mlflow.runName") or directory.name
    run = made.run(directory.name, f"{experiment}/{name}")
    made.rename(directory.name, f"{experiment}/{name}")
    odd += describe(
        run.facts,
        run_id=directory.name,
        name=name,
        experiment=experiment,
        status=about.get("status", ""),
        start=about.get("start_time"),
        end=about.get("end_time"),
        params=_texts(directory / "params", odd),
        tags=tags,
    )
    is_whole = True
    for tag, path in _files(directory / "metrics"):
        offset, rest = _append_metric(made, run, tag, path, int(state["metrics"].get(tag, 0)))
        state["metrics"][tag] = offset
        is_whole &= rest
    state["artifacts"] = write_artifacts(made, directory.name, directory / "artifacts", state["artifacts"])
    return is_whole


def _append_metric(
    made: TranslatedRuns, run: ImportedRun, tag: str, path: Path, offset: int
) -> tuple[int, bool]:
    """Appends lines of time in ms, value and step behind ``offset``; returns the end, whether it is all."""
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size < offset:
            text = f"the metric {tag!r} was cut by {offset - size} bytes; what was read before is kept"
            made.note(run.name, Flaw(size, Reason(text, "importers_metric_cut", tag=tag)))
            return size, True
        file.seek(offset)
        data = file.read(_CHUNK)
        if b"\n" not in data and offset + len(data) < size:  # zeros, or a line that is too long
            after = max(offset + len(data), data_after(file, offset, size))
            text = f"the metric {tag!r}: the line at byte {offset} is not a time, a value and a step"
            flaw = Flaw(offset, Reason(text, "importers_metric_line", tag=tag), after - offset)
            made.note(run.name, flaw)
            return after, after >= size
    end = data.rfind(b"\n") + 1
    words = data[:end].split()
    try:
        if len(words) != 3 * data.count(b"\n", 0, end):
            raise ValueError
        times, values = np.array([*map(float, words[::3])]), np.array([*map(float, words[1::3])])
        steps = np.array([*map(int, words[2::3])], np.int64)
    except (ValueError, OverflowError):
        steps, times, values = _one_by_one(made, run, tag, offset, data[:end].split(b"\n")[:-1])
    if len(steps):
        run.scalars(tag, steps, times / 1000, values)
        run.facts.last_step = max(run.facts.last_step, int(steps.max()))
    return offset + end, offset + len(data) >= size


def _one_by_one(
    made: TranslatedRuns, run: ImportedRun, tag: str, offset: int, lines: list[bytes]
) -> tuple[Any, Any, Any]:
    """The columns of lines some of which are malformed; in old versions of MLflow they have no step."""
    found: list[tuple[int, float, float]] = []
    for line in lines:
        parts = line.split()
        try:
            step = int(parts[2]) if len(parts) > 2 else 0
            found.append((int(np.int64(step)), float(parts[0]), float(parts[1])))
        except (ValueError, IndexError, OverflowError):
            text = f"the metric {tag!r}: the line at byte {offset} is not a time, a value and a step"
            made.note(run.name, Flaw(offset, Reason(text, "importers_metric_line", tag=tag), len(line)))
        offset += len(line) + 1
    columns = np.array(found, np.float64).reshape(-1, 3)
    return np.array([step for step, _, _ in found], np.int64), columns[:, 1], columns[:, 2]


def _files(directory: Path) -> Iterator[tuple[str, Path]]:
    """Files below a directory, by relative path."""
    waiting, count = [("", 0)], 0
    while waiting:
        below, depth = waiting.pop()
        try:
            with os.scandir(directory / below) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except FileNotFoundError:
            continue
        for entry in listed:
            name = f"{below}/{entry.name}" if below else entry.name
            if entry.is_dir(follow_symlinks=False) and depth < _DEEPEST:
                waiting.append((name, depth + 1))
            elif entry.is_file(follow_symlinks=False) and count < _MOST_FILES:
                count += 1
                yield name, directory / name


def _texts(directory: Path, odd: list[Flaw]) -> dict[str, str]:
    found = {}
    for name, path in _files(directory):
        with contained(partial(_note_file, odd, f"{directory.name}/{name}")):
            found[name] = content_of(path, _LONGEST_TEXT).decode("utf-8", "replace")
    return found


def _about(directory: Path, odd: list[Flaw]) -> dict[str, str]:
    """Reads ``meta.yaml`` of a directory; returns an empty mapping if it is damaged. Raises OSError."""
    found: Any = {}
    data = content_of(directory / _ABOUT, _LONGEST_TEXT)
    with contained(partial(_note_file, odd, _ABOUT)):
        found = yaml_value(data)
    if not isinstance(found, dict):
        return {}
    return {key: "" if value is None else str(value) for key, value in found.items()}


def _note_file(odd: list[Flaw], name: str, cause: Reason) -> None:
    odd.append(Flaw(0, _SIDE_FILE(file=name, cause=cause)))


def _followed(directory: Path) -> list[str]:
    """Lists the files that change while a run is recorded."""
    metrics = [path for _, path in _files(directory / "metrics")]
    places = {directory / "meta.yaml", directory / "params", directory / "tags", directory / "artifacts"}
    places |= {directory / "metrics", *metrics, *(path.parent for path in metrics)}
    return sorted(map(os.fspath, places))
