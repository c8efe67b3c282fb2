"""Routes of groups of runs: the groups, the columns they can be made by, and their bands."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import cast, get_args
from urllib.parse import urlencode

from attrs import evolve, frozen
from werkzeug import Request, Response

from insight_core.plugin import InvalidArgument, PluginContext, PluginNameEnum, encode_json
from insight_core.plugin.data import DataProvider, ScalarQuery, SeriesKey, compute
from insight_core.plugin.http import Column, choice, json_response, texts
from insight_scalar.bands import ABOUT_MEAN, Band, Centre, Curve, Spread, band_of, decimated
from insight_scalar.derived import DerivedData, SmoothedQuery, x_of
from insight_scalar.display import columns_frame, frame_parts
from insight_scalar.expressions import EXPRESSION_CODES
from insight_scalar.formats import numbers_of
from insight_scalar.groups import GROUPS_CODES, GROUPS_READ, described, groups
from insight_scalar.parameters import SCALAR_QUERY, request_of

_SCALAR = PluginNameEnum.SCALAR
_COLUMNS = ("x", "centre", "low", "high", "count")
_GROUPING = ("run", "tag", "group", "by", "format")  # parameters of the route that decide its members

_CENTRE, _SPREAD = choice("centre", get_args(Centre)), choice("spread", get_args(Spread))
BANDS_CODES = {400: (*EXPRESSION_CODES[400], *GROUPS_CODES[400]), 413: ("scalar_large",)}
# What ``/bands`` reads beside the series.
BANDS_READ = (
    choice("format", ("json", "safetensors")),
    _CENTRE,
    _SPREAD,
    *GROUPS_READ[:2],
    SCALAR_QUERY,
)


@frozen
class BandViews:
    """Views of groups."""

    ctx: PluginContext
    data: DerivedData

    def groups(
        self, request: Request, *, group: str | None, by: Sequence[str], runs: Sequence[str]
    ) -> Response:
        """The groups of the runs ``run``, or of all, in the order of their first runs: says whether they can
        be made.
        """
        made = groups(self.ctx, group, by)
        chosen = set(runs)
        named = (made.group_of(run.name) for run in self.ctx.data.runs() if not chosen or run.name in chosen)
        sizes = Counter(one for one in named if one is not None)
        return json_response({"groups": [{"group": one, "runs": size} for one, size in sizes.items()]})

    def columns(self, request: Request, *, columns: Sequence[str]) -> Response:
        """The columns of the run table without cells, or those that ``column`` names with their cells."""
        read = self.ctx.run_columns({key.partition("/")[2] for key in columns} if columns else ["all"])
        rows = [described(column) | ({"cells": column.values} if columns else {}) for column in read]
        return json_response({"columns": [one for one in rows if not columns or one["key"] in columns]})

    def bands(
        self,
        request: Request,
        *,
        format: str,
        centre: Centre,
        spread: Spread,
        group: str | None,
        by: Sequence[str],
        query: SmoothedQuery,
        keys: Sequence[SeriesKey],
    ) -> Response:
        """Centre and spread of each group."""
        if centre == "median" and spread in ABOUT_MEAN:
            raise InvalidArgument(f"spread {spread} lies around the mean: choose minmax or iqr with a median")
        made = groups(self.ctx, group, by)
        members: dict[str, dict[str, list[str]]] = {}
        for key in keys:
            named = made.group_of(key.run)
            if named is not None:
                members.setdefault(key.tag, {}).setdefault(named, []).append(key.run)
        own = [(name, text) for name, text in request.args.items(multi=True) if name not in _GROUPING]
        more = [("members", encode_json([*one]).decode()) for one in members.items()]
        question = urlencode(own + more, errors="surrogatepass").encode()
        found: list[tuple[dict[str, object], Mapping[str, Column]]] = []
        for frame in compute(self.ctx.data, _SCALAR, "bands", question, bands):
            columns, metadata = frame_parts(frame)
            found.append((json.loads(metadata["group"]), {name: columns[name] for name in _COLUMNS}))
        return numbers_of(format, "groups", found)


def bands(data: DataProvider, query: bytes) -> Iterator[bytes]:
    """The computation: the query of ``/bands`` with ``members`` in the place of runs, tags and groups.

    ``members`` is JSON, a tag and its runs by group: ``["loss", {"adam": ["a", "b"]}]``; repeatable. Gives a
    frame for each group: its columns, and what ``/bands`` says of it in JSON as ``group`` of the metadata.
    """
    request = request_of(query)
    asked, derived = SCALAR_QUERY.read(request), DerivedData(data)
    centre, spread = cast(Centre, _CENTRE.read(request)), cast(Spread, _SPREAD.read(request))
    for tag, runs_by_group in map(_members, texts("members")(request)):
        for group, runs in runs_by_group.items():
            band, points = _band(derived, [SeriesKey(run, tag) for run in runs], asked, centre, spread)
            about = {
                "group": group,
                "tag": tag,
                "runs": runs,
                "points": points,
                "decimated": len(band.x) < points,
            }
            columns = {name: getattr(band, name) for name in _COLUMNS}
            yield columns_frame(columns, {"group": encode_json(about)})


def _members(text: str) -> tuple[str, Mapping[str, Sequence[str]]]:
    try:
        tag, groups = json.loads(text)
        return str(tag), {str(group): list(map(str, runs)) for group, runs in groups.items()}
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise InvalidArgument("members is not a tag and its runs by group, in JSON") from None


def _band(
    data: DerivedData, keys: Sequence[SeriesKey], query: ScalarQuery, centre: Centre, spread: Spread
) -> tuple[Band, int]:
    # all of every run: at the edge of the window a run is interpolated from what lies beyond
    found = data.scalars(_SCALAR, keys, evolve(query, window=(None, None), width=None))
    curves = [Curve.of(x_of(columns, query), columns.values) for columns in found.values()]
    band = band_of(curves, centre, spread, query.window)
    points = len(band.x)
    if query.width is not None:
        band = decimated(band, query.width, query.window, log_x=query.log_x)
    return band, points
