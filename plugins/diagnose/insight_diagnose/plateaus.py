"""Finds where a loss stops to fall, and where it becomes one constant number."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from attrs import frozen

from insight_diagnose.curves import (
    CERTAIN,
    Floats,
    StepCurve,
    median,
    medians,
    noise,
    running_median,
    spread,
    trend,
)

_PARTS = 60  # a curve is compared by the medians of so many parts
_TAIL = 40  # the same for its end, in which a trend is looked for
_FINE = 240  # and for the place at which it becomes flat,
_SMOOTH = 9  # by the medians of so many of these
_FEWEST = 20  # points; fewer tell nothing of a plateau
_CONSTANT = 100  # equal values in a row; of a short run fewer
_RECENT, _OFTEN = 100, 0.1  # points before these, and the share of them that is equal
_LATEST = 0.52  # of the run; a curve that is flat only later has just converged
_KNOWN = 0.12  # of all that a loss fell: a larger fall would show in the noise
_SHOWS = 0.15  # the same of the level of a loss that never falls


@frozen
class Plateau:
    """A loss that stopped to improve at a place; ``never``: it did not improve at all.

    ``most``: the share of all that it fell before that it may have fallen since, as far as noise allows.
    """

    at: int
    level: float
    never: bool
    most: float = 0.0


def plateau(curve: StepCurve, is_flat_elsewhere: Callable[[int], bool] = lambda _: True) -> Plateau | None:
    """A loss that does not improve any more for the last 48 % of its points or longer.

    Flat means that the trend of Theil and Sen is not a fall by the test of Mann and Kendall, or a fall by
    less than 1 % of all that the loss fell and 2 % of its level; and that a larger fall than 12 % of all that
    it fell (of a loss that never fell: 15 % of its level) would have shown. The begin is the first place as
    low as the curve stays from which on it is flat, and ``is_flat_elsewhere`` of this place.
    """
    values = curve.values
    if len(values) < _FEWEST:
        return None
    whole = medians(values, _PARTS)
    level = median(whole)
    span = float(np.max(whole[: max(2, len(whole) // 10)]) - median(whole[-len(whole) // 2 :]))
    never = _fall_since(values, _SHOWS * abs(level) / _KNOWN)
    if never is not None and span < max(4 * spread(whole), 0.03 * abs(level)):
        return Plateau(0, level, never=True) if is_flat_elsewhere(0) else None
    if span <= 0:
        return None
    latest, stride = int(_LATEST * len(values)), max(1, len(values) // 25)
    for begin in range(_begin(values, span), latest + 1, stride):
        most = _fall_since(values[begin:], span)
        if most is not None and is_flat_elsewhere(begin):
            return Plateau(begin, median(values[begin:]), never=False, most=most)
    return None


def _begin(values: Floats, span: float) -> int:
    """The first place as low as the last third of the curve, as far as noise allows."""
    smooth = running_median(medians(values, _FINE), _SMOOTH)
    last = smooth[-(len(smooth) // 3) :]
    low = smooth <= median(last) + max(spread(last), 0.01 * span)
    return int(np.argmax(low)) * len(values) // len(smooth)


def _fall_since(values: Floats, span: float) -> float | None:
    """The share of ``span`` by which values may fall at most, if they are flat; else None."""
    parts = medians(values, _TAIL)
    if len(parts) < 12:
        return None
    line = trend(parts)
    fall, level = -line.change, abs(median(parts))
    if line.score < -CERTAIN and (fall > 0.01 * span or fall > 0.02 * level):
        return None
    half = len(parts) // 2  # a fall of which all is at the beginning, or all at the end
    first, second = median(parts[:half]), median(parts[half:])
    last = median(parts[-max(3, len(parts) // 10) :])
    falls_late = first - last >= max(0.05 * span, 4 * noise(parts))
    if first - second >= 0.05 * span or falls_late or _falls_by_ratio(parts):
        return None
    most = (max(0.0, fall) + CERTAIN * line.error) / span
    return most if most < _KNOWN else None


def _falls_by_ratio(parts: Floats) -> bool:
    """Whether a small positive loss becomes smaller by a fifth: little of what it fell, but not nothing."""
    if parts.min() <= 0:
        return False
    logs = np.log(parts)
    third = len(parts) // 3
    fall = median(logs[:third]) - median(logs[-third:])
    return fall > max(0.2, 4 * noise(logs) / math.sqrt(third))


@frozen
class Constant:
    """A stretch of one number, from a place to another (not included), which may be the end of the curve.

    ``converged``: the values before differ by so little that a descent without noise has ended there.
    ``reached``: the number was often there just before, as 0 is of a loss of margins that hold.
    """

    at: int
    end: int
    value: float
    converged: bool
    reached: bool


def constant(curve: StepCurve) -> Constant | None:
    """A hundred equal numbers in a row, or 30 % of a short run (20 at least).

    A series whose other values are repeated too holds the last known number, such as that of an epoch: it
    is constant only if the stretch is four times as long as any before it.
    """
    values = curve.values
    count = len(values)
    least = min(_CONSTANT, max(20, math.ceil(0.3 * count)))
    if count < least:
        return None
    edges = np.flatnonzero(values[1:] != values[:-1]) + 1
    starts, ends = np.append(0, edges), np.append(edges, count)
    lengths = ends - starts
    place = int(np.argmax(lengths))
    length = int(lengths[place])
    others = np.delete(lengths, place)
    if length < least or (len(others) and length < 4 * int(others.max())):
        return None
    at, value = int(starts[place]), float(values[starts[place]])
    before = values[max(0, at - 10) : at + 1]
    moves = np.abs(np.diff(before))
    scale = 1e-4 * abs(value) if value else 1e-3 * float(np.ptp(values))
    converged = len(moves) >= 5 and float(moves.max()) <= scale
    recent = values[max(0, at - _RECENT) : at]
    reached = len(recent) > 0 and float((recent == value).mean()) >= _OFTEN
    return Constant(at, int(ends[place]), value, converged, reached)
