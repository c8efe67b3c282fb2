"""Files of a SwanLab run that are alike in all its stores: settings, description, and metrics as JSON."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from insight_core.plugin import Flaw, Reason, ReasonKind
from insight_core.plugin.log_tables import yaml_value
from insight_importers.cells import Cell, cell_of, loaded
from insight_importers.imported_run import ImportedRun
from insight_importers.media import MediaFiles
from insight_importers.odd_values import contained, odd_step, seconds_of, whole_of
from insight_importers.series_buffer import SeriesBuffer
from insight_importers.side_files import content_of

_LARGEST = 1 << 20  # bytes of the configuration
_PICTURES = {".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp"}
_SIDE_FILE = ReasonKind("importers_side_file", "{file}: {cause}")
_SYSTEM = "__swanlab__."
_ORIGIN = {
    "host": ("hostname",),
    "python": ("python_version", "python"),
    "platform": ("os",),
    "command": ("command",),
}


def watched_files(directory: Path) -> tuple[str, str]:
    """The files next to a store that ``config_of`` and ``origin_of`` read."""
    files = directory / "files"
    return str(files / "config.yaml"), str(files / "swanlab-metadata.json")


def config_of(directory: Path, flaws: list[Flaw]) -> dict[str, Any]:
    """The configuration: each entry of the file has its value as ``value``."""
    entries: Any = {}
    with _side_file(directory / "files" / "config.yaml", flaws) as path:
        entries = yaml_value(content_of(path, _LARGEST))
    return {
        key: entry["value"]
        for key, entry in (entries.items() if isinstance(entries, dict) else ())
        if isinstance(entry, dict) and "value" in entry
    }


def origin_of(directory: Path, flaws: list[Flaw]) -> dict[str, Cell]:
    """Where the run was, for columns of the run table; before version 0.10 the file has no ``runtime``."""
    found: Any = {}
    with _side_file(directory / "files" / "swanlab-metadata.json", flaws) as path:
        found = loaded(content_of(path, _LARGEST))
    runtime = found.get("runtime", found) if isinstance(found, dict) else None
    if not isinstance(runtime, dict):
        return {}
    given = {
        name: next((runtime[key] for key in keys if runtime.get(key)), None) for name, keys in _ORIGIN.items()
    }
    cells = {name: cell_of(value) for name, value in given.items()}
    return {name: cell for name, cell in cells.items() if cell is not None}


def tag_of(key: str) -> str:
    """SwanLab's own metrics of the machine are ``system/…``, as those of other trackers."""
    return f"system/{key.removeprefix(_SYSTEM)}" if key.startswith(_SYSTEM) else key


def take_metric(
    run: ImportedRun,
    buffer: SeriesBuffer,
    tag: str,
    metric: Mapping[str, Any],
    files: MediaFiles | None,
    note: Callable[[Flaw], None],
) -> None:
    """Takes a line of a metric: a number, texts, or the names of media files, which are in ``files``.

    Raises KeyError for a line without a step or a value.
    """
    data, when = metric["data"], time_of(metric)
    if not isinstance(data, list):
        buffer.add(tag, metric["index"], when, data)
        return
    step = whole_of(metric["index"])
    if step is None:
        note(odd_step(tag, metric["index"]))
        return
    for number, item in enumerate(data):
        own = tag if len(data) == 1 else f"{tag}/{number}"
        with (files or MediaFiles(Path())).shown(note, own, step):
            if files is None:
                run.text(own, step, when, str(item))
            else:
                _write_file(run, files, own, step, when, str(item))
    run.facts.last_step = max(run.facts.last_step, step)


def _write_file(run: ImportedRun, files: MediaFiles, tag: str, step: int, when: float, name: str) -> None:
    """Writes a picture, a sound, a video or a page; other files are left out. Raises OSError, ValueError."""
    suffix = os.path.splitext(name)[1].lower()
    if suffix in _PICTURES:
        run.picture(tag, step, when, files.path(name))
    elif suffix == ".wav":
        run.sound(tag, step, when, files.path(name))
    elif suffix == ".html":
        run.media_file(tag, step, when, "text/html", files.path(name))
    else:
        files.write_video(run, tag, step, when, name)


def time_of(metric: Mapping[str, Any]) -> float:
    """When a metric was recorded, in seconds since the epoch; NaN if it does not say."""
    seconds = seconds_of(metric.get("create_time"))
    return float("nan") if seconds is None else seconds


@contextmanager
def _side_file(path: Path, flaws: list[Flaw]) -> Iterator[Path]:
    """Notes why a file, which need not exist, cannot be read."""

    def note(cause: Reason) -> None:
        flaws.append(Flaw(0, _SIDE_FILE(file=path.name, cause=cause)))

    with contained(note), suppress(FileNotFoundError):
        yield path
