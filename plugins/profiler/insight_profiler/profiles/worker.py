"""Reads a profile in a worker process, so that the host's memory and responsiveness are not affected."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from attrs import evolve

from insight_core.plugin import InsightError
from insight_core.plugin.worker import HostGone, WorkerLink
from insight_profiler.analysis.rank_summary import summary_of
from insight_profiler.building import Building, Unreadable
from insight_profiler.files import TOO_MUCH, WRONG_SUM, Files
from insight_profiler.model import Source
from insight_profiler.profiles.prepared import prepared
from insight_profiler.profiles.reading import place_in
from insight_profiler.profiles.storage import UnusableProfile, load, save
from insight_profiler.reading import READERS

_CODES = {TOO_MUCH: "unpacked_limit", WRONG_SUM: "wrong_checksum"}  # of notes, by what Files says
_CELL = 1 << 26  # characters: hccl_raw has a JSON object of all operators of a step in one cell
_FIRST_LOOK = 8 << 20  # bytes after which there is something to see
_NEXT_LOOK = 4  # times as many for each following look


class _Looks:
    """Says now and then what there is so far: first soon, then each time there is a multiple of it."""

    def __init__(self, link: WorkerLink, files: Files, directory: Path) -> None:
        self._link = link
        self._files = files
        self._directory = directory
        self._next = _FIRST_LOOK
        self._count = 0

    def __call__(self, building: Building) -> None:
        if self._files.bytes_read < self._next:
            return
        self._next = _NEXT_LOOK * max(self._next, self._files.bytes_read)
        self._count += 1
        where = self._directory / f"look-{self._count}"
        save(building.finish(is_complete=False), where)
        self._link.say(look=str(where))


def read(
    link: WorkerLink,
    *,
    source: str,
    files: Mapping[str, int],
    rank: int,
    worker: str,
    directory: str,
    looks: str,
    before: str = "",
) -> bytes:
    """Reads ``files`` (sizes by name) and writes their columns into ``directory``, or below ``looks`` if
    that is not possible. ``before``: where they are kept as they were. Returns the path. Raises
    InsightError with the code of a note."""
    csv.field_size_limit(_CELL)
    opened = Files(files, link.open, Path(looks), lambda name, offset: link.open(place_in(name, offset)))
    building = Building(Source(source), progress=_Looks(link, opened, Path(looks)))
    building.scratch = Path(directory).parent  # a disk, which the directory of the system need not be
    building.rank = rank
    building.worker = worker
    if before:
        with suppress(UnusableProfile, OSError):
            building.before = load(Path(before))
    try:
        READERS[building.source](opened, building)
    except HostGone:
        shutil.rmtree(looks, ignore_errors=True)  # nobody else does
        raise
    except Unreadable as error:
        raise InsightError(error.note.text, code=error.note.code, **error.note.values) from error
    told = {note.values.get("file") for note in building.notes if note.code == "truncated"}
    for name, reason in opened.cut.items():
        code = _CODES.get(reason, "truncated")
        if code != "truncated" or name not in told:
            building.note(code, f"{name}: {reason}", file=name)
    profile = prepared(building.finish())
    place = Path(directory)
    try:
        try:
            save(profile, place, summary_of(profile))
        except (
            OSError
        ) as error:  # the disk of the cache is full: it is shown, and read again at the next start
            text = f"the profile is not kept for the next start: {error}"
            building.note("not_cached", text, reason=str(error))
            place = Path(looks) / "whole"
            save(evolve(profile, notes=tuple(building.notes)), place)
    except OSError as error:
        text = f"what was read cannot be kept: {error}"
        raise InsightError(text, code="not_kept", reason=str(error)) from error
    return str(place).encode()
