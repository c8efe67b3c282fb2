"""Routes of groups of runs: the groups, the columns they can be made by, and their bands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import cast, get_args

from attrs import evolve, frozen
from werkzeug import Request, Response

from insight_core.plugin import (
    InvalidArgument,
    PluginContext,
    PluginNameEnum,
    ScalarQuery,
    SeriesKey,
)
from insight_core.plugin.http.answers import Column, json_response
from insight_core.plugin.http.parameters import choice
from insight_scalar.bands import ABOUT_MEAN, Band, Centre, Curve, Spread, band_of, decimated
from insight_scalar.derived import DerivedData, x_of
from insight_scalar.formats import numbers_of
from insight_scalar.groups import described, groups
from insight_scalar.parameters import scalar_query

_SCALAR = PluginNameEnum.SCALAR


@frozen
class BandViews:
    """Views of groups."""

    ctx: PluginContext
    data: DerivedData

    def groups(self, request: Request) -> Response:
        """The groups of all runs, in the order of their first runs: says whether they can be made."""
        made = groups(request, self.ctx)
        named = (made.group_of(run.name) for run in self.ctx.data.runs())
        sizes = Counter(group for group in named if group is not None)
        return json_response({"groups": [{"group": group, "runs": size} for group, size in sizes.items()]})

    def columns(self, request: Request) -> Response:
        """The columns of the run table; with ``column``, these with their cells."""
        keys = request.args.getlist("column")
        read = self.ctx.run_columns({key.partition("/")[2] for key in keys} if keys else ["all"])
        columns = [described(column) | ({"cells": column.values} if keys else {}) for column in read]
        return json_response({"columns": [one for one in columns if not keys or one["key"] in keys]})

    def bands(self, request: Request) -> Response:
        """Centre and spread of each group."""
        form = choice(request, "format", ("json", "safetensors"))
        centre = cast(Centre, choice(request, "centre", get_args(Centre)))
        spread = cast(Spread, choice(request, "spread", get_args(Spread)))
        if centre == "median" and spread in ABOUT_MEAN:
            raise InvalidArgument(f"spread {spread} lies around the mean: choose minmax or iqr with a median")
        made = groups(request, self.ctx)
        query = scalar_query(request)
        members: dict[tuple[str, str], list[SeriesKey]] = {}
        for key in self.data.keys(request, _SCALAR):
            group = made.group_of(key.run)
            if group is not None:
                members.setdefault((key.tag, group), []).append(key)
        found: list[tuple[dict[str, object], Mapping[str, Column]]] = []
        for (tag, group), keys in members.items():
            band, points = self._band(keys, query, centre, spread)
            about: dict[str, object] = {
                "group": group,
                "tag": tag,
                "runs": [key.run for key in keys],
                "points": points,
                "decimated": len(band.x) < points,
            }
            columns = {name: getattr(band, name) for name in ("x", "centre", "low", "high", "count")}
            found.append((about, columns))
        return numbers_of(form, "groups", found)

    def _band(
        self, keys: Sequence[SeriesKey], query: ScalarQuery, centre: Centre, spread: Spread
    ) -> tuple[Band, int]:
        # all of every run: at the edge of the window a run is interpolated from what lies beyond
        found = self.data.scalars(_SCALAR, keys, evolve(query, window=(None, None), width=None))
        curves = [Curve.of(x_of(columns, query), columns.values) for columns in found.values()]
        band = band_of(curves, centre, spread, query.window)
        points = len(band.x)
        if query.width is not None:
            band = decimated(band, query.width, query.window, log_x=query.log_x)
        return band, points
