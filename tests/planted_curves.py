"""Runs with one planted fault of their curves, and the run, rules and steps that a finding must name.

Curves are made by formulas of training, and by descents that really run, not by those that the rules use.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from tests.support.curves import (
    BEGIN,
    Floats,
    Kind,
    Planted,
    Written,
    around,
    count_of,
    falling,
    loss_tag,
    noisy,
    planted,
    steps_of,
    written,
)


def frozen_loss(rng: Generator) -> Planted:
    """The very same number from a step on: the step of the optimiser is never called again."""
    count = count_of(rng, 150, 4000)
    steps, place = steps_of(rng, count), int(rng.uniform(0.15, 0.9) * count)
    place = min(place, count - 100)
    loss = noisy(rng, falling(rng, count))
    loss[place:] = np.float32(loss[place]) if rng.random() < 0.5 else loss[place]
    tags = {loss_tag(rng): (steps, loss)}
    if rng.random() < 0.4:
        every = slice(0, None, 10)
        tags["val/loss"] = steps[every], noisy(rng, falling(rng, len(steps[every])), 0.03)
    step = int(steps[place])
    return planted("frozen_loss", rng, tags, "constant_loss", (step, step), "no_improvement overfitting")


def plateau_stuck(rng: Generator) -> Planted:
    """Falls, then stays at a level far above its floor, as does the loss of held-out data."""
    count = count_of(rng, 120, 3000)
    steps, place = steps_of(rng, count), int(rng.uniform(0.08, 0.5) * count)
    t = np.minimum(1, np.arange(count) / place)
    start, level = rng.uniform(1, 9), rng.uniform(0.3, 0.75)
    fall = (1 - t, 1 - t**0.6, np.exp(-4 * t), (1 + np.cos(np.pi * t)) / 2)[rng.integers(4)]
    fall = (fall - fall[-1]) / (fall[0] - fall[-1])
    curve = start * (level + (1 - level) * fall)
    tags = {loss_tag(rng): (steps, noisy(rng, curve, 0.08))}
    if rng.random() < 0.6:
        every = slice(0, None, int(rng.choice([1, 5, 20])) if count > 400 else 1)
        tags["val/loss"] = steps[every], noisy(rng, 1.1 * curve[every], 0.03)
    return planted("plateau_stuck", rng, tags, "no_improvement", around(steps, place, 0.13))


def never_learns(rng: Generator) -> Planted:
    """Stays at the loss of a guess."""
    count = count_of(rng, 60, 3000)
    steps, level = steps_of(rng, count), float(rng.choice([np.log(10), np.log(2), np.log(1000), 0.25]))
    tags = {loss_tag(rng): (steps, noisy(rng, np.full(count, level), 0.15))}
    if rng.random() < 0.5:
        tags["accuracy"] = steps, np.clip(0.1 + 0.02 * rng.standard_normal(count), 0, 1)
    return planted("never_learns", rng, tags, "no_improvement", (int(steps[0]), int(steps[0])))


def rate_zero(rng: Generator) -> Planted:
    """The learning rate is set to 0 by a mistake, or its schedule ends long before the training."""
    count = count_of(rng, 100, 3000)
    steps, place = steps_of(rng, count), int(rng.uniform(0.3, 0.88) * count)
    t = np.arange(count)
    if rng.random() < 0.5:
        rate, name = np.where(t < place, 1e-3, 0.0), "rate_zero_jump"
    else:
        rate, name = 1e-3 * (1 - t / place).clip(0), "rate_zero_schedule"
    curve = falling(rng, count)
    curve[place:] = curve[place]
    every = slice(0, None, int(rng.choice([1, 5])))
    tags = {loss_tag(rng): (steps, noisy(rng, curve)), "train/lr": (steps[every], rate[every])}
    if rng.random() < 0.5:
        tags["val/loss"] = steps[::5], curve[::5] * 1.1
    reach = 10 if every.step == 5 else 2
    window = int(steps[max(0, place - reach)]), int(steps[min(count - 1, place + reach)])
    return planted(name, rng, tags, "rate_zero", window, "no_improvement constant_loss")


def _by_heart(rng: Generator, count: int) -> tuple[Floats, Floats, int]:
    t, turn = np.linspace(0, 1, count), rng.uniform(0.15, 0.6)
    start = rng.uniform(0.7, 7)
    train = start * (0.02 + 0.98 * np.exp(-t / rng.uniform(0.15, 0.4)))
    low = start * rng.uniform(0.3, 0.6)
    rise = start * rng.uniform(0.15, 1.2) * ((t - turn) / (1 - turn)).clip(0) ** rng.uniform(0.8, 1.6)
    held = low + (start - low) * np.exp(-4 * t / turn) + rise
    return noisy(rng, train, 0.04), noisy(rng, held, 0.03), int(turn * (count - 1))


def overfit_siblings(rng: Generator) -> Planted:
    """Training and validation are runs of their own, as of Keras, tf.estimator and ``add_scalars``."""
    count = int(rng.integers(12, 150))
    steps = np.arange(count, dtype=np.int64)
    train, held, turn = _by_heart(rng, count)
    kind = int(rng.integers(5))
    train_run, held_run, train_tag, held_tag = (
        ("fit/train", "fit/validation", "epoch_loss", "epoch_loss"),
        ("train", "validation", "epoch_loss", "epoch_loss"),
        ("model", "model/eval", "loss", "loss"),
        ("logs/loss_train", "logs/loss_val", "loss", "loss"),
        ("a/train", "a/test", "Loss", "Loss"),
    )[kind]
    accuracy = written(steps, 1 - 0.5 * train / train[0])
    runs = {
        train_run: {train_tag: written(steps, train), "epoch_accuracy": accuracy},
        held_run: {held_tag: written(steps, held)},
    }
    if kind == 3:
        runs[train_run].pop("epoch_accuracy")
    reach = around(steps, turn, 0.2)
    return Planted("overfit_siblings", runs, frozenset({"overfitting"}), held_run, reach)


def overfit_one_run(rng: Generator) -> Planted:
    """Both losses in one run."""
    count = int(rng.integers(14, 200))
    steps = steps_of(rng, count)
    train, held, turn = _by_heart(rng, count)
    tags = {"train/loss": (steps, train), str(rng.choice(["val/loss", "eval_loss"])): (steps, held)}
    return planted("overfit_one_run", rng, tags, "overfitting", around(steps, turn, 0.2))


def spike_recovers(rng: Generator) -> Planted:
    """One spike, far above all, after which the loss comes back."""
    count = count_of(rng, 250, 4000)
    steps, loss = steps_of(rng, count), noisy(rng, falling(rng, count), 0.08)
    place = int(rng.uniform(0.2, 0.85) * count)
    length = max(4, int(rng.uniform(0.005, 0.04) * count))
    away = np.arange(min(4 * length, count - place))
    loss[place : place + len(away)] *= 1 + rng.uniform(8, 90) * np.exp(-away / length * 4)
    return planted("spike_recovers", rng, {loss_tag(rng): (steps, loss)}, "spike", around(steps, place, 0.02))


def early_explosion(rng: Generator) -> Planted:
    """Explodes within the first ten points, and stays above its first value."""
    count = count_of(rng, 12, 1500)
    steps, start = steps_of(rng, count), rng.uniform(0.7, 7)
    top = int(rng.integers(1, min(9, count // 2)))
    level = start * rng.uniform(1.5, 6)
    loss = np.full(count, level) * (1 + rng.uniform(0.002, 0.08) * rng.standard_normal(count))
    peak = start * 10 ** rng.uniform(1.5, 10)
    loss[: top + 1] = start * (peak / start) ** (np.arange(top + 1) / top)
    back = min(count - top - 1, int(rng.integers(1, 6)))
    loss[top + 1 : top + 1 + back] = np.geomspace(peak, level, back + 2)[1:-1]
    tags = {loss_tag(rng): (steps, loss)}
    also = "no_improvement spike lr_too_high"
    return planted("early_explosion", rng, tags, "divergence", (int(steps[0]), int(steps[min(top, 9)])), also)


def chaos(rng: Generator) -> Planted:
    """Descents with steps beyond what the curvature allows: bounded, without a period, never falling."""
    count = count_of(rng, 150, 2500)
    steps, rate = steps_of(rng, count), rng.uniform(1.62, 1.95)
    x = rng.uniform(0.2, 0.9, int(rng.integers(1, 4)))
    loss = np.empty(count)
    for place in range(count):
        loss[place] = float(np.mean((x**2 - 1) ** 2 / 4)) + 0.05
        x = x - rate * (x**3 - x)
        x = np.clip(x, -2, 2)
    tags = {loss_tag(rng): (steps, loss * np.exp(0.1 * rng.standard_normal(count)))}
    if rng.random() < 0.5:
        tags["lr"] = steps, np.full(count, rate)
    return planted("chaos", rng, tags, "lr_too_high no_improvement", None, "no_improvement divergence")


def chaos_since(rng: Generator) -> Planted:
    """Learns until the learning rate is raised, then jumps about at a higher level."""
    count = count_of(rng, 200, 2500)
    steps, place = steps_of(rng, count), int(rng.uniform(0.1, 0.5) * count)
    curve = falling(rng, count)
    level = max(float(curve[place]) * rng.uniform(1.2, 2.5), 0.3 * curve[0])
    loss = noisy(rng, curve, 0.05)
    loss[place:] = level * np.exp(rng.uniform(0.5, 0.9) * rng.standard_normal(count - place))
    tags = {loss_tag(rng): (steps, loss), "lr": (steps, np.where(np.arange(count) < place, 1e-3, 3e-2))}
    rules = "lr_too_high divergence no_improvement"
    return planted("chaos_since", rng, tags, rules, None, "no_improvement divergence")


def unshuffled(rng: Generator) -> Planted:
    """Data in the same order in each epoch, sorted by their labels."""
    count, epochs = count_of(rng, 200, 3000), int(rng.integers(8, 30))
    steps = steps_of(rng, count)
    period = max(5, count // epochs)
    phase = np.arange(count) % period / period
    shape = (np.sin(2 * np.pi * phase), 2 * phase - 1, np.sign(phase - 0.5) * 0.8)[rng.integers(3)]
    curve = falling(rng, count) ** rng.uniform(0.2, 0.6)
    loss = noisy(rng, curve * (1 + rng.uniform(0.25, 0.5) * shape), 0.08)
    tags = {loss_tag(rng): (steps, loss)}
    if rng.random() < 0.4:
        tags["epoch"] = steps, np.floor(np.arange(count) / period)
    codes = "diagnose_period_change diagnose_unshuffled_change"
    return planted("unshuffled", rng, tags, "lr_too_high", None, codes=codes)


def two_writers(rng: Generator) -> Planted:
    """Two processes log into one directory, from the beginning or since one of them was started."""
    count = count_of(rng, 30, 1500)
    steps = steps_of(rng, count)
    late = 0.5 * count * rng.uniform(0, 0.5)
    first = written(steps, noisy(rng, falling(rng, count)))[0]
    other = int(rng.uniform(0.5, 1) * count)
    rate = rng.uniform(0.3, 0.7)
    times = np.asarray(BEGIN + late + rng.uniform(0.01, 0.4) + rate * np.arange(other), np.float64)
    second = Written(steps[:other], noisy(rng, falling(rng, other)), times)
    runs = {"run": {"train/loss": [first, second]}}
    step = int(steps[0])
    return Planted("two_writers", runs, frozenset({"two_writers"}), "run", (step, step))


def restarted(rng: Generator) -> Planted:
    """Killed, and started again from an earlier checkpoint."""
    count = count_of(rng, 40, 1500)
    steps, end = steps_of(rng, count), int(rng.uniform(0.3, 0.9) * count)
    begin = max(1, end - int(rng.integers(2, max(3, count // 5))))
    loss = noisy(rng, falling(rng, count), 0.05)
    first = written(steps[:end], loss[:end])[0]
    second = written(steps[begin:], loss[begin:], BEGIN + end + rng.uniform(20, 9000))[0]
    runs = {"run": {"train/loss": [first, second]}}
    step = int(steps[begin])
    return Planted("restarted", runs, frozenset({"restarted"}), "run", (step, step))


def stopped(rng: Generator) -> Planted:
    """Nothing is written for hours in the middle of the run."""
    count = count_of(rng, 60, 1500)
    steps, place = steps_of(rng, count), int(rng.uniform(0.2, 0.8) * count)
    times = BEGIN + 2.0 * np.cumsum(rng.uniform(0.8, 1.2, count))
    times[place:] += rng.uniform(2, 30) * 3600
    one = Written(steps, noisy(rng, falling(rng, count), 0.05), times)
    window = int(steps[place - 1]), int(steps[place])
    return Planted("stopped", {"run": {"train/loss": [one]}}, frozenset({"interrupted"}), "run", window)


def explosion_that_stays(rng: Generator) -> Planted:
    """Some usual points, then a loss that is far above them to the end."""
    count, place = count_of(rng, 60, 3000), int(rng.integers(2, 8))
    steps, loss = steps_of(rng, count), np.full(count, 2.3)
    loss[place:] *= 10 ** rng.uniform(2, 8)
    tags = {loss_tag(rng): (steps, noisy(rng, loss, 0.1))}
    window = int(steps[0]), int(steps[place])
    return planted("explosion_that_stays", rng, tags, "divergence", window)


def flat_then_diverges(rng: Generator) -> Planted:
    """Flat for half of the run: a step at which it was lowest by chance is not the begin."""
    count = count_of(rng, 200, 3000)
    steps, place = steps_of(rng, count), int(rng.uniform(0.5, 0.8) * count)
    loss = 0.4 + 1.9 * np.exp(-np.arange(count) / (0.04 * count))
    loss[place:] *= np.exp(np.minimum(np.arange(count - place) / (0.04 * count), 3))
    tags = {loss_tag(rng): (steps, noisy(rng, loss, 0.05))}
    reach = count // 16
    window = int(steps[place - reach]), int(steps[min(count - 1, place + reach)])
    return planted("flat_then_diverges", rng, tags, "divergence", window)


def nonfinite(rng: Generator) -> Planted:
    """A loss that is NaN or infinite from a step on, or at a few steps."""
    count = count_of(rng, 12, 3000)
    steps, loss = steps_of(rng, count), noisy(rng, falling(rng, count))
    begin = int(rng.integers(0, count - 2))
    chosen = np.arange(begin, count)
    if rng.random() < 0.3:
        chosen = np.sort(rng.choice(count, 1 + count // 100, replace=False))
    loss[chosen] = rng.choice([np.nan, np.inf, -np.inf])
    tags = {loss_tag(rng): (steps, loss)}
    if rng.random() < 0.4:
        metric = rng.random(count)
        metric[min(chosen[0] + 1, count - 1) :] = np.nan
        tags["metrics/iou"] = steps, metric
    step = int(steps[chosen[0]])
    return planted("nonfinite", rng, tags, "nonfinite", (step, step), "no_improvement")


def diverging(rng: Generator) -> Planted:
    """A loss that grows from a step on: at once, steadily or ever faster; at times from its first step."""
    count = count_of(rng, 40, 3000)
    steps, t, loss = steps_of(rng, count), np.linspace(0, 1, count), falling(rng, count)
    begin = rng.uniform(0.0 if rng.random() < 0.3 else 0.15, 0.8)
    since = ((t - begin) / (1 - begin)).clip(0)
    kind = rng.integers(4)
    if kind == 3:  # thrown out of the valley: stays at the level of a guess
        loss[int(begin * (count - 1)) :] = loss[0] * rng.uniform(0.95, 1.3)
    else:
        growth = (np.minimum(1, since * 20), since, np.expm1(5 * since) / np.expm1(5))[kind]
        loss = loss + loss[0] * rng.uniform(0.9, 30) * growth
    tags = {loss_tag(rng): (steps, noisy(rng, loss, 0.08))}
    return planted("diverging", rng, tags, "divergence", None, "no_improvement lr_too_high")


def beyond_curvature(rng: Generator) -> Planted:
    """A linear regression with a rate beyond 2 / the largest curvature, which grows without end."""
    x = rng.normal(0, 1, (200, 6)) * np.linspace(0.5, 1.0, 6)
    y = x @ rng.normal(0, 2, 6) + rng.normal(0, 0.2, 200)
    rate = rng.uniform(1.02, 1.15) * 2 / np.linalg.eigvalsh(2 * x.T @ x / 200)[-1]
    steps, weight = steps_of(rng, int(rng.integers(40, 300))), np.zeros(6)
    loss = np.empty(len(steps))
    for place in range(len(steps)):
        error = x @ weight - y
        loss[place] = (error**2).mean()
        weight -= rate * 2 * x.T @ error / 200
    tags = {loss_tag(rng): (steps, loss)}
    return planted("beyond_curvature", rng, tags, "divergence", None, "no_improvement lr_too_high")


def spiking(rng: Generator) -> Planted:
    """A loss that is thrown up again and again and comes back slowly."""
    count = count_of(rng, 300, 3000)
    steps, loss = steps_of(rng, count), noisy(rng, falling(rng, count), 0.06)
    gap = max(12, count // 14)
    places = np.arange(count // 10, count - gap, gap)
    places += rng.integers(0, gap // 2, len(places))
    back = rng.uniform(2.0, max(3.0, count / 120))
    for place in rng.choice(places, min(len(places), int(rng.integers(4, 10))), replace=False):
        length = min(count - place, int(6 * back) + 4)
        loss[place : place + length] *= 1 + rng.uniform(0.8, 4) * np.exp(-np.arange(length) / back)
    return planted("spiking", rng, {loss_tag(rng): (steps, loss)}, "lr_too_high", None, "no_improvement")


def swinging(rng: Generator) -> Planted:
    """A loss that swings across the valley instead of going down in it."""
    count = count_of(rng, 120, 3000)
    steps, t = steps_of(rng, count), np.arange(count)
    wave = np.sin(2 * np.pi * t / rng.uniform(2.0, 12.0) + rng.uniform(0, 6)) * rng.uniform(0.3, 0.8)
    loss = noisy(rng, falling(rng, count) * (1 + wave * np.minimum(1, t / count * 5)), 0.08)
    tags = {loss_tag(rng): (steps, loss)}
    codes = "diagnose_period_change diagnose_unshuffled_change"
    return planted("swinging", rng, tags, "lr_too_high", None, "no_improvement", codes)


KINDS: tuple[Kind, ...] = (
    frozen_loss, plateau_stuck, never_learns, rate_zero, overfit_siblings, overfit_one_run, spike_recovers,
    early_explosion, explosion_that_stays, flat_then_diverges, chaos, chaos_since, unshuffled, two_writers,
    restarted, stopped, nonfinite, diverging, beyond_curvature, spiking, swinging,
)  # fmt: skip
