"""Builds a lake: finds what has changed in the logs, and writes it as segments, batch by batch."""

from __future__ import annotations

import os
import re
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from attrs import define, frozen

from insight_core.plugin import CommandHost, InvalidArgument
from insight_core.plugin.data import DataProvider
from insight_lake.catalog import RunNote
from insight_lake.delta import LakeCommit, LakeSegment, LakeVersion, newest, publish
from insight_lake.lake import Lake
from insight_lake.records import CopiedRecords, LogRecords, RecordSource
from insight_lake.row_reader import RowReader
from insight_lake.sources import (
    BATCH,
    PLUGIN,
    FoundRun,
    batches,
    check_locatable,
    check_present,
    found_runs,
    is_remote,
    unread_runs,
)
from insight_lake.store import LakeStore
from insight_lake.tables import LakeObject, WrittenTable
from insight_lake.upkeep import remove_runs, rewritten
from insight_lake.writing import SegmentDraft, write_series


@frozen
class BuildOptions:
    """Options of a build."""

    flags: Sequence[str]  # of insight-host: the source
    source: str  # what runs are noted to come from, where that is not a logdir
    shard: tuple[int, int] = (0, 1)  # which of how many
    payloads: str = "locate"  # or "copy", or "none"
    prune: bool = False  # whether runs are dropped that the source no longer has
    replace: bool = False  # whether runs of other sources with the same names are replaced
    batch: int = BATCH  # bytes of log files that are read at a time


@define
class BuildReport:
    """Counts of a build."""

    written: int = 0  # runs
    unchanged: int = 0
    removed: int = 0
    points: int = 0
    records: int = 0
    bytes: int = 0  # of tables and payloads

    def add(self, entry: LakeSegment) -> None:
        """Adds a segment that was written."""
        self.written += entry.rows("runs")
        self.points += entry.rows("scalars")
        self.records += entry.rows("records")
        self.bytes += sum(one.size for one in entry.objects())


class Builder:
    """Builds a lake from one source."""

    def __init__(self, host: CommandHost, store: LakeStore, options: BuildOptions) -> None:
        self._host, self._store, self._options = host, store, options
        self._reader = RowReader(store)
        self._lake: Lake | None = None
        self._fileless: set[str] | None = (
            None  # runs without files that the last batch found; None before one
        )
        self.report = BuildReport()

    def run(self) -> BuildReport:
        """Writes all runs that have changed, and publishes each batch once it is complete."""
        try:
            with ExitStack() as opened:
                read = time.time()
                context = self._host.loaded(self._options.flags, PLUGIN, runs=lambda run: False)
                data = opened.enter_context(context).data
                check_present(data)
                found, is_local = found_runs(data, self._options.source)
                sources = {one.source for one in found.values()} if is_local else set()
                _check_outside(self._store.location, sources)
                if self._options.payloads == "locate":
                    check_locatable(sources)
                mine = {run: one for run, one in found.items() if self._is_mine(run)}
                changed = self._changed(mine)
                self.report.unchanged = len(mine) - len(changed)
                if is_local:
                    opened.close()
                for batch in batches(changed, mine, self._options.batch):
                    self._build(batch, mine, set(found), None if is_local else data, read)
            if self._options.prune:
                self._prune(mine, set(found))
            # of logs without runs as well: hosts can tell an empty lake from none
            publish(self._store, lambda version: None, self._known())
        finally:
            self._reader.close()
        return self.report

    def _is_mine(self, run: str) -> bool:
        shard, shards = self._options.shard
        return zlib.crc32(run.encode()) % shards == shard  # the same on every machine

    def _version(self, version: LakeVersion) -> Lake:
        self._lake = Lake(self._reader, version, self._lake)
        return self._lake

    def _known(self) -> LakeVersion | None:
        return None if self._lake is None else self._lake.version

    def _changed(self, mine: Mapping[str, FoundRun]) -> list[str]:
        known = self._version(newest(self._store)).runs()
        others = [run for run, one in mine.items() if run in known and known[run].note.source != one.source]
        if others and not self._options.replace:
            run = min(others)
            raise InvalidArgument(
                f"the lake has the run {run!r} of {known[run].note.source}, and that of {mine[run].source} "
                "would replace it: give the logdir a name (NAME:DIR), or --replace"
            )
        return sorted(
            run
            for run, one in mine.items()
            if run not in known
            or known[run].note.fingerprint != one.fingerprint
            or known[run].note.source != one.source
        )

    def _build(
        self,
        batch: Sequence[str],
        mine: Mapping[str, FoundRun],
        listed: set[str],
        data: DataProvider | None,
        read: float,
    ) -> None:
        """Writes and publishes a segment of a batch of runs; ``data`` are those of a source without files."""
        wanted = set(batch)
        with ExitStack() as opened:
            if data is None:
                context = self._host.loaded(
                    # a run without files, such as a directory that cannot be read, is listed by loading alone
                    self._options.flags,
                    PLUGIN,
                    runs=lambda run: run in wanted or (run not in listed and self._is_mine(run)),
                )
                data = opened.enter_context(context).data
                found = {run.name for run in data.runs()}
                self._fileless = found - listed
                wanted |= found
            unread = unread_runs(data, {run for run in wanted if run in mine and is_remote(mine[run].source)})
            for run, cause in unread.items():
                self._host.print(f"insight-host lake: {run} is left out for now: {cause}")
            wanted -= unread.keys()
            directory = opened.enter_context(self._store.drafts())
            draft = SegmentDraft(directory)
            source, payloads = self._record_source(data, draft, opened)
            runs = [run for run in data.runs() if run.name in wanted]
            names = [run.name for run in runs]
            write_series(draft, data, names, source, self._tell)
            fallback = FoundRun("", 0, self._options.source)
            notes = {
                run: RunNote(one.source, one.fingerprint, read)
                for run, one in ((run, mine.get(run, fallback)) for run in names)
            }
            draft.add_runs(runs, data, notes)
            stored = payloads()
            if not runs:
                return
            if stored is not None:
                self._store.put_file(stored.key, draft.path("payloads"))
            entry = draft.store(self._store, [stored] if stored is not None else [])
        self._publish(entry, notes)

    def _record_source(
        self, data: DataProvider, draft: SegmentDraft, opened: ExitStack
    ) -> tuple[RecordSource | None, Callable[[], LakeObject | None]]:
        """Returns the source of places of payloads, and a function that ends the file of copied ones."""
        if self._options.payloads == "none":
            return None, lambda: None
        path, key = draft.path("payloads"), f"payloads/{draft.id}.bin"
        file = opened.enter_context(path.open("wb"))

        def end() -> LakeObject | None:
            file.close()
            return WrittenTable(path, 0).stored_as(key) if path.stat().st_size else None

        copied = CopiedRecords(data, file, key)
        return LogRecords(data, copied) if self._options.payloads == "locate" else copied, end

    def _tell(self, points: int) -> None:
        self._host.status(
            f"insight-host lake: {self.report.written:,} runs, {self.report.points + points:,} points"
        )

    def _publish(self, entry: LakeSegment, notes: Mapping[str, RunNote]) -> None:
        made: dict[tuple[str, frozenset[str]], LakeSegment | None] = {}
        result: list[LakeSegment] = []

        def without(segment: LakeSegment, runs: Iterable[str]) -> LakeSegment | None:
            key = segment.id, frozenset(runs)
            if key not in made:
                made[key] = rewritten(self._store, [segment], key[1]) if key[1] else segment
            return made[key]

        def change(version: LakeVersion) -> LakeCommit | None:
            known = self._version(version).runs()
            # another builder was faster, and looked at the files later, or at the same ones
            late = {
                run
                for run, note in notes.items()
                if run in known and (known[run].note.read > note.read or _is_same(known[run].note, note))
            }
            mine = without(entry, late)
            replaced: dict[str, set[str]] = {}
            for run in notes.keys() - late:
                holder = self._version(version).entry_of(run)
                if holder is not None:
                    replaced.setdefault(holder.id, set()).add(run)
            by_id = {segment.id: segment for segment in version.segments}
            left = [without(by_id[name], runs) for name, runs in replaced.items()]
            result[:] = [] if mine is None else [mine]
            added = [segment for segment in (mine, *left) if segment is not None]
            return LakeCommit(list(replaced), added) if mine is not None else None

        publish(self._store, change, self._known())
        for segment in result:
            self.report.add(segment)

    def _prune(self, mine: Mapping[str, FoundRun], listed: set[str]) -> None:
        """Drops the runs of this shard that the source had and has no longer.

        Runs without files are not among those that are listed: they stay until a batch does not find them.
        """
        sources = {one.source for one in mine.values()} | {self._options.source}

        def gone(version: LakeVersion) -> set[str]:
            return {
                name
                for name, stored in self._version(version).runs().items()
                if name not in listed
                and stored.note.source in sources
                and self._is_mine(name)
                and (stored.note.fingerprint or (self._fileless is not None and name not in self._fileless))
            }

        if not listed and (lost := gone(newest(self._store, self._known()))):
            raise InvalidArgument(
                f"{self._options.source}: has no run at all, perhaps because it is not mounted, and --prune "
                f"would drop {len(lost):,} runs of the lake; if that is meant, use insight-host lake expire"
            )
        self.report.removed = remove_runs(self._store, gone, self._known())


def _is_same(known: RunNote, note: RunNote) -> bool:
    return bool(note.fingerprint) and (known.fingerprint, known.source) == (note.fingerprint, note.source)


def _check_outside(place: str, logdirs: Iterable[str]) -> None:
    """Raises InvalidArgument if the lake is in one of the logdirs."""
    for logdir in logdirs:
        is_inside = (
            f"{place}/".startswith(f"{logdir.rstrip('/')}/")
            if is_remote(place)
            else Path(os.path.realpath(place)).is_relative_to(logdir)
        )
        if is_inside:
            raise InvalidArgument(f"{place} lies in the log directory {logdir}, and nothing is written there")


def parse_shard(text: str) -> tuple[int, int]:
    """``i/n`` with i from 0 to before n. Raises ValueError."""
    match = re.fullmatch(r"([0-9]+)/([0-9]+)", text)
    if match is None or not 0 <= int(match[1]) < int(match[2]):
        raise ValueError(f"{text!r} is not of the form I/N with I from 0 to N - 1")
    return int(match[1]), int(match[2])
