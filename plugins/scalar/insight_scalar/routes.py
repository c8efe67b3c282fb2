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
    attempts,
    bytes_response,
    choice,
    json_response,
    number,
    streamed_response,
    text,
    texts,
)
from insight_scalar.along import AlongColumns
from insight_scalar.band_routes import BANDS_CODES, BANDS_READ, BandViews
from insight_scalar.cards import CARDS_READ, Displayed
from insight_scalar.derived import DerivedData
from insight_scalar.expressions import EXPRESSION_CODES
from insight_scalar.first_steps import FIRST_READS, FirstSteps
from insight_scalar.formats import csv_of, numbers_of, step_of
from insight_scalar.groups import GROUPS_CODES, GROUPS_READ
from insight_scalar.layouts import Layouts
from insight_scalar.parameters import SCALAR_QUERY, points_since, request_of
from insight_scalar.snapshot import SnapshotView
from insight_scalar.summaries import SUMMARY_OF, Summaries

_SCALAR = PluginNameEnum.SCALAR
_TRIES = 3
_BINARY = "application/octet-stream"
_FORMS = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "safetensors": _BINARY,
    "display": _BINARY,
}

_JSON, _LARGE = ("application/json",), {413: ["scalar_large"]}
_FORM, _SINCE, _AT = choice("format", tuple(_FORMS)), number("since"), number("at", required=True)


def routes(ctx: PluginContext) -> Sequence[Route]:
    """Series, nearest points, groups of runs and bands."""
    data = DerivedData(ctx.data)
    displayed = Displayed(ctx.data, data)
    views, bands = _Views(data, displayed), BandViews(ctx, data)
    keys = data.keys(_SCALAR)
    named = keys.optional()  # derived series need no tag of the logs
    return [
        Route(
            "/series",
            views.series,
            takes_where=True,
            reads=[_FORM, text("download")],
            also_reads=[SCALAR_QUERY, _SINCE, keys],
            answers=["*/*", "application/json", _BINARY, "text/csv"],
            codes=_LARGE,
        ),
        Route(
            "/cards",
            displayed.cards,
            takes_where=True,
            also_reads=CARDS_READ,
            answers=[_BINARY],
            codes=SCALAR_QUERY.codes,
        ),
        Route(
            "/nearest", views.nearest, takes_where=True, also_reads=[SCALAR_QUERY, _AT, keys], answers=_JSON
        ),
        Route(
            "/expression",
            views.expression,
            reads=[text("text", required=True)],
            answers=_JSON,
            codes=EXPRESSION_CODES,
        ),
        Route(
            "/first",
            FirstSteps(data).first,
            takes_where=True,
            reads=[*FIRST_READS, named],
            answers=_JSON,
            codes=EXPRESSION_CODES,
        ),
        Route(
            "/groups",
            bands.groups,
            takes_where=True,
            reads=GROUPS_READ,
            answers=_JSON,
            codes=GROUPS_CODES,
        ),
        Route("/columns", bands.columns, reads=[texts("column").named("columns")], answers=_JSON),
        Route(
            "/bands",
            bands.bands,
            takes_where=True,
            reads=[*BANDS_READ, named],
            answers=["application/json", _BINARY],
            codes=BANDS_CODES,
        ),
        Route("/layouts", Layouts(ctx).layouts, answers=_JSON),
        Route(
            "/summaries",
            Summaries(displayed).summaries,
            takes_where=True,
            reads=[SUMMARY_OF, attempts, named],
            answers=_JSON,
            codes=EXPRESSION_CODES,
        ),
        Route(
            "/snapshot",
            SnapshotView(ctx, data).answer,
            reads=[texts("view").named("views")],
            answers=[_BINARY],
            codes={**EXPRESSION_CODES, 413: ["scalar_many_points"]},
        ),
    ]


@frozen
class _Views:
    data: DerivedData
    displayed: Displayed

    def series(self, request: Request, *, format: str, download: str | None) -> Response:
        pieces = compute(self.data.data, _SCALAR, "series", request.query_string, series)
        return streamed_response(pieces, _FORMS[format], filename=download)

    def answer(self, request: Request) -> Response:
        """Every point, or those in the columns that are asked for."""
        form = _FORM.read(request)
        if form == "display":
            return bytes_response(self.displayed.frame(request), _BINARY)
        query, since = SCALAR_QUERY.read(request), _SINCE.read(request)
        keys = self.data.keys(_SCALAR).read(request)
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

    def expression(self, request: Request, *, text: str) -> Response:
        """An expression with every tag in quotes, and these tags: says whether it is valid."""
        found = self.data.expression(_SCALAR, text)
        return json_response({"text": found.text, "tags": found.tags})


def series(data: DataProvider, query: bytes) -> Iterator[bytes]:
    """The computation: the query of ``/series``, and its answer in pieces."""
    derived = DerivedData(data)
    yield from _Views(derived, Displayed(data, derived)).answer(request_of(query)).iter_encoded()


def nearest(data: DataProvider, query: bytes) -> Iterator[bytes]:
    """The computation: the query of ``/nearest``, and its one answer, JSON."""
    request, derived = request_of(query), DerivedData(data)
    asked = evolve(SCALAR_QUERY.read(request), nearest=_AT.read(request), width=None)
    keys = derived.keys(_SCALAR).read(request)
    raw, smooth = _raw_and_smooth(derived, keys, asked)
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
