"""Answers about the parallel strategy of a job: its stages, and one operator in detail."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from werkzeug import Request, Response

from insight_core.plugin import NotFound
from insight_core.plugin.http import json_response, text, whole_number
from insight_profiler.analysis.cluster import processes_of
from insight_profiler.analysis.strategy_communication import links_of
from insight_profiler.analysis.strategy_graph import StageGraph
from insight_profiler.analysis.strategy_stages import stages_of
from insight_profiler.model import Profile
from insight_profiler.profiles.opened import Asked, Recent, check_size, described, nothing_of

_MOST_OPERATORS = 20_000  # of a stage
_MOST_RANKS = 4096


def strategy_views(asked: Asked) -> Mapping[str, Callable[[Request], Response]]:
    """Views of parallel strategies, by route name."""
    views = _Views(asked)
    return {"strategy": views.strategy, "strategy_operator": views.operator}


class _Views:
    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._graphs: Recent[list[StageGraph]] = Recent(1)

    def strategy(self, request: Request) -> Response:
        """All stages of the job: that of the profile, and of every other stage that of one rank."""
        own = self._asked.opened(request)
        run, path = text(request, "run", required=True), text(request, "profile", required=True)
        graphs = self._of(own.profile)
        if not graphs:
            raise nothing_of("strategy")
        stages = [_stage(graph, path) for graph in graphs]
        others: list[dict[str, Any]] = []
        has = {graph.stage["stage"] for graph in graphs}
        for number, other in self._of_other_stages(run, path, graphs[0], has).items():
            look = self._asked.look(request, run, other)
            if look.profile is None or not look.profile.is_complete:
                failure = look.failure and described(look.failure)
                others.append({"profile": other, "stage": number, "state": look.state, "failure": failure})
                continue
            stages += [
                _stage(graph, other) for graph in self._of(look.profile) if graph.stage["stage"] == number
            ]
        stages.sort(key=lambda stage: (stage["stage"], stage["rank"]))
        answer = {"stages": stages, "links": links_of(stages), "others": others}
        if any(one["state"] == "reading" for one in others):
            shown = json_response({**answer, "version": own.version, "complete": False})
            shown.cache_control.no_store = True
            check_size(shown.calculate_content_length() or 0)
            return shown
        return own.answer(answer)

    def operator(self, request: Request) -> Response:
        """Attributes of an operator, the layouts of its tensors, and what each rank of the stage holds."""
        opened = self._asked.opened(request)
        number, name = whole_number(request, "stage", 0, 1 << 31), text(request, "name", required=True)
        for graph in self._of(opened.profile):
            operator = next((one for one in graph.stage["operators"] if one["name"] == name), None)
            if graph.stage["stage"] == number and operator is not None:
                tensors = graph.tensors(name)
                ranks = graph.ranks[:_MOST_RANKS]
                return opened.answer(
                    {
                        "attributes": operator["attributes"],
                        "tensors": [tensor.described() for tensor in tensors],
                        "ranks": ranks,
                        "slices": [
                            [
                                tensor.layout.slices(tensor.shape or tensor.layout.parts, index)
                                for index in range(len(ranks))
                            ]
                            if tensor.layout is not None
                            else None
                            for tensor in tensors
                        ],
                    }
                )
        raise NotFound(f"stage {number} has no operator {name!r}", code="profiler_nothing", what=name)

    def _of(self, profile: Profile) -> list[StageGraph]:
        document = profile.documents.get("strategy")
        return self._graphs.get(profile, "", lambda: stages_of(document)) if document else []

    def _of_other_stages(self, run: str, path: str, graph: StageGraph, has: set[int]) -> dict[int, str]:
        """A profile of each stage that is missing: of the first rank of it that was profiled."""
        listed = self._asked.profiles.listing([run])
        named = next(files for files in listed if files.path == path)
        ranks = {files.rank: files.path for files in processes_of(listed, named) if files.path != path}
        found = {}
        for number, group in enumerate(graph.groups):
            first = next((rank for rank in group if rank in ranks), None)
            if number not in has and first is not None:
                found[number] = ranks[first]
        return found


def _stage(graph: StageGraph, profile: str) -> dict[str, Any]:
    stage = graph.stage
    operators = list(graph.rows())
    return {
        "stage": stage["stage"],
        "rank": stage["rank"],
        "type": stage["type"],
        "profile": profile,
        "ranks": graph.ranks,
        "operators": operators[:_MOST_OPERATORS],
        "left_out": max(0, len(operators) - _MOST_OPERATORS),
        "changes": list(graph.changes())[:_MOST_OPERATORS],
        "parameters": list(graph.parameter_rows())[:_MOST_OPERATORS],
    }
