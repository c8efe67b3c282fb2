"""The HTTP side of the landscape plugin."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Sequence
from contextlib import suppress

import numpy as np
from attrs import asdict, evolve, frozen
from werkzeug import Request, Response

from insight_core.plugin import (
    InsightError,
    InvalidArgument,
    NotFound,
    OwnData,
    PluginContext,
    Reason,
    ReasonKind,
    Route,
    Undecodable,
    Values,
)
from insight_core.plugin.data import RecordPlace, SeriesInfo
from insight_core.plugin.http import (
    Column,
    choice,
    json_response,
    number,
    safetensors_response,
    text,
    texts,
)
from insight_core.plugin.lab import tags_response
from insight_landscape.claims import LINEAGE_FILES, landscape_series
from insight_landscape.compared import compared_flatness
from insight_landscape.facts import TrainingFacts, file_order
from insight_landscape.landscape import FINAL, Landscape

_LARGEST_LINEAGE = 4 << 20  # bytes of a lineage file that is read for its facts
_JSON, _RUNS = ("application/json",), texts("run").named("runs")
_UNKNOWN = ReasonKind("landscape_unknown", "run {run!r} has no landscape {id!r}")


def routes(ctx: PluginContext[Landscape]) -> Sequence[Route]:
    """Series, list of landscapes, and one landscape."""
    views = _Views(ctx.own, ctx.values, ctx.values.derived(_heading_of))
    return [
        Route("/tags", views.tags, answers=_JSON),
        Route("/intervals", views.intervals, reads=[_RUNS], answers=_JSON),
        Route(
            "/landscape",
            views.landscape,
            reads=[
                choice("format", ("json", "safetensors")),
                text("run", required=True),
                text("id", required=True),
            ],
            answers=["application/json", "application/octet-stream"],
        ),
        Route(
            "/flatness",
            views.flatness,
            reads=[_RUNS, text("id"), number("radius"), number("epsilon")],
            answers=_JSON,
        ),
    ]


@frozen
class _Heading:
    """The entry of a landscape in a list: kept for all that were listed, unlike the landscapes."""

    id: str
    final: bool
    interval: tuple[int, int] | None
    unit: str
    size: tuple[int, int]
    flaws: tuple[Reason, ...]

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return 512 + sum(map(len, self.flaws))


def _heading_of(found: Landscape) -> _Heading:
    size = len(found.x), len(found.y)
    return _Heading(found.id, found.final, found.interval, found.unit, size, found.flaws)


@frozen
class _Found:
    """One landscape of a run, or why it cannot be read; ``id`` is unique in its run."""

    id: str
    place: RecordPlace
    heading: _Heading | None = None
    error: Reason | None = None


@frozen
class _Views:
    own: OwnData
    values: Values[Landscape]
    headings: Values[_Heading]

    def tags(self, request: Request) -> Response:
        """Landscapes only: the claimed files of lineage are not shown as series."""
        return tags_response((info, {}) for info in landscape_series(self.own))

    def intervals(self, request: Request, *, runs: Sequence[str]) -> Response:
        series = self._series(dict.fromkeys(runs))
        return json_response(
            {
                "runs": [
                    {"run": run, "landscapes": [_listed(one) for one in self._found(infos)]}
                    for run, infos in series.items()
                ]
            }
        )

    def landscape(self, request: Request, *, format: str, run: str, id: str) -> Response:
        for one in self._found(self._series([run]).get(run, [])):
            if one.id == id:
                break
        else:
            raise NotFound(_UNKNOWN(run=run, id=id))
        if one.heading is None:
            raise Undecodable(one.error)
        landscape = self.values.at(one.place)
        described = _described(landscape) | _listed(one) | {"run": run, "facts": asdict(self._facts(run))}
        columns = _columns(landscape)
        if format == "safetensors":
            return safetensors_response(columns, "landscape", described)
        return json_response(described | columns)

    def flatness(
        self,
        request: Request,
        *,
        runs: Sequence[str],
        id: str | None,
        radius: float | None,
        epsilon: float | None,
    ) -> Response:
        """Measures how flat final landscapes of runs are, or one landscape of a run; the flattest first."""
        named = list(dict.fromkeys(runs))
        if not named:
            raise InvalidArgument("run is missing")
        chosen: dict[str, tuple[str, Landscape]] = {}
        for run, infos in self._series(named).items():
            for one in self._found(infos):
                if one.heading is None or run in chosen:
                    continue
                if one.heading.final if id is None else one.id == id:
                    with suppress(Undecodable, NotFound):  # the page says why in place of the landscape
                        chosen[run] = one.id, self.values.at(one.place)
        return json_response(compared_flatness(chosen, radius, epsilon))

    def _series(self, runs: Collection[str]) -> dict[str, list[SeriesInfo]]:
        found: dict[str, list[SeriesInfo]] = {}
        for info in landscape_series(self.own):
            if not runs or info.key.run in runs:
                found.setdefault(info.key.run, []).append(info)
        return found

    def _found(self, infos: Sequence[SeriesInfo]) -> list[_Found]:
        """The landscapes of one run: intervals in the order of training, then the final one, then damage."""
        found: dict[str, _Found] = {}
        for info in sorted(infos, key=lambda info: info.key.tag):
            for one in self._of_series(info):
                same = sum(1 for other in found.values() if other.id.split("~")[0] == one.id)
                unique = f"{one.id}~{same + 1}" if same else one.id
                found[unique] = evolve(one, id=unique)
        return sorted(found.values(), key=_order)

    def _of_series(self, info: SeriesInfo) -> list[_Found]:
        """The last record of a series: a landscape that is computed again replaces the earlier one."""
        try:
            place = self.own.place_at(info.key, len(self.own.records(info.key).steps) - 1)
        except NotFound:  # it went while we looked
            return []
        fallback = info.key.tag.removeprefix("landscape_")
        try:
            heading = self.headings.at(place)
        except Undecodable as error:
            return [_Found(fallback, place, None, Reason.of(error))]
        except NotFound:
            return []
        return [_Found(heading.id or fallback, place, heading)]

    def _facts(self, run: str) -> TrainingFacts:
        facts = TrainingFacts()
        files = [info for info in self.own.series(runs=[run]) if LINEAGE_FILES in info.claims]
        for info in sorted(files, key=lambda info: file_order(posixpath.basename(info.key.tag))):
            try:
                payload = self.own.payload(self.own.place_at(info.key, 0), limit=_LARGEST_LINEAGE)
            except InsightError:  # the landscape is what was asked for
                continue
            facts = facts.updated(payload.data)
        return facts


def _order(one: _Found) -> tuple[int, tuple[int, int], str]:
    if one.heading is None:
        return 2, (0, 0), one.id
    return (0, one.heading.interval, one.id) if one.heading.interval else (1, (0, 0), one.id)


def _listed(one: _Found) -> dict[str, object]:
    listed: dict[str, object] = {
        "id": one.id,
        "tag": one.place.key.tag,
        "step": one.place.step,
        "wall_time": one.place.wall_time,
    }
    if (heading := one.heading) is None:
        return listed | Reason.of(one.error).fields()
    return listed | {
        "kind": FINAL if heading.final else "interval",
        "interval": heading.interval,
        "unit": heading.unit,
        "size": heading.size,
        "flaws": [flaw.fields() for flaw in heading.flaws],
    }


def _described(landscape: Landscape) -> dict[str, object]:
    return {
        "decomposition": landscape.decomposition,
        "step_per_epoch": landscape.step_per_epoch,
        "convergence": landscape.convergence,
        "notes": landscape.notes,
    }


def _columns(landscape: Landscape) -> dict[str, Column]:
    columns: dict[str, Column] = {"x": landscape.x, "y": landscape.y, "z": landscape.z}
    path = landscape.path
    none, no_numbers = np.empty(0), np.empty(0, np.int64)
    columns["path_at"] = no_numbers if path is None else path.at
    columns["path_x"] = none if path is None else path.x
    columns["path_y"] = none if path is None else path.y
    columns["path_z"] = none if path is None else path.z
    return columns
