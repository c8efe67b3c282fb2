"""Answers of routes that compare all ranks of a job."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from werkzeug import Request, Response

from insight_core.plugin.http import choice, text, whole_number
from insight_profiler.analysis.cluster import (
    counted_steps,
    known_times,
    processes_of,
    rank_of,
    rank_row,
    rank_steps,
    same_ranks,
)
from insight_profiler.analysis.rank_links import links_answer, links_of
from insight_profiler.analysis.rank_map import (
    BANDWIDTH,
    SCALES,
    measures_of,
    rank_map,
    relative_to_stage,
    shown,
)
from insight_profiler.analysis.rank_stages import stages_of_job
from insight_profiler.analysis.slow_links import slow_links
from insight_profiler.analysis.stragglers import stragglers, warm_up_of
from insight_profiler.profiles.jobs import Job, job_of
from insight_profiler.profiles.opened import Asked

_MOST_NAMED = 100  # steps that are left out
_MOST_LINES = 32  # ranks whose steps are sent one by one


def cluster_views(asked: Asked) -> Mapping[str, Callable[[Request], Response]]:
    """Views over all ranks of a job, by route name."""
    views = _Views(asked)
    return {
        "cluster": views.cluster,
        "rank_steps": views.rank_steps,
        "rank_map": views.rank_map,
        "rank_links": views.rank_links,
    }


class _Views:
    def __init__(self, asked: Asked) -> None:
        self._asked = asked

    def cluster(self, request: Request) -> Response:
        """Ranks by what they are compared by, and which of them hold up the others; processes that cannot be
        read with the reason, and those of a rank that another one is of, too. Warm-up is left out unless the
        request names the steps."""
        job = self._job(request)
        text = request.args.get("steps")
        left_out = set() if text else warm_up_of(list(job.ranks.values()))
        steps = {path: counted_steps(profile, text, left_out) for path, profile in job.ranks.items()}
        stages = stages_of_job(list(job.ranks.values()))
        rows = [
            {"profile": path, **rank_row(profile, steps[path], stages.get(profile.rank))}
            for path, profile in job.ranks.items()
        ]
        compared = [
            rank_of(profile, path, counted, stages.get(profile.rank))
            for path, profile in job.ranks.items()
            if (counted := steps[path]) is not None
        ]
        return job.answer(
            {
                "ranks": rows,
                "same_ranks": self._same_ranks(request, job),
                "stragglers": stragglers(compared),
                "warm_up": sorted(left_out)[:_MOST_NAMED],
            }
        )

    def rank_steps(self, request: Request) -> Response:
        """One time of every step of each rank; nothing of more ranks than lines can tell apart."""
        job = self._job(request)
        times = known_times(job.ranks.values())
        time = choice(request, "time", times) if times else None
        ranks = [
            {"rank": profile.rank, "profile": path, **rank_steps(profile, time)}
            for path, profile in job.ranks.items()
            if time is not None and "steps" in profile.tables and len(job.ranks) <= _MOST_LINES
        ]
        return job.answer({"times": times, "time": time, "ranks": ranks})

    def rank_map(self, request: Request) -> Response:
        """One measure of every step of each rank, for a heat map."""
        job = self._job(request)
        ranks = list(job.ranks.values())
        measures = measures_of(ranks)
        measure = choice(request, "measure", measures) if measures else None
        scale = choice(request, "scale", SCALES)
        by_rank = stages_of_job(ranks)
        stages = [by_rank.get(rank.rank) for rank in ranks]
        answer: dict[str, Any] = {
            "measures": measures,
            "measure": measure,
            "scale": scale,
            "unit": "bytes_per_second" if measure == BANDWIDTH else "ns",
            "ranks": [{"rank": rank.rank, "profile": path} for path, rank in job.ranks.items()],
            "stages": stages,
        }
        if measure is not None:
            found = rank_map(ranks, measure)
            if scale == "relative":
                found = relative_to_stage(found, stages)
            answer |= shown(found, whole_number(request, "width", 1, 10_000, 2000))
        return job.answer(answer)

    def rank_links(self, request: Request) -> Response:
        """Links between the ranks, and which of them are slow; no links where the logs name no peers."""
        job = self._job(request)
        links = links_of(list(job.ranks.values()), request.args.get("steps") or None)
        return job.answer(
            {
                "ranks": [{"rank": rank.rank, "profile": path} for path, rank in job.ranks.items()],
                **links_answer(links),
                "slow": slow_links(links)[:_MOST_NAMED],
            }
        )

    def _same_ranks(self, request: Request, job: Job) -> list[dict[str, Any]]:
        """Profiles that are not compared because another one is of the same rank at the same time."""
        listed = self._asked.profiles.listing([text(request, "run", required=True)])
        newest = max(listed, key=lambda files: files.wall_time)
        named = next((files for files in listed if files.path == request.args.get("profile")), newest)
        known = {*job.ranks, *(other["profile"] for other in job.others)}
        left = [files for files in processes_of(listed, named) if files.path not in known]
        read = {files.path: self._asked.rank(files, reads=False).profile for files in left}
        return same_ranks(job.ranks, {path: found for path, found in read.items() if found is not None})

    def _job(self, request: Request) -> Job:
        """Of the profile that is named, the newest of the run without a name."""
        return job_of(self._asked, text(request, "run", required=True), request.args.get("profile"))
