"""Scores of evaluations as series at the step of their checkpoint, with their standard errors."""

from __future__ import annotations

import io
import json
import math
import re
import zipfile
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, BinaryIO

from insight_core.plugin import FileName, Flaw, InsightError, LogFormat, Points, Reason, ReasonKind
from insight_samples.known_formats import OF_CHECKPOINT
from insight_samples.rows import entry_of

_LARGEST = 64 << 20  # bytes of a file of results
_ERROR = "_stderr"
_INSPECT_ERRORS = ("stderr", "bootstrap_stderr")
_INSPECT_MEANS = ("accuracy", "mean")
_NO_RESULTS = ReasonKind("samples_no_results", "the results of the evaluation cannot be read: {cause}")


def is_results(beginning: bytes) -> bool:
    """Whether a file begins as results of lm-evaluation-harness."""
    return beginning.lstrip().startswith(b"{") and b'"results"' in beginning


def is_archive(beginning: bytes) -> bool:
    """Whether a file is a zip, as logs of Inspect are."""
    return beginning.startswith(b"PK\x03\x04")


def read_results(stream: BinaryIO, state: Any) -> tuple[list[Points | Flaw], Any]:  # noqa: ANN401 - the contract
    """Results of lm-evaluation-harness: a score, and its standard error, for each task and metric."""
    begin = stream.tell()
    try:
        found = json.loads(stream.read(_LARGEST))
        named = found.get("model_name") or (found.get("config") or {}).get("model_args") or ""
        step = _step_of(str(named), str(stream.name))
        time = float(found.get("date") or math.nan)
        scores = list(_of_tasks(found["results"]))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        return [Flaw(begin, _NO_RESULTS(cause=str(error)))], None
    return [Points(tag, [step], [value], [time], [error]) for tag, value, error in scores], None


def read_inspect(stream: BinaryIO, state: Any) -> tuple[list[Points | Flaw], Any]:  # noqa: ANN401 - the contract
    """Results of an Inspect log: each metric of each scorer."""
    begin = stream.tell()
    whole = io.BytesIO(stream.read())
    try:
        with zipfile.ZipFile(whole) as archive:
            if "header.json" not in archive.namelist():  # it is being written
                return [], None
            header = json.loads(entry_of(archive, whole, archive.getinfo("header.json")))
        step = _step_of(str(header["eval"].get("model", "")), str(stream.name))
        time = _seconds(header["eval"].get("created"))
        task = str(header["eval"]["task"])
        scores = list(_of_scorers(task, header.get("results") or {}))
    except (
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
        OSError,
        NotImplementedError,
        zipfile.BadZipFile,
        InsightError,
    ) as error:
        return [Flaw(begin, _NO_RESULTS(cause=Reason.of(error)))], None
    return [Points(tag, [step], [value], [time], [error]) for tag, value, error in scores], None


def _of_tasks(results: Mapping[str, Any]) -> Iterator[tuple[str, float, float]]:
    for task, metrics in results.items():
        for name, value in metrics.items():
            metric, _, chosen = name.partition(",")
            if _is_number(value) and "," in name and not metric.endswith(_ERROR):
                suffix = "" if chosen in ("", "none") else f"/{chosen}"
                error = metrics.get(f"{metric}{_ERROR},{chosen}")  # "N/A" where there is none
                yield f"eval/{task}/{metric}{suffix}", float(value), _number(error)


def _of_scorers(task: str, results: Mapping[str, Any]) -> Iterator[tuple[str, float, float]]:
    """The standard error of a scorer is that of its mean, which Inspect also calls accuracy."""
    for score in results.get("scores") or ():
        values = {name: metric.get("value") for name, metric in (score.get("metrics") or {}).items()}
        error = next((values[name] for name in _INSPECT_ERRORS if name in values), None)
        for name, value in values.items():
            if _is_number(value) and name not in _INSPECT_ERRORS:
                tag = f"eval/{task}/{score.get('name', 'score')}/{name}"
                yield tag, float(value), _number(error) if name in _INSPECT_MEANS else math.nan


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(value: Any) -> float:  # noqa: ANN401 - of JSON
    return float(value) if _is_number(value) else math.nan


def _step_of(*names: str) -> int:
    """The last step that a name has; the first of the names with one counts, 0 without any."""
    for name in names:
        found = re.findall(OF_CHECKPOINT, name)
        if found:
            return int(found[-1])
    return 0


def _seconds(text: object) -> float:
    try:
        return datetime.fromisoformat(str(text)).timestamp()
    except ValueError:
        return math.nan


# of the nearest run above the directory of the model or of the logs, else of the directory above that
FORMATS = (
    LogFormat(
        "lm-evaluation-harness",
        FileName("**/*/results_*.json", makes_run=is_results, begins=is_results),
        read_results,
        version=2,
    ),
    LogFormat(
        "Inspect", FileName("**/*/*.eval", makes_run=is_archive, begins=is_archive), read_inspect, version=2
    ),
)
