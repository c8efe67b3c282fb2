"""Finds the points of a series that are not shown: those that a restart overwrote or a session purged."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.store.writers import written_at_once

_NEVER = np.iinfo(np.int64).max
_FEW = 8  # files that are first compared one by one: mostly a restart repeats the step that it begins with


class Purge(NamedTuple):
    """A session that began at ``step``: points before index ``before`` at this step or later are stale."""

    before: int
    step: int


@frozen(eq=False)
class Attempts:
    """How the points of a series (in file order) are divided into attempts, and which are shown.

    A new attempt begins where the step decreases. The last attempt wins: a point is hidden if a later
    attempt began at or before its step. An attempt with only one step replaces just that step: the second
    event file that MindSpore writes for loss landscapes records step 0 alone and must not hide the
    training. Files are compared with each other only if they have a step in common, also by way of further
    files: otherwise one continues the other, whatever the clocks of their machines say.

    Lines that were written at the same time are not attempts of each other: several processes log into one
    directory, and all of them are shown (``written_at_once``).

    A ``Purge`` hides points whether or not their steps are recorded again.
    """

    starts: NDArray[np.intp]  # index of the first point of each line: steps never decrease within one
    restarts: NDArray[np.int64]  # step at which each later attempt begins
    visible: NDArray[np.intp] | None  # indices of the shown points, by step; None: all, in file order
    purged: int = 0  # of the hidden points: those that a purge hides
    last: int = -1  # index of a shown result that is behind all other shown points in file order

    @property
    def count(self) -> int:
        """Number of attempts."""
        return len(self.restarts) + 1


ONE_ATTEMPT = Attempts(np.zeros(1, np.intp), np.zeros(0, np.int64), None)


def find_attempts(
    steps: NDArray[np.int64],
    ends: Sequence[int] = (),
    purges: Sequence[Purge] = (),
    with_results: Collection[int] = (),
    wall_times: NDArray[np.float64] | None = None,
) -> Attempts:
    """Attempts of a series with these steps, int64[n] in file order, and wall times, float64[n], if known.

    ``ends`` has the index after the last point of each file, by default there is one file. ``with_results``
    are the numbers of files that record results of a training next to its curves, as ``add_hparams`` does:
    a result at one step hides no curve, and is hidden by a file that begins later and has that step.
    """
    backwards = np.flatnonzero(steps[1:] < steps[:-1]) + 1
    purged, begun = _purged(steps, purges)
    count = len(steps)
    starts = np.unique(np.concatenate([[0], backwards, [at for at in begun if at < count]])).astype(np.intp)
    if len(starts) == 1 and not begun:
        return Attempts(starts, np.zeros(0, np.int64), None)
    ends = ends or [count]
    results = _results(steps, ends, starts, with_results)
    begins = dict(begun)  # step at which an attempt begins, by index
    shown = ~(purged | _overtaken(steps, ends, results))
    compared: NDArray[np.intp] | slice = slice(None)
    if begun or with_results:
        compared = np.flatnonzero(shown & ~results)
        ends = np.searchsorted(compared, ends).tolist()
    for group in _groups(steps[compared], ends):
        points = group if isinstance(compared, slice) else compared[group]
        times = None if wall_times is None else wall_times[compared][points]
        shown[points], later = _last_attempt(steps[points], times)
        for at in (later if isinstance(points, slice) else points[later]).tolist():
            begins[at] = min(int(steps[at]), begins.get(at, _NEVER))
    visible = np.flatnonzero(shown)
    last = int(visible[-1]) if len(visible) and results[visible[-1]] else -1
    by_step = steps[visible]
    if np.count_nonzero(by_step[1:] < by_step[:-1]):
        visible = visible[np.argsort(by_step, kind="stable")]
    restarts = np.array([begins[at] for at in sorted(begins)], np.int64)
    return Attempts(starts, restarts, visible, int(np.count_nonzero(purged)), last)


def _purged(steps: NDArray[np.int64], purges: Sequence[Purge]) -> tuple[NDArray[np.bool_], dict[int, int]]:
    """Whether each point is purged, and the purges that hide a point: their steps by ``before``."""
    purged = np.zeros(len(steps), np.bool_)
    begun: dict[int, int] = {}
    greatest = np.maximum.accumulate(steps) if purges else steps
    for before, step in sorted(purges):
        if not before or greatest[before - 1] < step:  # a usual start: it goes on where the last one ended
            continue
        stale = (steps[:before] >= step) & ~purged[:before]
        if stale.any():
            purged[:before] |= stale
            begun[before] = min(step, begun.get(before, _NEVER))
    return purged, begun


def _file_of(ends: Sequence[int]) -> NDArray[np.intp]:
    """The number of the file of each point."""
    return np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))


def _results(
    steps: NDArray[np.int64], ends: Sequence[int], starts: NDArray[np.intp], with_results: Collection[int]
) -> NDArray[np.bool_]:
    """Whether each point is alone with its step in its line and file, of the files ``with_results``."""
    count = len(steps)
    if not with_results:
        return np.zeros(count, np.bool_)
    file = _file_of(ends)
    firsts = np.union1d(starts, np.flatnonzero(np.diff(file)) + 1)
    lengths = np.diff(np.append(firsts, count))
    alone = steps[firsts] == steps[firsts + lengths - 1]
    return np.repeat(alone & np.isin(file[firsts], list(with_results)), lengths)


def _overtaken(
    steps: NDArray[np.int64], ends: Sequence[int], results: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Whether each point is a result at a step that a later file has too."""
    found = np.zeros(len(steps), np.bool_)
    at = np.flatnonzero(results)
    if len(at):
        same = np.flatnonzero(np.isin(steps, steps[at]))
        latest = dict(zip(steps[same].tolist(), same.tolist(), strict=True))  # the last of equal steps stays
        end = np.asarray(ends)[np.searchsorted(ends, at, side="right")]  # of its file
        found[at] = np.array([latest[step] for step in steps[at].tolist()]) >= end
    return found


def _groups(steps: NDArray[np.int64], ends: Sequence[int]) -> Iterator[NDArray[np.intp] | slice]:
    """The points of files that have steps in common, where a step of such a group decreases."""
    if not np.count_nonzero(steps[1:] < steps[:-1]):
        return
    if len(ends) <= _FEW and all(_repeats(steps, ends[at], ends[at + 1]) for at in range(len(ends) - 1)):
        yield slice(None)
        return
    file = _file_of(ends)
    names = _joined(steps, file, len(ends))
    group = names[file]
    if group[0] == group.max():  # all files have
        yield slice(None)
        return
    order = np.argsort(group, kind="stable")
    group, steps = group[order], steps[order]
    decreases = (steps[1:] < steps[:-1]) & (group[1:] == group[:-1])
    for each in np.unique(group[1:][decreases]):
        first, end = np.searchsorted(group, [each, each + 1])
        yield order[first:end]


def _repeats(steps: NDArray[np.int64], start: int, end: int) -> bool:
    """Whether the first step of the file from ``start`` on was recorded before; True without one."""
    return start == end or bool((steps[:start] == steps[start]).any())


def _joined(steps: NDArray[np.int64], file: NDArray[np.intp], count: int) -> NDArray[np.intp]:
    """A number for each file: that of the first one that it shares a step with, also indirectly."""
    names = np.arange(count)
    order = np.argsort(steps, kind="stable")  # quick where steps ascend in each file
    by_step = steps[order]
    same = np.flatnonzero(by_step[1:] == by_step[:-1])
    one, other = np.divmod(_distinct(file[order[same]] * count + file[order[same + 1]], count * count), count)
    while True:
        first, second = names[one], names[other]
        if (first == second).all():
            return names
        lowest = np.minimum(first, second)
        np.minimum.at(names, first, lowest)
        np.minimum.at(names, second, lowest)
        names = names[names]


def _distinct(numbers: NDArray[np.intp], end: int) -> NDArray[np.intp]:
    """The distinct ones of many numbers below ``end``."""
    if end > 16 * len(numbers):
        return np.unique(numbers)
    there = np.zeros(end, np.bool_)
    there[numbers] = True
    return np.flatnonzero(there)


def _last_attempt(
    steps: NDArray[np.int64], wall_times: NDArray[np.float64] | None
) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Whether no later attempt overwrote each point, and where later attempts begin."""
    backwards = np.flatnonzero(steps[1:] < steps[:-1]) + 1
    starts = np.concatenate([[0], backwards]).astype(np.intp)
    lengths = np.diff(np.append(starts, len(steps)))
    firsts = steps[starts]
    lasts = steps[starts + lengths - 1]
    cuts = np.where(lasts > firsts, firsts, _NEVER)
    together = None if wall_times is None else written_at_once(steps, wall_times, starts)
    if together is None:
        later = np.append(
            np.minimum.accumulate(cuts[::-1])[::-1][1:], _NEVER
        )  # the minimum over all later attempts
        begun = starts[1:]
    else:
        overwrites: NDArray[np.bool_] = np.triu(~together, 1)
        later = np.where(overwrites, cuts, _NEVER).min(axis=1)
        overwriting = np.flatnonzero(overwrites.any(axis=0))
        begun = starts[overwriting]
    shown = steps < np.repeat(later, lengths)
    single = np.flatnonzero(lasts == firsts)
    single = single[single > 0]
    if len(single):
        shown &= ~_replaced(steps, np.repeat(np.arange(len(starts)), lengths), firsts[single], single)
    return shown, begun


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
