"""Lists the runs that an earlier process read, from the index, before the logdirs are walked."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import TypeAlias

from attrs import define, frozen

from insight_core.ingest.discover import dialect_of, printable, run_name, run_prefixes
from insight_core.ingest.file_order import is_tie, order_of, was_tied
from insight_core.ingest.folding import Folding, order_of_part
from insight_core.ingest.index.cache import IndexCache
from insight_core.ingest.index.format import HAS_POINTS, IS_PART, Unusable
from insight_core.ingest.index.segment_file import SegmentFile, StoredFile
from insight_core.ingest.logdir import Logdir
from insight_core.ingest.scan_ahead import file_version
from insight_core.ingest.tailer import Tailed
from insight_core.plugin import Dialect
from insight_core.store.indexed_runs import RecalledFile
from insight_core.store.segment import FileOrder

_Group: TypeAlias = tuple[SegmentFile, int]  # see ``SegmentFile.alike``


@define(eq=False)
class _Entry:
    """The index entry of a log file, and the logdir that the file is in."""

    segment: SegmentFile
    number: int
    root: str
    part: str = ""  # the name of its directory, if that is folded into the run

    @property
    def path(self) -> str:
        return self.segment.paths[self.number]

    @property
    def order(self) -> FileOrder:
        order = order_of(os.path.basename(self.path))
        return order_of_part(order, self.part) if self.part else order


@frozen(eq=False)
class _AlikeFiles:
    """See ``RecalledFiles``."""

    runs: Sequence[str]
    start_times: Sequence[float]
    entries: Sequence[tuple[_Entry, ...]]
    lose: Callable[[str], None]

    def opened(self, number: int, *, is_compared: bool) -> Sequence[RecalledFile] | None:
        """See ``RecalledFiles``."""
        found = []
        try:
            for entry in self.entries[number]:
                if not is_compared and not entry.segment.is_of(
                    entry.number, file_version(os.stat(entry.path))
                ):
                    return None
                content = entry.segment.entry(entry.number, self.lose).content
                found.append(RecalledFile(entry.order, printable(entry.path[len(entry.root) :]), content))
        except (OSError, Unusable):
            return None
        return found


class Recall:
    """The first log file of each run that the index has, as far as its series can be listed.

    With the file of its only part, if these two are all files and share no tag. What else the index has
    is read in its order after the walk.
    """

    def __init__(
        self,
        cache: IndexCache,
        logdirs: Sequence[Logdir],
        lose: Callable[[str], None],
        folding: Folding,
    ) -> None:
        """``lose`` is called with the absolute path of a file, in any thread, if points cannot be read."""
        self._cache = cache
        self._lose = cache.dropping(lose)
        first, parts = _first_of_runs(cache, logdirs, folding)
        segments = {each.segment for each in (*first.values(), *parts.values())}
        alike = {segment: segment.alike() for segment in segments}
        found: dict[tuple[_Group, _Group | None], list[str]] = {}
        for run, entry in first.items():
            group = alike[entry.segment][entry.number]
            if group is not None:
                part = parts.get(run)
                other = None if part is None else alike[part.segment][part.number]
                with_part = None if part is None or other is None else (part.segment, other)
                found.setdefault(((entry.segment, group), with_part), []).append(run)
        self._groups: list[list[str]] = []
        self._entries: dict[str, tuple[_Entry, ...]] = {}
        for (_, with_part), runs in found.items():
            example = runs[0]
            has_parts = with_part is not None and _are_apart(first[example], parts[example])
            self._entries |= {run: (first[run], parts[run]) if has_parts else (first[run],) for run in runs}
            self._groups.append(runs)

    def runs(self) -> Set[str]:
        """The runs that have a file here."""
        return self._entries.keys()

    def groups(self) -> Iterator[_AlikeFiles]:
        """The files for the store."""
        segments = {entry.segment for entries in self._entries.values() for entry in entries}
        times = {segment: segment.start_times() for segment in segments}
        for runs in self._groups:
            entries = [self._entries[run] for run in runs]
            started = [_earliest([times[each.segment][each.number] for each in one]) for one in entries]
            yield _AlikeFiles(runs, started, entries, self._lose)

    def orders(self, run: str) -> list[FileOrder]:
        """The orders of the recalled files of a run."""
        return [entry.order for entry in self._entries[run]]

    def path_of(self, run: str, order: FileOrder) -> str | None:
        """The path of the recalled file of a run that has this order; None without such a file."""
        return next((entry.path for entry in self._entries.get(run, ()) if entry.order == order), None)

    def unchanged(self, run: str, first: Tailed | None, part: Tailed | None) -> tuple[StoredFile, ...] | None:
        """The entries of the recalled files of a run, if these are the ``first`` that was found of the run
        itself and that of its ``part``, in the same version."""
        entries = self._entries[run]
        stored = self._unchanged(first, entries[0])
        if stored is None or len(entries) == 1:
            return None if stored is None else (stored,)
        stored_part = self._unchanged(part, entries[1])
        return None if stored_part is None else (stored, stored_part)

    def _unchanged(self, tailed: Tailed | None, entry: _Entry) -> StoredFile | None:
        if tailed is None:
            return None
        found = tailed.found
        if (
            os.path.abspath(found.path) != entry.path
            or found.format is not None
            or was_tied(found)
            or not entry.segment.is_of(entry.number, found.version)
            or not self._cache.has(entry.segment, entry.number)
        ):
            return None
        return StoredFile(entry.segment, entry.number, found.version)


def _earliest(start_times: list[float]) -> float:
    """NaN: none."""
    if len(start_times) > 1:
        return min((time for time in start_times if time == time), default=math.nan)
    return start_times[0]


def _are_apart(first: _Entry, part: _Entry) -> bool:
    """Whether no tag is in both files."""
    return first.segment.tags(first.number).isdisjoint(part.segment.tags(part.number))


def _first_of_runs(
    cache: IndexCache, logdirs: Sequence[Logdir], folding: Folding
) -> tuple[Mapping[str, _Entry], Mapping[str, _Entry]]:
    """The first file of each run, and the file of its part, where those two are all files of the run."""
    roots = [
        (os.path.join(os.path.abspath(logdir.path), ""), prefix, logdir.dialects)
        for logdir, prefix in zip(logdirs, run_prefixes(logdirs), strict=True)
    ]
    first: dict[str, _Entry] = {}
    holding: dict[str, int] = {}  # by run: what all of its files have, and what one of them has
    several: set[str] = set()  # runs with more than one file
    tied: dict[str, FileOrder] = {}  # the first of equal orders: only their records tell which is first
    for segment, numbers in cache.listed():
        holds = segment.holds()
        for number in numbers:
            path = segment.paths[number]
            for root, prefix, dialects in roots:
                if not path.startswith(root):
                    continue
                directory, _, name = path[len(root) :].rpartition("/")
                if len(dialects) < len(Dialect) and dialect_of(name) not in dialects:
                    continue
                run = run_name(prefix, directory)
                held = holding.get(run, IS_PART)
                holding[run] = (held | holds[number]) & ~(IS_PART & ~(held & holds[number]))
                known = first.get(run)
                if known is None:
                    first[run] = _Entry(segment, number, root)
                    continue
                several.add(run)
                order = order_of(name)
                if is_tie(order, known.order):
                    tied[run] = order
                if order < known.order:
                    first[run] = _Entry(segment, number, root)
    above_parts = folding.may_be(first)
    alone = Counter(above_parts.values())
    parts: dict[str, _Entry] = {}
    for run, above in above_parts.items():  # as far as it is known; the walk decides
        if holding[run] & IS_PART and (alone[above] == 1 or holding[above] & HAS_POINTS):
            part = first.pop(run)
            if alone[above] == 1 and several.isdisjoint((run, above)):
                part.part = run.rpartition("/")[2]
                parts[above] = part
    known_orders = {
        run: entry for run, entry in first.items() if run not in tied or not is_tie(entry.order, tied[run])
    }
    return known_orders, parts
