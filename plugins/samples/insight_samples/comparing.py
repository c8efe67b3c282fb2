"""Compares samples of the same prompts: at two steps, or of two runs; and one prompt over all steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_samples.selection import Chosen
from insight_samples.summaries import length_of, scores_in

MOST = 200  # prompts of one answer


@frozen
class Compared:
    """Prompts that two choices share, those first that changed most.

    ``first`` and ``second`` hold one sample of each prompt, that with the score nearest to the mean of its
    prompt; ``means`` are those, float64[n, 2]; ``counts`` samples of each, int64[n, 2]. ``rose`` and ``fell``
    count all shared prompts, ``flips`` those that crossed the middle of a score from 0 to 1.
    """

    first: Chosen
    second: Chosen
    means: NDArray[np.float64]
    counts: NDArray[np.int64]
    shared: int
    rose: int
    fell: int
    flips: tuple[int, int]
    only: tuple[int, int]


def score_of(of: Chosen, score: str) -> NDArray[np.float64]:
    """The score of this name, or the most likely one; ``length`` is that of completions."""
    if score == "length":
        return length_of(of.columns)
    names = scores_in(of.columns)
    name = f"score/{score}"
    if name in of.columns:
        column: NDArray[np.float64] = of.columns[name]
        return column
    return of.columns[names[0]] if names and not score else np.full(len(of), np.nan)


def compared(first: Chosen, second: Chosen, score: str, most: int = MOST) -> Compared:
    """What became of the prompts of ``first`` in ``second``."""
    sides = [_by_prompt(one, score_of(one, score)) for one in (first, second)]
    shared, at_first, at_second = np.intersect1d(sides[0].prompts, sides[1].prompts, return_indices=True)
    means = np.stack([sides[0].means[at_first], sides[1].means[at_second]], axis=1)
    change = np.nan_to_num(means[:, 1] - means[:, 0])
    order = np.argsort(-np.abs(change), kind="stable")[:most]
    low, high = _range(first, second, score)
    middle = (low + high) / 2
    is_up, was_up = means[:, 1] > middle, means[:, 0] > middle
    known = ~np.isnan(means).any(axis=1)
    return Compared(
        first=first.taken(sides[0].places[at_first][order]),
        second=second.taken(sides[1].places[at_second][order]),
        means=means[order],
        counts=np.stack([sides[0].counts[at_first], sides[1].counts[at_second]], axis=1)[order],
        shared=len(shared),
        rose=int((change > 1e-12).sum()),
        fell=int((change < -1e-12).sum()),
        flips=(int((is_up & ~was_up & known).sum()), int((was_up & ~is_up & known).sum())),
        only=(len(sides[0].prompts) - len(shared), len(sides[1].prompts) - len(shared)),
    )


@frozen
class _Prompts:
    prompts: NDArray[np.uint64]
    places: NDArray[np.intp]
    means: NDArray[np.float64]
    counts: NDArray[np.int64]


def _by_prompt(of: Chosen, score: NDArray[np.float64]) -> _Prompts:
    if not len(of):
        empty = np.zeros(0, np.int64)
        return _Prompts(np.zeros(0, np.uint64), empty, np.zeros(0), empty)
    prompts, prompt, counts = np.unique(of.columns["prompt"], return_inverse=True, return_counts=True)
    known = ~np.isnan(score)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.bincount(prompt[known], score[known], len(prompts)) / np.bincount(
            prompt[known], minlength=len(prompts)
        )
    away = np.nan_to_num(np.abs(score - means[prompt]), nan=np.inf)
    order = np.lexsort((away, prompt))
    first = np.concatenate([[0], np.flatnonzero(np.diff(prompt[order])) + 1])
    return _Prompts(prompts, order[first], means, counts)


def _range(first: Chosen, second: Chosen, score: str) -> tuple[float, float]:
    values = np.concatenate([score_of(first, score), score_of(second, score)])
    values = values[np.isfinite(values)]
    return (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)


def over_steps(of: Chosen, most: int) -> tuple[Chosen, Mapping[int, list[float | None]]]:
    """Samples of one prompt: at most so many, of steps evenly apart with the best of each first; and mean
    score and count by step."""
    steps, place, counts = np.unique(of.columns["step"], return_inverse=True, return_counts=True)
    score = score_of(of, "")
    known = ~np.isnan(score)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.bincount(place[known], score[known], len(steps)) / np.bincount(
            place[known], minlength=len(steps)
        )
    by_step: dict[int, list[Any]] = {
        int(step): [None if np.isnan(mean) else float(mean), int(count)]
        for step, mean, count in zip(steps, means, counts, strict=True)
    }
    order = np.lexsort((-np.nan_to_num(score, nan=-np.inf), place))
    first = (
        np.concatenate([[0], np.flatnonzero(np.diff(place[order])) + 1]) if len(of) else np.zeros(0, np.intp)
    )
    begins = np.repeat(first, counts) if len(of) else first
    rank = np.arange(len(of)) - begins
    each = max(1, most // max(1, len(steps)))
    chosen = np.unique(np.linspace(0, max(0, len(steps) - 1), min(len(steps), most)).astype(int))
    kept = order[(rank < each) & np.isin(place[order], chosen)]
    return of.taken(kept[:most]), by_step
