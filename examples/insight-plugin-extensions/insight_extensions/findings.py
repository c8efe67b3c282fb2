"""What is wrong with one run, and what matters about several of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from insight_core.plugin import PluginContext, ReasonKind
from insight_core.plugin.findings import Examined, Finding, FindingPlace, Highlight

# texts in English; locales/zh-CN.json has them in Chinese
ZERO_RATE = ReasonKind("extensions_zero_rate", "Learning rate of 0")
_SAW = ReasonKind("extensions_zero_rate_saw", "{tag} is 0 at every step")
_WHY = ReasonKind("extensions_zero_rate_why", "nothing is learned")
_CHANGE = ReasonKind("extensions_zero_rate_change", "set a learning rate")
_LONGEST = ReasonKind("extensions_longest", "{run} has the most points: {points}")


def rate_is_zero(examined: Examined) -> Iterable[Finding]:
    """Called for one run at a time, and again when its series change."""
    for key, columns in examined.scalars("lr"):
        if not columns.values.any():
            steps = int(columns.steps[0]), int(columns.steps[-1])
            place = FindingPlace(tag=key.tag, steps=steps)
            yield Finding(key.run, "warning", _SAW(tag=key.tag), _WHY(), _CHANGE(), place)


def longest(ctx: PluginContext, runs: Sequence[str]) -> Iterable[Highlight]:
    """Called for the selected runs."""
    points = dict.fromkeys(runs, 0)
    for info in ctx.data.series("scalar", runs=runs):
        points[info.key.run] += info.points
    if len(points) > 1:
        run = max(points, key=points.__getitem__)
        yield Highlight("info", _LONGEST(run=run, points=points[run]), [run], FindingPlace())
