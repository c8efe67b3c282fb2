"""Lists the runs that an earlier process read, from the index, before the logdirs are walked."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from attrs import define, frozen

from insight_core.ingest.discover import dialect_of, printable, run_name, run_prefixes
from insight_core.ingest.file_order import is_tie, order_of
from insight_core.ingest.folding import Folding
from insight_core.ingest.found import FoundFile
from insight_core.ingest.index.cache import IndexCache
from insight_core.ingest.index.format import HAS_POINTS, IS_PART, Unusable
from insight_core.ingest.index.segment_file import SegmentFile, StoredFile
from insight_core.ingest.logdir import Logdir
from insight_core.ingest.scan_ahead import file_version
from insight_core.plugin import Dialect
from insight_core.store.asleep import RecalledFile
from insight_core.store.segment import FileOrder


@define(eq=False)
class _Entry:
    """The index entry of a log file, and the logdir that the file is in."""

    segment: SegmentFile
    number: int
    root: str

    @property
    def path(self) -> str:
        return self.segment.paths[self.number]

    @property
    def order(self) -> FileOrder:
        return order_of(os.path.basename(self.path))


@frozen(eq=False)
class _AlikeFiles:
    """See ``RecalledFiles``."""

    runs: Sequence[str]
    start_times: Sequence[float]
    entries: Sequence[_Entry]
    lose: Callable[[str], None]

    def opened(self, number: int, *, is_compared: bool) -> RecalledFile | None:
        """See ``RecalledFiles``."""
        entry = self.entries[number]
        try:
            if not is_compared and not entry.segment.is_of(entry.number, file_version(os.stat(entry.path))):
                return None
            content = entry.segment.entry(entry.number, self.lose).content
        except (OSError, Unusable):
            return None
        return RecalledFile(printable(entry.path[len(entry.root) :]), entry.order, content)


class Recall:
    """The first log file of each run that the index has, as far as its series can be listed."""

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
        first = _first_of_runs(cache, logdirs, folding)
        alike = {segment: segment.alike() for segment in {each.segment for each in first.values()}}
        self._groups: dict[tuple[SegmentFile, int], list[str]] = {}
        for run, entry in first.items():
            group = alike[entry.segment][entry.number]
            if group is not None:
                self._groups.setdefault((entry.segment, group), []).append(run)
        self._entries = {run: first[run] for runs in self._groups.values() for run in runs}

    def runs(self) -> Collection[str]:
        """The runs that have a file here."""
        return self._entries.keys()

    def groups(self) -> Iterator[_AlikeFiles]:
        """The files for the store."""
        times = {segment: segment.start_times() for segment, _ in self._groups}
        for (segment, _), runs in self._groups.items():
            entries = [self._entries[run] for run in runs]
            started = [times[segment][entry.number] for entry in entries]
            yield _AlikeFiles(runs, started, entries, self._lose)

    def place(self, run: str) -> tuple[str, FileOrder]:
        """The path of the recalled file of a run, and its order."""
        entry = self._entries[run]
        return entry.path, entry.order

    def path_of(self, run: str, order: FileOrder) -> str | None:
        """The path of the recalled file of a run, if it has this order."""
        path, known = self.place(run) if run in self._entries else ("", None)
        return path if known == order else None

    def unchanged(self, run: str, found: FoundFile) -> StoredFile | None:
        """The entry of the recalled file of a run, if it is the file that was found, in the same version."""
        entry = self._entries[run]
        if (
            os.path.abspath(found.path) != entry.path
            or found.format is not None
            or not entry.segment.is_of(entry.number, found.version)
            or not self._cache.has(entry.segment, entry.number)
        ):
            return None
        return StoredFile(entry.segment, entry.number, found.version)


def _first_of_runs(cache: IndexCache, logdirs: Sequence[Logdir], folding: Folding) -> Mapping[str, _Entry]:
    roots = [
        (os.path.join(os.path.abspath(logdir.path), ""), prefix, logdir.dialects)
        for logdir, prefix in zip(logdirs, run_prefixes(logdirs), strict=True)
    ]
    first: dict[str, _Entry] = {}
    holding: dict[str, int] = {}  # by run: what all of its files have, and what one of them has
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
                known, order = first.get(run), order_of(name)
                if known is not None and is_tie(order, known.order):
                    tied[run] = order
                if known is None or order < known.order:
                    first[run] = _Entry(segment, number, root)
    parts = folding.may_be(first)
    alone = Counter(parts.values())
    for run, above in parts.items():  # as far as it is known; the walk decides
        if holding[run] & IS_PART and (alone[above] == 1 or holding[above] & HAS_POINTS):
            del first[run]
    return {
        run: entry for run, entry in first.items() if run not in tied or not is_tie(entry.order, tied[run])
    }
