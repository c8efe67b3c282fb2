"""Translates runs that neptune-exporter wrote as Parquet: ``<project>/<run>_part_<n>.parquet``.

Columns: https://github.com/neptune-ai/neptune-exporter (README, "Parquet schema"). Needs pyarrow.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from insight_core.plugin import Flaw, Reason, ReasonKind, Translation
from insight_importers.cells import cell_of
from insight_importers.facts import Facts
from insight_importers.imported_run import ImportedRun
from insight_importers.media import MediaFiles, histogram_of_counts
from insight_importers.odd_values import odd_step, whole_of
from insight_importers.series_buffer import last_lines
from insight_importers.translated_runs import TranslatedRuns

_ROWS = 200_000  # of a batch
_ROWS_AT_ONCE = 500  # as Python objects, in which equal texts are not one
LONGEST_PATH = 1024  # characters of an attribute's path, which are Neptune's own limit
# read as dictionaries: a text that many rows share may be long, and is one
_TEXTS = ["attribute_path", "attribute_type", "project_id", "run_id", "string_value"]
_CONSOLE = 64 << 10  # characters
_KEY = "run"
_NEEDED = {"project_id", "run_id", "attribute_path", "attribute_type", "step", "timestamp", "float_value"}
_PLAIN = {  # columns of attributes that stand for the whole run
    "float": "float_value",
    "int": "int_value",
    "string": "string_value",
    "bool": "bool_value",
    "datetime": "datetime_value",
    "string_set": "string_set_value",
}
_ORIGIN = {
    "sys/name": "name",
    "sys/owner": "user",
    "sys/hostname": "host",
    "sys/tags": "tags",
    "sys/group_tags": "group",
    "source_code/git/last_commit_id": "git_commit",
}
_CONSOLES = ("/stdout", "/stderr")
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")
_LONG_NAME = ReasonKind(
    "importers_long_name", "the name of an attribute has {size} characters; at most {most} are read"
)


def translate(source: str, target: Path) -> Translation:
    """Reads one further part of a run."""
    try:
        import pyarrow.parquet as pq
    except ImportError:
        text = "Neptune's exports need pyarrow: pip install 'insight-host[parquet]'"
        raise ValueError(Reason(text, "importers_pyarrow")) from None
    made = TranslatedRuns(target)
    parts: list[list[int]] = made.state.setdefault("parts", [])
    versions = []
    for path in _parts(source):
        info = os.stat(path)
        versions.append([info.st_ino, info.st_size, info.st_mtime_ns])
    if versions[: len(parts)] != parts:
        made.start_anew()
        parts = made.state.setdefault("parts", [])
    watched = [source, *_parts(source), _part(source, len(versions))]
    if len(parts) == len(versions):
        return made.finish(watched=watched)
    part = _part(source, len(parts))
    names = set(pq.read_schema(part).names)
    if not names >= _NEEDED:  # of another program
        return made.finish()
    with pq.ParquetFile(part, read_dictionary=[name for name in _TEXTS if name in names]) as file:
        files = MediaFiles(Path(source).parent.parent.parent / "files")
        for batch in file.iter_batches(_ROWS):
            _write(made, files, batch)
    parts.append(versions[len(parts)])
    return made.finish(is_done=len(parts) == len(versions), watched=watched)


def _part(source: str, number: int) -> str:
    return f"{source.removesuffix('0.parquet')}{number}.parquet"


def _parts(source: str) -> Iterator[str]:
    number = 0
    while os.path.exists(path := _part(source, number)):
        yield path
        number += 1


def _write(made: TranslatedRuns, files: MediaFiles, batch: Any) -> None:  # noqa: ANN401 - of pyarrow
    """Appends a batch of rows, all of one run."""
    if not batch.num_rows:
        return
    first = batch.slice(0, 1).to_pylist()[0]
    run = made.run(_KEY, f"{first['project_id']}/{first['run_id']}")
    facts = run.facts
    facts.origin |= {"tracker": "Neptune", "project": str(first["project_id"]), "id": str(first["run_id"])}
    batch, flaws = _named(batch)
    made.note_all(run.name, flaws)
    kinds = _texts(batch.column("attribute_type"))
    made.note_all(run.name, _write_numbers(run, batch.filter(_mask(kinds == "float_series"))))
    for row in _rows(batch.filter(_mask(kinds != "float_series"))):
        kind, path = row["attribute_type"], row["attribute_path"]
        if kind in _PLAIN:
            with files.shown(partial(made.note, run.name), path, 0):
                _note_plain(facts, path, row.get(_PLAIN[kind]))
            continue
        step = whole_of(row["step"] or 0)
        if step is None:
            made.note(run.name, odd_step(path, row["step"]))
            continue
        with files.shown(partial(made.note, run.name), path, step):
            when = row["timestamp"].timestamp() if row["timestamp"] else float("nan")
            _write_value(run, files, row, step, when)


def _rows(batch: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401
    for start in range(0, batch.num_rows, _ROWS_AT_ONCE):
        yield from batch.slice(start, _ROWS_AT_ONCE).to_pylist()


def _texts(column: Any) -> Any:  # noqa: ANN401
    """The texts of a column; equal ones are one object."""
    coded = column.dictionary_encode()
    words = np.array([*coded.dictionary.to_pylist(), None], object)
    return words[np.asarray(coded.indices.fill_null(len(words) - 1))]


def _named(batch: Any) -> tuple[Any, list[Flaw]]:  # noqa: ANN401
    """The rows whose paths are not too long, and the damage of others."""
    coded = batch.column("attribute_path").dictionary_encode()
    sizes = np.array([len(path or "") for path in coded.dictionary.to_pylist()] + [0])
    of_rows = sizes[np.asarray(coded.indices.fill_null(len(sizes) - 1))]
    if not (of_rows > LONGEST_PATH).any():
        return batch, []
    flaws = []
    for size in np.unique(of_rows[of_rows > LONGEST_PATH]).tolist():
        flaws.append(Flaw(0, _LONG_NAME(size=size, most=LONGEST_PATH)))
    return batch.filter(_mask(of_rows <= LONGEST_PATH)), flaws


def _mask(keeps: Any) -> Any:  # noqa: ANN401
    import pyarrow as pa

    return pa.array(np.asarray(keeps, bool))


def _write_numbers(run: ImportedRun, rows: Any) -> list[Flaw]:  # noqa: ANN401
    """Appends float series; fractions of steps are cut off. Returns the damage of rows without a step."""
    given = np.array(rows.column("step").cast("float64"), np.float64)
    is_step = np.abs(given) < 2.0**63
    flaws = []
    if not is_step.all():
        names = rows.column("attribute_path").to_pylist()
        flaws = [odd_step(names[row], given[row]) for row in np.flatnonzero(~is_step).tolist()]
        rows, given = rows.filter(_mask(is_step)), given[is_step]
    if not rows.num_rows:
        return flaws
    paths = rows.column("attribute_path").dictionary_encode()
    of_path = np.asarray(paths.indices)
    order = np.argsort(of_path, kind="stable")
    steps = np.floor(given).astype(np.int64)[order]
    values = np.asarray(rows.column("float_value").to_numpy(zero_copy_only=False), np.float64)[order]
    when = rows.column("timestamp").cast("int64").to_numpy(zero_copy_only=False)
    seconds = (np.asarray(when, np.float64) / 1000)[order]
    ends = np.cumsum(np.bincount(of_path, minlength=len(paths.dictionary)))
    first = 0
    for path, end in zip(paths.dictionary.to_pylist(), ends.tolist(), strict=True):
        if end > first:
            run.scalars(path, steps[first:end], seconds[first:end], values[first:end])
            run.facts.last_step = max(run.facts.last_step, int(steps[end - 1]))
        first = end
    return flaws


def _note_plain(facts: Facts, path: str, value: Any) -> None:  # noqa: ANN401
    if path == "sys/failed":
        facts.status = "failure" if value else "success"
    elif path == "sys/creation_time" and value is not None:
        facts.started = value.timestamp()
    elif path == "sys/description":
        facts.texts["notes"] = str(value or "")
    elif path in _ORIGIN:
        given = ", ".join(map(str, value)) if isinstance(value, list) else value
        if given:
            facts.origin[_ORIGIN[path]] = str(given)
    elif not path.startswith("sys/"):
        cell = cell_of(value if not hasattr(value, "isoformat") else value.isoformat())
        if cell is not None:
            facts.config[path] = cell


def _write_value(run: ImportedRun, files: MediaFiles, row: Mapping[str, Any], step: int, when: float) -> None:
    kind, path = row["attribute_type"], row["attribute_path"]
    if kind == "string_series":
        if path.endswith(_CONSOLES):
            console = run.facts.texts.get("console", "")
            run.facts.texts["console"] = last_lines(console, [f"{row['string_value']}\n"], _CONSOLE)
        else:
            run.text(path, step, when, str(row["string_value"]))
    elif kind == "histogram_series":
        given = row["histogram_value"]
        run.value(histogram_of_counts(path, given["edges"], given["values"]), step, when)
    elif kind in ("file", "file_series") and row["file_value"]:
        name = str(row["file_value"]["path"])
        if os.path.splitext(name)[1].lower() in _PICTURES:
            run.picture(path, step, when, files.path(name))
