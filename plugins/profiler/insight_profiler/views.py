"""Answers of the profiler's routes, except for the timeline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import asdict
from werkzeug import Request, Response

from insight_core.plugin import PluginContext, Route
from insight_core.plugin.http import choice, flag, json_response, text, whole_number
from insight_profiler.advice.answer import ProfileAdvice
from insight_profiler.advice_views import advice_views
from insight_profiler.analysis import communication, kernels, memory, operators, pipeline, steps
from insight_profiler.analysis.flops import flops_answer, has_flops
from insight_profiler.analysis.listing import SortedTable
from insight_profiler.analysis.operator_times import operator_times
from insight_profiler.analysis.operators import Grouped
from insight_profiler.analysis.overview import overview
from insight_profiler.analysis.usual_times import warm_up_rows
from insight_profiler.cluster_views import cluster_views
from insight_profiler.compare_views import compare_views
from insight_profiler.discovery import ProfileFiles
from insight_profiler.jobs import has_ranks
from insight_profiler.model import Profile, Side
from insight_profiler.opened_profiles import (
    Asked,
    Recent,
    described,
    nothing_of,
    side_of_request,
    steps_of,
    steps_of_runs,
    table_answer,
    wanted_of,
)
from insight_profiler.operator_detail import detail
from insight_profiler.profiles import unknown_profile
from insight_profiler.route_reads import ANSWERS, CODES, READS
from insight_profiler.rules import opened_by
from insight_profiler.strategy_views import strategy_views
from insight_profiler.timeline_views import timeline_views

_TEXTS = ("name", "type", "scope", "shapes", "core", "information", "kind", "stream", "operator")
_TABLES = {  # view -> tables of which it shows one at least
    "operators": ("operators",),
    "kernels": ("kernels",),
    "steps": ("steps",),
    "timeline": ("slices",),
    "memory": ("allocations",),
    "pipeline": ("batches",),
    "communication": ("collectives", "links"),
    "shapes": ("shape_runs",),
}
_VIEWS = (
    "overview",
    "advice",
    "operators",
    "kernels",
    "steps",
    "timeline",
    "memory",
    "pipeline",
    "communication",
    "cluster",
    "strategy",
    "flops",
    "shapes",
)
_JSON = ("application/json",)
_MOST_STEPS = 100_000
_MOST_POINTS = 500_000  # of all curves
_MOST_LISTED = 1000  # devices, notes
_MOST_WARM_UP = 100  # steps that are named


_OWN = (
    "profiles", "profile", "overview", "operators", "operator", "kernels", "steps", "step",
    "memory", "pipeline", "communication", "flops", "shapes", "operator_times",
)  # fmt: skip


def routes(ctx: PluginContext) -> Sequence[Route]:
    """All routes of the plugin; reading processes end with the host."""
    opened = opened_by(ctx)
    asked, advice = opened.asked, ProfileAdvice(opened, ctx.findings)
    own = _Views(asked)
    views = {
        **{name: getattr(own, name) for name in _OWN},
        **advice_views(advice),
        **cluster_views(asked),
        **compare_views(advice),
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
    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._recent: Recent[Grouped] = Recent()

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
            answer |= _meant(profile) | {"views": self._views(look.files, profile)}
        shown = json_response(answer)
        if look.state == "reading":
            shown.cache_control.no_store = True
        return shown

    def _views(self, files: ProfileFiles, profile: Profile) -> list[str]:
        has = {"overview", "advice"}
        for view, tables in _TABLES.items():
            if any(_rows(profile, table) for table in tables):
                has.add(view)
        if any(counter.group == "memory" for counter in profile.counters):
            has.add("memory")
        has |= {name for name in ("pipeline", "memory", "strategy") if profile.documents.get(name)}
        if has_flops(profile):
            has.add("flops")
        if has_ranks(self._asked, files, profile):
            has.add("cluster")
        return [view for view in _VIEWS if view in has]

    def overview(self, request: Request) -> Response:
        opened = self._asked.opened(request)
        facts = [{"code": code, "value": value} for code, value in opened.profile.facts.items()]
        steps = steps_of(request, opened.profile)
        return opened.answer({**overview(opened.profile, steps), "facts": facts})

    def operators(self, request: Request) -> Response:
        opened = self._asked.opened(request)
        opened.table("operators")
        by = choice(request, "by", operators.GROUPINGS)
        side = side_of_request(request, opened.profile)
        listing = self._grouped(request, opened.profile, by, side).listing
        if (kind := request.args.get("type")) is not None and "type" in listing.columns:
            listing = listing.having("type", kind)
        wanted = wanted_of(request, ("name", "type", "scope"), _ranking(listing), texts=_TEXTS)
        return table_answer(
            request,
            opened,
            listing,
            wanted,
            f"operators_by_{by}",
            by=by,
            side=side.name.lower(),
            sides=[one.name.lower() for one in operators.sides_of(opened.profile)],
            warm_up=_warm_up(request, opened.profile),
            **_sums(listing, listing.matching(wanted), wanted.offset + (wanted.limit or 0)),
        )

    def operator(self, request: Request) -> Response:
        opened = self._asked.opened(request)
        opened.table("operators")
        by = choice(request, "by", operators.GROUPINGS)
        keys = {
            name: request.args[name] for name in ("name", "type", "scope", "shapes") if name in request.args
        }
        side = side_of_request(request, opened.profile)
        found = self._grouped(request, opened.profile, by, side)
        return opened.answer(
            detail(opened.profile, found, by, side, keys, steps_of_runs(request, opened.profile))
        )

    def _grouped(self, request: Request, profile: Profile, by: str, side: Side) -> Grouped:
        steps = steps_of_runs(request, profile)
        key = (by, side, None if steps is None else steps.tobytes())
        return self._recent.get(profile, key, lambda: operators.grouped(profile, by, side, steps))

    def kernels(self, request: Request) -> Response:
        opened = self._asked.opened(request)
        opened.table("kernels")
        by = choice(request, "group", kernels.GROUPINGS)
        listing = kernels.kernel_listing(opened.profile, by, steps_of_runs(request, opened.profile))
        wanted = wanted_of(request, ("name", "operator"), "total", texts=_TEXTS)
        left_out = _warm_up(request, opened.profile)
        return table_answer(request, opened, listing, wanted, "kernels", group=by, warm_up=left_out)

    def steps(self, request: Request) -> Response:
        opened = self._asked.opened(request)
        table = opened.table("steps")
        wanted = wanted_of(request, (), "number", texts=("number",))
        return table_answer(
            request,
            opened,
            steps.step_listing(opened.profile),
            wanted,
            "steps",
            origin=opened.profile.step_origin,
            average=steps.average(steps.of_rows(table, steps.usual_rows(table))),
            summary=steps.summary(table),
            divisions=steps.division_of(table),
        )

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

    def communication(self, request: Request) -> Response:
        opened = self._asked.opened(request)
        steps = request.args.get("steps")
        which = choice(request, "table", ("operators", "links"))
        table = opened.table("collectives" if which == "operators" else "links")
        numbers = np.unique(table["step"])
        if which == "operators":
            listing = communication.collective_listing(opened.profile, steps)
            wanted = wanted_of(request, ("name", "kind"), "total", texts=_TEXTS)
        else:
            listing = communication.link_listing(opened.profile, steps)
            wanted = wanted_of(request, ("kind",), "total", texts=_TEXTS)
        shown = numbers[numbers >= 0][:_MOST_STEPS]
        return table_answer(request, opened, listing, wanted, which, table=which, steps=shown)

    def flops(self, request: Request) -> Response:
        opened = self._asked.opened(request)
        if not has_flops(opened.profile):
            raise nothing_of("flops")
        return opened.answer(flops_answer(opened.profile))

    def shapes(self, request: Request) -> Response:
        opened = self._asked.opened(request)
        listing = operators.shape_listing(opened.profile, opened.table("shape_runs"))
        wanted = wanted_of(request, ("name", "type", "shapes"), "step", texts=(*_TEXTS, "step"))
        return table_answer(request, opened, listing, wanted, "shapes")

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
        "step_origin": profile.step_origin,
        "facts": dict(profile.facts),
        "notes": [described(note) for note in profile.notes[:_MOST_LISTED]],
        "counts": {name: _rows(profile, name) for name in profile.tables},
    }


def _rows(profile: Profile, table: str) -> int:
    found = profile.tables.get(table)
    return 0 if found is None else len(next(iter(found.values())))


def _warm_up(request: Request, profile: Profile) -> list[int]:
    """Numbers of the steps that medians and averages leave out, at most 100."""
    table = profile.tables.get("steps")
    if request.args.get("steps") or table is None or "slices" not in profile.tables:
        return []
    numbers: list[int] = table["number"][warm_up_rows(profile)][:_MOST_WARM_UP].tolist()
    return numbers


def _ranking(listing: SortedTable) -> str:
    """Own times count nothing twice, so these rank where they are known."""
    return "self" if listing.columns["self"].known.any() else "total"


def _sums(listing: SortedTable, rows: np.ndarray[Any, Any], shown: int) -> dict[str, Any]:
    """Of all that match, and of those beyond the page."""

    def of(chosen: np.ndarray[Any, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {"rows": len(chosen)}
        for name in ("calls", "total", "self", "share"):
            column = listing.columns[name].take(chosen)
            known = column.values[column.known]
            found[name] = known.sum().item() if len(known) else None
        return found

    return {"sum": of(rows), "other": of(rows[shown:])}
