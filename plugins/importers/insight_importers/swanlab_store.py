"""Translates ``run-*.swanlab``, the log of a SwanLab run, with its configuration and media files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from insight_core.plugin import Flaw, Reason, ReasonKind, Translation
from insight_core.plugin.log_tables import yaml_value
from insight_core.plugin.payloads import MessageTypes
from insight_importers import beginnings
from insight_importers.cells import cell_of, config_cells, loaded
from insight_importers.media import MediaFiles
from insight_importers.odd_values import contained
from insight_importers.record_log import is_replaced, next_part
from insight_importers.series_buffer import SeriesBuffer, last_lines
from insight_importers.side_files import content_of
from insight_importers.translated_runs import TranslatedRuns

_VERSION = 2
_TYPES = MessageTypes(Path(__file__).with_name("swanlab.binpb"))
_IMAGE, _TEXT, _VIDEO, _HTML = 2, 4, 5, 9  # types of media
_DIRECTORIES = {_IMAGE: "image", _TEXT: "text", _VIDEO: "video", _HTML: "html"}
_STATES = {1: "success", 2: "failure", 3: "failure"}
_CONSOLE = 64 << 10  # characters
_LARGEST = 1 << 20  # bytes of the configuration
_KEY = "run"
_SIDE_FILE = ReasonKind("importers_side_file", "{file}: {cause}")


def translate(source: str, target: Path) -> Translation:
    """Reads some MiB more of the log."""
    made = TranslatedRuns(target)
    if is_replaced(source, made.state):
        made.start_anew()
    part = next_part(source, made.state, "SwanLab", beginnings.SWANLAB, _VERSION)
    directory, state = Path(source).parent, made.state.setdefault("run", {})
    buffer, media, console = SeriesBuffer(), [], []

    def take(record: Any) -> None:  # noqa: ANN401 - a message
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

    part.take_each(_TYPES, "SwanLab", take)
    name = state.get("name", directory.name)
    run = made.run(_KEY, name)
    flaws = buffer.write(run)
    for one in media:
        flaws += _write_media(run, MediaFiles(directory / "media"), one)
    facts = run.facts
    facts.started, facts.ended = state.get("started", 0.0), state.get("ended", 0.0)
    facts.status = state.get("status", "running")
    about: list[Flaw] = []
    facts.origin = {"tracker": "SwanLab", **state.get("origin", {}), **_metadata(directory, about)}
    facts.config, more = config_cells(_config(directory, about))
    if console:
        facts.texts["console"] = last_lines(facts.texts.get("console", ""), console, _CONSOLE)
    if state.get("notes"):
        facts.texts["notes"] = state["notes"]
    made.note_all(name, [*part.flaws, *flaws])
    files = directory / "files"
    watched = (source, str(files / "config.yaml"), str(files / "swanlab-metadata.json"))
    return made.finish(
        is_done=part.is_rest,
        watched=watched,
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
            elif media.type == _TEXT:
                run.text(tag, media.step, when, files.content(name).decode("utf-8", "replace"))
            elif media.type == _VIDEO:
                files.write_video(run, tag, media.step, when, name)
            else:
                run.media_file(tag, media.step, when, "text/html", files.path(name))
    return flaws


def _config(directory: Path, flaws: list[Flaw]) -> dict[str, Any]:
    """The configuration: each entry of the file has its value as ``value``."""
    entries: Any = {}
    with _side_file(directory / "files" / "config.yaml", flaws) as path:
        entries = yaml_value(content_of(path, _LARGEST))
    return {
        key: entry["value"]
        for key, entry in (entries.items() if isinstance(entries, dict) else ())
        if isinstance(entry, dict) and "value" in entry
    }


def _metadata(directory: Path, flaws: list[Flaw]) -> dict[str, Any]:
    found: Any = {}
    with _side_file(directory / "files" / "swanlab-metadata.json", flaws) as path:
        found = loaded(content_of(path, _LARGEST))
    runtime = found.get("runtime") if isinstance(found, dict) else None
    if not isinstance(runtime, dict):
        return {}
    given = {"host": "hostname", "python": "python_version", "platform": "os", "command": "command"}
    return {name: cell_of(runtime[key]) for name, key in given.items() if runtime.get(key)}


@contextmanager
def _side_file(path: Path, flaws: list[Flaw]) -> Iterator[Path]:
    """Notes why a file, which need not exist, cannot be read."""

    def note(cause: Reason) -> None:
        flaws.append(Flaw(0, _SIDE_FILE(file=path.name, cause=cause)))

    with contained(note), suppress(FileNotFoundError):
        yield path


def _seconds(timestamp: Any) -> float:  # noqa: ANN401
    return float(timestamp.seconds + timestamp.nanos * 1e-9)
