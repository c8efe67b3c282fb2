"""What is wrong with one run, and what matters about several of them."""

from __future__ import annotations

from collections.abc import Iterable

from insight_core.plugin import ReasonKind
from insight_core.plugin.findings import Examined, Finding, FindingPlace

# texts in English; locales/zh-CN.json has them in Chinese
ZERO_RATE = ReasonKind("extensions_zero_rate", "Learning rate of 0")
_SAW = ReasonKind("extensions_zero_rate_saw", "{tag} is 0 at every step")
_CHANGE = ReasonKind("extensions_zero_rate_change", "set a learning rate")
LONGEST = ReasonKind("extensions_longest_title", "Longest run")
_LONGEST = ReasonKind("extensions_longest", "{run} has the most points: {points}")


def rate_is_zero(examined: Examined) -> Iterable[Finding]:
    """Called for one run at a time, and again when its series change."""
    for key, columns in examined.scalars("lr"):
        if not columns.values.any():
            steps = int(columns.steps[0]), int(columns.steps[-1])
            place = FindingPlace(tag=key.tag, steps=steps)
            yield Finding(key.run, "warning", _SAW(tag=key.tag), _CHANGE(), place)


def longest(examined: Examined) -> Iterable[Finding]:
    """Called for all runs together."""
    points = dict.fromkeys(examined.runs, 0)
    for info in examined.ctx.data.series("scalar", runs=examined.runs):
        points[info.key.run] += info.points
    if len(points) > 1:
        run = max(points, key=points.__getitem__)
        yield Finding(run, "hint", _LONGEST(run=run, points=points[run]))
