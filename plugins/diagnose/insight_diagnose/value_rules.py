"""Rules about what logs hold: scalars that are NaN or infinite, and records that could not be read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from math import isfinite
from typing import cast

import numpy as np
from attrs import frozen

from insight_core.plugin import PluginNameEnum, Reason, ReasonKind
from insight_core.plugin.data import ScalarColumns, ScalarQuery, SeriesKey
from insight_core.plugin.findings import Examined, Finding, FindingPlace
from insight_core.plugin.lab import role_of

_AT_ONCE = 256  # long series that are asked for at a time
_SHORT = 4096  # points; such series are read for other rules, too
_SCALAR = PluginNameEnum.SCALAR
_LOSS = re.compile(r"loss", re.I)
_NONFINITE_CHANGE = ReasonKind(
    "diagnose_nonfinite_change",
    "look at the data and the gradients just before step {step}; lower the learning rate, clip gradients, "
    "add an epsilon to logarithms and divisions, and scale the loss with mixed precision",
)


@frozen
class _Nonfinite:
    """A series with values that are not finite, from the step ``first`` on; ``stays``: to its end."""

    key: SeriesKey
    first: int
    last: int
    count: int
    points: int
    word: str
    stays: bool


def values_are_finite(examined: Examined) -> Iterator[Finding]:
    """Values that are NaN or infinite: in losses at any step, in other scalars if they stay so to the end.

    Metrics may be undefined at first, and gradient norms overflow now and then with mixed precision. So these
    count only if they were finite before.
    """
    found = [one for key, columns in _of_all(examined) if (one := _nonfinite(key, columns)) is not None]
    if not found:
        return
    first = min(found, key=lambda one: (one.first, not _LOSS.search(one.key.tag), one.key.tag))
    others = sorted(one.key.tag for one in found if one.key != first.key)
    details = {
        "tag": first.key.tag,
        "word": first.word,
        "step": first.first,
        "count": first.count,
        "points": first.points,
        "others": len(others),
        "tags": others[:20],
    }
    text = f"{first.key.tag} is {first.word} first at step {first.first}; such values: {first.count}"
    if others:
        saw = Reason(f"{text}; other tags that are so: {len(others)}", "diagnose_nonfinite_others", **details)
    else:
        saw = Reason(text, "diagnose_nonfinite", **details)
    yield Finding(
        first.key.run,
        "error" if any(one.stays for one in found) else "warning",
        saw,
        _NONFINITE_CHANGE(step=first.first),
        FindingPlace(_SCALAR, first.key.tag, (first.first, first.last)),
    )


def _of_all(examined: Examined) -> Iterator[tuple[SeriesKey, ScalarColumns]]:
    """Short series whole, as other rules read them; some points of long ones, odd ones first.

    Leaves out most series without reading them: those that are no losses, have a last value that is finite
    and were never begun again.
    """
    long, table = [], examined.series()
    facts = zip(*(table.column(name) for name in ("points", "attempts", "last_value")), strict=True)
    for tag, (points, attempts, last) in zip(table.tags, facts, strict=True):
        key = SeriesKey(examined.run, tag)
        ends_well = attempts == 1 and isinstance(last, float) and isfinite(last)
        if ends_well and not _is_loss(key):
            continue
        if cast("int", points) > _SHORT:
            long.append(key)
        elif (columns := examined.read(key)) is not None:
            yield key, columns
    for begin in range(0, len(long), _AT_ONCE):
        part = long[begin : begin + _AT_ONCE]
        yield from examined.ctx.data.scalars(_SCALAR, part, ScalarQuery(width=1)).items()


def _is_loss(key: SeriesKey) -> bool:
    return bool(_LOSS.search(key.tag)) or role_of(key.tag, key.run) in ("loss", "val_loss")


def _nonfinite(key: SeriesKey, columns: ScalarColumns) -> _Nonfinite | None:
    count = sum(columns.nonfinite)
    if not count:
        return None
    odd = ~np.isfinite(columns.values)
    if not odd.any():
        return None
    place = int(np.argmax(odd))
    stays = bool(odd[-1])
    was_finite = bool((~odd[:place]).any())
    if not _is_loss(key) and not (stays and was_finite and count >= 3):
        return None
    value = float(columns.values[place])
    word = "NaN" if np.isnan(value) else "+Inf" if value > 0 else "-Inf"
    steps = columns.steps
    return _Nonfinite(key, int(steps[place]), int(steps[-1]), count, columns.points, word, stays)


def found(examined: Examined) -> Iterable[Finding]:
    """Reports all damaged runs in one sentence, the one with most damage first."""
    data, runs = examined.ctx.data, examined.runs
    wanted = set(runs)
    damaged = sorted(
        (run for run in data.runs() if run.name in wanted and run.damage),
        key=lambda run: -run.damage,
    )
    if not damaged:
        return []
    places = sum(run.damage for run in damaged)
    first = next(iter(data.damage(damaged[0].name)), None)
    if first is None:  # it went while we looked
        return []
    many = "1 place" if places == 1 else f"{places} places"
    text = f"logs of {len(damaged)} of {len(runs)} runs are damaged in {many}"
    said = Reason(
        f"{text}; {first.file}: {first.reason}",
        "diagnose_damage",
        damaged=len(damaged),
        runs=len(runs),
        places=places,
        file=first.file,
        cause=Reason.of(first.reason),
    )
    return [Finding([run.name for run in damaged], "warning", said, place=FindingPlace("diagnose"))]
