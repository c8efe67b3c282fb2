"""Steps and durations of the spans of ranks, of runs of consecutive steps."""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.model import Profile


@frozen(eq=False)
class StepRuns:
    """Some runs of a profile, or parts of them: of each the rank, attempt, text of the span, first step, and
    its first and last (exclusive) place among all durations."""

    profile: Profile
    rank: NDArray[np.int32]
    attempt: NDArray[np.int32]
    span: NDArray[np.int32]
    first: NDArray[np.int64]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]

    @classmethod
    def of(cls, profile: Profile) -> StepRuns:
        """All runs, by rank, attempt, span and step."""
        table = profile.tables["step_runs"]
        end = table["end"]
        begin: NDArray[np.int64] = np.append(0, end[:-1])
        return cls(profile, table["rank"], table["attempt"], table["span"], table["first"], begin, end)

    def chosen(self, rows: NDArray[np.bool_] | NDArray[np.intp] | slice) -> StepRuns:
        """Some of these."""
        return StepRuns(
            self.profile,
            self.rank[rows],
            self.attempt[rows],
            self.span[rows],
            self.first[rows],
            self.begin[rows],
            self.end[rows],
        )

    def within(self, low: NDArray[np.int64] | int, high: NDArray[np.int64] | int) -> StepRuns:
        """The parts from a step to another (inclusive), the same for all or for each its own."""
        first = np.maximum(self.first, low)
        last = np.minimum(self.last(), high)
        begin = np.asarray(self.begin + (first - self.first), np.int64)
        cut = StepRuns(
            self.profile, self.rank, self.attempt, self.span, first, begin, begin + (last - first + 1)
        )
        return cut.chosen(last >= first)

    def last(self) -> NDArray[np.int64]:
        """The last step of each run."""
        return self.first + (self.end - self.begin) - 1

    def counts(self) -> NDArray[np.int64]:
        """How many steps each run has."""
        return self.end - self.begin

    def steps(self) -> NDArray[np.int64]:
        """int64: the number of each step, run after run."""
        return _counted(self.first, self.counts())

    def durations(self) -> NDArray[np.float32]:
        """float32: ns of each step, run after run."""
        return self._of("step_durations", "duration").astype(np.float32, copy=False)

    def starts(self) -> NDArray[np.int64]:
        """int64: when each step began, ns since the epoch; empty if that is not known of all of them."""
        if "step_starts" not in self.profile.tables:
            return np.empty(0, np.int64)
        known = len(self.profile.tables["step_starts"]["start"])
        if self.end.max(initial=0) > known:
            return np.empty(0, np.int64)
        return self._of("step_starts", "start").astype(np.int64, copy=False)

    def _of(self, table: str, name: str) -> NDArray[np.float32] | NDArray[np.int64]:
        column = self.profile.tables[table][name]
        if not len(self.begin):
            return column[:0]
        if (self.begin[1:] == self.end[:-1]).all():  # side by side: nothing is copied
            return column[self.begin[0] : self.end[-1]]
        return column[_counted(self.begin, self.counts())]


def _counted(first: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Numbers from each of the first ones on, as many as ``counts`` says."""
    if len(first) == 1:
        return np.arange(first[0], first[0] + counts[0])
    before = np.cumsum(counts) - counts
    found: NDArray[np.int64] = np.repeat(first - before, counts) + np.arange(int(counts.sum()))
    return found
