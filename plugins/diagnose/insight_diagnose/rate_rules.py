"""Rules about learning rates: 0, and losses with spikes, swings and noise as of a rate that is too high."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from attrs import evolve

from insight_core.plugin import Reason, ReasonKind
from insight_core.plugin.data import SeriesKey
from insight_core.plugin.findings import Examined, Finding
from insight_diagnose.curves import StepCurve, curve_of, short
from insight_diagnose.examined_curves import (
    curves_of,
    epoch_points,
    falling_losses,
    found_in,
    learns_elsewhere,
    losses,
    rate_rises,
)
from insight_diagnose.losses import divergence
from insight_diagnose.unrest import Unrest, lone_spike, loud_noise, unrest

_LASTING = 0.05  # of the run; schedules end at 0 with their last points
_RATE_ZERO = ReasonKind(
    "diagnose_rate_zero", "{tag} (the learning rate) is 0 since step {step}, for {percent} % of the run"
)
_SPIKES = ReasonKind(
    "diagnose_spikes",
    "{tag} (the training loss) has {count} spikes between steps {step} and {last}, up to {height:g} above "
    "its level of {level:g}",
)
_SWING = ReasonKind(
    "diagnose_swing",
    "{tag} (the training loss) swings by {height:g} around its level of {level:g}, once in {period:g} points",
)
_NOISE = ReasonKind(
    "diagnose_noise",
    "{tag} (the training loss) varies by {height:g} around {level:g}, and does not fall since step {step}",
)
_SPIKE = ReasonKind(
    "diagnose_spike",
    "{tag} (the training loss) rises to {height:g}, {times:g} times its level, at step {step}, and is back "
    "at step {last}",
)
_LOWER = Reason(
    "lower the learning rate to a third; clip gradients, warm up longer, or use larger batches",
    "diagnose_rate_too_high_change",
)
_SWING_BY_EPOCH = ReasonKind(
    "diagnose_swing_by_epoch",
    "{tag} (the training loss) swings by {height:g} around its level of {level:g}, once in {period:g} "
    "points, which is an epoch: the data come in the same order each time",
)
_PERIOD_CHANGE = Reason(
    "compare the period with the batches of an epoch: if they are equal, the data come in the same order "
    "each time, so shuffle them; else steps are too large, so lower the learning rate to a third",
    "diagnose_period_change",
)


def rate_is_zero(examined: Examined) -> Iterator[Finding]:
    """A learning rate of 0 to the end, while the training goes on."""
    ends = [int(curve.steps[-1]) for _, curve in losses(examined)]
    every = [(key, curve) for key, curve in curves_of(examined, "lr") if len(curve) > 1]
    step = rate_is_zero_since(examined, max(ends))
    if step is None:
        return
    key, curve = next((key, curve) for key, curve in every if _zero_since(curve) is not None)
    first, last = int(curve.steps[0]), max(*ends, int(curve.steps[-1]))
    share = (last - step) / max(1, last - first)
    before = curve.values[curve.steps < step]
    jumps = not len(before) or before[-1] > 0.1 * before.max()
    yield found_in(
        key,
        "error" if jumps else "warning",
        _RATE_ZERO(tag=key.tag, step=step, percent=round(100 * share)),
        Reason(
            "check the length of the schedule in steps of the optimiser (epochs and gradient accumulation "
            "change it), and what sets the rate; or stop the training there",
            "diagnose_rate_zero_change",
        ),
        (step, last),
        short(share) if len(before) else None,
    )


def rate_is_zero_since(examined: Examined, last: int) -> int | None:
    """The step since which all learning rates are 0, if that is long before the step ``last``."""
    steps, first = [], last
    for _, curve in curves_of(examined, "lr"):
        if len(curve) < 2:
            continue
        since = _zero_since(curve)
        if since is None:
            return None  # one group of parameters still learns
        steps.append(since)
        first = min(first, int(curve.steps[0]))
    if not steps or max(last, first) - max(steps) < max(1, _LASTING * (last - first)):
        return None
    return max(steps)


def _zero_since(curve: StepCurve) -> int | None:
    other = np.flatnonzero(curve.values != 0)
    place = int(other[-1]) + 1 if len(other) else 0
    return int(curve.steps[place]) if place < len(curve) else None


def rate_is_too_high(examined: Examined) -> Iterator[Finding]:
    """A training loss with spikes, swings, or noise as large as itself."""
    for key, curve in falling_losses(examined):
        if divergence(curve) is not None:
            continue
        found = unrest(curve, rate_rises(examined, curve))
        if found is None:
            yield from _noise(examined, key, curve)
        elif not found.spikes:
            yield from _swing(examined, key, curve, found)
        else:
            level, height = short(found.level), short(found.height)
            at, last = curve.step(found.spikes[0]), curve.step(found.spikes[-1])
            count = len(found.spikes)
            saw = _SPIKES(tag=key.tag, count=count, step=at, last=last, height=height, level=level)
            yield found_in(key, "warning", saw, _LOWER, (at, last))


def _swing(examined: Examined, key: SeriesKey, curve: StepCurve, found: Unrest) -> Iterator[Finding]:
    """Names unshuffled data where the period is that of an epoch, and both causes where that is not known."""
    if _rate_has_period(examined, curve, found.period):
        return
    level, height, period = short(found.level), short(found.height), short(found.period)
    saw, change = _SWING, _PERIOD_CHANGE
    epoch = epoch_points(examined, curve)
    if epoch is not None and abs(found.period - epoch) < max(1, 0.1 * epoch):
        saw = _SWING_BY_EPOCH
        change = Reason("shuffle the training data before each epoch", "diagnose_unshuffled_change")
    said = saw(tag=key.tag, height=height, level=level, period=period)
    yield found_in(key, "warning", said, change, (int(curve.steps[0]), int(curve.steps[-1])))


def _rate_has_period(examined: Examined, curve: StepCurve, period: float) -> bool:
    """Whether the learning rate itself swings about as often."""
    for _, columns in examined.scalars("lr"):
        rate = curve_of(columns.steps, columns.values)
        if len(rate) < 3:
            continue
        values = np.interp(curve.steps, rate.steps, rate.values)
        turns = np.count_nonzero(np.diff(np.sign(np.diff(values)[np.diff(values) != 0])))
        if turns >= 0.5 * len(curve) / period:
            return True
    return False


def _noise(examined: Examined, key: SeriesKey, curve: StepCurve) -> Iterator[Finding]:
    """A hint: the noise of a loss that is random by its nature looks the same."""
    found = loud_noise(curve)
    begin = curve.step(len(curve) // 3)
    if found is None or learns_elsewhere(examined, begin):
        return
    saw = _NOISE(tag=key.tag, height=short(found.size), level=short(found.level), step=begin)
    change = Reason(
        "steps are too large, or batches too small or too different: lower the learning rate to a third; if "
        "the loss stays as it is, use larger batches or accumulate gradients, and check the labels; a loss "
        "that is random by its nature, as of diffusion, needs a measure with fixed noise",
        "diagnose_noise_change",
    )
    place = (begin, int(curve.steps[-1]))
    yield evolve(found_in(key, "hint", saw, change, place), confidence="suspected")


def loss_has_a_spike(examined: Examined) -> Iterator[Finding]:
    """Finds one or two spikes of the training loss, far above its level, that came back."""
    for key, curve in losses(examined):
        if divergence(curve) is not None:
            continue
        rises = rate_rises(examined, curve)
        found = lone_spike(curve, rises)
        if found is None or unrest(curve, rises) is not None or loud_noise(curve) is not None:
            continue  # another rule names more of them
        at, last = curve.step(found.top), curve.step(found.back)
        times = short(round(found.height / found.level, 1 if found.height < 20 * found.level else 0))
        yield found_in(
            key,
            "hint",
            _SPIKE(tag=key.tag, height=short(found.height), times=times, step=at, last=last),
            Reason(
                "look at the data of these steps; clip gradients, so that a single batch cannot do that",
                "diagnose_spike_change",
            ),
            (curve.step(found.at), last),
        )
