"""Reads version 1 of SwanLab's logs, ``backup.swanlab`` of 0.6 to 0.8: a line of JSON in each record."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from insight_core.plugin import Flaw
from insight_importers.cells import cell_of, loaded
from insight_importers.imported_run import ImportedRun
from insight_importers.media import MediaFiles
from insight_importers.odd_values import seconds_of, whole_of
from insight_importers.series_buffer import SeriesBuffer
from insight_importers.swanlab_files import tag_of, take_metric, time_of


class BackupRecords:
    """Takes the records of a run into its state, its buffer of numbers and its files."""

    def __init__(
        self, state: dict[str, Any], directory: Path, buffer: SeriesBuffer, console: list[str]
    ) -> None:
        self._state, self._directory, self._buffer, self._console = state, directory, buffer, console
        self._media: list[tuple[str, Any, MediaFiles | None]] = []

    def take(self, record: bytes) -> None:
        """Takes a record. Raises various errors for one that is not as SwanLab writes it."""
        line = loaded(record)
        kind, data = line["model_type"], line["data"]
        if kind == "Scalar":
            metric = data["metric"]
            self._buffer.add(tag_of(data["key"]), metric["index"], time_of(metric), metric["data"])
        elif kind == "Media":
            place = self._directory / "media" / str(whole_of(data["kid"]))
            files = MediaFiles(place) if data["buffers_name"] else None
            self._media.append((data["key"], data["metric"], files))
        elif kind == "Log":
            self._console.append(f"{data['message']}\n")
        elif kind == "Header":
            self._state["started"] = seconds_of(data["create_time"]) or 0.0
        elif kind == "Project":
            self._tell("project", data["name"])
        elif kind == "Experiment":
            name, given = data["name"], data["id"]
            self._state.setdefault("name", f"{name} {given}" if name else self._directory.name)
            self._state["notes"] = data.get("description") or ""
            self._tell("name", name)
            self._tell("id", given)
            self._tell("tags", ", ".join(map(str, data.get("tags") or ())))
        elif kind == "Footer":
            self._state["status"] = "success" if data["success"] else "failure"
            self._state["ended"] = seconds_of(data["create_time"]) or 0.0

    def write_media(self, run: ImportedRun, note: Callable[[Flaw], None]) -> None:
        """Writes texts and media files of the records that were taken."""
        for tag, metric, files in self._media:
            take_metric(run, self._buffer, tag, metric, files, note)

    def _tell(self, column: str, value: object) -> None:
        if value:
            self._state.setdefault("origin", {})[column] = cell_of(value)
