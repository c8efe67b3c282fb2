"""Builds a lake: finds what has changed in the logs, and writes it as segments, batch by batch."""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from attrs import define, frozen

from insight_core.plugin import CommandHost, InvalidArgument
from insight_core.plugin.data import DataProvider
from insight_lake.delta import LakeCommit, LakeSegment, LakeVersion, newest, publish
from insight_lake.records import PayloadWriter
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
from insight_lake.tables import LakeObject
from insight_lake.upkeep import remove_runs
from insight_lake.writing import SegmentDraft, add_runs, rewritten


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


class Builder:
    """Builds a lake from one source, once."""

    def __init__(self, host: CommandHost, store: LakeStore, options: BuildOptions) -> None:
        self._host, self._store, self._options = host, store, options
        self._version = LakeVersion()  # that was read last
        self._read = 0.0  # when the files were looked at, seconds since the epoch
        self._found: Mapping[str, FoundRun] = {}  # of all shards
        # runs without files that the last batch found; None before one
        self._fileless: set[str] | None = None
        self.report = BuildReport()

    def run(self) -> BuildReport:
        """Writes all runs that have changed, and publishes each batch once it is complete."""
        options = self._options
        with ExitStack() as opened:
            self._read = time.time()
            context = self._host.loaded(options.flags, PLUGIN, runs=lambda run: False)
            data = opened.enter_context(context).data
            check_present(data)
            self._found, has_files = found_runs(data, options.source)
            logdirs = {one.source for one in self._found.values()} if has_files else set()
            _check_outside(self._store.location, logdirs)
            if options.payloads == "locate":
                check_locatable(logdirs)
            mine = {run: one for run, one in self._found.items() if self._is_mine(run)}
            changed = self._changed(mine)
            self.report.unchanged = len(mine) - len(changed)
            if has_files:
                opened.close()
            for batch in batches(changed, mine, options.batch):
                if has_files:
                    self._load(set(batch))
                else:
                    self._build(data, set(batch))
        if options.prune:
            self._prune({one.source for one in mine.values()} | {options.source})
        # of logs without runs as well: hosts can tell an empty lake from none
        publish(self._store, lambda version: None, self._version)
        return self.report

    def _is_mine(self, run: str) -> bool:
        shard, shards = self._options.shard
        return zlib.crc32(run.encode()) % shards == shard  # the same on every machine

    def _changed(self, mine: Mapping[str, FoundRun]) -> list[str]:
        self._version = newest(self._store)
        known = self._version.facts("source", "fingerprint")
        others = [run for run, one in mine.items() if run in known and known[run][0] != one.source]
        if others and not self._options.replace:
            run = min(others)
            raise InvalidArgument(
                f"the lake has the run {run!r} of {known[run][0]}, and that of {mine[run].source} "
                "would replace it: give the logdir a name (NAME:DIR), or --replace"
            )
        return sorted(run for run, one in mine.items() if known.get(run) != (one.source, one.fingerprint))

    def _load(self, batch: set[str]) -> None:
        """Reads the files of a batch of runs, and builds them with the runs without files."""

        def is_wanted(run: str) -> bool:
            # a run without files, such as a directory that cannot be read, is listed by loading alone
            return run in batch or (run not in self._found and self._is_mine(run))

        with self._host.loaded(self._options.flags, PLUGIN, runs=is_wanted) as context:
            names = {run.name for run in context.data.runs()}
            self._fileless = names - self._found.keys()
            self._build(context.data, names)

    def _build(self, data: DataProvider, runs: set[str]) -> None:
        """Writes and publishes a segment of these runs."""
        fallback = FoundRun("", 0, self._options.source)
        found = {run.name: self._found.get(run.name, fallback) for run in data.runs() if run.name in runs}
        remote = {run for run, one in found.items() if run in self._found and is_remote(one.source)}
        for run, cause in unread_runs(data, remote).items():
            self._host.print(f"insight-host lake: {run} is left out for now: {cause}")
            del found[run]
        if not found:
            return
        with self._store.drafts() as directory:
            draft = SegmentDraft(directory)
            path, key = draft.path("payloads"), f"payloads/{draft.id}.bin"
            with path.open("wb") as file:
                kind = self._options.payloads
                payloads = None if kind == "none" else PayloadWriter(data, file, key, kind == "copy")
                add_runs(draft, data, found, payloads, self._tell)
            copies = [LakeObject.of(path, key)] if path.stat().st_size else []
            for one in copies:
                self._store.put_file(one.key, path)
            rows = draft.runs(data, found, self._read)
            entry = draft.store(self._store, rows, draft.series(), copies)
        self._publish(entry, found)

    def _tell(self, points: int) -> None:
        self._host.status(
            f"insight-host lake: {self.report.written:,} runs, {self.report.points + points:,} points"
        )

    def _publish(self, entry: LakeSegment, found: Mapping[str, FoundRun]) -> None:
        made: dict[tuple[str, frozenset[str]], LakeSegment | None] = {}
        result: list[LakeSegment] = []

        def without(segment: LakeSegment, runs: Collection[str]) -> LakeSegment | None:
            key = segment.id, frozenset(runs)
            if key not in made:
                made[key] = rewritten(self._store, [segment], runs) if runs else segment
            return made[key]

        def change(version: LakeVersion) -> LakeCommit | None:
            known = version.facts("read", "source", "fingerprint")
            # another builder was faster, and looked at the files later, or at the same ones
            late = {
                run
                for run, one in found.items()
                if run in known
                and (
                    known[run][0] > self._read
                    or (one.fingerprint and known[run][1:] == (one.source, one.fingerprint))
                )
            }
            mine, new = without(entry, late), found.keys() - late
            held = {one.id: new.intersection(one.runs["run"].to_pylist()) for one in version.segments}
            replaced = [one for one in version.segments if held[one.id]]
            left = [without(one, held[one.id]) for one in replaced]
            result[:] = [] if mine is None else [mine]
            added = [segment for segment in (mine, *left) if segment is not None]
            return LakeCommit([one.id for one in replaced], added) if mine is not None else None

        self._version = publish(self._store, change, self._version)
        for segment in result:
            self.report.written += segment.rows("runs")
            self.report.points += segment.rows("scalars")
            self.report.records += segment.rows("records")
            self.report.bytes += sum(one.size for one in segment.objects)

    def _prune(self, sources: Collection[str]) -> None:
        """Drops the runs of this shard that one of the sources had and has no longer.

        Runs without files are not among those that are listed: they stay until a batch does not find them.
        """

        def gone(version: LakeVersion) -> set[str]:
            return {
                run
                for run, (source, fingerprint) in version.facts("source", "fingerprint").items()
                if run not in self._found
                and source in sources
                and self._is_mine(run)
                and (fingerprint or (self._fileless is not None and run not in self._fileless))
            }

        if not self._found and (lost := gone(newest(self._store, self._version))):
            raise InvalidArgument(
                f"{self._options.source}: has no run at all, perhaps because it is not mounted, and --prune "
                f"would drop {len(lost):,} runs of the lake; if that is meant, use insight-host lake expire"
            )
        self.report.removed = remove_runs(self._store, gone, self._version)


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
