"""Runs in which nothing is wrong, although their curves resemble those of faults."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from tests.support.curves import (
    BEGIN,
    Kind,
    Planted,
    Written,
    count_of,
    falling,
    loss_tag,
    noisy,
    planted,
    steps_of,
    written,
)


def warm_up(rng: Generator) -> Planted:
    """The learning rate is 0 at first, and the loss hardly moves during the warm-up."""
    count = count_of(rng, 80, 3000)
    steps, t = steps_of(rng, count), np.linspace(0, 1, count)
    warm = rng.uniform(0.03, 0.25)
    rate = (
        1e-3
        * np.minimum(1, t / warm)
        * np.where(t > warm, 0.5 * (1 + np.cos(np.pi * (t - warm) / (1 - warm))), 1)
    )
    curve = falling(rng, count)
    late = np.interp((t - warm / 2).clip(0), t, curve)
    return planted("warm_up", rng, {loss_tag(rng): (steps, noisy(rng, late)), "lr": (steps, rate)})


def cyclic(rng: Generator) -> Planted:
    """A triangular learning rate that touches 0 in each cycle; the loss swings with it."""
    count, cycles = count_of(rng, 200, 3000), int(rng.integers(3, 14))
    steps, t = steps_of(rng, count), np.linspace(0, cycles, count, endpoint=False)
    rate = 1 - np.abs(2 * (t - np.floor(t)) - 1)
    loss = falling(rng, count) * (1 + rng.uniform(0.1, 0.35) * rate)
    return planted("cyclic", rng, {loss_tag(rng): (steps, noisy(rng, loss, 0.05)), "lr": (steps, 0.1 * rate)})


def step_decay(rng: Generator) -> Planted:
    """Flat for a long time, until the learning rate is divided."""
    count = count_of(rng, 150, 3000)
    steps, t = steps_of(rng, count), np.linspace(0, 1, count)
    drops = np.sort(rng.uniform(0.4, 0.9, 2))
    stage = (t[:, None] > drops).sum(1)
    since = t - np.concatenate([[0], drops])[stage]
    loss = 3 * 0.55**stage * (1 + 0.8 * np.exp(-since / 0.04))
    return planted(
        "step_decay", rng, {loss_tag(rng): (steps, noisy(rng, loss, 0.05)), "lr": (steps, 0.1 * 0.1**stage)}
    )


def curriculum(rng: Generator) -> Planted:
    """The loss jumps where the data become harder, and falls again."""
    count = count_of(rng, 200, 3000)
    steps, t = steps_of(rng, count), np.linspace(0, 1, count)
    loss = falling(rng, count)
    for place in np.sort(rng.uniform(0.25, 0.7, rng.integers(1, 4))):
        loss = loss + rng.uniform(0.1, 0.4) * loss[0] * (t >= place) * np.exp(-(t - place).clip(0) / 0.1)
    return planted("curriculum", rng, {loss_tag(rng): (steps, noisy(rng, loss, 0.06))})


def fine_tuning(rng: Generator) -> Planted:
    """A small fall under the noise of batches; layers of one group stay frozen at first, at the rate 0."""
    count = count_of(rng, 120, 2000)
    steps, t = steps_of(rng, count), np.linspace(0, 1, count)
    start = rng.uniform(0.8, 2)
    curve = start * (1 - rng.uniform(0.2, 0.5) * (1 - np.exp(-t / rng.uniform(0.3, 0.7))))
    group = np.where(t < rng.uniform(0.2, 0.6), 0.0, 1e-5)
    tags = {loss_tag(rng): (steps, noisy(rng, curve, 0.15))}
    if rng.random() < 0.7:
        tags |= {"lr/backbone": (steps, group), "lr/head": (steps, 1e-4 * (1 - 0.99 * t))}
    return planted("fine_tuning", rng, tags)


def mixed_precision(rng: Generator) -> Planted:
    """Losses as float16 has them: many equal numbers, at times neighbours; the scale jumps at overflows."""
    count = count_of(rng, 200, 3000)
    steps = steps_of(rng, count)
    loss = noisy(rng, falling(rng, count), 0.03).astype(np.float16).astype(np.float64)
    norm = np.exp(rng.normal(0, 0.3, count))
    norm[: rng.integers(1, 4)] = np.inf
    norm[rng.choice(count - 1, max(1, count // 300), replace=False)] = np.inf
    scale = 65536.0 / 2.0 ** np.floor(np.linspace(0, 3, count))
    return planted(
        "mixed_precision", rng,
        {loss_tag(rng): (steps, loss), "grad_norm": (steps, norm), "loss_scale": (steps, scale)},
    )  # fmt: skip


def batch_of_one(rng: Generator) -> Planted:
    """Noise as large as the level, skewed; the level falls."""
    count = count_of(rng, 400, 6000)
    steps = steps_of(rng, count)
    loss = falling(rng, count) * np.exp(rng.uniform(0.4, 0.9) * rng.standard_normal(count))
    return planted("batch_of_one", rng, {loss_tag(rng): (steps, loss)})


def rare_validation(rng: Generator) -> Planted:
    """Few points of held-out data, or the last one repeated at each step until the next is known."""
    count, few = count_of(rng, 300, 3000), int(rng.integers(3, 12))
    steps = steps_of(rng, count)
    curve = falling(rng, count)
    at = np.linspace(count // few, count - 1, few).astype(int)
    held = noisy(rng, np.minimum.accumulate(1.2 * curve[at]), 0.02)
    tags = {loss_tag(rng): (steps, noisy(rng, curve))}
    if rng.random() < 0.5:
        tags["val/loss"] = steps[at], held
    else:
        tags["val/loss"] = steps, held[np.searchsorted(at, np.arange(count)).clip(0, few - 1)]
    return planted("rare_validation", rng, tags)


def held_by_epoch(rng: Generator) -> Planted:
    """A training loss by epoch that is logged at each step: the same number for hundreds of points."""
    epochs, each = int(rng.integers(6, 40)), int(rng.integers(20, 300))
    count = epochs * each - int(rng.integers(0, each // 2))
    steps = steps_of(rng, count)
    loss = noisy(rng, falling(rng, epochs), 0.03)[np.arange(count) // each]
    return planted("held_by_epoch", rng, {"train/loss_epoch": (steps, loss)})


def reinforcement(rng: Generator) -> Planted:
    """A loss of reinforcement learning that is called plainly "loss": it need not fall."""
    count = count_of(rng, 80, 3000)
    steps = steps_of(rng, count)
    walk = np.cumsum(rng.normal(0, 1, count)) / np.sqrt(count)
    reward = 100 * np.linspace(0, 1, count) ** 0.7 + 8 * rng.standard_normal(count)
    loss = np.abs(rng.standard_t(3, count)) * np.exp(1.5 * walk)
    if rng.random() < 0.4:
        loss = loss * np.geomspace(1, rng.uniform(5, 60), count)  # returns grow, and errors with them
    name = str(rng.choice(["rollout/ep_rew_mean", "episode_reward", "charts/episodic_return"]))
    return planted("reinforcement", rng, {"train/loss": (steps, loss), name: (steps, reward)})


def to_zero(rng: Generator) -> Planted:
    """A schedule that reaches 0 at its last points, as linear and cosine decay do."""
    count = count_of(rng, 60, 3000)
    steps, t = steps_of(rng, count), np.linspace(0, 1, count)
    end = count - int(rng.integers(1, 4)) - int(0.01 * count)
    rate = np.interp(np.arange(count), [0, end], [1e-3, 0.0])
    if rng.random() < 0.5:
        rate = 1e-3 * 0.5 * (1 + np.cos(np.pi * t))
        rate[-1] = 0
    return planted(
        "to_zero", rng, {loss_tag(rng): (steps, noisy(rng, falling(rng, count))), "train/lr": (steps, rate)}
    )


def keras_fit(rng: Generator) -> Planted:
    """Runs of Keras whose held-out loss flattens but does not rise."""
    count = int(rng.integers(8, 120))
    steps, train = np.arange(count, dtype=np.int64), falling(rng, count)
    held = np.minimum.accumulate(train[0] * 0.2 + 0.8 * train)
    logged = {
        "epoch_loss": written(steps, noisy(rng, train, 0.03)),
        "epoch_learning_rate": written(steps, np.full(count, 1e-3)),
        "epoch_accuracy": written(steps, np.clip(noisy(rng, 1 - 0.9 * train / train[0], 0.02), 0, 1)),
    }
    validated = {"epoch_loss": written(steps, noisy(rng, held, 0.04))}
    return Planted("keras_fit", {"fit/train": logged, "fit/validation": validated})


def hard_batch(rng: Generator) -> Planted:
    """Single points far above the curve, as of a mislabelled batch, and long noise of one kind."""
    count = count_of(rng, 200, 3000)
    steps, loss = steps_of(rng, count), noisy(rng, falling(rng, count), 0.08)
    loss[rng.choice(count, 1 + count // 150, replace=False)] *= rng.uniform(1.5, 3.5)
    return planted("hard_batch", rng, {loss_tag(rng): (steps, loss)})


def full_batch(rng: Generator) -> Planted:
    """Descent on all data, without noise, to the limit of the numbers."""
    count = count_of(rng, 60, 800)
    steps = steps_of(rng, count)
    loss = rng.uniform(0.5, 5) * np.exp(-np.linspace(0, rng.uniform(1.5, 4), count)) + rng.uniform(0.01, 1)
    return planted("full_batch", rng, {loss_tag(rng): (steps, loss.astype(np.float32).astype(np.float64))})


def resumed(rng: Generator) -> Planted:
    """A second file goes on where the first one ended, at once."""
    count = count_of(rng, 40, 1500)
    steps, end = steps_of(rng, count), int(rng.uniform(0.3, 0.8) * count)
    loss = noisy(rng, falling(rng, count), 0.05)
    runs = {
        "run": {
            "train/loss": [
                *written(steps[:end], loss[:end]),
                *written(steps[end:], loss[end:], BEGIN + end / 2 + 20),
            ]
        }
    }
    return Planted("resumed", runs)


def epochs_of_pauses(rng: Generator) -> Planted:
    """Pauses of validation and of checkpoints between epochs, and evenings of a batch system."""
    count, epochs = count_of(rng, 100, 1500), int(rng.integers(5, 20))
    steps = steps_of(rng, count)
    times = BEGIN + np.arange(count) + np.arange(count) // max(1, count // epochs) * rng.uniform(20, 200)
    one = Written(steps, noisy(rng, falling(rng, count), 0.05), times)
    return Planted("epochs_of_pauses", {"run": {"train/loss": [one]}})


def warm_restarts(rng: Generator) -> Planted:
    """Cosine restarts whose rate is not logged."""
    count, cycles = count_of(rng, 200, 3000), int(rng.integers(2, 6))
    steps, t = steps_of(rng, count), np.linspace(0, cycles, count, endpoint=False)
    rate = 0.5 * (1 + np.cos(np.pi * (t - np.floor(t))))
    loss = falling(rng, count) * (1 + rng.uniform(0.1, 0.3) * rate * (t >= 1))
    return planted("warm_restarts", rng, {loss_tag(rng): (steps, noisy(rng, loss, 0.05))})


def long_tail(rng: Generator) -> Planted:
    """A language model: a fast fall, then a slow one to the end."""
    count = count_of(rng, 1000, 60_000)
    steps = steps_of(rng, count)
    loss = rng.uniform(1.5, 2.5) + rng.uniform(5, 9) * (
        1 + np.arange(count) * 20_000 / count
    ) ** -rng.uniform(0.15, 0.3)
    return planted("long_tail", rng, {loss_tag(rng): (steps, noisy(rng, loss, 0.06))})


def running_mean(rng: Generator) -> Planted:
    """A first value that is too small: a sum of few batches divided by many."""
    count = count_of(rng, 60, 1500)
    steps, loss = steps_of(rng, count), noisy(rng, falling(rng, count), 0.05)
    loss[0] *= rng.uniform(0.001, 0.3)
    return planted("running_mean", rng, {loss_tag(rng): (steps, loss)})


def terms(rng: Generator) -> Planted:
    """A whole loss falls, while terms of it rise from 0, or stay where they should be."""
    count = count_of(rng, 100, 2000)
    steps, t = steps_of(rng, count), np.linspace(0, 1, count)
    rising = rng.uniform(0.01, 2) * (0.05 + 1 - np.exp(-t / rng.uniform(0.1, 0.4)))
    words = ["reg_loss", "commitment_loss", "kld_loss", "loss/l2", "covariance_loss", "loss/distortion"]
    tags = {
        str(rng.choice(["loss", "train/loss", "total_loss", "loss/total"])): noisy(rng, falling(rng, count)),
        str(rng.choice(words)): noisy(rng, rising, 0.05),
        str(rng.choice(["aux_loss", "load_balancing_loss"])): 1 + 0.01 * rng.standard_normal(count),
    }
    return planted("terms", rng, {tag: (steps, values) for tag, values in tags.items()})


def random_by_nature(rng: Generator) -> Planted:
    """A loss whose noise is drawn again for each batch, as of diffusion: it hardly falls, or very soon."""
    count = count_of(rng, 200, 3000)
    steps, t = steps_of(rng, count), np.linspace(0, 1, count)
    curve = 0.1 * (1 - 0.05 * t) + rng.integers(2) * np.exp(-t / 0.01)
    noise = np.exp(rng.uniform(0.3, 0.7) * rng.standard_normal(count))
    return planted("random_by_nature", rng, {"train_loss": (steps, curve * noise)})


def margins(rng: Generator) -> Planted:
    """Ever fewer batches violate a margin; the loss of the others is exactly 0."""
    count = count_of(rng, 300, 3000)
    steps, t = steps_of(rng, count), np.linspace(0, 1, count)
    share = np.exp(-t / rng.uniform(0.1, 0.3))
    loss = 0.3 * np.sqrt(share) * rng.gamma(2, 0.5, count) * (rng.random(count) < share)
    return planted("margins", rng, {str(rng.choice(["triplet_loss", "loss"])): (steps, loss)})


def agents(rng: Generator) -> Planted:
    """Q-learning of a script: the loss rises with the scores."""
    count = count_of(rng, 150, 1500)
    steps, t = steps_of(rng, count), np.linspace(0, 1, count)
    loss = (0.02 + 2 * t) * np.exp(0.5 * rng.standard_normal(count))
    tags = {
        "loss": loss,
        "score": 200 * t + 20 * rng.standard_normal(count),
        "epsilon": (1 - 2 * t).clip(0.05),
    }
    return planted("agents", rng, {tag: (steps, values) for tag, values in tags.items()})


def adversarial(rng: Generator) -> Planted:
    """Losses of a generator and a discriminator, which balance each other."""
    count = count_of(rng, 100, 3000)
    steps, swing = steps_of(rng, count), np.cumsum(rng.normal(0, 0.05, count))
    swing -= np.linspace(0, swing[-1], count)
    d_loss = 0.69 + 0.2 * np.tanh(swing) + np.abs(rng.normal(0, 0.1, count))
    g_loss = 1.2 - 0.5 * np.tanh(swing) + np.abs(rng.normal(0, 0.3, count))
    return planted("adversarial", rng, {"d_loss": (steps, d_loss), "g_loss": (steps, g_loss)})


def few_points(rng: Generator) -> Planted:
    """Runs of a few points: just begun, or stopped early."""
    count = int(rng.integers(1, 16))
    loss = rng.uniform(1, 8) * (1 + np.arange(count)) ** -rng.uniform(0.0, 0.5)
    return planted("few_points", rng, {loss_tag(rng): (steps_of(rng, count), noisy(rng, loss, 0.1))})


def undefined_metric(rng: Generator) -> Planted:
    """A metric that is not defined at first, such as the precision before anything is found."""
    count = count_of(rng, 40, 400)
    steps = steps_of(rng, count)
    metric = np.clip(noisy(rng, 1 - falling(rng, count) / 12, 0.03), 0, 1)
    metric[: rng.integers(1, max(2, count // 4))] = np.nan
    tags = {loss_tag(rng): (steps, noisy(rng, falling(rng, count))), "precision": (steps, metric)}
    return planted("undefined_metric", rng, tags)


def sawtooth(rng: Generator) -> Planted:
    """Data in the same order in each epoch: a small pattern that repeats."""
    count, epochs = count_of(rng, 300, 3000), int(rng.integers(5, 20))
    t = np.linspace(0, epochs, count, endpoint=False)
    loss = falling(rng, count) * (1 - rng.uniform(0.02, 0.08) * (t - np.floor(t)))
    return planted("sawtooth", rng, {loss_tag(rng): (steps_of(rng, count), noisy(rng, loss, 0.05))})


def likelihood(rng: Generator) -> Planted:
    """A loss below zero, as a negative log density."""
    count = count_of(rng, 60, 3000)
    loss = falling(rng, count)
    loss = loss - rng.uniform(1.0, 3.0) * loss[0] + rng.normal(0, 0.02 * loss[0], count)
    return planted("likelihood", rng, {"train/nll": (steps_of(rng, count), loss)})


def low_spike(rng: Generator) -> Planted:
    """A single spike of less than four times the level, as after a bad batch: seen once, not a habit."""
    count = count_of(rng, 300, 3000)
    loss = noisy(rng, falling(rng, count), 0.06)
    place = int(rng.integers(count // 4, 3 * count // 4))
    loss[place : place + 6] *= 1 + np.array([1.0, 0.8, 0.5, 0.3, 0.2, 0.1]) * rng.uniform(0.5, 2)
    return planted("low_spike", rng, {loss_tag(rng): (steps_of(rng, count), loss)})


KINDS: tuple[Kind, ...] = (
    warm_up, cyclic, step_decay, curriculum, fine_tuning, mixed_precision, batch_of_one, rare_validation,
    held_by_epoch, reinforcement, to_zero, keras_fit, hard_batch, full_batch, resumed, epochs_of_pauses,
    warm_restarts, long_tail, running_mean, terms, random_by_nature, margins, agents,
    adversarial, few_points, undefined_metric, sawtooth, likelihood, low_spike,
)  # fmt: skip
RESTING: tuple[Kind, ...] = (random_by_nature, margins)  # those that do rest at a level: a hint is right
