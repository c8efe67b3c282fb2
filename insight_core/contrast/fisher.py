"""Fisher's exact test of one of several conditions, corrected for all of them.

Fisher's test gives the probability that so many faulty runs meet a condition by chance (Statistical Methods
for Research Workers, 1934). The correction adds for each condition the largest probability that it can have
and that is not above the one that was found. A condition that cannot be that unlikely adds nothing (Tarone, A
modified Bonferroni method for discrete data, Biometrics 46, 1990), so that few runs are enough where few
conditions can separate them.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

Counts: TypeAlias = NDArray[np.intp]
_EXACT_RUNS = 2000  # of more, the correction counts the conditions


@frozen(eq=False)
class FisherTest:
    """The distribution of faulty runs in a random choice of some of the runs."""

    runs: int
    faulty: int
    _logs: NDArray[np.float64] = field(init=False)  # of factorials
    _tails: dict[int, NDArray[np.float64]] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, self.runs + 1)))])
        object.__setattr__(self, "_logs", logs)

    def log_probability(self, met: Counts, hits: Counts) -> NDArray[np.float64]:
        """Of exactly so many hits among the runs that meet a condition."""
        others, missed = met - hits, self.faulty - hits
        rest = self.runs - self.faulty - others
        parts = self._logs[met] + self._logs[self.runs - met]
        parts = parts + self._logs[self.faulty] + self._logs[self.runs - self.faulty] - self._logs[self.runs]
        return np.asarray(
            parts - self._logs[hits] - self._logs[others] - self._logs[missed] - self._logs[rest]
        )

    def tails(self, met: int) -> NDArray[np.float64]:
        """The probabilities of at least so many hits, from the fewest that are possible on."""
        if met not in self._tails:
            hits = np.arange(max(0, met - self.runs + self.faulty), min(met, self.faulty) + 1)
            exact = np.exp(self.log_probability(np.full(len(hits), met), hits))
            self._tails[met] = np.cumsum(exact[::-1])[::-1]
        return self._tails[met]

    def tail(self, met: int, hits: int) -> float:
        """Fisher's exact test, one-sided: the probability of at least so many hits."""
        return float(self.tails(met)[hits - max(0, met - self.runs + self.faulty)])

    def corrected(self, met: int, hits: int, sizes: Counts) -> float:
        """An upper bound for any of the conditions; ``sizes`` counts them by the runs that meet them."""
        found = self.tail(met, hits)
        if self.runs > _EXACT_RUNS:
            return min(1.0, found * int(sizes.sum()))
        total = 0.0
        for size in np.flatnonzero(sizes).tolist():
            tails = self.tails(size)
            reached = tails[tails <= found * (1 + 1e-9)]
            if len(reached):
                total += int(sizes[size]) * float(reached[0])
        return min(1.0, total)
