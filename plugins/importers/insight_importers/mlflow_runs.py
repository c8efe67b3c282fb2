"""Reads what MLflow's file store and its database share: origin, status and artifacts of a run."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urlsplit

from insight_core.plugin import Flaw
from insight_importers.cells import cell_of, cell_of_text, cells_of, loaded
from insight_importers.facts import Facts
from insight_importers.media import MediaFiles, csv_of
from insight_importers.odd_values import float_of, odd_time
from insight_importers.translated_runs import TranslatedRuns

STATUSES = {
    "RUNNING": "running",
    "FINISHED": "success",
    "FAILED": "failure",
    "KILLED": "failure",
    "1": "running",  # as the file store has them
    "3": "success",
    "4": "failure",
    "5": "failure",
}
_ORIGIN = {
    "mlflow.user": "user",
    "mlflow.source.name": "command",
    "mlflow.source.git.commit": "git_commit",
}
_MOST_ARTIFACTS = 200  # of a run that are shown
_MOST_ENTRIES = 5_000  # of a run that are looked at
_LONGEST_TEXT = 1 << 20  # bytes
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")
_TEXTS = (".md", ".txt")
# mlflow.log_image(key=, step=): <key>+step+<step>+timestamp+<ms>+<id>.png, in older versions with %
_LOGGED_IMAGE = re.compile(
    r"(?P<key>.+)[+%]step[+%](?P<step>\d+)[+%]timestamp[+%](?P<time>\d+)[+%][0-9a-f-]+\.png"
)


def describe(
    facts: Facts,
    *,
    run_id: str,
    name: str,
    experiment: str,
    status: str,
    start: object,
    end: object,
    params: Mapping[str, str],
    tags: Mapping[str, str],
) -> list[Flaw]:
    """Fills the facts of a run, and returns the damage among them.

    Times are in ms since the epoch, nothing or 0 if unknown.
    """
    facts.config, flaws = cells_of((key, cell_of_text(value)) for key, value in params.items())
    origin = {"tracker": "MLflow", "project": experiment, "name": name, "id": run_id}
    origin |= {column: tags[key] for key, column in _ORIGIN.items() if tags.get(key)}
    own = [f"{key}={value}" for key, value in sorted(tags.items()) if not key.startswith("mlflow.")]
    if own:
        origin["tags"] = ", ".join(own)
    facts.origin = {key: cell for key, value in origin.items() if (cell := cell_of(value)) is not None}
    facts.status = STATUSES.get(status, "")
    began, ended = float_of(start or 0), float_of(end or 0)
    if began is None:
        flaws.append(odd_time("start_time", start))
    if ended is None:
        flaws.append(odd_time("end_time", end))
    facts.started, facts.ended = (began or 0) / 1000, (ended or 0) / 1000
    if tags.get("mlflow.note.content"):
        facts.texts["notes"] = tags["mlflow.note.content"][:_LONGEST_TEXT]
    return flaws


def below(uri: str, root: Path) -> Path | None:
    """The directory of artifacts at a local address, if it is below ``root``, where the store is.

    A store that was moved names the place where it was: the end of the address counts then. A store may name
    any directory of the machine, and none outside of its own is read.
    """
    parts = urlsplit(uri)
    if parts.scheme not in ("", "file"):
        return None
    names = Path(unquote(parts.path)).parts[1:]
    for count in range(len(names) - 1):
        place = root.joinpath(*names[count:])
        if ".." not in names and place.is_dir() and place.resolve().is_relative_to(root):
            return place
    direct = Path(unquote(parts.path))
    return direct if direct.is_dir() and direct.resolve().is_relative_to(root) else None


def write_artifacts(target: TranslatedRuns, key: str, directory: Path, seen: list[str]) -> list[str]:
    """Appends pictures, texts, pages and tables among the artifacts of a run; returns those that are known.

    ``seen`` are the artifacts that were appended before, each with its time.
    """
    run, files, known = target.run(key), MediaFiles(directory), set(seen)
    for path, mtime in _artifacts(directory):
        mark = f"{path} {mtime}"
        if mark in known or len(known) >= _MOST_ARTIFACTS:
            continue
        suffix = os.path.splitext(path)[1].lower()
        tag, step, when = f"artifacts/{path}", run.facts.last_step, mtime
        logged = _LOGGED_IMAGE.fullmatch(path.removeprefix("images/")) if path.startswith("images/") else None
        if logged is not None:
            tag, step, when = logged["key"].replace("#", "/"), int(logged["step"]), int(logged["time"]) / 1000
        with files.shown(partial(target.note, run.name), tag, step):
            if suffix in _PICTURES:
                run.picture(tag, step, when, files.path(path))
            elif suffix in _TEXTS:
                text = files.content(path)[:_LONGEST_TEXT].decode("utf-8", "replace")
                run.text(tag, step, when, text)
            elif suffix == ".html":
                run.media_file(tag, step, when, "text/html", files.path(path))
            elif suffix == ".json":
                table = loaded(files.content(path))
                if not isinstance(table, dict) or table.keys() != {"columns", "data"}:
                    continue
                run.media(tag, step, when, "text/csv", csv_of(table))
            else:
                continue
        known.add(mark)
    return sorted(known)


def _artifacts(directory: Path) -> Iterator[tuple[str, float]]:
    """Files below a directory, by relative path, with their times. Links are left out."""
    waiting, looked = [""], 0
    while waiting:
        below = waiting.pop()
        try:
            with os.scandir(directory / below) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in listed:
            looked += 1
            if looked > _MOST_ENTRIES:
                return
            path = f"{below}/{entry.name}" if below else entry.name
            try:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(path)
                elif entry.is_file(follow_symlinks=False) and not entry.name.endswith("+compressed.webp"):
                    yield path, entry.stat().st_mtime
            except OSError:
                continue
