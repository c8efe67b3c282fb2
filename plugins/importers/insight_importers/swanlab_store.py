"""Translates ``run-*.swanlab``, the log of a SwanLab run, with its configuration and media files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from insight_core.plugin import Flaw, Translation
from insight_core.plugin.payloads import MessageTypes
from insight_importers import beginnings
from insight_importers.cells import cell_of, config_cells
from insight_importers.media import MediaFiles
from insight_importers.nested_yaml import nested_yaml
from insight_importers.record_log import cut_end, is_replaced, next_part, note_flaws, unreadable_record
from insight_importers.series_buffer import SeriesBuffer, last_lines
from insight_importers.translated_runs import TranslatedRuns

_VERSION = 2
_TYPES = MessageTypes(Path(__file__).with_name("swanlab.binpb"))
_IMAGE, _TEXT, _VIDEO, _HTML = 2, 4, 5, 9  # types of media
_DIRECTORIES = {_IMAGE: "image", _TEXT: "text", _VIDEO: "video", _HTML: "html"}
_STATES = {1: "success", 2: "failure", 3: "failure"}
_CONSOLE = 64 << 10  # characters
_LARGEST = 1 << 20  # bytes of the configuration
_KEY = "run"


def translate(source: str, target: Path) -> Translation:
    """Reads some MiB more of the log."""
    made = TranslatedRuns(target)
    if is_replaced(source, made.state):
        made.start_anew()
    part = next_part(source, made.state, "SwanLab", beginnings.SWANLAB, _VERSION)
    directory, state = Path(source).parent, made.state.setdefault("run", {})
    buffer, media, console = SeriesBuffer(), [], []
    for data in part.found.records:
        try:
            record = _TYPES.parse("Record", data)
        except ValueError:
            part.found.flaws.append(unreadable_record(part.found, len(data), "SwanLab"))
            continue
        if record.HasField("scalar"):
            one = record.scalar
            buffer.add(one.key, one.step, _seconds(one.timestamp), one.value.number)
        elif record.HasField("media"):
            media.append(record.media)
        elif record.HasField("log"):
            console.append(f"{record.log.line}\n")
        elif record.HasField("start"):
            _begin(state, record.start, directory.name)
        elif record.HasField("finish"):
            state["status"] = _STATES.get(record.finish.state, "")
            state["ended"] = _seconds(record.finish.finished_at)
    name = state.get("name", directory.name)
    run = made.run(_KEY, name)
    buffer.write(run)
    flaws: list[Flaw] = list(part.found.flaws)
    for one in media:
        flaws += _write_media(run, MediaFiles(directory / "media"), one)
    facts = run.facts
    facts.started, facts.ended = state.get("started", 0.0), state.get("ended", 0.0)
    facts.status = state.get("status", "running")
    facts.origin = {"tracker": "SwanLab", **state.get("origin", {}), **_metadata(directory)}
    facts.config = config_cells(_config(directory))
    if console:
        facts.texts["console"] = last_lines(facts.texts.get("console", ""), console, _CONSOLE)
    if state.get("notes"):
        facts.texts["notes"] = state["notes"]
    passing = note_flaws(made, name, part.found.end, flaws)
    if part.cut and "status" in state:
        passing.append((name, cut_end(part)))
    files = directory / "files"
    watched = (source, str(files / "config.yaml"), str(files / "swanlab-metadata.json"))
    return made.finish(is_done=part.is_rest, watched=watched, flaws=passing)


def _begin(state: dict[str, Any], start: Any, directory: str) -> None:  # noqa: ANN401 - a message
    state.setdefault("name", f"{start.name} {start.id}" if start.name else directory)
    state["started"], state["notes"] = _seconds(start.started_at), start.description
    given = {
        "project": start.project,
        "name": start.name,
        "id": start.id,
        "group": start.group,
        "job_type": start.job_type,
        "tags": ", ".join(start.tags),
    }
    state["origin"] = {key: cell_of(value) for key, value in given.items() if value}


def _write_media(run: Any, files: MediaFiles, media: Any) -> list[Flaw]:  # noqa: ANN401
    place, flaws = _DIRECTORIES.get(media.type), []
    for number, item in enumerate(media.value.items if place else ()):
        tag = media.key if len(media.value.items) == 1 else f"{media.key}/{number}"
        name, when = f"{place}/{item.filename}", _seconds(media.timestamp)
        try:
            if media.type == _IMAGE:
                run.picture(tag, media.step, when, files.path(name))
            elif media.type == _TEXT:
                run.text(tag, media.step, when, files.content(name).decode("utf-8", "replace"))
            elif media.type == _VIDEO:
                files.write_video(run, tag, media.step, when, name)
            else:
                run.media(tag, media.step, when, "text/html", files.content(name))
        except (OSError, ValueError) as error:
            flaws.append(files.flaw(tag, media.step, error))
    return flaws


def _config(directory: Path) -> dict[str, Any]:
    """The configuration: each entry of the file has its value as ``value``."""
    entries = nested_yaml(_text(directory / "files" / "config.yaml"))
    return {
        key: entry["value"] for key, entry in entries.items() if isinstance(entry, dict) and "value" in entry
    }


def _metadata(directory: Path) -> dict[str, Any]:
    try:
        found = json.loads(_text(directory / "files" / "swanlab-metadata.json"))
    except ValueError:
        return {}
    runtime = found.get("runtime") if isinstance(found, dict) else None
    if not isinstance(runtime, dict):
        return {}
    given = {"host": "hostname", "python": "python_version", "platform": "os", "command": "command"}
    return {name: cell_of(runtime[key]) for name, key in given.items() if runtime.get(key)}


def _text(path: Path) -> str:
    try:
        with open(path, "rb") as file:
            return file.read(_LARGEST).decode("utf-8", "replace")
    except OSError:
        return ""


def _seconds(timestamp: Any) -> float:  # noqa: ANN401
    return float(timestamp.seconds + timestamp.nanos * 1e-9)
