"""The HTTP side of the scalar plugin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray
from werkzeug import Request, Response

from insight_core.plugin import (
    DataProvider,
    PluginContext,
    PluginNameEnum,
    Route,
    ScalarColumns,
    ScalarQuery,
    SeriesKey,
)
from insight_core.plugin.http.answers import Column, json_response, safetensors_response
from insight_core.plugin.http.parameters import choice, number, required_number, series_keys
from insight_scalar.bands import Band, Curve, band_of, decimated
from insight_scalar.formats import csv_of, json_of
from insight_scalar.parameters import group_pattern, scalar_query

_SCALAR = PluginNameEnum.SCALAR
_TRIES = 3
_POINTS = 1_000_000  # that are asked for at a time, but for one series whatever it has


def routes(ctx: PluginContext) -> Sequence[Route]:
    """Series, nearest points, groups and bands."""
    views = _Views(ctx.data)
    return [
        Route("/series", views.series),
        Route("/nearest", views.nearest),
        Route("/groups", views.groups),
        Route("/bands", views.bands),
    ]


@frozen
class _Views:
    data: DataProvider

    def series(self, request: Request) -> Response:
        form = choice(request, "format", ("json", "safetensors", "csv"))
        query = scalar_query(request)
        since = number(request, "since")
        keys = series_keys(request, self.data, _SCALAR)
        found = ((key, columns, _since(columns, query, since)) for key, columns in self._points(keys, query))
        if form == "csv":
            return csv_of(((key, shown) for key, _, shown in found), request.args.get("download"))
        series = (
            (_described(key, shown) | {"decimated": whole.decimated}, _columns(shown))
            for key, whole, shown in found
        )
        return _numbers(form, "series", series, request.args.get("download"))

    def _points(
        self, keys: Sequence[SeriesKey], query: ScalarQuery
    ) -> Iterator[tuple[SeriesKey, ScalarColumns]]:
        """The points of each series, of some million points at a time: whoever takes them bounds memory."""
        for some in [keys] if query.width is not None else self._portions(keys):
            columns = self.data.scalars(_SCALAR, some, query)
            for key in some:
                if key in columns:
                    yield key, columns[key]

    def _portions(self, keys: Sequence[SeriesKey]) -> Iterator[Sequence[SeriesKey]]:
        kept = {info.key: info.kept for info in self.data.series(_SCALAR, runs={key.run for key in keys})}
        portion: list[SeriesKey] = []
        points = 0
        for key in keys:
            if portion and points + kept.get(key, 0) > _POINTS:
                yield portion
                portion, points = [], 0
            portion.append(key)
            points += kept.get(key, 0)
        if portion:
            yield portion

    def nearest(self, request: Request) -> Response:
        query = scalar_query(request, nearest=required_number(request, "at"))
        keys = series_keys(request, self.data, _SCALAR)
        raw, smooth = self._raw_and_smooth(keys, evolve(query, width=None))
        points = []
        for key in keys:
            if key not in raw or key not in smooth or not len(raw[key].steps):
                continue
            point = raw[key]
            points.append(
                {
                    "run": key.run,
                    "tag": key.tag,
                    "step": int(point.steps[0]),
                    "wall_time": float(point.wall_times[0]),
                    "value": float(point.values[0]),
                    "smoothed": float(smooth[key].values[0]),
                }
            )
        return json_response({"points": points})

    def groups(self, request: Request) -> Response:
        """The groups that a pattern makes of all runs: says whether it can be used."""
        pattern = group_pattern(request)
        captured = (pattern.group_of(run.name) for run in self.data.runs())
        sizes = Counter(group for group in captured if group is not None)
        return json_response({"groups": [{"group": group, "runs": size} for group, size in sizes.items()]})

    def bands(self, request: Request) -> Response:
        form = choice(request, "format", ("json", "safetensors"))
        spread = choice(request, "spread", ("minmax", "std"))
        pattern = group_pattern(request)
        query = scalar_query(request)
        groups: dict[tuple[str, str], list[SeriesKey]] = {}
        for key in series_keys(request, self.data, _SCALAR):
            captured = pattern.group_of(key.run)
            if captured is not None:
                groups.setdefault((key.tag, captured), []).append(key)
        found: list[tuple[dict[str, object], Mapping[str, Column]]] = []
        for (tag, group), keys in groups.items():
            band, points = self._band(keys, query, "std" if spread == "std" else "minmax")
            described: dict[str, object] = {
                "group": group,
                "tag": tag,
                "runs": [key.run for key in keys],
                "points": points,
                "decimated": len(band.x) < points,
            }
            columns = {
                "x": band.x,
                "mean": band.mean,
                "low": band.low,
                "high": band.high,
                "count": band.count,
            }
            found.append((described, columns))
        return _numbers(form, "groups", found)

    def _band(
        self, keys: Sequence[SeriesKey], query: ScalarQuery, spread: Literal["minmax", "std"]
    ) -> tuple[Band, int]:
        # all of every run: at the edge of the window a run is interpolated from what lies beyond
        found = self.data.scalars(_SCALAR, keys, evolve(query, window=(None, None), width=None))
        curves = [Curve.of(_x(columns, query), columns.values) for columns in found.values()]
        band = band_of(curves, spread, query.window)
        points = len(band.x)
        if query.width is not None:
            band = decimated(band, query.width, query.window, log_x=query.log_x)
        return band, points

    def _raw_and_smooth(
        self, keys: Sequence[SeriesKey], query: ScalarQuery
    ) -> tuple[Mapping[SeriesKey, ScalarColumns], Mapping[SeriesKey, ScalarColumns]]:
        """The same points with and without smoothing, also while points are being added."""
        raw = self.data.scalars(_SCALAR, keys, evolve(query, smoothing=0.0))
        if not query.smoothing:
            return raw, raw
        for _ in range(_TRIES):
            smooth = self.data.scalars(_SCALAR, keys, query)
            differing = [key for key in keys if not _same_point(raw.get(key), smooth.get(key))]
            if not differing:
                break
            raw = self.data.scalars(_SCALAR, keys, evolve(query, smoothing=0.0))
        else:  # what is never seen twice alike is left out rather than shown with a wrong value
            smooth = {key: smooth[key] for key in keys if _same_point(raw.get(key), smooth.get(key))}
        return raw, smooth


def _x(columns: ScalarColumns, query: ScalarQuery) -> NDArray[np.generic]:
    if query.x == "step":
        return columns.steps
    return columns.wall_times - columns.origin if query.x == "relative" else columns.wall_times


def _since(columns: ScalarColumns, query: ScalarQuery, since: float | None) -> ScalarColumns:
    """The same answer without its points before x = ``since``; None keeps them all."""
    if since is None:
        return columns
    kept = np.flatnonzero(_x(columns, query).astype(np.float64, copy=False) >= since)
    return evolve(
        columns,
        steps=columns.steps[kept],
        wall_times=columns.wall_times[kept],
        values=columns.values[kept],
        breaks=np.searchsorted(kept, columns.breaks).astype(np.int64, copy=False),
    )


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
        "kept": answer.kept,
        "origin": answer.origin,
        "extent": answer.extent,
        "restarts": answer.restarts,
        "breaks": answer.breaks,
        "nonfinite": {"nan": nan, "inf": inf, "neg_inf": neg_inf},
    }


def _columns(answer: ScalarColumns) -> dict[str, Column]:
    return {"steps": answer.steps, "wall_times": answer.wall_times, "values": answer.values}


def _numbers(
    form: str,
    name: str,
    found: Iterable[tuple[Mapping[str, object], Mapping[str, Column]]],
    filename: str | None = None,
) -> Response:
    """Descriptions with their columns inside (JSON, saved as ``filename``), or beside them (safetensors)."""
    if form == "json":
        return json_of(name, found, filename)
    parts = list(found)
    columns = {
        f"{index}.{key}": column for index, (_, part) in enumerate(parts) for key, column in part.items()
    }
    return safetensors_response(columns, name, [described for described, _ in parts])
