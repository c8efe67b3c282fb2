"""Sweeps with planted causes: hyperparameters of each run, and which runs are faulty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

Shape: TypeAlias = Literal["grid", "random", "tree"]
Cause: TypeAlias = Literal[
    "largest", "threshold", "values", "text", "two", "boolean", "missing", "both", "nothing"
]
SHAPES: tuple[Shape, ...] = ("grid", "random", "tree")


@frozen(eq=False)
class Sweep:
    """``columns`` has a cell for each run. ``causes`` are the columns that decide which runs are faulty."""

    columns: Mapping[str, Sequence[Any]]
    faulty: NDArray[np.bool_]
    causes: frozenset[str]


def sweep(
    shape: Shape, cause: Cause, seed: int, runs: int = 60, *, kept: float = 1.0, stray: float = 0.0
) -> Sweep:
    """A sweep of nine hyperparameters.

    ``grid`` repeats a few values of each, ``random`` draws most of them, in ``tree`` two exist only for some
    optimisers. A run that the cause holds for is faulty with the probability ``kept``, and any other with
    ``stray``.
    """
    random = np.random.default_rng([seed, runs, SHAPES.index(shape)])
    columns: dict[str, Any] = {
        "lr": 10 ** random.uniform(-5, 0, runs),
        "weight_decay": random.uniform(0, 0.1, runs),
        "dropout": random.uniform(0, 0.5, runs),
        "batch_size": random.choice([16, 32, 64, 128, 256], runs),
        "layers": random.integers(2, 9, runs),
        "optimizer": random.choice(["adam", "lion", "rmsprop", "sgd"], runs),
        "schedule": random.choice(["constant", "cosine", "step"], runs),
        "amp": random.random(runs) < 0.5,
        "seed": random.integers(0, 1000, runs),
    }
    if shape == "grid":
        columns["lr"] = random.permutation(np.resize([0.003, 0.01, 0.03, 0.1, 0.3], runs))
        columns["weight_decay"] = random.choice([0.0, 0.01, 0.1], runs)
        columns["dropout"] = random.choice([0.0, 0.1, 0.5], runs)
    cells = {name: list(values.tolist()) for name, values in columns.items()}
    if shape == "tree":
        names = cells["optimizer"]
        momentum, beta = random.uniform(0.8, 0.99, runs), random.uniform(0.9, 0.999, runs)
        cells["momentum"] = [
            one if name == "sgd" else None for one, name in zip(momentum.tolist(), names, strict=True)
        ]
        cells["beta2"] = [
            one if name in ("adam", "lion") else None for one, name in zip(beta.tolist(), names, strict=True)
        ]
    warmup = random.integers(1, 10, runs) * 100
    cells["warmup"] = [
        None if is_out else one
        for one, is_out in zip(warmup.tolist(), random.random(runs) < 0.3, strict=True)
    ]
    lr, optimizer = columns["lr"], columns["optimizer"]
    causes: dict[Cause, tuple[NDArray[np.bool_], tuple[str, ...]]] = {
        "largest": (lr >= np.quantile(lr, 0.81), ("lr",)),
        "threshold": (lr <= np.quantile(lr, 0.3), ("lr",)),
        "values": (np.isin(columns["layers"], [3, 6]), ("layers",)),
        "text": (optimizer == "sgd", ("optimizer",)),
        "two": (np.isin(optimizer, ["sgd", "lion"]), ("optimizer",)),
        "boolean": (columns["amp"], ("amp",)),
        "missing": (np.array([one is None for one in cells["warmup"]]), ("warmup",)),
        "both": ((lr >= np.median(lr)) & (columns["schedule"] == "constant"), ("lr", "schedule")),
        "nothing": (random.random(runs) < random.uniform(0.05, 0.6), ()),
    }
    holds, named = causes[cause]
    chances = random.random(runs)
    faulty = np.where(holds, chances < kept, chances < stray) if named else holds
    return Sweep(cells, np.asarray(faulty, np.bool_), frozenset(named))
