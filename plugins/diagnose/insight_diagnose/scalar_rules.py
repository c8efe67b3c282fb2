"""Rules about losses and learning rates: divergence, no improvement, overfitting, spikes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from insight_core.plugin import PluginNameEnum, Reason, ReasonKind
from insight_core.plugin.data import SeriesKey, TagRole
from insight_core.plugin.findings import Examined, Finding, FindingPlace, NotChecked, Saving
from insight_diagnose.curves import Floats, StepCurve, curve_of, short
from insight_diagnose.losses import divergence, overfit, plateau, unrest

_FEWEST = 8  # points of a loss; of fewer nothing can be said
_DIVERGENCE = ReasonKind(
    "diagnose_divergence",
    "{tag} (the training loss) was {best:g} around step {step} and has risen to {end:g}",
)
_DIVERGENCE_CHANGE = ReasonKind(
    "diagnose_divergence_change",
    "go back to a checkpoint before step {step} and lower the learning rate, to a third at first; clip "
    "gradients, warm up longer, and check the data of these steps",
)
_NO_LEARNING = ReasonKind(
    "diagnose_no_learning", "{tag} (the training loss) stays around {level:g} in all {points} points"
)
_OVERFITTING_CHANGE = ReasonKind(
    "diagnose_overfitting_change",
    "use the checkpoint around step {step} and stop there (early stopping); more data or augmentation, "
    "weight decay, dropout or a smaller model move that step",
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
_FEW_POINTS = ReasonKind("diagnose_few_points", "the training loss has fewer than {least} points")


def loss_diverges(examined: Examined) -> Iterator[Finding]:
    """A training loss that rises and does not come back."""
    for key, curve in _losses(examined):
        found = divergence(curve)
        if found is None:
            continue
        at, last = curve.step(found.at), int(curve.steps[-1])
        best, end = short(found.best), short(found.end)
        yield Finding(
            key.run,
            "error",
            _DIVERGENCE(tag=key.tag, best=best, step=at, end=end),
            _DIVERGENCE_CHANGE(step=at),
            _place(key, at, last),
        )


def loss_does_not_improve(examined: Examined) -> Iterator[Finding]:
    """A training loss that is flat from the beginning, or from early on."""
    held_out = [curve for _, curve in _curves(examined, "val_loss")]
    for key, curve in _losses(examined):
        found = plateau(curve)
        if found is None or divergence(curve) is not None:
            continue
        at, last, level = curve.step(found.at), int(curve.steps[-1]), short(found.level)
        if any(_still_falls(other, at) for other in held_out):
            continue
        share = short(1 - found.at / len(curve))
        if found.never:
            saw = _NO_LEARNING(tag=key.tag, level=level, points=len(curve))
            change = Reason(
                "check that the optimiser has the parameters of the model, that gradients are not "
                "zero and that labels fit their inputs; try to learn one batch by heart; change the "
                "learning rate tenfold, up and down",
                "diagnose_no_learning_change",
            )
        else:
            saw = Reason(
                f"{key.tag} (the training loss) stays around {level:g} since step {at}, for "
                f"{share:.0%} of the run",
                "diagnose_plateau",
                tag=key.tag,
                level=level,
                step=at,
                percent=round(100 * share),
            )
            change = Reason(
                "if the loss is good enough, stop earlier; else lower the learning rate where it "
                "becomes flat, or enlarge the model",
                "diagnose_plateau_change",
            )
        yield Finding(
            key.run,
            "warning" if found.never else "hint",
            saw,
            change,
            _place(key, at, last),
            None if found.never else Saving(share, share, "run"),
        )


def model_overfits(examined: Examined) -> Iterator[Finding]:
    """A loss of held-out data that rises while that of training falls."""
    training = [curve for _, curve in _losses(examined)]
    for key, curve in _curves(examined, "val_loss"):
        found = overfit(curve, training[0] if training else None)
        if found is None:
            continue
        at, last = curve.step(found.at), int(curve.steps[-1])
        best, end = short(found.best), short(found.end)
        share = short(1 - found.at / len(curve))
        yield Finding(
            key.run,
            "warning",
            Reason(
                f"{key.tag} (the loss of held-out data) is smallest around step {at} ({best:g}) and has "
                f"risen to {end:g}"
                + (", while the training loss falls" if found.train_end is not None else ""),
                "diagnose_overfitting" if found.train_end is None else "diagnose_overfitting_train",
                tag=key.tag,
                step=at,
                best=best,
                end=end,
                train_at_best=_short(found.train_at_best),
                train_end=_short(found.train_end),
            ),
            _OVERFITTING_CHANGE(step=at),
            _place(key, at, last),
            Saving(share, share, "run"),
        )


def rate_is_too_high(examined: Examined) -> Iterator[Finding]:
    """A training loss with spikes or swings, as of a learning rate that is too high."""
    for key, curve in _losses(examined):
        if divergence(curve) is not None:
            continue
        found = unrest(curve, _rate_rises(examined, curve))
        if found is None:
            continue
        level, height = short(found.level), short(found.height)
        if found.spikes:
            at, last = curve.step(found.spikes[0]), curve.step(found.spikes[-1])
            saw = _SPIKES(
                tag=key.tag, count=len(found.spikes), step=at, last=last, height=height, level=level
            )
        else:
            at, last = int(curve.steps[0]), int(curve.steps[-1])
            saw = _SWING(tag=key.tag, height=height, level=level, period=found.period)
        yield Finding(
            key.run,
            "warning",
            saw,
            Reason(
                "lower the learning rate to a third; clip gradients, warm up longer, or use larger batches",
                "diagnose_rate_too_high_change",
            ),
            _place(key, at, last),
        )


def _losses(examined: Examined) -> Iterator[tuple[SeriesKey, StepCurve]]:
    """The training losses. Raises NotChecked if all of them have too few points."""
    found = 0
    for key, curve in _curves(examined, "loss"):
        if len(curve) >= _FEWEST:
            found += 1
            yield key, curve
    if not found:
        raise NotChecked(_FEW_POINTS(least=_FEWEST))


def _curves(examined: Examined, role: TagRole) -> Iterator[tuple[SeriesKey, StepCurve]]:
    for key, columns in examined.scalars(role):
        yield key, curve_of(columns.steps, columns.values)


def _still_falls(curve: StepCurve, step: int) -> bool:
    """Whether the end of a curve is lower than its values around a step, by 1 %."""
    place = int(np.searchsorted(curve.steps, step))
    around = max(1, len(curve) // 10)
    if not 0 <= place < len(curve) - around:
        return False
    before, end = np.median(curve.values[place : place + around]), np.median(curve.values[-around:])
    return bool(before - end > 0.01 * abs(before))


def _rate_rises(examined: Examined, curve: StepCurve) -> Floats | None:
    """The places where the learning rate rises by a fifth of its largest value; None without a rate."""
    for _, columns in examined.scalars("lr"):
        rate = curve_of(columns.steps, columns.values)
        if len(rate) < 2:
            continue
        jumps = rate.steps[1:][np.diff(rate.values) > 0.2 * rate.values.max()]
        places: Floats = np.searchsorted(curve.steps, jumps).astype(np.float64)
        return places
    return None


def _place(key: SeriesKey, first: int, last: int) -> FindingPlace:
    return FindingPlace(PluginNameEnum.SCALAR, key.tag, (first, last))


def _short(number: float | None) -> float | None:
    return None if number is None else short(number)
