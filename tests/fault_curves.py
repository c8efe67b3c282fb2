"""Generated curves of runs with a known fault, and of healthy runs: the oracle of the rules.

A curve is made by formulas of training, not by those that the rules use. What is healthy still improves
measurably in its second half, or has just ended.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from attrs import field, frozen
from numpy.random import Generator
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Points = tuple[NDArray[np.int64], Floats]


@frozen(eq=False)
class Case:
    """A run with a fault, or without (``fault`` is empty). ``also`` are rules that may speak up as well."""

    name: str
    fault: str
    scalars: Mapping[str, Points] = field(factory=dict)
    histograms: Mapping[str, list[tuple[int, NDArray[np.float64]]]] = field(factory=dict)
    also: frozenset[str] = frozenset()


def _steps(rng: Generator, count: int) -> NDArray[np.int64]:
    return np.arange(count, dtype=np.int64) * int(rng.choice([1, 1, 10, 50, 100]))


def _count(rng: Generator, low: int = 60, high: int = 3000) -> int:
    return int(np.exp(rng.uniform(np.log(low), np.log(high))))


def falling(rng: Generator, count: int) -> Floats:
    """A loss without noise, which still falls in its second half."""
    t = np.linspace(0, 1, count)
    start, floor = rng.uniform(1, 11), rng.uniform(0.02, 0.6)
    kind = rng.integers(4)
    if kind == 0:
        shape = np.exp(-t / rng.uniform(0.25, 0.6))
    elif kind == 1:
        shape = (1 + t * rng.uniform(8, 60)) ** -rng.uniform(0.25, 0.6)
    elif kind == 2:
        shape = 1 / (1 + np.exp((t - rng.uniform(0.35, 0.6)) / rng.uniform(0.1, 0.2)))
    else:
        shape = 0.6 * np.exp(-t / 0.05) + 0.4 * np.exp(-t / rng.uniform(0.3, 0.7))
    found: Floats = start * (floor + (1 - floor) * (shape - shape[-1]) / (shape[0] - shape[-1]))
    return found


def noisy(rng: Generator, curve: NDArray[np.floating], most: float = 0.12) -> Floats:
    """The noise of batches: normal, skewed, with memory, or few outliers of single batches."""
    count, size = len(curve), rng.uniform(0.005, most)
    kind = rng.integers(4)
    white = rng.standard_normal(count)
    if kind == 1:
        return np.asarray(curve * np.exp(size * white - size**2 / 2))
    if kind == 2:
        memory = rng.uniform(0.3, 0.8)
        kept = np.empty(count)
        last = 0.0
        for place in range(count):
            last = memory * last + np.sqrt(1 - memory**2) * white[place]
            kept[place] = last
        white = kept
    if kind == 3:
        white = white + (rng.random(count) < 0.01) * rng.uniform(4, 9, count)
    return np.asarray(curve * (1 + size * white))


def _healthy_loss(rng: Generator, count: int, most: float = 0.12) -> Floats:
    return noisy(rng, falling(rng, count), most)


# --- healthy runs -------------------------------------------------------------------------------------------


def plain(rng: Generator) -> Case:
    """A loss, at times with a learning rate and a gradient norm."""
    count = _count(rng)
    steps = _steps(rng, count)
    loss = _healthy_loss(rng, count)
    scalars = {str(rng.choice(["loss", "train/loss", "Train_Loss", "lm_loss"])): (steps, loss)}
    if rng.random() < 0.5:
        t = np.linspace(0, 1, count)
        warm = np.minimum(1, t / rng.uniform(0.02, 0.1))
        scalars["lr"] = steps, 3e-4 * warm * 0.5 * (1 + np.cos(np.pi * t))
    if rng.random() < 0.5:
        scalars["grad_norm"] = steps, np.exp(rng.normal(0, 0.3, count)) * rng.uniform(0.1, 3)
    return Case("plain", "", scalars)


def step_decay(rng: Generator) -> Case:
    """A loss that falls in stairs, where the learning rate is divided by ten."""
    count = _count(rng, 90)
    t = np.linspace(0, 1, count)
    drops = np.sort(rng.uniform(0.3, 0.85, rng.integers(1, 4)))
    stairs = (t[:, None] > drops).sum(1)
    loss = falling(rng, count) * rng.uniform(0.55, 0.8) ** stairs
    steps = _steps(rng, count)
    return Case("step_decay", "", {"loss": (steps, noisy(rng, loss)), "lr": (steps, 0.1 * 0.1**stairs)})


def restarts(rng: Generator) -> Case:
    """Cosine warm restarts: the loss jumps up with the learning rate, and falls below its last value."""
    count, cycles = _count(rng, 200), int(rng.integers(2, 6))
    t = np.linspace(0, cycles, count, endpoint=False)
    phase = t - np.floor(t)
    lr = 0.5 * (1 + np.cos(np.pi * phase))
    loss = falling(rng, count) * (1 + rng.uniform(0.1, 0.35) * lr * (t >= 1))
    steps = _steps(rng, count)
    scalars = {"loss": (steps, noisy(rng, loss, 0.05))}
    if rng.random() < 0.7:
        scalars["lr"] = steps, 0.1 * lr
    return Case("restarts", "", scalars)


def reinforcement(rng: Generator) -> Case:
    """Rewards and losses of reinforcement learning, which neither fall nor are smooth."""
    count = _count(rng, 100)
    steps = _steps(rng, count)
    walk = np.cumsum(rng.normal(0, 1, count))
    reward = 100 * np.linspace(0, 1, count) ** 0.7 + 15 * rng.standard_t(3, count) + walk
    return Case(
        "reinforcement",
        "",
        {
            "rollout/ep_rew_mean": (steps, reward),
            "train/value_loss": (steps, np.abs(rng.standard_t(2, count)) * np.exp(walk / 30)),
            "train/policy_gradient_loss": (steps, rng.normal(-0.01, 0.01, count)),
            "train/entropy_loss": (steps, -1.4 + 0.8 * np.linspace(0, 1, count) + rng.normal(0, 0.02, count)),
        },
    )


def adversarial(rng: Generator) -> Case:
    """Losses of a generator and a discriminator, which balance each other."""
    count = _count(rng, 100)
    steps = _steps(rng, count)
    swing = np.cumsum(rng.normal(0, 0.05, count))
    swing -= np.linspace(0, swing[-1], count)
    d_loss = 0.69 + 0.2 * np.tanh(swing) + np.abs(rng.normal(0, 0.1, count))
    g_loss = 1.2 - 0.5 * np.tanh(swing) + np.abs(rng.normal(0, 0.3, count))
    return Case("adversarial", "", {"d_loss": (steps, d_loss), "g_loss": (steps, g_loss)})


def accuracies(rng: Generator) -> Case:
    """Training and held-out loss and accuracy by epoch; the held-out loss flattens but does not rise."""
    count = int(rng.integers(8, 120))
    steps = np.arange(count, dtype=np.int64)
    train = falling(rng, count)
    gap = rng.uniform(0.02, 0.3) * (1 - np.exp(-np.linspace(0, 4, count)))
    held = np.minimum.accumulate(train[0] * (0.15 + gap) + train * rng.uniform(0.6, 0.9))
    names = [("loss", "val_loss"), ("train/loss", "val/loss"), ("Loss/train", "Loss/test")][rng.integers(3)]
    top = 1 - 0.9 * train / train[0]
    return Case(
        "accuracies",
        "",
        {
            names[0]: (steps, noisy(rng, train, 0.03)),
            names[1]: (steps, noisy(rng, held, 0.04)),
            "accuracy": (steps, np.clip(noisy(rng, top, 0.02), 0, 1)),
        },
    )


def few_points(rng: Generator) -> Case:
    """Runs of a few points: just begun, or stopped early."""
    count = int(rng.integers(1, 16))
    steps = _steps(rng, count)
    loss = rng.uniform(1, 8) * (1 + np.arange(count)) ** -rng.uniform(0.0, 0.5)
    return Case("few_points", "", {"loss": (steps, noisy(rng, loss, 0.1))})


def long_run(rng: Generator) -> Case:
    """A run of many points, such as a language model."""
    count = int(rng.integers(20_000, 60_000))
    t = 1 + np.arange(count)
    loss = rng.uniform(1.5, 2.5) + rng.uniform(5, 9) * t ** -rng.uniform(0.15, 0.3)
    steps = _steps(rng, count)
    warm = np.minimum(1, t / 2000)
    return Case("long_run", "", {"train/loss": (steps, noisy(rng, loss)), "lr": (steps, 3e-4 * warm)})


def scaled_gradients(rng: Generator) -> Case:
    """Mixed precision: gradient norms that overflow now and then, whose steps are skipped."""
    count = _count(rng, 200)
    steps = _steps(rng, count)
    norm = np.exp(rng.normal(0, 0.3, count))
    norm[rng.choice(count - 1, max(1, count // 300), replace=False)] = np.inf
    norm[: rng.integers(0, 3)] = np.inf
    scale = np.full(count, 65536.0)
    return Case(
        "scaled_gradients",
        "",
        {
            "loss": (steps, _healthy_loss(rng, count)),
            "grad_norm": (steps, norm),
            "loss_scale": (steps, scale),
        },
    )


def undefined_metric(rng: Generator) -> Case:
    """A metric that is not defined at first, such as the precision before anything is found."""
    count = _count(rng, 40, 400)
    steps = _steps(rng, count)
    metric = np.clip(noisy(rng, 1 - falling(rng, count) / 12, 0.03), 0, 1)
    metric[: rng.integers(1, max(2, count // 4))] = np.nan
    return Case(
        "undefined_metric", "", {"loss": (steps, _healthy_loss(rng, count)), "precision": (steps, metric)}
    )


def sawtooth(rng: Generator) -> Case:
    """Data in the same order in each epoch: a small pattern that repeats."""
    count, epochs = _count(rng, 300), int(rng.integers(5, 20))
    t = np.linspace(0, epochs, count, endpoint=False)
    pattern = 1 - rng.uniform(0.02, 0.08) * (t - np.floor(t))
    return Case(
        "sawtooth", "", {"loss": (_steps(rng, count), noisy(rng, falling(rng, count) * pattern, 0.05))}
    )


def harder_data(rng: Generator) -> Case:
    """A curriculum: the loss jumps where the data become harder, and falls again."""
    count = _count(rng, 200)
    t = np.linspace(0, 1, count)
    loss = falling(rng, count)
    for place in np.sort(rng.uniform(0.3, 0.7, rng.integers(1, 3))):
        loss = loss + 0.25 * loss[0] * (t >= place) * np.exp(-(t - place).clip(0) / 0.12)
    return Case("harder_data", "", {"loss": (_steps(rng, count), noisy(rng, loss, 0.06))})


def likelihood(rng: Generator) -> Case:
    """A loss below zero, as a negative log density."""
    count = _count(rng)
    loss = falling(rng, count)
    loss = loss - rng.uniform(1.0, 3.0) * loss[0] + rng.normal(0, 0.02 * loss[0], count)
    return Case("likelihood", "", {"train/nll": (_steps(rng, count), loss)})


def one_spike(rng: Generator) -> Case:
    """A single spike with a return, as after a bad batch: seen once, not a habit."""
    count = _count(rng, 300)
    loss = _healthy_loss(rng, count, 0.06)
    place = int(rng.integers(count // 4, 3 * count // 4))
    loss[place : place + 6] *= 1 + np.array([1.0, 0.8, 0.5, 0.3, 0.2, 0.1]) * rng.uniform(0.5, 2)
    return Case("one_spike", "", {"loss": (_steps(rng, count), loss)})


# --- faults -------------------------------------------------------------------------------------------------


def not_a_number(rng: Generator) -> Case:
    """A loss that is NaN or infinite from a step on, or at a few steps."""
    count = _count(rng, 12)
    steps, loss = _steps(rng, count), _healthy_loss(rng, count)
    begin = int(rng.integers(0, count - 2))
    word = rng.choice([np.nan, np.inf, -np.inf])
    if rng.random() < 0.3:
        loss[rng.choice(count, 1 + count // 100, replace=False)] = word
    else:
        loss[begin:] = word
    scalars = {"train/loss": (steps, loss)}
    if rng.random() < 0.4:
        metric = rng.random(count)
        metric[min(begin + 1, count - 1) :] = np.nan
        scalars["metrics/iou"] = steps, metric
    return Case("not_a_number", "nonfinite", scalars, also=frozenset({"no_improvement"}))


def diverging(rng: Generator) -> Case:
    """A loss that grows from a step on: at once, steadily or ever faster; at times from its first step."""
    count = _count(rng, 40)
    loss = falling(rng, count)
    t = np.linspace(0, 1, count)
    begin = rng.uniform(0.0 if rng.random() < 0.3 else 0.15, 0.8)
    at = int(begin * (count - 1))
    height = loss[0] * rng.uniform(0.9, 30)
    since = ((t - begin) / (1 - begin)).clip(0)
    kind = rng.integers(4)
    if kind == 0:
        loss = loss + height * np.minimum(1, since * 20)
    elif kind == 1:
        loss = loss + height * since
    elif kind == 2:
        loss = loss + height * np.expm1(5 * since) / np.expm1(5)
    else:  # thrown out of the valley: stays at the level of a guess
        loss[at:] = loss[0] * rng.uniform(0.95, 1.3)
    also = frozenset({"no_improvement", "lr_too_high"})
    return Case("diverging", "divergence", {"loss": (_steps(rng, count), noisy(rng, loss, 0.08))}, also=also)


def stuck(rng: Generator) -> Case:
    """A loss that never falls, or stops to fall early."""
    count = _count(rng, 60)
    t = np.linspace(0, 1, count)
    level = rng.choice([np.log(10), np.log(2), np.log(1000), rng.uniform(0.1, 9)])
    if rng.random() < 0.5:
        loss = np.full(count, level)
        name = "never"
    else:
        loss = level * (1 + rng.uniform(0.4, 3) * np.exp(-t / rng.uniform(0.01, 0.05)))
        name = "early"
    return Case(f"stuck_{name}", "no_improvement", {"loss": (_steps(rng, count), noisy(rng, loss, 0.06))})


def overfitting(rng: Generator) -> Case:
    """A loss of held-out data that rises while that of training falls on."""
    count = int(rng.integers(14, 200))
    t = np.linspace(0, 1, count)
    start, turn = rng.uniform(0.7, 7), rng.uniform(0.1, 0.65)
    train = start * (0.03 + 0.97 * np.exp(-t / rng.uniform(0.15, 0.4)))
    low = start * rng.uniform(0.3, 0.6)
    before = low + (start - low) * np.exp(-4 * t / turn)
    rise = start * rng.uniform(0.15, 1.2) * ((t - turn) / (1 - turn)).clip(0) ** rng.uniform(0.8, 1.6)
    names = [("loss", "val_loss"), ("train/loss", "eval/loss"), ("Loss/train", "Loss/validation")][
        rng.integers(3)
    ]
    every = int(rng.choice([1, 1, 20]))
    steps = np.arange(count, dtype=np.int64) * every
    dense = np.arange(count * every, dtype=np.int64)
    scalars = {
        names[1]: (steps, noisy(rng, before + rise, 0.03)),
        names[0]: (dense, noisy(rng, np.interp(dense, steps, train), 0.05)),
    }
    return Case("overfitting", "overfitting", scalars)


def spiking(rng: Generator) -> Case:
    """A loss that is thrown up again and again and comes back slowly."""
    count = _count(rng, 300)
    loss = _healthy_loss(rng, count, 0.06)
    gap = max(12, count // 14)
    places = np.arange(count // 10, count - gap, gap) + rng.integers(
        0, gap // 2, len(np.arange(count // 10, count - gap, gap))
    )
    chosen = rng.choice(places, min(len(places), int(rng.integers(4, 10))), replace=False)
    back = rng.uniform(2.0, max(3.0, count / 120))
    for place in chosen:
        length = min(count - place, int(6 * back) + 4)
        loss[place : place + length] *= 1 + rng.uniform(0.8, 4) * np.exp(-np.arange(length) / back)
    also = frozenset({"no_improvement"})
    return Case("spiking", "lr_too_high", {"loss": (_steps(rng, count), loss)}, also=also)


def swinging(rng: Generator) -> Case:
    """A loss that swings across the valley instead of going down in it."""
    count = _count(rng, 120)
    t = np.arange(count)
    level = falling(rng, count)
    period = rng.uniform(2.0, 12.0)
    wave = np.sin(2 * np.pi * t / period + rng.uniform(0, 6)) * rng.uniform(0.3, 0.8)
    loss = noisy(rng, level * (1 + wave * np.minimum(1, t / count * 5)), 0.08)
    also = frozenset({"no_improvement"})
    return Case("swinging", "lr_too_high", {"loss": (_steps(rng, count), loss)}, also=also)


HEALTHY: tuple[Callable[[Generator], Case], ...] = (
    plain,
    step_decay,
    restarts,
    reinforcement,
    adversarial,
    accuracies,
    few_points,
    long_run,
    scaled_gradients,
    undefined_metric,
    sawtooth,
    harder_data,
    likelihood,
    one_spike,
)
FAULTY: tuple[Callable[[Generator], Case], ...] = (
    not_a_number,
    diverging,
    stuck,
    overfitting,
    spiking,
    swinging,
)
