"""Finds restarts: splits a series into attempts and hides the points that a later attempt overwrote."""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray


@frozen(eq=False)
class Attempts:
    """How the points of a series (in file order) are divided into attempts.

    A new attempt begins where the step decreases. The last attempt wins: a point is hidden if a later
    attempt began at or before its step. An attempt with only one step replaces just that step: the second
    event file that MindSpore writes for loss landscapes records step 0 alone and must not hide the
    training.
    """

    starts: NDArray[np.intp]  # index of the first point of each attempt
    restarts: NDArray[np.int64]  # step at which each later attempt begins
    visible: NDArray[np.intp] | None  # indices of the shown points, by step; None: all, in file order

    @property
    def count(self) -> int:
        """Number of attempts."""
        return len(self.starts)


ONE_ATTEMPT = Attempts(np.zeros(1, np.intp), np.zeros(0, np.int64), None)


def find_attempts(steps: NDArray[np.int64]) -> Attempts:
    """Attempts of a series with these steps, int64[n] in file order."""
    backwards = np.flatnonzero(steps[1:] < steps[:-1]) + 1
    starts = np.concatenate([[0], backwards]).astype(np.intp)
    restarts = steps[backwards]
    if not len(backwards):
        return Attempts(starts, restarts, None)
    lengths = np.diff(np.append(starts, len(steps)))
    firsts = steps[starts]
    lasts = steps[starts + lengths - 1]
    never = np.iinfo(np.int64).max
    cuts = np.where(lasts > firsts, firsts, never)
    later = np.append(
        np.minimum.accumulate(cuts[::-1])[::-1][1:], never
    )  # the minimum over all later attempts
    shown = steps < np.repeat(later, lengths)
    single = np.flatnonzero(lasts == firsts)
    single = single[single > 0]
    if len(single):
        shown &= ~_replaced(steps, np.repeat(np.arange(len(starts)), lengths), firsts[single], single)
    indices = np.flatnonzero(shown)
    if len(single):
        indices = indices[np.argsort(steps[indices], kind="stable")]
    return Attempts(starts, restarts, indices)


def _replaced(
    steps: NDArray[np.int64],
    attempt: NDArray[np.intp],
    single_steps: NDArray[np.int64],
    single: NDArray[np.intp],
) -> NDArray[np.bool_]:
    """Whether a later single-step attempt overwrote the step of each point."""
    order = np.lexsort((single, single_steps))
    by_step, by_attempt = single_steps[order], single[order]
    last = np.searchsorted(by_step, steps, side="right") - 1
    found = (last >= 0) & (by_step[last] == steps)
    result: NDArray[np.bool_] = found & (by_attempt[last] > attempt)
    return result
