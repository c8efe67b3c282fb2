"""What a forest says of each parameter: its share of the variance, its marginal curve, and interactions.

The share is the permutation importance over rows that a tree was not grown from (Breiman 2001), as a share
of the variance: for independent parameters half the error that a permutation adds is the total effect
(Gregorutti, Michel, Saint-Pierre, Statistics and Computing 27, 2017). The mean over all permutations is
computed, not drawn. Marginals and interactions are those of functional ANOVA (Hutter, Hoos, Leyton-Brown,
ICML 2014).

A forest shrinks weak effects. So a second forest predicts what the first leaves of rows that its trees were
not grown from, and shares and curves are those of both together (Ghosal, Hooker, Boosting random forests to
reduce bias, Journal of Computational and Graphical Statistics 30, 2021). What both still miss widens the
interval of a share upwards; of many rows that is little, and not computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from attrs import frozen

from insight_lineage.importance.forest import Design, Floats
from insight_lineage.importance.reading import ForestReading, Size, read_twice
from insight_lineage.importance.refits import misses_of
from insight_lineage.importance.shares import Share, Shares

_TREES = 64
_DRAWS = 2000  # rows of a tree, at most
_READ = 400  # rows that the forest is read at, at most: each costs a pass through all leaves
_LEAST = 3  # rows of a leaf
_LEAVES = 100  # of a tree of many rows
_PAIRED = 5  # parameters whose interactions are looked for
_LEAST_PAIRED = 0.01  # share of a parameter whose interactions are looked for
_MOST = 4000  # rows, at most: of more a sample


@frozen(eq=False)
class Effect:
    """``total`` includes interactions, ``alone`` does not.

    ``curve`` is the mean of the target by code of the parameter, over the values that the others have in the
    rows, ``spread`` its standard deviation between the trees.
    """

    total: Share
    alone: Share
    curve: Floats
    spread: Floats


@frozen
class Interaction:
    """What two parameters explain together beyond each of them.

    ``surface`` float64[code, code] is the mean of the target, over the values that the others have.
    """

    first: int
    second: int
    gain: Share
    surface: Floats


@frozen(eq=False)
class Effects:
    """``explained`` is the share of the variance that the forest predicts of rows it was not grown from."""

    explained: Share
    effects: Sequence[Effect]
    interactions: Sequence[Interaction]


def effects_of(design: Design, *, seed: int = 0) -> Effects:
    """Grows a forest and reads it. The target must vary."""
    random = np.random.default_rng(seed)
    if len(design.target) > _MOST:
        design = design.part(np.sort(random.permutation(len(design.target))[:_MOST]))
    rows, parameters = design.codes.shape
    draws = min(rows, _DRAWS)
    size = Size(_TREES, draws, max(_LEAST, draws // _LEAVES))
    places = np.sort(random.permutation(rows)[:_READ])
    plain, both = read_twice(design, places, size, seed)
    frequencies = np.stack([np.bincount(codes, minlength=design.bins) / rows for codes in design.codes.T])
    shares = Shares(design.target[places] - design.target[places].mean(), frequencies)
    explained = max(shares.explained(plain), shares.explained(both), key=lambda one: one.share)
    totals = [shares.total(both, parameter) for parameter in range(parameters)]
    if rows <= _READ:
        misses = misses_of(design, both, frequencies, size, seed + 2)
        totals = [
            Share.of(total.share, total.error, spread=spread, missed=missed)
            for total, spread, missed in zip(totals, misses.spread, misses.missed, strict=True)
        ]
    effects = [_effect(shares, both, parameter, total) for parameter, total in enumerate(totals)]
    strong = [one for one in range(parameters) if totals[one].share >= _LEAST_PAIRED]
    paired = sorted(sorted(strong, key=lambda one: -totals[one].share)[:_PAIRED])
    return Effects(explained, effects, _interactions(shares, both, list(combinations(paired, 2))))


def _effect(shares: Shares, reading: ForestReading, parameter: int, total: Share) -> Effect:
    alone = shares.gain(reading, shares.target, reading.alone[:, parameter])
    curves = reading.curves[:, parameter]
    return Effect(total, alone, curves.mean(axis=0), curves.std(axis=0))


def _interactions(
    shares: Shares, reading: ForestReading, pairs: Sequence[tuple[int, int]]
) -> list[Interaction]:
    """What each pair explains beyond its two parameters, the largest first."""
    found = []
    for one, other in pairs:
        surface, added = reading.surface(one, other, shares.frequencies)
        rest = shares.target - reading.alone[:, one] - reading.alone[:, other]
        found.append(Interaction(one, other, shares.gain(reading, rest, added), surface))
    return sorted(found, key=lambda pair: -pair.gain.share)
