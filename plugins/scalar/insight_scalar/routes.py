"""The HTTP side of the scalar plugin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from attrs import evolve, frozen
from werkzeug import Request, Response

from insight_core.plugin import PluginContext, PluginNameEnum, Route, encode_json
from insight_core.plugin.data import DataProvider, ScalarColumns, ScalarQuery, SeriesKey, compute
from insight_core.plugin.http import (
    Column,
    bytes_response,
    choice,
    json_response,
    number,
    required_number,
    required_text,
    streamed_response,
)
from insight_scalar.along import AlongColumns
from insight_scalar.axis import points_since
from insight_scalar.band_routes import BandViews
from insight_scalar.cards import Displayed
from insight_scalar.derived import DerivedData
from insight_scalar.first_steps import FirstSteps
from insight_scalar.formats import csv_of, numbers_of, step_of
from insight_scalar.layout_routes import Layouts
from insight_scalar.parameters import request_of, scalar_query
from insight_scalar.snapshot import SnapshotView
from insight_scalar.summaries import Summaries

_SCALAR = PluginNameEnum.SCALAR
_TRIES = 3
_BINARY = "application/octet-stream"
_FORMS = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "safetensors": _BINARY,
    "display": _BINARY,
}


def routes(ctx: PluginContext) -> Sequence[Route]:
    """Series, nearest points, groups of runs and bands."""
    data = DerivedData(ctx.data)
    displayed = Displayed(ctx.data, data)
    views, bands = _Views(data, displayed), BandViews(ctx, data)
    return [
        Route("/series", views.series, takes_where=True),
        Route("/cards", displayed.cards, takes_where=True),
        Route("/nearest", views.nearest, takes_where=True),
        Route("/expression", views.expression),
        Route("/first", FirstSteps(data).first, takes_where=True),
        Route("/groups", bands.groups, takes_where=True),
        Route("/columns", bands.columns),
        Route("/bands", bands.bands, takes_where=True),
        Route("/layouts", Layouts(ctx).layouts),
        Route("/summaries", Summaries(displayed).summaries, takes_where=True),
        Route("/snapshot", SnapshotView(ctx, data).answer),
    ]


@frozen
class _Views:
    data: DerivedData
    displayed: Displayed

    def series(self, request: Request) -> Response:
        form = choice(request, "format", tuple(_FORMS))
        pieces = compute(self.data.data, _SCALAR, "series", request.query_string, series)
        return streamed_response(pieces, _FORMS[form], filename=request.args.get("download"))

    def answer(self, request: Request) -> Response:
        """Every point, or those in the columns that are asked for."""
        form = choice(request, "format", tuple(_FORMS))
        if form == "display":
            return bytes_response(self.displayed.frame(request), _BINARY)
        query = scalar_query(request)
        since = number(request, "since")
        keys = self.data.keys(request, _SCALAR)
        found = (
            (key, columns, points_since(columns, query, since))
            for key, columns in self.data.each(_SCALAR, keys, query)
        )
        if form == "csv":
            return csv_of(((key, shown) for key, _, shown in found), query.along)
        described = (
            (_described(key, shown) | {"decimated": whole.decimated}, _columns(shown))
            for key, whole, shown in found
        )
        return numbers_of(form, "series", described)

    def nearest(self, request: Request) -> Response:
        found = b"".join(compute(self.data.data, _SCALAR, "nearest", request.query_string, nearest))
        return bytes_response(found, "application/json")

    def expression(self, request: Request) -> Response:
        """An expression with every tag in quotes, and these tags: says whether it is valid."""
        found = self.data.expression(_SCALAR, required_text(request, "text"))
        return json_response({"text": found.text, "tags": found.tags})


def series(data: DataProvider, query: bytes) -> Iterator[bytes]:
    """The computation: the query of ``/series``, and its answer in pieces."""
    derived = DerivedData(data)
    yield from _Views(derived, Displayed(data, derived)).answer(request_of(query)).iter_encoded()


def nearest(data: DataProvider, query: bytes) -> Iterator[bytes]:
    """The computation: the query of ``/nearest``, and its one answer, JSON."""
    request, derived = request_of(query), DerivedData(data)
    asked = scalar_query(request, nearest=required_number(request, "at"))
    keys = derived.keys(request, _SCALAR)
    raw, smooth = _raw_and_smooth(derived, keys, evolve(asked, width=None))
    points = []
    for key in keys:
        if key not in raw or key not in smooth or not len(raw[key].steps):
            continue
        point = raw[key]
        points.append(
            {
                "run": key.run,
                "tag": key.tag,
                "step": step_of(int(point.steps[0])),
                "wall_time": float(point.wall_times[0]),
                "value": float(point.values[0]),
                "smoothed": float(smooth[key].values[0]),
                **({"x": float(point.xs[0])} if isinstance(point, AlongColumns) else {}),
            }
        )
    yield encode_json({"points": points})


def _raw_and_smooth(
    data: DerivedData, keys: Sequence[SeriesKey], query: ScalarQuery
) -> tuple[Mapping[SeriesKey, ScalarColumns], Mapping[SeriesKey, ScalarColumns]]:
    """The same points with and without smoothing, also while points are being added."""
    raw = data.scalars(_SCALAR, keys, evolve(query, smoothing=0.0))
    if not query.smoothing:
        return raw, raw
    for _ in range(_TRIES):
        smooth = data.scalars(_SCALAR, keys, query)
        differing = [key for key in keys if not _same_point(raw.get(key), smooth.get(key))]
        if not differing:
            break
        raw = data.scalars(_SCALAR, keys, evolve(query, smoothing=0.0))
    else:  # what is never seen twice alike is left out rather than shown with a wrong value
        smooth = {key: smooth[key] for key in keys if _same_point(raw.get(key), smooth.get(key))}
    return raw, smooth


def _same_point(one: ScalarColumns | None, other: ScalarColumns | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one.steps, other.steps) and np.array_equal(
        one.wall_times, other.wall_times, equal_nan=True
    )


def _described(key: SeriesKey, answer: ScalarColumns) -> dict[str, object]:
    nan, inf, neg_inf = answer.nonfinite
    return {
        "run": key.run,
        "tag": key.tag,
        "points": answer.points,
        "decimated": answer.decimated,
        "total": answer.total,
        "hidden": answer.hidden,
        **({"purged": answer.purged} if answer.purged else {}),
        "kept": answer.kept,
        "origin": answer.origin,
        "extent": answer.extent,
        "restarts": answer.restarts,
        "breaks": answer.breaks,
        "nonfinite": {"nan": nan, "inf": inf, "neg_inf": neg_inf},
    }


def _columns(answer: ScalarColumns) -> dict[str, Column]:
    columns: dict[str, Column] = {
        "steps": answer.steps,
        "wall_times": answer.wall_times,
        "values": answer.values,
    }
    if isinstance(answer, AlongColumns):
        columns["xs"] = answer.xs
    return columns
