"""Runs with one planted fault of their curves, and the run, rules and steps that a finding must name.

Curves are made by formulas of training, and by descents that really run, not by those that the rules use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from attrs import frozen
from numpy.random import Generator
from numpy.typing import NDArray

from insight_core.plugin.testing import FakeProvider
from tests.fault_curves import Floats, falling, noisy

BEGIN = 1.7e9  # wall time of the first point


@frozen(eq=False)
class Written:
    """What one writer logged under one tag."""

    steps: NDArray[np.int64]
    values: Floats
    wall_times: Floats


Runs = Mapping[str, Mapping[str, Sequence[Written]]]


@frozen(eq=False)
class Planted:
    """Runs by name, with their tags. ``rules`` name the fault, any of them; none: the runs are healthy.

    ``steps`` are the first and the last step that a finding may name as the begin. ``codes``: one of these
    must be among the codes of its texts.
    """

    name: str
    runs: Runs
    rules: frozenset[str] = frozenset()
    run: str = "run"
    steps: tuple[int, int] | None = None
    also: frozenset[str] = frozenset()  # consequences
    codes: frozenset[str] = frozenset()


def provider_of(case: Planted) -> FakeProvider:
    """The runs of a case; writers of one tag in the order in which they began."""
    data = FakeProvider()
    for run, tags in case.runs.items():
        for tag, writers in tags.items():
            for one in writers:
                data.add_scalars(run, tag, one.values, steps=one.steps, wall_times=one.wall_times)
    return data


def written(steps: NDArray[np.int64], values: NDArray[np.floating], begin: float = BEGIN) -> list[Written]:
    """One writer that logs twice a second."""
    return [
        Written(
            steps.copy(), np.array(values, np.float64), begin + 0.5 * np.arange(len(steps), dtype=np.float64)
        )
    ]


def steps_of(rng: Generator, count: int) -> NDArray[np.int64]:
    """Steps at a distance of logging scripts, at times from 1 on."""
    return np.arange(count, dtype=np.int64) * int(rng.choice([1, 1, 10, 50])) + int(rng.integers(2))


def count_of(rng: Generator, low: int, high: int) -> int:
    """A number of points; small ones are as likely as large ones."""
    return int(np.exp(rng.uniform(np.log(low), np.log(high))))


def loss_tag(rng: Generator) -> str:
    """A name of a training loss."""
    return str(rng.choice(["loss", "train/loss", "Loss/train", "train_loss", "training/lm_loss"]))


def around(steps: NDArray[np.int64], place: int, share: float) -> tuple[int, int]:
    """Steps near a place, within a share of the run."""
    reach = max(2, round(share * len(steps)))
    return int(steps[max(0, place - reach)]), int(steps[min(len(steps) - 1, place + reach)])


def planted(
    name: str, rng: Generator, tags: Mapping[str, tuple[NDArray[np.int64], NDArray[np.floating]]],
    rules: str = "", steps: tuple[int, int] | None = None, also: str = "", codes: str = "",
) -> Planted:  # fmt: skip
    """One run of one writer."""
    runs = {"run": {tag: written(*points) for tag, points in tags.items()}}
    return Planted(
        name, runs, frozenset(rules.split()), "run", steps, frozenset(also.split()), frozenset(codes.split())
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


Kind: TypeAlias = Callable[[Generator], Planted]
KINDS: tuple[Kind, ...] = (
    frozen_loss,
    plateau_stuck,
    never_learns,
    rate_zero,
    overfit_siblings,
    overfit_one_run,
    spike_recovers,
    early_explosion,
    explosion_that_stays,
    flat_then_diverges,
    chaos,
    chaos_since,
    unshuffled,
    two_writers,
    restarted,
    stopped,
)
