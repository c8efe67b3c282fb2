"""Reads the curves of an examined run by role, and makes findings about them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from weakref import WeakKeyDictionary

import numpy as np
from attrs import evolve

from insight_core.plugin import PluginNameEnum, Reason, ReasonKind
from insight_core.plugin.data import ScalarColumns, ScalarQuery, SeriesField, SeriesKey, TagRole
from insight_core.plugin.findings import Examined, Finding, FindingPlace, NotChecked, Saving
from insight_core.plugin.lab import Severity, role_of, training_runs, written_at_once
from insight_diagnose.curves import Floats, StepCurve, curve_of, median, medians, noise, trend

SCALAR = PluginNameEnum.SCALAR
_POINTS: tuple[SeriesField, ...] = ("points",)
_FEWEST = 8  # points of a loss; of fewer nothing can be said
_PARTS = 40  # a trend is looked for in the medians of so many parts
_MANY = 12  # points of a curve that would show its trend
_LIKELY = 1.96  # standard errors: of few points, more is rare
_ODD = 0.02  # of the points of several writers: their wall times go back by step, or steps repeat
_LINES = 64  # of several writers and restarts; of more, none is looked at
_FEW_POINTS = ReasonKind("diagnose_few_points", "the training loss has fewer than {least} points")
_CURVES: WeakKeyDictionary[ScalarColumns, StepCurve] = WeakKeyDictionary()  # rules share what was read
_WORDS = re.compile(r"[a-z]+")
_OF_WHOLES = frozenset(
    {
        *("loss", "losses", "total", "sum", "all", "overall", "whole", "train", "training", "fit", "step"),
        *("epoch", "batch", "iter", "iteration", "avg", "average", "mean", "smooth", "smoothed", "running"),
    }
)
_EXPLORES = re.compile(r"(?<![a-z])(epsilon|eps|exploration)(?![a-z])", re.I)
_SCORES = re.compile(r"(?<![a-z])scores?(?![a-z])", re.I)
_REWARDS = re.compile(r"(?<![a-z])(rewards?|rew|episod(e|es|ic)|rollouts?|returns?)(?![a-z])", re.I)


def losses(examined: Examined) -> Iterator[tuple[SeriesKey, StepCurve]]:
    """The training losses. Raises NotChecked if all of them have too few points."""
    found = 0
    for key, curve in curves_of(examined, "loss"):
        if len(curve) >= _FEWEST:
            found += 1
            yield key, curve
    if not found:
        raise NotChecked(_FEW_POINTS(least=_FEWEST))


def falling_losses(examined: Examined) -> Iterator[tuple[SeriesKey, StepCurve]]:
    """The training losses that should fall: those of reinforcement learning need not, nor parts of a whole.

    Of a run that has a loss without a name of its own (``train/loss``, ``loss/total``) only such ones.
    """
    if _is_of_agents(_tags_of(examined, examined.run)):
        return
    found = list(losses(examined))
    wholes = [one for one in found if not set(_WORDS.findall(one[0].tag.lower())) - _OF_WHOLES]
    yield from wholes or found


def _is_of_agents(tags: Iterable[str]) -> bool:
    """Whether tags are those of reinforcement learning: rewards, or scores of agents that explore."""
    known = " ".join(tags)
    return bool(_REWARDS.search(known) or (_EXPLORES.search(known) and _SCORES.search(known)))


def curves_of(examined: Examined, role: TagRole) -> Iterator[tuple[SeriesKey, StepCurve]]:
    """The finite points of the series of a role; of several writers at once those of the one with most."""
    for key, columns in examined.scalars(role):
        yield key, curve_of_writer(examined, key, columns)


def curve_of_writer(examined: Examined, key: SeriesKey, columns: ScalarColumns) -> StepCurve:
    """The finite points of a series; of several writers at once those of the one with most."""
    known = _CURVES.get(columns)
    if known is None:
        line = max(lines_at_once(examined, key, columns), key=lambda one: len(one.steps), default=columns)
        _CURVES[columns] = known = curve_of(line.steps, line.values)
    return known


def lines_at_once(examined: Examined, key: SeriesKey, columns: ScalarColumns) -> list[ScalarColumns]:
    """The points of each of several writers that wrote a series at the same time, by their begin; else none.

    ``columns`` are the points that are shown. Lines are those of files: their steps never decrease.
    """
    odd = (np.diff(columns.wall_times) < 0) | (np.diff(columns.steps) == 0)
    if np.count_nonzero(odd) < max(2, _ODD * len(odd)):
        return []
    every = examined.ctx.data.scalars(SCALAR, [key], ScalarQuery(attempts="all")).get(key)
    if every is None or not 0 < len(every.breaks) <= _LINES:
        return []
    starts = np.array([0, *(at for at in every.breaks.tolist() if at)], np.intp)
    together = written_at_once(every.steps, every.wall_times, starts)
    if together is None:
        return []
    edges = [*starts.tolist(), len(every.steps)]
    found = [_part(every, *edges[at : at + 2]) for at in np.flatnonzero(together.any(axis=1)).tolist()]
    return sorted(found, key=lambda line: float(line.wall_times.min()))


def _part(columns: ScalarColumns, begin: int, end: int) -> ScalarColumns:
    part = slice(begin, end)
    return evolve(
        columns,
        steps=columns.steps[part],
        wall_times=columns.wall_times[part],
        values=columns.values[part],
    )


def held_out_curves(examined: Examined) -> Iterator[tuple[SeriesKey, StepCurve, StepCurve | None]]:
    """The losses of held-out data, each with the training loss of its run, or of the run of its training.

    A run of its own may have a loss twice, by epochs and by steps: those count that the training has too.
    """
    held_out = list(curves_of(examined, "val_loss"))
    here = next((curve for _, curve in curves_of(examined, "loss")), None)
    there = {} if here is not None else _training_losses(examined)
    if any(key.tag in there for key, _ in held_out):
        held_out = [(key, curve) for key, curve in held_out if key.tag in there]
    other = next(iter(there.values()), here)
    for key, curve in held_out:
        yield key, curve, there.get(key.tag, other)


def _training_losses(examined: Examined) -> dict[str, StepCurve]:
    """The training losses of the run whose held-out data the examined run is about, by tag."""
    for run in training_runs(examined.run):
        tags = [tag for tag in _tags_of(examined, run) if role_of(tag, run) == "loss"]
        curves = {tag: _read(examined, SeriesKey(run, tag)) for tag in tags}
        found = {tag: curve for tag, curve in curves.items() if curve is not None}
        if found:
            return found
    return {}


def _read(examined: Examined, key: SeriesKey) -> StepCurve | None:
    columns = examined.read(key)
    return None if columns is None or not len(columns.steps) else curve_of(columns.steps, columns.values)


def learns_elsewhere(examined: Examined, step: int) -> bool:
    """Whether a loss of held-out data still falls, or an accuracy still rises, from this step on."""
    for role in ("val_loss", "val_accuracy", "accuracy"):
        for _, curve in curves_of(examined, role):
            sign = 1.0 if role == "val_loss" else -1.0
            if _still_falls(StepCurve(curve.steps, sign * curve.values), step):
                return True
    return False


def _still_falls(curve: StepCurve, step: int) -> bool:
    """Whether the end of a curve is lower than its values from a step on, by 1 % and by more than its noise.

    Of few points a small fall counts too: they cannot show that the curve rests.
    """
    values = curve.values[int(np.searchsorted(curve.steps, step)) :]
    around = len(values) // 4
    if not around:
        return False
    before, end = median(values[:around]), median(values[-around:])
    if before - end <= 0.01 * abs(before):
        return False
    if len(values) > 2 and trend(medians(values, _PARTS)).score < -_LIKELY:
        return True
    times = 4 if len(values) >= _MANY else 1
    return before - end > times * noise(values) / math.sqrt(around)


def rate_rises(examined: Examined, curve: StepCurve) -> Floats | None:
    """The places where the learning rate rises by a fifth of its largest value; None without a rate."""
    for _, rate in curves_of(examined, "lr"):
        if len(rate) < 2:
            continue
        jumps = rate.steps[1:][np.diff(rate.values) > 0.2 * rate.values.max()]
        places: Floats = np.searchsorted(curve.steps, jumps).astype(np.float64)
        return places
    return None


def warms_up(examined: Examined) -> bool:
    """Whether a learning rate has risen to the end, far above its median."""
    rates = [curve.values for _, curve in curves_of(examined, "lr") if len(curve) > 2]
    return any(rate[-1] >= rate.max() and rate[-1] > 1.5 * np.median(rate) for rate in rates)


def epoch_points(examined: Examined, curve: StepCurve) -> float | None:
    """The number of points of a curve within an epoch, if epochs are logged."""
    for tag in _tags_of(examined, examined.run):
        if tag.rpartition("/")[2].lower() != "epoch":
            continue
        columns = examined.read(SeriesKey(examined.run, tag))
        if columns is None or len(columns.steps) < 2:
            continue
        epochs = float(columns.values[-1] - columns.values[0])
        points = np.count_nonzero((curve.steps >= columns.steps[0]) & (curve.steps <= columns.steps[-1]))
        if epochs >= 2 and points > epochs:
            return float(points) / epochs
    return None


def busiest(examined: Examined, most: int) -> list[SeriesKey]:
    """The losses and then the other series with most points, at most so many."""
    found = [*examined.keys("loss"), *examined.keys("val_loss")]
    if len(found) < most:
        table = examined.series()
        order = np.argsort(-np.asarray(table.column("points"), np.int64), kind="stable")
        found += [SeriesKey(examined.run, table.tags[at]) for at in order[:most].tolist()]
    return list(dict.fromkeys(found))[:most]


def _tags_of(examined: Examined, run: str) -> tuple[str, ...]:
    if run == examined.run:
        return examined.series().tags
    return next((one.tags for one in examined.ctx.data.series_tables(SCALAR, _POINTS, runs=[run])), ())


def found_in(
    key: SeriesKey,
    severity: Severity,
    saw: Reason,
    change: Reason,
    steps: tuple[int, int],
    saves: float | None = None,
) -> Finding:
    """A finding about a scalar series, between two steps."""
    place = FindingPlace(SCALAR, key.tag, steps)
    saving = None if saves is None else Saving(saves, saves, "run")
    return Finding(key.run, severity, saw, change, place, saving)
