"""What the samples of a step are like as a whole: how each number is distributed, and shares of odd ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

MOST_STEPS = 64  # of a part whose summaries are kept with it
QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
SCORE = "score/"
_EMPTY, _TRUNCATED, _KNOWS_END, _REPEATED = 1, 2, 4, 8  # flags of an index
# columns of numbers that are not shown as distributions
_OTHERS = {"offset", "size", "step", "flags", "prompt", "group", "said"}

Summary: TypeAlias = Mapping[str, Any]


def summaries_of(columns: Mapping[str, NDArray[Any]]) -> dict[int, Summary]:
    """The summaries of the steps of a part; none if they are many."""
    steps, places = by_step(columns["step"])
    if len(steps) > MOST_STEPS:
        return {}
    return {
        step: summary({name: column[at] for name, column in columns.items()})
        for step, at in zip(steps, places, strict=True)
    }


def joined(columns: Sequence[Mapping[str, NDArray[Any]]], rows: Sequence[int]) -> dict[str, NDArray[Any]]:
    """The columns of several parts of so many rows in a row, NaN where a part has no such column."""
    return {
        name: np.concatenate(
            [
                each[name] if name in each else np.full(count, np.nan)
                for each, count in zip(columns, rows, strict=True)
            ]
        )
        for name in dict.fromkeys(name for each in columns for name in each)
    }


def summary_of(columns: Sequence[Mapping[str, NDArray[Any]]], step: int) -> Summary:
    """The summary of a step of which several parts have rows."""
    rows = [np.flatnonzero(each["step"] == step) for each in columns]
    taken = [
        {name: column[at] for name, column in each.items()} for each, at in zip(columns, rows, strict=True)
    ]
    return summary(joined(taken, [len(at) for at in rows]))


def by_step(steps: NDArray[np.int64]) -> tuple[list[int], list[NDArray[np.intp]]]:
    """The steps in their order, and the places of the rows of each, in the order of the file."""
    order = np.argsort(steps, kind="stable")
    found, begins = np.unique(steps[order], return_index=True)
    return found.tolist(), np.split(order, begins[1:]) if len(found) else []


def summary(columns: Mapping[str, NDArray[Any]]) -> Summary:
    """What the samples are like.

    ``rows`` and ``prompts`` are counts. ``empty``, ``truncated`` (None: unknown), ``repeated`` and
    ``commonest`` are shares of samples that say nothing, end at the limit, repeat themselves, or say the
    commonest text (0 if it answers fewer than three prompts). ``columns``: ``[count, mean, *quantiles]``.
    ``follows_length``: how the first score and the length go together within groups, from -1 to 1.
    """
    flags = columns["flags"]
    known = (flags & _KNOWS_END) != 0
    numbers = {name: column for name, column in columns.items() if name not in _OTHERS}
    return {
        "rows": len(flags),
        "prompts": len(np.unique(columns["prompt"])),
        "commonest": _commonest(columns["said"], columns["prompt"]),
        "empty": _share(flags & _EMPTY),
        "repeated": _share(flags & _REPEATED),
        "truncated": _share(flags[known] & _TRUNCATED) if known.any() else _at_limit(columns["length"]),
        "columns": {name: found for name, column in numbers.items() if (found := _spread(column))},
        "follows_length": _follows_length(columns),
    }


def length_of(columns: Mapping[str, NDArray[Any]]) -> NDArray[np.float64]:
    """Tokens of completions, or characters where tokens are not known."""
    length: NDArray[np.float64] = columns["length"]
    return length if np.isfinite(length).any() else columns["characters"]


def scores_in(columns: Mapping[str, Any]) -> list[str]:
    """Names of the columns that are scores: those that say so by their name first."""
    names = [name for name in columns if name.startswith(SCORE)]
    return sorted(names, key=lambda name: (rank_of(name.removeprefix(SCORE)), names.index(name)))


def rank_of(name: str) -> int:
    """How likely a number is what a training maximises: 0 is most likely."""
    named = ("reward", "score", "total_reward", "acc", "exact_match")
    if name in named:
        return named.index(name)
    return len(named) + (0 if "reward" in name else 1 if "score" in name or "acc" in name else 2)


def _spread(column: NDArray[np.float64]) -> list[float] | None:
    finite = column[np.isfinite(column)]
    if not len(finite):
        return None
    quantiles = np.quantile(finite, QUANTILES)
    return [len(finite), float(finite.mean()), *map(float, quantiles)]


def _commonest(said: NDArray[np.uint64], prompt: NDArray[np.uint64]) -> float:
    texts, counts = np.unique(said, return_counts=True)
    if not len(texts) or counts.max() < 3:
        return 0.0
    is_it = said == texts[counts.argmax()]
    return float(is_it.mean()) if len(np.unique(prompt[is_it])) > 2 else 0.0


def _share(flags: NDArray[Any]) -> float:
    return float(np.count_nonzero(flags) / len(flags)) if len(flags) else 0.0


def _at_limit(length: NDArray[np.float64]) -> float | None:
    """The share of completions of the greatest length, where several have it: that is the limit."""
    finite = length[np.isfinite(length)]
    if len(finite) < 8:
        return None
    share = float(np.mean(finite == finite.max()))
    return share if share * len(finite) > 2 and finite.max() > 1.05 * np.median(finite) else 0.0


def _follows_length(columns: Mapping[str, NDArray[Any]]) -> float | None:
    """The correlation of score and length, each less the mean of its group."""
    scores = scores_in(columns)
    if not scores or len(columns["flags"]) < 8:
        return None
    score, length = columns[scores[0]], length_of(columns)
    known = np.isfinite(score) & np.isfinite(length)
    _, group, counts = np.unique(columns["group"][known], return_inverse=True, return_counts=True)
    if len(counts) == len(group):  # one sample of each prompt
        group = np.zeros_like(group)
        counts = np.array([len(group)])
    parts = []
    for one in (score[known], length[known]):
        parts.append(one - (np.bincount(group, one) / counts)[group])
    spread = [float(np.sqrt((part**2).mean())) if len(part) else 0.0 for part in parts]
    if min(spread) <= 1e-12:
        return None
    return float((parts[0] * parts[1]).mean() / (spread[0] * spread[1]))
