"""``/histograms`` and ``/comparison``: what every plugin with histograms answers alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TypeAlias, TypeVar

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray
from werkzeug import Request, Response

from insight_core.formats.histograms import (
    PERCENTS,
    AlignedHistograms,
    Histogram,
    aligned,
    percentiles,
    usual_range,
)
from insight_core.formats.wall_times import origin_of
from insight_core.http.parameters import check_order
from insight_core.plugin import InvalidArgument, NotFound, Reason, ReasonKind, Route, Undecodable
from insight_core.plugin.data import (
    DataProvider,
    RecordPlace,
    RecordTable,
    SeriesKey,
    ShownAttempts,
    place_in,
)
from insight_core.plugin.http import (
    Column,
    attempts,
    choice,
    flag,
    json_response,
    number,
    safetensors_response,
    series_key,
    series_keys,
    whole_number,
)

STEPS = 100  # Steps of an answer if the request names no number.
MAX_STEPS = 10_000  # Steps that a request may ask for.
MAX_BINS = 1000  # Bins that a request may ask for.
MAX_CELLS = 2_000_000  # Steps times bins of an answer.
MAX_RUNS = 200  # Runs in one comparison.
_TRIES = 3  # a series may be rewritten while its records are read

HistogramAt: TypeAlias = Callable[[RecordPlace], Histogram]  # Returns the histogram of a record.
T = TypeVar("T")
_GIVEN_TWICE = ReasonKind("given_twice", "tag must be given once", "name")
_MANY_RUNS = ReasonKind("many_runs", "run must name at most {most} runs, not {count}")
_MANY_CELLS = ReasonKind("many_cells", "steps times bins must be at most {most}, not {count}")

_FORMAT, _ANSWERS = (
    choice("format", ("json", "safetensors")),
    ("application/json", "application/octet-stream"),
)
_OVER_STEPS = {400: ("many_cells", "wrong_order")}
_OF_RUNS = {400: ("given_twice", "many_cells", "many_runs")}
_AXIS = (whole_number("bins", 1, MAX_BINS), flag("ignore_outliers"))


def histograms_route(
    data: DataProvider,
    plugin: str,
    histogram_at: HistogramAt,
    *,
    max_steps: int = MAX_STEPS,
    affordable: Callable[[RecordTable], int] | None = None,
) -> Route:
    """``/histograms``: those of one series over steps, on one axis.

    ``histogram_at`` decodes one record, and raises Undecodable for one that it cannot read: that step
    is among the errors of the answer, the others stay. ``affordable`` is how many steps of a series one
    answer may read, where records can be large; more are not shown, whoever asks for them.
    """

    def histograms(
        request: Request,
        *,
        format: str,
        key: SeriesKey,
        attempts: ShownAttempts,
        from_: float | None,
        to: float | None,
        steps: int,
        bins: int | None,
        ignore_outliers: bool,
    ) -> Response:
        axis = _Axis.of(bins, ignore_outliers, steps)

        def read() -> Response:
            table = data.records(plugin, key, attempts)
            inside = _inside(table.steps, from_, to)
            chosen = inside[evenly(len(inside), min(steps, affordable(table)) if affordable else steps)]
            places = [place_in(table, plugin, key, index, attempts) for index in chosen.tolist()]
            found = _Found.of(places, histogram_at)
            described: dict[str, object] = {
                "run": key.run,
                "tag": key.tag,
                "points": table.total,
                "kept": table.kept,
                "hidden": table.hidden,
                **({"purged": table.purged} if table.purged else {}),
                "available": len(inside),
                "shown": len(chosen),
                "chosen": "all" if len(chosen) == len(inside) else "evenly",
                "origin": origin_of(table.wall_times),
                "errors": found.errors,
            }
            return _response(format, described, found, axis)

        return _again_while_it_changes(read)

    reads = [
        _FORMAT,
        series_key,
        attempts,
        number("from"),
        number("to"),
        whole_number("steps", 1, max_steps, min(STEPS, max_steps)),
        *_AXIS,
    ]
    return Route("/histograms", histograms, reads=reads, answers=_ANSWERS, codes=_OVER_STEPS)


def comparison_route(data: DataProvider, plugin: str, histogram_at: HistogramAt) -> Route:
    """``/comparison``: of each run the histogram whose step is nearest to ``step``, on one axis.

    The column ``axis`` has the steps that one of the runs has, 10000 of them at most.
    """

    pairs = series_keys(data, plugin)

    def comparison(
        request: Request,
        *,
        format: str,
        step: float,
        attempts: ShownAttempts,
        bins: int | None,
        ignore_outliers: bool,
    ) -> Response:
        def read() -> Response:
            keys = pairs.read(request)
            if len({key.tag for key in keys}) > 1:
                raise InvalidArgument(_GIVEN_TWICE(name="tag"))
            if len(keys) > MAX_RUNS:
                raise InvalidArgument(_MANY_RUNS(most=MAX_RUNS, count=len(keys)))
            axis = _Axis.of(bins, ignore_outliers, max(1, len(keys)))
            tables = [(key, data.records(plugin, key, attempts)) for key in keys]
            places = [
                place_in(table, plugin, key, int(np.argmin(np.abs(table.steps - step))), attempts)
                for key, table in tables
                if len(table.steps)
            ]
            found = _Found.of(places, histogram_at)
            described = {"runs": [place.key.run for place in found.places], "errors": found.errors}
            steps = np.unique(np.concatenate([table.steps for _, table in tables] or [np.empty(0, np.int64)]))
            some = {"axis": steps[evenly(len(steps), MAX_STEPS)]}
            return _response(format, described, found, axis, some)

        return _again_while_it_changes(read)

    reads = [_FORMAT, number("step", required=True), attempts, *_AXIS]
    return Route("/comparison", comparison, reads=reads, also_reads=[pairs], answers=_ANSWERS, codes=_OF_RUNS)


def evenly(count: int, most: int) -> NDArray[np.intp]:
    """At most so many of ``count`` indices, evenly: always the first and the last.

    The distance is a whole number, so that the choice mostly stays while a series grows.
    """
    if count <= most:
        return np.arange(count)
    if most == 1:
        return np.array([count - 1], np.intp)
    stride = -(-(count - 1) // (most - 1))
    return np.append(np.arange(0, count - 1, stride), count - 1)


@frozen(eq=False)
class _Found:
    """Histograms by record, and the records that could not be decoded."""

    places: list[RecordPlace] = field(factory=list)
    histograms: list[Histogram] = field(factory=list)
    errors: list[dict[str, object]] = field(factory=list)

    @classmethod
    def of(cls, places: Iterable[RecordPlace], histogram_at: HistogramAt) -> _Found:
        found = cls()
        for place in places:
            try:
                histogram = histogram_at(place)
            except Undecodable as error:
                where = {"run": place.key.run, "index": place.index, "step": place.step}
                found.errors.append({**where, "wall_time": place.wall_time, **Reason.of(error).fields()})
            else:
                found.places.append(place)
                found.histograms.append(histogram)
        return found


@frozen
class _Axis:
    """What the request says of the axis of values."""

    bins: int | None
    ignore_outliers: bool

    @classmethod
    def of(cls, bins: int | None, ignore_outliers: bool, rows: int) -> _Axis:
        if bins is not None and bins * rows > MAX_CELLS:
            raise InvalidArgument(_MANY_CELLS(most=MAX_CELLS, count=bins * rows))
        return cls(bins, ignore_outliers)


def _response(
    form: str,
    described: dict[str, object],
    found: _Found,
    axis: _Axis,
    more: Mapping[str, Column] = MappingProxyType({}),
) -> Response:
    rows = np.array([percentiles(histogram) for histogram in found.histograms]).reshape(-1, len(PERCENTS))
    extent = usual_range(rows) if axis.ignore_outliers else None
    columns = _columns(found, aligned(found.histograms, axis.bins, extent), rows) | dict(more)
    if form == "safetensors":
        return safetensors_response(columns, "histograms", described)
    for name in ("mins", "maxs", "means", "percentiles"):
        column = columns[name].astype(object)
        column[np.isnan(columns[name])] = None  # not known
        described[name] = column.tolist()
    return json_response(columns | described)


def _columns(found: _Found, shown: AlignedHistograms, rows: Column) -> dict[str, Column]:
    """By name; ``counts`` is of [records, bins], ``rows`` the percentiles of [records, 9], the others have
    a value for each record.
    """
    places, histograms = found.places, found.histograms
    return {
        "steps": np.array([place.step for place in places], np.int64),
        "wall_times": np.array([place.wall_time for place in places], np.float64),
        "indices": np.array([place.index for place in places], np.int64),
        "edges": shown.edges,
        "counts": shown.counts,
        "beyond": shown.beyond,
        "mins": _known(histogram.min for histogram in histograms),
        "maxs": _known(histogram.max for histogram in histograms),
        "means": _known(histogram.mean for histogram in histograms),
        "percentiles": rows,
        "totals": np.array([histogram.count for histogram in histograms], np.int64),
        "nans": np.array([histogram.nan for histogram in histograms], np.int64),
        "pos_infs": np.array([histogram.pos_inf for histogram in histograms], np.int64),
        "neg_infs": np.array([histogram.neg_inf for histogram in histograms], np.int64),
    }


def _known(values: Iterable[float | None]) -> NDArray[np.float64]:
    """NaN for what is not known."""
    return np.array([np.nan if value is None else value for value in values], np.float64)


def _inside(steps: NDArray[np.int64], low: float | None, high: float | None) -> NDArray[np.intp]:
    check_order(low, high)
    inside = np.ones(len(steps), bool)
    if low is not None:
        inside &= steps >= low
    if high is not None:
        inside &= steps <= high
    return np.flatnonzero(inside)


def _again_while_it_changes(read: Callable[[], T]) -> T:
    for _ in range(_TRIES - 1):
        try:
            return read()
        except NotFound:  # a record went; whether the series did is for the next try to say
            continue
    return read()
