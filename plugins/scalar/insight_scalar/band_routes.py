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
from insight_core.plugin.http import Column, choice, json_response
from insight_scalar.bands import ABOUT_MEAN, Band, Centre, Curve, Spread, band_of, decimated
from insight_scalar.derived import DerivedData, x_of
from insight_scalar.formats import numbers_of
from insight_scalar.frames import columns_frame, frame_parts
from insight_scalar.groups import described, groups
from insight_scalar.parameters import request_of, scalar_query

_SCALAR = PluginNameEnum.SCALAR
_COLUMNS = ("x", "centre", "low", "high", "count")
_GROUPING = ("run", "tag", "group", "by", "format")  # parameters of the route that decide its members


@frozen
class BandViews:
    """Views of groups."""

    ctx: PluginContext
    data: DerivedData

    def groups(self, request: Request) -> Response:
        """The groups of the runs ``run``, or of all, in the order of their first runs: says whether they can
        be made.
        """
        made = groups(request, self.ctx)
        chosen = set(request.args.getlist("run"))
        named = (made.group_of(run.name) for run in self.ctx.data.runs() if not chosen or run.name in chosen)
        sizes = Counter(group for group in named if group is not None)
        return json_response({"groups": [{"group": group, "runs": size} for group, size in sizes.items()]})

    def columns(self, request: Request) -> Response:
        """The columns of the run table without cells, or those that ``column`` names with their cells."""
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
        scalar_query(request)  # an error is one of the request
        members: dict[str, dict[str, list[str]]] = {}
        for key in self.data.keys(request, _SCALAR):
            group = made.group_of(key.run)
            if group is not None:
                members.setdefault(key.tag, {}).setdefault(group, []).append(key.run)
        own = [(name, text) for name, text in request.args.items(multi=True) if name not in _GROUPING]
        more = [("members", encode_json([*one]).decode()) for one in members.items()]
        query = urlencode(own + more, errors="surrogatepass").encode()
        found: list[tuple[dict[str, object], Mapping[str, Column]]] = []
        for frame in compute(self.ctx.data, _SCALAR, "bands", query, bands):
            columns, metadata = frame_parts(frame)
            found.append((json.loads(metadata["group"]), {name: columns[name] for name in _COLUMNS}))
        return numbers_of(form, "groups", found)


def bands(data: DataProvider, query: bytes) -> Iterator[bytes]:
    """The computation: the query of ``/bands`` with ``members`` in the place of runs, tags and groups.

    ``members`` is JSON, a tag and its runs by group: ``["loss", {"adam": ["a", "b"]}]``; repeatable. Gives a
    frame for each group: its columns, and what ``/bands`` says of it in JSON as ``group`` of the metadata.
    """
    request = request_of(query)
    asked, derived = scalar_query(request), DerivedData(data)
    centre = cast(Centre, choice(request, "centre", get_args(Centre)))
    spread = cast(Spread, choice(request, "spread", get_args(Spread)))
    for tag, runs_by_group in map(_members, request.args.getlist("members")):
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
