"""Compares the ranks of one job and their steps."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np

from insight_profiler.analysis.outliers import median_of
from insight_profiler.analysis.rank_summary import DOCUMENT
from insight_profiler.analysis.steps import of_rows, rows_of, summary
from insight_profiler.analysis.stragglers import RankSteps
from insight_profiler.model import Profile, Table
from insight_profiler.profiles.discovery import ProfileFiles

TIMES = (  # of a step, in which ranks are compared
    "duration",
    "iteration_interval",
    "forward_backward",
    "tail",
    "computing",
    "communication",
    "communication_not_overlapped",
    "receive",
    "overlapped",
    "free",
    "bubble",
    "kernel",
    "memcpy",
    "memset",
    "runtime",
    "data",
    "operator",
    "other",
    "idle",
)
_MOST_STEPS = 2000  # of a line
# of one process there may be several spans: host_pid_date_ascend_ms, and the worker of torch as it is
_DATE = re.compile(r"_\d{14,}_ascend_(ms|pt)$")


def processes_of(listed: Iterable[ProfileFiles], named: ProfileFiles) -> list[ProfileFiles]:
    """Of each process that the same source wrote of in the same run, the span that is nearest to the one
    named, of two that are equally near the first by path; the one named is among them."""
    nearest: dict[tuple[int, str], ProfileFiles] = {}
    for files in sorted(listed, key=lambda files: (_apart(files, named), files.path)):
        if (files.run, files.source) == (named.run, named.source):
            nearest.setdefault((files.rank, "" if files.rank >= 0 else _DATE.sub("", files.name)), files)
    return list(nearest.values())


def may_be_ranks(profile: Profile, others: Iterable[tuple[ProfileFiles, Profile | None]]) -> bool:
    """Whether one of some other processes is another rank of the same job, or may be: what it is called
    does not say it always, and of some nothing is read yet."""
    if profile.rank < 0 or profile.world_size == 1:
        return False
    return any(
        (files.rank if other is None else other.rank)
        not in ((profile.rank,) if other is None else (profile.rank, -1))
        for files, other in others
    )


def nearest_of_ranks(profiles: Mapping[str, Profile], named: str) -> list[str]:
    """Of profiles by their paths, one of each rank: what began nearest to the one named, of two that began
    equally near the first by path."""
    start = profiles[named].start_ns if named in profiles else 0
    found: dict[int, str] = {}
    for path in sorted(
        profiles, key=lambda path: (path != named, abs(profiles[path].start_ns - start), path)
    ):
        if profiles[path].rank >= 0:
            found.setdefault(profiles[path].rank, path)
    return [found[rank] for rank in sorted(found)]


def same_ranks(ranks: Mapping[str, Profile], others: Mapping[str, Profile]) -> list[dict[str, Any]]:
    """Which of some other profiles, by path, are of a rank that is compared, at the same time as far as the
    log says when: two processes say that they are this rank, or one file is a copy. ``used`` is the profile
    that is compared."""
    used = {profile.rank: path for path, profile in ranks.items()}
    return [
        {"profile": path, "rank": profile.rank, "used": used[profile.rank]}
        for path, profile in sorted(others.items())
        if profile.rank in used and _overlap(profile, ranks[used[profile.rank]])
    ]


def counted_steps(profile: Profile, text: str | None, left_out: Collection[int]) -> Table | None:
    """The steps by which a rank is compared: those that ``text`` names, or without it all that are not
    ``left_out``; None without steps."""
    steps = profile.tables.get("steps")
    if steps is None or text:
        return None if steps is None else of_rows(steps, rows_of(profile, text))
    return of_rows(steps, np.flatnonzero(~np.isin(steps["number"], list(left_out))))


def rank_row(profile: Profile, steps: Table | None, stage: object) -> dict[str, Any]:
    """What ranks are compared by, of their summaries; times are medians over the steps that count (ns)."""
    medians = {} if steps is None else {name: median_of(steps[name]) for name in TIMES}
    return {
        "rank": profile.rank if profile.rank >= 0 else None,
        "host": profile.host,
        "stage": stage,
        "steps": None if steps is None else summary(steps),
        "times": {name: median for name, median in medians.items() if median is not None},
        **profile.documents[DOCUMENT],
    }


def rank_of(profile: Profile, path: str, steps: Table, stage: object) -> RankSteps:
    """The steps of one rank; ``path`` identifies its profile within the run."""
    return RankSteps(profile.rank, path, stage, steps, profile.facts.get("data_parallel"))


def rank_steps(profile: Profile, time: str) -> dict[str, Any]:
    """One time of each step of a rank (ns), evenly chosen where there are very many; ``count`` is of all."""
    steps = profile.tables["steps"]
    known = np.flatnonzero(steps[time] >= 0)
    rows = known
    if len(known) > _MOST_STEPS:
        rows = known[np.linspace(0, len(known) - 1, _MOST_STEPS).astype(np.intp)]
    return {"number": steps["number"][rows], "value": steps[time][rows], "count": len(known)}


def known_times(profiles: Iterable[Profile]) -> list[str]:
    """Times that steps of some rank have."""
    tables = [profile.tables["steps"] for profile in profiles if "steps" in profile.tables]
    return [name for name in TIMES if any((table[name] > 0).any() for table in tables)]


def _overlap(one: Profile, other: Profile) -> bool:
    first, second = sorted((one, other), key=lambda profile: profile.start_ns)
    return second.start_ns <= first.start_ns + first.duration_ns


def _apart(one: ProfileFiles, other: ProfileFiles) -> float:
    return -1.0 if one.path == other.path else abs(one.wall_time - other.wall_time)
