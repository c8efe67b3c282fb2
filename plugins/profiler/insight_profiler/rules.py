"""Rules about profiles: training that waits for its data, and a rank that the others wait for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from insight_core.plugin import (
    Examined,
    Finding,
    FindingPlace,
    NotChecked,
    NotFound,
    PluginNameEnum,
    Reason,
)

_NAME = PluginNameEnum.PROFILER
_WAITING = ("data_share", "queue_empty")  # codes of advice


def data_are_ready(examined: Examined) -> Iterator[Finding]:
    """Steps that spend their time on loading data, by the newest profile of the run."""
    profile = _newest(examined)
    answer = _ask(examined, "/overview", profile)
    for advice in answer["advice"]:
        if advice["code"] not in _WAITING:
            continue
        share = round(float(advice["values"]["share"]), 3)
        percent = round(100 * share)
        if advice["code"] == "data_share":
            saw = Reason(
                f"{percent} % of the time of the steps is loading data",
                "profiler_data_share",
                percent=percent,
            )
        else:
            queue = str(advice["values"]["queue"])
            saw = Reason(
                f"{percent} % of the batches found the queue {queue} empty",
                "profiler_queue_empty",
                percent=percent,
                queue=queue,
            )
        yield Finding(
            examined.run,
            "warning",
            saw,
            Reason("the device waits for its data instead of computing", "profiler_data_why"),
            Reason(
                "use more worker processes (num_workers, num_parallel_workers) and prefetching, pin memory, "
                "keep workers between epochs, and move decoding and augmentation out of the step or to the "
                "device",
                "profiler_data_change",
            ),
            _place(examined, profile, str(advice["view"])),
            share if advice["code"] == "data_share" else None,
        )


def ranks_keep_up(examined: Examined) -> Iterator[Finding]:
    """A rank that works longer than the others of its stage, which wait for it: see ``stragglers``."""
    profile = _newest(examined)
    answer = _ask(examined, "/cluster", profile)
    if any(one["state"] == "reading" for one in answer["others"]):
        raise _reading(profile)
    if len(answer["ranks"]) < 2:
        raise NotChecked(Reason("the profile is of one rank", "profiler_one_rank"))
    for one in answer["stragglers"]:
        work, usual = float(one["work"]), float(one["usual"])
        rank = int(one["rank"])
        percent = round(100 * (work / usual - 1)) if usual else 100
        step = work + float(one["wait"] or 0)
        yield Finding(
            examined.run,
            "warning",
            Reason(
                f"rank {rank} works {work / 1e6:.4g} ms in a step, the others of its stage "
                f"{usual / 1e6:.4g} ms (medians of {one['steps']} steps): {percent} % longer",
                "profiler_slow_rank",
                rank=rank,
                work=float(f"{work / 1e6:.4g}"),
                usual=float(f"{usual / 1e6:.4g}"),
                steps=int(one["steps"]),
                percent=percent,
            ),
            Reason("all other ranks wait for it in every step", "profiler_slow_rank_why"),
            Reason(
                f"look at the machine of rank {rank} (clocks, temperature, other processes, its link), and "
                "share data and layers evenly",
                "profiler_slow_rank_change",
                rank=rank,
            ),
            _place(examined, profile, "cluster"),
            round((work - usual) / step, 3) if step else None,
        )


def _newest(examined: Examined) -> str:
    """The newest profile of the run that is read. Raises NotChecked if there is none, or not yet."""
    listed: Any = examined.ctx.ask(_NAME, "/profiles", run=examined.run)
    if not listed["profiles"]:
        raise NotChecked(Reason("the run has no profile", "profiler_no_profile"))
    profile = str(listed["profiles"][0]["profile"])
    look = _ask(examined, "/profile", profile)
    if look["state"] == "reading":
        raise _reading(profile)
    if look["state"] == "failed":
        raise NotChecked(
            Reason(
                f"{profile} cannot be read: {look['failure']['text']}",
                "profiler_not_read",
                profile=profile,
                cause=str(look["failure"]["text"]),
            )
        )
    return profile


def _reading(profile: str) -> NotChecked:
    reason = Reason(f"{profile} is being read", "profiler_being_read", profile=profile)
    return NotChecked(reason, may_change=True)


def _ask(examined: Examined, route: str, profile: str) -> Mapping[str, Any]:
    try:
        answer: Any = examined.ctx.ask(_NAME, route, run=examined.run, profile=profile)
    except NotFound as error:  # gone meanwhile
        raise NotChecked(Reason("the run has no profile", "profiler_no_profile"), may_change=True) from error
    found: Mapping[str, Any] = answer
    return found


def _place(examined: Examined, profile: str, view: str) -> FindingPlace:
    return FindingPlace(_NAME, state={"run": examined.run, "profile": profile, "view": view})
