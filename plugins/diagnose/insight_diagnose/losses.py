"""Faults of a loss curve: divergence, no improvement, overfitting, and spikes of a learning rate too high."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from insight_diagnose.curves import (
    CERTAIN,
    Floats,
    StepCurve,
    Trend,
    autocorrelation,
    means,
    medians,
    noise,
    running_median,
    runs_of,
    spread,
    trend,
)

_PARTS = 60  # a curve is compared by the medians of so many parts
_TAIL = 40  # the same for its end, in which a trend is looked for
_FEWEST = 20  # points; fewer tell nothing of a plateau
_MOST = 20_000  # points in which spikes are looked for; longer curves by means of parts


@frozen
class Divergence:
    """A loss that rose and did not come back. ``best`` and ``end`` are medians, at these places."""

    best: float
    at: int
    end: float


def divergence(curve: StepCurve) -> Divergence | None:
    """A loss that ends far above its best, and does not fall any more.

    It has lost half of what it had gained (or, if it hardly fell, risen by a quarter), by more than eight
    times the noise of the curve. The last fifth is above the points around the best by three times the noise,
    so that neither one lucky batch nor a few unlucky ones are a divergence.
    """
    values = curve.values
    if len(values) < 10:
        return None
    parts = medians(values, _PARTS)
    place = int(np.argmin(parts))
    start, best = float(np.max(parts[: max(1, len(parts) // 30)])), float(parts[place])
    last = max(2, len(parts) // 20)
    end = float(np.median(parts[-last:]))
    rise, gained = end - best, max(0.0, start - best)
    before = parts[: place + 1] if place >= 5 else parts
    limit = max(8 * noise(before), 0.5 * gained, 0.1 * abs(best))
    if gained < 0.2 * abs(start):
        limit = max(limit, 0.25 * abs(start))
    if place >= len(parts) - last or not rise > limit:
        return None
    tail = parts[-max(5, len(parts) // 5) :]
    around = parts[max(0, place - 1) : place + 2]
    if not np.median(tail) - np.median(around) > 3 * noise(parts):
        return None  # the best is a lucky batch: the curve is hardly lower around it than in the last fifth
    line = trend(tail)
    if line.score < -CERTAIN and -line.change > 0.2 * rise:
        return None  # it is coming back
    return Divergence(best, place * len(values) // len(parts), end)


@frozen
class Plateau:
    """A loss that stopped to improve at a place; ``never``: it did not improve at all."""

    at: int
    level: float
    never: bool


def plateau(curve: StepCurve) -> Plateau | None:
    """A loss that does not improve for the last 65 % of its points or longer.

    Flat means that the trend of Theil and Sen is not a fall by the test of Mann and Kendall, or a fall by
    less than 1 % of all that the loss fell and 2 % of its level; and that a larger fall than 8 % of all that
    it fell (of a loss that never fell: 5 % of its level) would have shown.
    """
    values = curve.values
    if len(values) < _FEWEST:
        return None
    whole = medians(values, _PARTS)
    level = float(np.median(whole))
    span = float(np.max(whole[: max(2, len(whole) // 10)]) - np.median(whole[-len(whole) // 2 :]))
    if _is_flat(values, 0.05 * abs(level) / 0.08) and span < max(4 * spread(whole), 0.03 * abs(level)):
        return Plateau(0, level, never=True)
    for percent in (5, 10, 15, 20, 25, 30, 35):
        begin = len(values) * percent // 100
        if span > 0 and _is_flat(values[begin:], span):
            return Plateau(begin, float(np.median(values[begin:])), never=False)
    return None


def _is_flat(values: Floats, span: float) -> bool:
    parts = medians(values, _TAIL)
    if len(parts) < 12:
        return False
    line: Trend = trend(parts)
    fall, level = -line.change, abs(float(np.median(parts)))
    falls = line.score < -CERTAIN and (fall > 0.01 * span or fall > 0.02 * level)
    half = len(parts) // 2  # a fall that is no line: at the beginning alone, or at the end alone
    step = float(np.median(parts[:half]) - np.median(parts[half:]))
    is_known = fall + CERTAIN * line.error < 0.08 * span
    return not falls and is_known and step < 0.05 * span


@frozen
class Overfit:
    """A loss of held-out data that rises since a place, while that of training falls."""

    best: float
    at: int
    end: float
    train_at_best: float | None
    train_end: float | None


def overfit(held_out: StepCurve, train: StepCurve | None) -> Overfit | None:
    """A loss of held-out data that rises from its smallest value on, while that of training falls further.

    The rise is a trend by the test of Mann and Kendall, or nine of ten later values are above the smallest
    one by three times the noise. It is larger than that, than 5 % of what the loss had fallen, and than 4 %
    of its value.
    """
    values = medians(held_out.values, 200)
    count = len(values)
    if count < 8:
        return None
    smooth = running_median(values, 3 if count < 30 else 5)
    place = int(np.argmin(smooth))
    best = float(smooth[place])
    after = values[place:]
    last = max(2, count // 10)
    end = float(np.median(values[-last:]))
    rise, gained = end - best, float(np.max(smooth[: max(1, count // 20)])) - best
    if len(after) < max(4, count // 8):
        return None
    line = trend(medians(after, _TAIL))
    above = after[len(after) // 4 :] > best + 3 * noise(values)
    sure = line.score > (CERTAIN if len(after) >= 6 else 1.5) or above.mean() > 0.9
    limit = max(3 * noise(values) / np.sqrt(last / 2), 0.05 * gained, 0.04 * abs(best))
    if not (sure and rise > limit):
        return None
    at = place * len(held_out) // count
    if train is None or len(train) < 4:
        return Overfit(best, at, end, None, None)
    turn = int(np.searchsorted(train.steps, held_out.step(at)))
    around = max(1, len(train) // 20)
    if turn >= len(train) - around:
        return None
    there = float(np.median(train.values[max(0, turn - around) : turn + around + 1]))
    finally_ = float(np.median(train.values[-around:]))
    if not there - finally_ > 2 * noise(train.values) / np.sqrt(around):
        return None  # it does not learn the data by heart
    return Overfit(best, at, end, there, finally_)


@frozen
class Unrest:
    """Spikes of a loss (places of their tops), or, without spikes, a swing with a period in points."""

    spikes: tuple[int, ...]
    height: float  # of the largest spike, or of the swing, over the level
    level: float
    period: float = 0.0


def unrest(curve: StepCurve, rises: Floats | None = None) -> Unrest | None:
    """At least three spikes with a slow return, or a swing around the curve.

    A spike is at least three points in a row, at most 4 % of the curve, that are above the running median by
    six robust standard deviations, by 25 %, and by 3 % of all that the loss fell. A batch that is harder than
    others is one point. Spikes that begin where the learning rate rises (``rises``, places) are left out. A
    swing is seen in the autocorrelation of what is left without the running median: clearly negative, then
    positive again.
    """
    values = means(curve.values, _MOST)
    count = len(values)
    if count < 60:
        return None
    width = max(15, count // 12) | 1
    base = running_median(values, width)
    rest = values - base
    sigma = max(spread(rest), 1e-12)
    skip = count // 20
    level = float(np.median(values[skip:]))
    spikes = []
    span = float(np.max(values[: max(3, skip)]) - np.median(values[-max(3, skip) :]))
    limit = np.maximum(max(6 * sigma, 0.03 * span), 0.25 * np.abs(base))
    for begin, end in runs_of(rest > limit):
        is_restart = rises is not None and bool((np.abs(rises * count / len(curve) - begin) <= 3).any())
        if begin >= skip and 3 <= end - begin <= max(12, count // 25) and not is_restart:
            spikes.append(begin + int(np.argmax(values[begin:end])))
    if len(spikes) >= 3:
        scale = len(curve) / count
        places = tuple(int(place * scale) for place in spikes)
        return Unrest(places, float(np.max(rest[spikes])), level)
    return _swing(rest[skip:], base[skip:], level)


def _swing(rest: Floats, base: Floats, level: float) -> Unrest | None:
    clipped = np.clip(rest, *np.quantile(rest, [0.02, 0.98]))
    most = min(len(rest) // 5, 60)
    found = autocorrelation(clipped, most)
    low = int(np.argmin(found))
    if low >= most - 2:
        return None
    after = found[low + 1 :]
    high = low + 1 + int(np.argmax(after > 0.9 * after.max()))  # not one of its multiples
    height = float(np.quantile(np.abs(clipped), 0.8))
    strong = height > 0.12 * max(abs(float(np.median(base))), 1e-12)
    if found[low] < -0.35 and found[high] > 0.35 and strong:
        return Unrest((), height, level, float(high + 1))
    return None
