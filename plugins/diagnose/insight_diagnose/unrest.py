"""Finds unrest of a loss curve: spikes, swings with a period, and noise as large as the loss."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from insight_diagnose.curves import (
    CERTAIN,
    Floats,
    StepCurve,
    autocorrelation,
    means,
    median,
    noise,
    once,
    running_median,
    runs_of,
    spread,
)

_MOST = 20_000  # points in which spikes are looked for; longer curves by means of parts
_FOR_PERIODS = 2400  # points in which long periods are looked for
_STRONG = 0.12  # of the level: smaller swings are usual
_AGAIN = 0.15  # of the run, between the first and the last spike
_HELD = 0.1  # of the points; a loss of margins that hold is 0
_FEWEST = 24  # points in which a single spike shows
_LOUD = 0.2  # of the level: noise of usual batches is smaller


@frozen
class Unrest:
    """Spikes of a loss (places of their tops), or, without spikes, a swing with a period in points."""

    spikes: tuple[int, ...]
    height: float  # of the largest spike, or of the swing, over the level
    level: float
    period: float = 0.0


def unrest(curve: StepCurve, rises: Floats | None = None) -> Unrest | None:
    """At least three spikes with a slow return, or a swing around the curve.

    A loss that is exactly 0 in a tenth of its points has none: it is that of margins, which only some batches
    violate.

    A spike is at least three points in a row, at most 4 % of the curve, that are above the running median by
    six robust standard deviations, by 25 %, and by 3 % of all that the loss fell. A batch that is harder than
    others is one point. Spikes that begin where the learning rate rises (``rises``, places) are left out. A
    swing is seen in the autocorrelation of what is left without the running median.
    """
    values = means(curve.values, _MOST)
    count = len(values)
    if count < 60 or np.count_nonzero(curve.values == 0) > _HELD * len(curve):
        return None
    width = max(15, count // 12) | 1
    base = running_median(values, width)
    rest = values - base
    sigma = max(spread(rest), 1e-12)
    skip = count // 20
    level = median(values[skip:])
    spikes = []
    span = float(np.max(values[: max(3, skip)]) - median(values[-max(3, skip) :]))
    limit = np.maximum(max(6 * sigma, 0.03 * span), 0.25 * np.abs(base))
    for begin, end in runs_of(rest > limit):
        is_restart = rises is not None and bool((np.abs(rises * count / len(curve) - begin) <= 3).any())
        is_short = 3 <= end - begin <= max(12, count // 25)
        if begin >= skip and is_short and not is_restart and _comes_back(values, begin, end, width // 4):
            spikes.append(begin + int(np.argmax(values[begin:end])))
    # several at one place are one event, such as harder data
    swing = _swing(rest[skip:], base[skip:], level) or _long_swing(curve.values, level)
    if swing is not None:
        return swing
    if len(spikes) >= 3 and spikes[-1] - spikes[0] > _AGAIN * count:
        scale = len(curve) / count
        places = tuple(int(place * scale) for place in spikes)
        return Unrest(places, float(np.max(rest[spikes])), level)
    return None


def _comes_back(values: Floats, begin: int, end: int, width: int) -> bool:
    """Whether the curve is about as low after a spike as before: else it has risen, as with harder data."""
    before = median(values[max(0, begin - width) : begin])
    after = values[end : end + width]
    top = float(values[begin:end].max())
    return len(after) > 0 and median(after) - before < 0.35 * (top - before)


def _swing(rest: Floats, base: Floats, level: float) -> Unrest | None:
    clipped = np.clip(rest, *np.quantile(rest, [0.02, 0.98]))
    height = float(np.quantile(np.abs(clipped), 0.8))
    if not height > _STRONG * max(abs(median(base)), 1e-12):
        return None  # most curves; the rest costs more
    most = min(len(rest) // 5, 60)
    found = autocorrelation(clipped, most)
    low = int(np.argmax(found <= 0.9 * found.min()))  # not one of its multiples
    if low >= most - 2:
        return None
    after = found[low + 1 :]
    high = low + 1 + int(np.argmax(after > 0.9 * after.max()))  # not one of its multiples
    sure = max(0.35, 3.5 / np.sqrt(len(rest)))  # of few points chance alone has more
    if found[low] < -sure and found[high] > sure:
        return Unrest((), height, level, float(high + 1))
    return None


def _long_swing(values: Floats, level: float) -> Unrest | None:
    """A swing of any shape and length: at least six periods, alike one and two periods later.

    Positive losses are compared by their logarithms, so that a swing counts that becomes smaller as the loss
    does, and a period of high and narrow tops.
    """
    parts = means(values, _FOR_PERIODS)
    count = len(parts)
    base = running_median(parts, (count // 3) | 1)
    ratios = np.log(parts / base) if parts.min() > 0 else parts / np.maximum(np.abs(base), 1e-12) - 1
    rest = ratios[count // 20 :]
    clipped = np.clip(rest, *np.quantile(rest, [0.02, 0.98]))
    height = float(np.quantile(np.abs(clipped), 0.8))
    if not height > _STRONG:
        return None
    found = autocorrelation(clipped, len(clipped) // 3)
    below = np.flatnonzero(found < 0.3 * found[0])  # behind what neighbours have in common
    if not len(below):
        return None
    after = found[below[0] : len(clipped) // 6]
    if len(after) < 2:
        return None
    high = int(below[0]) + int(np.argmax(after > 0.9 * after.max()))  # not one of its multiples
    lag = high + 1
    twice = found[max(0, 2 * lag - 1 - lag // 8) : 2 * lag + lag // 8].max(initial=-1.0)
    between = found[lag // 4 : lag - lag // 4].min(initial=1.0)
    if found[high] > 0.4 and twice > 0.2 and between < 0.6 * found[high]:
        return Unrest((), min(height, 1.0) * abs(level), level, lag * len(values) / count)
    return None


@frozen
class Spike:
    """A spike after which a loss comes back: places of its begin, its top and its end, and both levels."""

    at: int
    top: int
    back: int
    height: float
    level: float


def lone_spike(curve: StepCurve, rises: Floats | None = None) -> Spike | None:
    """The largest of one or two spikes far above the curve that come back within 5 % of it.

    Two points or more are at four times the running median, or one at ten times, and by eight robust standard
    deviations of the logarithm. Losses that are not positive have none.
    """
    values = curve.values
    count = len(values)
    if count < _FEWEST or count > _MOST * 50 or values.min() <= 0:
        return None
    base = running_median(values, max(15, count // 10) | 1)
    ratio = np.log(values / np.maximum(base, 1e-300))
    sigma = max(spread(ratio), 1e-4)
    skip = count // 20
    found = []
    for begin, end in _joined(runs_of(ratio > max(8 * sigma, np.log(3))), max(2, count // 200)):
        top = begin + int(np.argmax(ratio[begin:end]))
        high = float(ratio[top])
        is_restart = rises is not None and bool((np.abs(rises - begin) <= 3).any())
        near = spread(ratio[max(0, begin - count // 10) : end + count // 10])
        least = max(8 * near, np.log(4)) if end - begin > 1 else max(12 * near, 12 * sigma, np.log(10))
        if begin >= skip and high >= least and not is_restart:
            found.append((high, begin, top, end))
    if not 1 <= len(found) <= 2:
        return None
    _, begin, top, end = max(found)
    low = np.flatnonzero(ratio[top:] < max(3 * sigma, 0.1))
    back = top + int(low[0]) if len(low) else count
    if back - begin > max(12, count // 20) or count - back < max(3, count // 100):
        return None
    return Spike(begin, top, back, float(values[top]), float(base[top]))


def _joined(stretches: list[tuple[int, int]], gap: int) -> list[tuple[int, int]]:
    """Stretches without the gaps between those that are close."""
    found: list[tuple[int, int]] = []
    for begin, end in stretches:
        if found and begin - found[-1][1] <= gap:
            found[-1] = found[-1][0], end
        else:
            found.append((begin, end))
    return found


@frozen
class Noise:
    """Noise of a size (a standard deviation) around a level that does not fall."""

    size: float
    level: float


@once
def loud_noise(curve: StepCurve) -> Noise | None:
    """Noise of 20 % of the level or more, around a loss that does not fall in the last two thirds.

    Noise may be correlated: the loss wanders. Thirds of these points, and of the whole curve, are compared by
    their mean logarithms: a fall by a quarter would have shown, or by half if the loss is not lower than at
    its start either, or wanders.
    """
    values = curve.values[len(curve) // 3 :]
    if len(values) < 60 or curve.values.min() <= 0:
        return None
    logs = np.log(values)
    lasting = _lasting(logs)
    level, size = median(values), spread(values) if lasting > 2 else noise(values)
    if size < _LOUD * level:
        return None
    whole = np.log(curve.values)
    fall, error = _fall(whole, lasting)
    if fall > 2 * error:
        return None
    fall, error = _fall(logs, lasting)
    start = whole[: max(5, len(whole) // 30)]
    has_fallen = start.mean() - logs.mean() > max(0.25, 2 * start.std() / np.sqrt(len(start)))
    if fall > CERTAIN * error or fall + CERTAIN * error > (0.25 if has_fallen and lasting <= 2 else 0.7):
        return None
    return Noise(size, level)


def _lasting(values: Floats) -> float:
    """Returns how many points in a row share noise (the integral of its autocorrelation), 1 if none."""
    found = autocorrelation(values, len(values) // 4)
    ends = np.flatnonzero(found < 0.05)
    return float(1 + 2 * found[: ends[0] if len(ends) else len(found)].sum())


def _fall(values: Floats, lasting: float) -> tuple[float, float]:
    """Returns by how much the last third lies below the first one on average, with the standard error."""
    third = len(values) // 3
    fall = float(values[:third].mean() - values[-third:].mean())
    return fall, float(values.std() * np.sqrt(2 * lasting / third))
