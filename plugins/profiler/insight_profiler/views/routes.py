"""All routes of the plugin, and the answers about one profile that are not tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from attrs import asdict
from werkzeug import Request, Response

from insight_core.plugin import PluginContext, Route
from insight_core.plugin.http import choice, flag, json_response, text, whole_number
from insight_profiler.advice.answer import NO_ADVICE, ProfileAdvice
from insight_profiler.analysis import memory, pipeline, steps
from insight_profiler.analysis.compare_summary import timeline
from insight_profiler.analysis.compared_steps import compared_steps
from insight_profiler.analysis.operators import operator_times
from insight_profiler.analysis.outliers import middle_of
from insight_profiler.analysis.overview import first_overview, overview
from insight_profiler.model import Profile
from insight_profiler.profiles.discovery import ProfileFiles
from insight_profiler.profiles.jobs import has_ranks
from insight_profiler.profiles.known import unknown_profile
from insight_profiler.profiles.opened import (
    Asked,
    Recent,
    described,
    side_of_request,
    steps_of,
    steps_of_runs,
)
from insight_profiler.rules import opened_by
from insight_profiler.views.calls import call_views, trees_of
from insight_profiler.views.cluster import cluster_views
from insight_profiler.views.compare import COMPARED, compare_views
from insight_profiler.views.every_step import every_step_views
from insight_profiler.views.flops import flops_views, has_operations, measured_step, utilization
from insight_profiler.views.operator import detail
from insight_profiler.views.reads import ANSWERS, CODES, READS
from insight_profiler.views.strategy import strategy_views
from insight_profiler.views.tables import GROUPED, TABLES, grouped
from insight_profiler.views.timeline import SELECTION, timeline_views

_JSON = ("application/json",)
_MOST_POINTS = 500_000  # of all curves
_MOST_LISTED = 1000  # devices, notes


def _having(*tables: str) -> Callable[[Profile], bool]:
    return lambda profile: any(_rows(profile, table) for table in tables)


def _documented(name: str, *tables: str) -> Callable[[Profile], bool]:
    return lambda profile: bool(profile.documents.get(name)) or _having(*tables)(profile)


def _has_memory(profile: Profile) -> bool:
    counted = any(one.group == "memory" for one in profile.counters)
    return counted or _documented("memory", "allocations")(profile)


def _has_runs(profile: Profile) -> bool:
    """Whether there is more than sums of calls: nothing else can be said of these, and no rule is about
    them."""
    return "samples" not in profile.tables


# The views of the page in their order, and whether a profile has something for each; others of its job do for
# the ranks.
_CLUSTER = "cluster"
_VIEWS: Mapping[str, Callable[[Profile], bool]] = {
    "overview": _has_runs,
    "timeline": _having("slices"),
    "operators": _having("operators"),
    "calls": lambda profile: bool(trees_of(profile)),
    "memory": _has_memory,
    "hangs": _having("flights"),
    "every_step": _having("step_runs"),
    "advice": _has_runs,
    "kernels": _having("kernels"),
    "steps": _having("steps"),
    "communication": _having("collectives", "links"),
    _CLUSTER: lambda _: False,
    "pipeline": _documented("pipeline", "batches"),
    "flops": has_operations,
    "strategy": _documented("strategy"),
    "shapes": _having("shape_runs"),
}
_JSON = ("application/json",)
_TABLES = (*TABLES, SELECTION, COMPARED)
_DECLARED = {table.name: table.declared() for table in _TABLES}


def routes(ctx: PluginContext) -> Sequence[Route]:
    """All routes of the plugin; reading processes end with the host."""
    opened = opened_by(ctx)
    asked, advice = opened.asked, ProfileAdvice(opened, ctx.findings)
    views: dict[str, Callable[[Request], Response]] = {
        **{table.name: partial(table.answer, asked) for table in _TABLES},
        **_Views(asked, advice).by_name(),
        **call_views(asked),
        **cluster_views(asked),
        **compare_views(advice),
        **every_step_views(asked),
        **flops_views(asked),
        **strategy_views(asked),
        **timeline_views(asked),
    }
    return [
        Route(
            f"/{name}",
            view,
            also_reads=READS[name],
            answers=ANSWERS.get(name, _JSON),
            codes=CODES.get(name, {}),
        )
        for name, view in views.items()
    ]


class _Views:
    def __init__(self, asked: Asked, advice: ProfileAdvice) -> None:
        self._asked, self._advice = asked, advice
        self._meant: Recent[dict[str, Any]] = Recent(1)

    def by_name(self) -> Mapping[str, Callable[[Request], Response]]:
        """The views of this class, by route name."""
        return {
            "profiles": self.profiles,
            "profile": self.profile,
            "overview": self.overview,
            "advice": self.advice,
            "operator": self.operator,
            "step": self.step,
            "memory": self.memory,
            "pipeline": self.pipeline,
            "operator_times": self.operator_times,
        }

    def profiles(self, request: Request) -> Response:
        listed = self._asked.profiles.listing(request.args.getlist("run") or None)
        newest = sorted(listed, key=lambda one: (-one.wall_time, one.run, one.path))
        return json_response({"profiles": [_listed(one) for one in newest]})

    def profile(self, request: Request) -> Response:
        look = self._asked.look(request)
        profile = look.profile
        answer = {
            **_listed(look.files),
            "state": look.state,
            "read": look.read,
            "total": look.total,
            "version": look.version,
            "failure": look.failure and described(look.failure),
            "complete": profile is not None and profile.is_complete,
            "views": [],
            "notes": [],
        }
        if profile is not None:
            meant = self._meant.get(profile, "meant", lambda: _meant(profile))
            answer |= meant | {"tables": _DECLARED}
            if has_ranks(self._asked, look.files, profile):
                answer["views"] = [view for view in _VIEWS if view in (*meant["views"], _CLUSTER)]
        shown = json_response(answer)
        if look.state == "reading":
            shown.cache_control.no_store = True
        return shown

    def overview(self, request: Request) -> Response:
        opened = self._asked.opened(request)
        facts = [{"code": code, "value": value} for code, value in opened.profile.facts.items()]
        steps = steps_of(request, opened.profile)
        if steps is None:
            found = first_overview(opened.profile)
        else:
            step = timeline(compared_steps(opened.profile, request.args.get("steps")), None)
            found = {**overview(opened.profile, steps), "step": step}
        more = {"facts": facts, "utilization": utilization(request, opened.profile)}
        return opened.answer({**found, **more})

    def operator(self, request: Request) -> Response:
        opened = self._asked.opened(request)
        opened.table("operators")
        by = choice(request, GROUPED.name, GROUPED.values)
        keys = {
            name: request.args[name] for name in ("name", "type", "scope", "shapes") if name in request.args
        }
        side = side_of_request(request, opened.profile)
        found = grouped(request, opened.profile, by, side)
        return opened.answer(
            detail(opened.profile, found, by, side, keys, steps_of_runs(request, opened.profile))
        )

    def advice(self, request: Request) -> Response:
        """What the rules say of a profile and of the ranks of its job; of one that is being read nothing yet.

        ``ranks=known`` has no other ranks read: rules about them say nothing until all are. ``measured`` is
        how long a step takes without the profiler, ns.
        """
        reads = choice(request, "ranks", ("all", "known")) == "all"
        asked = self._advice.opened.asked
        opened = asked.opened(request)
        if not opened.is_final:
            return opened.answer(NO_ADVICE)
        files = asked.look(request).files
        job = self._advice.opened.job(files, opened.profile, reads=reads)
        answer = self._advice.answer(files, opened.profile, job, measured=measured_step(request))
        shown = opened.answer({**answer, "ranks": job.progress})
        if any(one["may_change"] for one in answer["rules"]):
            shown.cache_control.no_store = True
        return shown

    def step(self, request: Request) -> Response:
        opened = self._asked.opened(request)
        opened.table("steps")
        number = whole_number(request, "number", 0, 1 << 53)
        return opened.answer(steps.drawn(opened.profile, number))

    def memory(self, request: Request) -> Response:
        opened = self._asked.opened(request)
        curves = sum(counter.group == "memory" for counter in opened.profile.counters)
        width = min(whole_number(request, "width", 1, 10_000, 1000), max(1, _MOST_POINTS // max(1, curves)))
        return opened.answer(memory.memory(opened.profile, width))

    def pipeline(self, request: Request) -> Response:
        opened = self._asked.opened(request)
        document = opened.profile.documents.get("pipeline") or {}
        return opened.answer({"operators": [], **document, "queues": pipeline.queue_columns(opened.profile)})

    def operator_times(self, request: Request) -> Response:
        """Of one profile of a run, the newest with operators when none is named."""
        run = text(request, "run", required=True)
        listed = sorted(self._asked.profiles.listing([run]), key=lambda one: -one.wall_time)
        paths = [files.path for files in listed]
        path = request.args.get("profile", paths[0] if paths else None)
        if path is None or path not in paths:
            raise unknown_profile(run, path or "")
        look = self._asked.look(request, run, path)
        answer: dict[str, Any] = {"profiles": paths, "profile": path, "state": look.state}
        answer |= {"read": look.read, "total": look.total, "names": [], "times": [], "calls": []}
        if look.state == "ready" and look.profile is not None and _rows(look.profile, "operators"):
            answer |= operator_times(look.profile, outermost=flag(request, "outermost"))
        shown = json_response(answer)
        if look.state == "reading":
            shown.cache_control.no_store = True
        return shown


def _listed(files: ProfileFiles) -> dict[str, Any]:
    return {
        "run": files.run,
        "profile": files.path,
        "name": files.name,
        "source": files.source,
        "rank": files.rank,
        "bytes": sum(file.size for file in files.files.values()),
        "wall_time": files.wall_time,
    }


def _meant(profile: Profile) -> dict[str, Any]:
    """What the page says of a profile. Some of it looks at all slices: it is made once for each profile."""
    return {
        "source": profile.source,
        "host": profile.host,
        "worker": profile.worker,
        "rank": profile.rank if profile.rank >= 0 else None,
        "world_size": profile.world_size or None,
        "platform": profile.platform,
        "devices": [asdict(device) for device in profile.devices[:_MOST_LISTED]],
        "start_ns": str(profile.start_ns) if profile.start_ns else None,
        "duration_ns": profile.duration_ns,
        "step_time": _step_time(profile),
        "step_origin": profile.step_origin,
        "facts": dict(profile.facts),
        "trees": trees_of(profile),
        "notes": [described(note) for note in profile.notes[:_MOST_LISTED]],
        "counts": {name: _rows(profile, name) for name in profile.tables},
        "views": [view for view, is_there in _VIEWS.items() if is_there(profile)],
    }


def _step_time(profile: Profile) -> float | None:
    """The median of the steps that are no outliers (ns), as two profiles are compared by it."""
    table = profile.tables.get("steps")
    return None if table is None else middle_of(table["duration"][steps.usual_rows(table)])


def _rows(profile: Profile, table: str) -> int:
    found = profile.tables.get(table)
    return 0 if found is None else len(next(iter(found.values())))
