"""Finds losses that diverge, and losses of held-out data that rise while those of training fall."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from insight_diagnose.curves import (
    CERTAIN,
    Floats,
    StepCurve,
    median,
    medians,
    noise,
    once,
    running_median,
    spread,
    trend,
)

_PARTS = 60  # a curve is compared by the medians of so many parts
_TAIL = 40  # the same for its end, in which a trend is looked for
_EARLY = 10  # points, among which an explosion may be over


@frozen
class Divergence:
    """A loss that rose and did not come back. ``best`` and ``end`` are medians.

    ``at`` is the last place where the loss was about as low as its best: it need not have risen from there at
    once.

    ``top``: the largest value of an explosion that was over within few points.
    """

    best: float
    at: int
    end: float
    top: float | None = None


@once
def divergence(curve: StepCurve) -> Divergence | None:
    """A loss that ends far above its best, and does not fall any more.

    It has lost half of what it had gained (or, if it hardly fell, risen by a quarter), by more than eight
    times the noise of the curve. The last fifth is above the points around the best by three times the noise,
    so that neither one lucky batch nor a few unlucky ones are a divergence.
    """
    return _explosion(curve.values) or _rise(curve.values)


def _explosion(values: Floats) -> Divergence | None:
    """A loss that explodes within its first ten points (or 3 %), and stays above its first value for good.

    It has been at ten times its first value, and does not fall after it has come back from there, or has not
    come back at all. Where the first value alone is too small, as that of a mean that is not full yet, the
    loss falls afterwards.
    """
    count = len(values)
    if count < 5 or values[0] <= 0:
        return None
    first = float(values[0])
    top = int(np.argmax(values[: max(_EARLY, count // 30)]))
    rest = values[min(top + 6, count - 2) :]
    last = rest[-max(1, len(rest) // 5) :]
    end = median(last)
    stays = end > (10 if values[1] < 0.1 * end else 100) * first  # one small value may be chance
    if top == 0 or values[top] < 10 * (first if stays else max(first, 0.5 * end)) or end < 1.2 * first:
        return None
    far = end / first if stays else values[top] / end
    if rest.min() > 0 and np.log(far) < 5 * spread(np.log(rest)):
        return None  # noise alone
    if len(rest) >= 10:
        parts = medians(rest, _PARTS)
        falls = median(parts[: len(parts) // 3]) - end > max(3 * noise(parts), 0.2 * end)
        if falls or parts.min() < first:
            return None
    at = int(np.flatnonzero(values[:top] <= 1.5 * first)[-1])
    return Divergence(float(values[at]), at, end, float(values[top]))


def _rise(values: Floats) -> Divergence | None:
    if len(values) < 10:
        return None
    parts = medians(values, _PARTS)
    place = int(np.argmin(parts))
    start, best = float(np.max(parts[: max(1, len(parts) // 30)])), float(parts[place])
    last = max(2, len(parts) // 20)
    end = median(parts[-last:])
    rise, gained = end - best, max(0.0, start - best)
    before = parts[: place + 1] if place >= 5 else parts
    limit = max(8 * noise(before), 0.5 * gained, 0.1 * abs(best))
    if gained < 0.2 * abs(start):
        limit = max(limit, 0.25 * abs(start))
    if place >= len(parts) - last or not rise > limit:
        return None
    tail = parts[-max(5, len(parts) // 5) :]
    around = parts[max(0, place - 1) : place + 2]
    if not median(tail) - median(around) > 3 * noise(parts):
        return None  # the best is a lucky batch: the curve is hardly lower around it than in the last fifth
    line = trend(tail)
    if line.score < -CERTAIN and -line.change > 0.2 * rise:
        return None  # it is coming back
    about = max(2 * noise(before), min(0.05 * rise, 0.1 * max(gained, abs(best))))
    low = np.flatnonzero(parts <= best + about)
    return Divergence(best, int(low[-1]) * len(values) // len(parts), end)


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
    end = median(values[-last:])
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
    if not 0.5 < (held_out.steps[-1] + 1) / (train.steps[-1] + 1) < 2:  # one counts epochs, the other steps
        turn = at * len(train) // len(held_out)
    around = max(1, len(train) // 20)
    if turn >= len(train) - around:
        return None
    there = median(train.values[max(0, turn - around) : turn + around + 1])
    finally_ = median(train.values[-around:])
    if not there - finally_ > 2 * noise(train.values) / np.sqrt(around):
        return None  # it does not learn the data by heart
    return Overfit(best, at, end, there, finally_)
