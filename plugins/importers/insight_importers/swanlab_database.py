"""Reads ``runs.swanlab``, the database of SwanLab's mode local until 0.9, and the logs of JSON of its runs.

``logs/<folder of a tag>/<1000, 2000, …>.log`` has a line for each step, ``media/<folder>/`` the media files.
Runs with a log of their own (``*.swanlab``, since 0.6) are read from there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from attrs import Factory, define

from insight_core.plugin import Flaw, ReasonKind
from insight_importers.cells import cell_of, config_cells, loaded
from insight_importers.imported_run import ImportedRun
from insight_importers.media import MediaFiles
from insight_importers.odd_values import contained, seconds_of
from insight_importers.series_buffer import SeriesBuffer
from insight_importers.side_files import open_file
from insight_importers.sqlite_files import Database, TrackerRows
from insight_importers.swanlab_files import (
    config_of,
    origin_of,
    tag_of,
    take_metric,
    watched_files,
)
from insight_importers.translated_runs import TranslatedRuns

_STATUSES = {-1: "failure", 0: "running", 1: "success"}
_CHUNK = 4 << 20  # bytes of a call
_MOST_TAGS = 20_000  # of a run
_LINE = ReasonKind("importers_swanlab_line", "{file}: a line is not one of SwanLab's metrics: {cause}")


@define
class SwanlabRuns(TrackerRows):
    """What the database knows now."""

    experiments: dict[str, Mapping[str, Any]] = Factory(dict)  # by key
    tags: dict[str, list[tuple[str, str, str]]] = Factory(dict)  # by key: name, folder, type


def is_its(database: Database) -> bool:
    """Whether a database has SwanLab's tables."""
    return {"project", "experiment", "tag", "chart", "namespace"} <= database.tables


def read(database: Database, state: Mapping[str, Any]) -> SwanlabRuns:
    """All experiments and their tags: the database is small, and rows change."""
    found, keys = SwanlabRuns(), {}
    projects = {number: str(name) for number, name in database.rows("project", "id, name")}
    columns = "id, project_id, run_id, name, description, status, create_time, finish_time"
    if "finish_time" not in database.columns("experiment"):
        columns = columns.replace("finish_time", "update_time")
    for number, project, run_id, name, notes, status, started, ended in database.rows("experiment", columns):
        key = keys[number] = f"{number}-{run_id}"
        found.experiments[key] = {
            "directory": str(run_id),
            "name": str(name or ""),
            "project": projects.get(project, ""),
            "notes": str(notes or ""),
            "status": _STATUSES.get(status, ""),
            "started": str(started or ""),
            "ended": str(ended or ""),
        }
    folder = "folder" if "folder" in database.columns("tag") else "NULL"
    for experiment, name, place, kind in database.rows(
        "tag", f"experiment_id, name, {folder}, type", "ORDER BY id"
    ):
        if experiment in keys:
            place = quote(str(name), safe="") if place is None else str(place)
            found.tags.setdefault(keys[experiment], []).append((str(name), place, str(kind)))
    return found


def write(found: SwanlabRuns, target: TranslatedRuns, source: Path) -> None:
    """Appends what is new in the logs of each run."""
    base = source.parent.resolve()
    directories = {key: base / one["directory"] for key, one in found.experiments.items()}
    shown = {key: place for key, place in directories.items() if _is_shown(base, place)}
    target.keep(shown)
    places = target.state.setdefault("places", {})
    for key in places.keys() - shown.keys():
        del places[key]
    watched: list[str] = []
    left = _CHUNK
    for key, directory in shown.items():
        about, tags = found.experiments[key], found.tags.get(key, [])[:_MOST_TAGS]
        run = target.run(key, f"{about['name']} {directory.name}" if about["name"] else directory.name)
        log = _RunLogs(run, directory, places.setdefault(key, {}), partial(target.note, run.name))
        left = log.read_more(tags, left)
        found.is_last &= left > 0
        found.flaws += [(run.name, flaw) for flaw in _tell(run, about, directory)]
        watched.append(str(directory / "logs"))
        if about["status"] == "running":
            watched += [*log.newest, *watched_files(directory)]
    found.watched = watched


def _is_shown(base: Path, directory: Path) -> bool:
    """Whether a run has a directory next to the database, and no log of its own."""
    try:
        names = os.listdir(directory)
    except OSError:
        return False
    return directory.resolve().parent == base and not any(name.endswith(".swanlab") for name in names)


def _tell(run: ImportedRun, about: Mapping[str, Any], directory: Path) -> list[Flaw]:
    """Fills the facts of a run, and returns the damage among them."""
    flaws: list[Flaw] = []
    facts = run.facts
    given = {
        "tracker": "SwanLab",
        "project": about["project"],
        "name": about["name"],
        "id": directory.name,
        **origin_of(directory, flaws),
    }
    cells = {name: cell_of(value) for name, value in given.items() if value}
    facts.origin = {name: cell for name, cell in cells.items() if cell is not None}
    facts.config, more = config_cells(config_of(directory, flaws))
    facts.status = about["status"]
    facts.started = seconds_of(about["started"]) or 0.0
    facts.ended = (facts.status != "running" and seconds_of(about["ended"])) or 0.0
    if about["notes"]:
        facts.texts["notes"] = about["notes"]
    return [*flaws, *more]


class _RunLogs:
    """The logs of a run. ``places`` keeps by folder which file is read, and how far."""

    def __init__(
        self,
        run: ImportedRun,
        directory: Path,
        places: dict[str, list[int]],
        note: Callable[[Flaw], None],
    ) -> None:
        self._run, self._directory, self._places, self._note = run, directory, places, note
        self._buffer = SeriesBuffer()
        self.newest: list[str] = []  # the log of each tag that grows

    def read_more(self, tags: Sequence[tuple[str, str, str]], most: int) -> int:
        """Writes at most about ``most`` bytes of lines; returns how many are left of these."""
        for tag, folder, kind in tags:
            with contained(lambda cause, tag=tag: self._note(Flaw(0, _LINE(file=tag, cause=cause)))):  # type: ignore[misc]
                most = self._read_tag(tag, folder, kind, most)
        for flaw in self._buffer.write(self._run):
            self._note(flaw)
        return most

    def _read_tag(self, tag: str, folder: str, kind: str, most: int) -> int:
        place = MediaFiles(self._directory / "logs").path(folder)  # not outside
        try:
            numbers = sorted(int(name[:-4]) for name in os.listdir(place) if name[:-4].isdecimal())
        except FileNotFoundError:  # the tag is named before its first line
            return most
        files = None
        if kind not in ("line", "text"):
            files = MediaFiles(Path(MediaFiles(self._directory / "media").path(folder)))
        for number in numbers:
            if most <= 0:  # the rest of a file, too, is of the next call
                return most
            at = self._places.setdefault(folder, [0, 0])
            if number < at[0]:
                continue
            if number > at[0]:
                at[:] = [number, 0]
            path = os.path.join(place, f"{number}.log")
            with open_file(path) as file:
                file.seek(at[1])
                data = file.read(most)
            whole = data[: data.rfind(b"\n") + 1]
            if len(data) == most and not whole:
                raise ValueError("a line is too long")
            for line in whole.splitlines():
                with contained(partial(self._note_line, path)):
                    take_metric(self._run, self._buffer, tag_of(tag), loaded(line), files, self._note)
            at[1] += len(whole)
            most -= len(data)
            if number == numbers[-1]:
                self.newest.append(path)
        return most

    def _note_line(self, path: str, cause: Any) -> None:  # noqa: ANN401 - a reason
        self._note(Flaw(0, _LINE(file=os.path.relpath(path, self._directory.parent), cause=cause)))
