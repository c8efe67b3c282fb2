"""State of one file of a run, the list of damage with its limit, and files that a claim names."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from attrs import Factory, define, evolve

from insight_core.formats.batch import Batch, Flaw
from insight_core.formats.columns import Columns
from insight_core.formats.event import Metadata
from insight_core.formats.stored_block import Lost
from insight_core.formats.wall_times import LATEST, unit_problem
from insight_core.plugin import Dialect, FileName
from insight_core.plugin.data import Damage
from insight_core.store.claims import Claims
from insight_core.store.segment import FileOrder
from insight_core.store.series import Series
from insight_core.store.sessions import FileSessions
from insight_record.formats.reason import Reason, ReasonKind

NONE: Mapping[str, Metadata] = MappingProxyType({})  # shared: most files have none
MOST_LISTED = 200  # tags of a run that are left out, and damaged records of a file, listed one by one
_NOT_ONE_NUMBER = ReasonKind("not_one_number", "{tag!r} of plugin {plugin} is not one number")


@define(eq=False)
class HeldFile:
    """State of one file."""

    name: str
    dialect: Dialect | None  # of an event file
    start_time: float | None = None
    odd_time: float | None = None  # a wall time that is not in seconds
    metadata: Mapping[str, Metadata] = NONE  # by tag; replaced, never changed
    refused: dict[str, Flaw] = Factory(dict)  # by tag: values that a cache policy left out
    sessions: FileSessions = Factory(FileSessions)
    served: dict[int, Flaw] = Factory(dict)  # by offset: records found damaged when they were served

    def describe(self, found: Mapping[str, Metadata]) -> list[str]:
        """Adds the metadata of later values; returns the tags whose metadata are others now."""
        if not found:
            return []
        known = {tag: self.metadata[tag] for tag in self.metadata.keys() & found.keys()}
        changed = {
            tag: now
            for tag, metadata in found.items()
            if (now := known[tag].continued(metadata) if tag in known else metadata) is not known.get(tag)
        }
        self.metadata = {**self.metadata, **changed}
        return list(changed)

    def note_times(self, batch: Batch) -> bool:
        """Notes the first wall time, and one that is not in seconds; returns False if nothing changes.

        Writers are of one unit, so the first and the last value of each block tell it.
        """
        before = self.start_time, self.odd_time
        first = batch.first_wall_time
        if first is not None and (self.start_time is None or first < self.start_time):
            self.start_time = first
        if self.odd_time is None:
            ends = [block.columns.wall_times.item(at) for block in batch.blocks for at in (0, -1)]
            self.odd_time = next((one for one in ends if one >= LATEST), None)
        return before != (self.start_time, self.odd_time)

    def note_served(self, record: int, flaw: Flaw | None) -> bool:
        """Lists a record as damaged; without a flaw, removes it from the list. Returns False if unchanged."""
        if (record in self.served) == (flaw is not None):
            return False
        if flaw is None:  # the file was repaired in place
            del self.served[record]
        else:
            self.served[record] = flaw
        return True

    def damage(self, run: str) -> list[Damage]:
        """Wall times that are not in seconds, and the records that were damaged when they were served."""
        problem = None if self.odd_time is None else unit_problem(self.odd_time)
        found = [] if problem is None else [Damage(run, self.name, 0, problem, 0)]
        flaws = sorted(self.served.values(), key=lambda flaw: flaw.offset)
        more = "more records from here on cannot be read", "more_records"
        return found + _listed(run, [(self.name, flaw) for flaw in flaws], more)


def metadata_of_run(
    tag: str, first: Metadata, files: Mapping[FileOrder, HeldFile], last_contents: Container[str]
) -> Metadata:
    """The metadata of a tag, of which the first value has ``first``.

    Plugins in ``last_contents`` get the content of the last value of the last file.
    """
    if first.plugin not in last_contents:
        return first
    for _, file in sorted(files.items(), reverse=True):
        known = file.metadata.get(tag)
        if known is not None and known.plugin == first.plugin:
            return evolve(first, content=known.last_content, last=None)
    return first


def tags_left_out(
    run: str, files: Mapping[FileOrder, HeldFile], several: Iterable[Series], claims: Claims
) -> list[Damage]:
    """The damage of omitted tags: those that a policy leaves out, and those that are not one number."""
    flaws: dict[str, tuple[str, Flaw]] = {}
    for _, held in sorted(files.items()):
        for tag, flaw in held.refused.items():
            flaws.setdefault(tag, (held.name, flaw))
    for series in several:
        if series.reader or series.empty:
            continue
        try:
            snapshot = series.snapshot()
        except Lost:  # the file is read again
            continue
        tag, places, plugin = series.key.tag, snapshot.columns.places, claims.owner(series.claim)
        offset = 0 if places is None else int(places[0, 0])
        flaw = Flaw(offset, _NOT_ONE_NUMBER(tag=tag, plugin=plugin))
        flaws.setdefault(tag, (files[snapshot.file_of(0)].name, flaw))
    return _listed(run, list(flaws.values()), ("more tags are left out", "more_tags"))


def _listed(run: str, flaws: Sequence[tuple[str, Flaw]], more: tuple[str, str]) -> list[Damage]:
    """One entry for each of the first flaws, and one entry that counts the others."""
    found = [Damage(run, file, each.offset, each.reason, each.skipped) for file, each in flaws]
    if len(found) > MOST_LISTED:
        first, rest = found[MOST_LISTED], found[MOST_LISTED:]
        text, code = more
        text = f"{len(rest)} {text}; only {MOST_LISTED} are listed"
        reason = Reason(text, code, more=len(rest), most=MOST_LISTED)
        skipped = sum(each.skipped for each in rest)
        found[MOST_LISTED:] = [Damage(run, first.file, first.offset, reason, skipped)]
    return found


class NamedFile(NamedTuple):
    """One version of the file; its content has not been read."""

    run: str
    path: str
    name: str  # relative to the logdir, fit to be shown
    path_in_run: str  # fit to be shown
    claims: tuple[tuple[str, FileName], ...]  # by plugin
    size: int  # bytes
    mtime_ns: int

    @property
    def order(self) -> FileOrder:
        """Its position among the files of the run: after all event files, those of one series by step."""
        step = next((claim.place_of(self.path_in_run)[1] for _, claim in self.claims if claim.step), None)
        # two slashes: so no other path is equal
        by_step = "" if step is None else f"{step + (1 << 63):020}//"
        return math.inf, by_step + self.path_in_run

    def columns(self, step: int) -> Columns:
        """Its single record."""
        places = np.array([[0], [0], [self.size]])
        times = np.array([self.mtime_ns / 1_000_000_000])
        return Columns(np.array([step], np.int64), times, None, places)
