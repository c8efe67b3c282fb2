"""Ranks the parameters of runs by the share of a target's variance that each explains."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin.filters.column import Column
from insight_lineage.goals import Goal
from insight_lineage.importance.coding import BINS, Coded, Explained, coded
from insight_lineage.importance.correlation import Correlation, correlation
from insight_lineage.importance.effects import Effect, Share, effects_of
from insight_lineage.importance.forest import Design, Floats

FEWEST = 16  # runs: of planted signals three in four are found here, and one in seven with 12
_SURE = 2.58  # standard errors: 99 % of a normal distribution, on both sides
_LIKELY = 2.0  # standard errors above 0 that the explained share needs
_LEAST = 0.01  # share of an interaction that is worth a line
_NEAR_BEST = 0.1  # of the span of a curve: values whose results are as good as the best

Refusal: TypeAlias = Literal["too_few", "target_constant", "no_parameters"]


@frozen(eq=False)
class Point:
    """A step of a marginal curve, in units of the target; ``low`` and ``high`` are one spread away."""

    text: str | None
    start: float
    end: float
    count: int
    mean: float
    low: float
    high: float


@frozen(eq=False)
class Best:
    """The values with the best results: from ``start`` to ``end``, or ``texts``."""

    start: float
    end: float
    texts: Sequence[str]


@frozen(eq=False)
class Ranked:
    """One parameter. Without ``total`` ``reason`` says why.

    ``is_sure``: its share is above 0 beyond chance. ``count`` is how many of the used runs have a value.
    """

    column: Column
    count: int
    correlation: Correlation
    reason: str | None = None
    total: Share | None = None
    alone: Share | None = None
    is_sure: bool = False
    curve: Sequence[Point] = ()
    best: Best | None = None


@frozen(eq=False)
class Pair:
    """Two parameters that explain more together than each of them."""

    columns: tuple[Column, Column]
    gain: Share


@frozen(eq=False)
class Ranking:
    """``used`` runs have a finite target; without ``explained`` ``reason`` says why.

    ``is_sure``: what is explained is above 0 beyond chance; else the order of the parameters says nothing.
    """

    used: int
    parameters: Sequence[Ranked]
    pairs: Sequence[Pair] = ()
    explained: Share | None = None
    is_sure: bool = False
    clipped: int = 0
    is_log: bool = False
    reason: Refusal | None = None


def ranking(target: Column, parameters: Iterable[Column], rows: NDArray[np.intp], goal: Goal) -> Ranking:
    """Of these rows, the parameter that explains most first; those that cannot explain anything last."""
    used = rows[np.isfinite(target.numbers[rows])]
    columns = [one for one in parameters if one is not target]
    unranked = [_unranked(target, one, rows, used) for one in columns]
    by_correlation = sorted(unranked, key=lambda one: -abs(one.correlation.pearson or 0.0))
    numbers = target.numbers[used]
    fit = [coded(one, used) for one in columns] if len(used) >= FEWEST else []
    chosen = [place for place, one in enumerate(fit) if one.reason is None]
    if len(used) < FEWEST:
        return Ranking(len(used), by_correlation, reason="too_few")
    if numbers.min() == numbers.max():
        return Ranking(len(used), by_correlation, reason="target_constant")
    if not chosen:
        left = [_refused(one, known) for one, known in zip(unranked, fit, strict=True)]
        return Ranking(len(used), left, reason="no_parameters")
    kept = Explained.of(numbers)
    codes = np.stack([fit[place].codes for place in chosen], axis=1)
    design = Design(codes, kept.values, np.array([fit[place].is_category for place in chosen]), BINS)
    found = effects_of(design)
    is_sure = found.explained.share > _LIKELY * found.explained.error
    ranked = [
        _ranked(unranked[place], fit[place], effect, kept, goal, is_sure=is_sure)
        for place, effect in zip(chosen, found.effects, strict=True)
    ]
    ranked.sort(key=lambda one: -(one.total.share if one.total else 0.0))
    left = [
        _refused(one, known) for one, known in zip(unranked, fit, strict=True) if known.reason is not None
    ]
    pairs = [
        Pair((columns[chosen[pair.first]], columns[chosen[pair.second]]), pair.gain)
        for pair in found.interactions
        if is_sure and pair.gain.share >= max(_LEAST, _SURE * pair.gain.error)
    ]
    return Ranking(len(used), [*ranked, *left], pairs, found.explained, is_sure, kept.clipped, kept.is_log)


def _unranked(target: Column, parameter: Column, rows: NDArray[np.intp], used: NDArray[np.intp]) -> Ranked:
    return Ranked(
        parameter, int(np.count_nonzero(parameter.kinds[used])), correlation(target, parameter, rows)
    )


def _refused(one: Ranked, known: Coded) -> Ranked:
    return Ranked(one.column, one.count, one.correlation, known.reason)


def _ranked(
    one: Ranked, known: Coded, effect: Effect, target: Explained, goal: Goal, *, is_sure: bool
) -> Ranked:
    total = effect.total
    counts = np.bincount(known.codes, minlength=BINS).tolist()
    bounds = (effect.curve, effect.curve - effect.spread, effect.curve + effect.spread)
    means, lows, highs = (target.value(curve).tolist() for curve in bounds)
    curve = [
        Point(step.text, step.low, step.high, counts[at], means[at], lows[at], highs[at])
        for at, step in enumerate(known.steps)
    ]
    sure = is_sure and total.share > _SURE * total.error
    best = _best(known, effect.curve, goal) if sure else None
    return Ranked(one.column, one.count, one.correlation, None, total, effect.alone, sure, curve, best)


def _best(known: Coded, curve: Floats, goal: Goal) -> Best | None:
    """Around the best step those that are nearly as good; of texts all of them, the best first."""
    named = [at for at, step in enumerate(known.steps) if step.text is not None or not np.isnan(step.low)]
    if not named:
        return None
    values = -curve[named] if goal == "min" else curve[named]
    span = float(values.max() - values.min())
    near = values >= values.max() - _NEAR_BEST * span
    top = int(values.argmax())
    if known.is_category:
        texts = [known.steps[named[at]].text or "" for at in np.argsort(-values, kind="stable") if near[at]]
        return Best(np.nan, np.nan, texts)
    first = last = top
    while first > 0 and near[first - 1]:
        first -= 1
    while last < len(named) - 1 and near[last + 1]:
        last += 1
    return Best(known.steps[named[first]].low, known.steps[named[last]].high, ())
