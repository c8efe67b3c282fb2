"""Curves by formulas of training, not by those that the rules use, and runs that log them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from attrs import frozen
from numpy.random import Generator
from numpy.typing import NDArray

from insight_core.plugin.testing import FakeProvider

Floats = NDArray[np.float64]
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


Kind: TypeAlias = Callable[[Generator], Planted]


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
