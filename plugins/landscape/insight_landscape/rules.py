"""The rule about landscapes: whether training ended in a minimum."""

from __future__ import annotations

from collections.abc import Iterator

from insight_core.plugin import NotFound, PluginNameEnum, Reason, ReasonKind
from insight_core.plugin.findings import Examined, Finding, FindingPlace
from insight_landscape.claims import landscape_series
from insight_landscape.compared import usual_radius
from insight_landscape.flatness import flatness_of

_SADDLE = ReasonKind(
    "landscape_saddle",
    "training ended on a saddle of the loss landscape: within {radius:.2g} of the end the loss "
    "falls to opposite sides, by {drop:.2g} from {loss:.4g}",
)
_SLOPE = ReasonKind(
    "landscape_slope",
    "training ended on a slope of the loss landscape: within {radius:.2g} of the end the loss "
    "falls to one side, by {drop:.2g} from {loss:.4g}",
)
_CHANGE = Reason(
    "train longer, or lower the learning rate towards the end; a landscape of other directions may look "
    "different",
    "landscape_no_minimum_change",
)


def ends_in_a_minimum(examined: Examined) -> Iterator[Finding]:
    """Finds final landscapes around whose end the loss falls: their plane has no minimum."""
    ctx = examined.ctx
    for info in landscape_series(ctx.own, examined.runs):
        try:
            place = ctx.own.place_at(info.key, len(ctx.own.records(info.key).steps) - 1)
            landscape = ctx.values.at(place)
        except NotFound:  # it went while we looked
            continue
        if not landscape.final:
            continue
        radius = usual_radius([landscape])
        found = flatness_of(landscape, radius, 0.0) if radius > 0 else None
        if found is None or found.minimum is None or found.minimum.kind == "minimum":
            continue
        said = _SADDLE if found.minimum.kind == "saddle" else _SLOPE
        yield Finding(
            examined.run,
            "hint",
            said(radius=radius, drop=found.minimum.drop, loss=found.loss),
            _CHANGE,
            FindingPlace(PluginNameEnum.LANDSCAPE, info.key.tag, (place.step, place.step)),
        )
