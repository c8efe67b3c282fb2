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
from insight_core.plugin.http import (
    Reader,
    flag,
    is_pinned,
    json_response,
    number,
    record_of,
    text,
    texts,
    whole_number,
)
from insight_graph.compute_times import ProfiledTimes, is_profiled, times_of
from insight_graph.decoder import ComputeTimes, is_dump, is_pipeline, is_profile, source_of
from insight_graph.described import notice
from insight_graph.difference import KINDS
from insight_graph.graph_answers import LAST_OFFSET, MAX_RESULTS, OF_GRAPHS, OpenedGraph
from insight_graph.kept_graphs import KeptDifferences, LargeFiles
from insight_graph.model import GraphModel, Times
from insight_graph.notices import GraphNotice
from insight_graph.precision import Precision
from insight_graph.tensor_statistics import TensorStatistics

_FEW_BYTES = 256  # statistics that are looked into before they are offered
_LINEAGE = str(PluginNameEnum.LINEAGE)

_JSON = ("application/json",)
_DIFF = {400: ("graph_too_large_to_compare", "graph_unknown_kind")}
_TIMES: dict[int, Sequence[str]] = {422: ("graph_profile_unreadable",), 503: ("graph_profile_reading",)}
_LIMIT, _OFFSET = whole_number("limit", 1, MAX_RESULTS, 200), whole_number("offset", 0, LAST_OFFSET, 0)
_OTHER: tuple[Reader[Any], ...] = (
    text("other_run", required=True),
    text("other_tag", required=True),
    whole_number("other_index", 0, LAST_OFFSET, 0),
)
RouteView: TypeAlias = Callable[..., Response]
_UNKNOWN_KIND = ReasonKind("graph_unknown_kind", "kind must be one of {kinds}")


def routes(ctx: PluginContext) -> Sequence[Route]:
    """All routes of the plugin."""
    views = _Views(ctx, ProfiledTimes(ctx.ask), LargeFiles(ctx.own), KeptDifferences())
    place = record_of(ctx.data, ctx.name, "all")
    other, pages = views.other(), [_LIMIT, _OFFSET]
    of_graph = [place, text("profile"), flag("readable")]
    kinds, tolerance = texts("kind").named("kinds"), number("tolerance")
    return [
        Route("/graphs", views.graphs, reads=[texts("run").named("runs")], answers=_JSON),
        Route("/pipeline", views.pipeline, reads=[place], answers=_JSON, codes={404: ["graph_no_lineage"]}),
        Route(
            "/diff",
            views.diff,
            reads=[place, other, kinds, *pages, text("what", "")],
            answers=_JSON,
            codes=_DIFF,
        ),
        Route(
            "/precision",
            views.precision,
            reads=[other, place, tolerance, *pages, flag("differing")],
            answers=_JSON,
        ),
        *(
            Route(
                f"/{name}",
                views.of_graph(answer),
                reads=[*of_graph, *reads],
                answers=_JSON,
                codes=_TIMES | codes,
            )
            for name, (answer, reads, codes) in OF_GRAPHS.items()
        ),
    ]


@frozen
class _Views:
    ctx: PluginContext
    profiled: ProfiledTimes
    large: LargeFiles
    differences: KeptDifferences

    def graphs(self, request: Request, *, runs: Sequence[str]) -> Response:
        wanted = dict.fromkeys(runs) or None
        graphs: list[tuple[tuple[Any, ...], dict[str, object]]] = []
        profiles: list[dict[str, object]] = []
        pipelines: list[dict[str, object]] = []
        dumps: list[dict[str, object]] = []
        for info in sorted(self.ctx.own.series(runs=wanted), key=lambda info: info.key):
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
        profiles += self.profiled.of_runs(wanted)
        graphs.sort(key=lambda ranked: ranked[0])
        return json_response(
            {
                "graphs": [entry for _, entry in graphs],
                "profiles": profiles,
                "pipelines": pipelines,
                "dumps": dumps,
            }
        )

    def pipeline(self, request: Request, *, place: RecordPlace) -> Response:
        """What the lineage plugin decodes. Raises NotFound without that plugin."""
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

    def of_graph(self, answer: Callable[..., object]) -> RouteView:
        def view(
            request: Request, *, place: RecordPlace, profile: str | None, readable: bool, **values: object
        ) -> Response:
            model = self._model(place)
            times = model.times if profile is None else self._times(model, place, profile)
            looked = OpenedGraph(model, model.view(readable), times)
            # a tag of times may get another record, which its name does not tell
            return json_response(
                answer(looked, request, **values), immutable=is_pinned(request) and profile is None
            )

        return view

    def diff(
        self,
        request: Request,
        *,
        place: RecordPlace,
        other: RecordPlace,
        kinds: Sequence[str],
        limit: int,
        offset: int,
        what: str,
    ) -> Response:
        """What differs from another graph, which ``other_run``, ``other_tag`` and ``other_index`` name."""
        chosen = frozenset(kinds) or frozenset(KINDS)
        if not chosen <= frozenset(KINDS):
            raise InvalidArgument(_UNKNOWN_KIND(kinds=", ".join(KINDS)))
        found = self.differences.get(other, place, self._model)
        return json_response(found.answer(chosen, what, offset, limit))

    def precision(
        self,
        request: Request,
        *,
        other: RecordPlace,
        place: RecordPlace,
        tolerance: float | None,
        limit: int,
        offset: int,
        differing: bool,
    ) -> Response:
        """Statistics of the tensors of a dump, next to those of another, named as for ``diff``."""
        before, after = (self._statistics(one) for one in (other, place))
        answer = Precision.of(before, after).answer(
            1e-3 if tolerance is None else tolerance,
            differing=differing,
            offset=offset,
            limit=limit,
        )
        return json_response(answer)

    def other(self) -> Reader[RecordPlace]:
        """Reads the graph or dump that another one is compared with."""

        def read(request: Request) -> RecordPlace:
            run, tag, index = (reader.read(request) for reader in _OTHER)
            return self.ctx.own.place_at(SeriesKey(run, tag), index, "all")

        return Reader("other", read, [one for reader in _OTHER for one in reader.parameters])

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
        return not isinstance(found, ComputeTimes) or bool(found.rows)

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
        rows = found.rows if isinstance(found, GraphModel | ComputeTimes) else None
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
