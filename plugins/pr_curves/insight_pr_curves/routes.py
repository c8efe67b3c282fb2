"""The HTTP side of the PR curves: ``/curves`` answers the curves of several runs at one step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from attrs import asdict, frozen
from numpy.typing import NDArray
from werkzeug import Request, Response

from insight_core.plugin import InvalidArgument, PluginContext, Reason, ReasonKind, Route, Undecodable
from insight_core.plugin.data import RecordPlace, SeriesKey, ShownAttempts
from insight_core.plugin.http import (
    Column,
    attempts,
    choice,
    json_response,
    number,
    safetensors_response,
    series_keys,
)
from insight_pr_curves.decoder import PrCurve
from insight_pr_curves.measures import average_precision, best_f1, f1_scores, roc, roc_area

MAX_RUNS = 100  # Runs in one answer.
MAX_POINTS = 1_000  # Thresholds of a curve that are answered.
MAX_STEPS = 10_000  # Steps of the slider.
_COLUMNS = (
    "thresholds",
    "true_positives",
    "false_positives",
    "true_negatives",
    "false_negatives",
    "precision",
    "recall",
    "f1",
    "false_positive_rate",
)
_GIVEN_TWICE = ReasonKind("given_twice", "tag must be given once", "name")
_MANY_RUNS = ReasonKind("many_runs", "run must name at most {most} runs, not {count}")

_CODES = {400: (_GIVEN_TWICE.code, _MANY_RUNS.code)}


def routes(ctx: PluginContext[PrCurve]) -> Sequence[Route]:
    """The curves of runs at one step; the host answers all other routes."""

    def curves(
        request: Request, *, format: str, step: float, attempts: ShownAttempts, keys: Sequence[SeriesKey]
    ) -> Response:
        """Of each run the curve whose step is nearest to ``step``; ``axis`` has the steps that a run has."""
        if len({key.tag for key in keys}) > 1:
            raise InvalidArgument(_GIVEN_TWICE(name="tag"))
        if len(keys) > MAX_RUNS:
            raise InvalidArgument(_MANY_RUNS(most=MAX_RUNS, count=len(keys)))
        tables = [(key, ctx.own.records(key, attempts)) for key in keys]
        found: list[_Drawn] = []
        errors: list[dict[str, object]] = []
        for key, table in tables:
            if len(table.steps) == 0:
                continue
            place = ctx.own.place_in(table, key, int(np.argmin(np.abs(table.steps - step))), attempts)
            try:
                found.append(_Drawn.of(place, ctx.values.at(place)))
            except Undecodable as error:
                errors.append({"run": key.run, "step": place.step, **Reason.of(error).fields()})
        steps = np.unique(np.concatenate([table.steps for _, table in tables] or [np.empty(0, np.int64)]))
        axis = steps[_evenly(len(steps), MAX_STEPS)]
        if format == "json":
            runs = [{**drawn.described, **drawn.columns} for drawn in found]
            return json_response({"runs": runs, "errors": errors, "axis": axis})
        columns: dict[str, Column] = {"axis": axis}
        for name in _COLUMNS:
            columns[name] = np.concatenate([drawn.columns[name] for drawn in found] or [np.empty(0)])
        described = {"runs": [drawn.described for drawn in found], "errors": errors}
        return safetensors_response(columns, "curves", described)

    reads = (
        choice("format", ("json", "safetensors")),
        number("step", required=True),
        attempts,
        series_keys(ctx.data, ctx.name),
    )
    answers = ("application/json", "application/octet-stream")
    return [Route("/curves", curves, takes_where=True, reads=reads, answers=answers, codes=_CODES)]


@frozen(eq=False)
class _Drawn:
    """One curve of an answer: what is said of it as a whole, and its columns."""

    described: dict[str, object]
    columns: dict[str, NDArray[np.float64]]

    @classmethod
    def of(cls, place: RecordPlace, curve: PrCurve) -> _Drawn:
        columns = dict(_measured(curve))
        chosen = _evenly(len(curve.thresholds), MAX_POINTS)
        described: dict[str, object] = {
            "run": place.key.run,
            "index": place.index,
            "step": place.step,
            "wall_time": place.wall_time,
            "recorded": curve.recorded,
            "points": len(chosen),
            "average_precision": average_precision(curve),
            "best": asdict(best_f1(curve)),
            "roc_area": None,
            "no_roc": None,
        }
        try:
            rates = roc(curve)
        except ValueError as error:
            described["no_roc"] = Reason.of(error).fields()
            columns["false_positive_rate"] = np.full(len(curve.thresholds), np.nan)
        else:
            described["roc_area"] = roc_area(*rates)
            columns["false_positive_rate"] = rates[0]
        return cls(described, {name: columns[name][chosen] for name in _COLUMNS})


def _measured(curve: PrCurve) -> Iterator[tuple[str, NDArray[np.float64]]]:
    for name in _COLUMNS[:7]:
        yield name, getattr(curve, name)
    yield "f1", f1_scores(curve)


def _evenly(count: int, most: int) -> NDArray[np.intp]:
    """At most so many of ``count`` indices at even distances, with the first and the last."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(np.intp))
