"""Translates ``run-*.swanlab``, the log of a SwanLab run, with its configuration and media files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from insight_core.plugin import Flaw, Translation
from insight_core.plugin.payloads import MessageTypes
from insight_importers import beginnings
from insight_importers.cells import cell_of, config_cells
from insight_importers.media import MediaFiles
from insight_importers.record_log import is_replaced, next_part
from insight_importers.series_buffer import SeriesBuffer, last_lines
from insight_importers.swanlab_backup import BackupRecords
from insight_importers.swanlab_files import config_of, origin_of, tag_of, watched_files
from insight_importers.translated_runs import TranslatedRuns

_VERSION, _BACKUP = 2, 1  # of a log: messages, lines of JSON
_TYPES = MessageTypes(Path(__file__).with_name("swanlab.binpb"))
_IMAGE, _AUDIO, _TEXT, _VIDEO, _HTML = 2, 3, 4, 5, 9  # types of media
_DIRECTORIES = {_IMAGE: "image", _AUDIO: "audio", _TEXT: "text", _VIDEO: "video", _HTML: "html"}
_STATES = {1: "success", 2: "failure", 3: "failure"}
_CONSOLE = 64 << 10  # characters
_KEY = "run"


def translate(source: str, target: Path) -> Translation:
    """Reads some MiB more of the log."""
    made = TranslatedRuns(target)
    if is_replaced(source, made.state):
        made.start_anew()
    part = next_part(source, made.state, "SwanLab", beginnings.SWANLAB, (_VERSION, _BACKUP))
    directory, state = Path(source).parent, made.state.setdefault("run", {})
    buffer, media, console = SeriesBuffer(), [], []

    def take(record: Any) -> None:  # noqa: ANN401 - a message
        if record.HasField("scalar"):
            one = record.scalar
            buffer.add(tag_of(one.key), one.step, _seconds(one.timestamp), one.value.number)
        elif record.HasField("media"):
            media.append(record.media)
        elif record.HasField("log"):
            console.append(f"{record.log.line}\n")
        elif record.HasField("start"):
            _begin(state, record.start, directory.name)
        elif record.HasField("finish"):
            state["status"] = _STATES.get(record.finish.state, "")
            state["ended"] = _seconds(record.finish.finished_at)

    backup = BackupRecords(state, directory, buffer, console)
    if part.version == _BACKUP:
        part.use_each("SwanLab", backup.take)
    else:
        part.take_each(_TYPES, "SwanLab", take)
    name = state.get("name", directory.name)
    run = made.run(_KEY, name)
    flaws = list[Flaw]()
    backup.write_media(run, flaws.append)
    flaws += buffer.write(run)
    for one in media:
        flaws += _write_media(run, MediaFiles(directory / "media"), one)
    facts = run.facts
    facts.started, facts.ended = state.get("started", 0.0), state.get("ended", 0.0)
    facts.status = state.get("status", "running")
    about: list[Flaw] = []
    facts.origin = {"tracker": "SwanLab", **state.get("origin", {}), **origin_of(directory, about)}
    facts.config, more = config_cells(config_of(directory, about))
    if console:
        facts.texts["console"] = last_lines(facts.texts.get("console", ""), console, _CONSOLE)
    if state.get("notes"):
        facts.texts["notes"] = state["notes"]
    made.note_all(name, [*part.flaws, *flaws])
    return made.finish(
        is_done=part.is_rest,
        watched=(source, *watched_files(directory)),
        flaws=[(name, flaw) for flaw in [*about, *more]],
        tail=[(name, flaw) for flaw in part.tail()],
    )


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
    place, flaws = _DIRECTORIES.get(media.type), list[Flaw]()
    for number, item in enumerate(media.value.items if place else ()):
        tag = media.key if len(media.value.items) == 1 else f"{media.key}/{number}"
        name, when = f"{place}/{item.filename}", _seconds(media.timestamp)
        with files.shown(flaws.append, tag, media.step):
            if media.type == _IMAGE:
                run.picture(tag, media.step, when, files.path(name))
            elif media.type == _AUDIO:
                run.sound(tag, media.step, when, files.path(name))
            elif media.type == _TEXT:
                run.text(tag, media.step, when, files.content(name).decode("utf-8", "replace"))
            elif media.type == _VIDEO:
                files.write_video(run, tag, media.step, when, name)
            else:
                run.media_file(tag, media.step, when, "text/html", files.path(name))
    return flaws


def _seconds(timestamp: Any) -> float:  # noqa: ANN401
    return float(timestamp.seconds + timestamp.nanos * 1e-9)
