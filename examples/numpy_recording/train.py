"""Trains a small network written in numpy, and records it. See README.md."""

from __future__ import annotations

import sys
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from insight_record import SummaryCollector

Floats = NDArray[np.float64]


def data(count: int = 512) -> tuple[Floats, Floats]:
    """Points in two spirals, and in which one each is."""
    random = np.random.default_rng(0)
    side = np.arange(count) % 2
    turn = np.sqrt(random.random(count)) * 3 * np.pi
    angle = turn + np.pi * side
    points = np.stack([turn * np.cos(angle), turn * np.sin(angle)], 1) / 8
    return points + random.normal(0, 0.02, points.shape), side.astype(float)[:, None]


def main(log_dir: str, epochs: int = 60, learning_rate: float = 0.3) -> None:
    points, side = data()
    random = np.random.default_rng(1)
    layers = [2, 32, 32, 1]
    weights = {
        f"layer{number}/{kind}": random.normal(0, np.sqrt(2 / ins), (ins, outs))
        if kind == "weight"
        else np.zeros(outs)
        for number, (ins, outs) in enumerate(pairwise(layers), 1)
        for kind in ("weight", "bias")
    }
    velocity = {name: np.zeros_like(array) for name, array in weights.items()}

    hyperparameters = {
        "optimizer": "momentum",
        "learning_rate": learning_rate,
        "batch_size": 64,
        "hidden": 32,
    }
    with SummaryCollector(
        log_dir, hyperparameters=hyperparameters, histogram_every=20, gradient_every=20, gradients="weight"
    ) as collector:
        for epoch in range(epochs):
            rate = learning_rate * (1 + np.cos(np.pi * epoch / epochs)) / 2
            for part in np.split(random.permutation(len(points)), len(points) // 64):
                activations = forward(weights, points[part])
                loss = cross_entropy(activations[-1], side[part])
                gradients = backward(weights, activations, side[part])
                for name, gradient in gradients.items():
                    velocity[name] = 0.9 * velocity[name] + gradient
                    weights[name] -= rate * velocity[name]
                collector.step(loss, learning_rate=rate, parameters=weights, gradients=gradients)
            accuracy = np.mean((forward(weights, points)[-1] > 0.5) == side)
            collector.epoch(accuracy=accuracy)


def forward(weights: dict[str, Floats], points: Floats) -> list[Floats]:
    """The points, and what each layer makes of them."""
    activations = [points]
    for number in range(1, len(weights) // 2 + 1):
        sums = activations[-1] @ weights[f"layer{number}/weight"] + weights[f"layer{number}/bias"]
        last = number == len(weights) // 2
        activations.append(1 / (1 + np.exp(-sums)) if last else np.tanh(sums))
    return activations


def backward(weights: dict[str, Floats], activations: list[Floats], side: Floats) -> dict[str, Floats]:
    gradients = {}
    error = (activations[-1] - side) / len(side)
    for number in range(len(activations) - 1, 0, -1):
        below = activations[number - 1]
        gradients[f"layer{number}/weight"] = below.T @ error
        gradients[f"layer{number}/bias"] = error.sum(0)
        error = (error @ weights[f"layer{number}/weight"].T) * (1 - below**2)
    return gradients


def cross_entropy(found: Floats, side: Floats) -> float:
    return float(-np.mean(side * np.log(found + 1e-9) + (1 - side) * np.log(1 - found + 1e-9)))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "runs/numpy")
