"""Ranks the parameters of runs by the share of a target's variance that each explains."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from insight_core.plugin.filters import Column
from insight_lineage.goals import Goal
from insight_lineage.importance.best import Best, best_of, best_together
from insight_lineage.importance.coding import BINS, Coded, Explained, coded
from insight_lineage.importance.correlation import Correlation, correlation
from insight_lineage.importance.effects import Effect, Interaction, effects_of
from insight_lineage.importance.forest import Design
from insight_lineage.importance.relations import relations_of
from insight_lineage.importance.shares import Share

FEWEST = 16  # runs: of planted signals three in four are found here, and one in seven with 12
_SURE = 2.58  # standard errors: 99 % of a normal distribution, on both sides
_LIKELY = 2.0  # standard errors above 0 that the explained share needs
_LEAST = 0.01  # share that is worth a line, or a best value
_CALIBRATED = 100  # runs from which on the interval of a share holds it in 95 % of experiments
# standard errors that a share is above the one alone: of parameters that surely act alone, and of others that
# surely do not
_ALONE, _TOGETHER = 1.5, 3.0
_INSEPARABLE = 0.8  # correlation: what two parameters explain may belong to either
_MAIN = 0.2  # of the importance: what a parameter must explain alone for its best values to mean something

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
class Ranked:
    """One parameter. Without ``total`` ``reason`` says why.

    ``is_sure``: its share is above 0 beyond chance. ``count`` is how many of the used runs have a value.
    ``best`` is None where it depends on other parameters. ``follows`` is the parameter that it always
    changes together with, so that their shares cannot be told apart. ``related`` are parameters that are
    correlated with it in these runs, with the correlation, the strongest first. ``acts_together``: its share
    is too small, because a forest finds only a part of what parameters explain together. ``is_calibrated``:
    the interval of the share holds the true one in 95 % of experiments.
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
    follows: Column | None = None
    related: Sequence[tuple[Column, float]] = ()
    acts_together: bool = False
    is_calibrated: bool = False


@frozen(eq=False)
class Pair:
    """Two parameters that explain more together than each of them, and what is best of each together."""

    columns: tuple[Column, Column]
    gain: Share
    best: tuple[Best | None, Best | None]


@frozen(eq=False)
class Ranking:
    """``used`` runs of all have a finite target; without ``explained`` ``reason`` says why.

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


def kept_ranking(
    target: Column, parameters: Iterable[Column], rows: NDArray[np.intp], goal: Goal | None
) -> Ranking:
    """As ``ranking``; the last answers are kept. Columns are replaced when they change."""
    return _kept(target, tuple(parameters), rows.tobytes(), goal)


@lru_cache(maxsize=8)
def _kept(target: Column, parameters: tuple[Column, ...], rows: bytes, goal: Goal | None) -> Ranking:
    return ranking(target, parameters, np.frombuffer(rows, np.intp), goal)


def ranking(
    target: Column, parameters: Iterable[Column], rows: NDArray[np.intp], goal: Goal | None
) -> Ranking:
    """Of these rows, the parameter that explains most first; those that cannot explain anything last."""
    used = rows[np.isfinite(target.numbers[rows])]
    columns = [one for one in parameters if one is not target]
    unranked = [_unranked(target, one, rows, used) for one in columns]
    by_correlation = sorted(unranked, key=lambda one: -abs(one.correlation.pearson or 0.0))
    numbers = target.numbers[used]
    fit = [coded(one, used) for one in columns] if len(used) >= FEWEST else []
    leaders = _leaders(fit)
    chosen = [place for place, one in enumerate(fit) if one.reason is None and leaders[place] == place]
    if len(used) < FEWEST:
        return Ranking(len(used), by_correlation, reason="too_few")
    if numbers.min() == numbers.max():
        return Ranking(len(used), by_correlation, reason="target_constant")
    left = [_refused(one, known) for one, known in zip(unranked, fit, strict=True) if known.reason]
    if not chosen:
        return Ranking(len(used), left, reason="no_parameters")
    kept = Explained.of(numbers)
    codes = np.stack([fit[place].codes for place in chosen], axis=1)
    design = Design(codes, kept.values, np.array([fit[place].is_category for place in chosen]), BINS)
    found = effects_of(design)
    is_sure = found.explained.share > _LIKELY * found.explained.error
    pairs = [
        pair
        for pair in found.interactions
        if is_sure and pair.gain.share >= max(_LEAST, _SURE * pair.gain.error)
    ]
    paired = {chosen[place] for pair in pairs for place in (pair.first, pair.second)}
    relations = relations_of(fit, chosen)
    is_whole = len(used) == len(rows) and kept.clipped == 0 and len(used) >= _CALIBRATED
    ranked: list[Ranked] = []
    for place, effect in sorted(
        zip(chosen, found.effects, strict=True), key=lambda pair: -pair[1].total.share
    ):
        own = [one for one in relations if place in (one.first, one.second)]
        one = _ranked(unranked[place], fit[place], effect, kept, goal, is_sure=is_sure)
        excess = effect.total.share - effect.alone.share
        together = place in paired or excess > _TOGETHER * effect.total.error
        one = evolve(
            one,
            related=[(columns[each.other(place)], each.r) for each in own],
            acts_together=together,
            is_calibrated=is_whole
            and not (together or own)
            and excess <= _ALONE * effect.total.error
            and one.count == len(used),
        )
        stronger = {each.column for each in ranked if each.total is not None}
        if any(columns[each.other(place)] in stronger and abs(each.r) >= _INSEPARABLE for each in own):
            one = evolve(one, is_sure=False, best=None)
        ranked.append(one)
        ranked += [
            _following(unranked[other], columns[place])
            for other, leader in enumerate(leaders)
            if leader == place != other
        ]
    told = [
        _pair(pair, [columns[place] for place in chosen], [fit[place] for place in chosen], goal)
        for pair in pairs
    ]
    return Ranking(len(used), [*ranked, *left], told, found.explained, is_sure, kept.clipped, kept.is_log)


def _leaders(fit: Sequence[Coded]) -> list[int]:
    """int[parameters]: the index of the first parameter that each always changes together with."""
    alike: dict[bytes, list[int]] = {}
    found = []
    for place, known in enumerate(fit):
        _, rows, inverse = np.unique(known.codes, return_index=True, return_inverse=True)
        groups = rows[inverse.reshape(-1)].tobytes()  # of each run the first one with its code
        leaders = [] if known.reason else alike.setdefault(groups, [])
        leader = next((one for one in leaders if _change_together(fit[one], known)), place)
        if leader == place:
            leaders.append(place)
        found.append(leader)
    return found


def _change_together(one: Coded, other: Coded) -> bool:
    """Of two parameters that split the runs into the same groups.

    Where each run has values of its own, all numbers do that. Then their order has to be the same, or
    reversed. By fewer values than ``FEWEST`` two parameters cannot be told apart.
    """
    if one.is_category or other.is_category or len(one.steps) < FEWEST:
        return True
    known = [at for at, step in enumerate(one.steps) if not np.isnan(step.low)]
    orders = [np.unique(number.codes, return_index=True)[1][known] for number in (one, other)]
    return np.array_equal(orders[0], orders[1]) or np.array_equal(orders[0], orders[1][::-1])


def _pair(pair: Interaction, columns: Sequence[Column], fit: Sequence[Coded], goal: Goal | None) -> Pair:
    one, other = pair.first, pair.second
    best = best_together((fit[one], fit[other]), pair.surface, goal)
    return Pair((columns[one], columns[other]), pair.gain, best)


def _unranked(target: Column, parameter: Column, rows: NDArray[np.intp], used: NDArray[np.intp]) -> Ranked:
    return Ranked(
        parameter, int(np.count_nonzero(parameter.kinds[used])), correlation(target, parameter, rows)
    )


def _refused(one: Ranked, known: Coded) -> Ranked:
    return Ranked(one.column, one.count, one.correlation, known.reason)


def _following(one: Ranked, leader: Column) -> Ranked:
    return Ranked(one.column, one.count, one.correlation, "follows", follows=leader)


def _ranked(
    one: Ranked, known: Coded, effect: Effect, target: Explained, goal: Goal | None, *, is_sure: bool
) -> Ranked:
    total = effect.total
    counts = np.bincount(known.codes, minlength=BINS).tolist()
    bounds = (effect.curve, effect.curve - effect.spread, effect.curve + effect.spread)
    means, lows, highs = (target.value(curve).tolist() for curve in bounds)
    curve = [
        Point(step.text, step.low, step.high, counts[at], means[at], lows[at], highs[at])
        for at, step in enumerate(known.steps)
    ]
    sure = is_sure and total.low > 0 and total.share > _SURE * total.error
    alone = effect.alone
    is_main = alone.share > max(_LEAST, _MAIN * total.share)
    best = best_of(known, effect.curve[: len(known.steps)], goal) if sure and is_main else None
    return Ranked(one.column, one.count, one.correlation, None, total, effect.alone, sure, curve, best)
