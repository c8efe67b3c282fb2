"""Answers of the graph plugin's routes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

from attrs import frozen
from werkzeug import Request, Response

from insight_core.plugin import (
    InsightError,
    InvalidArgument,
    NotFound,
    PluginContext,
    PluginNameEnum,
    Reason,
    ReasonKind,
    Route,
)
from insight_core.plugin.data import RecordPlace, SeriesInfo, SeriesKey
from insight_core.plugin.http import flag, is_pinned, json_response, number, required_text, whole_number
from insight_graph.decoder import StepTimes, is_dump, is_pipeline, is_profile, source_of
from insight_graph.described import notice
from insight_graph.difference import KINDS
from insight_graph.graph_answers import LAST_OFFSET, MAX_RESULTS, OF_GRAPHS, OpenedGraph
from insight_graph.kept_differences import KeptDifferences
from insight_graph.large_files import LargeFiles
from insight_graph.model import GraphModel, Times
from insight_graph.notices import GraphNotice
from insight_graph.precision import Precision
from insight_graph.profiled import ProfiledTimes, is_profiled
from insight_graph.step_stats import times_of
from insight_graph.tensor_statistics import TensorStatistics

_FEW_BYTES = 256  # statistics that are looked into before they are offered
_LINEAGE = str(PluginNameEnum.LINEAGE)

RouteView: TypeAlias = Callable[[Request], Response]
_UNKNOWN_KIND = ReasonKind("graph_unknown_kind", "kind must be one of {kinds}")


def routes(ctx: PluginContext) -> Sequence[Route]:
    """All routes of the plugin."""
    views = _Views(ctx, ProfiledTimes(ctx.ask), LargeFiles(ctx.own), KeptDifferences())
    return [
        Route("/graphs", views.graphs),
        Route("/pipeline", views.pipeline),
        Route("/diff", views.diff),
        Route("/precision", views.precision),
        *(Route(f"/{name}", views.of_graph(answer)) for name, answer in OF_GRAPHS.items()),
    ]


@frozen
class _Views:
    ctx: PluginContext
    profiled: ProfiledTimes
    large: LargeFiles
    differences: KeptDifferences

    def graphs(self, request: Request) -> Response:
        runs = dict.fromkeys(request.args.getlist("run")) or None
        graphs: list[tuple[tuple[Any, ...], dict[str, object]]] = []
        profiles: list[dict[str, object]] = []
        pipelines: list[dict[str, object]] = []
        dumps: list[dict[str, object]] = []
        for info in sorted(self.ctx.own.series(runs=runs), key=lambda info: info.key):
            records = self._records(info)
            if source := source_of(info):
                for entry, name in zip(records, _names(info, records), strict=True):
                    named = {"kind": source.kind, "format": source.format, "name": name}
                    optimised = not info.key.tag.endswith("ms_output_optimize.pb")
                    rank = (info.key.run, source.rank, optimised, info.key.tag, -int(str(entry["index"])))
                    graphs.append((rank, entry | named))
            if is_profile(info):
                profiles += [one for one in records if self._has_times(info, one)]
            if is_dump(info):
                dumps += records
            if is_pipeline(info):
                pipelines += records
        profiles += self.profiled.of_runs(runs)
        graphs.sort(key=lambda ranked: ranked[0])
        return json_response(
            {
                "graphs": [entry for _, entry in graphs],
                "profiles": profiles,
                "pipelines": pipelines,
                "dumps": dumps,
            }
        )

    def pipeline(self, request: Request) -> Response:
        """What the lineage plugin decodes. Raises NotFound without that plugin."""
        place = self.ctx.own.place(request, "all")
        found = self.ctx.own.series(runs=[place.key.run])
        if not any(is_pipeline(info) and info.key == place.key for info in found):
            raise place.undecodable(Reason("it is not a lineage file", "graph_not_lineage"))
        try:
            answer = self.ctx.ask(
                _LINEAGE,
                "/pipeline",
                run=place.key.run,
                tag=place.key.tag,
                index=place.index,
                step=place.step,
                wall_time=repr(place.wall_time),
            )
        except NotFound as error:
            self.ctx.own.place(request, "all")  # raises NotFound if the file was replaced meanwhile
            raise NotFound(
                "a data pipeline is decoded by the lineage plugin, which is not loaded: enable that plugin",
                code="graph_no_lineage",
            ) from error
        return json_response(_pipeline(cast("dict[str, Any]", answer)), immutable=is_pinned(request))

    def of_graph(self, answer: Callable[[OpenedGraph, Request], object]) -> RouteView:
        def view(request: Request) -> Response:
            place = self.ctx.own.place(request, "all")
            model = self._model(place)
            profile = request.args.get("profile")
            times = model.times if profile is None else self._times(model, place, profile)
            looked = OpenedGraph(model, model.view(flag(request, "readable")), times)
            # a tag of times may get another record, which its name does not tell
            return json_response(answer(looked, request), immutable=is_pinned(request) and profile is None)

        return view

    def diff(self, request: Request) -> Response:
        """What differs from another graph, which ``other_run``, ``other_tag`` and ``other_index`` name."""
        place = self.ctx.own.place(request, "all")
        other = self._other(request)
        kinds = frozenset(request.args.getlist("kind")) or frozenset(KINDS)
        if not kinds <= frozenset(KINDS):
            raise InvalidArgument(_UNKNOWN_KIND(kinds=", ".join(KINDS)))
        limit = whole_number(request, "limit", 1, MAX_RESULTS, 200)
        offset = whole_number(request, "offset", 0, LAST_OFFSET, 0)
        found = self.differences.get(other, place, self._model)
        return json_response(found.answer(kinds, request.args.get("what", ""), offset, limit))

    def precision(self, request: Request) -> Response:
        """Statistics of the tensors of a dump, next to those of another, named as for ``diff``."""
        places = self._other(request), self.ctx.own.place(request, "all")
        before, after = (self._statistics(place) for place in places)
        tolerance = number(request, "tolerance")
        limit = whole_number(request, "limit", 1, MAX_RESULTS, 200)
        offset = whole_number(request, "offset", 0, LAST_OFFSET, 0)
        answer = Precision.of(before, after).answer(
            1e-3 if tolerance is None else tolerance,
            differing=flag(request, "differing"),
            offset=offset,
            limit=limit,
        )
        return json_response(answer)

    def _other(self, request: Request) -> RecordPlace:
        key = SeriesKey(required_text(request, "other_run"), required_text(request, "other_tag"))
        index = whole_number(request, "other_index", 0, LAST_OFFSET, 0)
        return self.ctx.own.place_at(key, index, "all")

    def _statistics(self, place: RecordPlace) -> TensorStatistics:
        found = self.ctx.values.at(place)
        if not isinstance(found, TensorStatistics):
            raise place.undecodable(Reason("it is not statistics of a dump", "graph_no_dump"))
        return found

    def _model(self, place: RecordPlace) -> GraphModel:
        model = self.large.get(place) or self.ctx.values.at(place)
        if not isinstance(model, GraphModel):
            raise place.undecodable(Reason("it is not a graph", "graph_not_graph"))
        return model

    def _records(self, info: SeriesInfo) -> list[dict[str, object]]:
        try:
            table = self.ctx.own.records(info.key, "all")
        except NotFound:  # it went meanwhile
            return []
        rows = zip(table.steps.tolist(), table.wall_times.tolist(), table.sizes.tolist(), strict=True)
        where = {"run": info.key.run, "tag": info.key.tag}
        return [
            {**where, "index": index, "step": step, "wall_time": wall_time, "size": size}
            for index, (step, wall_time, size) in enumerate(rows)
        ]

    def _has_times(self, info: SeriesInfo, entry: Mapping[str, object]) -> bool:
        """PyTorch's ``add_graph`` writes statistics of no node next to each graph."""
        if not 0 <= int(str(entry["size"])) < _FEW_BYTES:
            return True
        try:
            found = self.ctx.values.at(self.ctx.own.place_at(info.key, int(str(entry["index"])), "all"))
        except InsightError:
            return True  # why it cannot be read is said where it is chosen
        return not isinstance(found, StepTimes) or bool(found.rows)

    def _times(self, model: GraphModel, place: RecordPlace, profile: str) -> Times | None:
        """Of the last record of a tag with times, or of a profile that the profiler has."""
        run = place.key.run
        if is_profiled(profile):
            key = (place, self.ctx.data.generation())
            return self.profiled.get(key, model.graph, run, profile)
        key_of_times = SeriesKey(run, profile)
        last = len(self.ctx.own.records(key_of_times, "all").steps) - 1
        source = self.ctx.own.place_at(key_of_times, last, "all")
        found = self.ctx.values.at(source)
        rows = found.rows if isinstance(found, GraphModel | StepTimes) else None
        if rows is None:
            raise source.undecodable(Reason("it has no step statistics", "graph_no_steps"))
        return times_of(model.graph, rows)


def _name(info: SeriesInfo) -> str:
    return {"__run_graph__": "graph", "__meta_graph__": "meta graph"}.get(info.key.tag, info.key.tag)


def _names(info: SeriesInfo, records: Sequence[Mapping[str, object]]) -> list[str]:
    """Of several records with their steps; those of one step are numbered."""
    name = _name(info)
    if len(records) == 1:
        return [name]
    steps = [one["step"] for one in records]
    numbers = [
        f" ({steps[: row + 1].count(step)})" if steps.count(step) > 1 else ""
        for row, step in enumerate(steps)
    ]
    return [f"{name} · {step}{number}" for step, number in zip(steps, numbers, strict=True)]


def _pipeline(answer: Mapping[str, Any]) -> object:
    """The answer of the lineage plugin with what is wrong as notices, as graphs have them."""
    notices = [
        GraphNotice(
            "pipeline_cut_off" if one["cut_off"] else "pipeline_unreadable", {"offset": one["offset"]}, 1
        )
        for one in answer["unreadable"]
    ]
    if answer["limit"] is not None:
        notices.append(GraphNotice("pipeline_too_long", {"limit": answer["limit"]}, 1))
    return {"pipeline": answer["pipeline"], "notices": [notice(one) for one in notices]}
