"""Translates ``*.aim.jsonl``, a run of Aim as ``aim_export`` wrote it."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from insight_core.plugin import Flaw, Reason, ReasonKind, Translation
from insight_importers import beginnings
from insight_importers.block_log import CUT, ZEROS
from insight_importers.cells import cell_of, config_cells, flat_leaves, loaded
from insight_importers.imported_run import ImportedRun
from insight_importers.media import MediaFiles, histogram_of_counts
from insight_importers.odd_values import contained, float_of, odd_step, odd_time, whole_of
from insight_importers.series_buffer import SeriesBuffer
from insight_importers.side_files import data_after, open_file
from insight_importers.translated_runs import TranslatedRuns

_VERSION = 1
_CHUNK = 2 << 20  # bytes of a call
_LONGEST = 128 << 20  # bytes of a line: a picture of 64 MiB in base64
_MOST_TAGS = 20_000  # of a run
_SYSTEM = "__system__"
_HPARAMS = "hparams"  # the name under which Aim's guides store hyperparameters
_KEY = "run"
_AIM_LINE = ReasonKind("importers_aim_line", "a line of Aim's export cannot be used: {cause}")
_LOG_VERSION = ReasonKind("importers_log_version", "version {version} of Aim's log is not known", "tracker")


def translate(source: str, target: Path) -> Translation:
    """Reads some MiB more of the export. Lines that cannot be used are damage. Raises OSError."""
    made = TranslatedRuns(target)
    with open_file(source) as file:
        info = os.fstat(file.fileno())
        identity = [info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns]
        if made.state.get("file") != identity:  # an export is replaced as a whole
            made.start_anew()
            made.state = {"file": identity, "offset": 0, "tags": []}
        begin = offset = int(made.state["offset"])
        file.seek(offset)
        while offset < begin + _CHUNK:
            if file.peek(1)[:1] == b"\0":
                after = data_after(file, offset, info.st_size)
                made.note(made.run(_KEY).name, Flaw(offset, ZEROS, after - offset))
                offset = file.seek(after)
            line = file.readline(_LONGEST)
            if not line:
                break
            with contained(partial(_note_line, made, offset, len(line))):
                _take(made, line)
            offset += len(line)
    made.state["offset"] = offset
    return made.finish(is_done=offset == begin or offset >= info.st_size)


def _note_line(made: TranslatedRuns, offset: int, size: int, cause: Reason) -> None:
    made.note(made.run(_KEY).name, Flaw(offset, _AIM_LINE(cause=cause), size))


def _take(made: TranslatedRuns, data: bytes) -> None:
    """Writes what a line has. Raises various errors for one that cannot be used."""
    if not data.endswith(b"\n"):
        raise ValueError(CUT)
    line = loaded(data)
    if data.startswith(beginnings.AIM_EXPORT):
        _begin(made, line)
        return
    run, kind, tag = made.run(_KEY), line["kind"], tag_of(line["sequence"], line["context"])
    steps, times, values = line["steps"], line["times"], line["values"]
    if not len(steps) == len(times) == len(values):
        raise ValueError(Reason("its columns are not equally long", "importers_aim_columns"))
    if kind != "number":
        for step, when, of_step in zip(steps, times, values, strict=True):
            _write_objects(made, run, kind, tag, step, when, of_step)
        return
    tags: list[str] = made.state["tags"]
    if tag not in tags[-1:] and tag not in tags:
        if len(tags) >= _MOST_TAGS:
            return
        tags.append(tag)
    made.note_all(run.name, SeriesBuffer(columns={tag: (steps, times, values)}).write(run))


def _begin(made: TranslatedRuns, about: Mapping[str, Any]) -> None:
    if about["aim_export"] != _VERSION:
        version = about["aim_export"]
        raise ValueError(_LOG_VERSION(version=version, tracker="Aim"))
    run_hash, name = str(about["id"]), str(about.get("name", ""))
    is_named = name not in ("", f"Run: {run_hash}")  # Aim's own name
    below = str(about.get("experiment", ""))
    shown = f"{name} {run_hash[:8]}" if is_named else run_hash
    facts = made.run(_KEY, f"{below}/{shown}" if below else shown).facts
    named = about.get("tags")
    tags = [*(named if isinstance(named, list) else ()), *(["archived"] if about.get("is_archived") else [])]
    given = {
        "tracker": "Aim",
        "project": below,
        "name": name if is_named else "",
        "tags": ", ".join(map(str, tags)),
        "id": run_hash,
        "command": str(about.get("command", "")),
        "git_commit": str(about.get("git_commit", "")),
    }
    facts.origin = {column: cell for column, cell in given.items() if cell}
    parameters = dict(about.get("parameters") or {})
    hparams = parameters.pop(_HPARAMS, None)
    if not isinstance(hparams, dict):
        hparams = {} if hparams is None else {_HPARAMS: hparams}
    own, flaws = config_cells(hparams)
    others, more = config_cells(parameters)
    facts.config = others | own
    made.note_all(made.run(_KEY).name, [*flaws, *more])
    # Aim's own words are "finished" and "in progress"; it does not know whether a run failed
    facts.status = "running" if about.get("is_active") else "success"
    facts.started, facts.ended = float_of(about.get("created")) or 0, float_of(about.get("ended")) or 0
    if about.get("description"):
        facts.texts["notes"] = str(about["description"])


def tag_of(name: str, context: Mapping[str, Any]) -> str:
    """A sequence with its context: ``loss/subset=train``; Aim's own of the machine: ``system/...``."""
    if name.startswith(_SYSTEM):
        name = f"system/{name.removeprefix(_SYSTEM)}"
    of_context = [f"{key}={cell_of(value)}" for key, value in sorted(flat_leaves(context, "."))]
    return "/".join([name, ",".join(of_context)]) if of_context else name


def _write_objects(
    made: TranslatedRuns,
    run: ImportedRun,
    kind: str,
    tag: str,
    given_step: object,
    given_time: object,
    values: list[Any],
) -> None:
    """Writes the texts, pictures or histograms of one step."""
    step, when = whole_of(given_step), float_of(given_time)
    if step is None:
        made.note(run.name, odd_step(tag, given_step))
        return
    if when is None:
        made.note(run.name, odd_time(tag, given_time))
        when = float("nan")
    for number, value in enumerate(values):
        own = tag if len(values) == 1 else f"{tag}/{number}"
        with MediaFiles(Path()).shown(partial(made.note, run.name), own, step):
            if kind == "text":
                run.text(own, step, when, str(value))
            elif kind == "image":
                run.picture_of(own, step, when, base64.b64decode(value, validate=True))
            elif kind == "histogram":
                run.value(histogram_of_counts(own, value["edges"], value["counts"]), step, when)
    run.facts.last_step = max(run.facts.last_step, step)
