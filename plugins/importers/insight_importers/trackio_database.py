"""Reads ``<project>.db`` of Trackio: a row of JSON for each step of a run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC
from functools import partial
from pathlib import Path
from typing import Any

from attrs import Factory, define

from insight_core.plugin import Flaw, Reason
from insight_importers.cells import cell_of, config_cells, flat_leaves, loaded, number_of
from insight_importers.imported_run import ImportedRun, fenced
from insight_importers.media import MediaFiles, csv_of_rows, histogram_of_counts
from insight_importers.odd_values import odd_step, odd_time, seconds_of, whole_of
from insight_importers.series_buffer import SeriesBuffer
from insight_importers.sqlite_files import Database, TrackerRows
from insight_importers.translated_runs import TranslatedRuns

_ROWS = 5_000  # of a call
_ORIGIN = {"_Username": "user", "_Group": "group"}


@define
class TrackioRows(TrackerRows):
    """The rows that one call read from the database."""

    runs: dict[str, str] = Factory(dict)  # names by key
    configs: dict[str, Any] = Factory(dict)
    rows: list[Any] = Factory(list)
    system: list[Any] = Factory(list)
    alerts: list[Any] = Factory(list)
    ends: dict[str, list[int]] = Factory(dict)  # of rows, by table


def is_its(database: Database) -> bool:
    """Whether a database has Trackio's tables."""
    columns = database.columns("metrics")
    return {"id", "run_name", "step", "metrics", "timestamp"} <= set(columns)


def read(database: Database, state: Mapping[str, Any]) -> TrackioRows:
    """The rows behind those that ``state`` counts."""
    found = TrackioRows()
    key = "run_id" if "run_id" in database.columns("metrics") else "run_name"
    runs = database.rows("metrics", f"{key}, MAX(run_name)", f"GROUP BY {key}")
    found.runs = {str(one): str(name) for one, name in runs if one is not None}
    if "config" in database.columns("configs"):
        of = key if key in database.columns("configs") else "run_name"
        for run, name, config in database.rows("configs", f"{of}, run_name, config"):
            found.configs[str(run)] = _loaded(config)
            found.runs.setdefault(str(run), str(name))
    for table, into, columns in (
        ("metrics", found.rows, "step, metrics"),
        ("system_metrics", found.system, "0, metrics"),
        ("alerts", found.alerts, "step, title, text"),
    ):
        if key not in database.columns(table):
            continue
        appended = database.appended(
            table, "id", f"{key}, timestamp, {columns}", state.get("ends", {}).get(table), _ROWS
        )
        into += appended.rows
        found.ends[table] = appended.end
        found.is_other |= appended.is_other
        found.is_last &= appended.is_last
    return found


def write(found: TrackioRows, target: TranslatedRuns, source: Path) -> None:
    """Appends the rows to the files of their runs."""
    target.keep(found.runs)
    target.state["ends"] = found.ends
    media = MediaFiles(source.parent / "media")
    buffers: dict[str, SeriesBuffer] = {}
    for number, key, timestamp, step, metrics in found.rows:
        if str(key) not in found.runs:
            continue
        run = _run(target, str(key), found, source)
        row = f"row {number} of the metrics"
        values, at, when = _loaded(metrics), whole_of(step), seconds_of(timestamp, UTC)
        if values is None:
            text = f"{row} is not valid JSON"
            target.note(run.name, Flaw(0, Reason(text, "importers_row", row=number)))
            continue
        if at is None:
            target.note(run.name, odd_step(row, step))
            continue
        if when is None:
            target.note(run.name, odd_time(row, timestamp))
            when = float("nan")
        else:
            run.facts.started = min(run.facts.started or when, when)
        buffer = buffers.setdefault(str(key), SeriesBuffer())
        for tag, value in flat_leaves(values):
            number_ = number_of(value)
            if number_ is not None:
                buffer.add(tag, at, when, number_)
                continue
            with media.shown(partial(target.note, run.name), tag, at):
                _write_other(run, media, tag, at, when, value)
    for number, key, timestamp, _, metrics in found.system:
        values, when = _loaded(metrics), seconds_of(timestamp, UTC)
        if values is None or str(key) not in found.runs:
            continue
        run = _run(target, str(key), found, source)
        if when is None:  # of which the step is made
            target.note(run.name, odd_time(f"row {number} of the system metrics", timestamp))
            continue
        at = max(0, int(when - (run.facts.started or when)))
        for tag, value in flat_leaves(values):
            number_ = number_of(value)
            if number_ is not None:
                buffers.setdefault(str(key), SeriesBuffer()).add(f"system/{tag}", at, when, number_)
    for _, key, timestamp, step, title, text in found.alerts:
        if str(key) in found.runs:
            run = _run(target, str(key), found, source)
            at, when = whole_of(step or 0), seconds_of(timestamp, UTC)
            if at is None:
                target.note(run.name, odd_step(f"the alert {str(title)!r:.200}", step))
            else:
                shown = float("nan") if when is None else when
                run.text("alerts", at, shown, f"**{title}** {text or ''}")
    for key, buffer in buffers.items():
        run = target.run(key)
        target.note_all(run.name, buffer.write(run))
    for key, config in found.configs.items():
        run = _run(target, key, found, source)
        given = config if isinstance(config, dict) else {}
        own = {name: value for name, value in given.items() if not name.startswith("_")}
        run.facts.config, flaws = config_cells(own)
        target.note_all(run.name, flaws)
        for name, column in _ORIGIN.items():
            cell = cell_of(given.get(name))
            if cell is not None:
                run.facts.origin[column] = cell


def _run(target: TranslatedRuns, key: str, found: TrackioRows, source: Path) -> ImportedRun:
    run = target.run(key, f"{source.stem}/{found.runs[key]}")
    run.facts.origin |= {"tracker": "Trackio", "project": source.stem, "name": found.runs[key], "id": key}
    return run


def _write_other(
    run: ImportedRun,
    media: MediaFiles,
    tag: str,
    step: int,
    when: float,
    value: Any,  # noqa: ANN401
) -> None:
    if isinstance(value, str):
        run.text(tag, step, when, value)
        return
    kind = value.get("_type", "") if isinstance(value, dict) else ""
    if kind == "trackio.image":
        run.picture(tag, step, when, media.path(value["file_path"]))
    elif kind == "trackio.markdown":
        run.text(tag, step, when, str(value["_value"]))
    elif kind == "trackio.trace" and isinstance(value.get("messages"), list):
        run.text(tag, step, when, _conversation(value))
    elif kind == "trackio.table" and isinstance(value.get("_value"), list):
        run.media(tag, step, when, "text/csv", csv_of_rows(value["_value"]))
    elif kind == "trackio.video":
        media.write_video(run, tag, step, when, value["file_path"])
    elif kind == "trackio.histogram":
        run.value(histogram_of_counts(tag, value["bins"], value["values"]), step, when)
    elif isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        for number, one in enumerate(value):
            _write_other(run, media, f"{tag}/{number}", step, when, one)
    elif isinstance(value, list):
        run.text(tag, step, when, json.dumps(value, ensure_ascii=False))


def _conversation(trace: Mapping[str, Any]) -> str:
    """The messages of a trace one below the other, and what else is known of it."""
    parts = []
    for message in trace["messages"]:
        said = message if isinstance(message, dict) else {"content": message}
        content = said.get("content")
        text = content if isinstance(content, str) else _json(content)
        calls = [fenced(_json(said["tool_calls"]))] if said.get("tool_calls") else []
        parts += [f"**{said.get('role', '')}**", *([fenced(text)] if content is not None else []), *calls]
    if trace.get("metadata"):
        parts += ["**metadata**", fenced(_json(trace["metadata"]))]
    return "\n\n".join(parts)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _loaded(data: Any) -> Any:  # noqa: ANN401
    """The object of a text in JSON; None if it is none."""
    try:
        value = loaded(data)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
