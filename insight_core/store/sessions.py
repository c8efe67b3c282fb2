"""What the files of a run say of its sessions: which points a later session purges, and which are results."""

from __future__ import annotations

import bisect
import itertools
import posixpath
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from attrs import Factory, define, evolve, frozen

from insight_core.formats.columns import Columns
from insight_core.formats.event import Metadata
from insight_core.plugin import Claim, Dialect, EventField, FileName
from insight_core.store.attempts import Attempts, Purge, find_attempts
from insight_core.store.segment import FileOrder, PartOrder

# Stretches of the points behind a session that begins within a file: beyond all of those before it.
_STRETCHES = 1 << 32
# Events that carry a whole message: TensorBoard purges values of summaries only.
_NOT_PURGED = {
    EventField(Dialect.TENSORBOARD, name) for name in ("graph_def", "meta_graph_def", "tagged_run_metadata")
}
# Parts of log formats, which know no sessions, come before those of event files.
_EVENT_FILES: PartOrder = ((0.0, ""), 0)
RESULTS = "hparams"  # the plugin of files that record results, as ``add_hparams`` does


@define(eq=False)
class FileSessions:
    """The sessions that begin within one file: before all of its values, or after some."""

    steps: dict[int, int] = Factory(dict)  # smallest step, by number; 0: before all values
    last: int = 0  # number
    has_values: bool = False  # of the last one

    @classmethod
    def restored(cls, steps: Mapping[int, int], *, has_values: bool) -> FileSessions:
        """Those of an earlier process."""
        return cls(dict(steps), max(steps, default=0), has_values)

    def begin(self, step: int) -> dict[int, int]:
        """Notes a session that begins at a step; returns it as ``steps`` has it."""
        if self.has_values:
            self.last, self.has_values = self.last + 1, False
        self.steps[self.last] = min(step, self.steps.get(self.last, step))
        return {self.last: self.steps[self.last]}

    @property
    def stretch(self) -> int:
        """The first stretch of values that come now."""
        return self.last * _STRETCHES


class _Start(NamedTuple):
    """Where a session begins among the parts of a run, and at which step."""

    place: PartOrder
    step: int


@frozen
class RunSessions:
    """The sessions that count in a run, and its files that record results; shared by its series."""

    starts: tuple[_Start, ...] = ()
    results: frozenset[FileOrder] = frozenset()  # files

    @classmethod
    def of(cls, files: Iterable[tuple[FileOrder, FileSessions, Mapping[str, Metadata]]]) -> RunSessions:
        """Those of the files of a run."""
        starts = []
        results = set()
        for order, sessions, metadata in files:
            starts += [_Start((order, number * _STRETCHES), step) for number, step in sessions.steps.items()]
            if has_results(metadata):
                results.add(order)
        return cls(tuple(sorted(starts)), frozenset(results))

    def with_file(self, order: FileOrder, steps: Mapping[int, int], *, has_results: bool) -> RunSessions:
        """With sessions of a file, as ``FileSessions.steps``: what is there already is not looked through."""
        starts = list(self.starts)
        for number, step in steps.items():
            place = order, number * _STRETCHES
            at = bisect.bisect_left(starts, (place,))
            is_there = at < len(starts) and starts[at].place == place
            starts[at : at + is_there] = [_Start(place, step)]
        return RunSessions(tuple(starts), self.results | {order} if has_results else self.results)

    def with_above(self, above: RunSessions) -> RunSessions:
        """With those of the run above."""
        return RunSessions(tuple(sorted({*self.starts, *above.starts})), self.results)

    def may_purge(self, place: PartOrder, last_step: int | None = None) -> bool:
        """Whether a session begins after a part of a series, at no later step than the series has."""
        later = bisect.bisect_right(self.starts, place, key=lambda start: start.place)
        return any(
            last_step is None or start.step <= last_step
            for start in itertools.islice(self.starts, later, None)
        )

    def attempts(
        self, columns: Columns, parts: Sequence[PartOrder], ends: Sequence[int], claim: Claim
    ) -> Attempts:
        """The attempts of a series; ``ends`` is the index after the last point of each of its parts."""
        files = [list(group) for _, group in itertools.groupby(range(len(parts)), lambda at: parts[at][0])]
        purges = []
        first = bisect.bisect_left(parts, _EVENT_FILES)
        if not isinstance(claim, FileName) and claim not in _NOT_PURGED:
            for place, step in self.starts:
                before = bisect.bisect_left(parts, place)
                if before > first:
                    purges.append(Purge(ends[before - 1], step))
        found = find_attempts(
            columns.steps,
            [ends[group[-1]] for group in files],
            purges,
            [number for number, group in enumerate(files) if parts[group[0]][0] in self.results],
            columns.wall_times,
        )
        if found.last < 0 or found.visible is None:
            return found
        # a result may be recorded before its training, in a file that was begun later
        times = columns.wall_times[[found.last, found.visible[-1]]].tolist()
        return evolve(found, last=-1) if times[0] < times[1] else found


NO_SESSIONS = RunSessions()


def has_results(metadata: Mapping[str, Metadata]) -> bool:
    """Whether metadata of a file, by tag, say that it records results."""
    return any(each.plugin == RESULTS for each in metadata.values())


def is_of_add_scalars(run: str, tags: Iterable[str]) -> bool:
    """Whether ``add_scalars`` wrote a run: it has one tag, after which its directory is called.

    It is a part of the run above: its writer records no sessions of its own.
    """
    names = set(tags)
    return len(names) == 1 and posixpath.basename(run).startswith(f"{names.pop().replace('/', '_')}_")


class RunsBelow:
    """The runs in the directory of each run, so that none has to look at all others."""

    def __init__(self) -> None:
        self._found: dict[str, set[str]] = {}

    def add(self, names: Iterable[str]) -> None:
        """Adds runs."""
        for name in names:
            self._found.setdefault(run_above(name), set()).add(name)

    def remove(self, name: str) -> None:
        """Removes a run, if it is there."""
        above = run_above(name)
        found = self._found.get(above, set())
        found.discard(name)
        if not found:
            self._found.pop(above, None)

    def of(self, run: str) -> list[str]:
        """The runs in the directory of ``run``."""
        return [name for name in self._found.get(run, ()) if name != run]


def run_above(run: str) -> str:
    """The run in whose directory that of ``run`` is."""
    return posixpath.dirname(run) or "."
