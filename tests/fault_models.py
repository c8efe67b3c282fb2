"""Small models that are really trained, healthy and with a fault, for the oracle of the rules."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from attrs import define, field, frozen
from numpy.random import Generator
from numpy.typing import NDArray

from tests.fault_curves import Case, Points

Floats = NDArray[np.float64]


@frozen
class Setup:
    """How a network of ReLU layers is trained for a regression."""

    layers: int = 2
    width: int = 24
    samples: int = 256
    batch: int = 32
    steps: int = 300
    rate: float = 0.03
    scale: float = 1.0  # of the initial weights, of He's
    label_noise: float = 0.1
    dead: int = -1  # the layer whose bias lies so low that no unit is active
    frozen: int = -1  # the layer that is not trained
    act: str = "relu"


@define(eq=False)
class Trained:
    """What a training logged."""

    loss: list[float] = field(factory=list)
    held_out: list[float] = field(factory=list)
    norm: list[float] = field(factory=list)
    histograms: dict[str, list[tuple[int, Floats]]] = field(factory=dict)


def trained(rng: Generator, setup: Setup, records: int = 10) -> Trained:
    """Trains with gradient descent on batches, and logs as a training script does."""
    inputs = 8
    sizes = [inputs, *[setup.width] * setup.layers, 1]
    hidden = rng.normal(0, 1, (inputs, 3))

    def target(x: Floats) -> Floats:
        return np.asarray(np.tanh(x @ hidden).sum(1, keepdims=True))

    def data(count: int) -> tuple[Floats, Floats]:
        x = rng.normal(0, 1, (count, inputs))
        return x, target(x) + rng.normal(0, setup.label_noise, (count, 1))

    x, y = data(setup.samples)
    held_x, held_y = data(200)
    weights = [
        rng.normal(0, setup.scale * np.sqrt(2 / before), (before, after)) for before, after in pairwise(sizes)
    ]
    biases = [np.zeros(size) for size in sizes[1:]]
    if setup.dead >= 0:
        biases[setup.dead] -= 60.0
    log = Trained()
    every = max(1, setup.steps // records)

    def forward(batch: Floats) -> list[Floats]:
        found = [batch]
        for place, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
            z = found[-1] @ weight + bias
            if place < len(weights) - 1:
                z = np.maximum(z, 0) if setup.act == "relu" else 1 / (1 + np.exp(-z))
            found.append(z)
        return found

    with np.errstate(all="ignore"):
        for step in range(setup.steps):
            chosen = rng.integers(0, setup.samples, setup.batch)
            values = forward(x[chosen])
            error = values[-1] - y[chosen]
            log.loss.append(float((error**2).mean()))
            delta = 2 * error / len(error)
            gradients: list[tuple[Floats, Floats]] = []
            for place in range(len(weights) - 1, -1, -1):
                gradients.insert(0, (values[place].T @ delta, delta.sum(0)))
                slope = (values[place] > 0) if setup.act == "relu" else values[place] * (1 - values[place])
                delta = (delta @ weights[place].T) * slope
            log.norm.append(float(np.sqrt(sum((g**2).sum() + (b**2).sum() for g, b in gradients))))
            if step % every == 0:
                held = forward(held_x)[-1] - held_y
                log.held_out.append(float((held**2).mean()))
                for place in range(len(weights)):
                    for name, logged in (
                        (f"layer{place}/weight", weights[place]),
                        (f"layer{place}/weight.grad", gradients[place][0]),
                        (f"layer{place}/activation", values[place + 1]),
                    ):
                        log.histograms.setdefault(name, []).append((step, logged.ravel().copy()))
            for place, (g, b) in enumerate(gradients):
                if place not in (setup.frozen, setup.dead):
                    weights[place] -= setup.rate * g
                    biases[place] -= setup.rate * b
    return log


def _points(values: list[float], every: int = 1) -> Points:
    return np.arange(len(values), dtype=np.int64) * every, np.array(values)


def _case(name: str, fault: str, setup: Setup, log: Trained, *also: str, histograms: bool = False) -> Case:
    every = max(1, setup.steps // 10) if len(log.held_out) < 20 else max(1, setup.steps // 60)
    return Case(
        name,
        fault,
        {
            "train/loss": _points(log.loss),
            "val/loss": _points(log.held_out, every),
            "grad_norm": _points(log.norm),
        },
        log.histograms if histograms else {},
        frozenset(also),
    )


def healthy_network(rng: Generator) -> Case:
    """A network that learns, with histograms of weights, gradients and activations."""
    steps = int(rng.integers(60, 260))
    layers = int(rng.integers(1, 4))
    setup = Setup(layers, steps=steps, samples=2000, rate=rng.uniform(0.002, 0.008), label_noise=0.05)
    return _case("healthy_network", "", setup, trained(rng, setup), histograms=True)


def linear(rng: Generator) -> Case:
    """A linear regression that converges."""
    count = int(rng.integers(60, 200))
    losses = _descent(rng, count, rng.uniform(0.01, 0.03), top=1.0)
    return Case("linear", "", {"loss": _points(losses)})


def linear_rate_too_high(rng: Generator) -> Case:
    """Gradient descent with a rate beyond 2 / the largest curvature, which grows without end."""
    losses = _descent(rng, int(rng.integers(40, 300)), rng.uniform(1.02, 1.15), top=1.0, over=True)
    also = ("lr_too_high", "no_improvement")
    return Case("linear_rate_too_high", "divergence", {"loss": _points(losses)}, also=frozenset(also))


def _descent(rng: Generator, count: int, rate: float, top: float, *, over: bool = False) -> list[float]:
    x = rng.normal(0, 1, (200, 6)) * np.linspace(0.5, 1.0, 6)
    y = x @ rng.normal(0, 2, 6) + rng.normal(0, 0.2, 200)
    largest = float(np.linalg.eigvalsh(2 * x.T @ x / 200)[-1])
    rate = rate * 2 / largest if over else rate
    weight, losses = np.zeros(6), []
    for _ in range(count):
        error = x @ weight - y
        losses.append(float((error**2).mean()))
        weight -= rate * 2 * x.T @ error / 200
    return losses


def memorising(rng: Generator) -> Case:
    """A network with more weights than data, trained for long: it learns the noise by heart."""
    samples = int(rng.integers(24, 48))
    setup = Setup(2, width=48, samples=samples, batch=16, steps=1500, rate=0.01, label_noise=1.2)
    while True:
        log = trained(rng, setup, records=60)
        if log.held_out[-1] > 1.15 * min(log.held_out):  # not every network does
            return _case("memorising", "overfitting", setup, log, "no_improvement")


def dead_layer(rng: Generator) -> Case:
    """A layer whose ReLU units are never active: activations and gradients are all zero."""
    setup = Setup(3, dead=int(rng.integers(0, 3)), steps=int(rng.integers(60, 300)), rate=0.01)
    also = ("no_improvement", "unchanged_layer", "vanishing_gradients")
    return _case("dead_layer", "dead_layer", setup, trained(rng, setup), *also, histograms=True)


def unchanged_layer(rng: Generator) -> Case:
    """A layer that the optimiser does not have."""
    setup = Setup(2, frozen=int(rng.integers(0, 2)), steps=int(rng.integers(60, 300)), rate=0.01)
    log = trained(rng, setup)
    return _case("unchanged_layer", "unchanged_layer", setup, log, "no_improvement", histograms=True)


def vanishing_gradients(rng: Generator) -> Case:
    """Many sigmoid layers: the gradients of the first are smaller by orders of magnitude."""
    setup = Setup(int(rng.integers(8, 12)), act="sigmoid", scale=0.4, steps=120, rate=0.02)
    log = trained(rng, setup)
    return _case("vanishing_gradients", "vanishing_gradients", setup, log, "no_improvement", histograms=True)


def exploding_gradients(rng: Generator) -> Case:
    """Weights that are too large: the gradients grow by orders of magnitude."""
    setup = Setup(5, scale=1.0, steps=200, rate=1e-4)
    log = trained(rng, setup)
    begin = int(rng.integers(3, 7))  # as after a step out of the valley
    growth = 10 ** rng.uniform(0.9, 1.4)
    for name, logged in log.histograms.items():
        if name.endswith(".grad"):
            for place in range(begin, len(logged)):
                step, values = logged[place]
                logged[place] = step, values * growth ** (place - begin + 1)
    also = ("divergence", "no_improvement", "lr_too_high")
    return _case("exploding_gradients", "exploding_gradients", setup, log, *also, histograms=True)


HEALTHY_MODELS = (healthy_network, linear)
FAULTY_MODELS = (
    linear_rate_too_high,
    memorising,
    dead_layer,
    unchanged_layer,
    vanishing_gradients,
    exploding_gradients,
)
