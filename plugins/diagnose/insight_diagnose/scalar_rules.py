"""Rules about losses: divergence, no improvement, one constant number, overfitting."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from insight_core.plugin import Reason, ReasonKind
from insight_core.plugin.findings import Examined, Finding
from insight_core.plugin.lab import Severity
from insight_diagnose.curves import StepCurve, short
from insight_diagnose.examined_curves import (
    falling_losses,
    found_in,
    held_out_curves,
    learns_elsewhere,
    losses,
    warms_up,
)
from insight_diagnose.losses import divergence, overfit
from insight_diagnose.plateaus import constant, plateau
from insight_diagnose.rate_rules import rate_is_zero_since
from insight_diagnose.unrest import loud_noise, unrest

_SWINGS = 3.0  # heights of a swing around the level: a divergence is more
_DIVERGENCE = ReasonKind(
    "diagnose_divergence",
    "{tag} (the training loss) was {best:g} around step {step} and has risen to {end:g}",
)
_EXPLOSION = ReasonKind(
    "diagnose_explosion",
    "{tag} (the training loss) was {best:g} at step {step}, rose to {top:g} at step {last}, and stays around "
    "{end:g}",
)
_DIVERGENCE_CHANGE = ReasonKind(
    "diagnose_divergence_change",
    "go back to a checkpoint before step {step} and lower the learning rate, to a third at first; clip "
    "gradients, warm up longer, and check the data of these steps",
)
_EXPLOSION_CHANGE = Reason(
    "start again with a third of the learning rate or less; warm up longer, clip gradients, and check the "
    "initialisation and the data of the first steps",
    "diagnose_explosion_change",
)
_NO_LEARNING = ReasonKind(
    "diagnose_no_learning", "{tag} (the training loss) stays around {level:g} in all {points} points"
)
_PLATEAU = ReasonKind(
    "diagnose_plateau",
    "{tag} (the training loss) stays around {level:g} since step {step}, for {percent} % of the run: since "
    "then it has fallen by less than {most} % of all that it fell before",
)
_CONSTANT = ReasonKind(
    "diagnose_constant",
    "{tag} (the training loss) is the very same number, {value:g}, since step {step}, in {points} points",
)
_CONSTANT_PART = ReasonKind(
    "diagnose_constant_part",
    "{tag} (the training loss) is the very same number, {value:g}, from step {step} to step {last}, in "
    "{points} points",
)
_CONVERGED = ReasonKind(
    "diagnose_converged",
    "{tag} (the training loss) is the very same number, {value:g}, since step {step}, in {points} points, "
    "and the numbers before it hardly differ: its number format can tell no smaller ones",
)
_REACHED = ReasonKind(
    "diagnose_reached",
    "{tag} (the training loss) is the very same number, {value:g}, since step {step}, in {points} points, "
    "which it often was before",
)
_OVERFITTING = ReasonKind(
    "diagnose_overfitting_train",
    "{tag} (the loss of held-out data) is smallest around step {step} ({best:g}) and has risen to {end:g}, "
    "while the training loss falls from {train_at_best:g} to {train_end:g}",
)
_RISING = ReasonKind(
    "diagnose_held_out_rises",
    "{tag} (the loss of held-out data) is smallest around step {step} ({best:g}) and has risen to {end:g}; "
    "no training loss is logged, so that overfitting and divergence look the same",
)
_OVERFITTING_CHANGE = ReasonKind(
    "diagnose_overfitting_change",
    "use the checkpoint around step {step} and stop there (early stopping); more data or augmentation, "
    "weight decay, dropout or a smaller model move that step",
)


def loss_diverges(examined: Examined) -> Iterator[Finding]:
    """A training loss that rises and does not come back."""
    for key, curve in falling_losses(examined):
        found = divergence(curve)
        if found is None:
            continue
        swing = unrest(curve)
        if swing is not None and swing.period and found.end - found.best < _SWINGS * swing.height:
            continue  # it ends where it swings up
        at, last = curve.step(found.at), int(curve.steps[-1])
        best, end = short(found.best), short(found.end)
        if found.top is None:
            saw, change = _DIVERGENCE(tag=key.tag, best=best, step=at, end=end), _DIVERGENCE_CHANGE(step=at)
        else:
            top = curve.step(int(np.argmax(curve.values >= found.top)))
            saw = _EXPLOSION(tag=key.tag, best=best, step=at, end=end, top=short(found.top), last=top)
            change = _EXPLOSION_CHANGE
        yield found_in(key, "error", saw, change, (at, last))


def loss_is_constant(examined: Examined) -> Iterator[Finding]:
    """A training loss that is one and the same number for a hundred points."""
    for key, curve in losses(examined):
        found = constant(curve)
        if found is None:
            continue
        at, last = curve.step(found.at), curve.step(found.end - 1)
        is_end = found.end == len(curve)
        details = {"tag": key.tag, "value": short(found.value), "step": at, "points": found.end - found.at}
        if not is_end:
            saw = _CONSTANT_PART(**details, last=last)
        else:
            known = _CONVERGED if found.converged else _REACHED if found.reached else _CONSTANT
            saw = known(**details)
        if found.reached and not found.converged:
            change = Reason(
                "stop earlier; for a loss of margins, a larger margin or harder examples go on teaching",
                "diagnose_reached_change",
            )
        elif found.converged:
            change = Reason("stop earlier, or train in a wider number format", "diagnose_converged_change")
        else:
            change = Reason(
                "check that the loss that is logged is that of the current batch, that the optimiser still "
                "steps, that the data loader still gives new batches, and that labels are not all ignored",
                "diagnose_constant_change",
            )
        is_limit = found.converged or found.reached
        severity: Severity = "hint" if is_limit else "error" if is_end else "warning"
        saves = short(1 - found.at / len(curve)) if is_end and found.at else None
        yield found_in(key, severity, saw, change, (at, last), saves)


def loss_does_not_improve(examined: Examined) -> Iterator[Finding]:
    """A training loss that is flat from the beginning, or from early on, for no more specific reason."""
    for key, curve in falling_losses(examined):
        found = plateau(curve, partial(_rests_elsewhere, examined, curve))
        if found is None or divergence(curve) is not None:
            continue
        constant_part = constant(curve)
        if constant_part is not None and constant_part.end == len(curve):
            continue
        at, last, level = curve.step(found.at), int(curve.steps[-1]), short(found.level)
        zero = rate_is_zero_since(examined, last)
        if zero is not None and zero <= at + 0.2 * (last - at):
            continue
        if found.never and warms_up(examined):
            continue  # a run that has just begun
        if found.never:
            saw = _NO_LEARNING(tag=key.tag, level=level, points=len(curve))
            change = Reason(
                "check that the optimiser has the parameters of the model, that gradients are not "
                "zero and that labels fit their inputs; try to overfit one batch; change the "
                "learning rate tenfold, up and down",
                "diagnose_no_learning_change",
            )
            may_be_noise = loud_noise(curve) is not None  # of a loss that is random by its nature
            yield found_in(key, "hint" if may_be_noise else "warning", saw, change, (at, last))
            continue
        share = short(1 - found.at / len(curve))
        most, percent = max(1, math.ceil(100 * found.most)), round(100 * share)
        saw = _PLATEAU(tag=key.tag, level=level, step=at, percent=percent, most=most)
        change = Reason(
            "if the loss is good enough, stop earlier; else lower the learning rate where it "
            "becomes flat, or enlarge the model",
            "diagnose_plateau_change",
        )
        yield found_in(key, "hint", saw, change, (at, last), share)


def _rests_elsewhere(examined: Examined, curve: StepCurve, place: int) -> bool:
    return not learns_elsewhere(examined, curve.step(place))


def model_overfits(examined: Examined) -> Iterator[Finding]:
    """A loss of held-out data that rises while that of training falls, in the same run or in its sibling."""
    for key, curve, train in held_out_curves(examined):
        found = overfit(curve, train)
        if found is None:
            continue
        at, last = curve.step(found.at), int(curve.steps[-1])
        best, end = short(found.best), short(found.end)
        details = {"tag": key.tag, "step": at, "best": best, "end": end}
        if found.train_at_best is None or found.train_end is None:
            saw = _RISING(**details)
        else:
            before, now = short(found.train_at_best), short(found.train_end)
            saw = _OVERFITTING(**details, train_at_best=before, train_end=now)
        share = short(1 - found.at / len(curve))
        yield found_in(key, "warning", saw, _OVERFITTING_CHANGE(step=at), (at, last), share)
